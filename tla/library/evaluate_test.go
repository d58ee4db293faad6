package library

import (
	"fmt"
	"math/big"

	"podlife/tla/syntax"
	"podlife/tla/value"
)

// A scope is what names mean at some place: parameters and bound names, then what a LET defines, then what a module has.
type scope struct {
	outer *scope
	names map[string]any // a value.Value, a *value.Operator, or a *definition
	mod   *loaded        // of the outermost scope alone
}

// A definition is an operator of a text with the scope of its body.
type definition struct {
	module, name string
	source       *loaded // nil in a LET
	params       []syntax.Decl
	body         syntax.Expr
	bounds       []syntax.Bound // of a function definition
	in           *scope
}

// loaded is a module with the definitions that are seen in it and those that whoever extends it gets.
type loaded struct {
	name          string
	seen, exports map[string]*definition
	instances     map[string]*loaded
}

// An evaluator is a small, slow evaluator of constant expressions over the texts of this package, for tests alone: it makes the tables of testdata
// readable, and compares natives with definitions.
type evaluator struct {
	env     *Env
	modules map[string]*loaded
	by      string // the module whose definitions are evaluated instead of its natives; "" for none
}

func (e *evaluator) load(name string) *loaded {
	if m := e.modules[name]; m != nil {
		return m
	}
	src, ok := Source(name)
	if !ok {
		panic("no module " + name)
	}
	tree, err := syntax.ParseModule(src)
	if err != nil {
		panic(err)
	}
	m := &loaded{name: name, seen: map[string]*definition{}, exports: map[string]*definition{}, instances: map[string]*loaded{}}
	e.modules[name] = m
	top := &scope{mod: m}
	for _, x := range tree.Extends {
		for n, d := range e.load(x.Text).exports {
			m.seen[n], m.exports[n] = d, d
		}
	}
	for _, u := range tree.Units {
		if inst, ok := u.(*syntax.Instance); ok && inst.Name == nil {
			for n, d := range e.load(inst.Module.Text).exports {
				m.seen[n] = d
				if !inst.Local {
					m.exports[n] = d
				}
			}
		}
		if d, local := define(u, top); d != nil {
			d.module, d.source = name, m
			m.seen[d.name] = d
			if !local {
				m.exports[d.name] = d
			}
		}
	}
	return m
}

// define makes a definition of a unit, or nil.
func define(u syntax.Unit, in *scope) (d *definition, local bool) {
	switch u := u.(type) {
	case *syntax.Definition:
		return &definition{name: u.Name.Text, params: u.Params, body: u.Body, in: in}, u.Local
	case *syntax.FunctionDefinition:
		return &definition{name: u.Name.Text, bounds: u.Bounds, body: u.Body, in: in}, u.Local
	}
	return nil, false
}

func (s *scope) find(name string) any {
	for ; s != nil; s = s.outer {
		if x, ok := s.names[name]; ok {
			return x
		}
		if s.mod != nil {
			if d := s.mod.seen[name]; d != nil {
				return d
			}
		}
	}
	return nil
}

func (s *scope) with(names map[string]any) *scope { return &scope{outer: s, names: names} }

// eval evaluates an expression.
func (e *evaluator) eval(x syntax.Expr, s *scope) value.Value {
	switch x := x.(type) {
	case *syntax.Number:
		n, ok := new(big.Int).SetString(x.Text, 10)
		if !ok {
			panic("numeral " + x.Text)
		}
		return value.NewBig(n)
	case *syntax.String:
		return value.NewString(x.Value)
	case *syntax.Paren:
		return e.eval(x.Body, s)
	case *syntax.Tuple:
		return value.NewTuple(e.all(x.Items, s))
	case *syntax.SetEnum:
		return value.NewSet(e.all(x.Items, s))
	case *syntax.Times:
		return value.Product(e.all(x.Items, s)...)
	case *syntax.FunctionSet:
		return value.FunctionSet(e.eval(x.Domain, s), e.eval(x.Range, s))
	case *syntax.Record:
		return e.record(x.Fields, s, func(shape *value.Shape, vals []value.Value) value.Value { return value.NewRecord(shape, vals) })
	case *syntax.RecordSet:
		return e.record(x.Fields, s, func(shape *value.Shape, vals []value.Value) value.Value { return value.RecordSet(shape, vals) })
	case *syntax.Field:
		return value.Apply(e.eval(x.Record, s), value.NewString(x.Name.Text))
	case *syntax.FunctionApply:
		return value.Apply(e.eval(x.Function, s), tupled(e.all(x.Args, s)))
	case *syntax.FunctionConstructor:
		return e.function(x.Bounds, x.Body, s)
	case *syntax.SetMap:
		var elems []value.Value
		e.each(x.Bounds, s, func(in *scope, _ []value.Value) bool {
			elems = append(elems, e.eval(x.Value, in))
			return true
		})
		return value.NewSet(elems)
	case *syntax.SetFilter:
		set := e.eval(x.Bound.Set, s)
		return value.Filter(set, func(v value.Value) bool { return e.truth(x.Where, bind(x.Bound, v, s)) })
	case *syntax.Quantifier:
		found := false
		e.each(x.Bounds, s, func(in *scope, _ []value.Value) bool {
			found = e.truth(x.Body, in) == x.Exists
			return !found
		})
		return value.Bool(found == x.Exists)
	case *syntax.Choose:
		for _, v := range some(e.eval(x.Bound.Set, s)) {
			if e.truth(x.Body, bind(x.Bound, v, s)) {
				return v
			}
		}
		value.Raise("choose", "nothing to choose")
	case *syntax.If:
		if e.truth(x.Cond, s) {
			return e.eval(x.Then, s)
		}
		return e.eval(x.Else, s)
	case *syntax.Case:
		for _, arm := range x.Arms {
			if e.truth(arm.Cond, s) {
				return e.eval(arm.Value, s)
			}
		}
		if x.Other == nil {
			value.Raise("case", "no case")
		}
		return e.eval(x.Other, s)
	case *syntax.Let:
		return e.eval(x.Body, e.let(x.Units, s))
	case *syntax.Junction:
		for _, item := range x.Items {
			if e.truth(item, s) == x.Or {
				return value.Bool(x.Or)
			}
		}
		return value.Bool(!x.Or)
	case *syntax.Except:
		f := e.eval(x.Function, s)
		for _, u := range x.Updates {
			f = value.Except(f, e.all(u.Path[0].Args, s), func(value.Value) value.Value { return e.eval(u.Value, s) })
		}
		return f
	case *syntax.Apply:
		return e.apply(x, s)
	}
	panic(fmt.Sprintf("the evaluator of the tests has no %T", x))
}

func (e *evaluator) truth(x syntax.Expr, s *scope) bool {
	return boolean("the test", "only", e.eval(x, s))
}

func (e *evaluator) all(xs []syntax.Expr, s *scope) []value.Value {
	vals := make([]value.Value, len(xs))
	for i, x := range xs {
		vals[i] = e.eval(x, s)
	}
	return vals
}

func tupled(args []value.Value) value.Value {
	if len(args) == 1 {
		return args[0]
	}
	return value.NewTuple(args)
}

func (e *evaluator) record(fields []syntax.FieldValue, s *scope, make_ func(*value.Shape, []value.Value) value.Value) value.Value {
	var names []string
	for _, f := range fields {
		names = append(names, f.Name.Text)
	}
	shape := value.ShapeOf(names...)
	vals := make([]value.Value, len(names))
	for _, f := range fields {
		vals[shape.Index(f.Name.Text)] = e.eval(f.Value, s)
	}
	return make_(shape, vals)
}

// bind gives a bound's names, or the parts of a tuple of them, a value.
func bind(b syntax.Bound, v value.Value, s *scope) *scope {
	names := map[string]any{}
	for i, n := range b.Names {
		if b.Tuple {
			names[n.Text] = v.(*value.Tuple).At(i)
		} else {
			names[n.Text] = v
		}
	}
	return s.with(names)
}

// some is the elements of a set, of Nat the first ones: the definitions look for numbers that are small in the tables.
func some(set value.Value) []value.Value {
	if set == value.Naturals {
		set = value.Interval(value.NewInt(0), value.NewInt(20))
	}
	return value.Elements(set)
}

// each calls visit with all values of bounds, which are no tuples, until it gives false.
func (e *evaluator) each(bounds []syntax.Bound, s *scope, visit func(in *scope, vals []value.Value) bool) {
	var names []string
	var sets [][]value.Value
	for _, b := range bounds {
		elems := some(e.eval(b.Set, s))
		for _, n := range b.Names {
			names, sets = append(names, n.Text), append(sets, elems)
		}
	}
	var step func(i int, vals []value.Value) bool
	step = func(i int, vals []value.Value) bool {
		if i == len(names) {
			bound := map[string]any{}
			for j, n := range names {
				bound[n] = vals[j]
			}
			return visit(s.with(bound), vals)
		}
		for _, v := range sets[i] {
			if !step(i+1, append(vals[:i:i], v)) {
				return false
			}
		}
		return true
	}
	step(0, nil)
}

// function is [bounds |-> body], lazy where it has one bound name, so that a function may be over Nat.
func (e *evaluator) function(bounds []syntax.Bound, body syntax.Expr, s *scope) value.Value {
	if len(bounds) == 1 && len(bounds[0].Names) == 1 {
		set := e.eval(bounds[0].Set, s)
		f := value.LazyFunction(set, func(v value.Value) value.Value { return e.eval(body, bind(bounds[0], v, s)) })
		if value.IsFinite(set) {
			return value.Normalize(f)
		}
		return f
	}
	var args, vals []value.Value
	e.each(bounds, s, func(in *scope, at []value.Value) bool {
		args, vals = append(args, tupled(append([]value.Value(nil), at...))), append(vals, e.eval(body, in))
		return true
	})
	return value.NewFunction(args, vals)
}

func (e *evaluator) let(units []syntax.Unit, s *scope) *scope {
	in := s.with(map[string]any{})
	for _, u := range units {
		if inst, ok := u.(*syntax.Instance); ok {
			in.names[inst.Name.Text] = e.load(inst.Module.Text)
		}
		if d, _ := define(u, in); d != nil {
			in.names[d.name] = d
		}
	}
	return in
}

// operand evaluates an argument: an operator where arity is above 0.
func (e *evaluator) operand(x syntax.Expr, arity int, s *scope) value.Value {
	if arity == 0 {
		return e.eval(x, s)
	}
	if l, ok := x.(*syntax.Lambda); ok {
		return &value.Operator{Arity: arity, Apply: func(args []value.Value) value.Value {
			names := map[string]any{}
			for i, p := range l.Params {
				names[p.Name.Text] = args[i]
			}
			return e.eval(l.Body, s.with(names))
		}}
	}
	name := x.(*syntax.Apply).Name.Text
	if o, ok := s.find(name).(*value.Operator); ok {
		return o
	}
	return &value.Operator{Arity: arity, Apply: func(args []value.Value) value.Value {
		if d, ok := s.find(name).(*definition); ok {
			return e.call(d, args)
		}
		return e.builtin(name, args)
	}}
}

func (e *evaluator) apply(x *syntax.Apply, s *scope) value.Value {
	found := s.find(x.Name.Text)
	for _, q := range x.Qualifiers {
		found = s.find(q.Name.Text).(*loaded).exports[x.Name.Text]
	}
	switch f := found.(type) {
	case value.Value:
		if o, ok := f.(*value.Operator); ok {
			return o.Apply(e.all(x.Args, s))
		}
		return f
	case *definition:
		if native, ok := e.native(f, len(x.Args)); ok && native.Lazy != nil {
			thunks := make([]func() value.Value, len(x.Args))
			for i, a := range x.Args {
				thunks[i] = func() value.Value { return e.eval(a, s) }
			}
			return native.Lazy(e.env, thunks)
		}
		args := make([]value.Value, len(x.Args))
		for i, a := range x.Args {
			args[i] = e.operand(a, f.params[i].Arity, s)
		}
		return e.call(f, args)
	}
	return e.logic(x, s)
}

// native gives the native of a definition, unless it is the definitions of its module that are wanted and this one says something.
func (e *evaluator) native(d *definition, arity int) (Operator, bool) {
	if d.source == nil || d.module == e.by && !isStub(d.body) {
		return Operator{}, false
	}
	src, _ := Source(d.module)
	return Lookup(src, d.module, d.name, arity)
}

func (e *evaluator) call(d *definition, args []value.Value) value.Value {
	if native, ok := e.native(d, len(args)); ok && native.Func != nil {
		return native.Func(e.env, args)
	}
	names := map[string]any{}
	for i, p := range d.params {
		names[p.Name.Text] = args[i]
	}
	in := d.in.with(names)
	if d.bounds == nil {
		return e.eval(d.body, in)
	}
	// A recursive function is lazy and remembers what it has computed.
	known := map[string]value.Value{}
	b := d.bounds[0]
	f := value.LazyFunction(e.eval(b.Set, in), func(v value.Value) value.Value {
		if known[v.String()] == nil {
			known[v.String()] = e.eval(d.body, bind(b, v, in))
		}
		return known[v.String()]
	})
	in.names[d.name] = f
	return f
}
