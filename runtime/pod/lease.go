package pod

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// ErrNoLeases says that this server gives no leases.
var ErrNoLeases = errors.New("this server gives no leases")

// LeaseError refuses a lease that is not one: in the past, or longer than the operator allows.
type LeaseError struct {
	For time.Duration // what was asked for, from now
	Max time.Duration // what is allowed
}

// Error says what is allowed.
func (e *LeaseError) Error() string {
	return fmt.Sprintf("a lease of %s is not allowed: more than 0 and at most %s", e.For, e.Max)
}

// Leases keeps until when pods are kept awake. It is no part of a pod's lifecycle record: no step of the lifecycle can lose it. Implemented by runtime/store.
type Leases interface {
	// Leases gives all that are kept, also those that have run out.
	Leases(ctx context.Context) (map[ID]time.Time, error)
	// SaveLease is durable when it returns nil. One that ends earlier than what is kept changes nothing.
	SaveLease(ctx context.Context, id ID, until time.Time) error
}

// Extend keeps the pod awake, when it is awake, for so long from now, and gives until when it is now: a lease only ever gets longer, so that is later where it already was (action Extend of IdleRule). It wakes nothing.
// ErrNoLeases, *LeaseError, ErrClosed, or a *StoreError, after which the lease is what it was.
func (p *Pod) Extend(_ context.Context, d time.Duration) (time.Time, error) {
	switch {
	case p.o.Leases == nil || p.o.MaxLease <= 0:
		return time.Time{}, ErrNoLeases
	case d <= 0 || d > p.o.MaxLease:
		return time.Time{}, &LeaseError{For: d, Max: p.o.MaxLease}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return p.lease, ErrClosed
	}
	// What the store keeps of it, and no shorter.
	until := p.o.Clock.Now().Add(d + time.Millisecond - 1).Truncate(time.Millisecond)
	if !until.After(p.lease) { //model:guard Extend.forward
		return p.lease, nil
	}
	if err := p.o.Leases.SaveLease(p.base, p.id, until); err != nil { //model:guard Extend.stored
		return p.lease, &StoreError{fmt.Errorf("the lease until %s: %w", until.UTC().Format(time.RFC3339), err)}
	}
	due := p.idleAt()
	p.lease = until
	if until.After(due) { // else those who were warned were told right
		p.takeBack()
	}
	p.scheduleSweep()
	return p.lease, nil
}

// leased says whether a lease keeps the pod awake now. p.mu is held.
func (p *Pod) leased() bool { return p.o.Clock.Now().Before(p.lease) }

// recoverLeases gives the pods back the leases that they had, before any of them can sleep (action Recover of IdleRule).
func (m *Manager) recoverLeases(ctx context.Context) error {
	if m.o.Leases == nil {
		return nil
	}
	kept, err := m.o.Leases.Leases(ctx)
	if err != nil {
		return fmt.Errorf("load the leases: %w", err)
	}
	for id, until := range kept {
		p := m.Pod(id)
		p.mu.Lock()
		p.lease = until //model:guard Recover.lease
		p.mu.Unlock()
	}
	return nil
}
