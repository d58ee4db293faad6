package paths

import "slices"

// beginning is what the begin of another walk costs, in steps: a server, a store and an engine are made for it.
const beginning = 10

// walks covers every edge that a server can be driven along, with as few steps and beginnings as that takes. A walk is indexes of edges, from the
// initial state to one at rest.
func (g *Graph) walks() [][]int32 {
	arcs, asked := g.arcs()
	times := newFlow(len(g.places), arcs, asked).solve()
	for i := range times {
		if asked[i] {
			times[i]++
		}
	}
	return split(tour(len(g.places), arcs, times))
}

// arcs gives what a walk can take, and which of it has to be taken: each edge once, from the first place found at which a server can be driven along
// it. From a place at rest a walk can return to the beginning.
func (g *Graph) arcs() (arcs []arc, asked []bool) {
	had := make([]bool, len(g.edges))
	for n := range g.places {
		from := int32(n)
		for _, w := range g.from(from) {
			arcs, asked = append(arcs, arc{from: from, to: w.to, edge: w.edge, cost: 1}), append(asked, !had[w.edge])
			had[w.edge] = true
		}
		if from != 0 && g.atRest(from) {
			arcs, asked = append(arcs, arc{from: from, to: 0, edge: -1, cost: beginning}), append(asked, false)
		}
	}
	return arcs, asked
}

// tour gives a way from place 0 back to it that takes each arc so many times (Hierholzer's algorithm). Every place is left as often as it is entered.
func tour(places int, arcs []arc, times []int32) []arc {
	out := make([][]int32, places)
	for i := range slices.Backward(arcs) {
		if times[i] > 0 {
			out[arcs[i].from] = append(out[arcs[i].from], int32(i))
		}
	}
	left := slices.Clone(times)
	var backwards []arc
	var taken []int32
	at := int32(0)
	for {
		if open := out[at]; len(open) > 0 {
			k := open[len(open)-1]
			if left[k]--; left[k] == 0 {
				out[at] = open[:len(open)-1]
			}
			taken, at = append(taken, k), arcs[k].to
			continue
		}
		if len(taken) == 0 {
			slices.Reverse(backwards)
			return backwards
		}
		k := taken[len(taken)-1]
		taken, at = taken[:len(taken)-1], arcs[k].from
		backwards = append(backwards, arcs[k])
	}
}

// split cuts a tour where it returns to the beginning.
func split(tour []arc) (walks [][]int32) {
	var walk []int32
	for _, a := range tour {
		if a.edge >= 0 {
			walk = append(walk, a.edge)
			continue
		}
		walks, walk = append(walks, walk), nil
	}
	if len(walk) > 0 {
		walks = append(walks, walk) // the last one leads back to the beginning itself
	}
	return walks
}
