// Package monitor holds each step that the running server takes against the specification, and says so where one is none of it.
//
// The server runs by the table, so that this is a second look: at the statements that call it, at the order in which they come, and at a build
// that is not what it should be. It watches and never takes part: it holds up no pod, and what it cannot keep up with it says it does not know.
//
// It imports model/explain, which judges, and runtime/pod, whose steps it takes. Read monitor.go; there is nothing else.
package monitor

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"

	"podlife/model/explain"
	"podlife/model/podruntime"
	"podlife/runtime/pod"
)

// A Verdict is what can be said of a pod's steps.
type Verdict string

// The verdicts.
const (
	OK       Verdict = "ok"       // every step so far is one of the specification
	Diverged Verdict = "diverged" // one was not, or an invariant is broken
	Unknown  Verdict = "unknown"  // a step was missed, so that nothing is known until the pod is recovered again
)

// Bounds of what is kept.
const (
	DefaultQueue = 8192 // steps that wait
	history      = 1000 // steps of a pod, to look at again where an invariant seems to be broken
	maxStates    = 1024 // in which a pod can be
)

// Options of a Monitor.
type Options struct {
	Logger *slog.Logger // required; a divergence is one line of it
	Queue  int          // steps that may wait; 0 is DefaultQueue
	// Diverged is called for each divergence, from the monitor's goroutine; nil is not called.
	Diverged func(pod.ID, explain.Answer)
}

// Monitor follows all pods of one server. Give Observe to the pods as their OnStep, and let Run run.
type Monitor struct {
	o     Options
	queue chan pod.Step // sent by Observe, received by Run; never closed

	checked, divergences, missed atomic.Uint64

	mu       sync.Mutex // guards the following
	verdicts map[pod.ID]Verdict
	last     map[pod.ID]int64 // the number of the last step of a pod that was missed
}

// New gives a monitor that has seen nothing.
func New(o Options) *Monitor {
	if o.Queue <= 0 {
		o.Queue = DefaultQueue
	}
	return &Monitor{o: o, queue: make(chan pod.Step, o.Queue), verdicts: map[pod.ID]Verdict{}, last: map[pod.ID]int64{}}
}

// Observe takes a step of a pod. It returns at once: where the queue is full, the step is missed, and nothing is known of that pod any more.
func (m *Monitor) Observe(s pod.Step) {
	select {
	case m.queue <- s:
	default:
		m.missed.Add(1)
		m.miss(s)
	}
}

// Verdict says what is known of a pod. One that has taken no step is OK.
func (m *Monitor) Verdict(id pod.ID) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if v, ok := m.verdicts[id]; ok {
		return string(v)
	}
	return string(OK)
}

// Counts gives how many steps were checked, how many divergences there were, and how many steps were missed.
func (m *Monitor) Counts() (checked, divergences, missed uint64) {
	return m.checked.Load(), m.divergences.Load(), m.missed.Load()
}

func (m *Monitor) miss(s pod.Step) {
	m.set(s.Pod, Unknown)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.last[s.Pod] = s.Seq
}

// set gives a pod its verdict. A divergence stays until the pod is recovered.
func (m *Monitor) set(id pod.ID, v Verdict) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if v == Unknown && m.verdicts[id] == Diverged {
		return
	}
	m.verdicts[id] = v
}

// Run checks steps until the context ends, and then those that wait. It is for one goroutine.
func (m *Monitor) Run(ctx context.Context) {
	pods := map[pod.ID]*followed{}
	for {
		select {
		case s := <-m.queue:
			m.check(pods, s)
		case <-ctx.Done():
			for {
				select {
				case s := <-m.queue:
					m.check(pods, s)
				default:
					return
				}
			}
		}
	}
}

// followed is a pod as far as its steps were checked.
type followed struct {
	checker *explain.Checker // nil where nothing is known, or everything was said
	next    int64            // the number of the step that must come
	broken  int              // invariants that were told
}

func (m *Monitor) check(pods map[pod.ID]*followed, s pod.Step) {
	f := pods[s.Pod]
	switch {
	case f == nil:
		f = &followed{next: 1}
		pods[s.Pod] = f
		f.checker = fresh()
	case recovery(s):
		f.checker, f.broken = fresh(), 0
		f.next = s.Seq
		m.restart(s)
	}
	if s.Seq != f.next && f.checker != nil {
		// Those between were missed.
		m.set(s.Pod, Unknown)
		f.checker = nil
	}
	f.next = s.Seq + 1
	if f.checker == nil {
		return
	}
	verdict := f.checker.Add(stepOf(s))
	m.checked.Add(1)
	m.judge(f, s, verdict)
}

// judge tells what is new.
func (m *Monitor) judge(f *followed, s pod.Step, verdict explain.Verdict) {
	if verdict == explain.Explained && f.checker.Broken() == f.broken {
		return
	}
	answer := f.checker.Answer()
	f.broken = f.checker.Broken()
	switch {
	case verdict == explain.Mismatch, answer.Violated():
		m.divergences.Add(1)
		m.set(s.Pod, Diverged)
		m.o.Logger.Error("the server took a step that its specification does not have", "pod", string(s.Pod), "seq", s.Seq, "action", s.Action,
			"client", string(s.Client), "n", s.Inc, "why", answer.String())
		f.checker = nil
		if m.o.Diverged != nil {
			m.o.Diverged(s.Pod, answer)
		}
	case verdict == explain.Unknown:
		m.set(s.Pod, Unknown)
		m.o.Logger.Warn("the monitor does not know any more what a pod may do", "pod", string(s.Pod), "seq", s.Seq, "why", answer.String())
		f.checker = nil
	}
}

// restart forgets what was said of a pod, unless a later step of it was missed already.
func (m *Monitor) restart(s pod.Step) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.last[s.Pod] < s.Seq {
		delete(m.verdicts, s.Pod)
	}
}

// fresh follows a pod anew. Nothing is hidden: what the world did, the server commits when it finds out, before what it explains.
func fresh() *explain.Checker {
	return explain.New(explain.Options{Hidden: -1, States: maxStates, History: history})
}

func recovery(s pod.Step) bool {
	return s.Action == podruntime.RecoverReady || s.Action == podruntime.RecoverAsleep
}

func stepOf(s pod.Step) explain.Step {
	return explain.Step{Action: s.Action, Client: string(s.Client), N: s.Inc, Incarnation: s.Incarnation}
}

// DivergedError ends a server that is to end at a divergence.
type DivergedError struct {
	Pod    pod.ID
	Answer explain.Answer
}

func (e *DivergedError) Error() string {
	return fmt.Sprintf("a step of pod %s is none of the specification: %s", e.Pod, e.Answer)
}
