----------------------------- MODULE FiniteSets -----------------------------
\* Finite sets and their size.
LOCAL INSTANCE Naturals
LOCAL INSTANCE Sequences

LOCAL Lists(S, n) == \E list \in [1 .. n -> S] : S = {list[i] : i \in 1 .. n}

\* Can the elements of S be listed?
IsFiniteSet(S) == \E n \in Nat : Lists(S, n)

\* The length of the shortest list of the elements of a finite set.
Cardinality(S) == CHOOSE n \in Nat : Lists(S, n) /\ \A m \in 0 .. (n - 1) : ~ Lists(S, m)
=============================================================================
