------------------------------- MODULE Graphs -------------------------------
\* Directed graphs: records of a set of nodes and a set of edges, which are pairs of nodes.
EXTENDS Naturals, Sequences, FiniteSets, SequencesExt, Relation

IsDirectedGraph(G) == G = [node |-> G.node, edge |-> G.edge] /\ G.edge \subseteq G.node \X G.node

\* The graphs that are made of nodes and edges of G.
DirectedSubgraph(G) ==
    UNION {[node : {N}, edge : SUBSET (G.edge \cap (N \X N))] : N \in SUBSET G.node}

\* G with its edges turned round.
Transpose(G) == [node |-> G.node, edge |-> {<<e[2], e[1]>> : e \in G.edge}]

\* An undirected graph has each edge in both directions.
IsUndirectedGraph(G) == IsDirectedGraph(G) /\ \A e \in G.edge : <<e[2], e[1]>> \in G.edge
UndirectedSubgraph(G) == {H \in DirectedSubgraph(G) : IsUndirectedGraph(H)}

-----------------------------------------------------------------------------
\* Paths are sequences of one node or more; a simple one visits no node twice.

Path(G) == {p \in Seq(G.node) : Len(p) > 0 /\ \A i \in 2 .. Len(p) : <<p[i - 1], p[i]>> \in G.edge}
SimplePath(G) ==
    {p \in SeqOf(G.node, Cardinality(G.node)) :
        /\ Len(p) > 0
        /\ IsInjective(p)
        /\ \A i \in 2 .. Len(p) : <<p[i - 1], p[i]>> \in G.edge}

\* Does a path lead from m to n?
AreConnectedIn(m, n, G) == \E p \in SimplePath(G) : p[1] = m /\ Last(p) = n
IsStronglyConnected(G) == \A m, n \in G.node : AreConnectedIn(m, n, G)

\* Where paths lead, as a function of two nodes.
LOCAL EdgeMatrix(G) == [p \in G.node \X G.node |-> p \in G.edge]
ConnectionsIn(G) == ReflexiveTransitiveClosure(EdgeMatrix(G), G.node)

\* Is G a tree whose edges lead to its root r?
IsTreeWithRoot(G, r) ==
    /\ IsDirectedGraph(G)
    /\ r \in G.node
    /\ \A e \in G.edge : e[1] # r
    /\ \A e, f \in G.edge : e[1] = f[1] => e = f
    /\ \A n \in G.node : AreConnectedIn(n, r, G)

-----------------------------------------------------------------------------
GraphUnion(G, H) == [node |-> G.node \cup H.node, edge |-> G.edge \cup H.edge]

\* Does each edge lead from one of U and V to the other?
IsBipartiteWithPartitions(G, U, V) ==
    /\ U \cap V = {}
    /\ G.node \subseteq U \cup V
    /\ \A e \in G.edge : (e[1] \in U /\ e[2] \in V) \/ (e[1] \in V /\ e[2] \in U)

HasCycle(G) == LET way == TransitiveClosure(EdgeMatrix(G), G.node) IN \E n \in G.node : way[n, n]
IsDag(G) == IsDirectedGraph(G) /\ ~ HasCycle(G)

\* The nodes one edge away from n, from the nodes in S, to n, to the nodes in S.
Successors(G, n) == {m \in G.node : <<n, m>> \in G.edge}
AllSuccessors(G, S) == UNION {Successors(G, n) : n \in S}
Predecessors(G, n) == {m \in G.node : <<m, n>> \in G.edge}
AllPredecessors(G, S) == UNION {Predecessors(G, n) : n \in S}

\* The nodes from which one edge or more lead to n; those to which they lead from n.
Ancestors(G, n) == LET way == TransitiveClosure(EdgeMatrix(G), G.node) IN {m \in G.node : way[m, n]}
Descendants(G, n) == LET way == TransitiveClosure(EdgeMatrix(G), G.node) IN {m \in G.node : way[n, m]}

InDegree(G, n) == Cardinality(Predecessors(G, n))
OutDegree(G, n) == Cardinality(Successors(G, n))

\* The nodes to which no edge leads, and from which none does.
Roots(G) == {n \in G.node : Predecessors(G, n) = {}}
Leaves(G) == {n \in G.node : Successors(G, n) = {}}

EmptyGraph == [node |-> {}, edge |-> {}]

\* All graphs with the nodes S.
Graphs(S) == [node : {S}, edge : SUBSET (S \X S)]
=============================================================================
