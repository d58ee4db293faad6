package podlifecycle

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"testing"

	"podlife/model"
	"podlife/model/graph"
)

// expected is testdata/tlc.json: what TLC finds for the specification.
type expected struct {
	About     string
	Rows      []expectedRow
	Unguarded struct {
		Clients, MaxInc            int
		Violates                   string
		Actions                    []string
		Generated, Distinct, Depth int
	}
	EdgesOfGuarded23 map[string]int
}

type expectedRow struct {
	Guarded         bool
	Invariants      []string
	Clients, MaxInc int
	Generated       int
	Distinct, Depth int
}

func (r expectedRow) constants() Constants {
	return Constants{MaxInc: r.MaxInc, GuardedAttach: r.Guarded}
}

func (r expectedRow) counts() Counts { return Counts{r.Generated, r.Distinct, r.Depth} }

func (r expectedRow) String() string {
	return fmt.Sprintf("guarded=%v,clients=%d,maxInc=%d", r.Guarded, r.Clients, r.MaxInc)
}

// big rows are left to BenchmarkGuardedClients3MaxInc9.
func (r expectedRow) big() bool { return r.Distinct > 1_000_000 }

func readExpected(t testing.TB) expected {
	t.Helper()
	data, err := os.ReadFile("testdata/tlc.json")
	if err != nil {
		t.Fatal(err)
	}
	var e expected
	if err := json.Unmarshal(data, &e); err != nil {
		t.Fatal(err)
	}
	if len(e.Rows) != 18 {
		t.Fatalf("testdata/tlc.json has %d rows, want 18", len(e.Rows))
	}
	return e
}

func explore(t testing.TB, table model.Table[Local], clients int, invariants []string) model.Result[State] {
	t.Helper()
	r, err := model.Explore(t.Context(), LiftTable(table, clients), model.Options[State]{Invariants: invariants, MaxStates: 2_000_000})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestTheTableHasTheStatesThatTLCFinds(t *testing.T) {
	for _, row := range readExpected(t).Rows {
		if row.big() {
			continue
		}
		t.Run(row.String(), func(t *testing.T) {
			t.Parallel()
			r := explore(t, Table(row.constants()), row.Clients, row.Invariants)
			if r.Violation != nil {
				t.Errorf("%s is violated: %v", r.Violation.Invariant, r.Violation.Path)
			}
			if got := (Counts{r.Generated, r.Distinct, r.Depth}); got != row.counts() {
				t.Errorf("explored: %v, TLC: %v", got, row.counts())
			}
			for _, a := range r.Antecedents {
				if a.Reached == 0 {
					t.Errorf("%s is vacuous", a.Invariant)
				}
			}
		})
	}
}

// The biggest row of Explore is left to the benchmark, which counts a bigger one.
func TestCountGivesTheSameAsExplore(t *testing.T) {
	for _, row := range readExpected(t).Rows {
		if row.Distinct > 500_000 {
			continue
		}
		t.Run(row.String(), func(t *testing.T) {
			t.Parallel()
			got, err := Count(t.Context(), withInvariants(Table(row.constants()), row.Invariants), row.MaxInc, row.Clients, 2)
			if err != nil || got != row.counts() {
				t.Errorf("counted: %v, %v, TLC: %v", got, err, row.counts())
			}
		})
	}
}

// withInvariants keeps the named invariants; nil keeps all.
func withInvariants(table model.Table[Local], names []string) model.Table[Local] {
	if names != nil {
		table.Invariants = slices.DeleteFunc(table.Invariants, func(inv model.Invariant[Local]) bool {
			return !slices.Contains(names, inv.Name)
		})
	}
	return table
}

func TestTheUnguardedDesignHandsOutABareShellInFiveStates(t *testing.T) {
	want := readExpected(t).Unguarded
	r := explore(t, Table(Constants{MaxInc: want.MaxInc}), want.Clients, nil)
	if r.Violation == nil || r.Violation.Invariant != want.Violates {
		t.Fatalf("violation %+v, want one of %s", r.Violation, want.Violates)
	}
	var actions []string
	for _, step := range r.Violation.Path[1:] {
		actions = append(actions, graph.Call(step.Action, step.Args))
	}
	if !slices.Equal(actions, want.Actions) {
		t.Errorf("actions %v, TLC: %v", actions, want.Actions)
	}
	if got := (Counts{r.Generated, r.Distinct, r.Depth}); got != (Counts{want.Generated, want.Distinct, want.Depth}) {
		t.Errorf("found after %v, TLC: %+v", got, want)
	}
}

func TestEachActionHasTheEdgesThatTLCFinds(t *testing.T) {
	want := readExpected(t).EdgesOfGuarded23
	got := map[string]int{}
	for _, a := range explore(t, Table(Constants{MaxInc: 3, GuardedAttach: true}), 2, nil).Edges {
		got[a.Action] = a.Edges
	}
	if !maps.Equal(got, want) {
		t.Errorf("edges %v, TLC: %v", got, want)
	}
}

// In one design or the other every action fires and every guard is seen both true and false, but for the two that are constants.
func TestBothDesignsTogetherSeeEveryGuardTrueAndFalse(t *testing.T) {
	seen := map[string]model.GuardCount{}
	for _, guarded := range []bool{true, false} {
		r := explore(t, Table(Constants{MaxInc: 3, GuardedAttach: guarded}), 2, []string{TypeOK, BootIdempotent})
		for _, g := range r.Guards {
			key := g.Action + "." + g.Guard
			seen[key] = model.GuardCount{True: seen[key].True + g.True, False: seen[key].False + g.False}
		}
	}
	if len(seen) != 22 {
		t.Errorf("%d guards, want 22", len(seen))
	}
	for key, g := range seen {
		if g.True == 0 || g.False == 0 {
			t.Errorf("%s is true %d times, false %d times", key, g.True, g.False)
		}
	}
}

// testdata/specs.json states for TLC, config by config, what the table has here.
func TestWhatIsStatedOfTheConfigurationsIsWhatTheTableHas(t *testing.T) {
	data, err := os.ReadFile("testdata/specs.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Specs []struct {
			Config, Expect             string
			Generated, Distinct, Depth int
		}
	}
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	configs := map[string]struct {
		guarded    bool
		invariants []string
	}{
		"PodLifecycle.cfg":              {true, nil},
		"PodLifecycleUnguarded.cfg":     {false, nil},
		"PodLifecycleUnguardedBoot.cfg": {false, []string{TypeOK, BootIdempotent}},
	}
	if len(file.Specs) != len(configs) {
		t.Errorf("%d configurations are stated, want %d", len(file.Specs), len(configs))
	}
	for _, spec := range file.Specs {
		c, known := configs[spec.Config]
		if !known {
			t.Errorf("%s is not known here", spec.Config)
			continue
		}
		r := explore(t, Table(Constants{MaxInc: 3, GuardedAttach: c.guarded}), 2, c.invariants)
		verdict := "holds"
		if r.Violation != nil {
			verdict = "violates " + r.Violation.Invariant
		}
		if got := (Counts{r.Generated, r.Distinct, r.Depth}); verdict != spec.Expect || got != (Counts{spec.Generated, spec.Distinct, spec.Depth}) {
			t.Errorf("%s: %s, %v; stated %+v", spec.Config, verdict, got, spec)
		}
	}
}
