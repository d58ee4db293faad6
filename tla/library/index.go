package library

import (
	"slices"

	"podlife/tla/value"
)

// An index finds values among those of a sorted slice without doubles.
type index struct{ elems []value.Value }

func newIndex(sorted []value.Value) index { return index{sorted} }

// of gives the place of x, or -1. It raises for a value that TLC does not compare with them.
func (ix index) of(x value.Value) int {
	i, ok := slices.BinarySearchFunc(ix.elems, x, value.Compare)
	if !ok {
		return -1
	}
	return i
}
