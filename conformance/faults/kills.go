package faults

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"

	"podlife/conformance/faults/failpoint"
	"podlife/model/podruntime"
	"podlife/runtime/boot"
	"podlife/runtime/client"
)

// A Killing brings a server to points at which it dies. The pod sleeps when it begins.
type Killing struct {
	Name    string
	Setting Setting
	Points  []failpoint.Point
	Begin   func(context.Context, *Chain) error // before the point is armed
	Act     func(context.Context, *Chain)       // what makes the server pass it; it asks, and does not wait for the server's end
	Starts  bool                                // it is the start after the server's crash that passes it, and Act is nil
	Mend    func(context.Context, *Chain) error // after the death, before the next server
}

// stepPoints are all points of actions, and callPoints those of engine calls.
func stepPoints(actions ...string) (all []failpoint.Point) {
	for _, a := range actions {
		if slices.Contains(failpoint.Saves(), a) {
			all = append(all, failpoint.Point("before save "+a))
		}
		all = append(all, failpoint.Point("before commit "+a), failpoint.Point("after commit "+a))
	}
	return all
}

func callPoints(calls ...string) (all []failpoint.Point) {
	for _, c := range calls {
		all = append(all, failpoint.Point("before "+c), failpoint.Point("after "+c))
	}
	return all
}

// Killings have the server die at every point that it has, TestEveryFailpointHasItsKilling says.
func Killings() []Killing {
	return slices.Concat(bootKillings(), terminalKillings(), sleepKillings(), startKillings())
}

func booted(ctx context.Context, c *Chain) error   { return c.Boot(ctx, "c1") }
func terminal(ctx context.Context, c *Chain) error { return c.Ready(ctx) }

// askTerminal opens a terminal without a boot of its own.
func askTerminal(ctx context.Context, c *Chain) {
	c.ask("terminal", func() error {
		s, err := c.Terminal(ctx, "c1", false)
		if err != nil {
			return err
		}
		_, err = s.AwaitDecision(ctx)
		return err
	})
}

func askBoot(name string) func(context.Context, *Chain) {
	return func(ctx context.Context, c *Chain) { c.ask("boot", func() error { return c.Boot(ctx, name) }) }
}

func askDestroy(ctx context.Context, c *Chain) {
	c.ask("destroy", func() error {
		_, err := c.User.Client.Destroy(ctx)
		return err
	})
}

func bootKillings() []Killing {
	p := func(actions ...string) []failpoint.Point { return stepPoints(actions...) }
	return []Killing{
		{
			Name: "a boot", Setting: Plain, Act: askBoot("c1"),
			Points: append(p(podruntime.StartBoot, podruntime.CreateContainer, podruntime.StartContainer, podruntime.BeginScript, podruntime.ScriptWorks, podruntime.ScriptMarks, podruntime.ScriptSucceeded,
				podruntime.FinishBoot, podruntime.EndRun), callPoints("create", "start", "exec boot")...),
		},
		{Name: "a second boot of a ready pod", Setting: Plain, Points: p(podruntime.ScriptSkips), Begin: booted, Act: askBoot("c2")},
		{
			Name: "a launch that fails", Setting: Plain, Points: p(podruntime.LaunchFails), Act: askBoot("c1"),
			Begin: func(_ context.Context, c *Chain) error { return os.Rename(c.agent(), c.agent()+".away") },
			Mend:  func(_ context.Context, c *Chain) error { return os.Rename(c.agent()+".away", c.agent()) },
		},
		{
			Name: "a script that fails", Setting: Gated, Points: p(podruntime.ScriptFails, podruntime.ScriptFailed, podruntime.BootFailed, podruntime.BootLost),
			Act: func(ctx context.Context, c *Chain) {
				c.ask("boot", func() error { return c.bootSaying(ctx, "c1", wordFail) })
			},
		},
		{
			Name: "a container that dies under the script", Setting: Gated, Points: p(podruntime.ScriptGone), Begin: held,
			Act: func(ctx context.Context, c *Chain) { c.ask("kill", func() error { return c.Each(ctx, c.World.Kill) }) },
		},
		{Name: "a destroy during the script", Setting: Gated, Points: p(podruntime.DropReply), Begin: held, Act: askDestroy},
	}
}

// held begins a boot, and comes back when its script waits at the gate.
func held(ctx context.Context, c *Chain) error {
	waits, once := make(chan struct{}), sync.Once{}
	c.ask("boot", func() error {
		_, err := c.User.Client.Boot(ctx, "c1", func(e client.Event) {
			if e.Step == boot.StepUserScript && e.Status == "started" {
				once.Do(func() { close(waits) })
			}
		})
		return err
	})
	select {
	case <-waits:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("the script does not come to its gate: %w", ctx.Err())
	}
}

func terminalKillings() []Killing {
	return []Killing{
		{
			Name: "a terminal", Setting: Plain, Begin: booted, Act: askTerminal,
			Points: append(stepPoints(podruntime.Probe, podruntime.Dial, podruntime.AttachReady), callPoints("exec relay")...),
		},
		{
			Name: "a terminal that is closed", Setting: Plain, Begin: terminal,
			Points: stepPoints(podruntime.Detach),
			Act:    func(_ context.Context, c *Chain) { c.Leave() },
		},
		{
			Name: "a terminal once more", Setting: Plain, Points: stepPoints(podruntime.AttachAgain), Act: askTerminal,
			Begin: func(ctx context.Context, c *Chain) error {
				before, err := c.steps(podruntime.Detach)
				if err = errors.Join(err, c.Ready(ctx)); err != nil {
					return err
				}
				c.Leave()
				return c.awaitStep(ctx, podruntime.Detach, before)
			},
		},
		{
			Name: "a terminal of a pod that sleeps", Setting: Plain, Points: stepPoints(podruntime.AttachGuarded), Act: askTerminal,
			Begin: func(ctx context.Context, c *Chain) error {
				if err := c.Boot(ctx, "c1"); err != nil {
					return err
				}
				_, err := c.User.Client.Destroy(ctx)
				return err
			},
		},
		{
			Name: "no terminal, since the container is paused", Setting: Plain, Points: stepPoints(podruntime.DialFails), Act: askTerminal,
			Begin: func(ctx context.Context, c *Chain) error {
				return errors.Join(c.Boot(ctx, "c1"), c.Each(ctx, c.World.Pause))
			},
			Mend: func(ctx context.Context, c *Chain) error { return c.Each(ctx, c.World.Unpause) },
		},
		{
			Name: "a marker that is removed", Setting: Plain, Points: stepPoints(podruntime.MarkerRemoved, podruntime.Repair), Act: askTerminal,
			Begin: func(ctx context.Context, c *Chain) error {
				return errors.Join(c.Boot(ctx, "c1"), c.Each(ctx, c.World.WipeSetup))
			},
		},
	}
}

func sleepKillings() []Killing {
	return []Killing{
		{
			Name: "a destroy under a terminal", Setting: Plain, Begin: terminal, Act: askDestroy,
			Points: append(stepPoints(podruntime.Destroy, podruntime.Reconnect, podruntime.TearDown, podruntime.DestroyAnswered), callPoints("remove")...),
		},
		{
			Name: "a container that is killed", Setting: Plain, Begin: booted,
			Points: append(stepPoints(podruntime.ContainerDies, podruntime.ContainerLost), callPoints("inspect")...),
			Act: func(ctx context.Context, c *Chain) {
				c.ask("kill", func() error { return c.Each(ctx, c.World.Kill) })
			},
		},
		{Name: "an idle pod", Setting: Sleepy, Points: stepPoints(podruntime.IdleSleep), Begin: booted, Act: func(context.Context, *Chain) {}},
	}
}

func startKillings() []Killing {
	return []Killing{
		{Name: "a start that finds a ready pod", Setting: Plain, Starts: true, Begin: terminal, Points: append(stepPoints(podruntime.RecoverReady), callPoints("list", "exec check")...)},
		{Name: "a start that finds half a boot", Setting: Gated, Starts: true, Begin: held, Points: stepPoints(podruntime.RecoverAsleep)},
	}
}
