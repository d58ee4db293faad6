------------------------------ MODULE Naturals ------------------------------
\* The natural numbers and their arithmetic. What has no short definition stands as a CASE that no value satisfies: it has no value but what
\* the tool computes, and an evaluator without that computation reports an error instead of a wrong result.

\* The set of natural numbers, 0 among them.
Nat == CASE FALSE -> {}

a + b == CASE FALSE -> <<a, b>>
a - b == CASE FALSE -> <<a, b>>
a * b == CASE FALSE -> <<a, b>>

\* The b-th power of a, for b at least 0.
a ^ b == CASE FALSE -> <<a, b>>

a \leq b == CASE FALSE -> <<a, b>>
a \geq b == b \leq a
a < b == a \leq b /\ a # b
a > b == b < a

\* The integers from a to b, both among them; none where a is above b.
a .. b == CASE FALSE -> <<a, b>>

\* Quotient and remainder, for b above 0: a = b * (a \div b) + (a % b) and a % b \in 0 .. (b - 1).
a \div b == CASE FALSE -> <<a, b>>
a % b == CASE FALSE -> <<a, b>>
=============================================================================
