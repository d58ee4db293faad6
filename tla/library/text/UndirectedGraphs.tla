-------------------------- MODULE UndirectedGraphs --------------------------
\* Undirected graphs: records of a set of nodes and a set of edges, which are sets of two nodes, or of one: a loop.
LOCAL INSTANCE Naturals
LOCAL INSTANCE Sequences
LOCAL INSTANCE SequencesExt
LOCAL INSTANCE FiniteSets

IsUndirectedGraph(G) ==
    /\ G = [node |-> G.node, edge |-> G.edge]
    /\ G.edge \subseteq {{m, n} : m, n \in G.node}
IsLoopFreeUndirectedGraph(G) == IsUndirectedGraph(G) /\ \A n \in G.node : {n} \notin G.edge

\* The graphs that are made of nodes and edges of G.
UndirectedSubgraph(G) == {H \in [node : SUBSET G.node, edge : SUBSET G.edge] : IsUndirectedGraph(H)}

\* Paths are sequences of one node or more; a simple one visits no node twice.
Path(G) == {p \in Seq(G.node) : Len(p) > 0 /\ \A i \in 2 .. Len(p) : {p[i - 1], p[i]} \in G.edge}
SimplePath(G) ==
    {p \in SeqOf(G.node, Cardinality(G.node)) :
        /\ Len(p) > 0
        /\ Cardinality(ToSet(p)) = Len(p)
        /\ \A i \in 2 .. Len(p) : {p[i - 1], p[i]} \in G.edge}

\* Does a path lead from m to n?
AreConnectedIn(m, n, G) == \E p \in SimplePath(G) : p[1] = m /\ Last(p) = n

\* The largest sets of nodes that are connected among themselves.
ConnectedComponents(G) == {{n \in G.node : AreConnectedIn(m, n, G)} : m \in G.node}
IsStronglyConnected(G) == ConnectedComponents(G) = {G.node}

\* All graphs with the nodes S.
UndirectedGraphs(S) == [node : {S}, edge : SUBSET {{s, t} : s, t \in S}]
=============================================================================
