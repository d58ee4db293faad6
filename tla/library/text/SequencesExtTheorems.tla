------------------------ MODULE SequencesExtTheorems ------------------------
\* Operators that go with a library of theorems on sequences. Theorems mean nothing to a checker and are left out.
EXTENDS Sequences, SequencesExt, Functions, Integers, WellFoundedInduction

\* Def(g, s) depends only on what g is for the strict prefixes of s, for its strict suffixes.
StrictPrefixesDetermineDef(S, Def(_, _)) ==
    \A g, h : \A s \in Seq(S) : (\A t \in Seq(S) : IsStrictPrefix(t, s) => g[t] = h[t]) => Def(g, s) = Def(h, s)
StrictSuffixesDetermineDef(S, Def(_, _)) ==
    \A g, h : \A s \in Seq(S) : (\A t \in Seq(S) : IsStrictSuffix(t, s) => g[t] = h[t]) => Def(g, s) = Def(h, s)

\* f is defined as the function, or is the function, with f[<< >>] = f0 and f[s] = Def(f[Tail(s)], s); Def(f[Front(s)], s).
TailInductiveDefHypothesis(f, S, f0, Def(_, _)) ==
    f = CHOOSE g : g = [s \in Seq(S) |-> IF s = << >> THEN f0 ELSE Def(g[Tail(s)], s)]
TailInductiveDefConclusion(f, S, f0, Def(_, _)) ==
    f = [s \in Seq(S) |-> IF s = << >> THEN f0 ELSE Def(f[Tail(s)], s)]
FrontInductiveDefHypothesis(f, S, f0, Def(_, _)) ==
    f = CHOOSE g : g = [s \in Seq(S) |-> IF s = << >> THEN f0 ELSE Def(g[Front(s)], s)]
FrontInductiveDefConclusion(f, S, f0, Def(_, _)) ==
    f = [s \in Seq(S) |-> IF s = << >> THEN f0 ELSE Def(f[Front(s)], s)]
=============================================================================
