package eval

import (
	"podlife/tla/module"
)

// uses is what the value of an expression depends on, as a set of bits.
type uses uint8

const (
	usesCur    uses = 1 << iota // unprimed variables
	usesNext                    // primed variables
	usesLocal                   // names that are bound around it, in a frame
	usesChance                  // something that differs from one evaluation to the next, or does something that is seen
	usesStat                    // the state of the check, or the current state in another way than by variables
)

const usesUnknown = usesCur | usesNext | usesLocal

// uses analyses an expression. It may say too much, never too little.
func (c *compiler) uses(x module.Expr, e *env) uses {
	a := analysis{p: c.p, env: e}
	return a.of(x)
}

// An analysis goes through an expression. Names that env does not know are bound inside, or are parameters whose arguments are looked at where the
// definition is used; definitions of a LET inside are looked at where the LET is.
type analysis struct {
	p       *Program
	env     *env
	visited map[*module.Definition]bool // definitions under way; nil outside of any
}

func (a *analysis) of(x module.Expr) uses {
	switch x := x.(type) {
	case nil:
		return 0
	case *module.VariableRef:
		return usesCur
	case *module.ConstantRef:
		return a.constant(x.Constant) | a.all(x.Args)
	case *module.ParamRef:
		return a.binding(a.env.find(x.Param)) | a.all(x.Args)
	case *module.Call:
		return a.definition(x.Definition) | a.all(x.Args)
	case *module.OperatorRef:
		switch {
		case x.Definition != nil:
			return a.definition(x.Definition)
		case x.Constant != nil:
			return a.constant(x.Constant)
		case x.Param != nil:
			return a.binding(a.env.find(x.Param))
		case x.Builtin == module.Prime || x.Builtin == module.Unchanged || x.Builtin == module.Enabled:
			return usesCur | usesNext
		}
		return 0
	case *module.Apply:
		switch x.Op {
		case module.Prime:
			if _, ok := x.Args[0].(*module.VariableRef); ok {
				return usesNext
			}
			return a.of(x.Args[0]) | usesNext
		case module.Unchanged, module.Enabled:
			return a.of(x.Args[0]) | usesCur | usesNext
		}
		return a.all(x.Args)
	case *module.Subscripted:
		return a.of(x.Action) | a.of(x.Vars) | usesCur | usesNext
	case *module.Fairness:
		return usesCur | usesNext
	}
	var u uses
	children(x, func(y module.Expr) { u |= a.of(y) })
	return u
}

func (a *analysis) all(xs []module.Expr) uses {
	var u uses
	for _, x := range xs {
		u |= a.of(x)
	}
	return u
}

func (a *analysis) constant(k *module.Constant) uses {
	if d := a.p.constantDefs[k]; d != nil {
		return a.definition(d)
	}
	return 0
}

func (a *analysis) binding(b *binding) uses {
	if b == nil {
		return 0
	}
	switch b.kind {
	case bindSlot:
		return usesLocal
	case bindConstant:
		return 0
	case bindParam, bindOpSlot:
		return usesUnknown
	}
	if !b.known {
		b.known, b.depends = true, usesUnknown // for one that mentions itself
		inner := analysis{p: a.p, env: b.env}
		x := b.expr
		if x == nil && b.def != nil {
			x = b.def.Body
		}
		b.depends = inner.of(x)
		switch b.kind {
		case bindCell, bindFunction:
			b.depends |= usesLocal // its slot
		case bindMacro:
			b.depends |= usesLocal // where it is called rather than written out, it needs the frame of its LET
		}
	}
	return b.depends
}

// definition is what a definition depends on beside its arguments.
func (a *analysis) definition(d *module.Definition) uses {
	if d.Let {
		return a.binding(a.env.find(d))
	}
	if _, ok := a.p.definitionValue(d); ok {
		return 0
	}
	d = a.p.overridden(d)
	if n, ok := a.p.native(d); ok {
		switch {
		case nativeDependsOnState(d):
			return usesStat
		case n.Volatile:
			return usesChance
		}
		return 0
	}
	if u, ok := a.p.definitionUses[d]; ok {
		return u
	}
	if a.visited[d] {
		return 0 // counted where it was met first
	}
	inner := analysis{p: a.p, visited: a.visited}
	if len(a.visited) == 0 {
		// What is found from here is all there is, so that it can be remembered.
		inner.visited = map[*module.Definition]bool{d: true}
		u := inner.of(d.Body)
		a.p.definitionUses[d] = u
		return u
	}
	a.visited[d] = true
	return inner.of(d.Body)
}

// usesOf is what a definition depends on beside its arguments.
func (p *Program) usesOf(d *module.Definition) uses {
	a := analysis{p: p}
	return a.definition(d)
}

// children calls f with each expression directly inside x.
func children(x module.Expr, f func(module.Expr)) {
	each := func(xs []module.Expr) {
		for _, y := range xs {
			f(y)
		}
	}
	bounds := func(bs []*module.Bound) {
		for _, b := range bs {
			if b.Set != nil {
				f(b.Set)
			}
		}
	}
	switch x := x.(type) {
	case *module.ConstantRef:
		each(x.Args)
	case *module.ParamRef:
		each(x.Args)
	case *module.Call:
		each(x.Args)
	case *module.Lambda:
		f(x.Body)
	case *module.Apply:
		each(x.Args)
	case *module.Junction:
		each(x.Items)
	case *module.Quantifier:
		bounds(x.Bounds)
		f(x.Body)
	case *module.Choose:
		if x.Bound.Set != nil {
			f(x.Bound.Set)
		}
		f(x.Body)
	case *module.SetFilter:
		bounds([]*module.Bound{x.Bound})
		f(x.Where)
	case *module.SetMap:
		bounds(x.Bounds)
		f(x.Value)
	case *module.Function:
		bounds(x.Bounds)
		f(x.Body)
	case *module.Record:
		each(x.Values)
	case *module.RecordSet:
		each(x.Values)
	case *module.Field:
		f(x.Record)
	case *module.Except:
		f(x.Function)
		for _, u := range x.Updates {
			each(u.Path)
			f(u.Value)
		}
	case *module.If:
		f(x.Cond)
		f(x.Then)
		f(x.Else)
	case *module.Case:
		for i := range x.Conds {
			f(x.Conds[i])
			f(x.Values[i])
		}
		if x.Other != nil {
			f(x.Other)
		}
	case *module.Let:
		for _, d := range x.Defs {
			f(d.Body)
		}
		f(x.Body)
	case *module.Subscripted:
		f(x.Action)
		f(x.Vars)
	case *module.Fairness:
		f(x.Vars)
		f(x.Action)
	case *module.Label:
		f(x.Body)
	}
}
