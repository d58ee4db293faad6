package faults

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"podlife/conformance/faults/failpoint"
	"podlife/conformance/harness"
)

// Setting is how the server of a chain is configured.
type Setting string

// The settings: an ordinary server, one whose boots wait at a gate, and one whose pods sleep soon.
const (
	Plain  Setting = "plain"
	Gated  Setting = "gated"
	Sleepy Setting = "sleepy"
)

// The words at the gate: the script fails, prints 10 MB in lines or in one, or hangs.
const (
	wordFail = "fail"
	wordLoud = "loud"
	wordLine = "line"
	wordHang = "hang"
)

// sleepyTimeout is the idle timeout of a sleepy server: long enough for a terminal to be opened behind a boot.
const sleepyTimeout = 3 * time.Second

// gateWords is what a gated script does on a word that it finds at its gate.
const gateWords = `case "$(cat ` + harness.GateFile + `)" in
` + wordFail + `) echo 'no such tool' >&2; exit 7 ;;
` + wordLoud + `) head -c 10000000 /dev/zero | tr '\0' x | fold -w 1000 ;;
` + wordLine + `) head -c 10000000 /dev/zero | tr '\0' x ;;
` + wordHang + `) sleep 3600 ;;
esac
`

// NewChain starts the first server of a chain, of a program with failpoints, in dir; more changes its options. World must be closed.
func NewChain(ctx context.Context, dir, program string, s Setting, more func(*harness.DockerOptions)) (*Chain, error) {
	points := filepath.Join(dir, "failpoints")
	if err := os.Mkdir(points, 0o700); err != nil {
		return nil, err
	}
	c := &Chain{Dir: failpoint.Dir(points), Gated: s == Gated, whole: map[int]bool{}}
	o := harness.DockerOptions{Binary: program, Dir: dir, Users: 1, Env: []string{c.Dir.Env()}}
	switch s {
	case Gated:
		script := filepath.Join(dir, "script.sh")
		if err := os.WriteFile(script, []byte(harness.GateScript+gateWords), 0o600); err != nil {
			return nil, err
		}
		o.ExtraConfig = "user_script: " + script + "\n"
	case Sleepy:
		o.Env = append(o.Env, "PODLIFE_IDLE_TIMEOUT="+sleepyTimeout.String())
	}
	if more != nil {
		more(&o)
	}
	var err error
	if c.World, err = harness.StartDocker(ctx, o); err != nil {
		return nil, err
	}
	c.User, err = c.World.NewUser(ctx)
	return c, err
}

// agent is the folder of the program that the containers mount.
func (c *Chain) agent() string { return filepath.Join(c.World.DataDir(), "agent") }

// A Passing is the nth of a point: from when a killing acts, or from a start on. The zero Passing is none.
type Passing struct {
	Point failpoint.Point
	Nth   int
}

func (p Passing) String() string {
	if p.Nth == 1 {
		return string(p.Point)
	}
	return fmt.Sprintf("%s, passing %d", p.Point, p.Nth)
}

// Die has the server die, and the next one too where again is not none, and holds the last to what must be. It gives what that one has passed until all was in order.
func (k Killing) Die(ctx context.Context, c *Chain, at, again Passing) (recovery []Passing, err error) {
	if err := k.begin(ctx, c); err != nil {
		return nil, fmt.Errorf("before it: %w", err)
	}
	if err := c.Dir.Arm(at.Point, at.Nth); err != nil {
		return nil, err
	}
	if err := k.act(ctx, c); err != nil {
		return nil, err
	}
	err = c.awaitDeath(ctx)
	if derr := c.Dir.Disarm(); err != nil || derr != nil {
		return nil, errors.Join(err, derr)
	}
	if err := c.untyped(); err != nil {
		return nil, err
	}
	c.Leave()
	if err := c.mend(ctx); err != nil {
		return nil, fmt.Errorf("after the death: %w", err)
	}
	if again.Nth > 0 {
		if err := c.dieStarting(ctx, again); err != nil {
			return nil, fmt.Errorf("the second death: %w", err)
		}
	}
	return c.Next(ctx)
}

func (k Killing) begin(ctx context.Context, c *Chain) error {
	c.mending = k.Mend
	if k.Begin == nil {
		return nil
	}
	return k.Begin(ctx, c)
}

// mend undoes what a killing has done to the world, once.
func (c *Chain) mend(ctx context.Context) error {
	mend := c.mending
	if c.mending = nil; mend == nil {
		return nil
	}
	return mend(ctx, c)
}

// act is what brings the server to its end.
func (k Killing) act(ctx context.Context, c *Chain) error {
	if !k.Starts {
		k.Act(ctx, c)
		return nil
	}
	if err := c.World.Crash(); err != nil {
		return err
	}
	_ = c.World.Start(ctx) // how it has ended is looked at, and whether it has
	return nil
}

// dieStarting has a server die after its start, while it brings everything in order.
func (c *Chain) dieStarting(ctx context.Context, at Passing) error {
	if err := c.Dir.Arm(at.Point, at.Nth); err != nil {
		return err
	}
	_ = c.World.Start(ctx) // as above
	err := c.awaitDeath(ctx)
	return errors.Join(err, c.Dir.Disarm())
}

// Next starts the next server, and holds it to what must be: everything is in order within its time, and then it works.
func (c *Chain) Next(ctx context.Context) (recovery []Passing, err error) {
	before, err := c.Dir.Passed()
	if err != nil {
		return nil, err
	}
	if err := c.World.Start(ctx); err != nil {
		return nil, err
	}
	if err := c.AwaitInOrder(ctx, time.Now(), recoveryTime); err != nil {
		return nil, err
	}
	if recovery, err = c.since(len(before)); err != nil {
		return nil, err
	}
	return recovery, c.Works(ctx)
}

// Rehearse does all of a killing but the killing, and gives what was passed. The pod sleeps afterwards, as before.
func (k Killing) Rehearse(ctx context.Context, c *Chain) ([]Passing, error) {
	if err := k.begin(ctx, c); err != nil {
		return nil, fmt.Errorf("before it: %w", err)
	}
	before, err := c.Dir.Passed()
	if err != nil {
		return nil, err
	}
	if err := k.act(ctx, c); err != nil {
		return nil, err
	}
	if err := c.untyped(); err != nil {
		return nil, err
	}
	if err := c.mend(ctx); err != nil { // as behind a death: nobody can look into a container that is paused
		return nil, err
	}
	if err := c.AwaitInOrder(ctx, time.Now(), deathPatience); err != nil {
		return nil, err
	}
	all, err := c.since(len(before))
	return all, errors.Join(err, c.abandon(ctx))
}

// abandon ends a killing that has not killed: the pod sleeps again.
func (c *Chain) abandon(ctx context.Context) error {
	err := errors.Join(c.Dir.Disarm(), c.mend(ctx))
	_, derr := c.User.Client.Destroy(ctx)
	err = errors.Join(err, derr, c.untyped())
	c.Leave()
	return err
}

// since gives the passings of all points behind the first so many.
func (c *Chain) since(first int) ([]Passing, error) {
	all, err := c.Dir.Passed()
	if err != nil {
		return nil, err
	}
	var passings []Passing
	times := map[failpoint.Point]int{}
	for _, p := range all[first:] {
		times[p]++
		passings = append(passings, Passing{p, times[p]})
	}
	return passings, nil
}
