package drive_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"podlife/conformance/lockstep"
	"podlife/conformance/replay/drive"
	"podlife/conformance/replay/tracefile"
	"podlife/conformance/specs"
	"podlife/tla/checker"
	"podlife/tla/diag"
	"podlife/tla/itf"
	"podlife/tla/spec"
)

const tla = "../../../tla"

// undrivable are the configurations whose shortest counterexample takes a step that no server can be brought to, before that which needs the guard gone.
var undrivable = map[string]lockstep.Reason{
	"BootFailed.sameInc": lockstep.NothingLaunched, "BootFailed.stored": lockstep.NothingLaunched, "ContainerLost.stored": lockstep.NothingLaunched,
	"StartBoot.idle": lockstep.InSection,
	"Probe.ownPod":   "", // it needs two pods
}

// Each guard and rule of the specification has a configuration without it, in which something is violated. The real server has them all: it must refuse
// the very step that needs the guard gone, and refuse it by that guard.
func TestTheServerFollowsNoCounterexampleOfADesignWithoutAGuard(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(tla, "configs/registry.txt"))
	if err != nil {
		t.Fatal(err)
	}
	entries, err := specs.Parse(diag.NewSource("registry.txt", text))
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex // guards the following
	outcomes, pushed := map[drive.Outcome]int{}, 0
	t.Run("off", func(t *testing.T) {
		for _, e := range entries {
			off, ok := strings.CutPrefix(e.File, "configs/PodRuntime/off/")
			if !ok {
				continue
			}
			off = strings.TrimSuffix(off, ".cfg")
			t.Run(off, func(t *testing.T) {
				t.Parallel()
				outcome, asked := refused(t, e, off)
				mu.Lock()
				defer mu.Unlock()
				outcomes[outcome]++
				if asked {
					pushed++
				}
			})
		}
	})
	if outcomes[drive.Refused] != 36 || outcomes[drive.NotDrivable] != 5 || len(outcomes) != 2 {
		t.Errorf("the outcomes are %v", outcomes)
	}
	if pushed < 20 {
		t.Errorf("only %d times had the server something under way that could have taken the step", pushed)
	}
}

// refused plays the counterexample of a configuration without one guard or rule, and says whether the server was made to go on where it refuses.
func refused(t *testing.T, e specs.Entry, off string) (outcome drive.Outcome, asked bool) {
	f, err := tracefile.Read(t.Context(), counterexample(t, e))
	reason, cannot := undrivable[off]
	var scope *tracefile.ScopeError
	if errors.As(err, &scope) && cannot && reason == "" {
		return drive.NotDrivable, false
	}
	if err != nil {
		t.Fatal(err)
	}
	r, _ := played(t, f.Runtime, nil)
	needed := ""
	action, _, _ := strings.Cut(r.Action, "(")
	switch {
	case len(r.Guards) > 0:
		needed = action + "." + r.Guards[0]
	case len(r.Effect) > 0:
		needed = off // a rule: the file's design has it alone
	}
	if needed == "DialWakes.wakes" {
		needed = "Dial.neverWakes"
	}
	switch r.Outcome {
	case drive.Refused:
		if cannot || needed != off || len(r.Effect) > 0 && !strings.HasPrefix(off, action+".") {
			t.Errorf("refused %s at step %d by %q, with %q", r.Action, r.At, r.Guards, r.Effect)
		}
		if len(r.Guards) > 0 && !strings.Contains(r.Asked, "is refused") {
			t.Errorf("nobody asked the server for %s: %q", r.Action, r.Asked)
		}
	case drive.NotDrivable:
		if !cannot || r.ReasonKey != string(reason) {
			t.Errorf("not drivable: %s at step %d, %s", r.Action, r.At, r.Reason)
		}
	default:
		t.Errorf("after step %d, %s: %s, %q, %+v", r.At, r.Action, r.Outcome, r.Asked, r.Differs)
	}
	return r.Outcome, r.Asked != "" && !strings.Contains(r.Asked, "nothing is under way") && !strings.Contains(r.Asked, "no way to ask")
}

// counterexample is what the checker finds in a configuration, as a file.
func counterexample(t *testing.T, e specs.Entry) *bytes.Buffer {
	t.Helper()
	s, err := spec.Load(filepath.Join(tla, e.Module+".tla"), spec.Options{Config: filepath.Join(tla, filepath.FromSlash(e.File))})
	if err != nil {
		t.Fatal(err)
	}
	opt := s.CheckerOptions()
	opt.Vacuity.Off = true
	r, err := checker.Run(t.Context(), s.Program, opt)
	if err != nil || len(r.Trace) < 2 {
		t.Fatalf("%d states, %v", len(r.Trace), err)
	}
	var file bytes.Buffer
	if err := itf.Write(&file, s.Trace(r.Trace, r.Name)); err != nil {
		t.Fatal(err)
	}
	return &file
}
