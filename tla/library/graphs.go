package library

import "podlife/tla/value"

// graphs is the module Graphs.
func graphs(t table) {
	const module = "Graphs"
	t.fixed(module, "SimplePath", 1, func(_ *Env, args []value.Value) value.Value {
		return readGraph("SimplePath", "first", args[0], directed).simplePaths()
	})
	t.fixed(module, "AreConnectedIn", 3, func(_ *Env, args []value.Value) value.Value {
		return connected(readGraph("AreConnectedIn", "third", args[2], directed), args[0], args[1])
	})
	t.fixed(module, "IsStronglyConnected", 1, func(_ *Env, args []value.Value) value.Value {
		g := readGraph("IsStronglyConnected", "first", args[0], directed)
		if len(g.nodes) == 0 {
			return value.Bool(true)
		}
		return value.Bool(all(g.reachable(0)) && all(g.reversed().reachable(0)))
	})
	t.own(module, "ConnectionsIn", 1, func(_ *Env, args []value.Value) value.Value {
		m := readGraph("ConnectionsIn", "first", args[0], directed).matrix("ConnectionsIn")
		m.close()
		m.reflexive()
		return m.value()
	})
	t.own(module, "HasCycle", 1, func(_ *Env, args []value.Value) value.Value {
		g := readGraph("HasCycle", "first", args[0], directed)
		for i := range g.nodes {
			if g.reachableFromNext(i)[i] {
				return value.Bool(true)
			}
		}
		return value.Bool(false)
	})
	t.own(module, "Ancestors", 2, func(_ *Env, args []value.Value) value.Value {
		g := readGraph("Ancestors", "first", args[0], directed)
		return g.reversed().linked("Ancestors", args[1])
	})
	t.own(module, "Descendants", 2, func(_ *Env, args []value.Value) value.Value {
		return readGraph("Descendants", "first", args[0], directed).linked("Descendants", args[1])
	})
}

// undirectedGraphs is the module UndirectedGraphs.
func undirectedGraphs(t table) {
	const module = "UndirectedGraphs"
	t.fixed(module, "SimplePath", 1, func(_ *Env, args []value.Value) value.Value {
		return readGraph("SimplePath", "first", args[0], undirected).simplePaths()
	})
	t.fixed(module, "AreConnectedIn", 3, func(_ *Env, args []value.Value) value.Value {
		return connected(readGraph("AreConnectedIn", "third", args[2], undirected), args[0], args[1])
	})
	t.fixed(module, "ConnectedComponents", 1, func(env *Env, args []value.Value) value.Value {
		return env.Work.NewSet(readGraph("ConnectedComponents", "first", args[0], undirected).components())
	})
	t.own(module, "IsStronglyConnected", 1, func(_ *Env, args []value.Value) value.Value {
		g := readGraph("IsStronglyConnected", "first", args[0], undirected)
		return value.Bool(len(g.nodes) > 0 && all(g.reachable(0)))
	})
}

// A graph is one whose nodes are numbered in their order.
type graph struct {
	nodes []value.Value
	next  [][]int // the numbers of the nodes to which edges lead, in the order of the edges
}

// ends gives the two nodes of an edge; ok is false for what can be no edge, which is passed over as in TLC.
type ends func(edge value.Value) (from, to value.Value, both, ok bool)

func directed(edge value.Value) (from, to value.Value, both, ok bool) {
	pair, ok := sequenceOf(edge)
	if !ok || len(pair) != 2 {
		return nil, nil, false, false
	}
	return pair[0], pair[1], false, true
}

func undirected(edge value.Value) (from, to value.Value, both, ok bool) {
	if edge.Kind() != value.KindSet {
		return nil, nil, false, false
	}
	switch pair := value.Elements(edge); len(pair) {
	case 1:
		return pair[0], pair[0], false, true
	case 2:
		return pair[0], pair[1], true, true
	}
	return nil, nil, false, false
}

// readGraph reads a record of node and edge. Edges that lead to or from what is no node are passed over.
func readGraph(op, which string, v value.Value, parse ends) *graph {
	r := record(op, which, v)
	g := &graph{nodes: setOf(op, which, field(op, which, r, "node"))}
	g.next = make([][]int, len(g.nodes))
	ix := newIndex(g.nodes)
	for _, edge := range setOf(op, which, field(op, which, r, "edge")) {
		from, to, both, ok := parse(edge)
		if !ok {
			continue
		}
		i, j := ix.of(from), ix.of(to)
		if i < 0 || j < 0 {
			continue
		}
		g.next[i] = append(g.next[i], j)
		if both {
			g.next[j] = append(g.next[j], i)
		}
	}
	return g
}

// linked is the set of nodes to which one edge or more lead from n. An n that is no node is a mistake, as it is in the definition, where it is outside
// a function's domain, unless there are no nodes at all.
func (g *graph) linked(op string, n value.Value) value.Value {
	if len(g.nodes) == 0 {
		return value.EmptySet()
	}
	i := newIndex(g.nodes).of(n)
	if i < 0 {
		value.Raise(value.CodeDomain, "the second argument of %s is not a node of the graph: %s", op, show(n))
	}
	return g.subset(g.reachableFromNext(i))
}

func (g *graph) reversed() *graph {
	back := &graph{nodes: g.nodes, next: make([][]int, len(g.nodes))}
	for i, targets := range g.next {
		for _, j := range targets {
			back.next[j] = append(back.next[j], i)
		}
	}
	return back
}

// reachable tells of each node whether a path leads to it from one of the given ones.
func (g *graph) reachable(from ...int) []bool {
	reached := make([]bool, len(g.nodes))
	for _, i := range from {
		reached[i] = true
	}
	for pending := append([]int(nil), from...); len(pending) > 0; {
		i := pending[len(pending)-1]
		pending = pending[:len(pending)-1]
		for _, j := range g.next[i] {
			if !reached[j] {
				reached[j] = true
				pending = append(pending, j)
			}
		}
	}
	return reached
}

// reachableFromNext is reachable by one edge or more.
func (g *graph) reachableFromNext(i int) []bool { return g.reachable(g.next[i]...) }

func all(flags []bool) bool {
	for _, f := range flags {
		if !f {
			return false
		}
	}
	return true
}

// subset is the set of the nodes that are marked.
func (g *graph) subset(marked []bool) value.Value {
	var elems []value.Value
	for i, n := range g.nodes {
		if marked[i] {
			elems = append(elems, n)
		}
	}
	return value.SetOfSorted(elems)
}

func (g *graph) matrix(op string) *matrix {
	m := newMatrix(op, g.nodes)
	for i, targets := range g.next {
		for _, j := range targets {
			m.related[i][j] = true
		}
	}
	return m
}

// connected tells whether a path leads from m to n. What is no node is connected with nothing.
func connected(g *graph, m, n value.Value) value.Value {
	ix := newIndex(g.nodes)
	if len(g.nodes) == 0 {
		return value.Bool(false)
	}
	i, j := ix.of(m), ix.of(n)
	return value.Bool(i >= 0 && j >= 0 && g.reachable(i)[j])
}

// components are the sets of nodes that are connected, of a graph whose edges lead both ways.
func (g *graph) components() []value.Value {
	var sets []value.Value
	done := make([]bool, len(g.nodes))
	for i := range g.nodes {
		if done[i] {
			continue
		}
		reached := g.reachable(i)
		for j, r := range reached {
			done[j] = done[j] || r
		}
		sets = append(sets, g.subset(reached))
	}
	return sets
}

// simplePaths is the set of all paths that visit no node twice.
func (g *graph) simplePaths() value.Value {
	var paths []value.Value
	visited := make([]bool, len(g.nodes))
	type step struct{ node, tried int }
	for start := range g.nodes {
		// The path so far, with how many of each node's edges have been tried.
		way := []step{{node: start}}
		visited[start] = true
		paths = append(paths, value.TupleOf(g.nodes[start]))
		for len(way) > 0 {
			last := &way[len(way)-1]
			if last.tried == len(g.next[last.node]) {
				visited[last.node] = false
				way = way[:len(way)-1]
				continue
			}
			n := g.next[last.node][last.tried]
			last.tried++
			if visited[n] {
				continue
			}
			visited[n] = true
			way = append(way, step{node: n})
			path := make([]value.Value, len(way))
			for i, s := range way {
				path[i] = g.nodes[s.node]
			}
			paths = append(paths, value.NewTuple(path))
			limit("SimplePath", value.NewInt(int64(len(paths))))
		}
	}
	return value.NewSet(paths)
}
