package harness_test

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"podlife/conformance/harness"
	"podlife/conformance/tab"
	"podlife/runtime/client"
	"podlife/runtime/engine"
)

func TestMain(m *testing.M) {
	code := m.Run()
	binary.Remove()
	os.Exit(code)
}

var binary harness.Binary

func TestDockerWorldBootsLooksInsideAndIsDisturbed(t *testing.T) {
	harness.NeedDocker(t)
	w := harness.NewDocker(t, harness.DockerOptions{Binary: binary.Path(t), Gate: true, Users: 2})
	testWorld(t, w)
}

func TestSimulatedWorldBootsLooksInsideAndIsDisturbed(t *testing.T) {
	testWorld(t, harness.NewSimulated(t, harness.SimulatedOptions{Gate: true, Users: 2}))
}

// TestADumpOfADockerWorldTellsWhatTheServerDoes sees that the goroutines are in it, and that the server can be started again after it.
func TestADumpOfADockerWorldTellsWhatTheServerDoes(t *testing.T) {
	harness.NeedDocker(t)
	w := harness.NewDocker(t, harness.DockerOptions{Binary: binary.Path(t), Users: 1})
	if dump := w.Dump(); !strings.Contains(dump, "goroutine 1 ") || !strings.Contains(dump, "podlife/runtime/server") {
		t.Errorf("the dump is\n%s", dump)
	}
	if err := w.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// testWorld walks through everything that a world can do, once.
func testWorld(t *testing.T, w harness.World) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	u, err := w.NewUser(ctx)
	if err != nil {
		t.Fatal(err)
	}
	booted := make(chan error, 1)
	boot := func() {
		go func() {
			_, err := u.Client.Boot(ctx, "c1", nil)
			booted <- err
		}()
	}
	boot()
	id := running(t, ctx, w, u)
	before := inside(t, ctx, w, id)
	if before.Provisioned() || before.Marker.Whole {
		t.Fatalf("before the gate is open: %s", before)
	}
	if err := w.OpenGate(ctx, id); err != nil {
		t.Fatal(err)
	}
	if err := <-booted; err != nil {
		t.Fatal(err)
	}
	after := inside(t, ctx, w, id)
	if !after.Provisioned() || after.Marker.Pod != u.Name || after.Marker.Incarnation != 1 {
		t.Fatalf("after the boot: %s, marker %+v", after, after.Marker)
	}

	s, err := tab.Open(ctx, u.Client, client.Hello{Client: "c1", Tab: "c1", Cols: 200, Rows: 50, NoBoot: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.AwaitAttached(ctx); err != nil {
		t.Fatal(err)
	}
	shell, err := w.Prober().Probe(ctx, s)
	if err != nil || !shell.Provisioned(after.Head) {
		t.Fatalf("typed into the terminal: %s, %v, want provisioned at %s", shell, err, after.Head)
	}

	if err := w.WipeSetup(ctx, id); err != nil {
		t.Fatal(err)
	}
	wiped := inside(t, ctx, w, id)
	if missing := wiped.Missing(); !slices.Equal(missing, []string{"interactive shell with the hook", "hook", "repository", "marker"}) {
		t.Fatalf("after the setup was deleted, missing: %q", missing)
	}
	if w.Kind() == "docker" {
		if shell, err := w.Prober().Probe(ctx, s); err != nil || shell.Provisioned(after.Head) || shell.Multiplexer == "" {
			t.Fatalf("after the setup was deleted the terminal says: %s, %v", shell, err)
		}
	}

	if err := w.Kill(ctx, id); err != nil {
		t.Fatal(err)
	}
	if seen, err := s.Await(ctx, "to be told asleep", func(n tab.Seen) bool { return n.Last().State == "asleep" }); err != nil || seen.Last().Reason != "lost" {
		t.Fatalf("after the kill: %v, %+v", err, seen.Last())
	}

	boot()
	id = running(t, ctx, w, u)
	if err := w.Remove(ctx, id); err != nil {
		t.Fatal(err)
	}
	if err := <-booted; client.CodeOf(err) != client.CodeBootLost {
		t.Fatalf("the boot of a container that was removed ended with %v", err)
	}
}

func inside(t *testing.T, ctx context.Context, w harness.World, id engine.ID) harness.Inside {
	t.Helper()
	in, err := w.Inside(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// running waits for the one running container of the user's pod.
func running(t *testing.T, ctx context.Context, w harness.World, u harness.User) engine.ID {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		list, err := w.Containers(ctx, u.Name)
		if err != nil {
			t.Fatal(err)
		}
		if len(list) == 1 && list[0].State == engine.Running {
			return list[0].ID
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("no container runs: %+v", list)
		}
	}
}
