------------------------------ MODULE Sequences -----------------------------
\* Finite sequences: functions whose domain is 1 .. n. A tuple is one.
LOCAL INSTANCE Naturals

\* All finite sequences over S.
Seq(S) == UNION {[1 .. n -> S] : n \in Nat}

\* How many elements s has.
Len(s) == CHOOSE n \in Nat : 1 .. n = DOMAIN s

\* s, and then t.
s \o t == [i \in 1 .. (Len(s) + Len(t)) |-> IF i > Len(s) THEN t[i - Len(s)] ELSE s[i]]

\* s with e as one more element at its end.
Append(s, e) == [i \in 1 .. (Len(s) + 1) |-> IF i \in DOMAIN s THEN s[i] ELSE e]

\* The first element of a sequence that is not empty, and all but it.
Head(s) == s[1]
Tail(s) == CASE Len(s) > 0 -> [i \in 1 .. (Len(s) - 1) |-> s[1 + i]]

\* The elements from position m to position n.
SubSeq(s, m, n) == [i \in 1 .. (n - m + 1) |-> s[m - 1 + i]]

\* The elements that pass Test, in their order.
SelectSeq(s, Test(_)) ==
    LET passed[n \in 0 .. Len(s)] ==
            CASE n = 0 -> << >>
              [] n > 0 /\ Test(s[n]) -> Append(passed[n - 1], s[n])
              [] OTHER -> passed[n - 1]
    IN  passed[Len(s)]
=============================================================================
