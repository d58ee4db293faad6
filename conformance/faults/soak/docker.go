package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"podlife/conformance/faults"
	"podlife/conformance/harness"
	"podlife/conformance/tab"
	"podlife/runtime/client"
	"podlife/runtime/engine"
)

// Times of a soak on Docker, where a boot takes a second, and many at once take longer.
const (
	dockerCall = time.Minute
	dockerCalm = time.Minute
	atOnce     = 4 // users who do something at the same time
)

// onDocker is one soak with the real program.
type onDocker struct {
	tally *Tally
	world *harness.Docker
	rand  *rand.Rand // of the goroutine that runs the rounds
	users []*dockerUser
}

// dockerUser is somebody with a pod. Between storms the goroutine of the rounds uses it, in a storm its own.
type dockerUser struct {
	harness.User
	o       *onDocker
	rand    *rand.Rand
	open    *tab.Socket
	highest int
	wiped   atomic.Int64 // how often somebody has deleted what a boot sets up
}

func soakDocker(ctx context.Context, o Options, tally *Tally) (err error) {
	ctx, cancel := context.WithTimeout(ctx, o.Duration)
	defer cancel()
	dir, err := os.MkdirTemp("", "podlife-soak-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }() // what is left in the temporary folder harms nobody
	if o.Binary == "" {
		if o.Binary, err = harness.Build(ctx, dir); err != nil {
			return err
		}
	}
	s := &onDocker{tally: tally, rand: rand.New(rand.NewPCG(o.Seed, 0))}
	if s.world, err = harness.StartDocker(ctx, harness.DockerOptions{Binary: o.Binary, Dir: dir, Users: o.Pods}); err != nil {
		return err
	}
	for range o.Pods {
		u, err := s.world.NewUser(ctx)
		if err != nil {
			return err
		}
		s.users = append(s.users, &dockerUser{User: u, o: s, rand: rand.New(rand.NewPCG(s.rand.Uint64(), 1))})
	}
	for ctx.Err() == nil && err == nil {
		err = s.round(ctx)
	}
	if cerr := s.world.Close(); cerr != nil {
		tally.fail("the end of the server: %v", cerr)
	}
	return err
}

// round is a storm, which ends in a kill -9 or in calm, and what must be in order then.
func (s *onDocker) round(ctx context.Context) error {
	storming, calm := context.WithTimeout(ctx, 5*time.Second+time.Duration(s.rand.IntN(10_000))*time.Millisecond)
	defer calm()
	var busy sync.WaitGroup
	slots := make(chan struct{}, atOnce)
	for _, u := range s.users {
		busy.Go(func() { u.live(storming, slots) })
	}
	busy.Go(func() { s.rage(storming) })
	<-storming.Done()
	checking, done := context.WithTimeout(context.Background(), 10*time.Minute)
	defer done()
	if s.rand.IntN(3) > 0 {
		s.tally.fault("kill -9 of the server")
		if err := s.world.Crash(); err != nil {
			return err
		}
		if err := s.world.Start(checking); err != nil {
			return err
		}
	}
	busy.Wait()
	for _, u := range s.users {
		if err := (faults.Outside{World: s.world}).AwaitSettled(checking, u.User, dockerCalm); err != nil {
			s.tally.fail("%v", err)
		}
		s.tally.checked("in order")
	}
	for range 2 {
		s.works(checking, s.users[s.rand.IntN(len(s.users))])
	}
	s.tally.round()
	return nil
}

func (s *onDocker) works(ctx context.Context, u *dockerUser) {
	ctx, cancel := context.WithTimeout(ctx, dockerCall)
	defer cancel()
	highest, err := (faults.Outside{World: s.world}).Works(ctx, u.User, fmt.Sprintf("works%d", s.rand.IntN(1000)), u.highest)
	if err != nil {
		s.tally.fail("pod %s: %v", u.Name, err)
	}
	u.highest = highest
	s.tally.checked("boot, terminal and destroy")
}

// rage is what the world does to containers.
func (s *onDocker) rage(ctx context.Context) {
	r := rand.New(rand.NewPCG(s.rand.Uint64(), 2))
	for ctx.Err() == nil {
		u := s.users[r.IntN(len(s.users))]
		list, err := s.world.Containers(ctx, u.Name)
		if err == nil && len(list) > 0 {
			s.strike(ctx, r, u, list[0].ID)
		}
		select {
		case <-time.After(time.Duration(100+r.IntN(600)) * time.Millisecond):
		case <-ctx.Done():
		}
	}
}

// strike counts what was done. What cannot be done to a container that is just going is none.
func (s *onDocker) strike(ctx context.Context, r *rand.Rand, u *dockerUser, id engine.ID) {
	kind, err := "kill", error(nil)
	switch r.IntN(4) {
	case 0:
		kind, err = "removed by somebody", s.world.Remove(ctx, id)
	case 1:
		u.wiped.Add(1)
		kind, err = "marker, hook and clone removed", s.world.WipeSetup(ctx, id)
	default:
		err = s.world.Kill(ctx, id)
	}
	if err == nil {
		s.tally.fault(kind)
	}
}

// live does one thing after the other.
func (u *dockerUser) live(ctx context.Context, slots chan struct{}) {
	for ctx.Err() == nil {
		select {
		case slots <- struct{}{}:
			u.act(ctx)
			<-slots
		case <-ctx.Done():
		}
		select {
		case <-time.After(time.Duration(u.rand.IntN(500)) * time.Millisecond):
		case <-ctx.Done():
		}
	}
	u.leave()
}

func (u *dockerUser) leave() {
	if u.open != nil {
		u.open.Close()
		u.open = nil
	}
}

func (u *dockerUser) act(storm context.Context) {
	ctx, cancel := context.WithTimeout(storm, dockerCall)
	defer cancel()
	c := fmt.Sprintf("c%d", u.rand.IntN(3))
	switch n := u.rand.IntN(100); {
	case n < 35:
		result, err := u.Client.Boot(ctx, c, nil)
		if err == nil && result.Incarnation < u.highest {
			u.o.tally.fail("pod %s: a boot gave incarnation %d, and %d was there before", u.Name, result.Incarnation, u.highest)
		}
		u.highest = max(u.highest, result.Incarnation)
		u.o.tally.did("boot", err)
	case n < 75:
		u.terminal(ctx, c)
	case n < 85:
		if u.open != nil {
			u.open.Drop()
			u.open = nil
			u.o.tally.did("vanish", nil)
		}
	default:
		_, err := u.Client.Destroy(ctx)
		u.o.tally.did("destroy", err)
	}
}

// terminal opens one and types into it.
func (u *dockerUser) terminal(ctx context.Context, c string) {
	u.leave()
	wiped := u.wiped.Load()
	s, err := tab.Open(ctx, u.Client, client.Hello{Client: c, Cols: 80, Rows: 24})
	if err != nil {
		u.o.tally.did("terminal", err)
		return
	}
	u.open = s
	seen, err := s.AwaitAttached(ctx)
	u.o.tally.did("terminal", err)
	if err != nil {
		return
	}
	shell, err := u.o.world.Prober().Probe(ctx, s)
	if err == nil && !shell.Provisioned("") && u.wiped.Load() == wiped {
		u.o.tally.fail("pod %s, incarnation %d: %v: %s", u.Name, seen.Attached, faults.ErrBareShell, shell)
	}
	u.o.tally.did("typing", err)
}
