package mirror

import (
	"testing"

	"podlife/model/idlerule"
	"podlife/tla/module"
)

const idleGuards = 19

func loadIdle(t *testing.T) *module.Module {
	t.Helper()
	m, err := module.Load("../../tla/IdleRule.tla", module.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// The table of sleeping is its specification: in every reachable state, and in those beside them also without each guard.
func TestTheTableOfTheIdleSleepIsIdleRule(t *testing.T) {
	t.Parallel()
	for _, d := range IdleDesigns() {
		t.Run(d.Name, func(t *testing.T) {
			t.Parallel()
			report, err := d.Compare(t.Context(), loadIdle(t), idlerule.Table)
			if err != nil {
				t.Fatal(err)
			}
			if err := report.Err(); err != nil {
				t.Error(err)
			}
			if report.Guards != idleGuards {
				t.Errorf("%d guards were dropped on both sides, want %d", report.Guards, idleGuards)
			}
			if report.States < report.Reached+500 || report.Undefined > 0 {
				t.Errorf("%d states beside %d reachable ones, %d undefined", report.States-report.Reached, report.Reached, report.Undefined)
			}
			t.Logf("%d states and %d beside them, %d comparisons, %d guards, %d invariant values, %d undefined",
				report.Reached, report.States-report.Reached, report.Comparisons, report.Guards, report.Invariants, report.Undefined)
		})
	}
}

// What is switched off by the constant Off is off on both sides.
func TestWhatIsSwitchedOffOfIdleRuleIsOffOnBothSides(t *testing.T) {
	t.Parallel()
	m := loadIdle(t)
	switches := idlerule.Switches()
	if len(switches) != 12 {
		t.Errorf("there are %d switches, want 12: %v", len(switches), switches)
	}
	for _, name := range switches {
		c := idlerule.Constants{MaxTime: 3, Idle: 1, MaxLease: 2, MaxHolds: 1, MaxCrashes: 1, Off: []string{name}}
		pair, err := IdleRule(m, idlerule.Table(c), c)
		if err != nil {
			t.Fatal(err)
		}
		report, err := pair.Compare(t.Context(), Options[idlerule.State]{NoGuards: true})
		if err != nil {
			t.Fatal(err)
		}
		if err := report.Err(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		// And the design that ships is another.
		c.Off = nil
		pair.System = idlerule.LiftTable(idlerule.Table(c), c.MaxLease)
		if report, err = pair.Compare(t.Context(), Options[idlerule.State]{NoGuards: true}); err != nil {
			t.Fatal(err)
		}
		if report.Err() == nil {
			t.Errorf("%s: the table with it is taken for the specification without it", name)
		}
	}
}
