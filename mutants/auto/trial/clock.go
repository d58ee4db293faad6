package trial

import (
	"slices"
	"sync"
	"time"
)

// clock moves only when it is told to. It implements pod.Clock.
type clock struct {
	mu     sync.Mutex // guards the following
	now    time.Time
	timers []*timer
	late   bool // timers cannot be stopped any more: each is just about to fire
}

type timer struct {
	at time.Time
	f  func()
}

// Now gives the time.
func (c *clock) Now() time.Time { c.mu.Lock(); defer c.mu.Unlock(); return c.now }

// AfterFunc keeps f until the time has come.
func (c *clock) AfterFunc(d time.Duration, f func()) (stop func() bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := &timer{c.now.Add(d), f}
	c.timers = append(c.timers, t)
	return func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		i := slices.Index(c.timers, t)
		if c.late || i < 0 {
			return false
		}
		c.timers = slices.Delete(c.timers, i, i+1)
		return true
	}
}

// beLate lets every timer fire from now on, stopped or not.
func (c *clock) beLate() { c.mu.Lock(); defer c.mu.Unlock(); c.late = true }

// advance moves the time and runs what has come due, in this goroutine.
func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	c.now = c.now.Add(d)
	for {
		i := slices.IndexFunc(c.timers, func(t *timer) bool { return !t.at.After(c.now) })
		if i < 0 {
			break
		}
		f := c.timers[i].f
		c.timers = slices.Delete(c.timers, i, i+1)
		c.mu.Unlock()
		f()
		c.mu.Lock()
	}
	c.mu.Unlock()
}
