package podruntime

import (
	"fmt"
	"testing"

	"podlife/model"
)

// explore walks what the specification with these constants reaches.
func explore(t *testing.T, table model.Table[Local], c Constants, tabs int, opts model.Options[State]) model.Result[State] {
	t.Helper()
	r, err := model.Explore(t.Context(), LiftTable(table, c.MaxInc, tabs), opts)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The numbers are those that the checker of package tla finds in the specification itself. conformance/mirror compares larger systems.
func TestTheTableHasTheStatesThatTheSpecificationHas(t *testing.T) {
	for _, row := range []struct {
		c                          Constants
		tabs                       int
		generated, distinct, depth int
	}{
		{Constants{MaxInc: 1, MaxCrashes: 1, ImageMarked: true}, 2, 114_133, 20_881, 34},
		{Constants{MaxInc: 1, MaxCrashes: 1, ImageMarked: true}, 1, 8_490, 2_055, 26},
	} {
		t.Run(fmt.Sprintf("%d tabs, MaxInc %d", row.tabs, row.c.MaxInc), func(t *testing.T) {
			r := explore(t, Table(row.c), row.c, row.tabs, model.Options[State]{})
			if r.Violation != nil {
				t.Fatalf("%s is violated: %v", r.Violation.Invariant, r.Violation.Path)
			}
			if r.Generated != row.generated || r.Distinct != row.distinct || r.Depth != row.depth {
				t.Errorf("got %d/%d/%d, want %d/%d/%d", r.Generated, r.Distinct, r.Depth, row.generated, row.distinct, row.depth)
			}
		})
	}
}
