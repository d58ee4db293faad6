package mirror

import (
	"slices"
	"testing"

	"podlife/model"
	"podlife/model/sessionresume"
	"podlife/tla/eval"
)

type sessionTable = model.Table[sessionresume.Local]

// sessionSuspect holds wrong tables of SessionResume against the specification.
type sessionSuspect struct {
	pair   Pair[sessionresume.State]
	d      SessionDesign
	states []sessionresume.State // reachable ones, and those beside them
}

func newSessionSuspect(t *testing.T, d SessionDesign) sessionSuspect {
	t.Helper()
	pair, err := SessionResume(loadSession(t), sessionresume.Table(d.Constants), d.Constants, d.Viewers)
	if err != nil {
		t.Fatal(err)
	}
	pair.Without = once(pair.Without)
	s := sessionSuspect{pair: pair, d: d}
	if _, err := model.Explore(t.Context(), pair.System, model.Options[sessionresume.State]{Found: func(id int, state sessionresume.State, _ int) {
		if id%d.Draw == 0 {
			all := d.changes(state)
			s.states = append(s.states, state, all[id/d.Draw%len(all)])
		}
	}}); err != nil {
		t.Fatal(err)
	}
	return s
}

func sessionSuspects(t *testing.T) []sessionSuspect {
	return []sessionSuspect{
		newSessionSuspect(t, SessionDesign{Constants: sessionresume.Constants{MaxSessions: 2, MaxOut: 2, MaxConns: 2, Ring: 1, Window: 1}, Viewers: 1, Draw: 11}),
		newSessionSuspect(t, SessionDesign{Constants: sessionresume.Constants{MaxSessions: 1, MaxOut: 2, MaxConns: 1, Ring: 1, Window: 1}, Viewers: 2, Draw: 11}),
	}
}

// once compiles each program without a conjunct once.
func once(without func(string, *eval.Conjunct) (*eval.Program, error)) func(string, *eval.Conjunct) (*eval.Program, error) {
	compiled := map[*eval.Conjunct]*eval.Program{}
	return func(action string, conjunct *eval.Conjunct) (*eval.Program, error) {
		if compiled[conjunct] == nil {
			program, err := without(action, conjunct)
			if err != nil {
				return nil, err
			}
			compiled[conjunct] = program
		}
		return compiled[conjunct], nil
	}
}

// seen tells whether a wrong table differs from the specification in what one action does, also without each of its guards.
func (s sessionSuspect) seen(t *testing.T, table sessionTable, action string) bool {
	t.Helper()
	return seenIn(t, s.pair, sessionresume.LiftTable(table, s.d.Viewers), s.states, action)
}

// seenIn tells whether a system differs from the specification of a pair in what one action does in these states, also without each of its guards.
func seenIn[S comparable](t *testing.T, pair Pair[S], system model.System[S], states []S, action string) bool {
	t.Helper()
	pair.System = system
	pair.System.Steps = slices.DeleteFunc(pair.System.Steps, func(step model.Step[S]) bool { return step.Name != action })
	c := newComparison(t.Context(), pair, Options[S]{Only: states, MaxDifferences: 1})
	c.names()
	c.report = Report{} // the other actions are missing by intention
	c.ended = true
	c.drawn(0)
	for _, both := range c.states {
		for i := range c.System.Steps {
			if err := c.step(both.spec, i, c.tableSuccessors(both.table, &c.System.Steps[i], nil)); err != nil {
				t.Fatal(err)
			}
		}
		if c.full() {
			return true
		}
	}
	if err := c.guards(t.Context(), c.states); err != nil {
		t.Fatal(err)
	}
	return c.full()
}

// changed gives the table of a suspect with the guards of one action changed.
func (s sessionSuspect) changed(action string, change func([]model.Guard[sessionresume.Local]) []model.Guard[sessionresume.Local]) sessionTable {
	table := sessionresume.Table(s.d.Constants)
	i := slices.IndexFunc(table.Actions, func(a model.Action[sessionresume.Local]) bool { return a.Name == action })
	table.Actions[i].Guards = change(slices.Clone(table.Actions[i].Guards))
	return table
}

func TestEachGuardOfSessionResumeIsSeenToBeLost(t *testing.T) {
	t.Parallel()
	suspects, guards := sessionSuspects(t), 0
	type all = []model.Guard[sessionresume.Local]
	for _, a := range sessionresume.Table(sessionresume.Constants{}).Actions {
		for _, s := range suspects {
			if s.seen(t, sessionresume.Table(s.d.Constants), a.Name) {
				t.Errorf("the right %s is taken for a wrong one", a.Name)
			}
		}
		for g, guard := range a.Guards {
			guards++
			for what, change := range map[string]func(all) all{
				"be missing":     func(gs all) all { return slices.Delete(gs, g, g+1) },
				"be true always": func(gs all) all { gs[g].Holds = func(sessionresume.Local) bool { return true }; return gs },
			} {
				if !slices.ContainsFunc(suspects, func(s sessionSuspect) bool { return s.seen(t, s.changed(a.Name, change), a.Name) }) {
					t.Errorf("%s.%s may %s", a.Name, guard.Name, what)
				}
			}
		}
	}
	if guards != sessionGuards {
		t.Errorf("there are %d guards, want %d", guards, sessionGuards)
	}
}
