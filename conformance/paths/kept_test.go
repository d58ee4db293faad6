package paths

import (
	"bytes"
	"fmt"
	"os"
	"runtime"

	"testing"
	"time"

	"podlife/conformance/lockstep"
	"podlife/conformance/tracecheck"
	"podlife/model/explain"
	"podlife/model/podruntime"
)

func readKept(t *testing.T) (names []string, kept []Path) {
	t.Helper()
	names, kept, err := Read(os.DirFS(folder))
	if err != nil {
		t.Fatal(err)
	}
	if len(kept) < 10 {
		t.Fatalf("%d paths are kept", len(kept))
	}
	return names, kept
}

// It is judged by what is in the files alone.
func TestTheKeptPathsTakeEveryActionAndEveryOutcomeOfEveryGuard(t *testing.T) {
	names, kept := readKept(t)
	for i, p := range kept {
		var steps []explain.Step
		for _, s := range p {
			steps = append(steps, explain.Step{Action: s.Action, Client: s.Client, N: s.Inc})
		}
		if a, err := explain.Check(explain.Options{Hidden: -1}, steps); err != nil || a.Verdict != explain.Explained || a.Violated() {
			t.Errorf("%s is no behaviour of the specification: %v, %v", names[i], a, err)
		}
	}
	set, err := KeptSet(kept)
	if err != nil {
		t.Fatal(err)
	}
	c := set.Whole()
	for _, a := range Table().Actions {
		if shown := c.Actions[a.Name] > 0; shown != (a.Name != podruntime.DialWakes) {
			t.Errorf("%s is taken %d times", a.Name, c.Actions[a.Name])
		}
		for _, g := range a.Guards {
			name := a.Name + "." + g.Name
			o := c.Guards[name]
			for outcome, n := range map[string]int{": true": o.True, ": false": o.False} {
				why, isNever := Nevers()[name+outcome]
				switch {
				case n == 0 && !isNever:
					t.Errorf("no path shows %s%s", name, outcome)
				case n > 0 && isNever:
					t.Errorf("%s%s is shown, and was said not to be: %s", name, outcome, why)
				}
			}
		}
	}
	for action := range faults() {
		if c.Actions[action] == 0 {
			t.Errorf("the fault %s is not among them", action)
		}
	}
	stated := readDigest(t)
	if stated.Kept.Paths != len(kept) || stated.Kept.Steps != c.Steps {
		t.Errorf("cover.json speaks of %d paths and %d steps, there are %d and %d", stated.Kept.Paths, stated.Kept.Steps, len(kept), c.Steps)
	}
}

func TestWhatIsNeverShownIsStated(t *testing.T) {
	stated := readDigest(t).Never
	for _, name := range stated {
		if _, known := Nevers()[name]; !known {
			t.Errorf("cover.json says that no path shows %s, and nobody knows why", name)
		}
	}
	if len(stated) != len(Nevers()) {
		t.Errorf("cover.json has %d of the %d", len(stated), len(Nevers()))
	}
}

// The files are read as `podlife trace check` reads them.
func TestTheKeptPathsAreReadAsTheyWereWritten(t *testing.T) {
	_, kept := readKept(t)
	for _, p := range kept {
		text, err := ITF(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		records, err := tracecheck.Read(bytes.NewReader(text))
		if err != nil || len(records) != len(p) {
			t.Fatalf("%d of %d steps are read: %v", len(records), len(p), err)
		}
		for i, r := range records {
			if (lockstep.Step{Action: r.Action, Client: r.Client, Inc: r.Inc}) != p[i] {
				t.Fatalf("step %d is read as %v, not %v", i+1, r, p[i])
			}
		}
		if a, err := tracecheck.Check(t.Context(), explain.Options{Hidden: -1}, records); err != nil || a.Verdict != explain.Explained {
			t.Fatalf("%v, %v", a, err)
		}
	}
}

func TestAServerGoesTheKeptPathsOnTheSimulatedEngine(t *testing.T) {
	_, kept := readKept(t)
	drive := NewDrive(kept, KeptConfig().Tabs)
	began := time.Now()
	t.Run("workers", func(t *testing.T) {
		for i := range runtime.GOMAXPROCS(0) {
			t.Run(fmt.Sprint(i), func(t *testing.T) {
				t.Parallel()
				drive.Work(t.Context(), simulated(t))
			})
		}
	})
	took := time.Since(began)
	set, got, did := keptWas(t, kept, drive, took)
	tellSimulated(t, drive.Failure(), set)
	if err := NewResult("simulated", KeptName, did, got, drive.Failure() != nil, took).Write(); err != nil {
		t.Error(err)
	}
}

// keptWas holds a run of the paths that are kept against what there is of them, and gives its result.
func keptWas(t *testing.T, kept []Path, drive *Drive, took time.Duration) (Set, Coverage, Did) {
	t.Helper()
	set, err := KeptSet(kept)
	if err != nil {
		t.Fatal(err)
	}
	got, whole, did := set.Coverage(drive.Taken), set.Whole(), drive.Did()
	questions := 0
	for _, n := range did.Asked {
		questions += n
	}
	t.Logf("%d paths, %d steps in %.1f s, %d edges; asked %d times for what is forbidden", did.Paths, did.Steps, took.Seconds(), got.Taken, questions)
	if drive.Failure() == nil && (did.Paths != len(kept) || did.Steps != whole.Steps || got.Taken != whole.Taken || got.Taken == 0) {
		t.Errorf("%d of %d paths, %d of %d steps, %d of %d edges", did.Paths, len(kept), did.Steps, whole.Steps, got.Taken, whole.Taken)
	}
	// A server that took a step unasked would have been a difference; one that took none at all would not.
	committed := 0
	for _, n := range did.Committed {
		committed += n
	}
	if drive.Failure() == nil && committed*2 < did.Steps {
		t.Errorf("%d steps were taken, and the server committed %d", did.Steps, committed)
	}
	got.Edges, got.Unreachable = whole.Taken, 0
	got.NotDrivable = map[lockstep.Reason]int{}
	if missing := whole.Taken - got.Taken; missing > 0 {
		got.NotDrivable[NotTaken] = missing
	}
	return set, got, did
}
