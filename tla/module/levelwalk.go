package module

import (
	"podlife/tla/diag"
)

// levelProgress is the state of a definition whose levels are being computed. Those that use each other in a circle are computed again and again
// until nothing changes, since their levels depend on each other.
type levelProgress struct {
	index, low int // as in Tarjan's algorithm for strongly connected components
	self       bool
	now        *definitionLevels
}

// levelsOf gives the levels of a definition, and computes them first if need be.
func (l *loader) levelsOf(d *Definition) *definitionLevels {
	if d.levels != nil {
		return d.levels
	}
	if d.progress == nil {
		return l.computeLevels(d)
	}
	if l.active != nil {
		l.active.low = min(l.active.low, d.progress.index)
		l.active.self = l.active.self || l.active == d.progress
	}
	return d.progress.now
}

// computeLevels computes what is known of d, and of all that d is in a circle with if d is the first of the circle; else what comes back is
// provisional, and the first of the circle settles it.
func (l *loader) computeLevels(d *Definition) *definitionLevels {
	p := &levelProgress{index: len(l.pending), now: provisionalLevels(d)}
	p.low = p.index
	d.progress = p
	l.pending = append(l.pending, d)
	outer := l.active
	defer func() {
		l.active = outer
		if outer != nil {
			outer.low = min(outer.low, p.low)
		}
	}()
	l.active = p
	p.now = (&levelWalker{l: l}).definition(d)
	if p.low < p.index {
		return p.now
	}
	members := append([]*Definition(nil), l.pending[p.index:]...)
	if len(members) > 1 || p.self {
		for changed := true; changed; {
			changed = false
			for _, m := range members {
				l.active = &levelProgress{low: p.index}
				m.Recursive = true
				next := (&levelWalker{l: l}).definition(m)
				changed = changed || !next.same(m.progress.now)
				m.progress.now = next
			}
		}
	}
	for _, m := range members {
		m.levels, m.Level, m.progress = m.progress.now, m.progress.now.level, nil
	}
	l.pending = l.pending[:p.index]
	p.low = p.index // nothing further out is involved
	return d.levels
}

// provisionalLevels is what a recursive definition is taken for before anything is known.
func provisionalLevels(d *Definition) *definitionLevels {
	out := &definitionLevels{name: d.Name, params: d.Params}
	for range d.Params {
		out.max = append(out.max, LevelAction)
		out.weighs = append(out.weighs, true)
		out.leibniz = append(out.leibniz, true)
	}
	return out
}

// same tells whether two stages of a computation, in which sets only grow, are equal.
func (d *definitionLevels) same(o *definitionLevels) bool {
	if d.level != o.level || d.wrong != o.wrong || len(d.levels.params) != len(o.levels.params) || len(d.mentions) != len(o.mentions) ||
		len(d.rigid) != len(o.rigid) || len(d.levels.flows) != len(o.levels.flows) || len(d.most) != len(o.most) || len(d.levels.least) != len(o.levels.least) {
		return false
	}
	for i := range d.max {
		if d.max[i] != o.max[i] || d.leibniz[i] != o.leibniz[i] {
			return false
		}
	}
	return true
}

// A levelWalker computes the levels of expressions, and writes them into the expressions. With report it says what is wrong.
type levelWalker struct {
	l      *loader
	report bool
	ats    map[*Param]*levels // what "@" stands for
}

// definition computes the levels of an operator from its body.
func (w *levelWalker) definition(d *Definition) *definitionLevels {
	body := w.expr(d.Body)
	out := operatorLevels(d.Name, d.Params, body)
	if d.progress != nil && len(d.Params) > 0 && (d.Recursive || d.declared != nil) {
		for i := range out.max {
			out.weighs[i] = true
			out.max[i] = min(out.max[i], LevelAction)
		}
	}
	return out
}

// operatorLevels splits the levels of a body into what concerns the parameters and the rest.
func operatorLevels(name string, params []*Param, body *levels) *definitionLevels {
	out := &definitionLevels{name: name, params: params}
	out.level, out.wrong = body.level, body.wrong
	position := map[symbol]int{}
	for i, p := range params {
		position[p] = i
		limit := LevelTemporal
		if m, there := body.most[p]; there {
			limit = m
		}
		_, weighs := body.params[p]
		_, rigid := body.rigid[p]
		out.max = append(out.max, limit)
		out.weighs = append(out.weighs, weighs)
		out.leibniz = append(out.leibniz, !rigid)
	}
	out.levels.params = body.params.without(params)
	out.mentions = body.mentions.without(params)
	out.rigid = body.rigid.without(params)
	out.most = withoutKeys(body.most, params)
	operatorFlows(out, params, position, body)
	return out
}

// operatorFlows is the part of operatorLevels for operator parameters.
func operatorFlows(out *definitionLevels, params []*Param, position map[symbol]int, body *levels) {
	higher := false
	for _, p := range params {
		higher = higher || p.Arity > 0
	}
	if !higher {
		out.levels.least, out.levels.flows = body.least, body.flows
		return
	}
	out.least = make([][]Level, len(params))
	out.flows = make([][][]bool, len(params))
	for i, p := range params {
		out.least[i] = make([]Level, p.Arity)
		out.flows[i] = make([][]bool, len(params))
		for j := range params {
			out.flows[i][j] = make([]bool, p.Arity)
		}
	}
	for a, least := range body.least {
		if i, own := position[a.op]; own {
			out.least[i][a.position] = least
		} else {
			out.levels.require(a, least)
		}
	}
	for f := range body.flows {
		i, ownOp := position[f.op]
		j, ownParam := position[f.param]
		if ownOp && ownParam {
			out.flows[i][j][f.position] = true
		} else {
			out.levels.flow(f.op, f.position, symbolSet{f.param: {}})
		}
	}
}

// expr computes the levels of an expression.
func (w *levelWalker) expr(e Expr) *levels {
	w.l.copying++
	defer func() { w.l.copying-- }()
	if w.l.copying > maxCopyDepth {
		w.l.report(diag.Errorf(CodeLimit, e.Place(), "expressions and definitions are nested too deep"))
		w.l.full = true
	}
	if w.l.full {
		return &levels{wrong: true}
	}
	out := w.kind(e)
	if n := nodeOf(e); n != nil {
		n.Level = out.level
	}
	return out
}

func (w *levelWalker) kind(e Expr) *levels {
	switch e := e.(type) {
	case *Number, *String:
		return &levels{}
	case *ConstantRef:
		return w.symbol(e.Constant, LevelConstant, e.Args)
	case *VariableRef:
		return w.symbol(e.Variable, LevelState, nil)
	case *ParamRef:
		if at := w.ats[e.Param]; at != nil {
			return at
		}
		return w.symbol(e.Param, LevelConstant, e.Args)
	case *Call:
		d := w.l.levelsOf(e.Definition)
		return w.use(e, d, w.operands(e.Args), nil, nil)
	case *OperatorRef, *Lambda:
		return w.operand(e).levels
	case *Apply:
		out := w.use(e, levelRows[e.Op], w.operands(e.Args), nil, nil)
		w.checkTemporal(e, out)
		return out
	case *Junction:
		out := w.use(e, levelRows[rowJunction], w.operands(e.Items), nil, nil)
		w.checkMixed(e, e.Items, out)
		return out
	case *If:
		return w.use(e, levelRows[rowIf], w.operands([]Expr{e.Cond, e.Then, e.Else}), nil, nil)
	case *Case:
		args := append(append([]Expr(nil), e.Conds...), e.Values...)
		if e.Other != nil {
			args = append(args, e.Other)
		}
		return w.use(e, levelRows[rowCase], w.operands(args), nil, nil)
	case *Record:
		return w.use(e, levelRows[rowRecord], w.operands(e.Values), nil, nil)
	case *RecordSet:
		return w.use(e, levelRows[rowRecordSet], w.operands(e.Values), nil, nil)
	case *Field:
		return w.use(e, levelRows[rowField], w.operands([]Expr{e.Record}), nil, nil)
	case *Subscripted:
		row := rowBox
		if e.Angle {
			row = rowAngle
		}
		return w.use(e, levelRows[row], w.operands([]Expr{e.Action, e.Vars}), nil, nil)
	case *Fairness:
		return w.use(e, levelRows[rowFairness], w.operands([]Expr{e.Vars, e.Action}), nil, nil)
	case *Label:
		return w.expr(e.Body)
	case *Except:
		return w.except(e)
	case *Let:
		return w.letIn(e)
	}
	return w.binder(e)
}

// binder computes the levels of what binds names.
func (w *levelWalker) binder(e Expr) *levels {
	switch e := e.(type) {
	case *Quantifier:
		row := rowQuantifier
		if e.Temporal {
			row = rowTemporalQuantifier
		}
		return w.bound(e, row, e.Bounds, e.Body)
	case *Choose:
		return w.bound(e, rowChoose, []*Bound{e.Bound}, e.Body)
	case *SetFilter:
		return w.bound(e, rowSetFilter, []*Bound{e.Bound}, e.Where)
	case *SetMap:
		return w.bound(e, rowSetMap, e.Bounds, e.Value)
	case *Function:
		return w.bound(e, rowFunction, e.Bounds, e.Body)
	}
	return &levels{wrong: true}
}

func (w *levelWalker) bound(e Expr, row Builtin, bounds []*Bound, body Expr) *levels {
	var sets []*levels
	var places []Expr
	var params []*Param
	for _, b := range bounds {
		if b.Set != nil {
			sets = append(sets, w.expr(b.Set))
			places = append(places, b.Set)
		}
		params = append(params, b.Params...)
	}
	out := w.use(e, levelRows[row], w.operands([]Expr{body}), sets, params)
	for i, s := range sets {
		switch {
		case s.wrong:
		case s.level > LevelAction:
			out.wrong = true
			w.fail(places[i], "the set of a bound must not be a temporal formula")
		case out.level == LevelTemporal && row == rowQuantifier && s.level == LevelAction:
			out.wrong = true
			w.fail(places[i], "the set of a bound of a quantified temporal formula must not have primed variables")
		}
	}
	return out
}

func (w *levelWalker) except(e *Except) *levels {
	args := []operand{w.operand(e.Function)}
	at := *args[0].levels
	for _, u := range e.Updates {
		pair := &levels{}
		for _, p := range u.Path {
			x := w.expr(p)
			pair.add(x, nil)
			pair.weigh(x, nil)
		}
		if u.At != nil {
			if w.ats == nil {
				w.ats = map[*Param]*levels{}
			}
			now := at
			w.ats[u.At] = &now
		}
		x := w.expr(u.Value)
		pair.add(x, nil)
		pair.weigh(x, nil)
		at.add(pair, nil)
		at.weigh(pair, nil)
		args = append(args, operand{levels: pair, place: u.Value})
	}
	return w.use(e, levelRows[rowExcept], args, nil, nil)
}

func (w *levelWalker) letIn(e *Let) *levels {
	defs := make([]*definitionLevels, len(e.Defs))
	for i, d := range e.Defs {
		defs[i] = w.l.levelsOf(d)
		if w.report && d.Origin == nil {
			w.definition(d)
			w.checkRecursive(d)
		}
	}
	body := w.expr(e.Body)
	out := *body
	for _, d := range defs {
		out.wrong = out.wrong || d.wrong
		out.mentions = union(out.mentions, d.mentions)
		out.most = merge(out.most, d.most, lowerLevel)
		out.least = merge(out.least, d.levels.least, higherLevel)
		out.flows = union(out.flows, d.levels.flows)
	}
	return &out
}

// nodeOf gives the node of an expression, to write its level into.
func nodeOf(e Expr) *Node {
	if n, ok := e.(interface{ node() *Node }); ok {
		return n.node()
	}
	return nil
}

func (n *Node) node() *Node { return n }

// fail reports a level error, if this walk reports at all.
func (w *levelWalker) fail(at Expr, format string, args ...any) {
	if w.report {
		w.l.report(diag.Errorf(CodeLevel, at.Place(), format, args...))
	}
}
