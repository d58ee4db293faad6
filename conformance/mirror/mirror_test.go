package mirror

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"podlife/model"
	"podlife/model/podlifecycle"
	"podlife/tla/diag"
	"podlife/tla/module"
)

const specFile = "../../tla/PodLifecycle.tla"

func load(t *testing.T) *module.Module {
	t.Helper()
	m, err := module.Load(specFile, module.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// loadChanged reads the specification with one text in it replaced by another.
func loadChanged(t *testing.T, from, to string) *module.Module {
	t.Helper()
	text, err := os.ReadFile(specFile)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), from); n != 1 {
		t.Fatalf("the specification has %q %d times, want once", from, n)
	}
	changed := strings.Replace(string(text), from, to, 1)
	m, err := module.Load(specFile, module.Options{Open: func(name string) (*diag.Source, error) {
		if name == "PodLifecycle" {
			return diag.NewSource("changed.tla", []byte(changed)), nil
		}
		return nil, os.ErrNotExist
	}})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func compare(t *testing.T, m *module.Module, d Design, table func(podlifecycle.Constants) model.Table[podlifecycle.Local]) Report {
	t.Helper()
	report, err := d.Compare(t.Context(), m, table)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// The table that the server runs by is the specification: in every reachable state, for every action and argument, with and without
// each guard.
func TestTheTableIsTheSpecification(t *testing.T) {
	m := load(t)
	for _, d := range Designs() {
		t.Run(d.Name, func(t *testing.T) {
			report := compare(t, m, d, podlifecycle.Table)
			if err := report.Err(); err != nil {
				t.Fatal(err)
			}
			if want := tlcStates(t, d); !d.Every && report.States != want {
				t.Errorf("%d states were compared, TLC finds %d", report.States, want)
			}
			if report.Guards != 22 {
				t.Errorf("%d guards were dropped on both sides, want 22", report.Guards)
			}
			t.Logf("%d states, %d comparisons, %d guards, %d invariant values", report.States, report.Comparisons, report.Guards, report.Invariants)
		})
	}
}

// tlcStates is how many states TLC finds for a design.
func tlcStates(t *testing.T, d Design) int {
	t.Helper()
	for _, row := range tlcFigures(t).Rows {
		if row.Guarded == d.GuardedAttach && row.Clients == d.Clients && row.MaxInc == d.MaxInc {
			return int(row.Distinct)
		}
	}
	return 0
}

// differs tells whether one of the designs shows that a table is wrong.
func differs(t *testing.T, m *module.Module, table func(podlifecycle.Constants) model.Table[podlifecycle.Local]) bool {
	t.Helper()
	for _, d := range Designs() {
		if compare(t, m, d, table).Err() != nil {
			return true
		}
	}
	return false
}

// changed gives the table with one action changed.
func changed(action string, change func(*model.Action[podlifecycle.Local])) func(podlifecycle.Constants) model.Table[podlifecycle.Local] {
	return func(c podlifecycle.Constants) model.Table[podlifecycle.Local] {
		table := podlifecycle.Table(c)
		for i := range table.Actions {
			if table.Actions[i].Name == action {
				change(&table.Actions[i])
			}
		}
		return table
	}
}

func TestEachDroppedGuardIsSeen(t *testing.T) {
	m, dropped := load(t), 0
	for _, a := range podlifecycle.Table(podlifecycle.Constants{}).Actions {
		for g, guard := range a.Guards {
			dropped++
			wrong := changed(a.Name, func(a *model.Action[podlifecycle.Local]) { a.Guards = slices.Delete(slices.Clone(a.Guards), g, g+1) })
			if !differs(t, m, wrong) {
				t.Errorf("%s without %s is taken for the specification", a.Name, guard.Name)
			}
		}
	}
	if dropped != 22 {
		t.Errorf("%d guards were dropped, want 22", dropped)
	}
}

// Each effect is altered in each component, one at a time.
func TestEachAlteredEffectIsSeen(t *testing.T) {
	m := load(t)
	alter := map[string]func(*podlifecycle.Local){
		"ctr":     func(l *podlifecycle.Local) { l.Pod.Ctr = (l.Pod.Ctr + 1) % 4 },
		"inc":     func(l *podlifecycle.Local) { l.Pod.Inc++ },
		"phase":   func(l *podlifecycle.Local) { l.Client.Phase = (l.Client.Phase + 1) % 4 },
		"bootInc": func(l *podlifecycle.Local) { l.Client.BootInc++ },
		"attInc":  func(l *podlifecycle.Local) { l.Client.AttInc++ },
	}
	for _, a := range podlifecycle.Table(podlifecycle.Constants{}).Actions {
		for component, change := range alter {
			wrong := changed(a.Name, func(a *model.Action[podlifecycle.Local]) {
				right := a.Effect
				a.Effect = func(l podlifecycle.Local) podlifecycle.Local {
					l = right(l)
					change(&l)
					return l
				}
			})
			if !differs(t, m, wrong) {
				t.Errorf("%s with another %s is taken for the specification", a.Name, component)
			}
		}
		nothing := changed(a.Name, func(a *model.Action[podlifecycle.Local]) {
			a.Effect = func(l podlifecycle.Local) podlifecycle.Local { return l }
		})
		if !differs(t, m, nothing) {
			t.Errorf("%s without any effect is taken for the specification", a.Name)
		}
	}
}

// Two guards of one action that have each other's names: the actions agree, the names lie.
func TestGuardsWithSwappedNamesAreSeen(t *testing.T) {
	m := load(t)
	for _, a := range podlifecycle.Table(podlifecycle.Constants{}).Actions {
		for g := 1; g < len(a.Guards); g++ {
			wrong := changed(a.Name, func(a *model.Action[podlifecycle.Local]) {
				a.Guards = slices.Clone(a.Guards)
				a.Guards[g-1], a.Guards[g] = a.Guards[g], a.Guards[g-1]
				a.Guards[g-1].Name, a.Guards[g].Name = a.Guards[g].Name, a.Guards[g-1].Name
			})
			if !differs(t, m, wrong) {
				t.Errorf("%s with the names of its guards %d and %d swapped is taken for the specification", a.Name, g, g+1)
			}
		}
	}
}

func TestAWrongInvariantIsSeen(t *testing.T) {
	m := load(t)
	for i, inv := range podlifecycle.Table(podlifecycle.Constants{}).Invariants {
		wrong := func(c podlifecycle.Constants) model.Table[podlifecycle.Local] {
			table := podlifecycle.Table(c)
			table.Invariants[i].Holds = func(podlifecycle.Local) bool { return true }
			return table
		}
		if !differs(t, m, wrong) {
			t.Errorf("an always true %s is taken for the specification's", inv.Name)
		}
	}
}

// The other direction: the specification is changed and the table stays.
func TestAChangedSpecificationIsSeen(t *testing.T) {
	for name, c := range map[string]struct{ from, to, kind string }{
		"a weaker guard":        {`/\ client[c].bootInc = inc                            \* guard: sameInc`, `/\ client[c].bootInc <= inc                           \* guard: sameInc`, "enabled"},
		"a guard more":          {`/\ Awake                                              \* guard: awake` + "\n    /\\ ctr' = \"asleep\"", `/\ Awake                                              \* guard: awake` + "\n    /\\ inc > 1\n    /\\ ctr' = \"asleep\"", "enabled"},
		"another effect":        {`![c].phase = "idle"]` + "\n    /\\ UNCHANGED <<ctr, inc>>\n\n(*", `![c].phase = "believes"]` + "\n    /\\ UNCHANGED <<ctr, inc>>\n\n(*", "successors"},
		"an action more":        {`    \/ Sleep` + "\n\nSpec", `    \/ Sleep` + "\n    \\/ ctr' = \"asleep\" /\\ UNCHANGED <<inc, client>>\n\nSpec", ""},
		"another initial state": {`/\ inc = 0`, `/\ inc = 1`, "initial states"},
		"an invariant stronger": {`(client[c].phase = "attached" /\ Awake /\ client[c].attInc = inc) => ctr = "ready"`, `(client[c].phase = "attached" /\ client[c].attInc = inc) => ctr = "ready"`, "invariant"},
		"a guard renamed":       {`\* guard: sameInc`, `\* guard: sameIncarnation`, "guards"},
	} {
		t.Run(name, func(t *testing.T) {
			m := loadChanged(t, c.from, c.to)
			report := compare(t, m, Design{Constants: podlifecycle.Constants{MaxInc: 2, GuardedAttach: true}, Clients: 2}, podlifecycle.Table)
			if len(report.Differences) == 0 {
				t.Fatal("no difference is seen")
			}
			if got := report.Differences[0]; c.kind != "" && string(got.Kind) != c.kind {
				t.Errorf("the first difference is\n%s\nwant one of kind %q", got, c.kind)
			}
		})
	}
}

func TestADifferenceSaysWhereAndWhat(t *testing.T) {
	m := load(t)
	d := Design{Constants: podlifecycle.Constants{MaxInc: 1, GuardedAttach: true}, Clients: 1}
	table := changed(podlifecycle.Sleep, func(a *model.Action[podlifecycle.Local]) {
		a.Effect = func(l podlifecycle.Local) podlifecycle.Local { l.Pod.Ctr = podlifecycle.Fresh; return l }
	})
	err := compare(t, m, d, table).Err()
	var differ *DifferError
	if !errors.As(err, &differ) {
		t.Fatalf("got %v, want a DifferError", err)
	}
	got := differ.Report.Differences[0].String()
	const clients = `, inc = 1, client = (c1 :> [attInc |-> 0, bootInc |-> 1, phase |-> "booting"])`
	want := "successors of Sleep" +
		"\n  in state          ctr = \"provisioning\"" + clients +
		"\n  only in spec      ctr = \"asleep\"" + clients +
		"\n  only in table     ctr = \"fresh\"" + clients
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestNothingComparedIsNoAgreement(t *testing.T) {
	if err := (Report{}).Err(); err == nil {
		t.Error("an empty report passes")
	}
}

func TestCompareCanBeCancelled(t *testing.T) {
	c := podlifecycle.Constants{MaxInc: 3, GuardedAttach: true}
	pair, err := PodLifecycle(load(t), podlifecycle.Table(c), c, 2)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := pair.Compare(ctx, Options[podlifecycle.State]{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}

func ExampleDifference() {
	fmt.Println(Difference{Kind: KindEnabled, Action: "Sleep", State: `ctr = "asleep"`, OnlyTable: []string{`ctr = "fresh"`}})
	// Output:
	// enabled of Sleep
	//   in state          ctr = "asleep"
	//   only in table     ctr = "fresh"
}
