package mirror

import (
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"podlife/model"
	"podlife/model/podruntime"
	"podlife/tla/diag"
	"podlife/tla/module"
)

// suspect holds wrong tables against the specification.
type suspect struct {
	pair   Pair[podruntime.State]
	c      podruntime.Constants
	tabs   int
	states []podruntime.State // along walks, and beside those
}

func newSuspect(t *testing.T, off ...string) suspect {
	t.Helper()
	c := podruntime.Constants{MaxInc: 2, MaxCrashes: 1, ImageMarked: true, Off: off}
	s := suspect{pair: runtimePair(t, loadRuntime(t), c, 2), c: c, tabs: 2}
	s.pair.Without = once(s.pair.Without)
	d, rng := RuntimeDesign{Constants: c, Tabs: 2}, rand.New(rand.NewPCG(1, 2))
	for _, state := range walks(s.pair.System, 7, 24, 80) {
		all := d.changes(state)
		s.states = append(s.states, state, all[rng.IntN(len(all))], all[rng.IntN(len(all))])
	}
	return s
}

// seen tells whether a wrong table differs from the specification in what one action does in these states, and if withGuards, also without
// each of its guards.
func (s suspect) seen(t *testing.T, table runtimeTable, action string, states []podruntime.State, withGuards bool) bool {
	t.Helper()
	pair := s.pair
	pair.System = podruntime.LiftTable(table, s.c.MaxInc, s.tabs)
	pair.System.Steps = slices.DeleteFunc(pair.System.Steps, func(step model.Step[podruntime.State]) bool { return step.Name != action })
	c := newComparison(t.Context(), pair, Options[podruntime.State]{Only: states, MaxDifferences: 1})
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
	if withGuards {
		if err := c.guards(t.Context(), c.states); err != nil {
			t.Fatal(err)
		}
	}
	return c.full()
}

func (s suspect) changed(action string, change func(*model.Action[podruntime.Local])) runtimeTable {
	table := podruntime.Table(s.c)
	i := slices.IndexFunc(table.Actions, func(a model.Action[podruntime.Local]) bool { return a.Name == action })
	change(&table.Actions[i])
	return table
}

func TestTheTableIsPodRuntimeInTheStatesOfTheWrongOnes(t *testing.T) {
	s := newSuspect(t)
	for _, a := range podruntime.Table(s.c).Actions {
		if s.seen(t, podruntime.Table(s.c), a.Name, s.states, false) {
			t.Errorf("the right %s is taken for a wrong one", a.Name)
		}
	}
}

// Each guard is made true under its name: the names agree, the meaning does not. One that another guard implies is seen where that is
// dropped.
func TestEachGuardOfPodRuntimeThatIsAlwaysTrueIsSeen(t *testing.T) {
	t.Parallel()
	right := newSuspect(t)
	guards := 0
	for _, a := range podruntime.Table(right.c).Actions {
		for g, guard := range a.Guards {
			guards++
			name := a.Name + "." + guard.Name
			// The table has no other pod to probe: model/podruntime has a test of that guard. Where the other one refuses alone, the
			// specification asks for the container of incarnation 0, which it does not have.
			if name == "Probe.ownPod" || name == "RecoverReady.woken" {
				continue
			}
			wrong := right.changed(a.Name, func(a *model.Action[podruntime.Local]) {
				a.Guards = slices.Clone(a.Guards)
				a.Guards[g].Holds = func(podruntime.Local) bool { return true }
			})
			if !right.seen(t, wrong, a.Name, right.states, true) {
				t.Errorf("%s may be true always", name)
			}
		}
	}
	if guards != runtimeGuards {
		t.Errorf("there are %d guards, want %d", guards, runtimeGuards)
	}
}

func TestEachGuardThatPodRuntimeMissesIsSeen(t *testing.T) {
	t.Parallel()
	right := newSuspect(t)
	few := right.states[:10]
	for _, a := range podruntime.Table(right.c).Actions {
		for g, guard := range a.Guards {
			wrong := right.changed(a.Name, func(a *model.Action[podruntime.Local]) { a.Guards = slices.Delete(slices.Clone(a.Guards), g, g+1) })
			if !right.seen(t, wrong, a.Name, few, true) {
				t.Errorf("%s without %s is taken for the specification", a.Name, guard.Name)
			}
		}
	}
}

// alterations change one component of what an effect gives.
func alterations() map[string]func(*podruntime.Local) {
	inner := func(change func(*podruntime.Inner)) func(*podruntime.Local) {
		return func(l *podruntime.Local) {
			n := max(l.N, 1)
			i := l.Pod.At(n).Inner
			change(&i)
			l.Pod = l.Pod.With(n, i)
		}
	}
	return map[string]func(*podruntime.Local){
		"ctr":         func(l *podruntime.Local) { l.Pod.Ctr = (l.Pod.Ctr + 1) % 4 },
		"inc":         func(l *podruntime.Local) { l.Pod.Inc++ },
		"why":         func(l *podruntime.Local) { l.Pod.Why = (l.Pod.Why + 1) % 5 },
		"store.inc":   func(l *podruntime.Local) { l.Pod.Store.Inc++ },
		"store.awake": func(l *podruntime.Local) { l.Pod.Store.Awake = !l.Pod.Store.Awake },
		"settled":     func(l *podruntime.Local) { l.Pod.Settled++ },
		"crashes":     func(l *podruntime.Local) { l.Pod.Crashes++ },
		"run":         inner(func(i *podruntime.Inner) { i.Run = (i.Run + 1) % 8 }),
		"tear":        inner(func(i *podruntime.Inner) { i.Tear = 1 - i.Tear }),
		"box":         inner(func(i *podruntime.Inner) { i.Box.Box = (i.Box.Box + 1) % 4 }),
		"setup":       inner(func(i *podruntime.Inner) { i.Box.Setup = (i.Box.Setup + 1) % 3 }),
		"marker":      inner(func(i *podruntime.Inner) { i.Box.Marker = (i.Box.Marker + 1) % 4 }),
		"script":      inner(func(i *podruntime.Inner) { i.Box.Script = (i.Box.Script + 1) % 4 }),
		"done":        inner(func(i *podruntime.Inner) { i.Done = !i.Done }),
		"woken":       inner(func(i *podruntime.Inner) { i.Woken = (i.Woken + 1) % 3 }),
		"phase":       func(l *podruntime.Local) { l.Client.Phase = (l.Client.Phase + 1) % 4 },
		"bootInc":     func(l *podruntime.Local) { l.Client.BootInc++ },
		"attInc":      func(l *podruntime.Local) { l.Client.AttInc++ },
		"term.at":     func(l *podruntime.Local) { l.Client.Term.At = (l.Client.Term.At + 1) % 4 },
		"term.inc":    func(l *podruntime.Local) { l.Client.Term.Inc++ },
	}
}

// Each effect is altered in each component, one at a time, and made to do nothing.
func TestEachAlteredEffectOfPodRuntimeIsSeen(t *testing.T) {
	t.Parallel()
	ships, wakes := newSuspect(t), newSuspect(t, "Dial.neverWakes")
	for _, a := range podruntime.Table(ships.c).Actions {
		s := ships
		if a.Name == podruntime.DialWakes {
			s = wakes
		}
		where := s.enabled(a.Name, 2)
		if len(where) == 0 {
			t.Errorf("%s is enabled in none of the states", a.Name)
		}
		all := alterations()
		for component, alter := range all {
			wrong := s.changed(a.Name, func(a *model.Action[podruntime.Local]) {
				right := a.Effect
				a.Effect = func(l podruntime.Local) podruntime.Local {
					l = right(l)
					alter(&l)
					return l
				}
			})
			if !s.seen(t, wrong, a.Name, where, false) {
				t.Errorf("%s with another %s is taken for the specification", a.Name, component)
			}
		}
		nothing := s.changed(a.Name, func(a *model.Action[podruntime.Local]) {
			a.Effect = func(l podruntime.Local) podruntime.Local { return l }
		})
		if !s.seen(t, nothing, a.Name, where, false) {
			t.Errorf("%s without any effect is taken for the specification", a.Name)
		}
	}
}

// enabled gives the first states in which the action is enabled for some arguments.
func (s suspect) enabled(action string, most int) []podruntime.State {
	where := []podruntime.State{}
	for _, state := range s.states {
		for _, step := range s.pair.System.Steps {
			if step.Name == action && step.Enabled(state) && len(where) < most && !slices.Contains(where, state) {
				where = append(where, state)
			}
		}
	}
	return where
}

func TestAWrongInvariantOfPodRuntimeIsSeen(t *testing.T) {
	t.Parallel()
	right := newSuspect(t)
	for i, inv := range podruntime.Table(right.c).Invariants {
		table := podruntime.Table(right.c)
		table.Invariants[i].Holds = func(podruntime.Local) bool { return true }
		pair := right.pair
		pair.System = podruntime.LiftTable(table, right.c.MaxInc, right.tabs)
		c := newComparison(t.Context(), pair, Options[podruntime.State]{Only: right.states, MaxDifferences: 1})
		c.names()
		c.ended = true
		c.drawn(0)
		for _, both := range c.states {
			if err := c.invariantsIn(both.table, both.spec); err != nil {
				t.Fatal(err)
			}
		}
		// A terminal of the table cannot be in another pod, and none of the states is outside the types.
		if invisible := inv.Name == podruntime.NoCrossAttach || inv.Name == podruntime.TypeOK; c.full() == invisible {
			t.Errorf("an always true %s is seen: %t", inv.Name, c.full())
		}
	}
}

func TestGuardsOfPodRuntimeWithSwappedNamesAreSeen(t *testing.T) {
	t.Parallel()
	ships, wakes := newSuspect(t), newSuspect(t, "Dial.neverWakes")
	for _, a := range podruntime.Table(ships.c).Actions {
		right := ships
		if a.Name == podruntime.DialWakes {
			right = wakes
		}
		for g := 1; g < len(a.Guards); g++ {
			wrong := right.changed(a.Name, func(a *model.Action[podruntime.Local]) {
				a.Guards = slices.Clone(a.Guards)
				a.Guards[g-1].Holds, a.Guards[g].Holds = a.Guards[g].Holds, a.Guards[g-1].Holds
			})
			if !right.seen(t, wrong, a.Name, right.beside(a.Name), true) {
				t.Errorf("%s with the names of its guards %d and %d swapped is taken for the specification", a.Name, g, g+1)
			}
		}
	}
}

// beside gives states around some in which the action is enabled.
func (s suspect) beside(action string) []podruntime.State {
	var all []podruntime.State
	for _, state := range s.enabled(action, 2) {
		all = append(all, RuntimeDesign{Constants: s.c, Tabs: s.tabs}.changes(state)...)
	}
	return all
}

// The other direction: the specification is changed and the table stays.
func TestAChangedPodRuntimeIsSeen(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(runtimeFile)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ from, to, kind string }{
		"a weaker guard":        {`/\ run[p][n] = "start"    `, `/\ run[p][n] \in {"start", "ok"}    `, "enabled"},
		"a guard without name":  {`Guard("Dial.marker", engine[t.pod][t.inc].marker = t.inc)`, `Guard("Dial.marker", engine[t.pod][t.inc].marker # 0)`, "enabled"},
		"another effect":        {`/\ run' = [run EXCEPT ![p][n] = "gone"]`, `/\ run' = [run EXCEPT ![p][n] = "failed"]`, "successors"},
		"a rule that is none":   {`IF wake /\ Rule("StartBoot.stored") THEN`, `IF wake /\ TRUE THEN`, ""},
		"an invariant weaker":   {`(Current(p, n) \/ tear[p][n] = "remove")`, `(Current(p, n) \/ tear[p][n] = "remove" \/ TRUE)`, "invariant"},
		"another initial state": {`/\ crashes = 0`, `/\ crashes = 1`, "initial states"},
		"a guard renamed":       {`\* guard: allDone`, `\* guard: allTheWork`, "guards"},
	} {
		t.Run(name, func(t *testing.T) {
			if n := strings.Count(string(text), c.from); n != 1 {
				t.Fatalf("the specification has %q %d times, want once", c.from, n)
			}
			source := strings.Replace(string(text), c.from, c.to, 1)
			m, err := module.Load(runtimeFile, module.Options{Open: func(name string) (*diag.Source, error) {
				if name == podruntime.Name {
					return diag.NewSource("changed.tla", []byte(source)), nil
				}
				return nil, os.ErrNotExist
			}})
			if err != nil {
				t.Fatal(err)
			}
			k := podruntime.Constants{MaxInc: 1, MaxCrashes: 1, ImageMarked: true}
			if c.kind == "" {
				k.Off = []string{"StartBoot.stored"}
			}
			d := RuntimeDesign{Constants: k, Tabs: 1, Draw: 40}
			report, err := d.Compare(t.Context(), m, podruntime.Table)
			if err != nil {
				t.Fatal(err)
			}
			if len(report.Differences) == 0 {
				t.Fatal("no difference is seen")
			}
			if got := report.Differences[0]; c.kind != "" && string(got.Kind) != c.kind {
				t.Errorf("the first difference is\n%s\nwant one of kind %q", got, c.kind)
			}
		})
	}
}
