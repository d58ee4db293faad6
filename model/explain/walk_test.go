package explain

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"podlife/model/podruntime"
)

// walker draws behaviours of a table, step by step.
type walker struct {
	c       *Checker
	at      node
	rnd     *rand.Rand
	clients []string
	whole   bool // every step is recorded
	steps   []Step
	hidden  int  // in a row
	unseen  bool // a crash was not recorded, and nothing is until the recovery
}

func newWalker(seed uint64, off ...string) *walker {
	table := podruntime.Table(podruntime.Constants{MaxInc: math.MaxInt, MaxCrashes: math.MaxInt, Off: off})
	return &walker{c: New(Options{Table: table}), rnd: rand.New(rand.NewPCG(seed, 1)), clients: []string{"c1", "c2"}}
}

// moves are the enabled steps. Deaths, failures and crashes are rarer than the table has them, so that something is reached.
func (w *walker) moves() []Step {
	var moves []Step
	for _, listed := range w.c.o.Table.Actions {
		a := w.c.actions[listed.Name]
		if rare(a.Name) && w.rnd.IntN(8) > 0 {
			continue
		}
		incs, clients := []int{0}, []string{""}
		if a.inc {
			incs = nil
			for _, i := range w.at.pod.Incs {
				incs = append(incs, i.N)
			}
		}
		if a.client {
			clients = w.clients
		}
		for _, inc := range incs {
			for _, client := range clients {
				if a.Enabled(w.at.local(a, client, inc)) {
					moves = append(moves, Step{Action: a.Name, Client: client, N: inc})
				}
			}
		}
	}
	return moves
}

func rare(name string) bool {
	return slices.Contains([]string{
		podruntime.LaunchFails, podruntime.ScriptFails, podruntime.ContainerDies, podruntime.MarkerRemoved, podruntime.Crash,
		podruntime.CrashOtherRecipe, podruntime.Destroy, podruntime.IdleSleep, podruntime.DialFails,
	}, name)
}

// step takes one step; false where there is none.
func (w *walker) step() bool {
	moves := w.moves()
	if len(moves) == 0 {
		return true // all that there is was rare
	}
	s := moves[w.rnd.IntN(len(moves))]
	a := w.c.actions[s.Action]
	crash := a.forgets
	hide := !w.whole && (crash || slices.Contains(podruntime.WorldActions(), s.Action) && w.rnd.IntN(3) > 0)
	hide = hide || w.unseen && !a.recovers
	if hide && crash && w.unseen || hide && !crash && w.hidden == DefaultHidden {
		return true
	}
	next, ok := w.c.take(&w.at, a, s.Client, s.N, false)
	if !ok {
		panic(fmt.Sprintf("%v is not enabled", s))
	}
	w.at = next
	switch {
	case hide && crash:
		w.hidden, w.unseen = 0, true
	case hide:
		w.hidden++
	default:
		s.Incarnation = w.at.pod.Inc
		w.steps = append(w.steps, s)
		w.hidden, w.unseen = 0, false
	}
	return true
}

// trace draws a trace of so many recorded steps.
func (w *walker) trace(steps int) []Step {
	for tries := 0; len(w.steps) < steps && tries < 100*steps; tries++ {
		w.step()
	}
	return w.steps
}

// eager is what Check should say, done the plain way: everything that can be hidden is, everywhere.
func eager(steps []Step) (explained int, ok bool) {
	c := New(Options{States: math.MaxInt})
	for i, s := range steps {
		a := c.actions[s.Action]
		out := &set{}
		if a.recovers {
			for _, n := range c.states {
				c.recovery(&n, a, out)
			}
		} else {
			for _, n := range c.closure(c.states, c.world) {
				if next, ok := c.take(&n, a, s.Client, s.N, false); ok {
					out.add(next)
				}
			}
		}
		if c.states = c.agreeing(out.nodes, s); len(c.states) == 0 {
			return i, false
		}
	}
	return len(steps), true
}
