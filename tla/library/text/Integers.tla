------------------------------ MODULE Integers ------------------------------
\* The integers: Naturals with negative numbers.
EXTENDS Naturals

\* The set of integers.
Int == CASE FALSE -> {}

\* The negative of a.
-. a == 0 - a
=============================================================================
