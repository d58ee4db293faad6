package mirror

import (
	"testing"

	"podlife/model/sessionresume"
	"podlife/tla/module"
)

const sessionGuards = 29

func loadSession(t *testing.T) *module.Module {
	t.Helper()
	m, err := module.Load("../../tla/SessionResume.tla", module.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// The table of resuming is its specification: in every reachable state, and in those beside them also without each guard.
func TestTheTableOfTheSessionHostIsSessionResume(t *testing.T) {
	t.Parallel()
	for _, d := range SessionDesigns() {
		t.Run(d.Name, func(t *testing.T) {
			t.Parallel()
			report, err := d.Compare(t.Context(), loadSession(t), sessionresume.Table)
			if err != nil {
				t.Fatal(err)
			}
			if err := report.Err(); err != nil {
				t.Error(err)
			}
			if report.Guards != sessionGuards {
				t.Errorf("%d guards were dropped on both sides, want %d", report.Guards, sessionGuards)
			}
			if report.States < report.Reached+500 || report.Undefined*50 > report.Comparisons {
				t.Errorf("%d states beside %d reachable ones, %d comparisons and %d undefined", report.States-report.Reached, report.Reached, report.Comparisons, report.Undefined)
			}
			t.Logf("%d states and %d beside them, %d comparisons, %d guards, %d invariant values, %d undefined",
				report.Reached, report.States-report.Reached, report.Comparisons, report.Guards, report.Invariants, report.Undefined)
		})
	}
}

// What is switched off by the constant Off is off on both sides.
func TestWhatIsSwitchedOffOfSessionResumeIsOffOnBothSides(t *testing.T) {
	t.Parallel()
	m := loadSession(t)
	switches := sessionresume.Switches()
	if len(switches) != 9 {
		t.Errorf("there are %d switches, want 9: %v", len(switches), switches)
	}
	for _, name := range switches {
		for viewers := 1; viewers <= 2; viewers++ {
			c := sessionresume.Constants{MaxSessions: 3 - viewers, MaxOut: 2, MaxConns: 3 - viewers, Ring: 2, Window: 1, Off: []string{name}}
			pair, err := SessionResume(m, sessionresume.Table(c), c, viewers)
			if err != nil {
				t.Fatal(err)
			}
			report, err := pair.Compare(t.Context(), Options[sessionresume.State]{NoGuards: true})
			if err != nil {
				t.Fatal(err)
			}
			if err := report.Err(); err != nil {
				t.Errorf("%s, %d viewers: %v", name, viewers, err)
			}
		}
	}
}
