package checker

import (
	"context"
	"time"

	"podlife/tla/diag"
	"podlife/tla/eval"
	"podlife/tla/value"
)

// Options are how to check. The zero value checks everything with as many workers as there are processors.
type Options struct {
	Workers    int   // 0: runtime.GOMAXPROCS
	NoDeadlock bool  // a state without a successor is no error; the caller decides, also from config.Config.CheckDeadlock
	Memory     int64 // bytes that the search may use, 0: three quarters of the machine's memory. See VerdictMemory.
	Continue   bool  // go on after a violated invariant or property; Result has the first, and Violations counts all
	Simulate   *Simulate
	Graph      GraphSink // receives the state graph; nil: nobody does

	// Vacuity says what to do about properties and actions that hold for no reason; see Finding.
	Vacuity Vacuity

	// Stats, when it is not nil, is kept up to date during the run. Its methods Get and Exit are made for eval.Options.
	Stats *Stats

	// Progress, when it is not nil, is called about every ProgressEvery (0: 10 s), from one goroutine, while the workers wait. Now is the clock (nil: time.Now).
	Progress      func(Progress)
	ProgressEvery time.Duration
	Now           func() time.Time
}

// Simulate asks for random behaviors instead of a search.
type Simulate struct {
	Num   int64 // behaviors; 0: until the context is done
	Depth int   // states of a behavior at most; 0: 100
	Seed  int64 // the same seed gives the same behaviors, whatever the number of workers
}

// Vacuity is how much is done to find what holds vacuously.
type Vacuity struct {
	Off bool
	// Variant compiles the program again, from the same module.Module and config.Config, with the other options as they were: without a conjunct of an action
	// (nil: with all of them) and, if coverage is set, with eval.Options.Coverage. Without a Variant, conjuncts
	// are not checked, nor implications and quantifiers unless the program counts coverage; Result.NotChecked says so.
	Variant func(drop *eval.Conjunct, coverage bool) (*eval.Program, error)
	// States is on how many states, the first of the search, conjuncts are tried. 0: DefaultVacuityStates. When there are more, a conjunct without effect on these counts
	// as not checked.
	States int
	// Accepted gives the reason, from the specification's text, why a finding about this definition is no error, or "".
	Accepted func(definition string, at diag.Span) string
}

// Verdict is what came of a run.
type Verdict string

// The verdicts. When several fit, it is the first of this list, except that the search ends at the first violation it comes to.
const (
	VerdictAssumption    Verdict = "assumption"       // an ASSUME is FALSE
	VerdictInvariant     Verdict = "invariant"        // an invariant, or the "always" part of a property, is FALSE in a state
	VerdictDeadlock      Verdict = "deadlock"         // a state has no successor
	VerdictProperty      Verdict = "property"         // an initial state or a step is not as a property demands
	VerdictEvaluation    Verdict = "evaluation-error" // Result.Err says what could not be evaluated
	VerdictInterrupted   Verdict = "interrupted"      // the context was done before the search, or the look for what holds vacuously, was
	VerdictMemory        Verdict = "memory-limit"     // the search would have used more than Options.Memory
	VerdictPostCondition Verdict = "postcondition"    // a POSTCONDITION is FALSE
	VerdictUnsupported   Verdict = "unsupported"      // all that was checked holds, but a property has parts that cannot be checked; see Result.Unsupported
	VerdictOK            Verdict = "ok"
)

// Values of Result.Name that are no names of definitions: what was being evaluated when Result.Err came.
const (
	NameAssume        = "ASSUME"
	NamePostCondition = "POSTCONDITION"
	NameSymmetry      = "SYMMETRY"
)

// DefaultVacuityStates is what Vacuity.States is when it is 0.
const DefaultVacuityStates = 20000

// Result is what a run found out.
type Result struct {
	Verdict Verdict

	Generated int64 // states, the initial ones and repeats included
	Distinct  int64 // states within the constraints, each once; with Simulate -1, since nobody counts them
	Queue     int64 // of the distinct states, those whose successors have not been looked for
	Depth     int   // states of the longest of the shortest behaviors to a distinct state
	Exited    bool  // the specification ended the run by TLCSet("exit", TRUE), or somebody else by Stats.Exit
	Initial   int64 // distinct initial states
	Behaviors int64 // with Simulate: how many were finished

	Complete   bool         // every state was explored; after VerdictInterrupted this says that only the look for what holds vacuously was cut short
	Name       string       // of the violated invariant, property or postcondition, or one of the names below
	Span       diag.Span    // where it, or the error, is
	Err        error        // for VerdictEvaluation; usually an *eval.Error
	Trace      []TraceState // the behavior that ends in the violation; for an evaluation error, in the state (and successor) at which it came
	TraceErr   error        // why Trace could not be computed to its end
	Violations int64        // with Options.Continue: states and steps at which something was violated

	Unsupported []UnsupportedPart
	Fairness    []eval.Unsupported // conjuncts of SPECIFICATION on which safety does not depend
	Actions     []Fired            // by eval.Action.Index; nil with Simulate
	Coverage    *eval.Coverage     // of all workers together; nil unless the program was compiled with it
	Excluded    int64              // generated states that a constraint cut off
	Collision   float64            // estimated probability that two states had the same fingerprint, so that one of them was left out
	Vacuity     VacuityVerdict
	Findings    []Finding // what holds vacuously
	NotChecked  []Finding // what may

	Workers  int
	Duration time.Duration
}

// UnsupportedPart is a part of a property that was not checked.
type UnsupportedPart struct {
	Property string
	eval.Unsupported
}

// A TraceState is one state of a counterexample.
type TraceState struct {
	State  eval.State
	Action *eval.Action // the step to it; nil for an initial state
	Args   []value.Value
	Alias  value.Value // what the configuration's ALIAS makes of it; nil without one
	// AliasErr is why the alias could not be evaluated.
	AliasErr error
}

// Fired says how often an action fired. An action that is called in several places, or with several arguments, is one.
type Fired struct {
	Action    *eval.Action
	Generated int64 // successors
	Distinct  int64 // successors that were new
}

// Progress is how far a search has come. With Simulate, Distinct and Queue are -1 and Behaviors counts.
type Progress struct {
	Depth                      int
	Generated, Distinct, Queue int64
	Behaviors                  int64
	Elapsed                    time.Duration
	MemoryBytes                int64
}

// A GraphSink receives the state graph in the order of the search, from one goroutine. Its errors end the run.
type GraphSink interface {
	// State is called once for each distinct state, in the order of their indices, which count from 0.
	State(index int64, s eval.State, initial bool) error
	// Edge is called for each generated step between distinct states, repeats included; both states have been sent before.
	Edge(from, to int64, a *eval.Action, args []value.Value) error
}

// Run checks a program. The error is nil unless Options make no sense or a GraphSink fails; whatever else goes wrong is in Result.
func Run(ctx context.Context, p *eval.Program, opt Options) (*Result, error) {
	r, err := newRun(ctx, p, opt)
	if err != nil {
		return nil, err
	}
	return r.run()
}
