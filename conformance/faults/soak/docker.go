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

	"podlife/conformance/faults"
	"podlife/conformance/faults/failpoint"
	"podlife/conformance/harness"
	"podlife/conformance/tab"
	"podlife/runtime/client"
	"podlife/runtime/engine"
)

// Times of a soak on Docker, where a boot takes a second, and many at once take longer.
const (
	dockerCall = time.Minute
	dockerCalm = time.Minute
	dockerIdle = 8 * time.Second // after which a pod that nobody uses sleeps
	atOnce     = 4               // users who do something at the same time
)

// onDocker is one soak with the real program.
type onDocker struct {
	tally  *Tally
	world  *harness.Docker
	line   *faults.Line  // between the server and the engine
	points failpoint.Dir // "" where the program is somebody else's, and notes no steps
	rand   *rand.Rand    // of the goroutine that runs the rounds
	users  []*dockerUser
}

// dockerUser is somebody with a pod. Between storms the goroutine of the rounds uses it, in a storm its own.
type dockerUser struct {
	harness.User
	o       *onDocker
	rand    *rand.Rand
	open    *tab.Socket
	highest int
	wiped   atomic.Int64 // grows before and after somebody deletes what a boot sets up: odd is meanwhile
}

func soakDocker(ctx context.Context, o Options, tally *Tally) (err error) {
	ctx, cancel := context.WithTimeout(ctx, o.Duration)
	defer cancel()
	before, err := faults.CountOwn()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "podlife-soak-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }() // what is left in the temporary folder harms nobody
	s := &onDocker{tally: tally, rand: rand.New(rand.NewPCG(o.Seed, 0))}
	if s.line, err = faults.NewLine(ctx, "unix", filepath.Join(dir, "d.sock"), faults.EngineSocket()); err != nil {
		return err
	}
	err = s.soak(ctx, o, dir)
	if s.world != nil {
		if cerr := s.world.Close(); cerr != nil {
			tally.fail("the end of the server: %v", cerr)
		}
	}
	s.line.Close()
	tally.ownLeft(before)
	return err
}

// soak starts the server, and has one round after the other.
func (s *onDocker) soak(ctx context.Context, o Options, dir string) (err error) {
	options := harness.DockerOptions{
		Binary: o.Binary, Dir: dir, Users: o.Pods, DockerHost: "unix://" + s.line.Address(), Env: []string{"PODLIFE_IDLE_TIMEOUT=" + dockerIdle.String()},
	}
	if o.Binary == "" {
		// The build with failpoints notes every step, also the last one before a kill -9.
		if options.Binary, err = failpoint.Build(ctx, ".", dir); err != nil {
			return err
		}
		s.points = failpoint.Dir(dir)
		options.Env = append(options.Env, s.points.Env())
	}
	if s.world, err = harness.StartDocker(ctx, options); err != nil {
		return err
	}
	for range o.Pods {
		u, err := s.world.NewUser(ctx)
		if err != nil {
			return err
		}
		s.users = append(s.users, &dockerUser{User: u, o: s, rand: rand.New(rand.NewPCG(s.rand.Uint64(), 1))})
	}
	fresh, err := s.serverHas(ctx)
	if err != nil {
		return err
	}
	for ctx.Err() == nil && err == nil {
		err = s.round(ctx)
	}
	if err == nil {
		err = s.last(fresh)
	}
	return errors.Join(err, s.explained())
}

// round is a storm, which ends in a kill -9 or in calm, and what must be in order then.
func (s *onDocker) round(ctx context.Context) error {
	storming, calm := context.WithTimeout(ctx, 10*time.Second+time.Duration(s.rand.IntN(20_000))*time.Millisecond)
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
	s.line.Cut(false)
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
	switch r.IntN(24) {
	case 0:
		s.away(ctx, r)
		return
	case 1:
		s.lock(ctx)
		return
	case 2, 3, 4, 5, 6:
		kind, err = "removed by somebody", s.world.Remove(ctx, id)
	case 7, 8, 9, 10, 11:
		u.wiped.Add(1)
		kind, err = "marker, hook and clone removed", s.world.WipeSetup(ctx, id)
		u.wiped.Add(1)
	default:
		err = s.world.Kill(ctx, id)
	}
	if err == nil {
		s.tally.fault(kind)
	}
}

// away takes the engine out of the server's reach for a while.
func (s *onDocker) away(ctx context.Context, r *rand.Rand) {
	s.tally.fault("engine away")
	s.line.Cut(true)
	select {
	case <-time.After(time.Duration(r.IntN(2000)) * time.Millisecond):
	case <-ctx.Done():
	}
	s.line.Cut(false)
}

// lockTime is longer than a server waits for its database.
const lockTime = 6 * time.Second

// lock has nothing stored for a while.
func (s *onDocker) lock(ctx context.Context) {
	unlock, err := faults.LockStore(ctx, filepath.Join(s.world.DataDir(), "podlife.db"))
	if err != nil {
		return // the storm is over
	}
	s.tally.fault("store cannot be written")
	select {
	case <-time.After(lockTime):
	case <-ctx.Done():
	}
	if err := unlock(); err != nil {
		s.tally.fail("the lock of the store: %v", err)
	}
}

// live does one thing after the other.
func (u *dockerUser) live(ctx context.Context, slots chan struct{}) {
	for ctx.Err() == nil {
		if u.rand.IntN(12) == 0 {
			u.rest(ctx)
		}
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

// rest leaves the pod alone for so long that it is taken for idle.
func (u *dockerUser) rest(ctx context.Context) {
	u.leave()
	select {
	case <-time.After(dockerIdle + time.Second):
		u.o.tally.did("nothing for a while", nil)
	case <-ctx.Done():
	}
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
	case n < 83:
		if u.open != nil {
			u.open.Drop()
			u.open = nil
			u.o.tally.did("vanish", nil)
		}
	case n < 88:
		u.pause(ctx)
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
	if err == nil && !shell.Provisioned("") && wiped%2 == 0 && u.wiped.Load() == wiped {
		u.o.tally.fail("pod %s, incarnation %d: %v: %s", u.Name, seen.Attached, faults.ErrBareShell, shell)
	}
	u.o.tally.did("typing", err)
}
