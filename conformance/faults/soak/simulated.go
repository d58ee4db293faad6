package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/goleak"

	"podlife/conformance/faults"
	"podlife/runtime/pod"
	"podlife/runtime/store"
)

// Times of a simulated soak, in which a boot takes a millisecond.
const (
	idleTimeout = 3 * time.Second
	bootTimeout = 2 * time.Second
	// calmTime bounds how long everything may take to come in order once there are no faults any more. What the server tries again, it does after a second or two.
	calmTime = 10 * time.Second
	callTime = 5 * time.Second
)

// simulation is one soak on the simulated engine.
type simulation struct {
	o     Options
	tally *Tally
	m     *faults.Machine
	rand  *rand.Rand // of the goroutine that runs the rounds
	ids   []pod.ID
	storm atomic.Int64 // the number of the storm that is on; 0 while faults and operations are over

	other  bool // recipe
	storms int64
}

func soakSimulated(ctx context.Context, o Options, tally *Tally) error {
	ctx, cancel := context.WithTimeout(ctx, o.Duration)
	defer cancel()
	already := goleak.IgnoreCurrent()
	before, err := faults.CountOwn()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "podlife-soak-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }() // what is left in the temporary folder harms nobody
	st, err := store.Open(ctx, filepath.Join(dir, "soak.db"))
	if err != nil {
		return err
	}
	s := &simulation{o: o, tally: tally, m: faults.NewMachine(st, nil), rand: rand.New(rand.NewPCG(o.Seed, 0))}
	s.m.Idle, s.m.Limit = idleTimeout, bootTimeout
	for i := range o.Pods {
		s.ids = append(s.ids, pod.ID(fmt.Sprintf("u%d", i+1)))
	}
	for ctx.Err() == nil {
		s.round(ctx)
	}
	tally.actions(s.m.Truth.Actions())
	s.last()
	s.m.Close()
	err = st.Close()
	s.unexplained()
	tally.ownLeft(before)
	if leaked := goleak.Find(already, goleak.IgnoreTopFunction("database/sql.(*DB).connectionOpener"), goleak.IgnoreAnyFunction("os/signal.loop")); leaked != nil {
		tally.leak(leaked.Error())
	}
	return err
}

// last is one more life of the server, which destroys every pod: what containers there are then, nobody would ever remove.
func (s *simulation) last() {
	s.unpause()
	l, err := s.m.Start(&faults.Tape{}, s.other)
	defer l.End()
	if err != nil {
		s.tally.fail("the last start: %v", err)
		return
	}
	containers := 0
	for _, id := range s.ids {
		ctx, cancel := context.WithTimeout(context.Background(), calmTime)
		if err := l.Pod(id).Destroy(ctx); err != nil {
			s.tally.fail("pod %s: the last destroy: %v", id, err)
		}
		cancel()
		containers += len(s.m.Containers(id)) // a destroy answers when there is none
	}
	s.tally.left(leftContainers, 0, containers)
}

// unexplained says whether every committed step is explained as a behaviour of the specification. It is asked when no server lives any more.
func (s *simulation) unexplained() {
	s.problems()
	taken, explained := 0, s.m.Truth.Explained()
	for _, n := range s.m.Truth.Actions() {
		taken += n
	}
	s.tally.checkedTimes("committed step explained", explained)
	if taken != explained {
		s.tally.fail("of %d committed steps %d are explained as a behaviour of PodRuntime", taken, explained)
	}
}

// problems tells those of the machine that were not told yet.
func (s *simulation) problems() {
	for _, p := range s.m.TakeProblems() {
		s.tally.fail("%s", p)
	}
}

// round is a life of the server: it starts on what the last one has left, must be in order within its grace, and then goes through a storm, which ends in a crash or in calm.
func (s *simulation) round(ctx context.Context) {
	if s.rand.IntN(4) == 0 {
		s.other = !s.other
		s.tally.fault("another recipe")
	}
	s.unpause()
	began := time.Now()
	l, err := s.m.Start(&faults.Tape{Draw: s.draw}, s.other)
	defer l.End()
	if err != nil {
		s.tally.fail("a start: %v", err)
		return
	}
	s.settled(l, faults.Grace-time.Since(began), "after a start")
	s.works(l, 2)
	if ctx.Err() == nil {
		s.weather(ctx, l)
	}
	s.problems()
	s.tally.round()
}

// weather is a storm of operations and faults, and how it ends.
func (s *simulation) weather(ctx context.Context, l *faults.Life) {
	s.storms++
	s.storm.Store(s.storms)
	storming, calm := context.WithTimeout(ctx, time.Second+time.Duration(s.rand.IntN(4000))*time.Millisecond)
	defer calm()
	if s.rand.IntN(8) == 0 {
		s.m.Talk(chatter(), 200)
		s.tally.fault("chatty script")
	}
	var busy sync.WaitGroup
	for _, id := range s.ids {
		u := &user{s: s, l: l, id: id, rand: rand.New(rand.NewPCG(s.rand.Uint64(), 1))}
		busy.Go(func() { u.live(storming) })
	}
	c := &chaos{s: s, l: l, rand: rand.New(rand.NewPCG(s.rand.Uint64(), 2))}
	busy.Go(func() { c.rage(storming) })
	<-storming.Done()
	crash := s.rand.IntN(3) > 0
	if crash {
		s.tally.fault("crash of the server")
		l.End() // in the middle of all that is under way
	}
	s.storm.Store(0)
	busy.Wait()
	s.m.Talk(nil, 0)
	if crash {
		return
	}
	// The engine goes away once more, so that the server looks at everything anew: it does so at least once a minute.
	l.Wire.Away(true)
	l.Wire.Away(false)
	s.unpause()
	s.settled(l, calmTime, "in the calm")
	s.works(l, 2)
}

// settled waits for every pod to be in order.
func (s *simulation) settled(l *faults.Life, within time.Duration, when string) {
	deadline := time.Now().Add(within)
	for _, id := range s.ids {
		for {
			err := l.Settled(context.Background(), id)
			if err == nil {
				break
			}
			if time.Now().After(deadline) {
				s.tally.fail("pod %s, %s: %v", id, when, err)
				break
			}
			time.Sleep(10 * time.Millisecond) // what other goroutines do is polled for
		}
		s.tally.checked("in order " + when)
	}
}

// works holds some pods to what everybody may expect.
func (s *simulation) works(l *faults.Life, n int) {
	for range n {
		id := s.ids[s.rand.IntN(len(s.ids))]
		ctx, cancel := context.WithTimeout(context.Background(), calmTime)
		err := l.Works(ctx, id, pod.ClientID(fmt.Sprintf("works%d", s.rand.IntN(1000))))
		cancel()
		if err != nil && !errors.Is(err, pod.ErrTooManyClients) {
			s.tally.fail("pod %s: %v", id, err)
		}
		s.tally.checked("boot, terminal and destroy")
	}
}

func (s *simulation) unpause() {
	for _, id := range s.ids {
		for _, c := range s.m.Containers(id) {
			s.m.Engine.Unpause(c)
		}
	}
}
