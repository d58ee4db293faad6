package traces

import (
	"context"
	"errors"
	"fmt"

	"podlife/conformance/tab"
	"podlife/model/podlifecycle"
	"podlife/runtime/client"
	"podlife/runtime/engine"
)

// perform carries the operation out, up to the point where the server has decided. The socket it gives, if any, is one more terminal of a tab that has one already.
func (d *drive) perform(ctx context.Context, st Step) (extra *tab.Socket, err error) {
	switch st.Op.Kind {
	case Boot:
		return nil, d.boot(ctx, st)
	case Attach:
		return d.attach(ctx, st)
	case Connect:
		return nil, d.connect(ctx, st)
	case Drop:
		t := d.tabs[st.Op.Tab]
		t.sock.Drop()
		t.sock = nil
		return nil, nil
	case Gate:
		return nil, d.withContainer(ctx, d.openGate(ctx))
	case Destroy:
		return nil, d.destroy(ctx)
	case Kill:
		return nil, d.withContainer(ctx, func(id engine.ID) error { return d.World.Kill(ctx, id) })
	case Remove:
		return nil, d.withContainer(ctx, func(id engine.ID) error { return d.World.Remove(ctx, id) })
	case Wipe:
		return nil, d.withContainer(ctx, func(id engine.ID) error { return d.World.WipeSetup(ctx, id) })
	case Idle:
		w, ok := d.World.(interface{ PassIdleTimeout() })
		if !ok {
			return nil, errors.New("this world has no clock that can be moved")
		}
		w.PassIdleTimeout()
		return nil, nil
	}
	return nil, fmt.Errorf("unknown operation %q", st.Op.Kind)
}

// boot posts a boot and waits until it is known to the server: answered, or under way.
func (d *drive) boot(ctx context.Context, st Step) error {
	t := d.tabs[st.Op.Tab]
	b := d.post(t)
	ctx, cancel := d.patience(ctx)
	defer cancel()
	progress := b.progress
	if st.Answer == Booted {
		progress = nil // nil is never ready: the answer is awaited
	}
	select {
	case <-progress:
		t.boots = append(t.boots, b)
		return nil
	case <-b.done:
	case <-ctx.Done():
		t.boots = append(t.boots, b)
		return fmt.Errorf("the boot of %s: no answer and no progress: %w", t.name, ctx.Err())
	}
	if st.Answer != Booted {
		return fmt.Errorf("the boot of %s was answered (%+v, %v) and has to wait for the gate", t.name, b.result, b.err)
	}
	return b.succeeded(t.name, st.After.Pod.Inc)
}

// post starts the call. It has no context of its own: a boot ends with FinishBoot or BootLost, and both are driven.
func (d *drive) post(t *driven) *bootCall {
	b := &bootCall{progress: make(chan struct{}), done: make(chan struct{})}
	go func() {
		defer close(b.done)
		first := true
		b.result, b.err = d.user.Client.Boot(context.Background(), t.name, func(client.Event) {
			if first {
				close(b.progress)
				first = false
			}
		})
	}()
	return b
}

// succeeded says whether a boot that is done was answered as it must be.
func (b *bootCall) succeeded(tab string, inc int) error {
	want := client.Result{Pod: b.result.Pod, State: podlifecycle.Ready.String(), Incarnation: inc}
	if b.err != nil || b.result != want {
		return fmt.Errorf("the boot of %s was answered (%+v, %v), want ready in incarnation %d", tab, b.result, b.err, inc)
	}
	return nil
}

// attach opens a terminal that does not go through boot, and waits for the decision.
func (d *drive) attach(ctx context.Context, st Step) (extra *tab.Socket, err error) {
	t := d.tabs[st.Op.Tab]
	had := d.model.Tabs[st.Op.Tab].Socket == OnShell
	if t.sock != nil && !had {
		t.sock.Close()
		t.sock = nil
	}
	s, err := tab.Open(ctx, d.user.Client, d.hello(t, true))
	if err != nil {
		return nil, fmt.Errorf("open a terminal of %s: %w", t.name, err)
	}
	ctx, cancel := d.patience(ctx)
	defer cancel()
	seen, err := s.AwaitDecision(ctx)
	if err == nil && st.Answer == Refused {
		defer s.Close()
		return nil, refusedRightly(t.name, seen)
	}
	if err == nil && seen.Attached != st.After.Pod.Inc {
		err = fmt.Errorf("the terminal of %s is %s, want a shell of incarnation %d", t.name, seen, st.After.Pod.Inc)
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	if had {
		return s, nil
	}
	t.sock = s
	return nil, nil
}

// refusedRightly says whether a terminal was told the state and closed with the code for it.
func refusedRightly(tab string, seen tab.Seen) error {
	if seen.Closed == nil || seen.Closed.Code != client.CloseNotReady || seen.Last().Reason != "not_ready" {
		return fmt.Errorf("the terminal of %s has to be refused with %d after a state, but it is %s (last state %+v)", tab, client.CloseNotReady, seen, seen.Last())
	}
	return nil
}

// connect opens a terminal as the page does, or says "boot" on the one that waits for it.
func (d *drive) connect(ctx context.Context, st Step) (err error) {
	t := d.tabs[st.Op.Tab]
	progress := 0
	if t.sock == nil {
		if t.sock, err = tab.Open(ctx, d.user.Client, d.hello(t, false)); err != nil {
			return fmt.Errorf("open a terminal of %s: %w", t.name, err)
		}
	} else {
		progress = t.sock.Seen().Progress
		if err := t.sock.Boot(); err != nil {
			return fmt.Errorf("say boot on the terminal of %s: %w", t.name, err)
		}
	}
	if st.Answer != Pending {
		return nil // settle waits for the shell
	}
	ctx, cancel := d.patience(ctx)
	defer cancel()
	seen, err := t.sock.Await(ctx, "the boot's progress", func(n tab.Seen) bool { return n.Progress > progress || n.Attached > 0 })
	if err == nil && seen.Attached > 0 {
		err = fmt.Errorf("the terminal of %s is %s while the boot has to wait for the gate", t.name, seen)
	}
	return err
}

func (d *drive) openGate(ctx context.Context) func(engine.ID) error {
	return func(id engine.ID) error { return d.World.OpenGate(ctx, id) }
}

func (d *drive) hello(t *driven, noBoot bool) client.Hello {
	return client.Hello{Client: t.name, Tab: t.name, Cols: 200, Rows: 50, NoBoot: noBoot}
}

func (d *drive) destroy(ctx context.Context) error {
	ctx, cancel := d.patience(ctx)
	defer cancel()
	got, err := d.user.Client.Destroy(ctx)
	want := client.Result{Pod: got.Pod, State: podlifecycle.Asleep.String(), Incarnation: d.model.Pod.Inc}
	if err != nil || got != want {
		return fmt.Errorf("destroy was answered (%+v, %v), want asleep in incarnation %d", got, err, d.model.Pod.Inc)
	}
	return nil
}

// withContainer does something to the running container of the current incarnation, which may still be on its way.
func (d *drive) withContainer(ctx context.Context, do func(engine.ID) error) error {
	var id engine.ID
	err := d.poll(ctx, func() error {
		list, err := d.World.Containers(ctx, d.user.Name)
		if err != nil {
			return err
		}
		for _, c := range list {
			if c.State == engine.Running && incarnationOf(c) == d.model.Pod.Inc {
				id = c.ID
				return nil
			}
		}
		return fmt.Errorf("incarnation %d has no running container, the engine has %s", d.model.Pod.Inc, containers(list))
	})
	if err != nil {
		return err
	}
	return do(id)
}
