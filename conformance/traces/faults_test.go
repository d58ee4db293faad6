package traces

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"podlife/conformance/harness"
	"podlife/model/podlifecycle"
	"podlife/runtime/boot"
	"podlife/runtime/container"
	"podlife/runtime/engine"
	"podlife/runtime/engine/simulated"
	"podlife/runtime/pod"
)

// seeded is the server's containers with one thing wrong: what is set here is done instead of the real thing.
type seeded struct {
	pod.Containers
	boot   func(ctx context.Context, c pod.ContainerID, inc pod.Incarnation, progress func(pod.Progress)) error
	remove func(ctx context.Context, c pod.ContainerID) error
	shell  func(ctx context.Context, c pod.ContainerID, inc pod.Incarnation, req pod.ShellRequest) (pod.Shell, error)
	watch  func(ctx context.Context)
}

func (s seeded) Boot(ctx context.Context, c pod.ContainerID, inc pod.Incarnation, progress func(pod.Progress)) error {
	if s.boot != nil {
		return s.boot(ctx, c, inc, progress)
	}
	return s.Containers.Boot(ctx, c, inc, progress)
}

func (s seeded) Remove(ctx context.Context, c pod.ContainerID) error {
	if s.remove != nil {
		return s.remove(ctx, c)
	}
	return s.Containers.Remove(ctx, c)
}

func (s seeded) Shell(ctx context.Context, c pod.ContainerID, inc pod.Incarnation, req pod.ShellRequest) (pod.Shell, error) {
	if s.shell != nil {
		return s.shell(ctx, c, inc, req)
	}
	return s.Containers.Shell(ctx, c, inc, req)
}

func (s seeded) Watch(ctx context.Context, onList func([]pod.Found), onDied func(pod.ContainerID)) {
	if s.watch != nil {
		s.watch(ctx)
		return
	}
	s.Containers.Watch(ctx, onList, onDied)
}

// TestGeneratedTracesFindFaults sees every kind of comparison fail once: a check that never fails says nothing.
func TestGeneratedTracesFindFaults(t *testing.T) {
	t.Setenv("PODLIFE_FAILURES", t.TempDir())
	for _, c := range []struct {
		name  string
		fault func(*simulated.Engine, *container.Containers) seeded
		want  string // parts of the reason, of which one has to be there
		most  int    // operations of the shortened plan
	}{
		{
			name: "a boot is answered before its script is done",
			fault: func(*simulated.Engine, *container.Containers) seeded {
				return seeded{boot: func(context.Context, pod.ContainerID, pod.Incarnation, func(pod.Progress)) error { return nil }}
			},
			want: "FinishBoot|the API says ready|has to wait for the gate", most: 1, // whichever is seen first
		},
		{
			name: "destroy leaves the container",
			fault: func(*simulated.Engine, *container.Containers) seeded {
				return seeded{remove: func(context.Context, pod.ContainerID) error { return nil }}
			},
			want: "the pod sleeps, and the engine has", most: 2,
		},
		{
			name: "a shell is given whatever the marker says",
			fault: func(e *simulated.Engine, real *container.Containers) seeded {
				return seeded{shell: func(ctx context.Context, c pod.ContainerID, inc pod.Incarnation, req pod.ShellRequest) (pod.Shell, error) {
					// The marker that the guard asks for is made for the occasion.
					if files, ok := e.Files(engine.ID(c)); ok {
						m := boot.Marker{Pod: string(inc.Pod), Incarnation: inc.Inc, Recipe: real.RecipeHash()}
						if err := files.Write(boot.MarkerPath, m.Format()); err != nil {
							return nil, err
						}
					}
					return real.Shell(ctx, c, inc, req)
				}}
			},
			want: "not provisioned", most: 5,
		},
		{
			name: "nobody sees that a container dies",
			fault: func(*simulated.Engine, *container.Containers) seeded {
				return seeded{watch: func(ctx context.Context) { <-ctx.Done() }}
			},
			want: "not within", most: 3,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := harness.NewSimulated(t, harness.SimulatedOptions{Users: 400, Gate: true, Containers: func(s *harness.Simulated, real *container.Containers) pod.Containers {
				f := c.fault(s.Engine, real)
				f.Containers = real
				return f
			}})
			r := NewRunner(w, tabs, time.Second)
			f := firstFailure(t, r)
			if !slices.ContainsFunc(strings.Split(c.want, "|"), func(want string) bool { return strings.Contains(f.Error(), want) }) {
				t.Fatalf("found %v, want %q in it", f, c.want)
			}
			short := Shrink(f.Plan[:min(len(f.Plan), f.At+1)], 100, func(p Plan) bool {
				var here *Failure
				return errors.As(r.Run(t.Context(), p), &here)
			})
			if len(short) > c.most {
				t.Errorf("shortened to %q, want at most %d operations", short, c.most)
			}
			report := f.Report(r.Table)
			if !strings.Contains(report, "podlife replay ") {
				t.Errorf("the report does not say how to play it again:\n%s", report)
			}
			if err := podlifecycle.CheckTrace(r.Table, f.Trace(r.Table)); err != nil {
				t.Errorf("the trace of the failure is none of the specification: %v", err)
			}
			t.Logf("%s\nshortened to: %s", report, short)
		})
	}
}

func firstFailure(t *testing.T, r *Runner) *Failure {
	t.Helper()
	generator := rapid.Custom(Drawing{Tabs: tabs, Steps: steps, Kinds: append(AllKinds(), Idle)}.Draw)
	for seed := range 60 {
		var f *Failure
		switch err := r.Run(t.Context(), generator.Example(seed)); {
		case errors.As(err, &f):
			return f
		case err != nil:
			t.Fatal(err)
		}
	}
	t.Fatal("60 plans found nothing")
	return nil
}

// TestALateBootReplyCompletesNothing is what the table cannot see: that "ready" was said of another incarnation.
func TestALateBootReplyCompletesNothing(t *testing.T) {
	var once sync.Once
	held, release := make(chan struct{}), make(chan struct{})
	w := harness.NewSimulated(t, harness.SimulatedOptions{Users: 1, Gate: true, Containers: func(_ *harness.Simulated, real *container.Containers) pod.Containers {
		return seeded{Containers: real, boot: func(ctx context.Context, c pod.ContainerID, inc pod.Incarnation, progress func(pod.Progress)) error {
			err := real.Boot(ctx, c, inc, progress)
			once.Do(func() { close(held); <-release })
			return err
		}}
	}})
	r := NewRunner(w, 2, simulatedPatience)
	d, err := r.begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer d.leave()
	do := func(op Op) {
		t.Helper()
		st, ok := Expect(r.Table, d.model, op)
		if !ok {
			t.Fatalf("%s cannot be carried out in %s", op, d.model)
		}
		if err := d.step(t.Context(), st); err != nil {
			t.Fatalf("%s: %v", op, err)
		}
	}
	do(Op{Boot, 0})
	// The script of the first incarnation ends well, and its reply is on its way.
	if err := d.withContainer(t.Context(), d.openGate(t.Context())); err != nil {
		t.Fatal(err)
	}
	<-held
	do(Op{Destroy, NoTab})
	do(Op{Boot, 1})
	close(release)
	// Nobody can be asked whether the reply has been dropped, so this looks for as long as 200 questions take, a thousand times what an answer needs.
	for range 200 {
		if err := d.compareAPI(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	// And this is refused; its comparison finds any action that was committed meanwhile.
	do(Op{Attach, 1})
	do(Op{Gate, NoTab})
	do(Op{Connect, 1})
}
