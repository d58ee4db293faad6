package pod

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"podlife/model/podruntime"
)

// Options is what a Manager needs. All but OnEvent and OnStep are required.
type Options struct {
	Containers  Containers
	Store       Store
	Clock       Clock
	Logger      *slog.Logger
	IdleTimeout time.Duration // an awake pod that nothing holds and nobody touches sleeps after it; 0 is never
	// TerminalIdle is how long a terminal holds the pod after something was typed or printed in it; 0 is for as long as it is open. Who has it open is warned IdleWarning before the pod sleeps; 0 is DefaultIdleWarning.
	TerminalIdle time.Duration
	IdleWarning  time.Duration
	Leases       Leases        // nil: there are none
	MaxLease     time.Duration // the longest, from the moment at which it is asked for; 0: there are none
	MaxRunning   int           // how many pods of one owner are awake at one time: a boot that would wake one more is refused, and nothing that is awake is; 0 is no bound
	OnEvent      func(Event)   // called under its pod's lock for each action that the outside sees: it must return at once and must not call back
	OnStep       func(Step)    // the same for each committed step
}

// Manager owns the pods of one server.
type Manager struct {
	o      Options
	base   context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup

	running     running       // which pods are awake
	recovered   chan struct{} // closed by isRecovered
	isRecovered func()

	mu      sync.Mutex // guards the following
	pods    map[ID]*Pod
	orphans map[ContainerID]bool // that are being removed
	closed  bool
}

// NewManager gives a manager without pods; call Recover before anything else.
func NewManager(o Options) *Manager {
	if o.IdleWarning <= 0 {
		o.IdleWarning = DefaultIdleWarning
	}
	m := &Manager{o: o, pods: map[ID]*Pod{}, orphans: map[ContainerID]bool{}}
	m.running.awake = map[ID]belonging{}
	m.recovered = make(chan struct{})
	m.isRecovered = sync.OnceFunc(func() { close(m.recovered) })
	m.base, m.cancel = context.WithCancel(context.Background())
	return m
}

// Pod gives the actor of a pod, made on first use.
func (m *Manager) Pod(id ID) *Pod {
	m.mu.Lock()
	defer m.mu.Unlock()
	p := m.pods[id]
	if p == nil {
		p = newPod(id, m.o, m.base, &m.wg, &m.running)
		p.closed = m.closed
		m.pods[id] = p
	}
	return p
}

// Pods gives all pods that this server knows.
func (m *Manager) Pods() []*Pod {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := make([]*Pod, 0, len(m.pods))
	for _, p := range m.pods {
		all = append(all, p)
	}
	return all
}

// Run watches the engine until the context ends: a container that dies by itself is a Sleep, one that nobody owns is removed.
func (m *Manager) Run(ctx context.Context) {
	m.o.Containers.Watch(ctx, func(found []Found) { m.compare(ctx, found) }, func(c ContainerID) {
		for _, p := range m.Pods() {
			p.Died(ctx, c)
		}
	})
}

// compare holds what the engine has against what the pods have.
func (m *Manager) compare(ctx context.Context, found []Found) {
	running := map[ContainerID]bool{}
	for _, f := range found {
		running[f.Container] = f.Running
		if !m.owned(f.Incarnation) {
			m.removeOrphan(f)
		}
	}
	for _, p := range m.Pods() {
		if c := p.Status().Container; c != "" && !running[c] {
			p.Died(ctx, c)
		}
	}
}

// owned says whether a pod knows of this incarnation's container: as its current one, launched or not, or as one that it is about to remove. A pod that is not known yet owns all of its own.
func (m *Manager) owned(inc Incarnation) bool {
	m.mu.Lock()
	p := m.pods[inc.Pod]
	m.mu.Unlock()
	if p == nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	i := p.state.At(inc.Inc)
	return p.state.Ctr == podruntime.Unknown || p.state.Current(inc.Inc) || i.Run == podruntime.RunStart || i.Tear != podruntime.TearNone
}

// removeOrphan removes a container that no pod owns, and tries until it is gone or the server stops.
func (m *Manager) removeOrphan(f Found) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed || m.orphans[f.Container] {
		return
	}
	m.orphans[f.Container] = true
	m.wg.Add(1)
	go func() {
		defer m.wg.Done()
		defer func() {
			m.mu.Lock()
			defer m.mu.Unlock()
			delete(m.orphans, f.Container)
		}()
		m.o.Logger.Info("removing a container that no pod owns", "pod", string(f.Incarnation.Pod), "incarnation", f.Incarnation.Inc, "container", string(f.Container))
		for {
			err := m.o.Containers.Remove(m.base, f.Container)
			if err == nil || m.base.Err() != nil {
				return
			}
			m.o.Logger.Warn("could not remove a container that no pod owns; trying again", "container", string(f.Container), "err", err)
			if !pause(m.base, m.o.Clock, retryPause) {
				return
			}
		}
	}()
}

// Close stops all background work and waits for it. Containers stay as they are: the next start adopts them. Every shell must have been closed before.
func (m *Manager) Close() {
	m.mu.Lock()
	m.closed = true
	pods := make([]*Pod, 0, len(m.pods))
	for _, p := range m.pods {
		pods = append(pods, p)
	}
	m.mu.Unlock()
	for _, p := range pods {
		p.mu.Lock()
		p.closed = true
		if p.stopSweep != nil {
			p.stopSweep()
			p.stopSweep = nil
		}
		p.mu.Unlock()
	}
	m.cancel()
	m.wg.Wait()
}
