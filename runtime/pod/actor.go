package pod

import (
	"context"
	"log/slog"
	"math"
	"sync"
	"time"

	"podlife/model"
	"podlife/model/podlifecycle"
)

// maxTabs bounds the clients that one pod remembers.
const maxTabs = 256

// Pod is the actor of one pod. Its lifecycle state changes in commit and nowhere else; long work runs outside the lock and comes back naming its incarnation.
type Pod struct {
	id    ID
	o     Options
	table model.Table[podlifecycle.Local]
	log   *slog.Logger
	base  context.Context // ends when the manager closes: the life of all background work
	wg    *sync.WaitGroup // the manager waits for all background work

	mu           sync.Mutex // guards the following
	closed       bool
	state        podlifecycle.Pod
	since        time.Time // of state.Ctr
	tabs         map[ClientID]*tab
	trace        trace
	container    ContainerID // of the current incarnation, once it is launched
	run          *run        // the boot run of the current incarnation, if one is under way
	teardown     *teardown   // of the last incarnation that ended; nil before the first
	attachments  map[*Attachment]struct{}
	lastActivity time.Time
	stopSweep    func() bool
	lastFailure  string // of the last boot that failed, for Status
}

// tab is one client: its part of the model's state, and who waits for its boot.
type tab struct {
	model    podlifecycle.Client
	waiters  []chan bootAnswer // each has room for one answer; answered exactly once, by the actor
	lastSeen time.Time
}

func newPod(id ID, o Options, base context.Context, wg *sync.WaitGroup) *Pod {
	return &Pod{
		id:           id,
		o:            o,
		table:        podlifecycle.Table(podlifecycle.Constants{MaxInc: math.MaxInt, GuardedAttach: true}),
		log:          o.Logger.With("pod", string(id)),
		base:         base,
		wg:           wg,
		since:        o.Clock.Now(),
		tabs:         map[ClientID]*tab{},
		attachments:  map[*Attachment]struct{}{},
		lastActivity: o.Clock.Now(),
	}
}

// commit takes one action of the specification, if the table allows it, and records it. It is the only statement that changes lifecycle state. p.mu is held.
func (p *Pod) commit(action string, c ClientID, cause string) error {
	local := podlifecycle.Local{Pod: p.state}
	t := p.tabs[c]
	if t != nil {
		local.Client = t.model
	}
	next, err := p.table.Take(action, local)
	if err != nil {
		return err
	}
	if next.Pod.Ctr != p.state.Ctr {
		p.since = p.o.Clock.Now()
	}
	p.state = next.Pod
	var args []string
	if t != nil {
		t.model = next.Client
		args = []string{string(c)}
	}
	e := p.trace.add(Event{Time: p.o.Clock.Now(), Pod: p.id, Action: action, Args: args, Incarnation: p.state.Inc, Cause: cause})
	p.log.Info("action", "seq", e.Seq, "action", action, "args", args, "incarnation", e.Incarnation, "state", p.state.Ctr.String(), "cause", cause)
	if p.o.OnEvent != nil {
		p.o.OnEvent(e)
	}
	return nil
}

// must commits an action that the caller has just found to be enabled; a refusal would be a bug of ours and is logged as one. p.mu is held.
func (p *Pod) must(action string, c ClientID, cause string) {
	if err := p.commit(action, c, cause); err != nil {
		p.log.Error("the table refused an action that the runtime took for enabled", "action", action, "client", string(c), "err", err)
	}
}

// enabled asks the table. p.mu is held.
func (p *Pod) enabled(action string, c ClientID) bool {
	a, err := p.table.Action(action)
	if err != nil {
		return false
	}
	local := podlifecycle.Local{Pod: p.state}
	if t := p.tabs[c]; t != nil {
		local.Client = t.model
	}
	return a.Enabled(local)
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
	inUse := map[ClientID]bool{}
	for a := range p.attachments {
		inUse[a.client] = true
	}
	var oldest ClientID
	found := false
	for id, t := range p.tabs {
		if inUse[id] || t.model.Phase == podlifecycle.Booting || len(t.waiters) > 0 {
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

// Events gives the committed actions after a sequence number, oldest first, and the newest sequence number. Only the newest 1,000 are kept.
func (p *Pod) Events(after int64) (events []Event, newest int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.trace.after(after), p.trace.seq
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
