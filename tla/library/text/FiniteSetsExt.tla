---------------------------- MODULE FiniteSetsExt ---------------------------
\* Folds, sums and choices over finite sets.
EXTENDS Integers, FiniteSets, Folds, Functions

\* op(x, op(y, ... base)) over the elements, in an order that is not specified. ReduceSet is its older name.
FoldSet(op(_, _), base, set) == MapThenFoldSet(op, base, LAMBDA x : x, LAMBDA T : CHOOSE x \in T : TRUE, set)
ReduceSet(op(_, _), set, acc) == FoldSet(op, acc, set)

\* Sum and product of the elements; sum of op(x) over the elements, each counted.
SumSet(set) == FoldSet(LAMBDA x, y : x + y, 0, set)
ProductSet(set) == FoldSet(LAMBDA x, y : x * y, 1, set)
MapThenSumSet(op(_), set) == FoldSet(LAMBDA x, sum : op(x) + sum, 0, set)

\* The union of a set of sets.
FlattenSet(S) == UNION S

\* What is in exactly one of the two.
SymDiff(A, B) == (A \cup B) \ (A \cap B)

\* How many elements satisfy P.
Quantify(S, P(_)) == Cardinality({x \in S : P(x)})

\* The subsets of S with k elements.
kSubset(k, S) == {T \in SUBSET S : Cardinality(T) = k}

\* The largest and the smallest element of a set of integers.
Max(S) == CHOOSE top \in S : \A x \in S : x \leq top
Min(S) == CHOOSE bottom \in S : \A x \in S : bottom \leq x

\* All sets that are made by choosing one element of each set in Sets.
Choices(Sets) ==
    LET pick == [Sets -> UNION Sets]
    IN  {Range(f) : f \in {g \in pick : \A S \in Sets : g[S] \in S}}

\* The one element of S that satisfies P; an error where there is none or more than one.
ChooseUnique(S, P(_)) == CHOOSE x \in S : {y \in S : P(y)} = {x}
=============================================================================
