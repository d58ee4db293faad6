package paths

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"podlife/conformance/lockstep"
	"podlife/model/podlifecycle"
	"podlife/model/podruntime"
)

func tabNamed(i int) string { return podlifecycle.ClientName(i) }

func built(t *testing.T, c Config, d Driver) *Graph {
	t.Helper()
	g, err := Build(t.Context(), c, d)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// anything is a server that can be driven along every step, and held anywhere.
func anything() Driver {
	return Driver{
		Drivable: func(lockstep.Place, int, lockstep.Step) (lockstep.Reason, bool) { return "", true },
		AtRest:   func(lockstep.Place, int) bool { return true },
	}
}

// Every path is a behaviour of the table from its initial state, ends where a server can be held, and all together take every edge.
func TestThePathsTakeEveryEdge(t *testing.T) {
	for name, d := range map[string]Driver{"anything": anything(), "server": Server()} {
		t.Run(name, func(t *testing.T) {
			g := built(t, Config{2, 1, 0}, d)
			set := g.Paths()
			table := Table()
			for _, p := range set.Paths {
				var place lockstep.Place
				for i, step := range p {
					if _, ok := d.Drivable(place, 2, step); !ok {
						t.Fatalf("a server cannot be driven along step %d of %s", i+1, p)
					}
					after, err := lockstep.Effect(table, place.State, 2, step)
					if err != nil {
						t.Fatalf("step %d of %s: %v", i+1, p, err)
					}
					place = place.Next(step, after)
				}
				if !d.AtRest(place, 2) {
					t.Fatalf("%s ends where no server can be held", p)
				}
			}
			c := set.Whole()
			classes := c.Taken + c.Unreachable
			for _, n := range c.NotDrivable {
				classes += n
			}
			if classes != c.Edges || c.NotDrivable[NotTaken] != 0 || c.Taken == 0 {
				t.Errorf("%d edges are %d taken, %d unreachable, %v", c.Edges, c.Taken, c.Unreachable, c.NotDrivable)
			}
			if name == "anything" && c.Taken != c.Edges {
				t.Errorf("%d of %d edges are taken", c.Taken, c.Edges)
			}
			again := built(t, Config{2, 1, 0}, d).Paths().Whole()
			if again.SHA256 != c.SHA256 {
				t.Error("made once more, the paths are others")
			}
		})
	}
}

// What is not taken is told: a step too few leaves an edge in no other class.
func TestAStepTooFewIsSeen(t *testing.T) {
	set := built(t, Config{1, 1, 0}, Server()).Paths()
	whole := set.Whole()
	last := len(set.Paths) - 1
	less := set.Coverage(func(path int) int {
		if path == last {
			return 0
		}
		return len(set.walks[path])
	})
	if less.Taken >= whole.Taken || less.NotDrivable[NotTaken] != whole.Taken-less.Taken || less.Steps >= whole.Steps {
		t.Errorf("%d of %d edges, %v", less.Taken, whole.Taken, less.NotDrivable)
	}
}

func TestAServerThatCannotRestIsAnError(t *testing.T) {
	d := anything()
	d.AtRest = func(p lockstep.Place, _ int) bool {
		return p.State.Pod().Ctr == podruntime.Asleep && p.State.Pod().Inc == 0
	}
	_, err := Build(t.Context(), Config{1, 1, 0}, d)
	var rest *RestError
	if !errors.As(err, &rest) || len(rest.Path) == 0 {
		t.Errorf("%v", err)
	}
}

func TestABuildCanBeInterruptedAndIsBounded(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Build(ctx, Config{1, 1, 1}, Server()); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
	var bounds *podruntime.BoundsError
	if _, err := Build(t.Context(), Config{9, 1, 1}, Server()); !errors.As(err, &bounds) {
		t.Errorf("nine tabs: %v", err)
	}
}

// On random graphs the tour takes what it was asked for, and none is cheaper: beside what was asked for, no way round can be taken less often, and others for it, at
// a gain. That is when a flow is cheapest: no cycle of what can still be changed has a cost below 0.
func TestNoTourIsCheaper(t *testing.T) {
	rerouted := 0
	for seed := range uint64(300) {
		arcs, asked, nodes := randomArcs(rand.New(rand.NewPCG(seed, 7)))
		more := newFlow(nodes, arcs, asked).solve()
		if gain := cheaper(arcs, more, nodes); gain {
			t.Errorf("seed %d: there is a cheaper tour", seed)
		}
		balance, taken, times := make([]int32, nodes), make([]int32, len(arcs)), slices.Clone(more)
		for i, a := range arcs {
			if more[i] < 0 {
				t.Fatalf("seed %d: arc %d is taken %d times more than asked for", seed, i, more[i])
			}
			if more[i] > 0 {
				rerouted++
			}
			if asked[i] {
				times[i]++
			}
			balance[a.from] -= times[i]
			balance[a.to] += times[i]
		}
		for n, b := range balance {
			if b != 0 {
				t.Fatalf("seed %d: node %d is entered %d times more than left", seed, n, b)
			}
		}
		for _, a := range tour(nodes, arcs, times) {
			taken[a.edge]++
		}
		if !slices.Equal(taken, times) {
			t.Fatalf("seed %d: the tour takes the arcs %v times, not %v", seed, taken, times)
		}
	}
	if rerouted < 1000 {
		t.Errorf("%d arcs were taken more often than asked for: too few to say anything", rerouted)
	}
}

// randomArcs gives a ring, so that all is connected, with more arcs. The edge of each is its index.
func randomArcs(rng *rand.Rand) (arcs []arc, asked []bool, nodes int) {
	nodes = 3 + rng.IntN(20)
	for n := range nodes {
		arcs = append(arcs, arc{from: int32(n), to: int32((n + 1) % nodes), cost: 1 + rng.Int32N(9)})
	}
	for range rng.IntN(4 * nodes) {
		arcs = append(arcs, arc{from: rng.Int32N(int32(nodes)), to: rng.Int32N(int32(nodes)), cost: 1 + rng.Int32N(9)})
	}
	for i := range arcs {
		arcs[i].edge = int32(i)
		asked = append(asked, i < nodes || rng.IntN(3) > 0) // the ring is asked for, so that the tour is one
	}
	return arcs, asked, nodes
}

// cheaper says whether a flow can be changed at a gain (Bellman and Ford): along an arc once more, or once less where it is taken more often than asked for.
func cheaper(arcs []arc, more []int32, nodes int) bool {
	distance := make([]int32, nodes)
	for range nodes {
		changed := false
		relax := func(from, to, cost int32) {
			if distance[from]+cost < distance[to] {
				distance[to], changed = distance[from]+cost, true
			}
		}
		for i, a := range arcs {
			relax(a.from, a.to, a.cost)
			if more[i] > 0 {
				relax(a.to, a.from, -a.cost)
			}
		}
		if !changed {
			return false
		}
	}
	return true
}
