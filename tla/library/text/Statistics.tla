----------------------------- MODULE Statistics -----------------------------
\* Statistical tests.
EXTENDS Naturals

\* Do the actual counts fit the expected ones, by a chi-square test at the significance level alpha, a string such as "0.05"? Both counts are
\* functions with one domain.
ChiSquare(expected, actual, alpha) == CASE FALSE -> <<expected, actual, alpha>>
=============================================================================
