package value

import (
	"math/big"

	"pgregory.net/rapid"
)

// A typ is a type in the sense in which values of one set have one: all values of one typ can be compared. Untyped model values fit anywhere.
type typ struct {
	kind  Kind
	parts []typ
}

func drawTyp(t *rapid.T, depth int) typ {
	kinds := []Kind{KindBool, KindInt, KindString, KindModel}
	if depth > 0 {
		kinds = append(kinds, KindTuple, KindRecord, KindFunction, KindSet)
	}
	k := rapid.SampledFrom(kinds).Draw(t, "kind")
	ty := typ{kind: k}
	switch k {
	case KindTuple:
		for range rapid.IntRange(1, 3).Draw(t, "length") {
			ty.parts = append(ty.parts, drawTyp(t, depth-1))
		}
	case KindRecord:
		for range len(testFields) {
			ty.parts = append(ty.parts, drawTyp(t, depth-1))
		}
	case KindFunction:
		ty.parts = []typ{drawTyp(t, depth-1), drawTyp(t, depth-1)}
	case KindSet:
		ty.parts = []typ{drawTyp(t, depth-1)}
	}
	return ty
}

var (
	testFields = []string{"x", "name", "busy"}
	testTexts  = []string{"", "a", "b", "aa", "B", "with \"quotes\"", "ü"}
	testModels = []string{"m1", "m2", "m3", "zz"}
)

// drawValue draws a value of a type; sets may come as lazy sets.
func drawValue(t *rapid.T, ty typ) Value {
	if rapid.IntRange(0, 30).Draw(t, "model instead") == 0 {
		return NewModel(rapid.SampledFrom(testModels).Draw(t, "model"))
	}
	switch ty.kind {
	case KindBool:
		return Bool(rapid.Bool().Draw(t, "bool"))
	case KindInt:
		return drawInt(t)
	case KindString:
		return NewString(rapid.SampledFrom(testTexts).Draw(t, "text"))
	case KindModel:
		return NewModel(rapid.SampledFrom(testModels).Draw(t, "model"))
	case KindTuple:
		n := rapid.IntRange(0, len(ty.parts)).Draw(t, "length")
		elems := make([]Value, n)
		for i := range elems {
			elems[i] = drawValue(t, ty.parts[i])
		}
		return NewTuple(elems)
	case KindRecord:
		fields := rapid.Permutation([]int{0, 1, 2}).Draw(t, "fields")[:rapid.IntRange(1, 3).Draw(t, "length")]
		var args, vals []Value
		for _, f := range fields {
			args = append(args, NewString(testFields[f]))
			vals = append(vals, drawValue(t, ty.parts[f]))
		}
		return NewFunction(args, vals)
	case KindFunction:
		args := Elements(drawSet(t, ty.parts[0]))
		vals := make([]Value, len(args))
		for i := range vals {
			vals[i] = drawValue(t, ty.parts[1])
		}
		return NewFunction(args, vals)
	}
	return drawSet(t, ty.parts[0])
}

func drawInt(t *rapid.T) Value {
	switch rapid.IntRange(0, 9).Draw(t, "size of integer") {
	case 0:
		return NewInt(rapid.Int64().Draw(t, "integer"))
	case 1:
		n := new(big.Int).SetBytes(rapid.SliceOfN(rapid.Byte(), 0, 12).Draw(t, "bytes"))
		if rapid.Bool().Draw(t, "negative") {
			n.Neg(n)
		}
		return NewBig(n)
	}
	return NewInt(rapid.Int64Range(-3, 6).Draw(t, "integer"))
}

func drawSet(t *rapid.T, ty typ) Value {
	if ty.kind == KindInt && rapid.IntRange(0, 3).Draw(t, "interval") == 0 {
		lo := rapid.Int64Range(-3, 3).Draw(t, "lo")
		return Interval(NewInt(lo), NewInt(lo+rapid.Int64Range(-1, 3).Draw(t, "more")))
	}
	switch rapid.IntRange(0, 9).Draw(t, "form of set") {
	case 0:
		if ty.kind == KindSet {
			return Powerset(smallSet(t, ty.parts[0]))
		}
	case 1:
		if ty.kind == KindTuple && len(ty.parts) == 2 {
			return Product(smallSet(t, ty.parts[0]), smallSet(t, ty.parts[1]))
		}
	case 2:
		if ty.kind == KindFunction {
			return FunctionSet(smallSet(t, ty.parts[0]), smallSet(t, ty.parts[1]))
		}
	case 3:
		if ty.kind == KindRecord {
			sets := []Value{smallSet(t, ty.parts[0]), smallSet(t, ty.parts[1]), smallSet(t, ty.parts[2])}
			shape := ShapeOf(testFields...)
			inOrder := make([]Value, 3)
			for i, f := range testFields {
				inOrder[shape.Index(f)] = sets[i]
			}
			return RecordSet(shape, inOrder)
		}
	case 4:
		return combine(opCup, smallSet(t, ty), smallSet(t, ty))
	case 5:
		return combine(opDiff, smallSet(t, ty), smallSet(t, ty))
	case 6:
		x := drawValue(t, ty)
		return Filter(smallSet(t, ty), func(v Value) bool { return !Equal(v, x) })
	case 7:
		return UnionOf(NewSet([]Value{smallSet(t, ty), smallSet(t, ty)}))
	}
	return smallSet(t, ty)
}

func smallSet(t *rapid.T, ty typ) *Set {
	elems := make([]Value, rapid.IntRange(0, 3).Draw(t, "size of set"))
	for i := range elems {
		elems[i] = drawValue(t, ty)
	}
	return NewSet(elems)
}
