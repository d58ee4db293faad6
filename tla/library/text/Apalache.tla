------------------------------ MODULE Apalache ------------------------------
\* The operators that specifications for the symbolic checker Apalache use, with the meaning that they have without it.
LOCAL INSTANCE Integers
LOCAL INSTANCE Sequences
LOCAL INSTANCE FiniteSets
LOCAL INSTANCE SequencesExt

\* Assignment: x and e are equal.
x := e == x = e

\* Any value of the type that is annotated, of at most that size: only a symbolic checker has it.
Gen(size) == CASE FALSE -> size

\* Some element of S.
Guess(S) == CHOOSE e \in S : TRUE

\* Hints on how to go about an expression, which they equal.
Skolem(e) == e
Expand(S) == S
ConstCardinality(e) == e

\* <<F(1), ..., F(N)>>.
MkSeq(N, F(_)) == [i \in 1 .. N |-> F(i)]

\* F(...F(F(x, 1), 2)..., N).
Repeat(F(_, _), N, x) == FoldLeft(F, x, [i \in 1 .. N |-> i])

\* The function of a set of pairs; the first length elements of a function over 1 .. n, of which there are at most maxLength.
SetAsFun(S) == [a \in {p[1] : p \in S} |-> (CHOOSE p \in S : p[1] = a)[2]]
FunAsSeq(f, length, maxLength) ==
    LET shorter == IF length < maxLength THEN length ELSE maxLength
    IN  [i \in 1 .. shorter |-> f[i]]

\* Op(...Op(Op(v, x), y)..., z) over a set, in an order that is not specified; over a sequence, from the left.
ApaFoldSet(Op(_, _), v, S) == FoldSet(LAMBDA e, acc : Op(acc, e), v, S)
ApaFoldSeqLeft(Op(_, _), v, s) == FoldLeft(Op, v, s)
=============================================================================
