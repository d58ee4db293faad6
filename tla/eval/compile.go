package eval

import (
	"podlife/tla/diag"
	"podlife/tla/module"
	"podlife/tla/value"
)

// A compiler turns expressions into closures. Definitions are written into their callers, as their meaning in TLA+ is substitution, as long as that does
// not make the code too large; recursive ones are called.
type compiler struct {
	p    *Program
	unit *unit

	definition string // in whose text the expression stands
	caller     *site  // where that was written into another one
	text       *module.Definition
	inlined    []*module.Definition

	initial bool // actions build the initial state: what is unprimed is assigned
	folding bool // inside of a constant: no need to look for smaller ones
	size    int  // nodes so far
}

// Bounds of what is written into its callers, in nodes of the tree.
const (
	smallDefinition = 250    // always
	largeUnit       = 40_000 // other definitions, as long as the whole is smaller than this
	maxInlined      = 60     // nesting
)

func (p *Program) compiler() *compiler {
	return &compiler{p: p, unit: p.newUnit(nil)}
}

func (p *Program) newUnit(up *unit) *unit {
	p.units++
	return &unit{id: p.units - 1, up: up}
}

// inner gives a compiler for a unit inside (up is the unit that it sees, or nil).
func (c *compiler) inner(up *unit) *compiler {
	d := *c
	d.unit = c.p.newUnit(up)
	d.size = 0
	return &d
}

func (c *compiler) slot() int {
	c.unit.slots++
	return c.unit.slots - 1
}

func (c *compiler) site(x module.Expr) *site {
	return &site{span: x.Place(), definition: c.definition, caller: c.caller}
}

// enter counts the nesting of closures. Use: defer c.enter()().
func (c *compiler) enter(x module.Expr) func() {
	c.size++
	c.unit.nesting++
	c.unit.deepest = max(c.unit.deepest, c.unit.nesting)
	if c.unit.nesting > maxNesting {
		c.reject(x, CodeDepth, "the expression is nested too deeply")
	}
	if c.size > maxSize {
		c.reject(x, CodeDepth, "the definitions that this expression uses are too large when they are written out")
	}
	return func() { c.unit.nesting-- }
}

const (
	maxNesting = 5000
	maxSize    = 5_000_000
)

// value compiles an expression to its value.
func (c *compiler) value(x module.Expr, e *env) code {
	defer c.enter(x)()
	if k := c.fold(x, e); k != nil {
		return k.get
	}
	switch x := x.(type) {
	case *module.Number:
		if x.Value == nil {
			return c.cannot(x, CodeUnsupported, "%s is not an integer, and only integers can be evaluated", x.Text)
		}
		var v value.Value
		if err := value.Catch(func() { v = value.NewBig(x.Value) }); err != nil {
			return c.cannot(x, CodeEvaluation, "%v", err)
		}
		return literal(v)
	case *module.String:
		return literal(value.NewString(x.Value))
	case *module.ConstantRef:
		return c.constantRef(x, e)
	case *module.VariableRef:
		return c.variable(x)
	case *module.ParamRef:
		return c.param(x, e)
	case *module.Call:
		return c.call(x, e)
	case *module.Apply:
		return c.apply(x, e)
	case *module.Junction, *module.Quantifier, *module.Subscripted:
		return boolean(c.pred(x, e))
	case *module.Choose:
		return c.choose(x, e)
	case *module.SetFilter:
		return c.setFilter(x, e)
	case *module.SetMap:
		return c.setMap(x, e)
	case *module.Function:
		return c.function(x, e)
	case *module.Record:
		return c.record(x, e)
	case *module.RecordSet:
		return c.recordSet(x, e)
	case *module.Field:
		return c.field(x, e)
	case *module.Except:
		return c.except(x, e)
	case *module.If:
		cond, then, other := c.pred(x.Cond, e), c.value(x.Then, e), c.value(x.Else, e)
		return func(m *machine, f *frame) value.Value {
			if cond(m, f) {
				return then(m, f)
			}
			return other(m, f)
		}
	case *module.Case:
		return c.caseValue(x, e)
	case *module.Let:
		inner, reset := c.let(x, e)
		body := c.value(x.Body, inner)
		return withReset(reset, body)
	case *module.Label:
		return c.value(x.Body, e)
	case *module.Fairness:
		return c.cannot(x, CodeUnsupported, "a fairness condition cannot be evaluated in a state or step")
	case *module.OperatorRef, *module.Lambda:
		return c.operatorValue(x, e)
	}
	return c.cannot(x, CodeUnsupported, "this kind of expression (%T) cannot be evaluated", x)
}

// pred compiles an expression that has to be a boolean.
func (c *compiler) pred(x module.Expr, e *env) pred {
	switch y := x.(type) {
	case *module.Junction:
		defer c.enter(x)()
		if k := c.fold(x, e); k != nil {
			return k.isTrue(c.site(x))
		}
		return c.junction(y, e)
	case *module.Quantifier:
		defer c.enter(x)()
		if k := c.fold(x, e); k != nil {
			return k.isTrue(c.site(x))
		}
		return c.quantifier(y, e)
	case *module.Apply:
		if isLogical(y.Op) {
			defer c.enter(x)()
			if k := c.fold(x, e); k != nil {
				return k.isTrue(c.site(x))
			}
			return c.logical(y, e)
		}
	case *module.Subscripted:
		defer c.enter(x)()
		return c.subscripted(y, e)
	case *module.If:
		defer c.enter(x)()
		cond, then, other := c.pred(y.Cond, e), c.pred(y.Then, e), c.pred(y.Else, e)
		return func(m *machine, f *frame) bool {
			if cond(m, f) {
				return then(m, f)
			}
			return other(m, f)
		}
	case *module.Let:
		defer c.enter(x)()
		inner, reset := c.let(y, e)
		body := c.pred(y.Body, inner)
		if len(reset) == 0 {
			return body
		}
		return func(m *machine, f *frame) bool {
			for _, i := range reset {
				f.slots[i].v = nil
			}
			return body(m, f)
		}
	case *module.Label:
		return c.pred(y.Body, e)
	case *module.Call:
		if p := c.predCall(y, e); p != nil {
			return p
		}
	case *module.ParamRef:
		if p := c.predParam(y, e); p != nil {
			return p
		}
	}
	return c.truth(x, c.value(x, e))
}

// truth makes a predicate of a value.
func (c *compiler) truth(x module.Expr, run code) pred {
	s := c.site(x)
	return func(m *machine, f *frame) bool {
		v := run(m, f)
		b, ok := v.(value.Bool)
		if !ok {
			notBoolean(s, v)
		}
		return bool(b)
	}
}

func notBoolean(s *site, v value.Value) {
	fail(s, CodeEvaluation, "TRUE or FALSE was expected, but this is %s: %s", v.Kind(), brief(v))
}

func boolean(p pred) code {
	return func(m *machine, f *frame) value.Value { return value.Bool(p(m, f)) }
}

func literal(v value.Value) code {
	return func(*machine, *frame) value.Value { return v }
}

// cannot compiles to an error when it is evaluated: what is never evaluated may stand in a specification.
func (c *compiler) cannot(x module.Expr, why diag.Code, format string, args ...any) code {
	s := c.site(x)
	return func(*machine, *frame) value.Value {
		fail(s, why, format, args...)
		return nil
	}
}

func withReset(reset []int, body code) code {
	switch len(reset) {
	case 0:
		return body
	case 1:
		i := reset[0]
		return func(m *machine, f *frame) value.Value {
			f.slots[i].v = nil
			return body(m, f)
		}
	}
	return func(m *machine, f *frame) value.Value {
		for _, i := range reset {
			f.slots[i].v = nil
		}
		return body(m, f)
	}
}

// brief is a value in a message.
func brief(v value.Value) string {
	const most = 300
	s := v.String()
	if len(s) <= most {
		return s
	}
	r := []rune(s[:most])
	return string(r[:len(r)-1]) + "..."
}

// up gives the frame of a unit around the one that is compiled.
func (c *compiler) hops(u *unit) int {
	n := 0
	for w := c.unit; w != u; w = w.up {
		if w == nil {
			panic("eval: a name is used outside of its unit")
		}
		n++
	}
	return n
}

func ancestor(f *frame, hops int) *frame {
	for ; hops > 0; hops-- {
		f = f.up
	}
	return f
}

// within moves code of an outer unit to the one that is compiled.
func within(hops int, run code) code {
	switch hops {
	case 0:
		return run
	case 1:
		return func(m *machine, f *frame) value.Value { return run(m, f.up) }
	}
	return func(m *machine, f *frame) value.Value { return run(m, ancestor(f, hops)) }
}

// reject ends the compilation.
func (c *compiler) reject(x module.Expr, why diag.Code, format string, args ...any) {
	panic(&compileError{diag.Errorf(why, x.Place(), format, args...)})
}
