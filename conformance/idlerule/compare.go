package idlerule

import (
	"context"
	"fmt"
	"time"

	"podlife/model/idlerule"
	"podlife/model/podlifecycle"
)

// endless is for calls that end by themselves.
func endless() context.Context { return context.Background() }

// compare holds what the server says and what is there against the table.
func (r *Run) compare() (*Difference, error) {
	w, s := r.world, r.state
	d := &Difference{Table: s}
	id, err := w.container()
	if err != nil {
		return nil, err
	}
	kept, err := w.kept()
	if err != nil {
		return nil, err
	}
	want := time.Time{}
	if s.Kept > 0 {
		want = w.moment(s.Kept)
	}
	switch {
	case (id != "") != s.Awake:
		d.What = fmt.Sprintf("the container that runs is %q, and awake is to be %v", id, s.Awake)
	case !kept.Equal(want):
		d.What = fmt.Sprintf("the store has a lease until %v, want %v", kept, want)
	case (w.pod != nil) != s.Up:
		d.What = "the server lives, or is down"
	case w.pod != nil:
		d.What = r.status()
	}
	if d.What == "" {
		return nil, nil
	}
	return d, nil
}

// status says in what the pod's status is not as the table is; "" is nothing.
func (r *Run) status() string {
	w, s := r.world, r.state
	got := w.pod.Status()
	lease, sleeps := time.Time{}, time.Time{}
	if s.Now < s.Lease {
		lease = w.moment(s.Lease)
	}
	if at, ok := s.SleepsAt(r.c.Idle); ok {
		sleeps = w.moment(at)
	}
	switch {
	case (got.State != podlifecycle.Asleep) != s.Awake:
		return fmt.Sprintf("its state is %s, and awake is to be %v", got.State, s.Awake)
	case !got.LeaseUntil.Equal(lease):
		return fmt.Sprintf("it has a lease until %v, want %v", got.LeaseUntil, lease)
	case !got.SleepsAt.Equal(sleeps):
		return fmt.Sprintf("it is to sleep at %v, want %v", got.SleepsAt, sleeps)
	case r.enabled(idlerule.Sweep, 0) && !w.clock.due():
		return "it may be put to sleep, and no sweep is due"
	}
	return ""
}
