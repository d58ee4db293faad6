package workspace

import (
	"context"
	"errors"
	"fmt"

	table "podlife/model/workspace"
	"podlife/runtime/boot"
	"podlife/runtime/pod"
	"podlife/runtime/workspace"
)

// errAway says that the server is not where it would be if it followed the table.
var errAway = errors.New("the server does not wait for that")

// errFull is what the engine answers where it refuses.
var errFull = errors.New("no space left on device")

// act does an operation to the server, or lets what it waits for happen. before is where the table is.
func (w *world) act(o Op, before Place) error {
	if w.catalogue == nil && string(o.Kind) != table.Recover && string(o.Kind) != table.RemovedByHand {
		return errAway
	}
	defer w.settle()
	switch string(o.Kind) {
	case table.CreateEphemeral, table.CreateWorkspace, table.Adopt:
		return w.create(o)
	case table.MakeVolume, table.Made:
		return w.make(o)
	case table.Boot, table.Access:
		return w.begin(o)
	case table.Read:
		w.read()
		return nil
	case table.LaunchFails:
		return w.launchFails(o.P, before)
	case table.Attach:
		return w.attach(o.P)
	case table.Write, table.CopyMarker:
		return w.write(o)
	case table.Stop:
		w.givesUp(o.P)
		ask("stop", func() error { return w.actor(o.P).Destroy(endless()) })
		return nil
	case table.Delete, string(DeleteLands):
		return w.delete(o)
	case table.Gone:
		return w.gone(o.P)
	case table.RemovedByHand:
		return w.removeByHand(o.P)
	case table.Crash:
		w.crash()
		return nil
	case table.Recover:
		return w.start()
	case string(Refuse):
		return w.refuse(o.P)
	case string(Die):
		return w.die(o.P)
	}
	return w.through(o)
}

// through lets one call of the server through.
func (w *world) through(o Op) error {
	g := w.gates.Load()
	points := map[string]point{
		string(Look): atLook, table.Launch: atCreate, table.Start: atCreated, table.Provision: atScript, table.Ready: atVerdict, string(Fail): atScript,
		table.TearDown: atRemove, table.RemoveVolume: atVolume,
	}
	at := points[string(o.Kind)]
	var answer error
	switch string(o.Kind) {
	case string(Fail):
		answer = errScript
	case table.Launch:
		if g.open(atLook, o.P, nil) {
			w.settle()
		}
	}
	if !g.open(at, o.P, answer) {
		return errAway
	}
	return nil
}

func (w *world) create(o Op) error {
	r := workspace.Request{Name: names()[o.P], Class: workspace.Workspace}
	switch string(o.Kind) {
	case table.CreateEphemeral:
		r.Class = workspace.Ephemeral
	case table.Adopt:
		r.Adopt = w.volumeOf(o.V)
	}
	w.pods[o.P].create = ask("create", func() error {
		_, err := w.catalogue.Create(endless(), w.owner(o.P), r)
		return err
	})
	w.settle()
	if c := w.pods[o.P].create; c.answered() && c.err != nil {
		return fmt.Errorf("%w: %w", errAway, c.err)
	}
	return w.learn(o.P)
}

// make lets a volume be made; with MakeVolume its maker is not told so, and after an answer that was lost it asks once more.
func (w *world) make(o Op) error {
	g := w.gates.Load()
	if string(o.Kind) == table.MakeVolume && g.open(atMade, o.P, errFull) {
		w.again()
	}
	passed := g.open(atMake, o.P, nil)
	w.settle()
	if string(o.Kind) == table.Made {
		passed = g.open(atMade, o.P, nil)
	}
	if !passed {
		return errAway
	}
	return nil
}

// begin is a start that somebody asks for.
func (w *world) begin(o Op) error {
	k, g := &w.pods[o.P], w.gates.Load()
	g.arm(atLook, o.P, k.home != "")
	g.arm(atScript, o.P, true)
	p, id := w.actor(o.P), k.id
	k.start = ask(string(o.Kind), func() error {
		if string(o.Kind) == table.Access {
			return w.catalogue.Access(endless(), id, main)
		}
		_, err := p.Boot(endless(), main, nil)
		return err
	})
	return nil
}

// launchFails has the engine refuse what the launch waits for; where its home is not what it was, the launch has to fail by itself.
func (w *world) launchFails(p int, before Place) error {
	g := w.gates.Load()
	home := table.Volume{Ours: true}
	if rec := before.Pods[p].Rec; rec.HasHome() {
		home = before.Pods[rec.Volume()].Vol
	}
	made := before.Pods[p].Flight == table.MadeIt
	if made || before.Looked[p] {
		g.pass(atKept, p, 1) // it looks what the engine has made in the place of the home
		defer func() { w.settle(); g.pass(atKept, p, 0) }()
	}
	answer := errFull
	if !home.Ours {
		answer = nil
	}
	switch {
	case made && home.Ours:
		w.engine.FailNext("start", errFull)
		answer = nil
	case made:
		g.pass(atVolume, p, 1) // the empty one
		defer func() { w.settle(); g.pass(atVolume, p, 0) }()
	case g.has(p, atCreate):
		answer = errFull
	}
	for _, at := range []point{atLook, atCreate, atCreated} {
		if g.open(at, p, answer) {
			return nil
		}
	}
	return errAway
}

// inTime gives a call's answer, which has to come when nothing moves any more; a call that waits all the same is given up.
func (w *world) inTime(f func(context.Context) error) error {
	ctx, cancel := context.WithCancel(endless())
	defer cancel()
	r := ask("", func() error { return f(ctx) })
	w.settle()
	cancel()
	w.settle()
	if !r.answered() {
		return errAway
	}
	return r.err
}

// attach opens a terminal: into a workspace by an access. In the server a terminal boots any pod by itself, which comes to the same.
func (w *world) attach(p int) error {
	k, actor := &w.pods[p], w.actor(p)
	if err := w.inTime(func(ctx context.Context) error {
		if k.home != "" {
			return w.catalogue.Access(ctx, k.id, main)
		}
		_, err := actor.Boot(ctx, main, nil)
		return err
	}); err != nil {
		return fmt.Errorf("%w: %w", errAway, err)
	}
	return w.inTime(func(ctx context.Context) error {
		a, err := actor.Attach(ctx, main, pod.ShellRequest{Attempt: fmt.Sprintf("a%d", len(k.terminals)), Tab: "main", Cols: 80, Rows: 24})
		if err != nil {
			return fmt.Errorf("%w: %w", errAway, err)
		}
		k.terminals = append(k.terminals, a)
		return nil
	})
}

// givesUp is before a stop: a launch that waits for a container that is left does not look for its home any more.
func (w *world) givesUp(p int) {
	if g := w.gates.Load(); !g.has(p, atLook) {
		g.arm(atLook, p, false)
	}
}

// write is what is done in a terminal.
func (w *world) write(o Op) error {
	_, files, err := w.box(o.P)
	if err != nil {
		return fmt.Errorf("%w: %w", errAway, err)
	}
	if string(o.Kind) == table.Write {
		return files.Write(workFile, []byte("work"))
	}
	marker, err := files.Read(boot.MarkerPath)
	if err != nil {
		return fmt.Errorf("%w: %w", errAway, err)
	}
	return files.Write(markerCopy, marker)
}

// delete begins one. A volume that is being made is not, or with DeleteLands is, before what makes it hears of the delete.
func (w *world) delete(o Op) error {
	k, g := &w.pods[o.P], w.gates.Load()
	if o.Kind == DeleteLands && g.open(atMade, o.P, errFull) {
		w.again() // it is asked once more
	}
	w.givesUp(o.P)
	keep := o.Keep && k.home != ""
	g.arm(atVolume, o.P, !keep)
	g.arm(atKept, o.P, keep)
	k.remove = ask("delete", func() error {
		left, err := w.catalogue.Delete(endless(), w.owner(o.P), names()[o.P], o.Keep)
		if err == nil && left != "" && !keep {
			return fmt.Errorf("it says that %s stays", left)
		}
		return err
	})
	w.settle()
	if k.remove.answered() && k.remove.err != nil {
		return fmt.Errorf("%w: %w", errAway, k.remove.err)
	}
	k.deleted, k.keep = true, keep
	if o.Kind == DeleteLands {
		g.open(atMake, o.P, nil)
	} else {
		g.open(atMake, o.P, errFull)
	}
	w.settle()
	g.open(atMade, o.P, nil)
	w.settle()
	return nil
}

// gone lets what is left of a delete happen.
func (w *world) gone(p int) error {
	g := w.gates.Load()
	g.arm(atKept, p, false)
	g.arm(atVolume, p, false)
	g.pass(atDrop, p, 1)
	for _, at := range []point{atKept, atVolume} {
		g.open(at, p, nil)
		w.settle()
	}
	w.again()
	if g.take(atDrop, p) {
		return errAway
	}
	return nil
}
