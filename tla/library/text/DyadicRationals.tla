--------------------------- MODULE DyadicRationals --------------------------
\* Fractions whose denominator is a power of 2, as records of numerator and denominator, in lowest terms.
LOCAL INSTANCE Integers
LOCAL INSTANCE FiniteSets
LOCAL INSTANCE Sequences
LOCAL INSTANCE TLC

LOCAL Fraction(num, den) == [num |-> num, den |-> den]

\* Halves numerator and denominator as long as both are even.
RECURSIVE Reduce(_)
LOCAL Reduce(p) ==
    IF p.den > 1 /\ p.den % 2 = 0 /\ p.num % 2 = 0
    THEN Reduce(Fraction(p.num \div 2, p.den \div 2))
    ELSE p

IsDyadicRational(r) == \E n \in 0 .. r.den : r.den = 2 ^ n

Zero == Fraction(0, 1)
One == Fraction(1, 1)

Add(p, q) ==
    IF p = Zero THEN q
    ELSE LET den == IF p.den < q.den THEN q.den ELSE p.den
         IN  Reduce(Fraction(p.num * (den \div p.den) + q.num * (den \div q.den), den))

Half(p) == Reduce(Fraction(p.num, 2 * p.den))

\* "0", "1", or "3/4".
PrettyPrint(p) ==
    CASE p = Zero -> "0"
      [] p = One -> "1"
      [] OTHER -> ToString(p.num) \o "/" \o ToString(p.den)
=============================================================================
