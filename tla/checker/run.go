package checker

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"time"

	"podlife/tla/eval"
	"podlife/tla/value"
)

// run is one run of the checker. All of it belongs to the goroutine that called Run; workers get what they need from it while it waits for them.
type run struct {
	ctx     context.Context
	program *eval.Program
	opt     Options
	checks  checks
	crew    *crew
	started time.Time

	seen     *seen
	history  *history
	frontier *frontier
	graph    *graph // nil: nobody wants it
	memory   *meter
	looks    atomic.Int64 // how often the search has looked at it

	generated int64
	distinct  int64
	excluded  int64
	initial   int64
	behaviors int64
	depth     int
	level     int // of the states whose successors are being looked for
	actions   []Fired
	found     *stop // the first violation
	violated  int64 // all of them, with Options.Continue

	complete   bool // search came to its end
	exited     bool // Stats.Exit was called
	lateWorker *worker
	behavior   []TraceState
	traceErr   error

	lastProgress time.Time
	perState     time.Duration // what a state's successors take, on average; to size batches
	batch        int64         // states for each worker in the last portion
	shareStates  int           // states in a share at most
	pool         []*share      // of earlier batches, for their memory
}

const defaultProgress = 10 * time.Second

func newRun(ctx context.Context, p *eval.Program, opt Options) (*run, error) {
	switch {
	case opt.Workers < 0 || opt.Memory < 0 || opt.Vacuity.States < 0:
		return nil, errors.New("checker: a negative number of workers, states or bytes")
	case opt.Simulate != nil && opt.Graph != nil:
		return nil, errors.New("checker: random behaviors do not give a state graph")
	case opt.Simulate != nil && (opt.Simulate.Depth < 0 || opt.Simulate.Num < 0):
		return nil, errors.New("checker: a negative number or length of behaviors")
	}
	if opt.Workers == 0 {
		opt.Workers = runtime.GOMAXPROCS(0)
	}
	if opt.Memory == 0 {
		opt.Memory = defaultMemory()
	}
	if opt.Vacuity.States == 0 {
		opt.Vacuity.States = DefaultVacuityStates
	}
	if opt.ProgressEvery == 0 {
		opt.ProgressEvery = defaultProgress
	}
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if opt.Stats == nil {
		opt.Stats = &Stats{}
	}
	r := &run{ctx: ctx, program: p, opt: opt, checks: newChecks(p), seen: newSeen(), history: newHistory(), frontier: &frontier{}, shareStates: shareStates}
	if !opt.Vacuity.Off && opt.Simulate == nil {
		r.frontier.keep = int64(opt.Vacuity.States)
	}
	if opt.Graph != nil {
		r.graph = &graph{sink: opt.Graph, index: map[uint64]int64{}}
	}
	r.memory = &meter{limit: opt.Memory}
	for _, a := range p.Actions() {
		r.actions = append(r.actions, Fired{Action: a})
	}
	return r, nil
}

func (r *run) run() (*Result, error) {
	r.started = r.opt.Now()
	r.lastProgress = r.started
	r.opt.Stats.start(r.opt.Now)
	defer r.watchMemory()()
	crew, err := newCrew(r)
	if err != nil {
		return r.result(r.outOfMemory(failed(err, NameSymmetry)))
	}
	r.crew = crew
	defer crew.end()
	end := r.assumptions()
	if end == nil && r.program.HasBehavior() {
		if r.opt.Simulate != nil {
			end = r.simulate()
		} else {
			end = r.search()
		}
	}
	if end != nil && end.verdict == VerdictOK {
		r.exited, end = true, nil
	}
	end = r.outOfMemory(end)
	if end == nil {
		end = r.found
	}
	if end != nil {
		r.behavior = r.trace(end)
	}
	post := r.outOfMemory(r.postConditions(end))
	if end == nil {
		end = post
	}
	return r.result(end)
}

// assumptions checks the ASSUMEs.
func (r *run) assumptions() *stop {
	results, err := r.crew.lead().eval.Assumptions()
	for _, a := range results {
		if !a.True {
			return &stop{verdict: VerdictAssumption, name: a.Name, span: a.Span, index: -1}
		}
	}
	return failedUnless(err, NameAssume)
}

// postConditions evaluates the POSTCONDITIONs, which TLC does after a violation too, since they may write the counterexample somewhere.
func (r *run) postConditions(end *stop) *stop {
	if end != nil && (end.verdict == VerdictInterrupted || end.verdict == VerdictMemory) {
		return nil
	}
	e := r.crew.lead().eval
	e.SetCounterExample(func() value.Value { return r.counterExample() })
	results, err := e.PostConditions()
	for _, p := range results {
		if !p.True {
			return &stop{verdict: VerdictPostCondition, name: p.Name, span: p.Span, index: -1}
		}
	}
	return failedUnless(err, NamePostCondition)
}

// result puts together what was found out.
func (r *run) result(end *stop) (*Result, error) {
	res := &Result{
		Verdict:    VerdictOK,
		Generated:  r.generated,
		Distinct:   r.distinct,
		Queue:      r.frontier.waiting,
		Depth:      r.depth,
		Initial:    r.initial,
		Behaviors:  r.behaviors,
		Violations: r.violated,
		Exited:     r.exited,
		Fairness:   r.program.Fairness(),
		Actions:    r.actions,
		Excluded:   r.excluded,
		Collision:  collisionProbability(r.generated, r.distinct),
		Workers:    r.opt.Workers,
	}
	for _, p := range r.program.Properties() {
		for _, u := range p.Unsupported {
			res.Unsupported = append(res.Unsupported, UnsupportedPart{p.Name, u})
		}
	}
	if r.opt.Simulate != nil {
		res.Distinct, res.Queue, res.Collision, res.Actions = -1, -1, 0, nil
	}
	res.Complete = r.complete
	if end != nil {
		res.Verdict, res.Name, res.Span, res.Err = end.verdict, end.name, end.span, end.err
		if err, ok := end.err.(sinkError); ok {
			return nil, err.error
		}
		res.Trace, res.TraceErr = r.behavior, r.traceErr
	} else if len(res.Unsupported) > 0 {
		res.Verdict = VerdictUnsupported
	}
	if r.crew != nil {
		res.Coverage = r.crew.coverage()
		r.vacuity(res)
	}
	res.Duration = r.opt.Now().Sub(r.started)
	return res, nil
}

// sinkError is the error of a GraphSink.
type sinkError struct{ error }

// pause is called between batches: it shows progress and tells whether the search has to end.
func (r *run) pause() *stop {
	r.publish()
	r.looks.Add(1)
	if r.opt.Stats.exit.Load() {
		return &stop{verdict: VerdictOK, index: -1}
	}
	if err := r.ctx.Err(); err != nil {
		return &stop{verdict: VerdictInterrupted, err: err, index: -1}
	}
	own := r.seen.bytes() + r.history.bytes() + r.frontier.bytes()
	if !r.memory.allows(own) {
		return &stop{verdict: VerdictMemory, index: -1,
			err: fmt.Errorf("%d bytes of memory are in use, %d of them for states and fingerprints; the limit is %d", r.memory.used, own, r.memory.limit)}
	}
	if r.opt.Progress == nil {
		return nil
	}
	if now := r.opt.Now(); now.Sub(r.lastProgress) >= r.opt.ProgressEvery {
		r.lastProgress = now
		p := Progress{Depth: r.depth, Generated: r.generated, Distinct: r.distinct, Queue: r.frontier.waiting, Behaviors: r.behaviors,
			Elapsed: now.Sub(r.started), MemoryBytes: r.memory.used}
		if r.opt.Simulate != nil {
			p.Distinct, p.Queue = -1, -1
		}
		r.opt.Progress(p)
	}
	return nil
}

// publish brings Options.Stats up to date.
func (r *run) publish() {
	s := r.opt.Stats
	s.generated.Store(r.generated)
	s.distinct.Store(r.distinct)
	s.queue.Store(r.frontier.waiting)
	s.depth.Store(int64(r.depth))
}
