---------------------------- MODULE SequencesExt ----------------------------
\* More operators on finite sequences. Positions count from 1.
EXTENDS Sequences, Naturals, FiniteSets, FiniteSetsExt, Folds, Functions, Bags, TLC

-----------------------------------------------------------------------------
\* Sets and sequences.

\* The set and the bag of the elements of s.
ToSet(s) == {s[i] : i \in DOMAIN s}
ToBag(s) == [e \in ToSet(s) |-> Cardinality({i \in DOMAIN s : s[i] = e})]

\* The elements of S in some order; the set of all their orders; sorted; of all subsets of S, all orders.
SetToSeq(S) == CHOOSE s \in [1 .. Cardinality(S) -> S] : ToSet(s) = S
SetToSeqs(S) == {s \in [1 .. Cardinality(S) -> S] : ToSet(s) = S}
SetToSortSeq(S, op(_, _)) == SortSeq(SetToSeq(S), op)
SetToAllKPermutations(S) == UNION {SetToSeqs(T) : T \in SUBSET S}

\* The sequences over set of length n; those of length n and below.
TupleOf(set, n) == [1 .. n -> set]
SeqOf(set, n) == UNION {[1 .. m -> set] : m \in 0 .. n}
BoundedSeq(S, n) == SeqOf(S, n)

-----------------------------------------------------------------------------
\* Searching.

Contains(s, e) == \E i \in DOMAIN s : s[i] = e

\* Does op(x, y) hold of each x and each y behind it?
IsSorted(s, op(_, _)) == \A j \in 1 .. Len(s) : \A i \in 1 .. (j - 1) : op(s[i], s[j])

\* The first and the last position whose element passes Test, or 0.
SelectInSeq(seq, Test(_)) ==
    LET found == {i \in 1 .. Len(seq) : Test(seq[i])}
    IN  IF found = {} THEN 0 ELSE Min(found)
SelectLastInSeq(seq, Test(_)) ==
    LET found == {i \in 1 .. Len(seq) : Test(seq[i])}
    IN  IF found = {} THEN 0 ELSE Max(found)

\* Likewise, among the positions from .. to, which have to be positions of seq where there is one.
SelectInSubSeq(seq, from, to, Test(_)) ==
    LET found == {i \in from .. to : Test(seq[i])}
    IN  IF found = {} THEN 0 ELSE Min(found)
SelectLastInSubSeq(seq, from, to, Test(_)) ==
    LET found == {i \in from .. to : Test(seq[i])}
    IN  IF found = {} THEN 0 ELSE Max(found)

-----------------------------------------------------------------------------
\* Changing.

Reverse(s) == [i \in 1 .. Len(s) |-> s[1 + Len(s) - i]]

\* s without any e; s with each old replaced.
Remove(s, e) == SelectSeq(s, LAMBDA x : x # e)
ReplaceAll(s, old, new) == [i \in 1 .. Len(s) |-> IF s[i] = old THEN new ELSE s[i]]

\* e comes before position i; e takes the place of what is at position i; what is at position i goes.
InsertAt(s, i, e) == SubSeq(s, 1, i - 1) \o <<e>> \o SubSeq(s, i, Len(s))
ReplaceAt(s, i, e) == [s EXCEPT ![i] = e]
RemoveAt(s, i) == SubSeq(s, 1, i - 1) \o SubSeq(s, i + 1, Len(s))

\* s without the first e; without the first element that passes Test.
RemoveFirst(s, e) == LET at == SelectInSeq(s, LAMBDA x : x = e) IN IF at = 0 THEN s ELSE RemoveAt(s, at)
RemoveFirstMatch(s, Test(_)) == LET at == SelectInSeq(s, Test) IN IF at = 0 THEN s ELSE RemoveAt(s, at)

\* elt before seq; elt behind seq.
Cons(elt, seq) == <<elt>> \o seq
Snoc(elt, seq) == Append(seq, elt)

\* All but the last element, and the last element.
Front(s) == SubSeq(s, 1, Len(s) - 1)
Last(s) == s[Len(s)]

-----------------------------------------------------------------------------
\* Prefixes and suffixes.

IsPrefix(s, t) == Len(s) \leq Len(t) /\ SubSeq(s, 1, Len(s)) = SubSeq(t, 1, Len(s))
IsStrictPrefix(s, t) == s # t /\ IsPrefix(s, t)
IsSuffix(s, t) == IsPrefix(Reverse(s), Reverse(t))
IsStrictSuffix(s, t) == s # t /\ IsSuffix(s, t)

Prefixes(s) == {SubSeq(s, 1, n) : n \in 0 .. Len(s)}
Suffixes(s) == {SubSeq(s, n + 1, Len(s)) : n \in 0 .. Len(s)}

\* The prefixes that all sequences of the set S share, and the longest of them.
CommonPrefixes(S) == {p \in UNION {Prefixes(s) : s \in S} : \A s \in S : IsPrefix(p, s)}
LongestCommonPrefix(S) ==
    LET common == CommonPrefixes(S)
    IN  CHOOSE p \in common : \A q \in common : Len(q) \leq Len(p)

-----------------------------------------------------------------------------
\* Folds.

\* The remainder of a by b as a position: 1 .. b.
SeqMod(a, b) == LET rest == a % b IN IF rest = 0 THEN b ELSE rest

\* op(x, op(y, ... base)) in an order that is not specified.
FoldSeq(op(_, _), base, seq) == FoldFunction(op, base, seq)

\* op(... op(op(base, s[1]), s[2]) ..., s[n]), and op(s[1], op(s[2], ... op(s[n], base))).
FoldLeft(op(_, _), base, seq) ==
    LET fold[n \in 0 .. Len(seq)] == IF n = 0 THEN base ELSE op(fold[n - 1], seq[n])
    IN  fold[Len(seq)]
FoldRight(op(_, _), seq, base) == FoldLeft(LAMBDA acc, x : op(x, acc), base, Reverse(seq))

\* The same folds over the positions.
FoldLeftDomain(op(_, _), base, seq) == FoldLeft(op, base, [i \in DOMAIN seq |-> i])
FoldRightDomain(op(_, _), seq, base) == FoldRight(op, [i \in DOMAIN seq |-> i], base)

-----------------------------------------------------------------------------
\* Sequences of sequences, and parts of sequences.

\* The sequences in seqs, one after the other. They may be strings.
FlattenSeq(seqs) == IF seqs = << >> THEN seqs ELSE FoldLeft(LAMBDA s, t : s \o t, Head(seqs), Tail(seqs))

\* The pairs of the elements at the same position, as far as the shorter one goes.
Zip(s, t) ==
    LET shorter == IF Len(t) < Len(s) THEN Len(t) ELSE Len(s)
    IN  [i \in 1 .. shorter |-> <<s[i], t[i]>>]

\* <<s[1]>>, <<t[1]>>, <<s[2]>>, ... for two sequences of one length; two empty ones make << << >>, << >> >>.
Interleave(s, t) ==
    CASE Len(s) = Len(t) /\ Len(s) = 0 -> << << >>, << >> >>
      [] Len(s) = Len(t) /\ Len(s) > 0 ->
            [i \in 1 .. (2 * Len(s)) |-> IF i % 2 = 1 THEN <<s[(i + 1) \div 2]>> ELSE <<t[i \div 2]>>]

\* The pieces of s; what is left of s when any elements go.
SubSeqs(s) == {SubSeq(s, i, j) : i \in 1 .. (Len(s) + 1), j \in 0 .. Len(s)}
AllSubSeqs(s) ==
    LET left(D) == FoldLeft(LAMBDA acc, i : IF i \in D THEN Append(acc, s[i]) ELSE acc, << >>, [i \in 1 .. Len(s) |-> i])
    IN  {left(D) : D \in SUBSET (1 .. Len(s))}

\* The first position of t at which s begins, which has to be somewhere in t.
IndexFirstSubSeq(s, t) ==
    LET begins == {i \in 1 .. (Len(t) - Len(s) + 1) : SubSeq(t, i, i + Len(s) - 1) = s}
    IN  IF s = << >> THEN 1 ELSE CHOOSE i \in begins : \A j \in begins : i \leq j

\* t with r in the place of the s that begins at position i; of the first s, if any.
ReplaceSubSeqAt(i, r, s, t) == SubSeq(t, 1, i - 1) \o r \o SubSeq(t, i + Len(s), Len(t))
ReplaceFirstSubSeq(r, s, t) ==
    IF s \in SubSeqs(t) THEN ReplaceSubSeqAt(IndexFirstSubSeq(s, t), r, s, t) ELSE t

\* t with r in the place of every s, from the left; an empty s is before each element.
RECURSIVE ReplaceAllSubSeqs(_, _, _)
ReplaceAllSubSeqs(r, s, t) ==
    CASE s = t -> r
      [] s # t /\ s = << >> -> FoldLeft(LAMBDA acc, e : acc \o r \o <<e>>, << >>, t)
      [] s # t /\ s # << >> /\ s \notin SubSeqs(t) -> t
      [] OTHER ->
            LET at == IndexFirstSubSeq(s, t)
                rest == SubSeq(t, at + Len(s), Len(t))
            IN  SubSeq(t, 1, at - 1) \o r \o (IF rest = << >> THEN << >> ELSE ReplaceAllSubSeqs(r, s, rest))
=============================================================================
