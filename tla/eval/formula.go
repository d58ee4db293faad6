package eval

import (
	"podlife/tla/config"
	"podlife/tla/diag"
	"podlife/tla/module"
	"podlife/tla/value"
)

// A formula is one conjunct of a specification or property, with what its names stand for.
type formula struct {
	x    module.Expr
	env  *env
	name string
}

// A splitSpec takes a SPECIFICATION apart: Init /\ [][Next]_v /\ fairness, through definitions, as TLC does.
type splitSpec struct {
	p     *Program
	at    diag.Span // of the name in the configuration
	inits []formula
	next  *formula
}

// maxUnfolding bounds how deeply definitions of temporal formulas are followed.
const maxUnfolding = 200

func (s *splitSpec) reject(x module.Expr, format string, args ...any) {
	e := diag.Errorf(CodeFormula, x.Place(), format, args...)
	if s.at.Known() {
		e.Notes = append(e.Notes, diag.Note{Span: s.at, Message: "the configuration asks for it here"})
	}
	panic(&compileError{e})
}

func (s *splitSpec) conjunct(x module.Expr, e *env, name string, depth int) {
	p := s.p
	if depth > maxUnfolding {
		s.reject(x, "the definitions of this formula are nested too deeply")
	}
	if y, inner, n, ok := p.unfold(x, e, name); ok {
		if call, is := x.(*module.Call); is && len(call.Args) == 0 && p.levelOf(y, inner) == module.LevelState {
			s.inits = append(s.inits, formula{y, inner, n})
			return
		}
		s.conjunct(y, inner, n, depth+1)
		return
	}
	switch y := x.(type) {
	case *module.Junction:
		if !y.Or {
			for _, item := range y.Items {
				s.conjunct(item, e, name, depth+1)
			}
			return
		}
	case *module.Quantifier:
		if y.Temporal {
			s.reject(x, "a specification with a temporal quantifier cannot be checked")
		}
	case *module.Apply:
		switch y.Op {
		case module.True:
			return
		case module.False:
			s.reject(x, "the specification is FALSE: no behavior satisfies it")
		case module.Always:
			if step, ok := p.step(y.Args[0], e); ok {
				if s.next != nil {
					e := diag.Errorf(CodeFormula, x.Place(), "the specification has more than one next-state relation")
					e.Notes = []diag.Note{{Span: s.next.x.Place(), Message: "the other one"}}
					panic(&compileError{e})
				}
				s.next = &formula{step.x.(*module.Subscripted).Action, step.env, name}
				return
			}
			if p.levelOf(y.Args[0], e) <= module.LevelState {
				s.reject(x, "a specification cannot demand [] of a state predicate; say it in the initial predicate and the next-state relation, or as a constraint")
			}
		}
	}
	if b, ok := p.booleanOf(x); ok {
		if !b {
			s.reject(x, "the specification is FALSE: no behavior satisfies it")
		}
		return
	}
	switch level := p.levelOf(x, e); {
	case level <= module.LevelState:
		s.inits = append(s.inits, formula{x, e, name})
	case level == module.LevelTemporal:
		p.fairness = append(p.fairness, Unsupported{Span: x.Place(), Text: x.Place().Text(), Why: "what a specification demands of infinite behaviors makes no difference to its states and steps"})
	default:
		s.reject(x, "an action stands where a state predicate, [][A]_v or a fairness condition was expected")
	}
}

// step recognises [A]_v.
func (p *Program) step(x module.Expr, e *env) (formula, bool) {
	name := ""
	for range maxUnfolding {
		if y, ok := x.(*module.Subscripted); ok && !y.Angle {
			return formula{y, e, name}, true
		}
		y, inner, n, ok := p.unfold(x, e, name)
		if !ok {
			break
		}
		x, e, name = y, inner, n
	}
	return formula{}, false
}

// unfold replaces a name by what it stands for, as far as that is a formula to be taken apart. ok is false for everything else.
func (p *Program) unfold(x module.Expr, e *env, name string) (y module.Expr, inner *env, n string, ok bool) {
	switch x := x.(type) {
	case *module.Label:
		return x.Body, e, name, true
	case *module.Let:
		return x.Body, p.letFormula(x, e), name, true
	case *module.ParamRef:
		if b := e.find(x.Param); b != nil && len(x.Args) == 0 && b.kind == bindInline && b.expr != nil {
			return b.expr, b.env, name, true
		}
	case *module.Call:
		d := x.Definition
		if d.Let {
			b := e.find(d)
			if b == nil {
				return nil, nil, "", false
			}
			switch b.kind {
			case bindInline:
				return b.expr, b.env, d.Name, true
			case bindMacro:
				if !d.Recursive {
					return d.Body, p.bindArguments(d, x.Args, e, b.env), d.Name, true
				}
			}
			return nil, nil, "", false
		}
		if _, ok := p.definitionValue(d); ok || p.defTables[d] != nil {
			return nil, nil, "", false
		}
		d = p.overridden(d)
		if _, ok := p.native(d); ok || d.Body == nil || d.Function || d.Recursive {
			return nil, nil, "", false
		}
		return d.Body, p.bindArguments(d, x.Args, e, nil), d.Name, true
	}
	return nil, nil, "", false
}

// bindArguments binds parameters to their arguments, without evaluating anything.
func (p *Program) bindArguments(d *module.Definition, args []module.Expr, e, around *env) *env {
	c := &compiler{p: p, definition: d.Name}
	for i, param := range d.Params {
		if param.Arity > 0 {
			around = around.bind(param, &binding{kind: bindOperator, expr: args[i], env: e, where: c.where()})
			continue
		}
		around = around.bind(param, c.aliased(args[i], e))
	}
	return around
}

// letFormula binds the definitions of a LET so that they are written out wherever they are used.
func (p *Program) letFormula(x *module.Let, e *env) *env {
	inner := e
	bound := make([]*binding, len(x.Defs))
	for i, d := range x.Defs {
		bound[i] = &binding{def: d, where: where{definition: d.Name}}
		inner = inner.bind(d, bound[i])
	}
	for i, d := range x.Defs {
		b := bound[i]
		b.env = inner
		switch {
		case d.Function && d.Recursive, d.Recursive && len(d.Params) == 0:
			panic(&compileError{diag.Errorf(CodeFormula, d.Span, "a recursive definition cannot be used in a temporal formula")})
		case len(d.Params) > 0:
			b.kind = bindMacro
		default:
			b.kind, b.expr = bindInline, d.Body
		}
	}
	return inner
}

// levelOf is the level of a formula, with what its names stand for.
func (p *Program) levelOf(x module.Expr, e *env) module.Level {
	level := x.ExprLevel()
	var visit func(y module.Expr)
	visit = func(y module.Expr) {
		if y == nil {
			return
		}
		if ref, ok := y.(*module.ParamRef); ok {
			if b := e.find(ref.Param); b != nil && b.expr != nil && b.env != e {
				level = max(level, p.levelOf(b.expr, b.env))
			}
		}
		if call, ok := y.(*module.Call); ok {
			if by := p.overridden(call.Definition); by != call.Definition && by.Body != nil {
				level = max(level, by.Body.ExprLevel())
			}
		}
		children(y, visit)
	}
	visit(x)
	return level
}

// booleanOf is the value of a formula that is a definition to which the configuration gives one, if that is a boolean.
func (p *Program) booleanOf(x module.Expr) (b, ok bool) {
	call, is := x.(*module.Call)
	if !is {
		return false, false
	}
	v, ok := p.definitionValue(call.Definition)
	if !ok {
		return false, false
	}
	bv, ok := v.(value.Bool)
	return bool(bv), ok
}

// named finds a definition without parameters that the configuration names.
func (p *Program) named(n config.Name, what string) *module.Definition {
	con, d := lookup(p.module, n.Text)
	switch {
	case con != nil:
		p.report(diag.Errorf(CodeWrongLevel, n.Span, "%s is a constant, and %s was expected", n.Text, what))
		return nil
	case d == nil:
		e := diag.Errorf(CodeUnknownName, n.Span, "the specification does not define %s, which the configuration names as %s", n.Text, what)
		e.Help = p.suggest(n.Text)
		p.report(e)
		return nil
	case len(d.Params) > 0:
		p.report(diag.Errorf(CodeArity, n.Span, "%s has %s, and %s has none", n.Text, plural(len(d.Params), "parameter"), what))
		return nil
	}
	return d
}

// suggest proposes a definition whose name is like one that does not exist.
func (p *Program) suggest(name string) string {
	best, least := "", max(2, len(name)/3)+1
	for _, d := range p.module.Defs {
		if n := distance(name, d.Name); n < least {
			best, least = d.Name, n
		}
	}
	if best == "" {
		return ""
	}
	return "did you mean " + best + "?"
}

// distance is how many letters have to be changed, put in or taken out to make b of a.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		last := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			last, row[j] = row[j], min(row[j]+1, row[j-1]+1, last+cost)
		}
	}
	return row[len(b)]
}
