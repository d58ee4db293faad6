package trial

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"podlife/model/podruntime"
	"podlife/runtime/boot"
	"podlife/runtime/container/simprograms"
	"podlife/runtime/pod"
)

// The build that ships breaks nothing in any scenario, and each comes to its end.
func TestWhatShipsPassesEveryScenario(t *testing.T) {
	outcomes, err := Run(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(outcomes) != len(Names()) {
		t.Errorf("%d outcomes of %d scenarios", len(outcomes), len(Names()))
	}
	for _, o := range outcomes {
		if len(o.Findings) > 0 || o.Err != "" {
			t.Errorf("%s: %+v, error %s", o.Scenario, o.Findings, o.Err)
		}
	}
}

func TestAnUnknownScenarioIsAnError(t *testing.T) {
	if _, err := Run(t.Context(), []string{Life, "no such thing"}); err == nil {
		t.Error("it was run")
	}
}

// What no server of ours does is done here behind its back, and the judge sees it.
func TestTheJudgeSeesWhatIsWrong(t *testing.T) {
	ready := func(m *machine) error { return m.ready("c1") }
	for name, c := range map[string]struct {
		by string
		do func(*machine) error
	}{
		"a terminal in a container that lost its setup": {podruntime.NoAttachWithoutShellSetup, func(m *machine) error {
			files, _ := m.engine.Files(m.container())
			if err := files.Remove(simprograms.Hook); err != nil {
				return err
			}
			_, err := m.open("c1")
			return err
		}},
		"a shell in a container without its setup, of which no step tells": {podruntime.NoAttachWithoutShellSetup, func(m *machine) error {
			files, _ := m.engine.Files(m.container())
			now := m.pod().Status()
			m.judge.attached(user, now, &pod.Attachment{Shell: &located{container: now.Container}})
			if found := m.judge.found(); len(found) > 0 {
				return fmt.Errorf("the right shell: %+v", found)
			}
			err := files.Remove(simprograms.Hook)
			m.judge.attached(user, now, &pod.Attachment{Shell: &located{container: now.Container}})
			return err
		}},
		"a shell in a container of somebody else": {podruntime.NoCrossAttach, func(m *machine) error {
			now := m.pod().Status()
			m.judge.attached("v", now, &pod.Attachment{Shell: &located{container: now.Container}})
			return nil
		}},
		"a shell in a container that is gone": {AttachIsCurrent, func(m *machine) error {
			m.judge.attached(user, m.pod().Status(), &pod.Attachment{Shell: &located{container: "gone"}})
			return nil
		}},
		"a boot that is answered too early": {podruntime.ReplyNamesItsIncarnation, func(m *machine) error {
			m.judge.booted(user, 2)
			return nil
		}},
		"a marker without the steps": {podruntime.MarkerMeansProvisioned, func(m *machine) error {
			files, _ := m.engine.Files(m.container())
			return errors.Join(files.Remove(simprograms.Hook), m.judge.glance())
		}},
		"another container of the pod": {podruntime.OneContainerPerPod, func(m *machine) error {
			_, err := m.world.Containers.Launch(m.ctx, pod.Incarnation{Pod: user, Inc: 7})
			return errors.Join(err, m.judge.glance())
		}},
		"a container after destroy": {podruntime.DestroyedStaysDestroyed, func(m *machine) error {
			if err := m.gone(); err != nil {
				return err
			}
			_, err := m.world.Containers.Launch(m.ctx, pod.Incarnation{Pod: user, Inc: 1})
			return errors.Join(err, m.judge.glance())
		}},
		"a number that is given again": {podruntime.IncarnationsIncrease, func(m *machine) error {
			if err := m.gone(); err != nil {
				return err
			}
			_, err := m.world.Containers.Launch(m.ctx, pod.Incarnation{Pod: user, Inc: 1})
			return errors.Join(err, m.judge.glance())
		}},
		"a record that says something else": {podruntime.StoreAgrees, func(m *machine) error {
			return m.store.Save(m.ctx, pod.Record{Pod: user, Inc: 1})
		}},
		"a step that the table does not allow": {ByTable, func(m *machine) error {
			m.judge.step(pod.Step{Pod: user, Action: podruntime.DestroyAnswered})
			return nil
		}},
		"a step that the outside must not see": {Refines, func(m *machine) error {
			m.judge.step(pod.Step{Pod: user, Action: podruntime.AttachGuarded, Client: "c1"})
			return nil
		}},
		"a ready pod that is taken for lost": {ReadyIsKept, func(m *machine) error {
			m.judge.step(pod.Step{Pod: user, Action: podruntime.ContainerLost})
			return nil
		}},
		"a hand-over in a pod that is not ready": {AttachIsCurrent, func(m *machine) error {
			if err := m.gone(); err != nil {
				return err
			}
			m.judge.step(pod.Step{Pod: user, Action: podruntime.AttachReady, Client: "c1"})
			return nil
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := run(t.Context(), Scenario{name, func(m *machine) error { return errors.Join(ready(m), c.do(m)) }})
			if !slices.ContainsFunc(o.Findings, func(f Finding) bool { return f.By == c.by }) {
				t.Errorf("found %+v, error %q, want %s", o.Findings, o.Err, c.by)
			}
		})
	}
}

// A marker of another recipe vouches for nothing, and is not taken for the right one.
func TestAMarkerOfSomebodyElseIsForeign(t *testing.T) {
	o := run(t.Context(), Scenario{"", func(m *machine) error {
		if err := m.ready("c1"); err != nil {
			return err
		}
		files, _ := m.engine.Files(m.container())
		if err := files.Write(boot.MarkerPath, boot.Marker{Pod: string(user), Incarnation: 2, Recipe: m.recipe.Hash()}.Format()); err != nil {
			return err
		}
		all, err := m.look()
		if err != nil || len(all) != 1 || all[0].box != (podruntime.Container{Box: podruntime.BoxRunning, Setup: podruntime.SetupAll, Marker: podruntime.MarkerForeign}) {
			t.Errorf("%+v, %v", all, err)
		}
		return err
	}})
	if o.Err != "" || len(o.Findings) > 0 {
		t.Errorf("%+v", o)
	}
}
