package mutants

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"podlife/conformance/replay"
	"podlife/conformance/tab"
	"podlife/model"
	"podlife/model/podlifecycle"
	"podlife/mutants/dockerproxy"
	"podlife/runtime/client"
	"podlife/runtime/engine"
)

// The ways of seeing. A broken invariant is found by one of these, never by what the server says of itself.
const (
	looked         = "looked into the container"
	lookedAndTyped = "looked into the container and typed into the shell"
)

// AttachAfterWipe boots, breaks the disk under the ready container, and opens a terminal. Right is that the boot repairs what is missing before anybody gets a shell.
func AttachAfterWipe() Scenario {
	return Scenario{Name: "attach after the disk was wiped", Needs: time.Minute, Run: func(ctx context.Context, b Build) (Seen, error) {
		return withServer(ctx, b, setup{}, func(s *subject) (Seen, error) {
			c1 := &observed{name: "c1"}
			if err := s.bootReady(ctx, c1); err != nil {
				return Seen{}, err
			}
			now, err := s.truth(ctx)
			if err != nil {
				return Seen{}, err
			}
			if err := s.world.WipeSetup(ctx, now.container); err != nil {
				return Seen{}, err
			}
			if now, err = s.truth(ctx); err != nil || now.inside.Provisioned() {
				return Seen{}, fmt.Errorf("wiping wiped nothing: %s, error %w", now.inside, err)
			}
			return s.attachAndLook(ctx, c1)
		})
	}}
}

// ReplayUnguarded plays the specification's counterexample of the design with the bug, as the explorer finds it: boot, sleep, and the tab that still believes opens its terminal. Right is that it
// ends in a shell of a new incarnation that was booted.
func ReplayUnguarded() Scenario {
	return Scenario{Name: "replay of the unguarded counterexample", Needs: time.Minute, Run: func(ctx context.Context, b Build) (Seen, error) {
		bug, err := counterexample(ctx)
		if err != nil {
			return Seen{}, err
		}
		return withServer(ctx, b, setup{}, func(s *subject) (Seen, error) { return s.replay(ctx, bug) })
	}}
}

// counterexample explores the design with the bug and gives the shortest way into it.
func counterexample(ctx context.Context) (podlifecycle.Trace, error) {
	const clients = 2
	constants := podlifecycle.Constants{MaxInc: 3}
	sys, err := podlifecycle.System(constants, clients)
	if err != nil {
		return podlifecycle.Trace{}, err
	}
	r, err := model.Explore(ctx, sys, model.Options[podlifecycle.State]{})
	if err != nil {
		return podlifecycle.Trace{}, err
	}
	if r.Violation == nil || r.Violation.Invariant != podlifecycle.NoAttachWithoutShellSetup {
		return podlifecycle.Trace{}, fmt.Errorf("the design with the bug violates %v", r.Violation)
	}
	return podlifecycle.TraceOf(constants, clients, *r.Violation), nil
}

// replay plays a trace as `podlife replay` does, which types into the terminals that it opens, and looks into the container at the end. The trace must end in a shell.
func (s *subject) replay(ctx context.Context, t podlifecycle.Trace) (Seen, error) {
	inside := func(ctx context.Context) (replay.Truth, error) {
		now, err := s.truth(ctx)
		return replay.Truth{Provisioned: now.inside.Provisioned(), Words: now.inside.String()}, err
	}
	r, err := replay.Run(ctx, replay.Options{Client: s.user.Client, Trace: t, Prober: s.world.Prober(), Inside: inside})
	if err != nil {
		return Seen{}, err
	}
	if len(r.Shells) != 1 {
		return Seen{}, fmt.Errorf("the replay ends with %d shells, want 1: %+v", len(r.Shells), r.Steps)
	}
	last := t.Steps[len(t.Steps)-1]
	shell, ok := r.Shells[last.Args[0]]
	if !ok {
		return Seen{}, fmt.Errorf("the replay ends with the shells %v, and %s opened one", r.Shells, last.Args[0])
	}
	seen, err := s.judge(ctx, lookedAndTyped, &observed{name: last.Args[0], phase: podlifecycle.Attached, attInc: shell.Incarnation})
	if err != nil {
		return Seen{}, err
	}
	if !slices.Equal(seen.Broke, r.Broke) {
		return Seen{}, fmt.Errorf("the replay finds %v broken, the look into the container %v: %s; %+v", r.Broke, seen.Broke, seen.Detail, r.Steps)
	}
	seen.Detail += "; the shell: " + shell.Words
	return seen, nil
}

// KillDuringBoot kills the server in the middle of a boot's script, starts it again, and opens a terminal. Right is that the half-made container is not taken for a ready one.
func KillDuringBoot() Scenario {
	return Scenario{Name: "kill -9 of the server during a boot", Needs: time.Minute, Run: func(ctx context.Context, b Build) (Seen, error) {
		return withServer(ctx, b, setup{gate: true}, func(s *subject) (Seen, error) {
			c1 := &observed{name: "c1"}
			booting := s.boot(ctx, c1)
			defer booting.stop()
			if err := booting.reach(ctx, "user_script"); err != nil {
				return Seen{}, err
			}
			first, err := s.truth(ctx)
			if err != nil {
				return Seen{}, err
			}
			if err := s.world.Crash(); err != nil {
				return Seen{}, err
			}
			<-booting.done
			if err := s.restart(ctx); err != nil {
				return Seen{}, err
			}
			// Every boot may finish from now on, but that of the container which the dead server left.
			open := s.openGates(ctx, first.container)
			defer open()
			return s.attachAndLook(ctx, c1)
		})
	}}
}

// LateBootReply holds the reply of a boot that went well until the pod was destroyed and is booting anew, and lets it go then. Right is that the second boot goes on until its own end.
func LateBootReply() Scenario {
	return Scenario{Name: "a boot's reply that comes after the next boot began", Needs: 90 * time.Second, Run: lateBootReply}
}

func lateBootReply(ctx context.Context, b Build) (Seen, error) {
	dir, err := os.MkdirTemp("", "podlife-proxy-")
	if err != nil {
		return Seen{}, err
	}
	defer os.RemoveAll(dir)
	proxy, err := dockerproxy.Listen(dir, engineSocket())
	if err != nil {
		return Seen{}, err
	}
	defer proxy.Close()
	return withServer(ctx, b, setup{gate: true, dockerHost: proxy.Host()}, func(s *subject) (Seen, error) {
		hold := proxy.HoldOutput("agent boot", `"result"`)
		c1, c2 := &observed{name: "c1"}, &observed{name: "c2"}
		one := s.boot(ctx, c1)
		defer one.stop()
		if err := one.reach(ctx, "user_script"); err != nil {
			return Seen{}, err
		}
		first, err := s.truth(ctx)
		if err != nil {
			return Seen{}, err
		}
		if err := s.world.OpenGate(ctx, first.container); err != nil {
			return Seen{}, err
		}
		if err := await(ctx, hold.Caught(), "the reply of the first boot"); err != nil {
			return Seen{}, err
		}
		if first, err = s.truth(ctx); err != nil || !first.inside.Provisioned() {
			return Seen{}, fmt.Errorf("the first boot did not go well: %s, error %w", first.inside, err)
		}
		if _, err := s.user.Client.Destroy(ctx); err != nil {
			return Seen{}, err
		}
		if err := await(ctx, one.done, "the answer of the first boot"); err != nil {
			return Seen{}, err
		}
		if client.CodeOf(one.err) != client.CodeBootLost {
			return Seen{}, fmt.Errorf("the first boot answered %v, error %w, though the pod was destroyed", one.result, one.err)
		}
		two := s.boot(ctx, c2)
		defer two.stop()
		if err := two.reach(ctx, "user_script"); err != nil {
			return Seen{}, err
		}
		c2.phase, c2.bootInc = podlifecycle.Booting, first.inc+1
		hold.Release()
		if err := await(ctx, hold.Done(), "the late reply to be taken"); err != nil {
			return Seen{}, err
		}
		if two.answered(ctx, settle) {
			if two.err != nil {
				return Seen{}, fmt.Errorf("the late reply ended the second boot: %w", two.err)
			}
			c2.phase = podlifecycle.Believes
		}
		seen, err := s.judge(ctx, looked, c2)
		if err != nil || len(seen.Broke) > 0 {
			return seen, err
		}
		return s.finish(ctx, two, c2)
	})
}

// settle is how long an answer that must not come is waited for.
const settle = time.Second

// finish lets a second boot end by itself, and looks once more: a build that drops the late reply must not have dropped the right one with it.
func (s *subject) finish(ctx context.Context, b *booting, c *observed) (Seen, error) {
	now, err := s.truth(ctx)
	if err != nil {
		return Seen{}, err
	}
	if err := s.world.OpenGate(ctx, now.container); err != nil {
		return Seen{}, err
	}
	if err := s.booted(ctx, b, c); err != nil {
		return Seen{}, fmt.Errorf("the second boot: %w", err)
	}
	return s.attachAndLook(ctx, c)
}

// attachAndLook opens the client's terminal as a tab does, waits for a shell, types into it, and looks into the container.
func (s *subject) attachAndLook(ctx context.Context, c *observed) (Seen, error) {
	socket, err := tab.Open(ctx, s.user.Client, client.Hello{Client: c.name, Tab: c.name, Cols: 100, Rows: 30})
	if err != nil {
		return Seen{}, err
	}
	defer socket.Close()
	told, err := socket.AwaitAttached(ctx)
	if err != nil {
		return Seen{}, err
	}
	c.attached(told)
	shell, err := s.world.Prober().Probe(ctx, socket)
	if err != nil {
		return Seen{}, err
	}
	seen, err := s.judge(ctx, lookedAndTyped, c)
	if err != nil {
		return Seen{}, err
	}
	bare := !shell.Provisioned("")
	if broken := len(seen.Broke) > 0; bare != broken {
		// The two ways of seeing must agree, or one of them sees nothing.
		return Seen{}, fmt.Errorf("the look into the container says %s, the shell %s", seen.Detail, shell)
	}
	seen.Detail += "; the shell: " + shell.String()
	return seen, nil
}

// judge holds the specification's own invariants against what is really there.
func (s *subject) judge(ctx context.Context, detector string, clients ...*observed) (Seen, error) {
	now, err := s.truth(ctx)
	if err != nil {
		return Seen{}, err
	}
	pod := podlifecycle.Pod{Ctr: podlifecycle.Provisioning, Inc: now.inc}
	if now.inside.Provisioned() {
		pod.Ctr = podlifecycle.Ready
	}
	seen := Seen{Detector: detector}
	var about []string
	for _, inv := range podlifecycle.Table(podlifecycle.Constants{MaxInc: 1 << 20, GuardedAttach: true}).Invariants {
		for _, c := range clients {
			if !inv.Holds(podlifecycle.Local{Pod: pod, Client: c.model()}) {
				seen.Broke = append(seen.Broke, inv.Name)
				break
			}
		}
	}
	for _, c := range clients {
		about = append(about, fmt.Sprintf("%s %s (booted %d, attached %d)", c.name, c.phase, c.bootInc, c.attInc))
	}
	seen.Detail = fmt.Sprintf("%s; incarnation %d is %s", strings.Join(about, ", "), now.inc, now.inside)
	return seen, nil
}

func await(ctx context.Context, done <-chan struct{}, what string) error {
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("awaited %s: %w", what, ctx.Err())
	}
}

// bootReady boots to the end.
func (s *subject) bootReady(ctx context.Context, c *observed) error {
	b := s.boot(ctx, c)
	defer b.stop()
	return s.booted(ctx, b, c)
}

// booted waits for a boot's answer, and sees whether it is true.
func (s *subject) booted(ctx context.Context, b *booting, c *observed) error {
	if err := await(ctx, b.done, "a boot's answer"); err != nil {
		return err
	}
	if b.err != nil {
		return b.err
	}
	c.phase, c.bootInc = podlifecycle.Believes, b.result.Incarnation
	now, err := s.truth(ctx)
	if err == nil && !now.inside.Provisioned() {
		err = fmt.Errorf("a boot went well, and left the container %s", now.inside)
	}
	return err
}

var errNoContainer = errors.New("the pod has no container")

// openGates lets every boot finish whose container is not the excepted one, until stop.
func (s *subject) openGates(ctx context.Context, except engine.ID) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		opened := map[engine.ID]bool{except: true}
		for {
			list, err := s.world.Containers(ctx, s.user.Name)
			for _, c := range list {
				// One that is not up yet, or gone already, is tried again or no more there.
				if err == nil && c.State == engine.Running && !opened[c.ID] && s.world.OpenGate(ctx, c.ID) == nil {
					opened[c.ID] = true
				}
			}
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			}
		}
	}()
	return func() { cancel(); <-done }
}
