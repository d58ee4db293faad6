---------------------------- MODULE VectorClocks ----------------------------
\* Putting logs of events with vector clocks in an order in which causes precede effects. A clock is a function from nodes to counts.
EXTENDS Naturals, Sequences, Functions

\* A clock's count for a node that it does not know is 0.
LOCAL Count(clock, n) == IF n \in DOMAIN clock THEN clock[n] ELSE 0

\* May an event with clock u come before one with clock v? It may unless v's is the same or earlier.
LOCAL MayPrecede(u, v) == \E n \in DOMAIN u \cup DOMAIN v : Count(u, n) < Count(v, n)

IsCausalOrder(log, clock(_)) ==
    \A j \in 1 .. Len(log) : \A i \in 1 .. (j - 1) : MayPrecede(clock(log[i]), clock(log[j]))

\* log in such an order: node(e) is the node at which e happened, domain(c) the nodes that the clock c knows.
CausalOrder(log, clock(_), node(_), domain(_)) ==
    LET orders == {[i \in 1 .. Len(log) |-> log[p[i]]] : p \in Bijection(1 .. Len(log), 1 .. Len(log))}
    IN  CHOOSE order \in orders : IsCausalOrder(order, clock)
=============================================================================
