package module

import (
	"maps"
	"strconv"

	"podlife/tla/diag"
	"podlife/tla/syntax"
)

// A selection walks down from a definition to a part of its body, as in Op(a)!2!1, Op!lab(x) or Op!1!(y) ("Naming Subexpressions" in TLA+2: A
// Preliminary Guide). On its way it collects the parameters and bound names that the part may depend on, and what they stand for.
type selection struct {
	r      *resolver
	expr   Expr
	labels map[string]*labelled // those that may follow a name
	params []*Param
	args   []syntax.Expr
	lets   []*Let // around the part, outermost first
}

// part resolves the name of a part of d's body. args are those of the instances on path; parts begin with d's own name.
func (r *resolver) part(e *syntax.Apply, path *instancePath, d *Definition, args []Expr, parts []syntax.Part, arity int) Expr {
	// What was written is the original; a copy by an INSTANCE without a name is made again from the part.
	for d.via != nil {
		path = &instancePath{chain: append(append([]*instance(nil), path.chain...), d.via)}
		d = d.Origin
	}
	if d.Body == nil || d.declared.pending() {
		return r.fail(CodeUnsupported, e.Span, "a part of %s cannot be named before its definition is complete", d.Name)
	}
	s := &selection{r: r, expr: d.Body, labels: d.labels}
	if !s.take(parts[0], d.Params, arity) || !s.walk(parts[1:], arity) {
		return r.bad(e.Span)
	}
	switch s.expr.(type) {
	case *OperatorRef, *Lambda:
		return r.fail(CodeUnsupported, e.Span, "this names an operator that is an argument, which is not supported")
	}
	named := s.definition(partName(d.Name, parts[1:]), d.Module, e.Span)
	made := path.definition(named)
	if arity > 0 {
		return &OperatorRef{Node: Node{Span: e.Span}, Arity: arity, Definition: made}
	}
	if len(s.args) != len(s.params) {
		return r.fail(CodeUnsupported, e.Span, "the part depends on %d names and is given %d", len(s.params), len(s.args))
	}
	args = append(args, r.arguments(nameOf(e), s.params, s.args)...)
	return &Call{Node: Node{Span: e.Span}, Definition: made, Args: args}
}

// definition makes a definition whose body is the part, inside the LETs that it may speak of.
func (s *selection) definition(name, module string, at diag.Span) *Definition {
	outer := &copier{l: s.r.l, params: map[*Param]*Param{}, defs: map[*Definition]*Definition{}}
	d := &Definition{Name: name, Module: module, Params: outer.bind(s.params), Span: s.expr.Place(), NameSpan: at}
	lets := make([]*Let, len(s.lets))
	for i, let := range s.lets {
		lets[i] = &Let{Node: Node{Span: d.Span}, Defs: outer.announce(let.Defs)}
	}
	// The part is also inside what the LETs define, or the LETs are inside what binds its names: each copy starts from the same names.
	copier := func() *copier {
		return &copier{l: s.r.l, params: maps.Clone(outer.params), defs: maps.Clone(outer.defs)}
	}
	for i, let := range s.lets {
		for j, def := range let.Defs {
			k := copier()
			lets[i].Defs[j].Params = k.bind(def.Params)
			lets[i].Defs[j].Body = k.expr(def.Body)
		}
	}
	d.Body = copier().expr(s.expr)
	for i := len(lets) - 1; i >= 0; i-- {
		lets[i].Body = d.Body
		d.Body = lets[i]
	}
	return d
}

// partName is the name of a part as it would be written in d's own module, without arguments.
func partName(name string, steps []syntax.Part) string {
	for _, p := range steps {
		name += "!" + p.Name.Text
	}
	return name
}

// take collects parameters with the arguments that a step of the name gives for them.
func (s *selection) take(part syntax.Part, params []*Param, arity int) bool {
	s.params = append(s.params, params...)
	if arity > 0 {
		return true
	}
	if len(part.Args) != len(params) {
		name := part.Name.Text
		if name == "()" {
			name = "!(...)"
		}
		s.r.fail(CodeArity, part.Name.Span, "%s takes %s here and is given %d", name, count(len(params), "argument"), len(part.Args))
		return false
	}
	s.args = append(s.args, part.Args...)
	return true
}

// isSelector tells whether a step goes to a part by its position, and not by a name.
func isSelector(name string) bool {
	switch name {
	case "()", "@", "<<", ">>", ":":
		return true
	}
	return name[0] >= '0' && name[0] <= '9'
}

// walk goes on by the steps after the definition's name.
func (s *selection) walk(parts []syntax.Part, arity int) bool {
	byName, ofDefinition := true, true // the last step was a name: labels may follow; and it was that of a definition
	for i := 0; i < len(parts); i++ {
		p := parts[i]
		name := p.Name.Text
		last := i == len(parts)-1
		switch {
		case name == ":":
			if !byName || !last && isSelector(parts[i+1].Name.Text) || last && !ofDefinition {
				s.fail(p.Name, "!: stands only after a name, and at the end or before the name of a definition in a LET")
				return false
			}
			byName = false
		case !isSelector(name) && byName:
			l := s.labels[name]
			if l == nil {
				s.fail(p.Name, "there is no label %s here", name)
				return false
			}
			s.collectLets(s.expr, l.label)
			s.expr, s.labels = l.label.Body, l.labels
			ofDefinition = false
			if !s.take(p, l.params, arity) {
				return false
			}
		case !isSelector(name):
			if !s.letDefinition(p, arity) {
				return false
			}
			byName, ofDefinition = true, true
		default:
			next := ""
			if !last {
				next = parts[i+1].Name.Text
			}
			used, ok := s.step(p, next, arity)
			if !ok {
				return false
			}
			i += used
			byName = false
		}
	}
	return true
}

func (s *selection) fail(at syntax.Name, format string, args ...any) {
	s.r.l.report(diag.Errorf(CodeUnsupported, at.Span, format, args...))
}

// letDefinition goes to a definition of the LET that the last step led to.
func (s *selection) letDefinition(p syntax.Part, arity int) bool {
	s.skipLabels()
	let, is := s.expr.(*Let)
	if !is {
		s.fail(p.Name, "a name here must be that of a definition in a LET, and the part before it is no LET")
		return false
	}
	for _, d := range let.Defs {
		if d.Name == p.Name.Text {
			s.lets = append(s.lets, let)
			s.expr, s.labels = d.Body, d.labels
			return s.take(p, d.Params, arity)
		}
	}
	s.fail(p.Name, "the LET has no definition %s", p.Name.Text)
	return false
}

func (s *selection) skipLabels() {
	for {
		l, is := s.expr.(*Label)
		if !is {
			return
		}
		s.expr = l.Body
	}
}

// collectLets notes the LETs between an expression and a label in it.
func (s *selection) collectLets(from Expr, to *Label) {
	var around []*Let
	var found bool
	var visit func(e Expr)
	visit = func(e Expr) {
		if found {
			return
		}
		if e == Expr(to) {
			found = true
			s.lets = append(s.lets, around...)
			return
		}
		let, is := e.(*Let)
		if is {
			around = append(around, let)
		}
		eachChild(e, visit)
		if is {
			around = around[:len(around)-1]
		}
	}
	visit(from)
}

// step goes to an operand by its position. For CASE a second step, next, is used, and used is then 1.
func (s *selection) step(p syntax.Part, next string, arity int) (used int, ok bool) {
	s.skipLabels()
	name := p.Name.Text
	switch e := s.expr.(type) {
	case *Let:
		if operandNumber(name, 1) != 1 {
			s.fail(p.Name, "a LET has one part, its body")
			return 0, false
		}
		s.lets = append(s.lets, e)
		s.expr = e.Body
		return 0, true
	case *Case:
		return s.caseStep(p, e, next)
	case *Lambda:
		if name != "()" && name != "@" {
			s.fail(p.Name, "the body of a LAMBDA is named with its arguments: !(x)")
			return 0, false
		}
		s.expr = e.Body
		return 0, s.takeBound(p, e.Params, arity)
	}
	if bounds, body := binding(s.expr); body != nil {
		return 0, s.boundStep(p, bounds, body, arity)
	}
	parts := operandsOf(s.expr)
	n := operandNumber(name, len(parts))
	if n == 0 {
		s.fail(p.Name, "the expression has no part %s", name)
		return 0, false
	}
	if parts[n-1] == nil {
		s.fail(p.Name, "this part of an EXCEPT cannot be named")
		return 0, false
	}
	s.expr = parts[n-1]
	return 0, true
}

func (s *selection) takeBound(p syntax.Part, params []*Param, arity int) bool {
	if p.Name.Text == "@" {
		s.params = append(s.params, params...)
		return true
	}
	return s.take(p, params, arity)
}

func (s *selection) boundStep(p syntax.Part, bounds []*Bound, body Expr, arity int) bool {
	if name := p.Name.Text; name != "()" && name != "@" {
		var sets []Expr
		for _, b := range bounds {
			if b.Set != nil {
				sets = append(sets, b.Set)
			}
		}
		n := operandNumber(name, len(sets))
		if n == 0 {
			s.fail(p.Name, "the expression has no bound %s; its body is named with values for the bound names: !(x)", name)
			return false
		}
		s.expr = sets[n-1]
		return true
	}
	var params []*Param
	for _, b := range bounds {
		params = append(params, b.Params...)
	}
	s.expr = body
	return s.takeBound(p, params, arity)
}

func (s *selection) caseStep(p syntax.Part, e *Case, next string) (used int, ok bool) {
	arms := len(e.Conds)
	if e.Other != nil {
		arms++
	}
	arm, side := operandNumber(p.Name.Text, arms), operandNumber(next, 2)
	switch {
	case next == "" || arm == 0 || side == 0:
		s.fail(p.Name, "a part of a CASE is named by the number of the arm and then 1 for its condition or 2 for its value")
		return 0, false
	case arm > len(e.Conds) && side == 1:
		s.fail(p.Name, "OTHER is no expression")
		return 0, false
	case arm > len(e.Conds):
		s.expr = e.Other
	case side == 1:
		s.expr = e.Conds[arm-1]
	default:
		s.expr = e.Values[arm-1]
	}
	return 1, true
}

// operandNumber gives the number, from 1, of the operand that a selector names among n, or 0: "<<" is the first, ">>" the second of two.
func operandNumber(selector string, n int) int {
	switch {
	case selector == "<<" && n > 0:
		return 1
	case selector == ">>" && n == 2:
		return 2
	}
	i, err := strconv.Atoi(selector)
	if err != nil || i < 1 || i > n {
		return 0
	}
	return i
}

// binding gives the bounds and the body of what binds names.
func binding(e Expr) ([]*Bound, Expr) {
	switch e := e.(type) {
	case *Quantifier:
		return e.Bounds, e.Body
	case *Choose:
		return []*Bound{e.Bound}, e.Body
	case *SetFilter:
		return []*Bound{e.Bound}, e.Where
	case *SetMap:
		return e.Bounds, e.Value
	case *Function:
		return e.Bounds, e.Body
	}
	return nil, nil
}

// operandsOf gives the parts of an expression as they are counted. A nil one is there and cannot be named.
func operandsOf(e Expr) []Expr {
	switch e := e.(type) {
	case *ConstantRef:
		return e.Args
	case *ParamRef:
		return e.Args
	case *Call:
		return e.Args
	case *Apply:
		return e.Args
	case *Junction:
		if n := len(e.Items); e.infix && n > 2 {
			rest := *e
			rest.Items, rest.Names = e.Items[:n-1], e.Names[:n-1]
			if e.VacuousOK != nil {
				rest.VacuousOK = e.VacuousOK[:n-1]
			}
			rest.Span = e.Items[0].Place().To(e.Items[n-2].Place())
			return []Expr{&rest, e.Items[n-1]}
		}
		return e.Items
	case *Record:
		return e.Values
	case *RecordSet:
		return e.Values
	case *Field:
		return []Expr{e.Record, &String{Node: e.Node, Value: e.Name}}
	case *If:
		return []Expr{e.Cond, e.Then, e.Else}
	case *Subscripted:
		return []Expr{e.Action, e.Vars}
	case *Fairness:
		return []Expr{e.Vars, e.Action}
	case *Except:
		return append([]Expr{e.Function}, make([]Expr, len(e.Updates))...)
	}
	return nil
}
