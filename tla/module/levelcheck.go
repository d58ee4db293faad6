package module

import "podlife/tla/diag"

// moduleLevels is what instances of a module have to keep to.
type moduleLevels struct {
	constant bool // no variables, and nothing above the constant level
	levels
}

// checkLevels computes and checks the levels of all that the module has, when it is complete.
func (r *resolver) checkLevels() {
	for _, d := range r.m.own {
		r.l.levelsOf(d)
	}
	w := &levelWalker{l: r.l, report: true}
	for _, d := range r.m.own {
		w.definition(d)
		w.checkRecursive(d)
	}
	constant := len(r.m.Variables) == 0
	lv := &r.m.level
	for _, a := range r.m.Assumes {
		x := w.expr(a.Body)
		lv.add(x, nil)
		if x.level != LevelConstant && !x.wrong {
			r.l.report(diag.Errorf(CodeAssumptionLevel, a.Body.Place(), "an assumption must be a constant formula; this is %s", x.level.describe()))
		}
	}
	for _, t := range r.m.Theorems {
		x := w.expr(t.Body)
		lv.add(x, nil)
		constant = constant && x.level == LevelConstant
	}
	for _, e := range r.m.inner.order {
		if d, is := e.means.(*Definition); is {
			x := r.l.levelsOf(d)
			constant = constant && (x.level == LevelConstant || d.Theorem)
			lv.most = merge(lv.most, x.most, lowerLevel)
			lv.least = merge(lv.least, x.levels.least, higherLevel)
			lv.flows = union(lv.flows, x.levels.flows)
		}
	}
	lv.constant = constant
	for _, in := range r.instances {
		w.checkInstance(in)
		for _, c := range in.copies {
			r.l.levelsOf(c)
		}
	}
	for _, a := range r.m.InstanceAssumes {
		(&levelWalker{l: r.l}).expr(a.Body)
	}
}

// checkRecursive reports a recursive operator with a parameter of which the next state is taken.
func (w *levelWalker) checkRecursive(d *Definition) {
	if d.declared == nil || d.levels == nil {
		return
	}
	for i, limit := range d.levels.max {
		if limit < LevelAction {
			w.l.report(diag.Errorf(CodeLevel, d.NameSpan, "the parameter %s of the recursive operator %s is primed, which a recursive operator cannot do", d.Params[i].Name, d.Name))
		}
	}
}

// checkInstance holds what an instance substitutes against the levels that the module's definitions need.
func (w *levelWalker) checkInstance(in *instance) {
	need := &in.module.level
	values := map[symbol]operand{}
	for s, value := range in.written {
		values[s] = w.operand(value)
	}
	for _, e := range in.module.inner.order {
		value, is := values[e.means]
		if !is || value.wrong {
			continue
		}
		own := LevelConstant
		if _, variable := e.means.(*Variable); variable {
			own = LevelState
		}
		limit, limited := need.most[e.means]
		if !need.constant && (!limited || own < limit) {
			limit, limited = own, true
		}
		if limited && value.level > limit {
			w.instanceError(in, value, "what is substituted for the %s %s of module %s must be %s; this is %s", e.class(), e.name, in.module.Name, limit.describeMost(), value.level.describe())
		} else if value.op != nil {
			w.checkInstanceOperator(in, e, value, values)
		}
	}
}

func (w *levelWalker) checkInstanceOperator(in *instance, e *entry, value operand, values map[symbol]operand) {
	need := &in.module.level
	if !value.op.isLeibniz() {
		w.instanceError(in, value, "%s cannot be substituted for %s: it takes the next state or all behaviours of its argument, so that equal arguments need not give equal results", value.op.name, e.name)
	}
	for j := range value.op.arity() {
		if least := need.least[argument{e.means, j}]; value.op.max[j] < least {
			w.instanceError(in, value, "module %s gives %s %s as argument %d, which %s does not allow", in.module.Name, e.name, least.describe(), j+1, value.op.name)
		}
	}
	for f := range need.flows {
		other, substituted := values[f.param]
		if f.op != e.means || !substituted || f.position >= value.op.arity() || other.wrong {
			continue
		}
		if other.level > value.op.max[f.position] {
			w.instanceError(in, other, "module %s gives this to %s, as argument %d, which must be %s; this is %s", in.module.Name, e.name, f.position+1,
				value.op.max[f.position].describeMost(), other.level.describe())
		}
	}
}

func (w *levelWalker) instanceError(in *instance, value operand, format string, args ...any) {
	at := value.place.Place()
	if !at.Known() {
		at = in.span
	}
	w.l.report(diag.Errorf(CodeLevel, at, format, args...))
}
