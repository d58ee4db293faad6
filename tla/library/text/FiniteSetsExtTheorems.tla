------------------------ MODULE FiniteSetsExtTheorems -----------------------
\* The modules under a library of theorems on finite sets. Theorems mean nothing to a checker and are left out.
EXTENDS FiniteSetsExt, FiniteSets, Integers
=============================================================================
