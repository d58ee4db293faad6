package traces

import (
	"maps"
	"math"

	"podlife/model"
	"podlife/model/podlifecycle"

	"pgregory.net/rapid"
)

// Drawing says what plans are drawn.
type Drawing struct {
	Tabs  int
	Steps int
	Kinds []Kind // what the world can do
	// Seen is how often each edge of the specification's graph was taken before, each outcome of a guard came out, and each action was fired, as Numbers.Seen
	// has it: the rarer the rarest of an operation is, the likelier that is drawn. It must not change while plans that rapid may want to draw again are drawn.
	Seen map[Mark]int
}

// AllKinds is what every world can do.
func AllKinds() []Kind { return []Kind{Boot, Connect, Attach, Drop, Gate, Destroy, Kill, Remove, Wipe} }

// Of 128 draws so many are for an operation that the table does not enable, and so many for one that it does not see; the others are for those that fire an action.
const (
	outOf       = 128
	shareTried  = 18
	shareUnseen = 16
	bitsOfDraw  = 12
)

// Draw draws a plan. It asks the model, not a server: where the table enables actions, one is drawn of the operations that fire them, the least covered first. A draw of 0 leaves the step
// out, so that rapid, which shrinks draws towards 0, shortens plans by itself; one in 4,096 steps is left out without that.
func (g Drawing) Draw(t *rapid.T) Plan {
	table, m := Table(), Start(g.Tabs)
	seen := maps.Clone(g.Seen)
	if seen == nil {
		seen = map[Mark]int{}
	}
	var plan Plan
	for range g.Steps {
		n := bits(t, bitsOfDraw, "operation")
		if n == 0 {
			continue
		}
		st := choose(g.candidates(table, m, seen), n, bits(t, 7, "kind"))
		for _, k := range st.marks(table, m) {
			seen[k]++
		}
		plan = append(plan, st.Op)
		m = st.After
	}
	return plan
}

// See adds what a plan touches to Seen, for the plans that are drawn after it.
func (g Drawing) See(plan Plan) {
	table, m := Table(), Start(g.Tabs)
	for _, o := range plan {
		st, ok := Expect(table, m, o)
		if !ok {
			continue
		}
		for _, k := range st.marks(table, m) {
			g.Seen[k]++
		}
		m = st.After
	}
}

// bits draws a number without bias: rapid's own integers prefer small ones, and here they are indexes.
func bits(t *rapid.T, n int, label string) int {
	v := 0
	for _, b := range rapid.SliceOfN(rapid.Bool(), n, n).Draw(t, label) {
		v <<= 1
		if b {
			v |= 1
		}
	}
	return v
}

// candidate is an operation that can be carried out, and how likely it is among its kind.
type candidate struct {
	Step
	weight int
}

// candidates are the operations that can be carried out, apart: those that fire actions, those that ask for a disabled one, and those that the table does not see.
type candidates struct{ firing, tried, unseen []candidate }

func (g Drawing) candidates(table model.Table[podlifecycle.Local], m Model, seen map[Mark]int) candidates {
	var c candidates
	for _, o := range ops(g.Tabs, g.Kinds) {
		st, ok := Expect(table, m, o)
		switch {
		case !ok:
		case st.Commits() > 0:
			w := rarity(st.marks(table, m), seen)
			c.firing = append(c.firing, candidate{st, w * favour(m, o)})
		case st.Tried != nil:
			c.tried = append(c.tried, candidate{st, rarity(st.marks(table, m), seen)})
		default:
			c.unseen = append(c.unseen, candidate{st, favour(m, o)})
		}
	}
	return c
}

// rarity is the weight of an operation by the rarest of its marks: it falls quickly with the times that that was seen.
func rarity(marks []Mark, seen map[Mark]int) int {
	if len(marks) == 0 {
		return 1
	}
	least := math.MaxInt
	for _, k := range marks {
		least = min(least, seen[k])
	}
	return max(1, rarest/(1+16*least))
}

// rarest is the weight of what was never seen.
const rarest = 256

// favour makes up for two things: there are several ways to sleep, all of them the same action, and a pod that sleeps all the time sees little else; and a deleted setup is worth nothing when nobody
// comes near it before the pod sleeps.
func favour(m Model, o Op) int {
	switch {
	case o.Kind == Destroy, o.Kind == Kill, o.Kind == Remove, o.Kind == Idle:
		return 1
	case o.Kind == Wipe, m.Wiped:
		return 8
	}
	return 3
}

// choose takes the candidate at n of those that kind, 0 to 127, is for. There is always one that fires: an asleep pod can be booted, and any other can sleep.
func choose(c candidates, n, kind int) Step {
	from := c.firing
	switch {
	case kind >= outOf-shareTried && len(c.tried) > 0:
		from = c.tried
	case kind >= outOf-shareTried-shareUnseen && kind < outOf-shareTried && len(c.unseen) > 0:
		from = c.unseen
	}
	total := 0
	for _, x := range from {
		total += x.weight
	}
	at := n * total >> bitsOfDraw
	for _, x := range from {
		if at -= x.weight; at < 0 {
			return x.Step
		}
	}
	panic("a draw below the total is below some sum") // n < 1<<bitsOfDraw
}
