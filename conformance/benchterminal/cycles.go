package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"podlife/conformance/faults"
)

const (
	cycles     = 10_000
	cycleTabs  = 4
	cyclesOnce = 8                // at the same time
	warmCycles = 300              // after which what there is is counted
	leftTime   = 20 * time.Second // in which what has ended must be gone
	leftExecs  = 20
)

// held is what the server and the container have.
type held struct {
	goroutines  int
	descriptors int
	terminals   int
	programs    []string // in the container, by name
}

// cycles attaches and leaves, half by closing and half by breaking the connection, and counts what is left.
func (b *bench) cycles(ctx context.Context) ([]Row, error) {
	p, over, err := b.pod(ctx)
	if err != nil {
		return nil, err
	}
	defer over()
	look := func() (held, error) { return b.look(ctx, p) }
	if _, err := b.attachOften(ctx, p, warmCycles); err != nil {
		return nil, err
	}
	before, err := b.settled(ctx, look, nil)
	if err != nil {
		return nil, err
	}
	n := b.repeats(cycles)
	b.say("attaching and leaving %d times", n)
	took, err := b.attachOften(ctx, p, n)
	if err != nil {
		return nil, err
	}
	after, err := b.settled(ctx, look, &before)
	if err != nil {
		return nil, err
	}
	left, err := b.leftByExec(ctx, p)
	if err != nil {
		return nil, err
	}
	extra := after.beyond(before)
	ours := "0 extra shells, processes, descriptors, goroutines"
	if extra != "" {
		ours = extra
	}
	return []Row{{
		What: fmt.Sprintf("%d attach/detach cycles", n), Ours: ours, Peer: fmt.Sprintf("exec with a terminal: %d shells left of %d", left, leftExecs), Bound: "0 left", Met: exact(extra == ""),
		Note: fmt.Sprintf("half closed, half cut, %d at a time, %s to be live; before and after: goroutines %d and %d, descriptors %d and %d, processes in the container %d and %d.",
			cyclesOnce, took, before.goroutines, after.goroutines, before.descriptors, after.descriptors, len(before.programs), len(after.programs)),
		Raw: map[string]float64{
			"cycles": float64(n), "attach_p50_ms": ms(took.at(50)), "attach_p99_ms": ms(took.at(99)), "exec_shells_left": float64(left),
			"goroutines_before": float64(before.goroutines), "goroutines_after": float64(after.goroutines), "descriptors_before": float64(before.descriptors),
			"descriptors_after": float64(after.descriptors), "processes_before": float64(len(before.programs)), "processes_after": float64(len(after.programs)),
		},
	}}, nil
}

// attachOften opens terminals on a few sessions and leaves them when they are live.
func (b *bench) attachOften(ctx context.Context, p aPod, n int) (samples, error) {
	var mu sync.Mutex
	var took samples
	// A page that lost its connection keeps its name, and no two terminals at a time have the same.
	names := make(chan string, cyclesOnce)
	for i := range cyclesOnce {
		names <- fmt.Sprint("cycle", i)
	}
	err := each(ctx, n, cyclesOnce, func(ctx context.Context, i int) error {
		h := b.clients.hello(fmt.Sprintf("tab%d", i%cycleTabs))
		h.Client = <-names
		defer func() { names <- h.Client }()
		begun := time.Now()
		t, err := open(ctx, p.Client, h)
		if err != nil {
			return fmt.Errorf("cycle %d: %w", i, err)
		}
		mu.Lock()
		took = append(took, time.Since(begun))
		mu.Unlock()
		if i/cycleTabs%2 == 0 {
			t.Drop()
		} else {
			t.close()
		}
		return nil
	})
	return took, err
}

// look counts.
func (b *bench) look(ctx context.Context, p aPod) (h held, err error) {
	p.CloseIdleConnections()
	s, err := p.Status(ctx)
	if err != nil {
		return h, err
	}
	h.terminals = s.Terminals
	if h.programs, err = programs(ctx, b.world.Engine(), p.id); err != nil {
		return h, err
	}
	p.CloseIdleConnections()
	if h.goroutines, err = goroutines(ctx, b.world.URL(), p.token); err != nil {
		return h, err
	}
	h.descriptors, err = faults.Descriptors(b.world.PID())
	return h, err
}

// settled counts until nobody is attached and there is no more than before, or twice in a row the same where there is no before.
func (b *bench) settled(ctx context.Context, look func() (held, error), before *held) (held, error) {
	tick := time.NewTicker(250 * time.Millisecond)
	defer tick.Stop()
	var last held
	for begun := time.Now(); ; {
		now, err := look()
		if err != nil {
			return now, err
		}
		compared := last
		if before != nil {
			compared = *before
		}
		if now.terminals == 0 && now.beyond(compared) == "" || time.Since(begun) > leftTime {
			return now, nil
		}
		last = now
		select {
		case <-tick.C:
		case <-ctx.Done():
			return now, ctx.Err()
		}
	}
}

// beyond says of what there is more than before; "" is of nothing.
func (h held) beyond(before held) string {
	var more []string
	for _, c := range []struct {
		what string
		n    int
	}{{"goroutines", h.goroutines - before.goroutines}, {"descriptors", h.descriptors - before.descriptors}, {"terminals", h.terminals - before.terminals}} {
		if c.n > 0 {
			more = append(more, fmt.Sprintf("%d %s", c.n, c.what))
		}
	}
	rest := slices.Clone(before.programs)
	for _, name := range h.programs {
		if at := slices.Index(rest, name); at >= 0 {
			rest = slices.Delete(rest, at, at+1)
		} else {
			more = append(more, "1 "+name)
		}
	}
	return strings.Join(more, ", ")
}

// leftByExec enters the container by plain execs, drops their connections, and gives how many shells are left.
func (b *bench) leftByExec(ctx context.Context, p aPod) (int, error) {
	count := func() (int, error) {
		all, err := programs(ctx, b.world.Engine(), p.id)
		return len(all), err
	}
	before, err := count()
	if err != nil {
		return 0, err
	}
	for range leftExecs {
		s, err := b.exec(ctx, p)
		if err != nil {
			return 0, err
		}
		s.Process.Close()
	}
	after, err := count()
	return after - before, err
}
