package lockstep

import (
	"slices"
	"sync"
	"time"
)

// idleTimeout is that of every server here. No other timer of a pod is as long, and none is as short as a second but the retries.
const (
	idleTimeout = 30 * time.Minute
	retry       = time.Second
)

// clock moves only when it is told to, and runs only the timers that it is told to, but for those of less than a second. It implements pod.Clock.
type clock struct {
	hub *hub // told of every timer

	mu     sync.Mutex // guards the following
	now    time.Time
	timers []*timer // that were not stopped
	sweep  func()   // the newest of the idle sweep, stopped or not: each may be just about to run
}

type timer struct {
	d time.Duration
	f func()
}

func newClock(h *hub) *clock { return &clock{hub: h, now: time.Unix(1e9, 0)} }

// Now gives the time.
func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// AfterFunc keeps f until it is told to run it.
func (c *clock) AfterFunc(d time.Duration, f func()) (stop func() bool) {
	if d < retry {
		go f() // a look once more, in a moment: nothing happens meanwhile
		return func() bool { return false }
	}
	t := &timer{d, f}
	c.mu.Lock()
	c.timers = append(c.timers, t)
	if d == idleTimeout {
		c.sweep = f
	}
	c.mu.Unlock()
	c.hub.change(func() {})
	return func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.remove(t)
	}
}

// remove is called with c.mu held.
func (c *clock) remove(t *timer) bool {
	for i := range c.timers {
		if c.timers[i] == t {
			c.timers = append(c.timers[:i], c.timers[i+1:]...)
			return true
		}
	}
	return false
}

// has says whether a timer of that length is set.
func (c *clock) has(d time.Duration) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.ContainsFunc(c.timers, func(t *timer) bool { return t.d == d })
}

// fire lets d pass for the oldest timer of that length, and runs it in its own goroutine.
func (c *clock) fire(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.IndexFunc(c.timers, func(t *timer) bool { return t.d == d })
	if i < 0 {
		return
	}
	t := c.timers[i]
	c.remove(t)
	c.now = c.now.Add(d)
	go t.f()
}

// late lets the idle timeout pass, and gives the newest sweep, as if its timer had run out at the moment at which it was stopped. Nil: none was ever set.
func (c *clock) late() func() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sweep != nil {
		c.now = c.now.Add(idleTimeout)
	}
	return c.sweep
}

// forget drops every timer, when the server that set them is dead.
func (c *clock) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.timers, c.sweep = nil, nil
}
