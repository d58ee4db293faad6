// Package explain decides whether the recorded steps of one pod are a behaviour of the specification tla/PodRuntime.tla.
//
// Not every step is recorded: what the world does in a container, and the crash between two lives of the server, nobody writes down. So a
// [Checker] keeps the set of all states in which the pod can be, and puts such hidden steps, a bounded number, between recorded ones where
// those need them. What can be asked of a trace is in [Answer].
//
// It imports model and model/podruntime, and does no I/O. Read explain.go first, then hidden.go, which says which steps may be hidden.
package explain

import (
	"fmt"
	"math"
	"slices"

	"podlife/model"
	"podlife/model/podruntime"
)

// Step is one recorded action.
type Step struct {
	Action string `json:"action"`           // the specification's name
	Client string `json:"client,omitempty"` // its parameter c; "" for an action without
	N      int    `json:"n,omitempty"`      // its parameter n; 0 for an action without
	// Incarnation is that of the pod after the step; 0 is not told. It is compared, and a trace that begins with the recovery of a pod needs it.
	Incarnation int `json:"incarnation,omitempty"`
}

// String is the step as the specification writes it, without the pod.
func (s Step) String() string {
	switch {
	case s.Client != "" && s.N != 0:
		return fmt.Sprintf("%s(%s, %d)", s.Action, s.Client, s.N)
	case s.Client != "":
		return fmt.Sprintf("%s(%s)", s.Action, s.Client)
	case s.N != 0:
		return fmt.Sprintf("%s(%d)", s.Action, s.N)
	}
	return s.Action
}

// A Verdict is what can be said of a trace.
type Verdict string

// The verdicts.
const (
	Explained Verdict = "explained" // the steps are a behaviour of the specification
	Mismatch  Verdict = "mismatch"  // they are none
	Unknown   Verdict = "unknown"   // it cannot be told; Answer.Reason says why
)

// Bounds, where Options leaves them at 0.
const (
	DefaultHidden  = 4      // hidden steps in a row, on each side of a crash
	DefaultStates  = 4096   // states in which the pod can be
	DefaultHistory = 10_000 // recorded steps
)

// What a Checker keeps at most of one state; beyond it, something is forgotten, or nothing is known any more.
const (
	serverTabs  = 256  // that many clients a server remembers: who is forgotten comes back as a new one
	maxTabs     = 1024 // clients
	maxIncs     = 1024 // incarnations of which something is still to be done
	historyKept = 16   // incarnations of which the history is kept
)

// Options of a Checker. The zero value checks against the table that ships, without bounds on incarnations and crashes.
type Options struct {
	Table model.Table[podruntime.Local] // the zero Table is the one that ships
	// Hidden bounds the hidden steps between two recorded ones, and on each side of a crash. 0 is DefaultHidden, a negative number is none: then
	// the trace has to be whole.
	Hidden int
	States int // bounds the states in which the pod can be; 0 is DefaultStates
	// History bounds the recorded steps that are kept to look at again where an invariant seems to be broken; 0 is DefaultHistory. In a longer trace
	// a broken invariant is Unknown.
	History int
	// Path keeps one behaviour that explains the trace, for [Checker.Path]. Nothing is forgotten then, so that memory grows with the trace.
	Path bool
}

// Shipped is the table that the server runs by.
func Shipped() model.Table[podruntime.Local] {
	return podruntime.Table(podruntime.Constants{MaxInc: math.MaxInt, MaxCrashes: math.MaxInt})
}

// A Checker follows one pod, step by step. It is for one goroutine at a time.
type Checker struct {
	o          Options
	actions    map[string]*action
	world      []*action // what may be hidden
	lost       []*action // what the server may have done, and died before it was recorded
	invariants []model.Invariant[podruntime.Local]

	states  []node // in which the pod can be; one of them at least while the verdict is Explained
	before  []node // those before the last step
	count   int    // recorded steps that are explained
	crashed bool   // the server has died in this trace
	began   bool   // the trace begins in the middle of a pod's life: with a recovery
	evicted bool   // clients were forgotten for want of room
	// came are the clients of this life of the server, as far as it can remember them, and one more.
	came    map[string]struct{}
	history []Step // the recorded steps, as many as Options.History
	looked  []int  // how often the whole trace was looked at for an invariant
	floor   int    // history before this incarnation is forgotten

	answer Answer
}

// action is one of the table's, with what is asked of it again and again.
type action struct {
	model.Action[podruntime.Local]
	client, inc bool // its parameters
	tabs        bool // its guards ask for all clients
	forgets     bool // every client is forgotten by it: a crash
	recovers    bool
	oneInc      bool // its only parameter beside the pod is an incarnation
}

// New gives a checker of a pod that was never woken. A trace may also begin with the recovery of a pod.
func New(o Options) *Checker {
	if o.Table.Actions == nil {
		o.Table = Shipped()
	}
	switch {
	case o.Hidden == 0:
		o.Hidden = DefaultHidden
	case o.Hidden < 0:
		o.Hidden = 0
	}
	if o.States <= 0 {
		o.States = DefaultStates
	}
	if o.History <= 0 {
		o.History = DefaultHistory
	}
	c := &Checker{o: o, looked: make([]int, len(o.Table.Invariants)), actions: map[string]*action{}, invariants: o.Table.Invariants, came: map[string]struct{}{}}
	for _, a := range o.Table.Actions {
		known := &action{
			Action: a, client: slices.Contains(a.Params, podruntime.ParamClient), inc: slices.Contains(a.Params, podruntime.ParamInc),
			tabs:    a.Name == podruntime.IdleSleep || a.Name == podruntime.EndRun,
			forgets: len(a.Params) == 0, recovers: recovers(a.Name),
		}
		known.oneInc = known.inc && !known.client
		c.actions[a.Name] = known
	}
	c.world, c.lost = c.named(podruntime.WorldActions()), c.named(lostActions())
	c.states = []node{{}}
	c.answer.Verdict = Explained
	return c
}

func (c *Checker) named(names []string) []*action {
	var found []*action
	for _, name := range names {
		if a := c.actions[name]; a != nil {
			found = append(found, a)
		}
	}
	return found
}

func recovers(name string) bool {
	return name == podruntime.RecoverReady || name == podruntime.RecoverAsleep
}

// A StepError says that something is no step of the specification at all.
type StepError struct {
	Step    Step
	Problem string
}

func (e *StepError) Error() string { return fmt.Sprintf("%.80q: %s", e.Step, e.Problem) }

// Valid gives a *StepError where the specification has no such action, or it is not taken for such arguments. An incarnation n may be said of
// every action, and is only looked at where the action has that parameter.
func (c *Checker) Valid(s Step) error {
	a := c.actions[s.Action]
	switch {
	case a == nil:
		return &StepError{s, podruntime.Name + " has no such action"}
	case a.client != (s.Client != ""):
		return &StepError{s, needs(a.client, "a client")}
	case a.inc && s.N == 0:
		return &StepError{s, needs(a.inc, "an incarnation n")}
	case s.N < 0 || s.Incarnation < 0:
		return &StepError{s, "an incarnation is a number from 1 on"}
	}
	return nil
}

func needs(needed bool, what string) string {
	if needed {
		return "it is taken for " + what + ", which is missing"
	}
	return "it is not taken for " + what
}

// Check gives the answer for a whole trace. The error is a [*StepError].
func Check(o Options, steps []Step) (Answer, error) {
	c := New(o)
	for _, s := range steps {
		if err := c.Valid(s); err != nil {
			return Answer{}, err
		}
		if c.Add(s) != Explained {
			break
		}
	}
	return c.Answer(), nil
}

// Add takes the next recorded step, which must be valid, and gives the verdict so far. Once that is not Explained, nothing changes it.
func (c *Checker) Add(s Step) Verdict {
	if c.answer.Verdict != Explained {
		return c.answer.Verdict
	}
	a := c.actions[s.Action]
	if a == nil || c.Valid(s) != nil {
		return c.giveUp(c.Valid(s).Error())
	}
	if !a.inc {
		s.N = 0
	}
	if c.count == 0 && a.recovers {
		if s.Incarnation == 0 && a.Name == podruntime.RecoverReady {
			return c.giveUp("the trace begins with a recovery that does not say of which incarnation")
		}
		c.began, c.states = true, seeds(s)
	}
	if a.recovers || a.forgets {
		clear(c.came)
	}
	if a.client {
		if c.evicted && a.Name != podruntime.StartBoot && c.isNew(s.Client) {
			return c.giveUp(fmt.Sprintf("what %.40q does is not known any more: more than %d clients came after it", s.Client, maxTabs))
		}
		if len(c.came) <= serverTabs {
			c.came[s.Client] = struct{}{}
		}
	}
	next, ok := c.successors(a, s)
	if !ok {
		return c.giveUp(fmt.Sprintf("the pod can be in more than %d states", c.o.States))
	}
	if len(next) == 0 {
		c.mismatch(a, s)
		return c.answer.Verdict
	}
	c.before, c.states = c.states, next
	c.count++
	c.crashed = c.crashed || a.forgets || a.recovers && !(c.count == 1 && c.began)
	if len(c.history) < c.o.History {
		c.history = append(c.history, s)
	}
	c.judge()
	if !c.o.Path {
		c.forget()
	}
	return c.answer.Verdict
}

// GiveUp makes the verdict Unknown, unless it is a mismatch: a step is missing, say.
func (c *Checker) GiveUp(reason string) {
	if c.answer.Verdict == Explained {
		c.giveUp(reason)
	}
}

func (c *Checker) giveUp(reason string) Verdict {
	c.answer.Verdict, c.answer.Reason = Unknown, reason
	return Unknown
}

// Steps is how many recorded steps are explained so far.
func (c *Checker) Steps() int { return c.count }

func (c *Checker) isNew(client string) bool {
	for i := range c.states {
		if c.states[i].find(client) >= 0 {
			return false
		}
	}
	return true
}
