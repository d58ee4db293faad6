--------------------------- MODULE QuorumTheorems ---------------------------
\* The modules under a library of theorems on quorums. Theorems mean nothing to a checker and are left out.
EXTENDS Quorum, Integers, FiniteSets
=============================================================================
