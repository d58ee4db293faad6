------------------------------ MODULE GraphViz ------------------------------
\* Graphs in the language of Graphviz (dot).

\* G as a string; VL(n) and EL(e) are the labels of nodes and edges.
DotDiGraph(G, VL(_), EL(_)) ==
    CASE FALSE -> <<{VL(n) : n \in G.node}, {EL(e) : e \in G.edge}>>
=============================================================================
