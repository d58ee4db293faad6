package paths

import "math"

// arc is one that a walk can take: along an edge, or back to the initial state, where the next walk begins.
type arc struct {
	from, to int32 // nodes
	edge     int32 // an index of Graph.edges; -1 is the return to the initial state
	cost     int32
}

// flow finds how often each arc has to be taken beside the times that were asked for, so that each node is left as often as it is entered, at the
// least cost. That is the shortest tour along all arcs that were asked for (the directed Chinese postman): a minimum cost flow from the nodes that
// are entered too often to those that are left too often. It is found by the primal-dual method: shortest distances, then as much as flows along
// shortest ways, then the next longer ones.
type flow struct {
	arcs      []arc
	out, in   [][]int32 // by node: indexes of arcs
	times     []int32   // by arc: beside what was asked for
	excess    []int32   // by node: times entered without being left; below 0 the other way round
	potential []int32   // by node

	distance []int32 // by node, in a search
	level    []int32
	next     []int // by node: the arc at which its search goes on, first of out, then of in
}

func newFlow(nodes int, arcs []arc, asked []bool) *flow {
	f := &flow{
		arcs: arcs, out: make([][]int32, nodes), in: make([][]int32, nodes), times: make([]int32, len(arcs)), excess: make([]int32, nodes),
		potential: make([]int32, nodes), distance: make([]int32, nodes), level: make([]int32, nodes), next: make([]int, nodes),
	}
	for i, a := range arcs {
		f.out[a.from], f.in[a.to] = append(f.out[a.from], int32(i)), append(f.in[a.to], int32(i))
		if asked[i] {
			f.excess[a.from]--
			f.excess[a.to]++
		}
	}
	return f
}

// solve gives the times. It panics where a node that is entered too often cannot reach one that is left too often.
func (f *flow) solve() []int32 {
	for f.distances() {
		for f.levels() {
			clear(f.next)
			for n := range f.excess {
				for f.excess[n] > 0 {
					pushed := f.push(int32(n), f.excess[n])
					if pushed == 0 {
						break
					}
					f.excess[n] -= pushed
				}
			}
		}
	}
	return f.times
}

// reduced is the cost of an arc beyond the potentials; it is never negative where the arc can be taken once more, and 0 where it can be taken
// once less.
func (f *flow) reduced(a arc) int32 { return a.cost + f.potential[a.from] - f.potential[a.to] }

// distances raises the potentials so that some way of reduced cost 0 leads from an excess to a lack; false where nothing is in excess any more.
func (f *flow) distances() bool {
	const far = math.MaxInt32
	buckets := [][]int32{nil}
	for n := range f.excess {
		f.distance[n] = far
		if f.excess[n] > 0 {
			f.distance[n] = 0
			buckets[0] = append(buckets[0], int32(n))
		}
	}
	if len(buckets[0]) == 0 {
		return false
	}
	relax := func(n, d int32) {
		if d < f.distance[n] {
			f.distance[n] = d
			for int(d) >= len(buckets) {
				buckets = append(buckets, nil)
			}
			buckets[d] = append(buckets[d], n)
		}
	}
	for d := int32(0); int(d) < len(buckets); d++ {
		for i := 0; i < len(buckets[d]); i++ {
			n := buckets[d][i]
			if f.distance[n] != d {
				continue
			}
			if f.excess[n] < 0 {
				f.raise(d)
				return true
			}
			for _, k := range f.out[n] {
				relax(f.arcs[k].to, d+f.reduced(f.arcs[k]))
			}
			for _, k := range f.in[n] {
				if f.times[k] > 0 {
					relax(f.arcs[k].from, d-f.reduced(f.arcs[k]))
				}
			}
		}
	}
	panic("paths: a node that is entered more often than left cannot be left") // every node leads to one at rest, and from there to the beginning
}

func (f *flow) raise(most int32) {
	for n := range f.potential {
		f.potential[n] += min(f.distance[n], most)
	}
}

// levels counts arcs of reduced cost 0 from the nodes in excess; false where none that lacks can be reached.
func (f *flow) levels() bool {
	var queue []int32
	for n := range f.level {
		f.level[n] = -1
		if f.excess[n] > 0 {
			f.level[n] = 0
			queue = append(queue, int32(n))
		}
	}
	found := false
	see := func(n, level int32) {
		if f.level[n] < 0 {
			f.level[n] = level
			queue = append(queue, n)
		}
	}
	for i := 0; i < len(queue); i++ {
		n := queue[i]
		found = found || f.excess[n] < 0
		for _, k := range f.out[n] {
			if f.reduced(f.arcs[k]) == 0 {
				see(f.arcs[k].to, f.level[n]+1)
			}
		}
		for _, k := range f.in[n] {
			if f.times[k] > 0 && f.reduced(f.arcs[k]) == 0 {
				see(f.arcs[k].from, f.level[n]+1)
			}
		}
	}
	return found
}

// push sends as much of so much as it can from a node to one that lacks.
func (f *flow) push(n, much int32) int32 {
	if f.excess[n] < 0 {
		sent := min(much, -f.excess[n])
		f.excess[n] += sent
		return sent
	}
	for ; f.next[n] < len(f.out[n])+len(f.in[n]); f.next[n]++ {
		i := f.next[n]
		if i < len(f.out[n]) {
			k := f.out[n][i]
			a := f.arcs[k]
			if f.reduced(a) != 0 || f.level[a.to] != f.level[n]+1 {
				continue
			}
			if sent := f.push(a.to, much); sent > 0 {
				f.times[k] += sent
				return sent
			}
			continue
		}
		k := f.in[n][i-len(f.out[n])]
		a := f.arcs[k]
		if f.times[k] == 0 || f.reduced(a) != 0 || f.level[a.from] != f.level[n]+1 {
			continue
		}
		if sent := f.push(a.from, min(much, f.times[k])); sent > 0 {
			f.times[k] -= sent
			return sent
		}
	}
	return 0
}
