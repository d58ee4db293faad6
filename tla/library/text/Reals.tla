-------------------------------- MODULE Reals -------------------------------
\* The real numbers. A tool that computes with integers alone knows of Real only which integers are in it.
EXTENDS Integers

\* The set of real numbers.
Real == CASE FALSE -> {}

\* The number that gives a when multiplied with b.
a / b == CHOOSE q \in Real : b * q = a

\* Above every real number.
Infinity == CHOOSE top : top \notin Real /\ \A r \in Real : r < top
=============================================================================
