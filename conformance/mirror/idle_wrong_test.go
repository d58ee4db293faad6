package mirror

import (
	"slices"
	"testing"

	"podlife/model"
	"podlife/model/idlerule"
)

func TestEachGuardOfIdleRuleIsSeenToBeLost(t *testing.T) {
	t.Parallel()
	d := IdleDesign{Constants: idlerule.Constants{MaxTime: 3, Idle: 2, MaxLease: 2, MaxHolds: 1, MaxCrashes: 1}, Draw: 2}
	pair, err := IdleRule(loadIdle(t), idlerule.Table(d.Constants), d.Constants)
	if err != nil {
		t.Fatal(err)
	}
	pair.Without = once(pair.Without)
	var states []idlerule.State // reachable ones, and those beside them
	if _, err := model.Explore(t.Context(), pair.System, model.Options[idlerule.State]{Found: func(id int, s idlerule.State, _ int) {
		if id%d.Draw == 0 {
			states = append(append(states, s), d.beside(id, s)...)
		}
	}}); err != nil {
		t.Fatal(err)
	}
	seen := func(action string, change func([]model.Guard[idlerule.Local]) []model.Guard[idlerule.Local]) bool {
		table := idlerule.Table(d.Constants)
		i := slices.IndexFunc(table.Actions, func(a model.Action[idlerule.Local]) bool { return a.Name == action })
		table.Actions[i].Guards = change(slices.Clone(table.Actions[i].Guards))
		return seenIn(t, pair, idlerule.LiftTable(table, d.MaxLease), states, action)
	}
	type all = []model.Guard[idlerule.Local]
	guards := 0
	for _, a := range idlerule.Table(d.Constants).Actions {
		if seen(a.Name, func(gs all) all { return gs }) {
			t.Errorf("the right %s is taken for a wrong one", a.Name)
		}
		for g, guard := range a.Guards {
			guards++
			for what, change := range map[string]func(all) all{
				"be missing":     func(gs all) all { return slices.Delete(gs, g, g+1) },
				"be true always": func(gs all) all { gs[g].Holds = func(idlerule.Local) bool { return true }; return gs },
			} {
				if !seen(a.Name, change) {
					t.Errorf("%s.%s may %s", a.Name, guard.Name, what)
				}
			}
		}
	}
	if guards != idleGuards {
		t.Errorf("there are %d guards, want %d", guards, idleGuards)
	}
}
