---- MODULE Expressions ----
\* The scope of expressions.txt. m and n are model values without a type, T_a, T_b and U_a have the types T and U.
EXTENDS Integers, Sequences, FiniteSets, Bags, TLC
CONSTANTS m, n, T_a, T_b, U_a

Id(x) == x
First(x, y) == x
Plus(x, y) == x + y
Apply2(F(_, _), x, y) == F(x, y)
Twice(F(_), x) == F(F(x))
a ++ b == a * 10 + b
a ## b == <<a, b>>
RECURSIVE Factorial(_)
Factorial(k) == IF k = 0 THEN 1 ELSE k * Factorial(k - 1)
RECURSIVE Even(_), Odd(_)
Even(k) == k = 0 \/ Odd(k - 1)
Odd(k) == k # 0 /\ Even(k - 1)
RECURSIVE Range(_)
Range(s) == IF s = <<>> THEN {} ELSE {Head(s)} \cup Range(Tail(s))
Fold(F(_, _), base, s) == LET f[i \in 0 .. Len(s)] == IF i = 0 THEN base ELSE F(s[i], f[i - 1]) IN f[Len(s)]
fib[k \in Nat] == IF k < 2 THEN k ELSE fib[k - 1] + fib[k - 2]
square == [k \in Nat |-> k * k]
rec == [a |-> 1, b |-> [c |-> <<10, 20>>, d |-> "text"]]
matrix == [i \in 1 .. 2 |-> [j \in 1 .. 3 |-> 10 * i + j]]
Evens == {k \in Nat : k % 2 = 0}
====
