package value

// Work lets operations on values be stopped that may take longer than anybody wants to wait: a set that is enumerated, two values that are compared and
// share so much that going through them is exponential. Its methods are the operations, and the functions of the same names are those that nobody stops.
//
// A Work belongs to one goroutine. nil is one that nobody stops.
type Work struct {
	// Stop is called now and then, at least every few milliseconds. It panics to end the operation; no value is left half made by that.
	Stop func()
	left int
}

// untilLook is how many steps, each about as long as a comparison of two integers or an allocation, go by between two calls of Stop.
const untilLook = 1 << 14

// Spend counts n steps.
func (w *Work) Spend(n int) {
	if w != nil {
		if w.left -= n; w.left < 0 {
			w.look()
		}
	}
}

func (w *Work) look() {
	w.left = untilLook
	w.Stop()
}

// NewSet is the function NewSet that can be stopped.
func (w *Work) NewSet(elems []Value) *Set {
	tooMany(len(elems))
	if len(elems) == 0 {
		return emptySet
	}
	return &Set{elems: w.sortElems(elems)}
}
