package container_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"podlife/runtime/boot"
	"podlife/runtime/container"
	"podlife/runtime/engine"
	"podlife/runtime/pod"
)

// newWorldWithHomes is containers on the real engine in which every pod has a home; alice's is made.
func newWorldWithHomes(t *testing.T, change func(*container.Options)) (w *world, home string) {
	t.Helper()
	w = newWorld(t, func(o *container.Options) {
		o.Home = func(id pod.ID) (string, bool) { return w.HomeVolume(id), true }
		if change != nil {
			change(o)
		}
	})
	home = w.HomeVolume("alice")
	if err := w.MakeHome(t.Context(), home, "alice"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // before the engine is closed, so the containers go here
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		found, err := w.List(ctx)
		if err != nil {
			t.Error(err)
		}
		for _, f := range found {
			if err := w.Remove(ctx, f.Container); err != nil {
				t.Error(err)
			}
		}
		if err := w.engine.RemoveVolume(ctx, home); err != nil {
			t.Error(err)
		}
	})
	return w, home
}

func TestDockerAMarkerInAHomeNeverVouchesForTheNextContainerAndWorkIsKept(t *testing.T) {
	w, _ := newWorldWithHomes(t, nil)
	id := w.launch(first)
	w.boot(id, first)
	w.inside(id, `cd /root && cp /var/lib/podlife/marker marker && mkdir -p var/lib/podlife && cp marker var/lib/podlife/ && echo 'all of it' >work &&
		sed 's/incarnation 1/incarnation 2/' marker >marker.2 && echo 'alias mine=true' >>.bashrc && cd example && git remote set-url origin file:///elsewhere && echo changed >>README`)
	if err := w.Remove(t.Context(), id); err != nil {
		t.Fatal(err)
	}

	id = w.launch(second)
	if refused := want[*pod.NotProvisionedError](t, w.Provisioned(t.Context(), id, second)); refused.Reason != string(boot.MarkerMissing) {
		t.Error(refused)
	}
	_, err := w.Shell(t.Context(), id, second, request("one"))
	want[*pod.NotProvisionedError](t, err)
	steps := w.boot(id, second)
	for _, step := range []string{"repository skipped", "marker done"} {
		if !slices.Contains(steps, step) {
			t.Errorf("without %q: %v", step, steps)
		}
	}
	if err := w.Provisioned(t.Context(), id, second); err != nil {
		t.Error(err)
	}
	got := w.inside(id, `cd /root && cat work && tail -1 .bashrc && grep -c '>>> podlife >>>' .bashrc && git -C example remote get-url origin && tail -1 example/README; ls -d example.*`)
	if want := "all of it\nalias mine=true\n1\nfile:///elsewhere\nchanged\n"; got != want {
		t.Errorf("the home has %q, want %q", got, want)
	}
}

// removesVolumes is the real engine, at which somebody removes a container's volumes just before it is made.
type removesVolumes struct{ engine.Engine }

func (e removesVolumes) Create(ctx context.Context, spec engine.Spec) (engine.ID, error) {
	for _, v := range spec.Volumes {
		if err := e.RemoveVolume(ctx, v.Name); err != nil {
			return "", err
		}
	}
	return e.Engine.Create(ctx, spec)
}

func TestDockerALaunchWithoutItsHomeStartsNothingAndLeavesNothing(t *testing.T) {
	for name, during := range map[string]bool{"removed before": false, "removed while the container is made": true} {
		t.Run(name, func(t *testing.T) {
			w, home := newWorldWithHomes(t, func(o *container.Options) {
				if during {
					o.Engine = removesVolumes{o.Engine}
				}
			})
			if !during {
				if err := w.engine.RemoveVolume(t.Context(), home); err != nil {
					t.Fatal(err)
				}
			}
			_, err := w.Launch(t.Context(), first)
			if failed := want[*pod.BootError](t, err); failed.Step != "start" {
				t.Error(failed)
			}
			if missing := want[*container.HomeMissingError](t, err); missing.Volume != home || missing.Other || !strings.Contains(err.Error(), home) {
				t.Errorf("%+v", missing)
			}
			if found, err := w.List(t.Context()); len(found) != 0 || err != nil {
				t.Errorf("left: %v, %v", found, err)
			}
			if _, err := w.engine.Volume(t.Context(), home); engine.KindOf(err) != engine.NotFound {
				t.Errorf("the volume that the engine made: %v", err)
			}
		})
	}
}
