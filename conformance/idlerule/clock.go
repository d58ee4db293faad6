package idlerule

import (
	"slices"
	"sync"
	"time"
)

// other is the length of a pod's only timer that is not the idle sweep's: a call waits so long for a pod that is unknown.
const other = time.Minute

// clock moves only when it is told to, and moving it runs nothing: what has come due runs when it is told to, as a timer does on a machine that is busy. It implements pod.Clock.
type clock struct {
	mu     sync.Mutex // guards the following
	now    time.Time
	timers []*timer
	sweep  func() // the newest of the idle sweep, whether or not it was stopped: it may be just about to run
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

// AfterFunc keeps f until it is due and is told to run.
func (c *clock) AfterFunc(d time.Duration, f func()) (stop func() bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := &timer{c.now.Add(d), f}
	c.timers = append(c.timers, t)
	if d != other {
		c.sweep = f
	}
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

// advance moves the time.
func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// due says whether a timer could run.
func (c *clock) due() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.ContainsFunc(c.timers, func(t *timer) bool { return !t.at.After(c.now) })
}

// run runs what is due, once.
func (c *clock) run() {
	c.mu.Lock()
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
		t.f()
	}
}

// late runs the newest sweep, as if its timer had run out at the moment at which it was stopped.
func (c *clock) late() {
	c.mu.Lock()
	sweep := c.sweep
	c.mu.Unlock()
	if sweep != nil {
		sweep()
	}
}

// forget drops every timer, when the server that set them is dead.
func (c *clock) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.timers, c.sweep = nil, nil
}
