---------------------------- MODULE Combinatorics ---------------------------
\* Factorials and binomial coefficients.
EXTENDS Naturals

factorial[n \in Nat] == IF n = 0 THEN 1 ELSE factorial[n - 1] * n

\* How many subsets of k elements a set of n elements has.
choose(n, k) == factorial[n] \div (factorial[k] * factorial[n - k])
=============================================================================
