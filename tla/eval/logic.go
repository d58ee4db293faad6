package eval

import (
	"podlife/tla/module"
	"podlife/tla/value"
)

// isLogical tells whether an operator's value is always a boolean.
func isLogical(op module.Builtin) bool {
	switch op {
	case module.True, module.False, module.Not, module.Implies, module.Equivalent, module.Equal, module.NotEqual, module.In, module.NotIn,
		module.SubsetEq, module.Unchanged, module.Enabled, module.And, module.Or:
		return true
	}
	return false
}

// junction compiles a conjunction or disjunction.
func (c *compiler) junction(x *module.Junction, e *env) pred {
	var items []pred
	for i, y := range x.Items {
		if c.dropped(y) {
			continue
		}
		items = append(items, c.counted(x, i, c.pred(y, e)))
	}
	if x.Or {
		return anyOf(items)
	}
	return allOf(items)
}

func allOf(items []pred) pred {
	switch len(items) {
	case 0:
		return func(*machine, *frame) bool { return true }
	case 1:
		return items[0]
	case 2:
		a, b := items[0], items[1]
		return func(m *machine, f *frame) bool { return a(m, f) && b(m, f) }
	case 3:
		a, b, c := items[0], items[1], items[2]
		return func(m *machine, f *frame) bool { return a(m, f) && b(m, f) && c(m, f) }
	}
	return func(m *machine, f *frame) bool {
		for _, p := range items {
			if !p(m, f) {
				return false
			}
		}
		return true
	}
}

func anyOf(items []pred) pred {
	switch len(items) {
	case 0:
		return func(*machine, *frame) bool { return false }
	case 1:
		return items[0]
	case 2:
		a, b := items[0], items[1]
		return func(m *machine, f *frame) bool { return a(m, f) || b(m, f) }
	}
	return func(m *machine, f *frame) bool {
		for _, p := range items {
			if p(m, f) {
				return true
			}
		}
		return false
	}
}

// logical compiles the builtins whose value is a boolean.
func (c *compiler) logical(x *module.Apply, e *env) pred {
	switch x.Op {
	case module.True:
		return func(*machine, *frame) bool { return true }
	case module.False:
		return func(*machine, *frame) bool { return false }
	case module.Not:
		a := c.pred(x.Args[0], e)
		return func(m *machine, f *frame) bool { return !a(m, f) }
	case module.Implies:
		a, b := c.pred(x.Args[0], e), c.pred(x.Args[1], e)
		return c.countedImplication(x, a, b)
	case module.Equivalent:
		a, b := c.pred(x.Args[0], e), c.pred(x.Args[1], e)
		return func(m *machine, f *frame) bool {
			l := a(m, f)
			return l == b(m, f)
		}
	case module.And, module.Or:
		return c.junction(&module.Junction{Node: x.Node, Or: x.Op == module.Or, Items: x.Args, Names: make([]string, len(x.Args))}, e)
	case module.Equal:
		return c.equal(x, e)
	case module.NotEqual:
		eq := c.equal(x, e)
		return func(m *machine, f *frame) bool { return !eq(m, f) }
	case module.In:
		return c.member(x, e)
	case module.NotIn:
		in := c.member(x, e)
		return func(m *machine, f *frame) bool { return !in(m, f) }
	case module.SubsetEq:
		a, b, s := c.value(x.Args[0], e), c.value(x.Args[1], e), c.site(x)
		return func(m *machine, f *frame) bool {
			l := a(m, f)
			r := b(m, f)
			m.at = s
			return m.work.Subset(l, r)
		}
	case module.Unchanged:
		return c.unchangedPred(x, x.Args[0], e)
	case module.Enabled:
		return c.enabledPred(x, e)
	}
	c.reject(x, CodeInternal, "%s is no logical operator", x.Op)
	return nil
}

// equal compiles a = b, with a short way where one side is known.
func (c *compiler) equal(x *module.Apply, e *env) pred {
	s := c.site(x)
	l, r := x.Args[0], x.Args[1]
	a, b := c.value(l, e), c.value(r, e)
	if v, ok := c.knownValue(r, e); ok {
		return equalTo(a, v, s)
	}
	if v, ok := c.knownValue(l, e); ok {
		return equalTo(b, v, s)
	}
	return func(m *machine, f *frame) bool {
		l := a(m, f)
		r := b(m, f)
		switch l := l.(type) {
		case value.Int:
			if r, ok := r.(value.Int); ok {
				return l == r
			}
		case value.Bool:
			if r, ok := r.(value.Bool); ok {
				return l == r
			}
		case *value.Model:
			if r, ok := r.(*value.Model); ok && l == r {
				return true
			}
		}
		m.at = s
		return m.work.Equal(l, r)
	}
}

func equalTo(a code, v value.Value, s *site) pred {
	switch v := v.(type) {
	case *value.Str:
		return func(m *machine, f *frame) bool {
			l := a(m, f)
			if l, ok := l.(*value.Str); ok && l == v {
				return true
			}
			m.at = s
			return m.work.Equal(l, v)
		}
	case value.Int:
		return func(m *machine, f *frame) bool {
			l := a(m, f)
			if l, ok := l.(value.Int); ok {
				return l == v
			}
			m.at = s
			return m.work.Equal(l, v)
		}
	case value.Bool:
		return func(m *machine, f *frame) bool {
			l := a(m, f)
			if l, ok := l.(value.Bool); ok {
				return l == v
			}
			m.at = s
			return m.work.Equal(l, v)
		}
	}
	return func(m *machine, f *frame) bool {
		l := a(m, f)
		m.at = s
		return m.work.Equal(l, v)
	}
}

// knownValue is the value of an expression that is a literal, or a name for one.
func (c *compiler) knownValue(x module.Expr, e *env) (value.Value, bool) {
	x, _, _ = c.resolve(x, e)
	if a, ok := x.(*module.Apply); ok {
		switch a.Op {
		case module.True:
			return value.Bool(true), true
		case module.False:
			return value.Bool(false), true
		case module.SetEnum:
			if len(a.Args) == 0 {
				return value.EmptySet(), true
			}
		case module.Tuple:
			if len(a.Args) == 0 {
				return value.EmptyTuple(), true
			}
		}
	}
	return c.literalValue(x)
}

// member compiles x \in S.
func (c *compiler) member(x *module.Apply, e *env) pred {
	s := c.site(x)
	a := c.value(x.Args[0], e)
	set, setEnv, _ := c.resolve(x.Args[1], e)
	if enum, ok := set.(*module.Apply); ok && enum.Op == module.SetEnum && len(enum.Args) > 0 {
		return c.memberOfList(s, a, enum, setEnv)
	}
	if lo, hi := c.interval(set, setEnv); lo != nil && c.uses(set, setEnv) != 0 {
		return func(m *machine, f *frame) bool {
			v := a(m, f)
			l := lo(m, f)
			h := hi(m, f)
			if n, ok := v.(value.Int); ok {
				if l, ok := l.(value.Int); ok {
					if h, ok := h.(value.Int); ok {
						return l <= n && n <= h
					}
				}
			}
			m.at = s
			return m.work.Member(v, value.Interval(l, h))
		}
	}
	b := c.value(x.Args[1], e)
	return func(m *machine, f *frame) bool {
		v := a(m, f)
		set := b(m, f)
		m.at = s
		return m.work.Member(v, set)
	}
}

// memberOfList is membership in {a, b, ...}. The elements need not be comparable with each other, only x with those before the one that it is.
func (c *compiler) memberOfList(s *site, a code, enum *module.Apply, e *env) pred {
	known := make([]value.Value, len(enum.Args))
	all := true
	for i, y := range enum.Args {
		v, ok := c.knownValue(y, e)
		known[i] = v
		all = all && ok
	}
	if all {
		return func(m *machine, f *frame) bool {
			v := a(m, f)
			m.at = s
			for _, k := range known {
				if v == k || m.work.Equal(k, v) { // mostly, equal strings and model values are one pointer
					return true
				}
			}
			return false
		}
	}
	run := c.values(enum.Args, e)
	return func(m *machine, f *frame) bool {
		v := a(m, f)
		var room [8]value.Value
		elems := room[:0]
		for _, r := range run {
			elems = append(elems, r(m, f))
		}
		m.at = s
		return m.work.MemberOfList(v, elems)
	}
}

// subscripted compiles [A]_v and <<A>>_v as a predicate of a step.
func (c *compiler) subscripted(x *module.Subscripted, e *env) pred {
	a, same := c.pred(x.Action, e), c.unchangedPred(x, x.Vars, e)
	if x.Angle {
		return func(m *machine, f *frame) bool { return a(m, f) && !same(m, f) }
	}
	return func(m *machine, f *frame) bool { return a(m, f) || same(m, f) }
}

// unchangedPred compiles e' = e as a predicate.
func (c *compiler) unchangedPred(x, vars module.Expr, e *env) pred {
	s := c.site(x)
	if list := c.variablesOf(vars, e); list != nil {
		return func(m *machine, f *frame) bool {
			for _, i := range list {
				if i >= len(m.cur) || i >= len(m.next) || m.cur[i] == nil || m.next[i] == nil {
					name := m.p.variableName(i)
					if i >= len(m.cur) || m.cur[i] == nil {
						m.unbound(s, m.cur, name, "")
					}
					m.unbound(s, m.next, name, "'")
				}
				m.at = s
				if l, r := m.cur[i], m.next[i]; l != r && !m.work.Equal(l, r) {
					return false
				}
			}
			return true
		}
	}
	run := c.value(vars, e)
	return func(m *machine, f *frame) bool {
		l := run(m, f)
		r := m.primed(f, run)
		m.at = s
		return m.work.Equal(l, r)
	}
}

// variablesOf gives the variables of an expression that is a variable or a tuple of such expressions, or nil.
func (c *compiler) variablesOf(x module.Expr, e *env) []int {
	y, env, _ := c.resolve(x, e)
	switch y := y.(type) {
	case *module.VariableRef:
		return []int{c.p.indexOf(y.Variable)}
	case *module.Apply:
		if y.Op != module.Tuple || len(y.Args) == 0 {
			return nil
		}
		var all []int
		for _, z := range y.Args {
			vs := c.variablesOf(z, env)
			if vs == nil {
				return nil
			}
			all = append(all, vs...)
		}
		return all
	}
	return nil
}
