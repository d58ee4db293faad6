package mirror

import (
	"slices"
	"testing"

	"podlife/model"
	"podlife/model/workspace"
	"podlife/tla/module"
)

const workspaceGuards = 51

func loadWorkspace(t *testing.T) *module.Module {
	t.Helper()
	m, err := module.Load("../../tla/Workspace.tla", module.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// The table of named pods is its specification: in every reachable state, and in those beside them also without each guard.
func TestTheTableOfNamedPodsIsWorkspace(t *testing.T) {
	t.Parallel()
	for _, d := range WorkspaceDesigns() {
		t.Run(d.Name, func(t *testing.T) {
			t.Parallel()
			report, err := d.Compare(t.Context(), loadWorkspace(t), workspace.Table)
			if err != nil {
				t.Fatal(err)
			}
			if err := report.Err(); err != nil {
				t.Error(err)
			}
			if report.Guards != workspaceGuards {
				t.Errorf("%d guards were dropped on both sides, want %d", report.Guards, workspaceGuards)
			}
			if report.States < report.Reached+500 {
				t.Errorf("%d states beside %d reachable ones", report.States-report.Reached, report.Reached)
			}
			t.Logf("%d states and %d beside them, %d comparisons, %d guards, %d invariant values, %d undefined",
				report.Reached, report.States-report.Reached, report.Comparisons, report.Guards, report.Invariants, report.Undefined)
		})
	}
}

// What is switched off by the constant Off is off on both sides.
func TestWhatIsSwitchedOffOfWorkspaceIsOffOnBothSides(t *testing.T) {
	t.Parallel()
	m := loadWorkspace(t)
	switches := workspace.Switches()
	if len(switches) != 18 {
		t.Errorf("there are %d switches, want 18: %v", len(switches), switches)
	}
	for _, name := range switches {
		c := workspace.Constants{Pods: 1, MaxInc: 2, MaxCrashes: 1, Off: []string{name}}
		switch name {
		case "CreateWorkspace.ownVolume", "Adopt.once":
			c = workspace.Constants{Pods: 2, Off: []string{name}}
		case "Adopt.owner":
			c = workspace.Constants{Pods: 2, Foreign: []int{1}, Off: []string{name}}
		}
		pair, err := Workspace(m, workspace.Table(c), c)
		if err != nil {
			t.Fatal(err)
		}
		report, err := pair.Compare(t.Context(), Options[workspace.State]{NoGuards: true})
		if err != nil {
			t.Fatal(err)
		}
		if err := report.Err(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		// And the design that ships is another.
		c.Off = nil
		pair.System = workspace.LiftTable(workspace.Table(c), c.Pods)
		if report, err = pair.Compare(t.Context(), Options[workspace.State]{NoGuards: true}); err != nil {
			t.Fatal(err)
		}
		if report.Err() == nil {
			t.Errorf("%s: the table with it is taken for the specification without it", name)
		}
	}
}

func TestEachGuardOfWorkspaceIsSeenToBeLost(t *testing.T) {
	t.Parallel()
	d := WorkspaceDesign{Constants: workspace.Constants{Pods: 2, Foreign: []int{1}, MaxInc: 1, MaxCrashes: 1}, Draw: 1500}
	pair, err := Workspace(loadWorkspace(t), workspace.Table(d.Constants), d.Constants)
	if err != nil {
		t.Fatal(err)
	}
	pair.Without = once(pair.Without)
	var states []workspace.State // reachable ones, and those beside them
	if _, err := model.Explore(t.Context(), pair.System, model.Options[workspace.State]{Invariants: []string{}, Found: func(id int, s workspace.State, _ int) {
		if id%d.Draw == 0 {
			states = append(append(states, s), d.changes(s)...)
		}
	}}); err != nil {
		t.Fatal(err)
	}
	seen := func(action string, change func([]model.Guard[workspace.Local]) []model.Guard[workspace.Local]) bool {
		table := workspace.Table(d.Constants)
		i := slices.IndexFunc(table.Actions, func(a model.Action[workspace.Local]) bool { return a.Name == action })
		table.Actions[i].Guards = change(slices.Clone(table.Actions[i].Guards))
		return seenIn(t, pair, workspace.LiftTable(table, d.Pods), states, action)
	}
	type all = []model.Guard[workspace.Local]
	guards := 0
	for _, a := range workspace.Table(d.Constants).Actions {
		if seen(a.Name, func(gs all) all { return gs }) {
			t.Errorf("the right %s is taken for a wrong one", a.Name)
		}
		for g, guard := range a.Guards {
			guards++
			if !seen(a.Name, func(gs all) all { return slices.Delete(gs, g, g+1) }) {
				t.Errorf("%s.%s may be missing", a.Name, guard.Name)
			}
		}
	}
	if guards != workspaceGuards {
		t.Errorf("there are %d guards, want %d", guards, workspaceGuards)
	}
}
