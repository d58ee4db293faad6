------------------------------ MODULE Bitwise -------------------------------
\* Natural numbers as strings of bits.
LOCAL INSTANCE Integers

\* The number whose n-th bits are bit(n), for n below width.
LOCAL FromBits(width, bit(_)) ==
    LET sum[n \in 0 .. width] == IF n = 0 THEN 0 ELSE sum[n - 1] + bit(n - 1) * 2 ^ (n - 1)
    IN  sum[width]
LOCAL Bit(x, n) == (x \div 2 ^ n) % 2

\* How many bits x takes.
LOCAL Width(x) == CHOOSE n \in 0 .. x : x < 2 ^ n /\ \A m \in 0 .. (n - 1) : 2 ^ m \leq x
LOCAL Wider(x, y) == IF x > y THEN Width(x) ELSE Width(y)

\* Bits that are in both, in one or both, in exactly one.
x & y == FromBits(Wider(x, y), LAMBDA n : Bit(x, n) * Bit(y, n))
x | y == FromBits(Wider(x, y), LAMBDA n : Bit(x, n) + Bit(y, n) - Bit(x, n) * Bit(y, n))
x ^^ y == FromBits(Wider(x, y), LAMBDA n : (Bit(x, n) + Bit(y, n)) % 2)

\* The bits that a takes, turned over.
Not(a) == FromBits(Width(a), LAMBDA n : 1 - Bit(a, n))

\* n without its pos lowest bits.
shiftR(n, pos) == n \div 2 ^ pos
=============================================================================
