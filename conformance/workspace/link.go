package workspace

import (
	"bytes"
	"context"
	"errors"
	"strings"

	"podlife/runtime/boot"
	"podlife/runtime/container"
	"podlife/runtime/container/simprograms"
	"podlife/runtime/engine"
	"podlife/runtime/engine/simulated"
	"podlife/runtime/pod"
	"podlife/runtime/store"
	"podlife/runtime/workspace"
)

// link is a server's way to the engine. What the server does there between two steps of the table waits at gates; once it is dead, nothing that it asks for happens.
type link struct {
	engine.Engine
	g *gates
	w *world
}

func refused(op, subject string, err error) error {
	kind := engine.Failed
	if errors.Is(err, errDead) {
		kind = engine.Unavailable
	}
	return &engine.Error{Op: op, Subject: subject, Kind: kind, Err: err}
}

// MakeVolume makes a volume; what was made stays, whatever the server is answered.
func (l *link) MakeVolume(ctx context.Context, name string, labels map[string]string) error {
	p := podOf(pod.ID(labels[container.LabelPod]))
	if err := l.g.wait(ctx, atMake, p); err != nil {
		return refused("makevolume", name, err)
	}
	if err := l.Engine.MakeVolume(ctx, name, labels); err != nil {
		return err
	}
	if err := l.g.wait(ctx, atMade, p); err != nil {
		return refused("makevolume", name, err)
	}
	return nil
}

// Volume looks at one.
func (l *link) Volume(ctx context.Context, name string) (engine.Volume, error) {
	p := l.w.user(name)
	var err error
	switch {
	case l.g.dead():
		err = errDead
	case l.g.isArmed(atLook, p, true):
		err = l.g.wait(ctx, atLook, p)
	case l.g.isArmed(atKept, p, false) && !l.w.trying.Load() && !l.w.hasContainer(p):
		err = l.g.wait(ctx, atKept, p)
	}
	if err != nil {
		return engine.Volume{}, refused("volume", name, err)
	}
	return l.Engine.Volume(ctx, name)
}

// RemoveVolume removes one.
func (l *link) RemoveVolume(ctx context.Context, name string) error {
	p := l.w.user(name)
	if l.g.isArmed(atVolume, p, false) && !l.w.hasContainer(p) {
		if err := l.g.wait(ctx, atVolume, p); err != nil {
			return refused("removevolume", name, err)
		}
	}
	if l.g.dead() {
		return refused("removevolume", name, errDead)
	}
	return l.Engine.RemoveVolume(ctx, name)
}

// Create makes a container, which stays, whatever the server is answered.
func (l *link) Create(ctx context.Context, spec engine.Spec) (engine.ID, error) {
	p := podOf(pod.ID(spec.Labels[container.LabelPod]))
	if err := l.g.wait(ctx, atCreate, p); err != nil {
		return "", refused("create", spec.Name, err)
	}
	id, err := l.Engine.Create(ctx, spec)
	if err != nil {
		return id, err
	}
	if err := l.g.wait(ctx, atCreated, p); err != nil {
		return "", refused("create", spec.Name, err)
	}
	return id, nil
}

// Start starts one.
func (l *link) Start(ctx context.Context, id engine.ID) error {
	if l.g.dead() {
		return refused("start", string(id), errDead)
	}
	return l.Engine.Start(ctx, id)
}

// Remove removes a container.
func (l *link) Remove(ctx context.Context, id engine.ID) error {
	if l.g.dead() {
		return refused("remove", string(id), errDead)
	}
	if c, err := l.Engine.Inspect(ctx, id); err == nil && c.State != engine.Created {
		if err := l.g.wait(ctx, atRemove, podOf(pod.ID(c.Labels[container.LabelPod]))); err != nil {
			return refused("remove", string(id), err)
		}
	}
	return l.Engine.Remove(ctx, id)
}

// records is a server's way to its store.
type records struct {
	*store.Store
	g *gates
	w *world
}

// Save writes an incarnation.
func (s *records) Save(ctx context.Context, r pod.Record) error {
	if s.g.dead() {
		return errDead
	}
	return s.Store.Save(ctx, r)
}

// SaveNamed writes a named pod.
func (s *records) SaveNamed(ctx context.Context, r workspace.Record, adopt string) error {
	if s.g.dead() {
		return errDead
	}
	return s.Store.SaveNamed(ctx, r, adopt)
}

// DropNamed forgets one, where that is let through, or is wrong. It does not wait, since the server cannot be asked for anything meanwhile; it fails, and is tried again.
func (s *records) DropNamed(ctx context.Context, id pod.ID, kept *workspace.Kept) error {
	switch {
	case s.g.dead():
		return errDead
	case !s.w.hasContainer(podOf(id)) && !s.g.take(atDrop, podOf(id)):
		return errFull
	}
	return s.Store.DropNamed(ctx, id, kept)
}

// gated has a boot script wait before it begins and before it says how it ended.
func (w *world) gated(program simulated.Program) simulated.Program {
	return func(ctx context.Context, p *simulated.Proc) int {
		g, n := w.gates.Load(), podOf(pod.ID(p.Container.Labels[container.LabelPod]))
		if g == nil || !g.isArmed(atScript, n, true) {
			return program(ctx, p)
		}
		err := g.wait(ctx, atScript, n)
		if errors.Is(err, errScript) {
			w.programs.Fail(func(s simprograms.Step) bool { return s.Container == p.Container.ID }, 1, "it fails\n")
			return program(ctx, p)
		}
		if err != nil {
			return 1 // a script ends with the connection to it
		}
		p.Stdout = &verdicts{ctx, p.Stdout, g, n}
		return program(ctx, p)
	}
}

// errScript has the script fail.
var errScript = errors.New("the script fails")

// verdicts is the output of a boot, which waits before its last line.
type verdicts struct {
	ctx context.Context
	to  interface{ Write([]byte) (int, error) }
	g   *gates
	pod int
}

func (v *verdicts) Write(b []byte) (int, error) {
	if bytes.Contains(b, []byte(`"result":`)) {
		if err := v.g.wait(v.ctx, atVerdict, v.pod); err != nil {
			return 0, err
		}
	}
	return v.to.Write(b)
}

// podOf is the number of a pod by its identity; none is of no pod of the run.
func podOf(id pod.ID) int {
	name, _, _ := strings.Cut(string(id), ".")
	for p := range names() {
		if names()[p] == name {
			return p
		}
	}
	return none
}

// lookup has the programs of the machine, with gates at boots.
func (w *world) lookup(argv []string) simulated.Program {
	program := w.programs.Lookup(argv)
	if program == nil || argv[0] != boot.AgentPath || argv[2] != "boot" {
		return program
	}
	return w.gated(program)
}
