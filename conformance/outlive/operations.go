package outlive

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"podlife/conformance/harness"
	"podlife/runtime/client"
	"podlife/runtime/engine"
)

// operation is one thing that a workspace has to outlive.
type operation struct {
	name string
	do   func(*run, context.Context) error
}

// operations gives all kinds. A run draws each before it draws any of them again.
func operations() []operation {
	return []operation{
		{"stop", (*run).stops},
		{"start", func(r *run, ctx context.Context) error { return r.boots(ctx, r.name()) }},
		{"access", (*run).access},
		{"kill -9 of the server", (*run).crash},
		{"kill -9 of the server during a start", (*run).crashStarting},
		{"kill -9 of the server during a stop", (*run).crashStopping},
		{"restart of the server", (*run).restart},
		{"kill of the container", func(r *run, ctx context.Context) error { return r.disturb(ctx, r.world.Kill) }},
		{"removal of the container", func(r *run, ctx context.Context) error { return r.disturb(ctx, r.world.Remove) }},
		{"boot that fails", (*run).failBoot},
		{"other image", (*run).otherImage},
		{idle, (*run).idleSleep},
		{"concurrent starts", (*run).together},
	}
}

// idle is the operation that a lease forbids.
const idle = "idle sleep"

// name gives the name of a page load that there was not before, or of one that there was.
func (r *run) name() string { return fmt.Sprintf("c%d", r.draw.IntN(8)) }

func (r *run) access(ctx context.Context) error {
	_, err := program(ctx, r.pod, r.name(), nil, "true")
	return err
}

// restart ends the server in order and starts it again, in the environment that r says.
func (r *run) restart(ctx context.Context) error {
	code, err := r.world.Stop(ctx)
	if err == nil && code != 0 {
		err = fmt.Errorf("the server ended with exit code %d", code)
	}
	if err != nil {
		return err
	}
	r.world.SetEnv(r.environment()...)
	return r.world.Start(ctx)
}

// crash kills the server while nothing happens, and starts another.
func (r *run) crash(ctx context.Context) error {
	return errors.Join(r.world.Crash(), r.world.Start(ctx))
}

// crashStarting kills the server at a random event of a boot, if it has so many.
func (r *run) crashStarting(ctx context.Context) error {
	name, events := r.name(), r.draw.IntN(8)
	begun := make(chan struct{})
	begin := sync.OnceFunc(func() { close(begun) })
	var busy sync.WaitGroup
	busy.Go(func() {
		defer begin()
		_, _ = r.pod.Boot(ctx, name, func(client.Event) { // its server dies
			if events--; events < 0 {
				begin()
			}
		})
	})
	<-begun
	err := r.world.Crash()
	busy.Wait()
	return errors.Join(err, r.world.Start(ctx))
}

// crashStopping kills the server when a pod that was ready is being stopped: it says that the pod sleeps, and its container may be there or not.
func (r *run) crashStopping(ctx context.Context) error {
	if err := r.boots(ctx, r.name()); err != nil {
		return err
	}
	var busy sync.WaitGroup
	busy.Go(func() { _, _ = r.pod.Stop(ctx) }) // its server dies
	err := errors.Join(r.await(ctx, func(s client.Status) bool { return s.State == "asleep" }), r.world.Crash())
	busy.Wait()
	return errors.Join(err, r.world.Start(ctx))
}

// disturb starts the pod and does something to its container behind the server's back.
func (r *run) disturb(ctx context.Context, do func(context.Context, engine.ID) error) error {
	if err := r.boots(ctx, r.name()); err != nil {
		return err
	}
	a, err := r.rest(ctx)
	if err != nil {
		return err
	}
	if err := do(ctx, a.container.ID); err != nil {
		return err
	}
	// Until the server has seen it, it says what was.
	return r.await(ctx, func(s client.Status) bool { return s.State == "asleep" })
}

// failBoot has a boot end in a user script that fails; in a container that runs already, or in a new one.
func (r *run) failBoot(ctx context.Context) error {
	if r.draw.IntN(2) == 0 {
		r.how = ", after a stop"
		if err := r.stops(ctx); err != nil {
			return err
		}
	}
	r.script = r.failing
	if err := r.restart(ctx); err != nil {
		return err
	}
	if err := r.boots(ctx, r.name()); client.CodeOf(err) != client.CodeBootFailed {
		return fmt.Errorf("a boot whose script fails is answered with %w", errors.Join(err, errors.New("want "+client.CodeBootFailed)))
	}
	r.script = ""
	return r.restart(ctx)
}

// otherImage restarts the server with another image, from which the next start has to be.
func (r *run) otherImage(ctx context.Context) error {
	r.images[0], r.images[1] = r.images[1], r.images[0]
	if err := errors.Join(r.restart(ctx), r.stops(ctx), r.boots(ctx, r.name())); err != nil {
		return err
	}
	a, err := r.rest(ctx)
	if err == nil && a.container.Image != r.images[0] {
		err = fmt.Errorf("the container is from %s, want %s", a.container.Image, r.images[0])
	}
	return err
}

// idleSleep gives the pod the server's idle timeout, which is short, until it sleeps. A lease keeps it awake all the same.
func (r *run) idleSleep(ctx context.Context) error {
	if err := r.boots(ctx, r.name()); err != nil {
		return err
	}
	if err := r.change(ctx, 0); err != nil {
		return err
	}
	if r.want.LeaseUntil == nil {
		r.how = " that comes"
		if err := r.await(ctx, func(s client.Status) bool { return s.State == "asleep" }); err != nil {
			return err
		}
		r.idled++
		return r.change(ctx, r.want.IdleTimeout)
	}
	r.how = " that a lease keeps away"
	s, err := r.pod.Status(ctx)
	if err == nil && (s.State != "ready" || s.SleepsAt != nil && s.SleepsAt.Before(*r.want.LeaseUntil)) {
		err = fmt.Errorf("with a lease until %s it is %s and would sleep at %s", r.want.LeaseUntil, s.State, s.SleepsAt)
	}
	return errors.Join(err, r.change(ctx, r.want.IdleTimeout))
}

// together starts the pod many times at once, by boots and by programs: all of them have to be in the same incarnation.
func (r *run) together(ctx context.Context) error {
	const each = 4
	var mu sync.Mutex
	var failed error
	var busy sync.WaitGroup
	numbers := map[int]int{}
	note := func(inc int, err error) {
		mu.Lock()
		defer mu.Unlock()
		numbers[inc]++
		failed = errors.Join(failed, err)
	}
	for i := range each {
		busy.Go(func() {
			b, err := r.pod.Boot(ctx, fmt.Sprintf("boot%d", i), nil)
			note(b.Incarnation, err)
		})
		busy.Go(func() {
			p, err := program(ctx, r.pod, fmt.Sprintf("exec%d", i), nil, "true")
			note(p.inc, err)
		})
	}
	busy.Wait()
	if failed == nil && len(numbers) != 1 {
		failed = fmt.Errorf("they are in the incarnations %v", numbers)
	}
	return failed
}

// makeImage makes an image of other content in name, the same in all that a pod needs, from the harness's. undo removes it.
func makeImage(ctx context.Context, name string) (undo func(context.Context) error, err error) {
	id, err := docker(ctx, "create", "--name", name, harness.Image, "true")
	if err != nil {
		return nil, err
	}
	image := "podlife/outlive:" + name
	_, err = docker(ctx, "commit", "--change", "LABEL podlife.test="+name, id, image)
	_, gone := docker(ctx, "rm", "-f", id)
	return func(ctx context.Context) error { _, err := docker(ctx, "rmi", image); return err }, errors.Join(err, gone)
}
