package explain

import (
	"fmt"
	"slices"
	"strings"

	"podlife/model/podruntime"
)

// Violated is the verdict on an invariant that is broken in every state in which the pod can be.
const Violated Verdict = "violated"

// shown bounds the states and the actions that an answer lists.
const (
	shownStates  = 4
	shownActions = 12
)

// Answer is what can be said of a trace.
type Answer struct {
	Verdict   Verdict `json:"verdict"`
	Explained int     `json:"explained"`        // how many recorded steps are explained: the longest such prefix
	Reason    string  `json:"reason,omitempty"` // why the verdict is Unknown, or what does not fit beside the guards

	// Of a mismatch: the step that nothing explains, and what it would have needed. The first of Nearest is that step, a second one the same
	// action with arguments with which it is nearer.
	Failed  *Step       `json:"failed,omitempty"`
	Nearest []Candidate `json:"nearest,omitempty"`
	// Enabled are actions that the server could have taken instead.
	Enabled []string `json:"enabled,omitempty"`

	// Possible are states in which the pod can be after the explained steps, of so many.
	Possible []podruntime.View `json:"possible"`
	States   int               `json:"states"`

	Invariants []Broken `json:"invariants,omitempty"`
}

// A Candidate is an action with the guards that refuse it, in the possible state in which they are fewest.
type Candidate struct {
	Step        Step     `json:"step"`
	FalseGuards []string `json:"falseGuards"`
}

// Broken is an invariant that is, or may be, broken.
type Broken struct {
	Invariant string  `json:"invariant"`
	Step      int     `json:"step"`    // the recorded step after which, from 1
	Verdict   Verdict `json:"verdict"` // Violated, or Unknown where only some of the possible states break it
}

// Violated reports whether an invariant is certainly broken.
func (a Answer) Violated() bool {
	return slices.ContainsFunc(a.Invariants, func(b Broken) bool { return b.Verdict == Violated })
}

// String is the answer in one line, for a log.
func (a Answer) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d steps are explained", a.Verdict, a.Explained)
	if a.Failed != nil {
		fmt.Fprintf(&b, ", then %s is not", *a.Failed)
	}
	for i, near := range a.Nearest {
		word := "its false guards"
		if i > 0 {
			word = "nearer is " + near.Step.String() + ", false guards"
		}
		fmt.Fprintf(&b, "; %s: %s", word, strings.Join(near.FalseGuards, ", "))
	}
	if a.Reason != "" {
		b.WriteString("; " + a.Reason)
	}
	for _, broken := range a.Invariants {
		fmt.Fprintf(&b, "; %s %s after step %d", broken.Invariant, broken.Verdict, broken.Step)
	}
	return b.String()
}

// Answer gives what can be said so far. It shares nothing with the checker.
func (c *Checker) Answer() Answer {
	a := c.answer
	a.Explained, a.States = c.count, len(c.states)
	a.Invariants = slices.Clone(a.Invariants)
	for i := range c.states[:min(len(c.states), shownStates)] {
		a.Possible = append(a.Possible, c.states[i].view())
	}
	return a
}

// mismatch keeps why nothing explains a step.
func (c *Checker) mismatch(a *action, s Step) {
	c.answer.Verdict, c.answer.Failed = Mismatch, &s
	wide := c.closure(c.states, c.world)
	own := c.nearest(wide, a, s)
	c.answer.Nearest = []Candidate{own}
	if len(own.FalseGuards) == 0 {
		c.answer.Reason = c.elsewhere(a, s)
	}
	best := own
	for _, other := range c.otherArguments(a, s) {
		if near := c.nearest(wide, a, other); len(near.FalseGuards) < len(best.FalseGuards) {
			best = near
		}
	}
	if best.Step != own.Step {
		c.answer.Nearest = append(c.answer.Nearest, best)
	}
	c.answer.Enabled = c.enabled()
}

// elsewhere says of a step that is enabled that it leads to another incarnation than was recorded.
func (c *Checker) elsewhere(a *action, s Step) string {
	s.Incarnation, c.before = 0, nil
	next, _ := c.successors(a, s)
	for _, n := range next {
		return fmt.Sprintf("after it the pod's incarnation is %d, and not %d", n.pod.Inc, c.answer.Failed.Incarnation)
	}
	return "it needs more steps that were not recorded than are allowed"
}

// nearest gives the fewest guards that refuse a step.
func (c *Checker) nearest(nodes []node, a *action, s Step) Candidate {
	best := Candidate{Step: s}
	for i := range nodes {
		guards := a.FalseGuards(nodes[i].local(a, s.Client, s.N))
		if i == 0 || len(guards) < len(best.FalseGuards) {
			best.FalseGuards = guards
		}
	}
	return best
}

// otherArguments are the same action for another client or incarnation of the pod.
func (c *Checker) otherArguments(a *action, s Step) []Step {
	var others []Step
	n := &c.states[0]
	for _, inc := range n.incs(a, s.N) {
		for _, client := range n.names(a, s.Client) {
			if o := (Step{Action: s.Action, Client: client, N: inc}); o.Client != s.Client || o.N != s.N {
				others = append(others, o)
			}
		}
	}
	return others
}

// incs are the incarnations that an action can be about, the recorded one among them.
func (n *node) incs(a *action, recorded int) []int {
	if !a.inc {
		return []int{0}
	}
	incs := []int{}
	if recorded > 0 {
		incs = append(incs, recorded)
	}
	for _, i := range n.pod.Incs[max(0, len(n.pod.Incs)-shownActions):] {
		if i.N != recorded {
			incs = append(incs, i.N)
		}
	}
	return incs
}

// names are clients that an action can be of, the recorded one among them.
func (n *node) names(a *action, recorded string) []string {
	if !a.client {
		return []string{""}
	}
	names := []string{}
	if recorded != "" {
		names = append(names, recorded)
	}
	for _, t := range n.tabs[:min(len(n.tabs), shownActions)] {
		if t.name != recorded {
			names = append(names, t.name)
		}
	}
	return names
}

// enabled lists what the server could do in the first of the possible states.
func (c *Checker) enabled() []string {
	var found []string
	n := &c.states[0]
	for _, listed := range c.o.Table.Actions {
		a := c.actions[listed.Name]
		if a.forgets || slices.Contains(c.world, a) {
			continue
		}
		for _, inc := range n.incs(a, 0) {
			for _, client := range n.names(a, "") {
				if len(found) < shownActions && a.Enabled(n.local(a, client, inc)) {
					found = append(found, Step{Action: a.Name, Client: client, N: inc}.String())
				}
			}
		}
	}
	return found
}

// Taken is one step of a behaviour that explains a trace, and the state after it.
type Taken struct {
	Step
	Hidden   bool // it was not recorded
	Recorded int  // the index of the recorded step that it is, or comes before; -1 in the first state, which no step has led to
	Pod      podruntime.Pod
	Clients  map[string]podruntime.Client
}

// Path gives one behaviour that explains the steps so far, its first state included. Options.Path must have been set, and a step been taken.
func (c *Checker) Path() []Taken {
	var steps []Taken
	for at := c.states[0].path; at != nil; at = at.before {
		n := node{tabs: at.tabs}
		steps = append(steps, Taken{Step: at.step, Hidden: at.hidden, Recorded: at.recorded, Pod: at.pod, Clients: n.clients()})
	}
	slices.Reverse(steps)
	return steps
}
