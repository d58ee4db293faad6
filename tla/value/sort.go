package value

import "slices"

// sortElems sorts a list in place and removes doubles.
func (w *Work) sortElems(elems []Value) []Value {
	if w.isSorted(elems) {
		return elems
	}
	if len(elems) <= 16 {
		return w.insertionSort(elems)
	}
	w.sortLarge(elems)
	n := 1
	for i := 1; i < len(elems); i++ {
		if w.Compare(elems[n-1], elems[i]) != 0 {
			elems[n] = elems[i]
			n++
		}
	}
	clear(elems[n:])
	return elems[:n]
}

func (w *Work) isSorted(elems []Value) bool {
	w.Spend(len(elems))
	for i := 1; i < len(elems); i++ {
		if w.Compare(elems[i], elems[i-1]) <= 0 {
			return false
		}
	}
	return true
}

// insertionSort finds the place of one element after the other by halving, and compares in the direction in which TLC does, so that it refuses
// the same elements.
func (w *Work) insertionSort(elems []Value) []Value {
	n := 1
next:
	for _, x := range elems[1:] {
		lo, hi := 0, n
		for lo < hi {
			mid := int(uint(lo+hi) >> 1)
			switch c := w.Compare(x, elems[mid]); {
			case c == 0:
				continue next
			case c < 0:
				hi = mid
			default:
				lo = mid + 1
			}
		}
		copy(elems[lo+1:n+1], elems[lo:n])
		elems[lo] = x
		n++
	}
	clear(elems[n:])
	return elems[:n]
}

// sortLarge sorts many elements; lists of one simple kind without looking at the kind each time.
func (w *Work) sortLarge(elems []Value) {
	if allOf[Int](elems) {
		slices.SortFunc(elems, func(a, b Value) int {
			w.Spend(1)
			x, y := a.(Int), b.(Int)
			switch {
			case x < y:
				return -1
			case x > y:
				return 1
			}
			return 0
		})
		return
	}
	if allOf[*Str](elems) {
		slices.SortFunc(elems, func(a, b Value) int {
			w.Spend(1)
			return compareText(a.(*Str), b.(*Str))
		})
		return
	}
	slices.SortFunc(elems, func(a, b Value) int {
		w.Spend(1)
		return w.Compare(a, b)
	})
}

func allOf[T Value](elems []Value) bool {
	for _, e := range elems {
		if _, ok := e.(T); !ok {
			return false
		}
	}
	return true
}
