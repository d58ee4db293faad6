package replay

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"podlife/conformance/tab"
	"podlife/model"
	"podlife/model/podlifecycle"
	"podlife/runtime/client"
)

// Options say what is played, and where.
type Options struct {
	Client *client.Client // of a user whose pod sleeps now
	Trace  podlifecycle.Trace
	Prober *tab.Prober // asks terminals' shells; nil asks real ones about /root/example
	// Patience bounds every wait but that for a boot; default 15 s. BootPatience bounds that; default 10 min.
	Patience, BootPatience time.Duration
	// Gate, if not nil, lets boots that wait for it finish. It is called where the trace has FinishBoot, and where a terminal goes back through boot.
	Gate func(context.Context) error
	// Inside, if not nil, looks into the pod's container, wherever the specification says that it is ready: the truth that an API cannot give.
	Inside func(context.Context) (Truth, error)
	// Each, if not nil, is called with every step as soon as it was played.
	Each func(Step)
}

// Truth is what was found inside a container.
type Truth struct {
	Provisioned bool
	Words       string // what is there, or what is missing
}

// Step is one step of the trace as it was played.
type Step struct {
	Number   int      `json:"number"` // from 1; 0 is the initial state
	Action   string   `json:"action"` // with its argument, such as "StartBoot(c1)"
	Expected string   `json:"expected"`
	Seen     string   `json:"seen"`
	Differs  bool     `json:"differs"` // what was seen is not what the trace says
	Broke    []string `json:"broke"`   // the invariants that what was seen violates
}

// Report is a trace as it was played.
type Report struct {
	// Base is the pod's incarnation before the first step: by so much the pod's numbers are ahead of all numbers here, which are the trace's.
	Base    int      `json:"base"`
	Guarded bool     `json:"guarded"` // the trace is one of the design that ships; else of the one with the bug, which a right server does not follow
	Steps   []Step   `json:"steps"`
	Broke   []string `json:"broke"` // by any step, in the order of the specification's invariants
	// Shells are what was found behind every attached terminal at the end, by typing into it.
	Shells map[string]Shell `json:"shells"`
	// EndsProvisioned says that at the end every attached terminal has a provisioned shell. With no terminal attached it says nothing and is true.
	EndsProvisioned bool `json:"ends_provisioned"`
}

// Shell is what typing found.
type Shell struct {
	Incarnation int    `json:"incarnation"`
	Provisioned bool   `json:"provisioned"`
	Words       string `json:"words"`
}

// Differs says whether any step of the trace was not what was seen.
func (r Report) Differs() bool {
	return slices.ContainsFunc(r.Steps, func(s Step) bool { return s.Differs })
}

// AwakeError refuses to play where there is a container already: the trace begins asleep, and to get there would destroy what somebody may need.
type AwakeError struct{ State string }

// Error says where the pod is.
func (e *AwakeError) Error() string { return "the pod is " + e.State + ", and a trace begins asleep" }

// TraceError is a trace that is none of the specification.
type TraceError struct{ Err error }

// Error gives the reason.
func (e *TraceError) Error() string { return "not a trace of the specification: " + e.Err.Error() }

// Unwrap gives it too.
func (e *TraceError) Unwrap() error { return e.Err }

// Run plays the trace. What is seen may differ from it, and invariants may break: that is the report. An error means that it could not be played: *AwakeError, *TraceError, or an error of the client,
// and then the report has the steps up to there.
func Run(ctx context.Context, o Options) (Report, error) {
	table, guarded, err := tableOf(o.Trace)
	if err != nil {
		return Report{}, &TraceError{err}
	}
	status, err := o.Client.Status(ctx)
	if err != nil {
		return Report{}, err
	}
	if status.State != podlifecycle.Asleep.String() {
		return Report{}, &AwakeError{status.State}
	}
	if o.Prober == nil {
		o.Prober = &tab.Prober{}
	}
	if o.Patience == 0 {
		o.Patience = 15 * time.Second
	}
	if o.BootPatience == 0 {
		o.BootPatience = 10 * time.Minute
	}
	p := &player{o: o, base: status.Incarnation, run: strings.ToLower(rand.Text()[:8]), tabs: map[string]*player1{}, report: Report{Base: status.Incarnation, Guarded: guarded, Broke: []string{}, Shells: map[string]Shell{}}}
	defer p.leave()
	for name := range o.Trace.Steps[0].State.Client {
		p.tabs[name] = &player1{name: name}
	}
	for i := range o.Trace.Steps {
		if err := p.step(ctx, i); err != nil {
			return p.report, fmt.Errorf("step %d: %w", i, err)
		}
	}
	p.end(table)
	return p.report, nil
}

// tableOf gives the transition system that the trace is one of, and checks that it is. Constants that are not told are taken as the trace needs them.
func tableOf(t podlifecycle.Trace) (table model.Table[podlifecycle.Local], guarded bool, err error) {
	if t.Table != "" && t.Table != podlifecycle.Name {
		return table, false, fmt.Errorf("it is one of %.40q", t.Table)
	}
	if len(t.Steps) == 0 {
		return table, false, errors.New("it is empty")
	}
	guarded = !slices.ContainsFunc(t.Steps, func(s stepOfTrace) bool { return unguardedOnly(s.Action) })
	if g, told := t.Constants["GuardedAttach"].(bool); told {
		guarded = g
	}
	table = podlifecycle.Table(podlifecycle.Constants{MaxInc: math.MaxInt, GuardedAttach: guarded})
	return table, guarded, podlifecycle.CheckTrace(table, t)
}

// unguardedOnly names the actions of the design with the bug.
func unguardedOnly(action string) bool {
	return action == podlifecycle.AttachWakesFresh || action == podlifecycle.AttachAwakeNotReady
}

// leave closes every terminal, and waits for the boots that are under way no longer than it must.
func (p *player) leave() {
	for _, t := range p.tabs {
		if t.sock != nil {
			t.sock.Close()
		}
		if t.boot != nil {
			t.boot.cancel()
			<-t.boot.done
		}
	}
}
