-------------------------- MODULE FunctionTheorems --------------------------
\* The modules under a library of theorems on functions. Theorems mean nothing to a checker and are left out.
EXTENDS Functions, Integers, FiniteSets
=============================================================================
