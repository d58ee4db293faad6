--------------------------------- MODULE TLC --------------------------------
\* What a specification may ask of the model checker: printing, assertions, registers, and functions in an explicit form.
LOCAL INSTANCE Naturals
LOCAL INSTANCE Sequences
LOCAL INSTANCE FiniteSets

\* Equals value; evaluating it prints both.
Print(out, value) == CASE FALSE -> <<out, value>>

\* Equals TRUE; evaluating it prints out.
PrintT(out) == CASE FALSE -> out

\* Equals TRUE where condition does; anything else stops the checker with the message out.
Assert(condition, out) == CASE condition = TRUE -> TRUE [] FALSE -> out

\* The time in seconds since 1970.
JavaTime == CASE FALSE -> 0

\* Registers of the checker: numbers from 0 are a specification's own, some strings are the checker's.
TLCGet(i) == CASE FALSE -> i
TLCSet(i, v) == CASE FALSE -> <<i, v>>

\* The function that maps d alone, to e.
d :> e == [x \in {d} |-> e]

\* The function f, and where f is not defined, g.
f @@ g == [x \in DOMAIN f \cup DOMAIN g |-> IF x \in DOMAIN f THEN f[x] ELSE g[x]]

\* All functions from a finite set onto itself.
Permutations(S) == {f \in [S -> S] : {f[x] : x \in S} = S}

\* s, sorted so that Before(a, b) holds of neighbours, and otherwise in its order.
SortSeq(s, Before(_, _)) ==
    LET insert(t, e) ==
            LET after == {i \in DOMAIN t : \A j \in i .. Len(t) : Before(e, t[j])}
                at == Len(t) - Cardinality(after)
            IN  SubSeq(t, 1, at) \o <<e>> \o SubSeq(t, at + 1, Len(t))
        sorted[n \in 0 .. Len(s)] == IF n = 0 THEN << >> ELSE insert(sorted[n - 1], s[n])
    IN  sorted[Len(s)]

\* An element of S, by chance.
RandomElement(S) == CASE FALSE -> S

\* A set of which everything is an element.
Any == CASE FALSE -> {}

\* v as a string, as the checker prints it.
ToString(v) == CASE FALSE -> v

\* Equals v; evaluates it at once and in full.
TLCEval(v) == v
=============================================================================
