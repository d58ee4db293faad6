package module

import "maps"

// ENABLED A says that there is a next state in which A holds, and the variables of that state are its own: substitution does not reach them. Where an instance puts
// something for a variable v, an unprimed v inside of ENABLED becomes that, but v' stays, hidden in the ENABLED, and A may give it any value. That is what the
// language says (Specifying Systems, 17.8) and TLC does. If every variable is replaced by another one, no two by the same, it makes no difference, and v' becomes
// that one's.

// copyMode is what becomes of an instance's variables in a copy.
type copyMode uint8

const (
	copyPlain   copyMode = iota // what is put for them
	copyEnabled                 // inside of ENABLED: the same, but where they are primed they stay
	copyPrimed                  // inside of a prime in ENABLED: they stay
)

// A copyKey is a definition as it stands in one mode.
type copyKey struct {
	d    *Definition
	mode copyMode
}

// hides tells whether ENABLED hides the variables of the instance.
func (in *instance) hides() bool {
	taken := map[*Variable]bool{}
	for s, value := range in.written {
		if _, is := s.(*Variable); !is {
			continue
		}
		v, is := value.(*VariableRef)
		if !is || taken[v.Variable] {
			return true
		}
		taken[v.Variable] = true
	}
	return false
}

// as is the copier in another mode.
func (k *copier) as(mode copyMode) *copier {
	c := *k
	c.mode = mode
	return &c
}

// enabledApply copies the operators that change the mode, and those that speak of the next state inside of ENABLED. It gives nil for the others.
func (k *copier) enabledApply(e *Apply) Expr {
	switch {
	case e.Op == Enabled && k.mode == copyPlain && k.in != nil && k.in.hides():
		return &Apply{Node: e.Node, Op: Enabled, Args: k.as(copyEnabled).exprs(e.Args)}
	case k.mode != copyEnabled:
		return nil
	case e.Op == Prime:
		return &Apply{Node: e.Node, Op: Prime, Args: k.as(copyPrimed).exprs(e.Args)}
	case e.Op == Unchanged:
		return k.enabledUnchanged(e.Node, e.Args[0])
	case e.Op == Compose:
		return k.as(copyPlain).plain(e) // its state in between has no room for hidden variables
	}
	return nil
}

// enabledUnchanged copies UNCHANGED e: as e' = e, of a tuple for each part, since the two sides speak of different variables.
func (k *copier) enabledUnchanged(at Node, e Expr) Expr {
	switch e := e.(type) {
	case *VariableRef:
		if k.in.subst[e.Variable] == nil {
			return &Apply{Node: at, Op: Unchanged, Args: []Expr{e}}
		}
	case *Label:
		return k.enabledUnchanged(at, e.Body)
	case *ParamRef:
		if a, ok := k.args[e.Param]; ok {
			return a.in(k.mode).enabledUnchanged(at, a.x)
		}
	case *Call:
		if d := e.Definition; len(d.Params) == 0 && d.Body != nil && !d.Recursive && !d.Function && k.in.affects(d) {
			return k.enabledUnchanged(at, d.Body)
		}
	case *Apply:
		if e.Op == Tuple && len(e.Args) > 0 {
			c := &Junction{Node: at, Names: make([]string, len(e.Args))}
			for _, part := range e.Args {
				c.Items = append(c.Items, k.enabledUnchanged(at, part))
			}
			return c
		}
	}
	next := &Apply{Node: at, Op: Prime, Args: []Expr{k.as(copyPrimed).expr(e)}}
	return &Apply{Node: at, Op: Equal, Args: []Expr{next, k.expr(e)}}
}

// enabledSubscripted copies [A]_v as A \/ UNCHANGED v, and <<A>>_v as A /\ ~UNCHANGED v.
func (k *copier) enabledSubscripted(e *Subscripted) Expr {
	same := k.enabledUnchanged(e.Node, e.Vars)
	if e.Angle {
		same = &Apply{Node: e.Node, Op: Not, Args: []Expr{same}}
	}
	return &Junction{Node: e.Node, Or: !e.Angle, Items: []Expr{k.expr(e.Action), same}, Names: make([]string, 2)}
}

// A copiedArg is the argument of a definition that is written into its user: an expression of the original, and how it was being copied.
type copiedArg struct {
	k *copier
	x Expr
}

func (a copiedArg) in(mode copyMode) *copier { return a.k.as(mode) }

// written tells whether the use of a definition cannot stay one inside of ENABLED, because there it means different things in different places: a definition of a LET
// around the ENABLED, or a definition that takes the next state of an argument.
func (k *copier) written(e *Call) bool {
	d := e.Definition
	if k.mode == copyPlain || d.Recursive || d.Body == nil {
		return false
	}
	for _, p := range d.Params {
		if p.Arity > 0 {
			return false
		}
	}
	if mode, there := k.modes[d]; there && mode != k.mode {
		return k.in.affects(d)
	}
	if k.mode == copyPrimed {
		return false
	}
	for _, leibniz := range k.l.levelsOf(d).leibniz {
		if !leibniz {
			return true
		}
	}
	return false
}

// inline copies what a definition says to where it is used.
func (k *copier) inline(e *Call) Expr {
	here := *k
	here.params = maps.Clone(k.params)
	in := *k
	in.params, in.args = maps.Clone(k.params), maps.Clone(k.args)
	if in.args == nil {
		in.args = map[*Param]copiedArg{}
	}
	for i, p := range e.Definition.Params {
		in.args[p] = copiedArg{&here, e.Args[i]}
	}
	return in.expr(e.Definition.Body)
}
