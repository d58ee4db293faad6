package library

import (
	"math"
	"strings"

	"podlife/tla/value"
)

// svg is the module SVG.
func svg(t table) {
	t.fixed("SVG", "SVGElemToString", 1, func(_ *Env, args []value.Value) value.Value {
		var out strings.Builder
		writeElement(&out, args[0], 0)
		return value.NewString(out.String())
	})
	t.fixed("SVG", "NodeOfRingNetwork", 5, func(_ *Env, args []value.Value) value.Value {
		const op = "NodeOfRingNetwork"
		cx, cy := smallInteger(op, "first", args[0]), smallInteger(op, "second", args[1])
		r, n, m := smallInteger(op, "third", args[2]), smallInteger(op, "fourth", args[3]), smallInteger(op, "fifth", args[4])
		return onCircle(float64(cx), float64(cy), float64(r), float64(r), n, m)
	})
	t.fixed("SVG", "NodesOfDirectedMultiGraph", 3, layout)
	t.fixed("SVG", "PointOnLine", 3, func(_ *Env, args []value.Value) value.Value {
		const op = "PointOnLine"
		from, to := record(op, "first", args[0]), record(op, "second", args[1])
		segment := smallInteger(op, "third", args[2])
		if segment == 0 {
			value.Raise(value.CodeArithmetic, "%s: the third argument is 0", op)
		}
		along := func(name string) value.Value {
			a := float64(smallInteger(op, "first", field(op, "first", from, name)))
			b := float64(smallInteger(op, "second", field(op, "second", to, name)))
			return value.NewInt(int64(a + (b-a)/float64(segment)))
		}
		return point(along("x"), along("y"))
	})
}

func point(x, y value.Value) value.Value {
	shape := value.ShapeOf("x", "y")
	vals := make([]value.Value, 2)
	vals[shape.Index("x")], vals[shape.Index("y")] = x, y
	return value.NewRecord(shape, vals)
}

// onCircle is the n-th of m points on an ellipse, rounded towards 0.
func onCircle(cx, cy, rx, ry float64, n, m int64) value.Value {
	if m == 0 {
		value.Raise(value.CodeArithmetic, "a ring of 0 nodes has no nodes")
	}
	angle := 2 * math.Pi / float64(m) * float64(n)
	return point(value.NewInt(int64(cx+rx*math.Cos(angle))), value.NewInt(int64(cy+ry*math.Sin(angle))))
}

// layout places the nodes of a graph. TLC asks a library for a layout by the name of an algorithm; here, all of them stand in a ring inside the view.
func layout(_ *Env, args []value.Value) value.Value {
	const op = "NodesOfDirectedMultiGraph"
	nodes := setOf(op, "first", args[0])
	setOf(op, "second", args[1])
	options := record(op, "third", args[2])
	size := func(name string) float64 {
		return float64(natural(op, "third", field(op, "third", options, name)))
	}
	rx, ry := size("view_width")/2, size("view_height")/2
	places := make([]value.Value, len(nodes))
	for i := range nodes {
		places[i] = onCircle(rx, ry, rx*0.8, ry*0.8, int64(i), int64(len(nodes)))
	}
	return value.FunctionOn(args[0], places)
}

// writeElement writes an element and what is inside of it.
func writeElement(out *strings.Builder, v value.Value, depth int) {
	const op = "SVGElemToString"
	if depth > maxJSONDepth {
		value.Raise(value.CodeTooLarge, "%s: elements are nested more than %d levels deep", op, maxJSONDepth)
	}
	elem := record(op, "first", v)
	name := text(op, "first", field(op, "first", elem, "name"))
	out.WriteString("<" + name)
	names, vals := function(op, "first", field(op, "first", elem, "attrs"))
	for i, n := range names {
		// In TLA+, a field's name cannot have a "-".
		out.WriteString(" " + strings.ReplaceAll(text(op, "first", n), "_", "-") + "='" + text(op, "first", vals[i]) + "'")
	}
	out.WriteString(">")
	inner := text(op, "first", field(op, "first", elem, "innerText"))
	out.WriteString(strings.NewReplacer("<<", "&lt;&lt;", ">>", "&gt;&gt;").Replace(inner))
	_, children := function(op, "first", field(op, "first", elem, "children"))
	for _, c := range children {
		writeElement(out, c, depth+1)
	}
	out.WriteString("</" + name + ">")
}
