package library

import (
	"slices"

	"podlife/tla/value"
)

// vectorClocks is the module VectorClocks.
func vectorClocks(t table) {
	t.fixed("VectorClocks", "CausalOrder", 4, causalOrder)
}

// An event is an entry of a log.
type event struct {
	entry value.Value
	clock value.Value
	time  value.Value // the clock's count for the node at which it happened
	knows []value.Value
	after []*event // what has to come before it
	done  bool
}

// causalOrder sorts a log so that each event comes after what its clock knows of. The n-th event of a node, sorted by its own count, has to be
// the n-th that the node's clock counts: nothing is missing in the log. TLC's order of events that do not know of each other is not specified; here, it
// goes round the nodes in their order.
func causalOrder(env *Env, args []value.Value) value.Value {
	const op = "CausalOrder"
	entries := sequence(op, "first", args[0])
	clock, node, domain := of(operator(args[1])), of(operator(args[2])), of(operator(args[3]))

	var nodes []value.Value
	var at []value.Value
	for _, e := range entries {
		at = append(at, node(e))
	}
	nodes = env.Work.NewSet(append([]value.Value(nil), at...)).Elems()
	ix := newIndex(nodes)
	logs := make([][]*event, len(nodes))
	for i, e := range entries {
		c := clock(e)
		ev := &event{entry: e, clock: c, time: env.Work.Apply(c, at[i]), knows: setOf(op, "fourth", domain(c))}
		natural(op, "second", ev.time)
		logs[ix.of(at[i])] = append(logs[ix.of(at[i])], ev)
	}
	for _, log := range logs {
		slices.SortStableFunc(log, func(a, b *event) int { return env.Work.Compare(a.time, b.time) })
	}
	for host, log := range logs {
		seen := make([]int64, len(nodes))
		for _, ev := range log {
			seen[host] = natural(op, "second", ev.time)
			for _, other := range ev.knows {
				j := ix.of(other)
				if j < 0 {
					value.Raise(value.CodeDomain, "%s: a clock knows of %s, of which the log has no event", op, show(other))
				}
				time := natural(op, "second", env.Work.Apply(ev.clock, other))
				if time <= seen[j] {
					continue
				}
				seen[j] = time
				if time > int64(len(logs[j])) {
					value.Raise(value.CodeDomain, "%s: a clock knows of %d events of %s, but the log has only %d", op, time, show(other), len(logs[j]))
				}
				ev.after = append(ev.after, logs[j][time-1])
			}
		}
	}
	return value.NewTuple(inOrder(op, logs, len(entries)))
}

// inOrder takes the first event of each log in turn, as soon as what has to come before it has been taken.
func inOrder(op string, logs [][]*event, n int) []value.Value {
	sorted := make([]value.Value, 0, n)
	for len(sorted) < n {
		before := len(sorted)
		for i, log := range logs {
			if len(log) == 0 || slices.ContainsFunc(log[0].after, func(e *event) bool { return !e.done }) {
				continue
			}
			log[0].done = true
			sorted = append(sorted, log[0].entry)
			logs[i] = log[1:]
		}
		if len(sorted) == before {
			value.Raise(value.CodeDomain, "%s: the events of the log know of each other in a circle", op)
		}
	}
	return sorted
}
