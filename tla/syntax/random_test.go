package syntax

import (
	"math/rand/v2"
	"testing"
)

// TestRandomExpressionsPrintAsTheyAre makes trees of all kinds, in combinations that nobody would think of, and reads back what Print makes of
// them. The seeds are fixed.
func TestRandomExpressionsPrintAsTheyAre(t *testing.T) {
	for seed := range uint64(3000) {
		g := &generator{rand.New(rand.NewPCG(seed, 1))}
		checkRoundTrip(t, g.expr(4))
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// A generator makes random trees, without places.
type generator struct{ *rand.Rand }

func pick[T any](g *generator, list ...T) T { return list[g.IntN(len(list))] }

func (g *generator) name() Name {
	return Name{Text: pick(g, "a", "b", "x", "y", "S", "WF", "_z", "1a", "ASSUMEx", "PROVEn", "ℕ")}
}

func (g *generator) names() []Name {
	names := []Name{g.name()}
	for g.IntN(3) == 0 {
		names = append(names, g.name())
	}
	return names
}

// some makes at least that many expressions.
func (g *generator) some(least, depth int) []Expr {
	var list []Expr
	for len(list) < least || g.IntN(3) == 0 {
		list = append(list, g.expr(depth))
	}
	return list
}

func (g *generator) arguments(depth int) []Expr {
	list := g.some(1, depth)
	for i := range list {
		switch g.IntN(8) {
		case 0:
			for {
				if op := operators[g.IntN(len(operators))]; op.Name != `\X` {
					list[i] = &Apply{Name: Name{Text: op.Name}}
					break
				}
			}
		case 1:
			list[i] = &Lambda{Params: []Decl{{Name: g.name()}}, Body: g.expr(depth)}
		}
	}
	return list
}

func (g *generator) bounds(depth int) []Bound {
	var list []Bound
	for len(list) == 0 || g.IntN(3) == 0 {
		b := Bound{Names: g.names(), Set: g.expr(depth)}
		b.Tuple = g.IntN(3) == 0
		list = append(list, b)
	}
	return list
}

// bound makes a bound as sets and CHOOSE have it: one name, or a tuple.
func (g *generator) bound(depth int) Bound {
	b := g.bounds(depth)[0]
	if !b.Tuple {
		b.Names = b.Names[:1]
	}
	return b
}

func (g *generator) fields(depth int) []FieldValue {
	var list []FieldValue
	for len(list) == 0 || g.IntN(3) == 0 {
		list = append(list, FieldValue{g.name(), g.expr(depth)})
	}
	return list
}

func (g *generator) leaf() Expr {
	switch g.IntN(6) {
	case 0:
		return &Number{Text: pick(g, "0", "17", `\b1`, `\o7`, `\hF`, "1.5")}
	case 1:
		return &String{Value: pick(g, "", "a", "\"\\\n", "∀")}
	case 2:
		return &Apply{Name: Name{Text: "@"}}
	}
	return &Apply{Name: g.name()}
}

func (g *generator) expr(depth int) Expr {
	if depth == 0 {
		return g.leaf()
	}
	depth--
	switch g.IntN(30) {
	case 0, 1, 2, 3, 4, 5:
		return g.operation(depth)
	case 6:
		return &Junction{Or: g.IntN(2) == 0, Items: g.some(2, depth)}
	case 7:
		return &Times{Items: g.some(2, depth)}
	case 8:
		return &FunctionApply{Function: g.expr(depth), Args: g.some(1, depth)}
	case 9:
		return &Field{Record: g.expr(depth), Name: g.name()}
	case 10:
		return &SetEnum{Items: g.some(0, depth)}
	case 11:
		return &Tuple{Items: g.some(0, depth)}
	case 12:
		return &SetFilter{Bound: g.bound(depth), Where: g.expr(depth)}
	case 13:
		return &SetMap{Value: g.expr(depth), Bounds: g.bounds(depth)}
	case 14:
		q := &Quantifier{Exists: g.IntN(2) == 0, Bounds: g.bounds(depth), Body: g.expr(depth)}
		if g.IntN(3) == 0 {
			q.Temporal = g.IntN(2) == 0
			q.Bounds = []Bound{{Names: g.names()}}
		}
		return q
	case 15:
		c := &Choose{Bound: g.bound(depth), Body: g.expr(depth)}
		if g.IntN(3) == 0 {
			c.Bound.Set = nil
		}
		return c
	case 16:
		return &FunctionConstructor{Bounds: g.bounds(depth), Body: g.expr(depth)}
	case 17:
		return &FunctionSet{Domain: g.expr(depth), Range: g.expr(depth)}
	case 18:
		return &Record{Fields: g.fields(depth)}
	case 19:
		return &RecordSet{Fields: g.fields(depth)}
	case 20:
		return g.except(depth)
	case 21:
		return &If{Cond: g.expr(depth), Then: g.expr(depth), Else: g.expr(depth)}
	case 22:
		c := &Case{}
		for len(c.Arms) == 0 || g.IntN(2) == 0 {
			c.Arms = append(c.Arms, CaseArm{g.expr(depth), g.expr(depth)})
		}
		if g.IntN(2) == 0 {
			c.Other = g.expr(depth)
		}
		return c
	case 23:
		return g.let(depth)
	case 24:
		return &ActionBox{Angle: g.IntN(2) == 0, Action: g.expr(depth), Vars: g.expr(depth)}
	case 25:
		return &Fairness{Strong: g.IntN(2) == 0, Vars: g.expr(depth), Action: g.expr(depth)}
	case 26:
		l := &Label{Name: g.name(), Body: g.expr(depth)}
		if g.IntN(2) == 0 {
			l.Params = g.names()
		}
		return l
	}
	return g.named(depth)
}

// operation makes the use of an operator symbol.
func (g *generator) operation(depth int) Expr {
	for {
		op := operators[g.IntN(len(operators))]
		switch op.Name {
		case `/\`, `\/`, `\X`:
			continue
		}
		args := []Expr{g.expr(depth)}
		if op.Fix == Infix {
			args = append(args, g.expr(depth))
		}
		return &Apply{Name: Name{Text: op.Name}, Args: args, Fix: op.Fix}
	}
}

// named makes the use of a name, with arguments and with parts of it.
func (g *generator) named(depth int) Expr {
	a := &Apply{Name: g.name()}
	if g.IntN(2) == 0 {
		a.Args = g.arguments(depth)
	}
	for g.IntN(3) == 0 {
		a.Qualifiers = append(a.Qualifiers, Part{a.Name, a.Args})
		a.Args = nil
		switch g.IntN(4) {
		case 0:
			a.Name = Name{Text: pick(g, "<<", ">>", ":", "@", "1")}
		case 1:
			a.Name, a.Args = Name{Text: "()"}, g.arguments(depth)
		case 2:
			a.Name = Name{Text: operators[g.IntN(len(operators))].Name}
		default:
			a.Name, a.Args = g.name(), g.arguments(depth)
		}
	}
	return a
}

func (g *generator) except(depth int) Expr {
	x := &Except{Function: g.expr(depth)}
	for len(x.Updates) == 0 || g.IntN(3) == 0 {
		u := Update{Value: g.expr(depth)}
		for len(u.Path) == 0 || g.IntN(3) == 0 {
			if g.IntN(2) == 0 {
				name := g.name()
				u.Path = append(u.Path, Step{Field: &name})
			} else {
				u.Path = append(u.Path, Step{Args: g.some(1, depth)})
			}
		}
		x.Updates = append(x.Updates, u)
	}
	return x
}

func (g *generator) let(depth int) Expr {
	l := &Let{Body: g.expr(depth)}
	a, b := Decl{Name: g.name()}, Decl{Name: g.name()}
	for len(l.Units) == 0 || g.IntN(2) == 0 {
		name := g.name()
		var u Unit
		switch g.IntN(7) {
		case 0:
			u = &Recursive{Decls: []Decl{{Name: name, Arity: g.IntN(3)}}}
		case 1:
			u = &FunctionDefinition{Name: name, Bounds: g.bounds(depth), Body: g.expr(depth)}
		case 2:
			u = &Instance{Name: &name, Params: []Decl{a, {Name: Name{Text: "++"}, Arity: 2}}, Module: g.name(),
				With: []Substitution{{Name{Text: "-."}, g.arguments(depth)[0]}, {g.name(), g.expr(depth)}}}
		case 3:
			u = &Definition{Name: Name{Text: "**"}, Params: []Decl{a, b}, Body: g.expr(depth)}
		case 4:
			u = &Definition{Name: Name{Text: pick(g, "-.", "~", "SUBSET", "[]")}, Params: []Decl{a}, Body: g.expr(depth)}
		case 5:
			u = &Definition{Name: Name{Text: pick(g, "'", "^+")}, Params: []Decl{a}, Body: g.expr(depth)}
		default:
			d := &Definition{Name: name, Body: g.expr(depth), Local: g.IntN(5) == 0}
			if g.IntN(2) == 0 {
				d.Params = []Decl{a, {Name: b.Name, Arity: 2}, {Name: Name{Text: "^#"}, Arity: 1}, {Name: Name{Text: "DOMAIN"}, Arity: 1}}
			}
			u = d
		}
		l.Units = append(l.Units, u)
	}
	return l
}
