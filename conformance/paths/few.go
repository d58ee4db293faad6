package paths

import (
	"maps"
	"slices"
)

// few makes few paths that together show the features: each goes to the nearest step that shows one which is still to be shown, from there to the
// next, and ends where none is near or it is long enough. The graph is looked at only where the paths come.
type few struct {
	g    *Graph
	left map[feature]bool // to be shown
}

const (
	near    = 4_000  // places that a search looks at
	far     = 60_000 // and one from the beginning, if nothing was near
	longest = 120    // steps after which a path is not continued
	atMost  = 100    // paths
)

// paths makes them; what could not be shown is in left afterwards.
func (f *few) paths() (paths []Path) {
	wanted := maps.Clone(f.left)
	var walks [][]way
	for len(f.left) > 0 && len(walks) < atMost {
		walk := f.walk()
		if len(walk) == 0 {
			break
		}
		walks = append(walks, walk)
	}
	for _, w := range f.needed(walks, wanted) {
		edges := make([]int32, len(w))
		for i := range w {
			edges[i] = w[i].edge
		}
		paths = append(paths, f.g.path(edges))
	}
	return paths
}

// needed leaves walks out that show nothing which no other shows, the shortest first.
func (f *few) needed(walks [][]way, wanted map[feature]bool) [][]way {
	times := map[int32]int{}
	sets := make([]map[int32]bool, len(walks))
	for i, walk := range walks {
		sets[i] = map[int32]bool{}
		for _, w := range walk {
			for _, list := range f.g.shown(w) {
				for _, id := range list {
					if wanted[f.g.marks.names[id]] {
						sets[i][id] = true
					}
				}
			}
		}
		for id := range sets[i] {
			times[id]++
		}
	}
	order := make([]int, len(walks))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return len(walks[a]) - len(walks[b]) })
	without := make([]bool, len(walks))
	for _, i := range order {
		without[i] = true
		for id := range sets[i] {
			without[i] = without[i] && times[id] > 1
		}
		if without[i] {
			for id := range sets[i] {
				times[id]--
			}
		}
	}
	var kept [][]way
	for i, walk := range walks {
		if !without[i] {
			kept = append(kept, walk)
		}
	}
	return kept
}

func (f *few) walk() (walk []way) {
	at := int32(0)
	for len(walk) < longest {
		more := f.nearest(at, f.shows, near, f.price)
		if more == nil && at == 0 {
			more = f.nearest(at, f.shows, far, func(way) int { return 1 })
		}
		if more == nil {
			break
		}
		walk, at = f.append(walk, more), more[len(more)-1].to
	}
	if len(walk) == 0 || f.g.atRest(at) {
		return walk
	}
	return f.append(walk, f.nearest(at, func(w way) bool { return f.g.atRest(w.to) }, near, f.price))
}

func (f *few) shows(w way) bool {
	for _, list := range f.g.shown(w) {
		for _, id := range list {
			if f.left[f.g.marks.names[id]] {
				return true
			}
		}
	}
	return false
}

// append makes a walk longer, and takes what is shown by that out of what is left.
func (f *few) append(walk, more []way) []way {
	for _, w := range more {
		walk = append(walk, w)
		for _, list := range f.g.shown(w) {
			for _, id := range list {
				delete(f.left, f.g.marks.names[id])
			}
		}
	}
	return walk
}

// price is what a step costs a search: crashes and the ends of incarnations, of which there are few in a path, are kept for when nothing else is near.
func (f *few) price(w way) int {
	e := f.g.edges[w.edge]
	switch before, after := f.g.states[e.from].Pod(), f.g.states[e.to].Pod(); {
	case after.Crashes > before.Crashes:
		return 40
	case before.Awake() && !after.Awake():
		return 10
	}
	return 1
}

// nearest gives the cheapest way from a place to and along a step that is wanted, of those to so many places; nil is none.
func (f *few) nearest(at int32, wanted func(way) bool, most int, price func(way) int) []way {
	type found struct {
		from    int32
		by      way
		cost    int
		settled bool
	}
	seen := map[int32]found{at: {}}
	buckets := [][]way{{{to: at}}}
	looked := 0
	for cost := 0; cost < len(buckets) && looked < most; cost++ {
		for i := 0; i < len(buckets[cost]); i++ {
			n := buckets[cost][i].to
			now := seen[n]
			if now.settled || now.cost != cost {
				continue
			}
			now.settled = true
			seen[n] = now
			looked++
			for _, w := range f.g.from(n) {
				if wanted(w) {
					all := []way{w}
					for ; n != at; n = seen[n].from {
						all = append(all, seen[n].by)
					}
					slices.Reverse(all)
					return all
				}
				old, known := seen[w.to]
				d := cost + price(w)
				if known && (old.settled || old.cost <= d) {
					continue
				}
				seen[w.to] = found{from: n, by: w, cost: d}
				for len(buckets) <= d {
					buckets = append(buckets, nil)
				}
				buckets[d] = append(buckets[d], w)
			}
		}
	}
	return nil
}
