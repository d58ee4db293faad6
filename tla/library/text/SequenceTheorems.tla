-------------------------- MODULE SequenceTheorems --------------------------
\* The modules under a library of theorems on sequences. Theorems mean nothing to a checker and are left out.
EXTENDS Sequences, Functions
LOCAL INSTANCE NaturalsInduction
LOCAL INSTANCE TLAPS
=============================================================================
