package replay_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"podlife/conformance/harness"
	"podlife/conformance/replay"
	"podlife/model"
	"podlife/model/podlifecycle"
	"podlife/model/trace"
	"podlife/runtime/boot"
	"podlife/runtime/container"
	"podlife/runtime/engine"
	"podlife/runtime/pod"
)

func TestMain(m *testing.M) {
	code := m.Run()
	binary.Remove()
	os.Exit(code)
}

var binary harness.Binary

// counterexample is the shortest one of the design with the bug: boot, finish, sleep, and the tab that believes wakes a fresh container.
func counterexample(t *testing.T) podlifecycle.Trace {
	t.Helper()
	c := podlifecycle.Constants{MaxInc: 3}
	sys, err := podlifecycle.System(c, 2)
	if err != nil {
		t.Fatal(err)
	}
	r, err := model.Explore(t.Context(), sys, model.Options[podlifecycle.State]{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Violation == nil || r.Violation.Invariant != podlifecycle.NoAttachWithoutShellSetup {
		t.Fatalf("the design with the bug violates %+v", r.Violation)
	}
	return podlifecycle.TraceOf(c, 2, *r.Violation)
}

// guardedTrace is a path of the design that ships, with every action of it.
func guardedTrace(t *testing.T) podlifecycle.Trace {
	t.Helper()
	table := podlifecycle.Table(podlifecycle.Constants{MaxInc: 9, GuardedAttach: true})
	tr := podlifecycle.Trace{Table: podlifecycle.Name, Constants: map[string]any{"Clients": 2, "MaxInc": 9, "GuardedAttach": true}}
	p := podlifecycle.Pod{}
	clients := map[string]podlifecycle.Client{"c1": {}, "c2": {}}
	view := func() podlifecycle.View {
		v := podlifecycle.View{Ctr: p.Ctr, Inc: p.Inc, Client: map[string]podlifecycle.Client{}}
		for n, c := range clients {
			v.Client[n] = c
		}
		return v
	}
	tr.Steps = append(tr.Steps, trace.Step[podlifecycle.View]{State: view()})
	for _, word := range strings.Fields("StartBoot/c1 StartBoot/c2 FinishBoot/c1 FinishBoot/c2 AttachReady/c1 Sleep Reconnect/c1 AttachGuarded/c1 StartBoot/c1 Sleep BootLost/c1 StartBoot/c1 FinishBoot/c1 AttachReady/c1 AttachReady/c2") {
		action, who, _ := strings.Cut(word, "/")
		l, err := table.Take(action, podlifecycle.Local{Pod: p, Client: clients[who]})
		if err != nil {
			t.Fatal(err)
		}
		p = l.Pod
		s := trace.Step[podlifecycle.View]{Action: action}
		if who != "" {
			clients[who], s.Args = l.Client, []string{who}
		}
		s.State = view()
		tr.Steps = append(tr.Steps, s)
	}
	return tr
}

// play replays a trace with a fresh user of a world.
func play(t *testing.T, w harness.World, tr podlifecycle.Trace, gated bool) replay.Report {
	t.Helper()
	u, err := w.NewUser(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	o := replay.Options{Client: u.Client, Trace: tr, Prober: w.Prober(), Inside: func(ctx context.Context) (replay.Truth, error) {
		list, err := w.Containers(ctx, u.Name)
		if err != nil || len(list) != 1 {
			return replay.Truth{Words: fmt.Sprint(list)}, err
		}
		in, err := w.Inside(ctx, list[0].ID)
		return replay.Truth{Provisioned: in.Provisioned(), Words: in.String()}, err
	}}
	if gated {
		o.Gate = func(ctx context.Context) error {
			for { // it may still be on its way
				list, err := w.Containers(ctx, u.Name)
				if err != nil {
					return err
				}
				if len(list) > 0 {
					return w.OpenGate(ctx, list[0].ID)
				}
				select {
				case <-ctx.Done():
					return ctx.Err()
				case <-time.After(time.Millisecond):
				}
			}
		}
	}
	o.Each = func(s replay.Step) { t.Logf("%+v", s) }
	r, err := replay.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestTheUnguardedCounterexampleEndsProvisionedOnTheSimulatedEngine(t *testing.T) {
	endsProvisioned(t, play(t, harness.NewSimulated(t, harness.SimulatedOptions{}), counterexample(t), false))
}

// TestTLCsOwnCounterexampleIsPlayed reads what TLC wrote with -dumpTrace json.
func TestTLCsOwnCounterexampleIsPlayed(t *testing.T) {
	f, err := os.Open("../../model/podlifecycle/testdata/unguarded.tlctrace.json")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	tr, err := trace.Read[podlifecycle.View](f)
	if err != nil {
		t.Fatal(err)
	}
	endsProvisioned(t, play(t, harness.NewSimulated(t, harness.SimulatedOptions{}), tr, false))
}

func TestDockerTheUnguardedCounterexampleEndsProvisioned(t *testing.T) {
	harness.NeedDocker(t)
	w := harness.NewDocker(t, harness.DockerOptions{Binary: binary.Path(t), Users: 2})
	endsProvisioned(t, play(t, w, counterexample(t), false))

	t.Run("by podlife replay", func(t *testing.T) {
		u, err := w.NewUser(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		token, file := filepath.Join(dir, "token"), filepath.Join(dir, "bug.json")
		if err := os.WriteFile(token, []byte(u.Token), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{
			{"check", "--guarded=false", "--trace", file}, // ends with 12: it found the counterexample
			{"replay", file, "--server", w.URL(), "--token-file", token},
		} {
			cmd := exec.CommandContext(t.Context(), binary.Path(t), args...)
			var out bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &out
			err := cmd.Run()
			var exit *exec.ExitError
			if args[0] == "check" && errors.As(err, &exit) && exit.ExitCode() == 12 {
				continue
			}
			t.Logf("podlife %s:\n%s", strings.Join(args, " "), &out)
			if err != nil || !strings.Contains(out.String(), "ends in a provisioned shell of incarnation 2") || !strings.Contains(out.String(), "no invariant is broken") {
				t.Fatalf("podlife %s: %v", args[0], err)
			}
		}
	})
}

// endsProvisioned says what a right server makes of the counterexample.
func endsProvisioned(t *testing.T, r replay.Report) {
	t.Helper()
	if r.Guarded || len(r.Broke) > 0 || r.Differs() || !r.EndsProvisioned {
		t.Fatalf("the counterexample ended in %+v", r)
	}
	if len(r.Shells) != 1 {
		t.Fatalf("one tab is attached at the end of the counterexample, found %+v", r.Shells)
	}
	for name, s := range r.Shells {
		if !s.Provisioned || s.Incarnation != 2 {
			t.Errorf("%s ended in %+v, want a provisioned shell of incarnation 2", name, s)
		}
	}
}

func TestAGuardedTraceIsFollowedStepByStep(t *testing.T) {
	r := play(t, harness.NewSimulated(t, harness.SimulatedOptions{Gate: true}), guardedTrace(t), true)
	if !r.Guarded || r.Differs() || len(r.Broke) > 0 || !r.EndsProvisioned || len(r.Shells) != 2 {
		t.Fatalf("got %+v", r)
	}
}

func TestAServerThatGivesBareShellsBreaksTheInvariants(t *testing.T) {
	w := harness.NewSimulated(t, harness.SimulatedOptions{Containers: func(s *harness.Simulated, real *container.Containers) pod.Containers {
		return bare{Containers: real, world: s, hash: real.RecipeHash()}
	}})
	r := play(t, w, counterexample(t), false)
	if want := []string{podlifecycle.NoAttachWithoutShellSetup, podlifecycle.BootIdempotent}; !slices.Equal(r.Broke, want) || r.EndsProvisioned {
		t.Fatalf("broke %q, ends provisioned: %v, want %q and false", r.Broke, r.EndsProvisioned, want)
	}
}

// bare are containers whose boot does nothing but write the marker.
type bare struct {
	pod.Containers
	world *harness.Simulated
	hash  string
}

func (b bare) Boot(_ context.Context, c pod.ContainerID, inc pod.Incarnation, _ func(pod.Progress)) error {
	files, ok := b.world.Engine.Files(engine.ID(c))
	if !ok {
		return &pod.GoneError{Err: errors.New("no container")}
	}
	return files.Write(boot.MarkerPath, boot.Marker{Pod: string(inc.Pod), Incarnation: inc.Inc, Recipe: b.hash}.Format())
}

func TestWhatCannotBePlayedIsRefused(t *testing.T) {
	w := harness.NewSimulated(t, harness.SimulatedOptions{})
	u, err := w.NewUser(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	wrong := counterexample(t)
	wrong.Steps[2].State.Inc = 7
	var foreign *replay.TraceError
	if _, err := replay.Run(t.Context(), replay.Options{Client: u.Client, Trace: wrong}); !errors.As(err, &foreign) {
		t.Errorf("a trace with a wrong state: %v", err)
	}
	if _, err := u.Client.Boot(t.Context(), "c1", nil); err != nil {
		t.Fatal(err)
	}
	var awake *replay.AwakeError
	if _, err := replay.Run(t.Context(), replay.Options{Client: u.Client, Trace: counterexample(t)}); !errors.As(err, &awake) {
		t.Errorf("a pod that is ready: %v", err)
	}
}
