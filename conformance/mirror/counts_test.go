package mirror

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"podlife/model/podlifecycle"
	"podlife/tla/checker"
	"podlife/tla/config"
	"podlife/tla/diag"
	"podlife/tla/eval"
	"podlife/tla/spec"
)

// figures are what TLC finds; the file is the one that the table's own explorer is held against.
type figures struct {
	Rows []struct {
		Guarded                    bool
		Invariants                 []string
		Clients, MaxInc            int
		Generated, Distinct, Depth int64
	}
	Unguarded struct {
		Clients, MaxInc            int
		Violates                   string
		Actions                    []string
		Generated, Distinct, Depth int64
	}
	EdgesOfGuarded23 map[string]int64
}

func tlcFigures(t *testing.T) figures {
	t.Helper()
	text, err := os.ReadFile("../../model/podlifecycle/testdata/tlc.json")
	if err != nil {
		t.Fatal(err)
	}
	var f figures
	if err := json.Unmarshal(text, &f); err != nil {
		t.Fatal(err)
	}
	return f
}

// check runs the embedded checker on the specification with these constants.
func check(t *testing.T, c podlifecycle.Constants, clients int, invariants []string) *checker.Result {
	t.Helper()
	text := lifecycleConfig(c, clients, invariants)
	cfg, err := config.Parse(diag.NewSource("counts.cfg", []byte(text)))
	if err != nil {
		t.Fatal(err)
	}
	program, err := eval.Compile(load(t), cfg, eval.Options{})
	if err != nil {
		t.Fatal(err)
	}
	result, err := checker.Run(t.Context(), program, checker.Options{NoDeadlock: true, Vacuity: checker.Vacuity{Off: true}})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// The embedded checker counts as TLC does.
func TestTheSpecificationHasTheStatesThatTLCFinds(t *testing.T) {
	const inTest = 60_000 // distinct states; the larger rows are `make bench-tla`
	rows := 0
	for _, row := range tlcFigures(t).Rows {
		if row.Distinct > inTest {
			continue
		}
		rows++
		invariants := row.Invariants
		if invariants == nil {
			invariants = allInvariants()
		}
		t.Run(fmt.Sprintf("guarded=%t clients=%d MaxInc=%d", row.Guarded, row.Clients, row.MaxInc), func(t *testing.T) {
			r := check(t, podlifecycle.Constants{MaxInc: row.MaxInc, GuardedAttach: row.Guarded}, row.Clients, invariants)
			if r.Verdict != checker.VerdictOK || r.Generated != row.Generated || r.Distinct != row.Distinct || int64(r.Depth) != row.Depth {
				t.Errorf("got %s %d/%d/%d, want ok %d/%d/%d", r.Verdict, r.Generated, r.Distinct, r.Depth, row.Generated, row.Distinct, row.Depth)
			}
		})
	}
	if rows < 14 {
		t.Errorf("%d rows were checked, want at least 14", rows)
	}
}

func TestTheUnguardedDesignIsViolatedAsTLCFinds(t *testing.T) {
	want := tlcFigures(t).Unguarded
	r := check(t, podlifecycle.Constants{MaxInc: want.MaxInc}, want.Clients, allInvariants())
	if r.Verdict != checker.VerdictInvariant || r.Name != want.Violates {
		t.Fatalf("got %s %s, want %s violated", r.Verdict, r.Name, want.Violates)
	}
	if r.Generated != want.Generated || r.Distinct != want.Distinct {
		t.Errorf("found with %d generated and %d distinct states, want %d and %d", r.Generated, r.Distinct, want.Generated, want.Distinct)
	}
	var actions []string
	for _, s := range r.Trace {
		if s.Action != nil {
			actions = append(actions, spec.ActionLabel(s.Action.Name, s.Args))
		}
	}
	if !slices.Equal(actions, want.Actions) {
		t.Errorf("the counterexample is %q, want %q", actions, want.Actions)
	}
}

func TestEachActionOfTheSpecificationHasTheEdgesThatTLCFinds(t *testing.T) {
	r := check(t, podlifecycle.Constants{MaxInc: 3, GuardedAttach: true}, 2, allInvariants())
	got := map[string]int64{}
	for _, a := range r.Actions {
		got[a.Action.Name] += a.Generated
	}
	if want := tlcFigures(t).EdgesOfGuarded23; !maps.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

// Each configuration that the project ships says what it is called, and the vacuity gate finds nothing in it that is not accepted, with a
// reason, in the specification.
func TestTheConfigurationsComeOutAsTheirFirstLineSays(t *testing.T) {
	files, err := os.ReadDir("../../tla")
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, file := range files {
		if !strings.HasSuffix(file.Name(), ".cfg") {
			continue
		}
		checked++
		t.Run(file.Name(), func(t *testing.T) {
			text, err := os.ReadFile("../../tla/" + file.Name())
			if err != nil {
				t.Fatal(err)
			}
			s, err := spec.Load(specFile, spec.Options{Config: "../../tla/" + file.Name()})
			if err != nil {
				t.Fatal(err)
			}
			r, err := checker.Run(t.Context(), s.Program, s.CheckerOptions())
			if err != nil {
				t.Fatal(err)
			}
			first, _, _ := strings.Cut(string(text), "\n")
			if _, violated, ok := strings.Cut(first, "Expected: "); !ok {
				t.Fatalf("its first line %q does not say what is expected", first)
			} else if name, _, isViolated := strings.Cut(violated, " is violated"); isViolated {
				if r.Verdict != checker.VerdictInvariant || r.Name != name {
					t.Errorf("got %s %s, its first line says %q", r.Verdict, r.Name, first)
				}
			} else if r.Verdict != checker.VerdictOK {
				t.Errorf("got %s %s, its first line says %q", r.Verdict, r.Name, first)
			}
			if r.Verdict == checker.VerdictOK && r.Vacuity != checker.VacuityNone {
				t.Errorf("what holds vacuously was looked for with the result %q", r.Vacuity)
			}
			for _, finding := range r.NotChecked {
				t.Errorf("not checked: %+v", finding)
			}
			for _, finding := range r.Findings {
				if finding.Accepted == "" {
					t.Errorf("holds for no reason: %+v", finding)
				}
			}
		})
	}
	if checked == 0 {
		t.Error("there is no configuration")
	}
}
