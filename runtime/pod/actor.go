package pod

import (
	"context"
	"log/slog"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"podlife/model"
	"podlife/model/podlifecycle"
	"podlife/model/podruntime"
)

// maxTabs bounds the clients that one pod remembers.
const maxTabs = 256

// historyKept is for how many incarnations a pod remembers what it never asks for again.
const historyKept = 16

// Pod is the actor of one pod. Its lifecycle state changes in commit and nowhere else, but that recover sets what it found, and that a client which is forgotten counts as new; long work runs outside the lock and comes back naming its incarnation.
type Pod struct {
	id       ID
	o        Options
	table    model.Table[podruntime.Local]
	contract podruntime.Contract
	log      *slog.Logger
	base     context.Context // ends when the manager closes: the life of all background work
	wg       *sync.WaitGroup // the manager waits for all background work
	running  *running        // of all pods of the server

	warning atomic.Bool // whether warned is set; changed with mu held

	mu           sync.Mutex // guards the following
	closed       bool
	of           belonging     // see BelongsTo
	refused      error         // see RefuseBoots
	unwakeable   error         // see RefuseWakes
	homeStays    bool          // see KeepsHome
	deleted      bool          // see Deleted
	ownIdle      time.Duration // see SetIdleTimeout
	state        podruntime.Pod
	outside      podlifecycle.Pod // what the pod is for the outside while state.Ctr is unknown
	since        time.Time        // of what it is for the outside
	tabs         map[ClientID]*tab
	events       ring[Event]
	steps        ring[Step]
	changed      chan struct{} // closed, and made anew, when a container is gone, an incarnation ended or the pod became known
	container    ContainerID   // of the current incarnation, once it is launched
	suspected    ContainerID   // may have died, and is looked at until that can be seen
	run          *run          // the boot run of the current incarnation, if one is under way
	attachments  map[*Attachment]struct{}
	closedTabs   map[uint64]struct{} // epochs of the current container's sessions whose end was asked for
	lastActivity time.Time
	lease        time.Time // keeps it awake until then; never earlier than it was
	stopSweep    func() bool
	warned       time.Time // when the terminals were warned of an idle sleep; zero when none is near
	lastFailure  string    // of the last boot that failed, for Status
}

// tab is one client: its part of the model's state, and who waits for its boot.
type tab struct {
	model    podruntime.Client
	waiters  []chan bootAnswer // each has room for one answer; answered exactly once, by the actor
	attempt  *attempt          // the attach that model.Term stands for until it is open
	open     int               // attachments of it
	lastSeen time.Time
}

func newPod(id ID, o Options, base context.Context, wg *sync.WaitGroup, all *running) *Pod {
	return &Pod{
		id:           id,
		o:            o,
		table:        podruntime.Table(podruntime.Constants{MaxInc: math.MaxInt, MaxCrashes: math.MaxInt}),
		contract:     podruntime.NewContract(),
		log:          o.Logger.With("pod", string(id)),
		base:         base,
		wg:           wg,
		running:      all,
		of:           belonging{string(id), DefaultName},
		since:        o.Clock.Now(),
		tabs:         map[ClientID]*tab{},
		changed:      make(chan struct{}),
		attachments:  map[*Attachment]struct{}{},
		lastActivity: o.Clock.Now(),
	}
}

// subject is what an action is taken for, beside the pod: a client, an incarnation, both or neither.
type subject struct {
	client ClientID
	inc    int
}

func of(c ClientID) subject { return subject{client: c} }
func at(inc int) subject    { return subject{inc: inc} }

// local is the part of the model's state that an action is about. p.mu is held.
func (p *Pod) local(action string, s subject) podruntime.Local {
	l := podruntime.Local{Pod: p.state, N: s.inc}
	if t := p.tabs[s.client]; t != nil {
		l.Client = t.model
	}
	if action == podruntime.IdleSleep || action == podruntime.EndRun {
		for _, t := range p.tabs {
			l.Tabs = append(l.Tabs, t.model)
		}
	}
	return l
}

// commit takes one action of the specification, if the table allows it, and records it. After recover it is the only statement that changes lifecycle state. p.mu is held.
func (p *Pod) commit(action string, s subject, cause string) error {
	before := p.local(action, s)
	after, err := p.table.Take(action, before)
	if err != nil {
		return err
	}
	was, is := podruntime.Project(before, p.outside), podruntime.Project(after, p.outside)
	outside, err := p.contract.Action(was, is)
	if err != nil {
		return err
	}
	now := p.o.Clock.Now()
	if is.Pod.Ctr != was.Pod.Ctr {
		p.since = now
	}
	p.state = after.Pod
	if is.Pod.Ctr != was.Pod.Ctr {
		p.count()
	}
	if len(p.state.Incs) > historyKept {
		p.state = p.state.ForgetHistory(p.state.Inc - historyKept)
	}
	if t := p.tabs[s.client]; t != nil {
		t.model = after.Client
	}
	p.record(Step{Time: now, Pod: p.id, Action: action, Client: s.client, Inc: s.inc, Outside: outside, Incarnation: p.state.Inc, Cause: cause}, is.Pod)
	return nil
}

// record keeps a committed step, and what the outside sees of it. p.mu is held.
func (p *Pod) record(s Step, is podlifecycle.Pod) {
	s.Seq = p.steps.number()
	p.steps.add(s)
	p.log.Debug("step", "seq", s.Seq, "action", s.Action, "client", string(s.Client), "n", s.Inc, "incarnation", s.Incarnation, "cause", s.Cause)
	if p.o.OnStep != nil {
		p.o.OnStep(s)
	}
	if s.Outside == "" {
		return
	}
	e := Event{Time: s.Time, Pod: p.id, Action: s.Outside, Incarnation: is.Inc, Cause: s.Cause}
	if s.Client != "" {
		e.Args = []string{string(s.Client)}
	}
	e.Seq = p.events.number()
	p.events.add(e)
	p.log.Info("action", "seq", e.Seq, "action", e.Action, "args", e.Args, "incarnation", e.Incarnation, "state", is.Ctr.String(), "cause", e.Cause)
	if p.o.OnEvent != nil {
		p.o.OnEvent(e)
	}
}

// must commits an action that the caller has just found to be enabled; a refusal would be a bug of ours and is logged as one. p.mu is held.
func (p *Pod) must(action string, s subject, cause string) {
	if err := p.commit(action, s, cause); err != nil {
		p.log.Error("the table refused an action that the runtime took for enabled", "action", action, "client", string(s.client), "n", s.inc, "err", err)
	}
}

// enabled asks the table. p.mu is held.
func (p *Pod) enabled(action string, s subject) bool {
	a, err := p.table.Action(action)
	return err == nil && a.Enabled(p.local(action, s))
}

// broadcast wakes whoever waits for the pod's state to change. p.mu is held.
func (p *Pod) broadcast() {
	close(p.changed)
	p.changed = make(chan struct{})
}

// await waits until ready, which is asked with p.mu held, is true, and then holds p.mu when it returns nil. Its errors are ErrClosed and that of the context.
func (p *Pod) await(ctx context.Context, ready func() bool) error {
	p.mu.Lock()
	for !ready() {
		changed := p.changed
		p.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		case <-p.base.Done():
			return ErrClosed
		}
		p.mu.Lock()
	}
	return nil
}

// tabOf gives the client's record, made on first use; at the bound the longest unseen one that nothing waits for is forgotten: it is then idle, as a new one is. p.mu is held.
func (p *Pod) tabOf(c ClientID) (*tab, error) {
	if t := p.tabs[c]; t != nil {
		t.lastSeen = p.o.Clock.Now()
		return t, nil
	}
	if len(p.tabs) >= maxTabs && !p.forgetOne() {
		return nil, ErrTooManyClients
	}
	t := &tab{lastSeen: p.o.Clock.Now()}
	p.tabs[c] = t
	return t, nil
}

func (p *Pod) forgetOne() bool {
	var oldest ClientID
	found := false
	for id, t := range p.tabs {
		if t.open > 0 || t.attempt != nil || t.model.Phase == podlifecycle.Booting || len(t.waiters) > 0 {
			continue
		}
		if !found || t.lastSeen.Before(p.tabs[oldest].lastSeen) {
			oldest, found = id, true
		}
	}
	if found {
		delete(p.tabs, oldest)
	}
	return found
}

// goWork runs background work that the manager waits for. It reports false, and runs nothing, when the server is stopping. p.mu is held.
func (p *Pod) goWork(f func()) bool {
	if p.closed {
		return false
	}
	p.wg.Add(1)
	go func() {
		defer p.wg.Done()
		f()
	}()
	return true
}
