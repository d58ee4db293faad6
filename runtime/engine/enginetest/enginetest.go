// Package enginetest is the one conformance suite for container engines: what runtime/engine promises, as claims that every implementation has to keep.
//
// It imports runtime/engine and nothing else of the project. Read Run first; the claims are in lifecycle.go, volumes.go, process.go, terminal.go and watch.go.
package enginetest

import (
	"context"
	"fmt"
	"io"
	"maps"
	"strings"
	"testing"
	"time"

	"podlife/runtime/engine"
)

// Subject is an engine under test and what the suite needs to know about it. A simulated engine maps each command to a program that behaves as described.
type Subject struct {
	Engine       engine.Engine
	Unreachable  engine.Engine                                 // the same kind of engine, whose daemon cannot be reached
	Image        string                                        // present
	MissingImage string                                        // not present
	Network      string                                        // for the containers
	Prefix       string                                        // of their names; unique to this call, so that subjects never meet
	Labels       map[string]string                             // carried by every one of them and by nothing else that exists; the suite removes what carries them, and volumes whose names begin with Prefix
	Kill         func(ctx context.Context, id engine.ID) error // ends PID 1 behind the engine's back
	Pause        func(ctx context.Context, id engine.ID) error // suspends a running container behind the engine's back
	Unpause      func(ctx context.Context, id engine.ID) error // resumes it

	Idle          []string                                       // PID 1: runs until it is told to stop
	Broken        []string                                       // PID 1 that cannot be run
	Print         func(stdout, stderr string, code int) []string // writes both, exits with code
	Echo          []string                                       // copies stdin to stdout, exits 0 at its end
	RawEcho       []string                                       // on a terminal in raw mode: prints "ready", then gives back every byte as it is
	Size          []string                                       // on a terminal: for each line of input prints "size ROWS COLS"
	Write         func(path, text string) []string               // makes or replaces a file, exits 0
	Show          func(path string) []string                     // writes a file to stdout and exits 0; another code if there is none
	NotFound      []string                                       // a command that is not there
	NotExecutable []string                                       // a file that cannot be executed
}

// patience bounds everything that takes milliseconds to a second on a real engine, so that a broken one fails a test instead of hanging it.
const patience = 30 * time.Second

type claim struct {
	name string
	test func(t *testing.T, s *subject)
}

// Run holds an engine to every claim, each with a Subject of its own. Nothing is left behind.
func Run(t *testing.T, open func(t *testing.T) Subject) {
	for _, claims := range [][]claim{lifecycleClaims(), volumeClaims(), processClaims(), terminalClaims(), watchClaims()} {
		for _, c := range claims {
			t.Run(c.name, func(t *testing.T) {
				s := &subject{Subject: open(t)}
				t.Cleanup(func() { s.sweep(t) })
				c.test(t, s)
			})
		}
	}
}

type subject struct {
	Subject
	names int
}

// sweep removes what the claim left, and says so if it could not.
func (s *subject) sweep(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	left, err := s.Engine.List(ctx, s.Labels)
	if err != nil {
		t.Errorf("list what is left: %v", err)
	}
	for _, c := range left {
		if err := s.Engine.Remove(ctx, c.ID); err != nil {
			t.Errorf("remove what is left: %v", err)
		}
	}
	volumes, err := s.Engine.Volumes(ctx, nil)
	if err != nil {
		t.Errorf("list the volumes that are left: %v", err)
	}
	for _, v := range volumes {
		if strings.HasPrefix(v.Name, s.Prefix+"-") {
			if err := s.Engine.RemoveVolume(ctx, v.Name); err != nil {
				t.Errorf("remove what is left: %v", err)
			}
		}
	}
}

func (s *subject) context(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	return ctx
}

// spec gives a spec that works, under a name not used before.
func (s *subject) spec() engine.Spec {
	s.names++
	return engine.Spec{
		Name:     fmt.Sprintf("%s-%d", s.Prefix, s.names),
		Image:    s.Image,
		Hostname: "pod",
		Command:  s.Idle,
		Env:      []string{"FROM_SPEC=1"},
		Labels:   maps.Clone(s.Labels),
		Network:  s.Network,
		Limits:   engine.Limits{MemoryBytes: 256 << 20, NanoCPUs: 1e9, Pids: 64},
	}
}

func (s *subject) create(t *testing.T, spec engine.Spec) engine.ID {
	t.Helper()
	id, err := s.Engine.Create(s.context(t), spec)
	if err != nil {
		t.Fatalf("create: %v", err)
	}
	return id
}

// running gives a new container that runs.
func (s *subject) running(t *testing.T) engine.ID {
	t.Helper()
	id := s.create(t, s.spec())
	if err := s.Engine.Start(s.context(t), id); err != nil {
		t.Fatalf("start: %v", err)
	}
	return id
}

func (s *subject) exec(t *testing.T, id engine.ID, spec engine.ExecSpec) engine.Process {
	t.Helper()
	return s.execIn(t, s.context(t), id, spec)
}

func (s *subject) execIn(t *testing.T, ctx context.Context, id engine.ID, spec engine.ExecSpec) engine.Process {
	t.Helper()
	p, err := s.Engine.Exec(ctx, id, spec)
	if err != nil {
		t.Fatalf("exec %q: %v", spec.Command, err)
	}
	t.Cleanup(func() { _ = p.Close() })
	return p
}

// kill ends PID 1 and waits until the engine says so.
func (s *subject) kill(t *testing.T, id engine.ID) {
	t.Helper()
	ctx := s.context(t)
	if err := s.Kill(ctx, id); err != nil {
		t.Fatalf("kill: %v", err)
	}
	eventually(t, "the killed container does not run", func() bool {
		c, err := s.Engine.Inspect(ctx, id)
		return err == nil && c.State == engine.Exited
	})
}

// eventually looks until ok, because the other side may be a real process with no way to tell when it is done.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-deadline.C:
			t.Fatalf("not within %v: %s", patience, what)
		}
	}
}

func wantKind(t *testing.T, what string, err error, want ...engine.Kind) {
	t.Helper()
	for _, k := range want {
		if engine.KindOf(err) == k {
			return
		}
	}
	t.Errorf("%s: got error %v (kind %q), want kind %q", what, err, engine.KindOf(err), want)
}

// carries says whether a container has the labels. It may have more: an image's own are inherited.
func carries(got, want map[string]string) bool {
	for k, v := range want {
		if g, ok := got[k]; !ok || g != v {
			return false
		}
	}
	return true
}

// readAll reads a process to its end.
func readAll(t *testing.T, p engine.Process) string {
	t.Helper()
	b, err := io.ReadAll(p)
	if err != nil {
		t.Fatalf("read: %v", err)
	}
	return string(b)
}

// output collects what a process writes, so that a test can wait for a part of it.
type output struct {
	p   engine.Process
	got []byte
}

// until reads until the output so far satisfies ok, and fails if it ends before.
func (o *output) until(t *testing.T, what string, ok func(got string) bool) {
	t.Helper()
	b := make([]byte, 4096)
	for !ok(string(o.got)) {
		n, err := o.p.Read(b)
		o.got = append(o.got, b[:n]...)
		if err != nil {
			t.Fatalf("waiting for %s: read: %v; so far %q", what, err, o.got)
		}
	}
}
