---------------------------- MODULE GraphTheorems ---------------------------
\* The modules under a library of theorems on graphs. Theorems mean nothing to a checker and are left out.
EXTENDS Graphs, Sequences
=============================================================================
