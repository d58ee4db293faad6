package eval

import (
	"testing"

	"podlife/tla/module"
)

// A builtin that is new says whether it needs its arguments before one of them is evaluated sooner than it should be.
func TestEachBuiltinSaysWhatItNeeds(t *testing.T) {
	none := module.BuiltinNone.String()
	n := 0
	for op := module.BuiltinNone; op < 1000; op++ {
		named := op.String() != none
		if named {
			n++
		}
		if _, known := builtinNeeds(op); known != named {
			t.Errorf("%d (%s): known %t", op, op, known)
		}
	}
	if n == 0 {
		t.Error("no builtin has a name")
	}
}
