package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"podlife/runtime/client"
)

const (
	onceLast    = 1_000_000
	disconnects = 50
)

// once has a shell print numbers while the connection breaks at random places, and compares every byte of what all terminals together were given.
func (b *bench) once(ctx context.Context) ([]Row, error) {
	p, over, err := b.pod(ctx)
	if err != nil {
		return nil, err
	}
	defer over()
	var rows []Row
	for _, way := range []struct{ tab, line, how string }{
		{"paced", pacedLine, "in pieces of 10,000 lines, 30 ms apart: less than the 1 MiB that is kept comes while somebody is away"},
		{"unpaced", unpacedLine, "as fast as it goes"},
	} {
		n := newNumbers(onceLast)
		b.say("reading numbers through %d disconnects, %s", disconnects, way.how)
		begun := time.Now()
		breaks, err := b.brokenFlow(ctx, p, n, way.tab, way.line)
		var reset *resetError
		if err != nil && !errors.As(err, &reset) {
			return rows, err
		}
		row := Row{
			What: fmt.Sprintf("seq 1 %d through %d disconnects, %s", onceLast, disconnects, way.tab), Ours: n.said(), Peer: "docker exec: none, it cannot go on", Bound: "exactly once",
			Met: exact(n.done() && breaks == disconnects), Note: way.how + ".",
			Raw: map[string]float64{"bytes": float64(n.got), "disconnects": float64(breaks), "seconds": time.Since(begun).Seconds()},
		}
		if reset != nil {
			row.Ours = fmt.Sprintf("%s; at disconnect %d: %v", n.said(), breaks, reset)
		}
		if reset != nil && n.wrong == "" && way.tab == "unpaced" {
			row.Met = metNo
			row.Note += " A shell that nobody looks at runs on: more than 1 MiB came before the next terminal was there. It was told so by a reset, and what it had until then is right. So that is no wrong count."
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// pacedLine prints all numbers slowly, unpacedLine at once.
const (
	pacedLine   = "for i in $(seq 0 99); do seq $((i*10000+1)) $((i*10000+10000)); sleep 0.03; done"
	unpacedLine = "seq 1 1000000"
)

// resetError says that a terminal could not go on where the one before it was.
type resetError struct{ reason string }

func (e *resetError) Error() string { return "it was reset, " + e.reason }

// brokenFlow follows one run of seq with one terminal after the other. Each is dropped at a random byte, and the next goes on where it was.
func (b *bench) brokenFlow(ctx context.Context, p aPod, n *numbers, tab, line string) (breaks int, err error) {
	h := b.clients.hello(tab) // a page that lost its connection keeps its name
	t, err := b.tabAs(ctx, p, h)
	if err != nil {
		return 0, err
	}
	defer func() { t.close() }()
	if _, err := fmt.Fprintf(t, "echo be''gins; %s\n", line); err != nil {
		return 0, err
	}
	rest, err := await(ctx, t, "begins\r\n")
	if err != nil {
		return 0, err
	}
	n.take(rest)
	// The last twentieth is left out, so that all of them come before the end.
	places := make([]int64, disconnects)
	for i := range places {
		places[i] = n.got + rand.Int64N(n.whole()*19/20-n.got)
	}
	slices.Sort(places)
	for !n.done() && n.wrong == "" {
		for breaks < len(places) && n.got >= places[breaks] {
			breaks++
			if t, err = b.again(ctx, p, t, h); err != nil {
				return breaks, err
			}
		}
		got, err := t.next(ctx)
		if err != nil {
			return breaks, err
		}
		n.take(got)
	}
	return breaks, nil
}

// again drops a terminal and opens another where it was. It says when that was not possible.
func (b *bench) again(ctx context.Context, p aPod, t terminal, h client.Hello) (terminal, error) {
	t.Drop()
	h.Epoch, h.Have = t.Place()
	next, err := p.Terminal(ctx, h)
	if err != nil {
		return t, err
	}
	for {
		m, err := next.Next(ctx)
		if err != nil {
			next.Close()
			return t, err
		}
		switch m := m.(type) {
		case client.Resumed:
			return terminal{next}, nil
		case client.Reset:
			next.Close()
			return t, &resetError{m.Reason}
		case client.Closed:
			next.Close()
			return t, fmt.Errorf("closed with %d %s", m.Code, m.Reason)
		}
	}
}
