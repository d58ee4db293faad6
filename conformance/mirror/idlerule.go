package mirror

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"podlife/model"
	"podlife/model/idlerule"
	"podlife/tla/config"
	"podlife/tla/diag"
	"podlife/tla/eval"
	"podlife/tla/module"
	"podlife/tla/value"
)

// IdleRule matches tla/IdleRule.tla, read as m, with a table of model/idlerule. Errors are those of [idlerule.CheckBounds] and of package eval, and a specification with other variables than the table has.
func IdleRule(m *module.Module, table model.Table[idlerule.Local], c idlerule.Constants) (Pair[idlerule.State], error) {
	var none Pair[idlerule.State]
	if err := idlerule.CheckBounds(c); err != nil {
		return none, err
	}
	cfg, err := config.Parse(diag.NewSource("mirror.cfg", []byte(idleConfig(c))))
	if err != nil {
		return none, err
	}
	program, err := eval.Compile(m, cfg, eval.Options{})
	if err != nil {
		return none, err
	}
	spec, err := idleStates(program.Variables())
	if err != nil {
		return none, err
	}
	return Pair[idlerule.State]{
		System:  idlerule.LiftTable(table, c.MaxLease),
		Program: program,
		Without: func(_ string, conjunct *eval.Conjunct) (*eval.Program, error) {
			return eval.Compile(m, cfg, eval.Options{Drop: conjunct})
		},
		Spec: spec,
		Argument: func(arg string) value.Value {
			n, err := strconv.Atoi(arg)
			if err != nil {
				panic("mirror: " + err.Error()) // the table made it of a number
			}
			return number(n)
		},
	}, nil
}

// idleConfig is a configuration with these constants and all invariants of the table.
func idleConfig(c idlerule.Constants) string {
	var invariants, off []string
	for _, inv := range idlerule.Table(c).Invariants {
		invariants = append(invariants, inv.Name)
	}
	for _, name := range c.Off {
		off = append(off, strconv.Quote(name))
	}
	return fmt.Sprintf("SPECIFICATION Spec\nINVARIANTS %s\nCONSTANTS MaxTime = %d\n Idle = %d\n MaxLease = %d\n MaxHolds = %d\n MaxCrashes = %d\n Off = {%s}\n",
		strings.Join(invariants, " "), c.MaxTime, c.Idle, c.MaxLease, c.MaxHolds, c.MaxCrashes, strings.Join(off, ", "))
}

// idleVariables are the specification's, each with what it is in a state of the table.
func idleVariables() map[string]func(idlerule.State) value.Value {
	return map[string]func(idlerule.State) value.Value{
		"now":      func(s idlerule.State) value.Value { return number(s.Now) },
		"up":       func(s idlerule.State) value.Value { return value.Bool(s.Up) },
		"awake":    func(s idlerule.State) value.Value { return value.Bool(s.Awake) },
		"held":     func(s idlerule.State) value.Value { return number(s.Held) },
		"active":   func(s idlerule.State) value.Value { return number(s.Active) },
		"lease":    func(s idlerule.State) value.Value { return number(s.Lease) },
		"kept":     func(s idlerule.State) value.Value { return number(s.Kept) },
		"crashes":  func(s idlerule.State) value.Value { return number(s.Crashes) },
		"promised": func(s idlerule.State) value.Value { return number(s.Promised) },
		"last":     func(s idlerule.State) value.Value { return number(s.Last) },
		"accessed": func(s idlerule.State) value.Value { return value.Bool(s.Accessed) },
		"early":    func(s idlerule.State) value.Value { return value.Bool(s.Early) },
	}
}

// idleStates turns states of the table into those of the specification, which has these variables.
func idleStates(variables []string) (func(idlerule.State) eval.State, error) {
	of := idleVariables()
	parts := make([]func(idlerule.State) value.Value, len(variables))
	for i, name := range variables {
		if parts[i] = of[name]; parts[i] == nil {
			return nil, fmt.Errorf("mirror: the table has no variable %q of the specification", name)
		}
		delete(of, name)
	}
	if len(of) > 0 {
		return nil, fmt.Errorf("mirror: the specification lacks %d variables of the table", len(of))
	}
	return func(s idlerule.State) eval.State {
		out := make(eval.State, len(parts))
		for i, part := range parts {
			out[i] = part(s)
		}
		return out
	}, nil
}

// An IdleDesign is one choice of constants for which tla/IdleRule.tla and its table are held against each other.
type IdleDesign struct {
	Name string
	idlerule.Constants
	// Draw is that of [Options]; the states beside those that are drawn differ from them in one component.
	Draw int
}

// IdleDesigns are those that `make check` compares.
func IdleDesigns() []IdleDesign {
	return []IdleDesign{
		{Name: "IdleRule, a short time", Constants: idlerule.Constants{MaxTime: 4, Idle: 2, MaxLease: 2, MaxHolds: 2, MaxCrashes: 2}, Draw: 4},
		{Name: "IdleRule, a long lease", Constants: idlerule.Constants{MaxTime: 5, Idle: 1, MaxLease: 4, MaxHolds: 1, MaxCrashes: 1}, Draw: 4},
	}
}

// Compare holds the specification, read as m, against a table. The error is as those of [IdleRule] and [Pair.Compare].
func (d IdleDesign) Compare(ctx context.Context, m *module.Module, table func(idlerule.Constants) model.Table[idlerule.Local]) (Report, error) {
	pair, err := IdleRule(m, table(d.Constants), d.Constants)
	if err != nil {
		return Report{}, err
	}
	return pair.Compare(ctx, Options[idlerule.State]{Draw: d.Draw, Beside: d.beside})
}

// beside gives four states that differ from s in one component. Which components those are goes round with the number of the state.
func (d IdleDesign) beside(n int, s idlerule.State) []idlerule.State {
	all := d.changes(s)
	var some []idlerule.State
	for i := range 4 {
		some = append(some, all[(4*(n/max(d.Draw, 1))+i)%len(all)])
	}
	return some
}

// changes gives every state that differs from s in one component.
func (d IdleDesign) changes(s idlerule.State) []idlerule.State {
	var all []idlerule.State
	of := func(change func(*idlerule.State)) {
		other := s
		if change(&other); other != s && !slices.Contains(all, other) {
			all = append(all, other)
		}
	}
	of(func(s *idlerule.State) { s.Up = !s.Up })
	of(func(s *idlerule.State) { s.Awake = !s.Awake })
	of(func(s *idlerule.State) { s.Accessed = !s.Accessed })
	of(func(s *idlerule.State) { s.Early = !s.Early })
	each(d.MaxHolds, func(n int) { of(func(s *idlerule.State) { s.Held = n }) })
	each(d.MaxCrashes, func(n int) { of(func(s *idlerule.State) { s.Crashes = n }) })
	each(d.MaxTime, func(n int) {
		of(func(s *idlerule.State) { s.Now = n })
		of(func(s *idlerule.State) { s.Active = n })
		of(func(s *idlerule.State) { s.Last = n })
	})
	each(d.MaxTime+d.MaxLease, func(n int) {
		of(func(s *idlerule.State) { s.Lease = n })
		of(func(s *idlerule.State) { s.Kept = n })
		of(func(s *idlerule.State) { s.Promised = n })
	})
	return all
}
