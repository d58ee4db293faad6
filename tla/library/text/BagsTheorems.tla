---------------------------- MODULE BagsTheorems ----------------------------
\* Operators that go with a library of theorems on bags. Theorems mean nothing to a checker and are left out.
EXTENDS Bags
LOCAL INSTANCE Naturals
LOCAL INSTANCE FiniteSets

\* The bag with n copies for each copy in B.
Scaling(n, B) == IF n > 0 THEN [e \in DOMAIN B |-> B[e] * n] ELSE EmptyBag

\* The bag of the elements of a sequence.
SeqToBag(seq) == [e \in {seq[i] : i \in DOMAIN seq} |-> Cardinality({i \in DOMAIN seq : seq[i] = e})]
=============================================================================
