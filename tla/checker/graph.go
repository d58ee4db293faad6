package checker

import "podlife/tla/eval"

// graph sends the state graph to a sink. A nil graph sends nothing.
type graph struct {
	sink  GraphSink
	index map[uint64]int64 // of each distinct state, by its fingerprint
}

// state sends a distinct state.
func (g *graph) state(fp uint64, index int64, s eval.State, initial bool) *stop {
	if g == nil {
		return nil
	}
	g.index[fp] = index
	return refused(g.sink.State(index, s, initial))
}

// edge sends a step to the state with this fingerprint, and before it that state if fresh, its index, is not negative.
func (g *graph) edge(fp uint64, from, fresh int64, step eval.Step) *stop {
	if g == nil {
		return nil
	}
	if fresh >= 0 {
		if end := g.state(fp, fresh, step.Next, false); end != nil {
			return end
		}
	}
	return refused(g.sink.Edge(from, g.index[fp], step.Action, step.Args))
}

func refused(err error) *stop {
	if err == nil {
		return nil
	}
	return &stop{err: sinkError{err}, index: -1}
}
