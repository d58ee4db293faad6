package module

import "podlife/tla/diag"

// an operand is an argument with its levels. Where it is an operator, op is what is known of it, or param the parameter or constant that it is.
type operand struct {
	*levels
	place Expr
	op    *definitionLevels
	param symbol
}

func (w *levelWalker) operands(args []Expr) []operand {
	out := make([]operand, len(args))
	for i, a := range args {
		out[i] = w.operand(a)
	}
	return out
}

func (w *levelWalker) operand(e Expr) operand {
	out := operand{place: e}
	switch e := e.(type) {
	case *OperatorRef:
		switch {
		case e.Definition != nil:
			out.op = w.l.levelsOf(e.Definition)
			out.levels = &out.op.levels
		case e.Constant != nil:
			out.param, out.levels = e.Constant, w.symbol(e.Constant, LevelConstant, nil)
		case e.Param != nil:
			out.param, out.levels = e.Param, w.symbol(e.Param, LevelConstant, nil)
		default:
			out.op = levelRows[e.Builtin]
			out.levels = &out.op.levels
		}
		e.Level = out.level
	case *Lambda:
		out.op = operatorLevels("this LAMBDA", e.Params, w.expr(e.Body))
		out.levels = &out.op.levels
		e.Level = out.level
	default:
		out.levels = w.expr(e)
	}
	return out
}

// symbol gives the levels of a constant, variable or parameter with its arguments.
func (w *levelWalker) symbol(s symbol, own Level, args []Expr) *levels {
	out := &levels{level: own, params: symbolSet{s: {}}, mentions: symbolSet{s: {}}}
	for i, a := range args {
		x := w.expr(a)
		out.add(x, nil)
		out.weigh(x, nil)
		out.require(argument{s, i}, x.level)
		out.flow(s, i, x.params)
	}
	return out
}

// use gives the levels of an operator with arguments, the sets of its bounds, and the names that it binds.
func (w *levelWalker) use(e Expr, def *definitionLevels, args []operand, sets []*levels, bound []*Param) *levels {
	out := &levels{level: def.level, wrong: def.wrong, params: def.levels.params, mentions: def.mentions, rigid: def.rigid, most: def.most, least: def.levels.least}
	for i, a := range args {
		w.check(e, def, args, i, out)
		k := def.index(i)
		out.add(a.levels, bound)
		if def.weighs[k] {
			out.weigh(a.levels, bound)
		}
		if !def.leibniz[k] {
			out.rigid = union(out.rigid, a.mentions.without(bound))
		}
		out.demand(a.levels.params.without(bound), def.max[k])
		w.operatorUse(def, args, i, out)
	}
	for _, s := range sets {
		out.add(s, nil)
		out.weigh(s, nil)
	}
	if len(def.levels.flows) > 0 {
		w.passFlows(def, args, out)
	}
	return out
}

// check reports an argument whose level its place does not allow.
func (w *levelWalker) check(e Expr, def *definitionLevels, args []operand, i int, out *levels) {
	a := args[i]
	if limit := def.max[def.index(i)]; a.level > limit {
		out.wrong = true
		if !a.wrong && !def.wrong {
			w.reportUse(e, def, a, limit)
		}
	}
	if a.op == nil || def.least == nil {
		return
	}
	for j := range a.op.arity() {
		if least := def.leastOf(i, j); a.op.max[j] < least {
			out.wrong = true
			if !a.wrong && !def.wrong {
				w.fail(a.place, "%s hands %s over to %s, which does not allow it as argument %d", def.name, least.describe(), a.op.name, j+1)
			}
		}
	}
	for j, other := range args {
		for k := range a.op.arity() {
			if def.flowsInto(i, j, k) && other.level > a.op.max[k] {
				out.wrong = true
				if !a.wrong && !other.wrong {
					w.fail(other.place, "%s hands this over to %s, which does not allow %s as argument %d", def.name, a.op.name, other.level.describe(), k+1)
				}
			}
		}
	}
}

func (w *levelWalker) reportUse(e Expr, def *definitionLevels, a operand, limit Level) {
	switch x := e.(type) {
	case *Apply:
		if x.Op == Prime || x.Op == Unchanged {
			if a.level == LevelAction {
				w.fail(a.place, "this already speaks of the next state, so it cannot stand under %s", primeOrUnchanged(x.Op))
			} else {
				w.fail(a.place, "a temporal formula cannot stand under %s", primeOrUnchanged(x.Op))
			}
			return
		}
	case *Subscripted, *Fairness:
		if limit == LevelState {
			w.fail(a.place, "a subscript must be a state expression, without primes; this is %s", a.level.describe())
			return
		}
	}
	if limit == LevelAction {
		w.fail(a.place, "a temporal formula cannot be part of %s", def.name)
		return
	}
	w.fail(a.place, "this argument of %s must be %s; it is %s", def.name, limit.describeMost(), a.level.describe())
}

func primeOrUnchanged(op Builtin) string {
	if op == Prime {
		return "a prime"
	}
	return "UNCHANGED"
}

// operatorUse takes over what follows from argument i being an operator.
func (w *levelWalker) operatorUse(def *definitionLevels, args []operand, i int, out *levels) {
	a := args[i]
	switch {
	case a.op != nil && def.flows != nil:
		for j, other := range args {
			for k := range a.op.arity() {
				if def.flowsInto(i, j, k) {
					out.demand(other.levels.params, a.op.max[k])
					if !a.op.leibniz[k] {
						out.rigid = union(out.rigid, other.mentions)
					}
				}
			}
		}
	case a.param != nil && def.least != nil:
		for j := range def.least[i] {
			out.require(argument{a.param, j}, def.least[i][j])
			for o, other := range args {
				if def.flowsInto(i, o, j) {
					out.require(argument{a.param, j}, other.level)
					out.flow(a.param, j, other.levels.params)
				}
			}
		}
	}
}

// passFlows takes over flows of a definition that touch something outside of it, with the arguments put in.
func (w *levelWalker) passFlows(def *definitionLevels, args []operand, out *levels) {
	given := func(s symbol) *operand {
		for i, p := range def.params {
			if p == s && i < len(args) {
				return &args[i]
			}
		}
		return nil
	}
	for f := range def.levels.flows {
		op, param := given(f.op), given(f.param)
		switch {
		case op == nil && param == nil:
			out.flow(f.op, f.position, symbolSet{f.param: {}})
		case op == nil:
			out.flow(f.op, f.position, param.levels.params)
		case op.param != nil:
			out.flow(op.param, f.position, symbolSet{f.param: {}})
		case op.op != nil && f.position < op.op.arity():
			out.demand(symbolSet{f.param: {}}, op.op.max[f.position])
		}
	}
}

// checkTemporal holds the special rules of [], <>, ~> and the logical operators.
func (w *levelWalker) checkTemporal(e *Apply, out *levels) {
	switch e.Op {
	case Always, Eventually:
		arg := e.Args[0]
		if arg.ExprLevel() != LevelAction || !isApplication(arg) {
			return
		}
		if s, is := arg.(*Subscripted); is && s.Angle == (e.Op == Eventually) {
			return
		}
		out.wrong = true
		if e.Op == Always {
			w.fail(arg, "an action under [] must have the form [A]_v, so that the formula allows steps that change nothing")
		} else {
			w.fail(arg, "an action under <> must have the form <<A>>_v, so that the formula allows steps that change nothing")
		}
	case LeadsTo, WhilePlus:
		for _, a := range e.Args {
			if a.ExprLevel() == LevelAction {
				out.wrong = true
				w.fail(a, "%s wants temporal formulas or state predicates; this is an action", e.Op)
			}
		}
	case Implies, Equivalent:
		w.checkMixed(e, e.Args, out)
	}
}

// isApplication tells whether SANY has an operator application for the expression: for LET and labels it has not, and then does not look.
func isApplication(e Expr) bool {
	switch e.(type) {
	case *Let, *Label, *invalid:
		return false
	}
	return true
}

// checkMixed reports a temporal formula and an action side by side.
func (w *levelWalker) checkMixed(e Expr, args []Expr, out *levels) {
	var action, temporal Expr
	for _, a := range args {
		switch a.ExprLevel() {
		case LevelAction:
			action = a
		case LevelTemporal:
			temporal = a
		}
	}
	if action == nil || temporal == nil {
		return
	}
	out.wrong = true
	if w.report {
		err := diag.Errorf(CodeLevel, e.Place(), "this joins a temporal formula and an action, which can only be joined as [][A]_v or <><<A>>_v")
		err.Notes = append(err.Notes, diag.Note{Span: action.Place(), Message: "the action"}, diag.Note{Span: temporal.Place(), Message: "the temporal formula"})
		w.l.report(err)
	}
}
