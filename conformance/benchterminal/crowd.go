package main

import (
	"context"
	"fmt"
	"sync"

	"podlife/runtime/client"
)

// A container has at most 64 sessions, and a pod 256 clients: the crowd is spread over pods, and beyond their sessions several look at one.
const (
	crowdPods   = 8
	crowdTabs   = 63 // sessions of each
	podTerminal = 256
	// so many are opened at a time: terminals of one pod that come together share a boot
	crowdOpening = 64
)

// crowd are terminals that are attached and idle.
type crowd struct {
	pods   []aPod
	over   []func() // each destroys a pod
	before float64  // the server's memory with the pods and without terminals, in MB

	mu    sync.Mutex // guards the following
	open  []terminal
	fault error // why one of them did not stay; nil while all do

	reading sync.WaitGroup // one for each of open
	ctx     context.Context
	leave   context.CancelFunc
}

// crowdOf gives the crowd with at least so many terminals, which it opens.
func (b *bench) crowdOf(ctx context.Context, n int) (*crowd, error) {
	if most := crowdPods * podTerminal; n > most {
		return nil, fmt.Errorf("%d terminals are more than %d pods have", n, crowdPods)
	}
	if b.crowd == nil {
		b.say("booting %d pods", crowdPods)
		c := &crowd{}
		c.ctx, c.leave = context.WithCancel(context.WithoutCancel(ctx)) // it outlives the measurement that needs it first
		b.crowd = c
		for range crowdPods {
			p, over, err := b.pod(ctx)
			if err != nil {
				return nil, err
			}
			c.pods, c.over = append(c.pods, p), append(c.over, over)
		}
		var err error
		if c.before, err = memory(b.world.PID()); err != nil {
			return nil, err
		}
	}
	b.say("opening terminals: %d of %d are there", len(b.crowd.open), n)
	return b.crowd, b.fill(ctx, n)
}

// fill opens terminals until there are so many, a few at a time.
func (b *bench) fill(ctx context.Context, n int) error {
	c := b.crowd
	from := len(c.open)
	return each(ctx, n-from, crowdOpening, func(ctx context.Context, i int) error {
		i += from
		h := b.clients.hello(fmt.Sprintf("idle%d", i/crowdPods%crowdTabs))
		t, err := open(ctx, c.pods[i%crowdPods].Client, h)
		if err != nil {
			return err
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.open = append(c.open, t)
		c.reading.Go(func() { c.follow(t) })
		return nil
	})
}

// follow takes what a terminal is told, as a page does that nobody looks at.
func (c *crowd) follow(t terminal) {
	for {
		m, err := t.Next(c.ctx)
		if closed, is := m.(client.Closed); is {
			err = fmt.Errorf("an idle terminal was closed with %d %s", closed.Code, closed.Reason)
		}
		if err != nil {
			c.mu.Lock()
			defer c.mu.Unlock()
			if c.ctx.Err() == nil && c.fault == nil {
				c.fault = err
			}
			return
		}
	}
}

// whole says whether all terminals are still attached.
func (c *crowd) whole() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.fault
}

// disperse closes the crowd's terminals and destroys its pods.
func (b *bench) disperse() {
	c := b.crowd
	if c == nil {
		return
	}
	b.crowd = nil
	b.say("closing %d terminals and %d pods", len(c.open), len(c.pods))
	c.leave()
	c.reading.Wait()
	_ = each(context.Background(), len(c.open), 32, func(_ context.Context, i int) error { c.open[i].close(); return nil })
	_ = each(context.Background(), len(c.over), 4, func(_ context.Context, i int) error { c.over[i](); return nil })
}

// each calls do for 0 to n-1, so many at a time, until one fails, and gives that error.
func each(ctx context.Context, n, atOnce int, do func(ctx context.Context, i int) error) error {
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	next := make(chan int)
	var working sync.WaitGroup
	for range atOnce {
		working.Go(func() {
			for i := range next {
				if err := do(ctx, i); err != nil {
					fail(err)
				}
			}
		})
	}
	for i := 0; i < n && ctx.Err() == nil; i++ {
		select {
		case next <- i:
		case <-ctx.Done():
		}
	}
	close(next)
	working.Wait()
	return context.Cause(ctx)
}
