-------------------------------- MODULE Bags --------------------------------
\* Bags: sets whose elements have a number of copies. A bag is a function from its elements to their numbers, each above 0.
EXTENDS TLC
LOCAL INSTANCE Naturals

IsABag(B) == \A e \in DOMAIN B : B[e] \in Nat \ {0}

\* The set of the elements of B, and the bag with one copy of each element of S.
BagToSet(B) == DOMAIN B
SetToBag(S) == [e \in S |-> 1]

EmptyBag == SetToBag({})

\* Does B hold a copy of e? How many?
BagIn(e, B) == e \in DOMAIN B
CopiesIn(e, B) == IF e \in DOMAIN B THEN B[e] ELSE 0

\* Copies are added; copies are taken away, as far as there are any.
B1 (+) B2 == [e \in DOMAIN B1 \cup DOMAIN B2 |-> CopiesIn(e, B1) + CopiesIn(e, B2)]
B1 (-) B2 == [e \in {d \in DOMAIN B1 : B1[d] > CopiesIn(d, B2)} |-> B1[e] - CopiesIn(e, B2)]

\* Does B2 hold at least the copies that B1 holds?
B1 \sqsubseteq B2 == \A e \in DOMAIN B1 : B1[e] \leq CopiesIn(e, B2)

\* The sum of n(x) over a finite set.
LOCAL Total(S, n(_)) ==
    LET total[T \in SUBSET S] == IF T = {} THEN 0 ELSE LET x == CHOOSE x \in T : TRUE IN n(x) + total[T \ {x}]
    IN  total[S]

\* All copies of all bags in the set S.
BagUnion(S) ==
    LET copies(e) == Total(S, LAMBDA B : CopiesIn(e, B))
    IN  [e \in UNION {DOMAIN B : B \in S} |-> copies(e)]

\* All bags that hold no more than B does.
SubBag(B) == UNION {{b \in [D -> UNION {1 .. B[e] : e \in D}] : b \sqsubseteq B} : D \in SUBSET DOMAIN B}

\* The bag of the F(e), one for each copy of an e.
BagOfAll(F(_), B) ==
    LET copies(v) == Total({e \in DOMAIN B : F(e) = v}, LAMBDA e : B[e])
    IN  [v \in {F(e) : e \in DOMAIN B} |-> copies(v)]

\* The number of all copies in a finite bag.
BagCardinality(B) == Total(DOMAIN B, LAMBDA e : B[e])
=============================================================================
