package main

import (
	"context"
	"time"
)

const (
	interrupts     = 15
	yesTime        = 700 * time.Millisecond // for which it runs
	interruptBound = 200 * time.Millisecond
)

// interrupt measures from Ctrl-C to the last byte of a program that prints without end: that is when the prompt is there, since it comes behind it.
func (b *bench) interrupt(ctx context.Context) ([]Row, error) {
	p, over, err := b.pod(ctx)
	if err != nil {
		return nil, err
	}
	defer over()
	ours, err := b.tab(ctx, p, "main")
	if err != nil {
		return nil, err
	}
	defer ours.close()
	exec, err := b.exec(ctx, p)
	if err != nil {
		return nil, err
	}
	defer exec.close()
	n := b.repeats(interrupts)
	b.say("interrupting yes %d times", n)
	var stops, plainly samples
	for i := range n + 1 {
		a, err := interrupted(ctx, ours)
		if err != nil {
			return nil, err
		}
		e, err := interrupted(ctx, exec)
		if err != nil {
			return nil, err
		}
		if i > 0 { // the first is for warming up
			stops, plainly = append(stops, a), append(plainly, e)
		}
	}
	return []Row{{
		What: "Ctrl-C stops yes", Ours: stops.String(), Peer: "exec with a terminal: " + plainly.String(), Ratio: ratio(ms(stops.at(50)), ms(plainly.at(50))),
		Bound: "within 200 ms", Met: met(stops.at(100) <= interruptBound),
		Raw:  map[string]float64{"ours_p50_ms": ms(stops.at(50)), "ours_max_ms": ms(stops.at(100)), "exec_p50_ms": ms(plainly.at(50)), "exec_max_ms": ms(plainly.at(100))},
		Note: "to the prompt behind the last byte, at a client that shows nothing; the longest took " + shown(stops.at(100)) + ". A page has to draw too, which is not in it.",
	}}, nil
}

// interrupted starts yes, reads for a while, types Ctrl-C and gives how long it took to the prompt.
func interrupted(ctx context.Context, s shell) (time.Duration, error) {
	if _, err := s.Write([]byte("yes\n")); err != nil {
		return 0, err
	}
	if _, err := await(ctx, s, "y\r\ny\r\n"); err != nil {
		return 0, err
	}
	for begun := time.Now(); time.Since(begun) < yesTime; {
		if _, err := s.next(ctx); err != nil {
			return 0, err
		}
	}
	begun := time.Now()
	if _, err := s.Write([]byte("\x03")); err != nil {
		return 0, err
	}
	_, err := await(ctx, s, prompt)
	return time.Since(begun), err
}
