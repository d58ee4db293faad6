--------------------------- MODULE Randomization ----------------------------
\* Subsets by chance, for initial predicates that would otherwise have too many states. The choices follow from the seed.
LOCAL INSTANCE Naturals
LOCAL INSTANCE FiniteSets

\* A subset of S with k elements.
RandomSubset(k, S) == CASE FALSE -> <<k, S>>

\* At most k subsets of S; each element of S is in one of them with probability n / Cardinality(S).
RandomSetOfSubsets(k, n, S) == CASE FALSE -> <<k, n, S>>

\* How many of its k subsets RandomSetOfSubsets has found different, for five tries.
TestRandomSetOfSubsets(k, n, S) == [try \in 1 .. 5 |-> Cardinality(RandomSetOfSubsets(k, n, S))]
=============================================================================
