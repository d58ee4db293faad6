package module

// levels is what SANY's level checking knows of an expression (module Level of the tools' documentation, and Specifying Systems, 17.2). The level
// of an operator's body depends on its parameters' levels, which its uses decide; so what a body demands of its parameters is kept and held
// against each use. The maps are never changed once they are part of a levels, and are shared.
type levels struct {
	level Level
	wrong bool // something in it was reported; what follows from that is not
	// params are the parameters and constants whose level is part of the expression's level.
	params symbolSet
	// mentions are all constants, variables and parameters that occur, in definitions too.
	mentions symbolSet
	// rigid are the parameters for which not every equal expression may be put, because they stand inside a prime, ENABLED, or a temporal operator.
	rigid symbolSet
	// most is the highest level that a parameter may have.
	most map[symbol]Level
	// least says of an operator parameter's argument that the operator must allow for at least that level in it.
	least map[argument]Level
	// flows say that an argument of an operator parameter contains a parameter.
	flows map[flow]struct{}
}

// an argument is a position of an operator parameter, from 0.
type argument struct {
	op       symbol
	position int
}

type flow struct {
	argument
	param symbol
}

// definitionLevels is what is known of an operator: the levels of its body without its parameters, and for each of its parameters what the body
// demands.
type definitionLevels struct {
	levels
	name     string
	variadic bool      // of a builtin with any number of arguments: all are as the first
	max      []Level   // of an argument
	weighs   []bool    // an argument's level is part of the whole's
	leibniz  []bool    // an argument may be replaced by an equal one
	least    [][]Level // least[i][j]: what argument i, an operator, must allow in its argument j
	flows    [][][]bool
	params   []*Param
}

func (d *definitionLevels) index(i int) int {
	if d.variadic {
		return 0
	}
	return i
}

func (d *definitionLevels) isLeibniz() bool {
	for _, l := range d.leibniz {
		if !l {
			return false
		}
	}
	return true
}

// leastOf is least[i][j], which is LevelConstant where nothing is known.
func (d *definitionLevels) leastOf(i, j int) Level {
	if d.least == nil {
		return LevelConstant
	}
	return d.least[i][j]
}

// flowsInto tells whether argument j becomes part of argument k of argument i, which is an operator.
func (d *definitionLevels) flowsInto(i, j, k int) bool {
	return d.flows != nil && d.flows[i][j][k]
}

// arity is the number of arguments; 0 for a variadic builtin, which is never handed over.
func (d *definitionLevels) arity() int {
	if d.variadic {
		return 0
	}
	return len(d.max)
}

type symbolSet map[symbol]struct{}

// union gives a set with the elements of both, one of the two where that is possible.
func union[K comparable](a, b map[K]struct{}) map[K]struct{} {
	if len(a) < len(b) {
		a, b = b, a
	}
	missing := 0
	for s := range b {
		if _, there := a[s]; !there {
			missing++
		}
	}
	if missing == 0 {
		return a
	}
	out := make(map[K]struct{}, len(a)+missing)
	for s := range a {
		out[s] = struct{}{}
	}
	for s := range b {
		out[s] = struct{}{}
	}
	return out
}

// without gives a set without the bound names.
func (s symbolSet) without(bound []*Param) symbolSet {
	found := false
	for _, p := range bound {
		_, there := s[p]
		found = found || there
	}
	if !found {
		return s
	}
	out := make(symbolSet, len(s))
	for x := range s {
		out[x] = struct{}{}
	}
	for _, p := range bound {
		delete(out, p)
	}
	return out
}

// merge gives the demands of both; where both have one, better chooses.
func merge[K comparable](a, b map[K]Level, better func(x, y Level) Level) map[K]Level {
	switch {
	case len(b) == 0:
		return a
	case len(a) == 0:
		return b
	}
	adds := false
	for k, v := range b {
		old, there := a[k]
		adds = adds || !there || better(old, v) != old
	}
	if !adds {
		return a
	}
	out := make(map[K]Level, len(a)+len(b))
	for k, v := range a {
		out[k] = v
	}
	for k, v := range b {
		if old, there := out[k]; there {
			v = better(old, v)
		}
		out[k] = v
	}
	return out
}

func lowerLevel(x, y Level) Level  { return min(x, y) }
func higherLevel(x, y Level) Level { return max(x, y) }

// demand adds that params may have no higher level than most. A demand that is none is left out.
func (l *levels) demand(params symbolSet, most Level) {
	known := most >= LevelTemporal
	if !known {
		known = true
		for p := range params {
			have, there := l.most[p]
			known = known && there && have <= most
		}
	}
	if known {
		return
	}
	add := make(map[symbol]Level, len(params))
	for p := range params {
		add[p] = most
	}
	l.most = merge(l.most, add, lowerLevel)
}

func (l *levels) require(a argument, least Level) {
	if least > LevelConstant {
		l.least = merge(l.least, map[argument]Level{a: least}, higherLevel)
	}
}

func (l *levels) flow(op symbol, position int, params symbolSet) {
	if len(params) == 0 {
		return
	}
	add := make(map[flow]struct{}, len(params))
	for p := range params {
		add[flow{argument{op, position}, p}] = struct{}{}
	}
	l.flows = union(l.flows, add)
}

// add takes over what another part of the same expression demands, but not its level.
func (l *levels) add(o *levels, bound []*Param) {
	l.wrong = l.wrong || o.wrong
	l.mentions = union(l.mentions, o.mentions.without(bound))
	l.rigid = union(l.rigid, o.rigid.without(bound))
	l.most = merge(l.most, withoutKeys(o.most, bound), lowerLevel)
	l.least = merge(l.least, o.least, higherLevel)
	l.flows = union(l.flows, o.flows)
}

// weigh takes over another part's level.
func (l *levels) weigh(o *levels, bound []*Param) {
	l.level = max(l.level, o.level)
	l.params = union(l.params, o.params.without(bound))
}

func withoutKeys(most map[symbol]Level, bound []*Param) map[symbol]Level {
	found := false
	for _, p := range bound {
		_, there := most[p]
		found = found || there
	}
	if !found {
		return most
	}
	out := make(map[symbol]Level, len(most))
	for k, v := range most {
		out[k] = v
	}
	for _, p := range bound {
		delete(out, p)
	}
	return out
}

// levelNames are the levels as people say them.
func (l Level) String() string {
	switch l {
	case LevelConstant:
		return "constant"
	case LevelState:
		return "state"
	case LevelAction:
		return "action"
	case LevelTemporal:
		return "temporal"
	}
	return "unknown level"
}

// describe is what an expression of the level is.
func (l Level) describe() string {
	switch l {
	case LevelConstant:
		return "a constant"
	case LevelState:
		return "a state expression (it depends on variables)"
	case LevelAction:
		return "an action (it has primed variables)"
	}
	return "a temporal formula"
}

func (l Level) describeMost() string {
	switch l {
	case LevelConstant:
		return "a constant"
	case LevelState:
		return "a constant or a state expression, without primes"
	}
	return "a constant, a state expression or an action, but not a temporal formula"
}
