package explain

import (
	"slices"

	"podlife/model/podlifecycle"
	"podlife/model/podruntime"
)

// What may be hidden, and where:
//
//   - what the world does in a container, anywhere;
//   - a crash of the server, where the next recorded step is a recovery. Around it the world goes on; and the server may have done something
//     durable that it did not live to record: it stores before it commits, and asks the engine before it commits.
//
// A hidden step is taken as late as possible, just before the recorded step that needs it. Nothing is lost by that: what the world can do in a
// container it can also do later, unless the container goes, and then nothing is left to be explained by it. Around a crash all orders are
// looked at.

// lostActions are those of the server with an effect that outlives it, or that come before one.
func lostActions() []string {
	return []string{
		podruntime.StartBoot, podruntime.CreateContainer, podruntime.StartContainer, podruntime.LaunchFails, podruntime.BeginScript,
		podruntime.Destroy, podruntime.IdleSleep, podruntime.ContainerLost, podruntime.BootFailed, podruntime.TearDown,
	}
}

// nobody is the client of a boot that was not recorded; no client may have this name.
const nobody = "?"

// maxLost is how many steps of the server can be lost in a crash: one that ends or begins an incarnation, and a removal that went on meanwhile. A
// container that was about to be made, and is not there, counts as three: the launch failed, the pod fell asleep, and nothing was left.
const maxLost = 3

// successors are the states after a recorded step; false where there are more than the bound. There are none where nothing explains it.
func (c *Checker) successors(a *action, s Step) ([]node, bool) {
	if len(c.states) == 1 && !a.recovers {
		// The way of nearly every step of a trace that is whole.
		if next, ok := c.take(&c.states[0], a, s.Client, s.N, false); ok {
			return c.agreeing(append(c.spare(), next), s), true
		}
	}
	out := &set{nodes: c.spare()}
	for i := range c.states {
		n := &c.states[i]
		switch {
		case a.recovers:
			c.recovery(n, a, out)
		case !c.explained(n, a, s, out):
			c.excused(n, a, s, out)
		}
		if len(out.nodes) > c.o.States {
			return nil, false
		}
	}
	return c.agreeing(out.nodes, s), true
}

// spare is a slice to fill: that of the states before the last step, of which nobody asks any more.
func (c *Checker) spare() []node {
	free := c.before[:0]
	c.before = nil
	return free
}

// agreeing leaves the states that have the incarnation that was recorded.
func (c *Checker) agreeing(nodes []node, s Step) []node {
	if s.Incarnation == 0 {
		return nodes
	}
	kept := nodes[:0]
	for _, n := range nodes {
		if n.pod.Inc == s.Incarnation {
			kept = append(kept, n)
		}
	}
	return kept
}

// explained adds the states after the action with the fewest steps of the world before it; false where there are none.
func (c *Checker) explained(n *node, a *action, s Step, out *set) bool {
	level := []node{*n}
	seen := &set{alike: true} // the world does nothing to clients
	seen.add(*n)
	for depth := 0; ; depth++ {
		found := false
		for i := range level {
			if next, ok := c.take(&level[i], a, s.Client, s.N, false); ok {
				out.add(next)
				found = true
			}
		}
		if found || depth == c.o.Hidden {
			return found
		}
		if level = c.onward(level, c.world, seen); len(level) == 0 {
			return false
		}
	}
}

// onward gives the states that hidden actions lead to, as far as they are new.
func (c *Checker) onward(level []node, actions []*action, seen *set) []node {
	first := len(seen.nodes)
	for i := range level {
		n := &level[i]
		for _, a := range actions {
			if a.client {
				c.hide(n, a, nobody, 0, seen)
				continue
			}
			if !a.oneInc {
				c.hide(n, a, "", 0, seen)
				continue
			}
			for _, inc := range n.pod.Incs {
				if inc.Box.Box != podruntime.BoxNone || inc.Run != podruntime.RunNone || inc.Tear != podruntime.TearNone {
					c.hide(n, a, "", inc.N, seen)
				}
			}
		}
	}
	return append([]node(nil), seen.nodes[first:]...)
}

func (c *Checker) hide(n *node, a *action, client string, inc int, seen *set) {
	if next, ok := c.take(n, a, client, inc, true); ok {
		seen.add(next)
	}
}

// closure gives every state within the bound of hidden steps.
func (c *Checker) closure(from []node, actions []*action) []node {
	seen := &set{alike: len(from) == 1} // the world does nothing to clients
	for _, n := range from {
		seen.add(n)
	}
	level := append([]node(nil), seen.nodes...)
	for depth := 0; depth < c.o.Hidden && len(level) > 0 && len(seen.nodes) <= c.o.States; depth++ {
		level = c.onward(level, actions, seen)
	}
	return seen.nodes
}

// recovery adds the states after a recovery, with a crash before it where none was recorded.
func (c *Checker) recovery(n *node, a *action, out *set) {
	down := &set{}
	if n.pod.Ctr == podruntime.Unknown {
		down.add(*n)
	} else if c.o.Hidden > 0 {
		for _, last := range c.unrecorded(n) {
			for _, crash := range []string{podruntime.Crash, podruntime.CrashOtherRecipe} {
				if known := c.actions[crash]; known != nil {
					c.hide(&last, known, "", 0, down)
				}
			}
		}
	}
	for _, n := range c.closure(down.nodes, c.world) {
		if next, ok := c.take(&n, a, "", 0, false); ok {
			if c.o.Hidden > 0 && !c.o.Path {
				next.pod = onlyWhatCounts(next.pod)
			}
			out.add(next)
		}
	}
}

// unrecorded gives the states in which a server can die that was in state n when it last recorded a step.
func (c *Checker) unrecorded(n *node) []node {
	seen := &set{alike: true} // the crash forgets clients
	for _, world := range c.closure([]node{*n}, c.world) {
		seen.add(world)
	}
	level := append([]node(nil), seen.nodes...)
	for range maxLost {
		level = c.onward(level, c.lost, seen)
	}
	return seen.nodes
}

// onlyWhatCounts drops what decides nothing any more after a recovery, so that states that differ only in that are one: what is inside containers
// that are about to be removed, the history of incarnations that are over, and why it fell asleep.
func onlyWhatCounts(p podruntime.Pod) podruntime.Pod {
	p.Why = podruntime.WhyNone
	for _, i := range p.Incs {
		if i.N > p.Inc || p.Current(i.N) {
			continue
		}
		if i.Box.Box != podruntime.BoxNone {
			i.Box = podruntime.Container{Box: podruntime.BoxDead}
		}
		i.Done, i.Woken = false, 0
		p = p.With(i.N, i.Inner)
	}
	return p
}

// excused adds the state after a step that the server takes and the specification, in this state, does not know.
func (c *Checker) excused(n *node, a *action, s Step, out *set) {
	switch {
	case a.Name == podruntime.StartBoot && len(c.came) > serverTabs && c.forgettable(n.client(s.Client)):
		// The server has forgotten the client; to it, this is a new one.
		forgot := *n
		forgot.tabs = n.set(s.Client, podruntime.Client{}, c.count, c.o.Path)
		if next, ok := c.take(&forgot, a, s.Client, s.N, false); ok {
			out.add(next)
		}
	case a.oneInc && c.o.Hidden > 0 && !n.pod.Current(s.N) && n.pod.At(s.N).Box == (podruntime.Container{Box: podruntime.BoxDead}) && slices.Contains(c.world, a):
		// In a container that is about to be removed, of which nothing else is known.
		if c.crashed || c.began {
			c.stay(n, s, out)
		}
	case a.Name == podruntime.TearDown && n.loose && n.pod.At(s.N).Tear == podruntime.TearNone:
		// A container that the engine had before the trace began.
		c.stay(n, s, out)
	case a.Name == podruntime.DestroyAnswered && (c.crashed || c.began) && n.pod.Settled == n.pod.Inc:
		// A server that was started again does not know that it has answered already.
		if len(a.FalseGuards(n.local(a, "", 0))) == 1 {
			c.stay(n, s, out)
		}
	}
}

// stay adds the state as it is.
func (c *Checker) stay(n *node, s Step, out *set) {
	same := *n
	c.follow(&same, n, s, false)
	out.add(same)
}

func (c *Checker) forgettable(client podruntime.Client) bool {
	return client.Phase != podlifecycle.Booting && client.Term.At != podruntime.AtOpen
}

// seeds are the states in which a pod can be when a trace begins with its recovery. A container that is adopted was set up once, by what is
// configured now or was before; of one that is not, the steps that remove it will tell.
func seeds(s Step) []node {
	n := s.Incarnation
	p := podruntime.Pod{Ctr: podruntime.Unknown, Store: podruntime.Record{Inc: n}}
	var all []node
	if s.Action == podruntime.RecoverAsleep {
		for _, awake := range []bool{n > 0, false} {
			p.Store.Awake = awake
			all = append(all, node{pod: p, loose: true})
			if n == 0 {
				break
			}
		}
		return all
	}
	p.Store.Awake = true
	for _, script := range []podruntime.Script{podruntime.ScriptOff, podruntime.ScriptOn} {
		for marker, setup := range map[podruntime.Marker]podruntime.Setup{podruntime.MarkerOwn: podruntime.SetupAll, podruntime.MarkerEarlier: podruntime.SetupPart} {
			box := podruntime.Container{Box: podruntime.BoxRunning, Setup: setup, Marker: marker, Script: script}
			all = append(all, node{pod: p.With(n, podruntime.Inner{Box: box, Done: true, Woken: 1}), loose: true})
		}
	}
	return all
}
