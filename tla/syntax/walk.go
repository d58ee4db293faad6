package syntax

// Children appends the expressions that e consists of to list, from left to right. Those of the definitions in a LET are among them.
func Children(list []Expr, e Expr) []Expr {
	bounds := func(bs ...Bound) {
		for _, b := range bs {
			if b.Set != nil {
				list = append(list, b.Set)
			}
		}
	}
	switch e := e.(type) {
	case *Apply:
		for _, q := range e.Qualifiers {
			list = append(list, q.Args...)
		}
		list = append(list, e.Args...)
	case *Junction:
		list = append(list, e.Items...)
	case *FunctionApply:
		list = append(append(list, e.Function), e.Args...)
	case *Field:
		list = append(list, e.Record)
	case *SetEnum:
		list = append(list, e.Items...)
	case *Tuple:
		list = append(list, e.Items...)
	case *Times:
		list = append(list, e.Items...)
	case *SetFilter:
		bounds(e.Bound)
		list = append(list, e.Where)
	case *SetMap:
		list = append(list, e.Value)
		bounds(e.Bounds...)
	case *Quantifier:
		bounds(e.Bounds...)
		list = append(list, e.Body)
	case *Choose:
		bounds(e.Bound)
		list = append(list, e.Body)
	case *FunctionConstructor:
		bounds(e.Bounds...)
		list = append(list, e.Body)
	case *FunctionSet:
		list = append(list, e.Domain, e.Range)
	case *Record:
		for _, f := range e.Fields {
			list = append(list, f.Value)
		}
	case *RecordSet:
		for _, f := range e.Fields {
			list = append(list, f.Value)
		}
	case *Except:
		list = append(list, e.Function)
		for _, u := range e.Updates {
			for _, s := range u.Path {
				list = append(list, s.Args...)
			}
			list = append(list, u.Value)
		}
	case *If:
		list = append(list, e.Cond, e.Then, e.Else)
	case *Case:
		for _, a := range e.Arms {
			list = append(list, a.Cond, a.Value)
		}
		if e.Other != nil {
			list = append(list, e.Other)
		}
	case *Let:
		for _, u := range e.Units {
			list = append(list, unitExprs(u)...)
		}
		list = append(list, e.Body)
	case *Lambda:
		list = append(list, e.Body)
	case *ActionBox:
		list = append(list, e.Action, e.Vars)
	case *Fairness:
		list = append(list, e.Vars, e.Action)
	case *Label:
		list = append(list, e.Body)
	case *Paren:
		list = append(list, e.Body)
	}
	return list
}

// unitExprs gives the expressions that a unit consists of, those of a nested module aside.
func unitExprs(u Unit) []Expr {
	var list []Expr
	switch u := u.(type) {
	case *Definition:
		list = append(list, u.Body)
	case *FunctionDefinition:
		for _, b := range u.Bounds {
			list = append(list, b.Set)
		}
		list = append(list, u.Body)
	case *Instance:
		for _, s := range u.With {
			list = append(list, s.Value)
		}
	case *Assume:
		list = append(list, u.Body)
	case *Theorem:
		if u.Body != nil {
			list = append(list, u.Body)
		}
	}
	return list
}

// tooHigh gives the first expression of a tree that lies more than MaxHeight levels below its root, or nil. It does not call itself.
func tooHigh(root Expr) Expr {
	level, next := []Expr{root}, []Expr(nil)
	for height := 1; len(level) > 0; height++ {
		if height > MaxHeight {
			return level[0]
		}
		for _, e := range level {
			next = Children(next, e)
		}
		level, next = next, level[:0]
	}
	return nil
}
