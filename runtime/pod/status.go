package pod

import (
	"time"

	"podlife/model/podlifecycle"
	"podlife/model/podruntime"
)

// Status is a pod as it is now. Asking never wakes it and is no activity.
type Status struct {
	Pod         ID
	State       podlifecycle.Ctr
	Incarnation int
	Recovering  bool          // the server has started and cannot see yet what became of the pod: State is what it was, or was to be
	Since       time.Time     // when State began
	Container   ContainerID   // "" when asleep or not launched yet
	KeptAwakeBy []string      // "boot", "terminal", "exec", "lease": what holds it
	SleepsAt    time.Time     // when the idle sweep will act if nothing happens; zero when it will not, because the pod sleeps or is held whatever the clock says
	LeaseUntil  time.Time     // until when a lease keeps it awake, also while it sleeps; zero when there is none, or it has run out
	MaxLease    time.Duration // the longest that Extend gives; 0: none
	Terminals   int
	LastFailure string        // of the last boot, if it failed
	IdleTimeout time.Duration // after which it sleeps when nothing holds it and nobody touches it; 0: never
	HomeStays   bool          // what is in its home outlives its containers
}

// ID is the pod's name.
func (p *Pod) ID() ID { return p.id }

// Status gives the pod's state.
func (p *Pod) Status() Status {
	p.mu.Lock()
	defer p.mu.Unlock()
	outside := p.state.Outside(p.outside)
	s := Status{
		Pod:         p.id,
		State:       outside.Ctr,
		Incarnation: outside.Inc,
		Recovering:  p.state.Ctr == podruntime.Unknown,
		Since:       p.since,
		Container:   p.container,
		KeptAwakeBy: p.holds(),
		Terminals:   p.terminals(),
		LastFailure: p.lastFailure,
		HomeStays:   p.homeStays,
		IdleTimeout: p.idleTimeout(),
	}
	s.SleepsAt = p.idleAt()
	if p.leased() {
		s.LeaseUntil = p.lease
	}
	if p.o.Leases != nil {
		s.MaxLease = max(p.o.MaxLease, 0)
	}
	return s
}
