package harness

import (
	"sync"
	"time"
)

// Clock is a pod.Clock that stands still until it is advanced.
type Clock struct {
	mu     sync.Mutex // guards the following
	now    time.Time
	timers map[*timer]struct{}
}

type timer struct {
	at time.Time
	f  func()
}

// NewClock gives a clock that shows a fixed date.
func NewClock() *Clock {
	return &Clock{now: time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC), timers: map[*timer]struct{}{}}
}

// Now gives the time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// AfterFunc calls f in a goroutine of its own when the clock has been advanced by d, unless it is stopped before.
func (c *Clock) AfterFunc(d time.Duration, f func()) (stop func() bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := &timer{at: c.now.Add(d), f: f}
	c.timers[t] = struct{}{}
	return func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		_, waiting := c.timers[t]
		delete(c.timers, t)
		return waiting
	}
}

// Advance moves the clock and returns when every timer that came due has been called and has returned, and those that these have set in turn.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	until := c.now.Add(d)
	c.mu.Unlock()
	for c.fire(until) {
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.now.Before(until) {
		c.now = until
	}
}

// fire calls the timers that are due first, all those of the same moment, and reports whether there were any.
func (c *Clock) fire(until time.Time) bool {
	c.mu.Lock()
	var due []*timer
	for t := range c.timers {
		switch {
		case t.at.After(until) || len(due) > 0 && t.at.After(due[0].at):
		case len(due) > 0 && t.at.Before(due[0].at):
			due = []*timer{t}
		default:
			due = append(due, t)
		}
	}
	for _, t := range due {
		delete(c.timers, t)
		if c.now.Before(t.at) {
			c.now = t.at
		}
	}
	c.mu.Unlock()
	var called sync.WaitGroup
	for _, t := range due {
		called.Go(t.f)
	}
	called.Wait()
	return len(due) > 0
}
