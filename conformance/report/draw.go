package report

import (
	"fmt"
	"slices"
)

// The layout, in pixels: a level is a row, edges run down between the rows, and those that lead back or sideways go from side to side.
const (
	nodeWidth  = 196
	nodeHeight = 42
	gapX       = 44
	gapY       = 84
	edgeMargin = 40
	sweeps     = 8
)

// layOut places nodes and edges. The rows are ordered by the places of their neighbours, which keeps crossings few.
func (g *Graph) layOut() {
	rows := g.rows()
	widest := 0
	for _, row := range rows {
		widest = max(widest, len(row))
	}
	g.Width = 2*edgeMargin + widest*(nodeWidth+gapX) + gapX
	g.Height = 2*edgeMargin + len(rows)*nodeHeight + max(0, len(rows)-1)*gapY
	for level, row := range rows {
		left := (g.Width - len(row)*(nodeWidth+gapX) + gapX) / 2
		for place, n := range row {
			g.Nodes[n].X = left + place*(nodeWidth+gapX)
			g.Nodes[n].Y = edgeMargin + level*(nodeHeight+gapY)
		}
	}
	g.route()
}

// rows gives the numbers of the nodes of each level, in order.
func (g *Graph) rows() [][]int {
	var rows [][]int
	for n, node := range g.Nodes {
		for len(rows) <= node.Level {
			rows = append(rows, nil)
		}
		rows[node.Level] = append(rows[node.Level], n)
	}
	place := make([]float64, len(g.Nodes))
	settle := func(row []int) {
		for i, n := range row {
			place[n] = float64(i) - float64(len(row)-1)/2
		}
	}
	for _, row := range rows {
		settle(row)
	}
	for sweep := range sweeps {
		for i := range rows {
			row := rows[i]
			if sweep%2 == 1 {
				row = rows[len(rows)-1-i]
			}
			middle := map[int]float64{}
			for _, n := range row {
				middle[n] = g.middle(n, place)
			}
			slices.SortStableFunc(row, func(a, b int) int {
				switch {
				case middle[a] < middle[b]:
					return -1
				case middle[a] > middle[b]:
					return 1
				}
				return 0
			})
			settle(row)
		}
	}
	return rows
}

// middle is where a node's neighbours on other levels are, on the average.
func (g *Graph) middle(n int, place []float64) float64 {
	sum, count := 0.0, 0
	for _, e := range g.Edges {
		other := e.From
		if e.From == n {
			other = e.To
		} else if e.To != n {
			continue
		}
		if g.Nodes[other].Level != g.Nodes[n].Level {
			sum, count = sum+place[other], count+1
		}
	}
	if count == 0 {
		return place[n]
	}
	return sum / float64(count)
}

// route draws each edge between ports of its own, so that edges of the same two nodes are apart.
func (g *Graph) route() {
	down := func(e Edge) bool { return g.Nodes[e.To].Level > g.Nodes[e.From].Level }
	out, in := g.ports(func(e Edge) (int, int, bool) { return e.From, g.Nodes[e.To].X, down(e) }), g.ports(func(e Edge) (int, int, bool) { return e.To, g.Nodes[e.From].X, down(e) })
	back, home := g.ports(func(e Edge) (int, int, bool) { return e.From, g.Nodes[e.To].Y, !down(e) }), g.ports(func(e Edge) (int, int, bool) { return e.To, g.Nodes[e.From].Y, !down(e) })
	for i := range g.Edges {
		e := &g.Edges[i]
		from, to := g.Nodes[e.From], g.Nodes[e.To]
		if down(*e) {
			x1, y1 := from.X+int(out[i]*nodeWidth), from.Y+nodeHeight
			x2, y2 := to.X+int(in[i]*nodeWidth), to.Y
			bend := (y2 - y1) / 2
			e.Path = fmt.Sprintf("M%d %dC%d %d %d %d %d %d", x1, y1, x1, y1+bend, x2, y2-bend, x2, y2)
			continue
		}
		y1, y2 := from.Y+int(back[i]*nodeHeight), to.Y+int(home[i]*nodeHeight)
		x1, x2, reach := from.X, to.X, 24+14*(from.Level-to.Level)
		switch { // the sides that face each other; of nodes above each other the right ones
		case to.X > from.X:
			x1 += nodeWidth
			e.Path = fmt.Sprintf("M%d %dC%d %d %d %d %d %d", x1, y1, x1+reach, y1, x2-reach, y2, x2, y2)
		case to.X < from.X:
			x2 += nodeWidth
			e.Path = fmt.Sprintf("M%d %dC%d %d %d %d %d %d", x1, y1, x1-reach, y1, x2+reach, y2, x2, y2)
		default:
			x1, x2 = x1+nodeWidth, x2+nodeWidth
			side := min(x1+reach, g.Width-4)
			e.Path = fmt.Sprintf("M%d %dC%d %d %d %d %d %d", x1, y1, side, y1, side, y2, x2, y2)
		}
	}
}

// ports spreads the edges of each node that of picks over one of its sides, in the order of where they lead to: a fraction of the side for each edge.
func (g *Graph) ports(of func(Edge) (node, towards int, is bool)) []float64 {
	at := make([]float64, len(g.Edges))
	byNode := map[int][]int{}
	for i, e := range g.Edges {
		if n, _, is := of(e); is {
			byNode[n] = append(byNode[n], i)
		}
	}
	for _, edges := range byNode {
		slices.SortStableFunc(edges, func(a, b int) int {
			_, x, _ := of(g.Edges[a])
			_, y, _ := of(g.Edges[b])
			return x - y
		})
		for place, i := range edges {
			at[i] = float64(place+1) / float64(len(edges)+1)
		}
	}
	return at
}
