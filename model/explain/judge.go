package explain

import (
	"slices"

	"podlife/model"
	"podlife/model/podlifecycle"
	"podlife/model/podruntime"
)

// looks bounds how often the whole trace is looked at again for one invariant.
const looks = 4

// judge looks at every invariant. One is violated only where every state in which the pod can be breaks it, with whatever the world may have
// done unseen: the states that are kept have only what the world must have done, so that the trace is then looked at again with all of it.
func (c *Checker) judge() {
	for i, inv := range c.invariants {
		broken := c.breaking(c.states, inv)
		if broken == 0 || c.known(inv.Name) {
			continue
		}
		found := Broken{Invariant: inv.Name, Step: c.count, Verdict: Unknown}
		if broken == len(c.states) && c.looked[i] < looks {
			c.looked[i]++
			if all := c.everywhere(); len(all) > 0 && c.breaking(all, inv) == len(all) {
				found.Verdict = Violated
			}
		}
		c.tell(found)
	}
}

// everywhere gives every state in which the pod can be, or none where that are too many, or the trace is too long.
func (c *Checker) everywhere() []node {
	if len(c.history) < c.count {
		return nil
	}
	states := []node{{}}
	if c.began {
		states = seeds(c.history[0])
	}
	for _, s := range c.history {
		a, out := c.actions[s.Action], &set{}
		before := c.closure(states, c.world)
		for i := range before {
			n := &before[i]
			if a.recovers {
				c.recovery(n, a, out)
			} else if next, ok := c.take(n, a, s.Client, s.N, false); ok {
				out.add(next)
			} else {
				c.excused(n, a, s, out)
			}
			if len(out.nodes) > c.o.States {
				return nil
			}
		}
		states = c.agreeing(out.nodes, s)
	}
	return states
}

// known holds where nothing more can be said of an invariant.
func (c *Checker) known(name string) bool {
	return slices.ContainsFunc(c.answer.Invariants, func(b Broken) bool { return b.Invariant == name && b.Verdict == Violated })
}

// tell keeps the first finding about an invariant, until there is a certain one.
func (c *Checker) tell(b Broken) {
	i := slices.IndexFunc(c.answer.Invariants, func(o Broken) bool { return o.Invariant == b.Invariant })
	switch {
	case i < 0:
		c.answer.Invariants = append(c.answer.Invariants, b)
	case b.Verdict == Violated:
		c.answer.Invariants[i] = b
	}
}

func (c *Checker) breaking(nodes []node, inv model.Invariant[podruntime.Local]) int {
	broken := 0
	for i := range nodes {
		if !c.holds(&nodes[i], inv) {
			broken++
		}
	}
	return broken
}

// holds asks an invariant with each client, and where there is none, with one that is as at first. Clients in the same state count as one.
func (c *Checker) holds(n *node, inv model.Invariant[podruntime.Local]) bool {
	l := podruntime.Local{Pod: n.pod}
	if !inv.Holds(l) {
		return false
	}
	var asked [8]podruntime.Client
	different := 0
	for i := range n.tabs {
		state := n.tabs[i].state
		if slices.Contains(asked[:min(different, len(asked))], state) || c.forgotten(state, inv.Name) {
			continue
		}
		asked[different%len(asked)] = state
		different++
		l.Client = state
		if !inv.Holds(l) {
			return false
		}
	}
	return true
}

// forgotten holds where an invariant asks for a history that is not kept any more.
func (c *Checker) forgotten(client podruntime.Client, invariant string) bool {
	return invariant == podruntime.ReplyNamesItsIncarnation && client.BootInc < c.floor
}

// forget drops what no later step can ask for, or so old that it is not worth its room.
func (c *Checker) forget() {
	for i := range c.states {
		n := &c.states[i]
		if len(n.pod.Incs) > historyKept {
			c.floor = max(c.floor, n.pod.Inc-historyKept)
			n.pod = n.pod.ForgetHistory(c.floor)
		}
		if len(n.pod.Incs) > maxIncs {
			c.giveUp("too many removals are open")
			return
		}
		if len(n.tabs) > maxTabs {
			n.tabs = withoutOldest(n.tabs)
			c.evicted = true
		}
	}
}

// withoutOldest leaves out the client that acted longest ago, of those that nothing waits for.
func withoutOldest(tabs []tab) []tab {
	oldest := -1
	for i, t := range tabs {
		if t.state.Phase == podlifecycle.Booting || t.state.Term.At == podruntime.AtOpen {
			continue
		}
		if oldest < 0 || t.last < tabs[oldest].last {
			oldest = i
		}
	}
	if oldest < 0 {
		return tabs
	}
	return append(slices.Clone(tabs[:oldest]), tabs[oldest+1:]...)
}

// Broken is how many invariants were found to be broken, or perhaps broken, so far.
func (c *Checker) Broken() int { return len(c.answer.Invariants) }
