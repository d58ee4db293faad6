---------------------------- MODULE FoldsTheorems ---------------------------
\* The modules under a library of theorems on folds. Theorems mean nothing to a checker and are left out.
EXTENDS Folds, FiniteSets
=============================================================================
