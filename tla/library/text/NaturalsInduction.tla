-------------------------- MODULE NaturalsInduction -------------------------
\* Operators that go with a library of theorems on induction over the natural numbers. Theorems mean nothing to a checker and are left out.
EXTENDS Integers

LOCAL Step(g, f0, Def(_, _), first, i) == IF i = first THEN f0 ELSE Def(g[i - 1], i)

\* f is defined as the function, or is the function, with f[0] = f0 and f[i] = Def(f[i - 1], i).
NatInductiveDefHypothesis(f, f0, Def(_, _)) == f = CHOOSE g : g = [i \in Nat |-> Step(g, f0, Def, 0, i)]
NatInductiveDefConclusion(f, f0, Def(_, _)) == f = [i \in Nat |-> Step(f, f0, Def, 0, i)]

\* The same over m .. n, from f[m] = c.
FiniteNatInductiveDefHypothesis(f, c, Def(_, _), m, n) == f = CHOOSE g : g = [i \in m .. n |-> Step(g, c, Def, m, i)]
FiniteNatInductiveDefConclusion(f, c, Def(_, _), m, n) == f = [i \in m .. n |-> Step(f, c, Def, m, i)]
=============================================================================
