package lockstep

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"

	"go.uber.org/goleak"

	"podlife/model/podruntime"
	"podlife/runtime/store"
)

// drive runs a path on a simulated world, in a bubble in which it is known when nothing moves any more.
func drive(t *testing.T, o Options, path ...Step) (report Report, err error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		report, err = Run(t.Context(), NewSimulated(SimulatedOptions{Settle: synctest.Wait, ImageMarked: o.ImageMarked}), path, o)
	})
	return report, err
}

func parse(t *testing.T, text string) []Step {
	t.Helper()
	path, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func TestTheServerFollowsEachPath(t *testing.T) {
	actions, asked := map[string]int{}, map[string]int{}
	for _, c := range claims() {
		t.Run(c.name, func(t *testing.T) {
			path := parse(t, c.path)
			o := Options{Ask: true, Tabs: 2}
			report, err := drive(t, o, path...)
			if err != nil {
				failed(t, path, o, err)
			}
			if report.Steps != len(path) {
				t.Errorf("%d steps were taken of %d", report.Steps, len(path))
			}
			for action, n := range report.Actions {
				actions[action] += n
			}
			for guard, n := range report.Asked {
				asked[guard] += n
			}
		})
	}
	for _, a := range podruntime.Table(podruntime.Constants{}).Actions {
		if actions[a.Name] == 0 && a.Name != podruntime.DialWakes {
			t.Errorf("no path takes %s", a.Name)
		}
	}
	t.Logf("asked: %v", asked)
	for _, guard := range []string{
		"StartBoot.known", "StartBoot.idle", "Probe.booted", "Probe.noTerminal", "Destroy.awake", "IdleSleep.awake", "IdleSleep.noTerminal", "IdleSleep.noRun",
		"ContainerLost.awake", "ContainerLost.launched", "ContainerLost.reallyDead", "StartBoot.unstored", "Destroy.unstored", "BootFailed.unstored", "ContainerLost.unstored", "IdleSleep.unstored",
	} {
		if asked[guard] == 0 {
			t.Errorf("the server was never asked for what %s forbids: %v", guard, slices.Sorted(maps.Keys(asked)))
		}
	}
}

func TestAMarkerOfTheImageVouchesForNothing(t *testing.T) {
	report, err := drive(t, Options{Ask: true, ImageMarked: true}, parse(t, opened)...)
	if err != nil || report.Actions[podruntime.AttachReady] != 1 {
		t.Fatal(report, err)
	}
}

func TestAWorldThatCannotTellWhenNothingMovesIsDrivenToo(t *testing.T) {
	t.Cleanup(func() { goleak.VerifyNone(t) })
	for i, c := range claims() {
		db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), fmt.Sprintf("%d.db", i)))
		if err != nil {
			t.Fatal(err)
		}
		path := parse(t, c.path)
		_, err = Run(t.Context(), NewSimulated(SimulatedOptions{Store: db}), path, Options{})
		if cerr := db.Close(); cerr != nil {
			t.Error(cerr)
		}
		if err != nil {
			t.Errorf("%s:", c.name)
			failed(t, path, Options{}, err)
			return // each would wait for what never comes
		}
	}
}

func TestWhatIsNoPathIsRefused(t *testing.T) {
	tests := []struct {
		path, guard string
		at          int
	}{
		{"StartBoot(c1) FinishBoot(c1, 1)", "replied", 1},
		{"AttachReady(c1)", "believes", 0},
		{ready + "Destroy Destroy", "awake", 11},
		{"Nonsense", "", 0},
		{"StartBoot(c1) Destroy", "", 1},                         // inside the section that the sleep opens
		{marked + "ScriptSucceeded(1) FinishBoot(c1, 1)", "", 8}, // inside that of the reply
	}
	for _, test := range tests {
		_, err := drive(t, Options{}, parse(t, test.path)...)
		var bad *BadPathError
		if !errors.As(err, &bad) || bad.At != test.at || test.guard != "" && bad.FalseGuards[0] != test.guard {
			t.Errorf("%s: %v", test.path, err)
		}
	}
}

func TestWhatCannotBeDrivenSaysWhy(t *testing.T) {
	tests := []struct {
		reason Reason
		path   string
	}{
		{InSection, "StartBoot(c1) Destroy Crash"},
		{InSection, marked + "ScriptSucceeded(1) FinishBoot(c1, 1) Destroy"},
		{NothingLaunched, "StartBoot(c1) LaunchFails(1)"},
		{Over, "StartBoot(c1) Destroy BootLost(c1) CreateContainer(1)"},
		{Over, "StartBoot(c1) CreateContainer(1) StartContainer(1) Destroy BootLost(c1) BeginScript(1)"},
		{OtherScript, begun + "ScriptWorks(1) CrashOtherRecipe ScriptWorks(1)"},
		{NothingToSee, "StartBoot(c1) CreateContainer(1) LaunchFails(1) ContainerLost"},
		{NotVouched, ready + "Probe(c1) Dial(c1) MarkerRemoved(1) Repair AttachReady(c1)"},
		{NobodyAttaches, opened + "CrashOtherRecipe RecoverReady Repair"},
	}
	seen := map[Reason]bool{NotHere: true} // of worlds that are not these
	for _, test := range tests {
		_, err := drive(t, Options{Tabs: 2}, parse(t, test.path)...)
		var not *NotDrivableError
		if !errors.As(err, &not) || not.Reason != test.reason {
			t.Errorf("%s, wanted %s: %v", test.path, test.reason, err)
		}
		seen[test.reason] = true
	}
	for _, r := range Reasons() {
		if !seen[r] {
			t.Errorf("nothing has the reason %s", r)
		}
		if r.Sentence() == string(r) {
			t.Errorf("the reason %s has no sentence", r)
		}
	}
}
