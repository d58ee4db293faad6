package eval

import (
	"podlife/tla/config"
	"podlife/tla/diag"
	"podlife/tla/module"
	"podlife/tla/value"
)

// compileAll compiles what the configuration names.
func (p *Program) compileAll() {
	cfg := p.config
	for _, a := range p.module.Assumes {
		if !a.Axiom { // TLC takes axioms for granted
			p.assumptions = append(p.assumptions, p.predicate(a.Name, a.Span, a.Body, nil))
		}
	}
	for _, n := range cfg.Invariants {
		d := p.named(n, "an invariant")
		if d == nil {
			continue
		}
		if level := p.levelOf(d.Body, nil); level >= module.LevelAction {
			e := diag.Errorf(CodeWrongLevel, n.Span, "%s is not a state predicate, as an invariant has to be: it is about %s", n.Text, aboutWhat(level))
			e.Notes = []diag.Note{{Span: d.NameSpan, Message: "defined here"}}
			e.Help = "name it as a PROPERTY instead"
			p.report(e)
			continue
		}
		if p.isTrue(d) {
			continue
		}
		p.invariants = append(p.invariants, p.definitionPredicate(n.Text, d))
	}
	p.compileBehavior()
	if len(p.errors) > 0 {
		return
	}
	for _, n := range cfg.Properties {
		if d := p.named(n, "a property"); d != nil && !p.isTrue(d) {
			p.properties = append(p.properties, p.property(n, d))
		}
	}
	p.constraints = p.predicates(cfg.Constraints, "a constraint", module.LevelState)
	p.actionConstraints = p.predicates(cfg.ActionConstraints, "an action constraint", module.LevelAction)
	p.postConditions = p.predicates(cfg.PostCondition, "a postcondition", module.LevelState)
	if cfg.View != nil {
		p.view = p.namedValue(*cfg.View, "a view", module.LevelState)
	}
	if cfg.Alias != nil {
		p.aliasCode = p.namedValue(*cfg.Alias, "an alias", module.LevelAction)
	}
	for _, n := range cfg.Symmetry {
		if u := p.namedValue(n, "a set of permutations", module.LevelConstant); u != nil {
			p.symmetrySets = append(p.symmetrySets, u)
		}
	}
	if len(p.errors) == 0 {
		p.checkComplete()
	}
}

func aboutWhat(level module.Level) string {
	if level == module.LevelTemporal {
		return "behaviors"
	}
	return "steps"
}

// isTrue tells whether the configuration gives a definition the value TRUE; it reports any other value.
func (p *Program) isTrue(d *module.Definition) bool {
	v, ok := p.definitionValue(d)
	return ok && v == value.Value(value.Bool(true))
}

// checkComplete reports a configuration that has properties, and no behavior to check them on.
func (p *Program) checkComplete() {
	if p.opt.ExpressionsOnly {
		return
	}
	needed := len(p.invariants) > 0 || len(p.properties) > 0
	at := p.firstName()
	if p.init == nil && (needed || len(p.variables) > 0) {
		e := diag.Errorf(CodeMissing, at, "the configuration names no SPECIFICATION and no INIT")
		if p.config.Specification != nil {
			e.Message = "the specification has no conjunct that is a predicate of the initial states"
		}
		p.report(e)
	} else if p.next == nil && (needed || p.init != nil) {
		p.report(diag.Errorf(CodeMissing, at, "the configuration gives no next-state relation: it has no NEXT, or its SPECIFICATION has no [][A]_v"))
	}
}

// firstName is a place in the configuration, for messages about what it lacks.
func (p *Program) firstName() diag.Span {
	cfg := p.config
	switch {
	case cfg.Specification != nil:
		return cfg.Specification.Span
	case cfg.Init != nil:
		return cfg.Init.Span
	case len(cfg.Invariants) > 0:
		return cfg.Invariants[0].Span
	case len(cfg.Properties) > 0:
		return cfg.Properties[0].Span
	case cfg.Source != nil:
		return diag.Span{Source: cfg.Source}
	}
	return p.module.Span
}

func (p *Program) predicates(names []config.Name, what string, most module.Level) []*Predicate {
	var out []*Predicate
	for _, n := range names {
		d := p.named(n, what)
		if d == nil || p.isTrue(d) || !p.atMost(n, d, what, most) {
			continue
		}
		out = append(out, p.definitionPredicate(n.Text, d))
	}
	return out
}

func (p *Program) atMost(n config.Name, d *module.Definition, what string, most module.Level) bool {
	level := p.levelOf(d.Body, nil)
	if level <= most {
		return true
	}
	e := diag.Errorf(CodeWrongLevel, n.Span, "%s cannot be %s: it is about %s", n.Text, what, [...]string{"constants", "states", "steps", "behaviors"}[level])
	e.Notes = []diag.Note{{Span: d.NameSpan, Message: "defined here"}}
	p.report(e)
	return false
}

// definitionPredicate compiles a definition without parameters.
func (p *Program) definitionPredicate(name string, d *module.Definition) *Predicate {
	if v, ok := p.definitionValue(d); ok {
		pr := &Predicate{Name: name, Span: d.Span}
		c := p.compiler()
		c.definition = name
		pr.run = &callUnit{unit: c.unit, name: name, pred: c.truth(d.Body, literal(v))}
		return pr
	}
	d = p.overridden(d)
	if op, ok := p.native(d); ok && op.Func != nil {
		return p.predicate(name, d.Span, &module.Call{Node: module.Node{Span: d.Span, Level: d.Level}, Definition: d}, nil)
	}
	pr := p.predicateIn(d, name, d.Span, d.Body, nil)
	pr.Conjuncts = conjunctsOf(name, d.Body)
	return pr
}

// predicate compiles a formula in a unit of its own.
func (p *Program) predicate(name string, span diag.Span, x module.Expr, e *env) *Predicate {
	return p.predicateIn(nil, name, span, x, e)
}

// predicateIn is predicate for a formula in the text of a definition.
func (p *Program) predicateIn(text *module.Definition, name string, span diag.Span, x module.Expr, e *env) *Predicate {
	c := p.compiler()
	c.definition, c.text = name, text
	pr := &Predicate{Name: name, Span: span}
	u := &callUnit{unit: c.unit, name: name}
	pr.run = u
	if c.dropped(x) {
		u.pred = func(*machine, *frame) bool { return true }
		return pr
	}
	u.pred = c.pred(x, e)
	return pr
}

// namedValue compiles a definition without parameters to its value.
func (p *Program) namedValue(n config.Name, what string, most module.Level) *callUnit {
	d := p.named(n, what)
	if d == nil || !p.atMost(n, d, what, most) {
		return nil
	}
	c := p.compiler()
	c.definition = d.Name
	u := &callUnit{unit: c.unit, name: d.Name}
	u.value = c.value(&module.Call{Node: module.Node{Span: d.NameSpan, Level: d.Level}, Definition: d}, nil)
	return u
}

// compileBehavior compiles the initial predicate and the next-state relation.
func (p *Program) compileBehavior() {
	cfg := p.config
	s := &splitSpec{p: p}
	switch {
	case cfg.Specification != nil && (cfg.Init != nil || cfg.Next != nil):
		p.report(diag.Errorf(CodeConflict, cfg.Specification.Span, "the configuration names a SPECIFICATION, and INIT or NEXT too"))
		return
	case cfg.Specification != nil:
		d := p.named(*cfg.Specification, "a specification")
		if d == nil {
			return
		}
		s.at = cfg.Specification.Span
		s.conjunct(&module.Call{Node: module.Node{Span: d.NameSpan, Level: d.Level}, Definition: d}, nil, d.Name, 0)
	default:
		if cfg.Init != nil {
			if d := p.named(*cfg.Init, "an initial predicate"); d != nil && p.atMost(*cfg.Init, d, "an initial predicate", module.LevelState) {
				s.inits = append(s.inits, formula{call(d), nil, ""})
			}
		}
		if cfg.Next != nil {
			if d := p.named(*cfg.Next, "a next-state relation"); d != nil && p.atMost(*cfg.Next, d, "a next-state relation", module.LevelAction) {
				s.next = &formula{call(d), nil, ""}
			}
		}
	}
	if len(s.inits) > 0 {
		p.init = p.initial(s.inits)
	}
	if s.next != nil {
		name := s.next.name
		if c, ok := s.next.x.(*module.Call); ok {
			name = c.Definition.Name
		}
		p.splitNext(s.next.x, s.next.env, owner{name: name})
	}
	p.behavior = p.init != nil && p.next != nil
	all := append([]formula(nil), s.inits...)
	if s.next != nil {
		all = append(all, *s.next)
	}
	for _, f := range all {
		a := analysis{p: p, env: f.env}
		p.chance = p.chance || a.of(f.x)&usesChance != 0
	}
}

func call(d *module.Definition) *module.Call {
	return &module.Call{Node: module.Node{Span: d.NameSpan, Level: d.Level}, Definition: d}
}

// initial compiles the conjunction of initial predicates.
func (p *Program) initial(fs []formula) *callUnit {
	c := p.compiler()
	c.initial = true
	k := emitCont
	for i := len(fs) - 1; i > 0; i-- {
		c.definition = fs[i].name
		holds := c.pred(fs[i].x, fs[i].env)
		k = follow(c.action(fs[i].x, fs[i].env, k), holds, k)
	}
	c.definition = fs[0].name
	p.initAt = &site{span: fs[0].x.Place(), definition: fs[0].name}
	return &callUnit{unit: c.unit, name: "Init", act: c.action(fs[0].x, fs[0].env, k)}
}
