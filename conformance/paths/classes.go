package paths

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"

	"podlife/conformance/lockstep"
)

// Coverage says what the paths of a configuration take. Each edge of the configuration is in one class: taken, not drivable for one reason, or
// unreachable, because a server cannot be driven to the state in which it begins.
type Coverage struct {
	Config
	States int `json:"states"` // reduced
	Edges  int `json:"edges"`  // between them; what tabs that are alike do is one
	// Driven is how many of the states a server can be driven to.
	Driven      int                     `json:"driven"`
	Taken       int                     `json:"taken"`
	NotDrivable map[lockstep.Reason]int `json:"not_drivable"`
	Unreachable int                     `json:"unreachable"`
	Paths       int                     `json:"paths"`
	Steps       int                     `json:"steps"`
	SHA256      string                  `json:"sha256"` // of the paths as Fprint prints them
	// Actions are the edges that are taken, by action. Guards say of each guard, as "Action.guard", how it came out: true on an edge that was taken,
	// false in a state in which it is the first of its action that refuses.
	Actions map[string]int     `json:"actions"`
	Guards  map[string]Outcome `json:"guards,omitempty"`
}

// Outcome is how often a guard came out.
type Outcome struct {
	True  int `json:"true"`
	False int `json:"false"`
}

// A Set is the paths of a configuration.
type Set struct {
	Paths []Path
	walks [][]int32 // the same as indexes of edges
	g     *Graph
}

// Paths makes the paths of a configuration. They are the same each time.
func (g *Graph) Paths() Set {
	set := Set{walks: g.walks(), g: g}
	for _, w := range set.walks {
		set.Paths = append(set.Paths, g.path(w))
	}
	return set
}

// shortest gives a shortest path that ends with the step at this index of a path, taken in the same place.
func (s Set) shortest(path, at int) Path {
	place, walk := int32(0), s.walks[path]
	for _, edge := range walk[:at] {
		ways := s.g.from(place)
		place = ways[slices.IndexFunc(ways, func(w way) bool { return w.edge == edge })].to
	}
	return s.g.path(append(s.g.to(place), walk[at]))
}

// Coverage says what is taken where of each path, by its index, so many steps are.
func (s Set) Coverage(steps func(path int) int) Coverage {
	seen := s.g.newSeen()
	done, sum := 0, sha256.New()
	for i, w := range s.walks {
		n := steps(i)
		seen.walk(w, n)
		done += n
	}
	if err := Fprint(sum, s.Paths); err != nil {
		panic(err) // a hash takes all
	}
	c := seen.coverage()
	c.Paths, c.Steps, c.SHA256 = len(s.Paths), done, hex.EncodeToString(sum.Sum(nil))
	return c
}

// Whole is the coverage of all steps of all paths.
func (s Set) Whole() Coverage { return s.Coverage(func(path int) int { return len(s.walks[path]) }) }

// Fprint prints paths, a line for each.
func Fprint(w io.Writer, paths []Path) error {
	for _, p := range paths {
		if _, err := fmt.Fprintln(w, p); err != nil {
			return err
		}
	}
	return nil
}

// seen collects what was taken.
type seen struct {
	g      *Graph
	edges  []bool // by the index of the edge
	states []bool // by the index of the state
}

func (g *Graph) newSeen() *seen {
	return &seen{g: g, edges: make([]bool, len(g.edges)), states: make([]bool, len(g.states))}
}

// walk adds so many steps of a walk.
func (s *seen) walk(walk []int32, steps int) {
	s.states[0] = true
	for _, e := range walk[:steps] {
		s.edges[e] = true
		s.states[s.g.edges[e].to] = true
	}
}

// coverage classes every edge, and counts how the guards came out where the walks came.
func (s *seen) coverage() Coverage {
	g := s.g
	c := Coverage{
		Config: g.Config, States: len(g.states), Edges: len(g.edges),
		NotDrivable: map[lockstep.Reason]int{}, Actions: map[string]int{}, Guards: map[string]Outcome{},
	}
	driven, drivable := make([]bool, len(g.states)), make([]bool, len(g.edges))
	for n := range g.places {
		if state := g.stateOf[n]; !driven[state] {
			driven[state] = true
			c.Driven++
		}
		for _, w := range g.from(int32(n)) {
			drivable[w.edge] = true
		}
	}
	for i, e := range g.edges {
		switch {
		case s.edges[i]:
			c.Taken++
			c.Actions[g.steps[e.step].Action]++
			s.held(c.Guards, e)
		case !driven[e.from]:
			c.Unreachable++
		case drivable[i]:
			c.NotDrivable[NotTaken]++
		default:
			c.NotDrivable[g.reasons[int32(i)]]++
		}
	}
	for i, came := range s.states {
		if came {
			g.refusals(int32(i), func(guard string) {
				o := c.Guards[guard]
				o.False++
				c.Guards[guard] = o
			})
		}
	}
	return c
}

// NotTaken is the class of an edge that could have been taken. There is none after a whole run.
const NotTaken lockstep.Reason = "not-taken"

func (s *seen) held(guards map[string]Outcome, e edge) {
	for _, guard := range s.g.system.Steps[e.step].Guards {
		name := s.g.steps[e.step].Action + "." + guard.Name
		o := guards[name]
		o.True++
		guards[name] = o
	}
}
