package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"podlife/conformance/faults"
	"podlife/runtime/pod"
)

// user is somebody with one pod, a few tabs and no patience.
type user struct {
	s    *simulation
	l    *faults.Life
	id   pod.ID
	rand *rand.Rand
	open []*pod.Attachment
}

// live does one thing after the other.
func (u *user) live(ctx context.Context) {
	for ctx.Err() == nil {
		u.act(ctx)
		select {
		case <-time.After(time.Duration(u.rand.IntN(25)) * time.Millisecond):
		case <-ctx.Done():
		}
	}
	for len(u.open) > 0 {
		u.close()
	}
}

func (u *user) act(ctx context.Context) {
	p := u.l.Pod(u.id)
	tab := pod.ClientID(fmt.Sprintf("c%d", u.rand.IntN(3)))
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	switch n := u.rand.IntN(100); {
	case n < 35:
		_, err := p.Boot(ctx, tab, nil)
		u.s.tally.did("boot", err)
	case n < 40:
		hasty, leave := context.WithTimeout(ctx, time.Duration(u.rand.IntN(10))*time.Millisecond)
		_, err := p.Boot(hasty, tab, func(pod.Progress) {})
		leave()
		u.s.tally.did("boot by one who leaves", err)
	case n < 65:
		if len(u.open) == 3 {
			u.close()
		}
		a, err := p.Attach(ctx, tab, faults.NewRequest())
		u.s.tally.did("attach", err)
		if err == nil {
			u.open = append(u.open, a)
		}
	case n < 80:
		u.probe()
	case n < 92:
		u.close()
	case n < 97:
		u.s.tally.did("destroy", p.Destroy(ctx))
	default:
		// Long enough to be taken for idle, if nobody else is there.
		for len(u.open) > 0 {
			u.close()
		}
		select {
		case <-time.After(idleTimeout + time.Second):
		case <-ctx.Done():
		}
		u.s.tally.did("nothing for a while", nil)
	}
}

// probe types into a terminal. It may have ended; what it must not be is bare.
func (u *user) probe() {
	if len(u.open) == 0 {
		return
	}
	a := u.open[u.rand.IntN(len(u.open))]
	err := faults.Probe(a)
	if errors.Is(err, faults.ErrBareShell) {
		u.s.tally.fail("pod %s, incarnation %d: %v", u.id, a.Incarnation.Inc, err)
	}
	u.s.tally.did("typing", err)
}

func (u *user) close() {
	if len(u.open) == 0 {
		return
	}
	u.s.tally.did("close", u.open[0].Close())
	u.open = u.open[1:]
}
