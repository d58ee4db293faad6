package mirror

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"podlife/model"
	"podlife/model/workspace"
	"podlife/tla/config"
	"podlife/tla/diag"
	"podlife/tla/eval"
	"podlife/tla/module"
	"podlife/tla/value"
)

// Workspace matches tla/Workspace.tla, read as m, with a table of model/workspace. Errors are those of [workspace.CheckBounds] and of package eval, and a specification with other variables than the table has.
func Workspace(m *module.Module, table model.Table[workspace.Local], c workspace.Constants) (Pair[workspace.State], error) {
	var none Pair[workspace.State]
	if err := workspace.CheckBounds(c); err != nil {
		return none, err
	}
	cfg, err := config.Parse(diag.NewSource("mirror.cfg", []byte(workspaceConfig(c))))
	if err != nil {
		return none, err
	}
	program, err := eval.Compile(m, cfg, eval.Options{})
	if err != nil {
		return none, err
	}
	states := newWorkspaceStates(c.Pods)
	spec, err := states.of(program.Variables())
	if err != nil {
		return none, err
	}
	return Pair[workspace.State]{
		System:  workspace.LiftTable(table, c.Pods),
		Program: program,
		Without: func(_ string, conjunct *eval.Conjunct) (*eval.Program, error) {
			return eval.Compile(m, cfg, eval.Options{Drop: conjunct})
		},
		Spec: spec,
		Argument: func(arg string) value.Value {
			if keep, err := strconv.ParseBool(arg); err == nil {
				return value.Bool(keep)
			}
			return value.NewModel(arg)
		},
	}, nil
}

// workspaceConfig is a configuration with these constants and all invariants of the table.
func workspaceConfig(c workspace.Constants) string {
	var invariants, off, pods, foreign []string
	for _, inv := range workspace.Table(c).Invariants {
		invariants = append(invariants, inv.Name)
	}
	for _, name := range c.Off {
		off = append(off, strconv.Quote(name))
	}
	for p := range c.Pods {
		pods = append(pods, workspace.PodName(p))
	}
	for _, p := range c.Foreign {
		foreign = append(foreign, workspace.PodName(p))
	}
	list := func(words []string) string { return "{" + strings.Join(words, ", ") + "}" }
	return fmt.Sprintf("SPECIFICATION Spec\nINVARIANTS %s\nCONSTANTS Pods = %s\n Foreign = %s\n MaxInc = %d\n MaxCrashes = %d\n Off = %s\n",
		strings.Join(invariants, " "), list(pods), list(foreign), c.MaxInc, c.MaxCrashes, list(off))
}

// workspaceStates makes values of what the table has.
type workspaceStates struct {
	pods          []value.Value
	rec, box, vol *value.Shape
}

func newWorkspaceStates(pods int) workspaceStates {
	m := workspaceStates{
		rec: value.ShapeOf("life", "home", "keep", "inc"),
		box: value.ShapeOf("up", "inc", "home", "setup", "marker"),
		vol: value.ShapeOf("there", "ours", "data", "marker"),
	}
	for p := range pods {
		m.pods = append(m.pods, value.NewModel(workspace.PodName(p)))
	}
	return m
}

// orElse is a word, or another where it is empty.
func orElse[T ~string](w T, empty string) value.Value {
	if w == "" {
		return value.NewString(empty)
	}
	return value.NewString(string(w))
}

// home is a volume as the specification names it.
func (m workspaceStates) home(n int) value.Value {
	if n == 0 {
		return value.NewString("none")
	}
	return m.pods[n-1]
}

// each is a function of the pods.
func (m workspaceStates) each(s workspace.State, of func(workspace.Pod) value.Value) value.Value {
	vals := make([]value.Value, len(m.pods))
	for i := range m.pods {
		vals[i] = of(s.Pods[i])
	}
	return value.NewFunction(slices.Clone(m.pods), vals)
}

// those is the set of the pods of which something holds.
func (m workspaceStates) those(s workspace.State, holds func(workspace.Pod) bool) value.Value {
	var some []value.Value
	for i := range m.pods {
		if holds(s.Pods[i]) {
			some = append(some, m.pods[i])
		}
	}
	return value.NewSet(some)
}

// variables are the specification's, each with what it is in a state of the table.
func (m workspaceStates) variables() map[string]func(workspace.State) value.Value {
	pods := func(of func(workspace.Pod) value.Value) func(workspace.State) value.Value {
		return func(s workspace.State) value.Value { return m.each(s, of) }
	}
	set := func(holds func(workspace.Pod) bool) func(workspace.State) value.Value {
		return func(s workspace.State) value.Value { return m.those(s, holds) }
	}
	return map[string]func(workspace.State) value.Value{
		"up":   func(s workspace.State) value.Value { return value.Bool(!s.Down) },
		"life": pods(func(p workspace.Pod) value.Value { return orElse(p.Life, "none") }),
		"rec": pods(func(p workspace.Pod) value.Value {
			return record(m.rec, "life", orElse(p.Rec.Life, "none"), "home", m.home(p.Rec.Home), "keep", value.Bool(p.Rec.Keep), "inc", number(p.Rec.Inc))
		}),
		"kept":   set(func(p workspace.Pod) bool { return p.Kept }),
		"state":  pods(func(p workspace.Pod) value.Value { return orElse(p.State, "asleep") }),
		"flight": pods(func(p workspace.Pod) value.Value { return orElse(p.Flight, "none") }),
		"box": pods(func(p workspace.Pod) value.Value {
			b := p.Box
			return record(m.box, "up", value.Bool(b.Up), "inc", number(b.Inc), "home", m.home(b.Home), "setup", value.Bool(b.Setup), "marker", number(b.Marker))
		}),
		"vol": pods(func(p workspace.Pod) value.Value {
			v := p.Vol
			return record(m.vol, "there", value.Bool(v.There), "ours", value.Bool(v.Ours), "data", orElse(v.Data, "none"), "marker", number(v.Marker))
		}),
		"open":    pods(func(p workspace.Pod) value.Value { return value.Bool(p.Open) }),
		"woken":   pods(func(p workspace.Pod) value.Value { return orElse(p.Woken, "none") }),
		"doomed":  set(func(p workspace.Pod) bool { return p.Doomed }),
		"byHand":  set(func(p workspace.Pod) bool { return p.ByHand }),
		"crashes": func(s workspace.State) value.Value { return number(s.Crashes) },
	}
}

// of turns states of the table into those of the specification, which has these variables.
func (m workspaceStates) of(variables []string) (func(workspace.State) eval.State, error) {
	known := m.variables()
	parts := make([]func(workspace.State) value.Value, len(variables))
	for i, name := range variables {
		if parts[i] = known[name]; parts[i] == nil {
			return nil, fmt.Errorf("mirror: the table has no variable %q of the specification", name)
		}
		delete(known, name)
	}
	if len(known) > 0 {
		return nil, fmt.Errorf("mirror: the specification lacks %d variables of the table", len(known))
	}
	return func(s workspace.State) eval.State {
		out := make(eval.State, len(parts))
		for i, part := range parts {
			out[i] = part(s)
		}
		return out
	}, nil
}

// A WorkspaceDesign is one choice of constants for which tla/Workspace.tla and its table are held against each other.
type WorkspaceDesign struct {
	Name string
	workspace.Constants
	// Draw is that of [Options]; the states beside those that are drawn differ from them in one component.
	Draw int
}

// WorkspaceDesigns are those that `make check` compares.
func WorkspaceDesigns() []WorkspaceDesign {
	return []WorkspaceDesign{
		{Name: "Workspace, one pod", Constants: workspace.Constants{Pods: 1, MaxInc: 2, MaxCrashes: 1}, Draw: 8},
		{Name: "Workspace, two owners", Constants: workspace.Constants{Pods: 2, Foreign: []int{1}, MaxInc: 0, MaxCrashes: 1}, Draw: 16},
		{Name: "Workspace, two pods", Constants: workspace.Constants{Pods: 2, MaxInc: 0, MaxCrashes: 1}, Draw: 16},
	}
}

// Compare holds the specification, read as m, against a table. The error is as those of [Workspace] and [Pair.Compare].
func (d WorkspaceDesign) Compare(ctx context.Context, m *module.Module, table func(workspace.Constants) model.Table[workspace.Local]) (Report, error) {
	pair, err := Workspace(m, table(d.Constants), d.Constants)
	if err != nil {
		return Report{}, err
	}
	return pair.Compare(ctx, Options[workspace.State]{Draw: d.Draw, Beside: d.beside})
}

// beside gives four states that differ from s in one component. Which components those are goes round with the number of the state.
func (d WorkspaceDesign) beside(n int, s workspace.State) []workspace.State {
	all := d.changes(s)
	var some []workspace.State
	for i := range 4 {
		some = append(some, all[(4*(n/max(d.Draw, 1))+i)%len(all)])
	}
	return some
}

// changes gives every state that differs from s in one component, as far as the specification can be asked about it: what has no home has no volume to ask for.
func (d WorkspaceDesign) changes(s workspace.State) []workspace.State {
	var all []workspace.State
	of := func(change func(*workspace.State)) {
		other := s
		if change(&other); other != s && !slices.Contains(all, other) {
			all = append(all, other)
		}
	}
	of(func(s *workspace.State) { s.Down = !s.Down })
	each(d.MaxCrashes, func(n int) { of(func(s *workspace.State) { s.Crashes = n }) })
	for i := range d.Pods {
		pod := func(change func(*workspace.Pod)) { of(func(s *workspace.State) { change(&s.Pods[i]) }) }
		d.lives(s.Pods[i], pod)
		d.things(pod)
	}
	return all
}

// lives changes what is between create and delete.
func (d WorkspaceDesign) lives(p workspace.Pod, of func(func(*workspace.Pod))) {
	for _, l := range []workspace.Life{workspace.New, workspace.Making, workspace.There, workspace.Going, workspace.Over, workspace.Unknown} {
		if p.Rec.HasHome() || l != workspace.Making {
			of(func(p *workspace.Pod) { p.Life = l })
		}
		if l != workspace.Unknown && (p.Rec.HasHome() || l != workspace.Making) {
			of(func(p *workspace.Pod) { p.Rec.Life = l })
		}
	}
	for _, st := range []workspace.Compute{workspace.Asleep, workspace.Starting, workspace.IsReady} {
		of(func(p *workspace.Pod) { p.State = st })
	}
	for _, f := range []workspace.Flight{workspace.NoFlight, workspace.Asked, workspace.MadeIt} {
		of(func(p *workspace.Pod) { p.Flight = f })
	}
	for _, w := range []workspace.Woken{workspace.NeverWoken, workspace.ByBoot, workspace.ByAccess, workspace.ByRead} {
		of(func(p *workspace.Pod) { p.Woken = w })
	}
	for home := 1; home <= d.Pods; home++ {
		of(func(p *workspace.Pod) { p.Rec.Home = home })
	}
	each(d.MaxInc, func(n int) { of(func(p *workspace.Pod) { p.Rec.Inc = n }) })
	of(func(p *workspace.Pod) { p.Rec.Keep = !p.Rec.Keep })
	of(func(p *workspace.Pod) { p.Kept = !p.Kept })
	of(func(p *workspace.Pod) { p.Open = !p.Open })
	of(func(p *workspace.Pod) { p.Doomed = !p.Doomed })
	of(func(p *workspace.Pod) { p.ByHand = !p.ByHand })
}

// things changes containers and volumes.
func (d WorkspaceDesign) things(of func(func(*workspace.Pod))) {
	of(func(p *workspace.Pod) { p.Box.Up = !p.Box.Up })
	of(func(p *workspace.Pod) { p.Box.Setup = !p.Box.Setup })
	of(func(p *workspace.Pod) { p.Vol.There = !p.Vol.There })
	of(func(p *workspace.Pod) { p.Vol.Ours = !p.Vol.Ours })
	each(d.MaxInc, func(n int) {
		of(func(p *workspace.Pod) { p.Box.Inc = n })
		of(func(p *workspace.Pod) { p.Box.Marker = n })
		of(func(p *workspace.Pod) { p.Vol.Marker = n })
	})
	each(d.Pods, func(home int) { of(func(p *workspace.Pod) { p.Box.Home = home }) })
	for _, data := range []workspace.Data{workspace.NoWork, workspace.Work, workspace.Lost} {
		of(func(p *workspace.Pod) { p.Vol.Data = data })
	}
}
