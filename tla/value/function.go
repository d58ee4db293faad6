package value

// Apply is f[x]. It raises CodeDomain outside the domain, CodeType for an f that is no function, and where TLC refuses to compare x with the arguments.
func (w *Work) Apply(f, x Value) Value {
	v, ok := w.lookup(f, x)
	if !ok {
		Raise(CodeDomain, "%s is not in the domain of %s %s", brief(x), f.Kind(), brief(f))
	}
	return v
}

// lookup is f[x], if x is in the domain.
func (w *Work) lookup(f, x Value) (Value, bool) {
	switch f := f.(type) {
	case *Tuple:
		switch n := x.(type) {
		case Int:
			if n >= 1 && int64(n) <= int64(len(f.elems)) {
				return f.elems[n-1], true
			}
			return nil, false
		case *Big:
			return nil, false
		}
		if len(f.elems) == 0 {
			return nil, false
		}
		Raise(CodeType, "a tuple was applied to %s %s: %s", x.Kind(), brief(x), brief(f))
	case *Record:
		if t, ok := x.(*Str); ok {
			if i := f.shape.indexText(t); i >= 0 {
				return f.vals[i], true
			}
			return nil, false
		}
		Raise(CodeType, "a record was applied to %s %s: %s", x.Kind(), brief(x), brief(f))
	case *Function:
		if i := f.shape.index(x); i >= 0 {
			return f.vals[i], true
		}
		return nil, false
	case *Lambda:
		return f.lookup(w, x)
	}
	Raise(CodeType, "%s was applied as a function: %s", f.Kind(), brief(f))
	return nil, false
}

// Field is r.name. It raises CodeDomain when r has no such field, and CodeType when it is no function of strings.
func (w *Work) Field(r Value, name *Str) Value {
	if rec, ok := r.(*Record); ok {
		if i := rec.shape.indexText(name); i >= 0 {
			return rec.vals[i]
		}
		Raise(CodeDomain, "the record has no field %s: %s", name.text, brief(r))
	}
	switch r.(type) {
	case *Tuple, *Function, *Lambda:
		return w.Apply(r, name)
	}
	Raise(CodeType, "the field %s of %s was asked for: %s", name.text, r.Kind(), brief(r))
	return nil
}

// Domain is DOMAIN f, a set. It raises CodeType for an f that is no function.
func Domain(f Value) Value {
	switch f := f.(type) {
	case *Tuple:
		return &Range{lo: 1, hi: int64(len(f.elems))}
	case *Record:
		return f.shape.set
	case *Function:
		return f.shape.set
	case *Lambda:
		return f.domain
	}
	Raise(CodeType, "the domain of %s was asked for: %s", f.Kind(), brief(f))
	return nil
}

// Except is [f EXCEPT ![path[0]]...[path[n-1]] = update(@)]. Where the path leaves a domain, the function stays as it is, and update is not called; see
// TryExcept. Something on the way that is no function raises CodeType.
func (w *Work) Except(f Value, path []Value, update func(old Value) Value) Value {
	v, _ := w.except(f, path, update, 0)
	return v
}

// TryExcept is Except that tells, with ok, whether the path stayed inside the domains: where it did not, TLC warns.
func (w *Work) TryExcept(f Value, path []Value, update func(old Value) Value) (result Value, ok bool) {
	return w.except(f, path, update, 0)
}

func (w *Work) except(f Value, path []Value, update func(old Value) Value, depth int) (Value, bool) {
	if len(path) == 0 {
		return update(f), true
	}
	tooDeep(depth)
	switch f := f.(type) {
	case *Record:
		t, ok := path[0].(*Str)
		if !ok {
			w.lookup(f, path[0]) // raises
		}
		i := f.shape.indexText(t)
		if i < 0 {
			return f, false
		}
		v, ok := w.except(f.vals[i], path[1:], update, depth+1)
		if !ok {
			return f, false
		}
		r := makeRecord(f.shape)
		copy(r.vals, f.vals)
		r.vals[i] = v
		return r, true
	case *Function:
		i := f.shape.index(path[0])
		if i < 0 {
			return f, false
		}
		v, ok := w.except(f.vals[i], path[1:], update, depth+1)
		if !ok {
			return f, false
		}
		g := makeFunction(f.shape)
		copy(g.vals, f.vals)
		g.vals[i] = v
		return g, true
	case *Tuple:
		old, ok := w.lookup(f, path[0])
		if !ok {
			return f, false
		}
		v, ok := w.except(old, path[1:], update, depth+1)
		if !ok {
			return f, false
		}
		t := makeTuple(len(f.elems))
		copy(t.elems, f.elems)
		t.elems[path[0].(Int)-1] = v
		return t, true
	case *Lambda:
		if v := f.cache.Load(); v != nil {
			return w.except(*v, path, update, depth)
		}
		arg := path[0]
		old, ok := w.lookup(f, arg)
		if !ok {
			return f, false
		}
		v, ok := w.except(old, path[1:], update, depth+1)
		if !ok {
			return f, false
		}
		return &Lambda{domain: f.domain, apply: f.apply, except: &exception{arg, v, f.except}}, true
	}
	Raise(CodeType, "EXCEPT was used on %s: %s", f.Kind(), brief(f))
	return nil, false
}
