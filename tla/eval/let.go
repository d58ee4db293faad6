package eval

import (
	"podlife/tla/module"
)

// let binds the definitions of a LET. The slots in reset must be cleared whenever the LET is entered.
func (c *compiler) let(x *module.Let, e *env) (inner *env, reset []int) {
	inner = e
	bound := make([]*binding, len(x.Defs))
	for i, d := range x.Defs {
		bound[i] = &binding{def: d, where: where{d.Name, c.site(x), c.text}}
		inner = inner.bind(d, bound[i])
	}
	for i, d := range x.Defs {
		b := bound[i]
		b.env = inner // they may mention each other; names are never confused
		switch {
		case d.Function && d.Recursive:
			b.kind = bindFunction
			b.unit = c.unit
			b.fn = c.recursiveFunction(d, b, &reset)
		case len(d.Params) > 0 || d.Recursive && circular(x, d):
			b.kind = bindMacro
			b.unit = c.unit
		default:
			b.expr = d.Body
			c.remember(b, occursInLet(x, d), &reset)
		}
	}
	return inner, reset
}

// circular tells whether a definition of the LET mentions itself by way of the LET alone. One that does so only through the recursive operator
// around the LET has a value of its own at each call of that, and is remembered like any other.
func circular(x *module.Let, d *module.Definition) bool {
	seen := map[*module.Definition]bool{}
	var mentioned func(in *module.Definition) bool
	mentioned = func(in *module.Definition) bool {
		for _, other := range x.Defs {
			if seen[other] || occurrences(in.Body, other) == 0 {
				continue
			}
			seen[other] = true
			if other == d || mentioned(other) {
				return true
			}
		}
		return false
	}
	return mentioned(d)
}

// occursInLet tells how often a definition of the LET is used; within another definition it counts as several times.
func occursInLet(x *module.Let, d *module.Definition) int {
	n := occurrences(x.Body, d)
	for _, other := range x.Defs {
		if other != d {
			n += 2 * occurrences(other.Body, d)
		}
	}
	return n
}

// remember decides how an expression with a name is evaluated: in place, if that is cheap or happens once, or else when it is needed first.
func (c *compiler) remember(b *binding, times int, reset *[]int) {
	switch {
	case cheap(b.expr):
		b.kind = bindInline
	case c.uses(b.expr, b.env) == 0:
		b.kind = bindConstant
		if !c.folding {
			c.at(b.where, func() { b.k = c.constantOf(b.expr, b.env) })
			return
		}
		if times <= 1 {
			b.kind = bindInline
			return
		}
		b.kind, b.unit, b.slot = bindCell, c.unit, c.slot()
		*reset = append(*reset, b.slot)
	case times <= 1:
		b.kind = bindInline
	default:
		b.kind, b.unit, b.slot = bindCell, c.unit, c.slot()
		*reset = append(*reset, b.slot)
	}
	b.known = false
}

// cheap tells whether an expression is a mere name or literal.
func cheap(x module.Expr) bool {
	switch x := x.(type) {
	case *module.Number, *module.String, *module.VariableRef:
		return true
	case *module.ConstantRef:
		return len(x.Args) == 0
	case *module.ParamRef:
		return len(x.Args) == 0
	case *module.Apply:
		if x.Op == module.Prime {
			_, ok := x.Args[0].(*module.VariableRef)
			return ok
		}
		return len(x.Args) == 0
	case *module.Label:
		return cheap(x.Body)
	}
	return false
}

// occurrences counts where a name (a *module.Param or *module.Definition) is used. What may be evaluated repeatedly counts as two.
func occurrences(x module.Expr, key any) int {
	switch x := x.(type) {
	case *module.ParamRef:
		n := 0
		if any(x.Param) == key {
			n = 1
		}
		for _, a := range x.Args {
			n += 2 * occurrences(a, key)
		}
		return n
	case *module.OperatorRef:
		if x.Param != nil && any(x.Param) == key || x.Definition != nil && any(x.Definition) == key {
			return 2
		}
		return 0
	case *module.Call:
		n := 0
		if any(x.Definition) == key {
			n = 1
		}
		for _, a := range x.Args {
			n += 2 * occurrences(a, key) // the definition may use it more than once
		}
		return n
	case *module.Quantifier, *module.Choose, *module.SetFilter, *module.SetMap, *module.Function, *module.Lambda, *module.Except:
		n := 0
		children(x, func(y module.Expr) { n += 2 * occurrences(y, key) })
		return n
	}
	n := 0
	children(x, func(y module.Expr) { n += occurrences(y, key) })
	return n
}
