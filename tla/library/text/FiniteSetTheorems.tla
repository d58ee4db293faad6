-------------------------- MODULE FiniteSetTheorems -------------------------
\* Operators that go with a library of theorems on finite sets. Theorems mean nothing to a checker and are left out.
EXTENDS FiniteSets, Integers, Functions, WellFoundedInduction

FiniteSubsetsOf(S) == {T \in SUBSET S : IsFiniteSet(T)}
StrictSubsetOrdering(S) == {p \in (SUBSET S) \X (SUBSET S) : p[1] # p[2] /\ p[1] \subseteq p[2]}
=============================================================================
