------------------------------- MODULE BagsExt ------------------------------
\* More operators on bags (see Bags).
LOCAL INSTANCE Bags
LOCAL INSTANCE Integers
LOCAL INSTANCE Folds

\* One more copy of x; one copy of x less, if there is one; no copy of x.
BagAdd(B, x) == [e \in DOMAIN B \cup {x} |-> CopiesIn(e, B) + (IF e = x THEN 1 ELSE 0)]
BagRemove(B, x) == B (-) SetToBag({x})
BagRemoveAll(B, x) == [e \in DOMAIN B \ {x} |-> B[e]]

\* op over f(x) for each copy of each x, starting from base. All copies of an element come together; choose is not used, as in the module of this
\* name that is in common use.
MapThenFoldBag(op(_, _), base, f(_), choose(_), B) ==
    LET repeated(x) ==
            LET times[n \in 1 .. B[x]] == op(IF n = 1 THEN base ELSE times[n - 1], f(x))
            IN  times[B[x]]
    IN  MapThenFoldSet(op, base, repeated, LAMBDA T : CHOOSE x \in T : TRUE, DOMAIN B)

\* op over the copies, starting from base.
FoldBag(op(_, _), base, B) == MapThenFoldBag(op, base, LAMBDA x : x, LAMBDA T : CHOOSE x \in T : TRUE, B)

\* Sum and product of the copies.
SumBag(B) == FoldBag(LAMBDA x, y : x + y, 0, B)
ProductBag(B) == FoldBag(LAMBDA x, y : x * y, 1, B)
=============================================================================
