package workspace

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
}

type timer struct {
	at time.Time
	f  func()
}

// Now gives the time.
func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// AfterFunc keeps f until it is due.
func (c *clock) AfterFunc(d time.Duration, f func()) (stop func() bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := &timer{c.now.Add(d), f}
	c.timers = append(c.timers, t)
	return func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		i := slices.Index(c.timers, t)
		if i >= 0 {
			c.timers = slices.Delete(c.timers, i, i+1)
		}
		return i >= 0
	}
}

// advance moves the time, and runs what is due then, each in a goroutine of its own.
func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	c.now = c.now.Add(d)
	var due []*timer
	c.timers = slices.DeleteFunc(c.timers, func(t *timer) bool {
		is := !t.at.After(c.now)
		if is {
			due = append(due, t)
		}
		return is
	})
	c.mu.Unlock()
	for _, t := range due {
		go t.f()
	}
}

// forget drops every timer, when the server that set them is dead.
func (c *clock) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.timers = nil
}
