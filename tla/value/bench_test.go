package value

import (
	"fmt"
	"testing"
)

// pods is a function of records as the lifecycle specification's state has: a dozen fields for each of three pods.
func pods() (f Value, pod, field Value) {
	fields := []string{"desired", "observed", "container", "volume", "generation", "retries", "boot", "terminal", "error"}
	shape := ShapeOf(fields...)
	args, vals := make([]Value, 3), make([]Value, 3)
	for i := range args {
		args[i] = NewModel(fmt.Sprintf("pod%d", i))
		rec := make([]Value, len(fields))
		for j := range rec {
			rec[j] = NewString(fields[(i+j)%len(fields)])
		}
		rec[4] = NewInt(int64(i))
		vals[i] = NewRecord(shape, rec)
	}
	return NewFunction(args, vals), args[1], NewString("generation")
}

func BenchmarkExcept(b *testing.B) {
	f, pod, field := pods()
	b.ReportAllocs()
	for b.Loop() {
		path := [...]Value{pod, field}
		Except(f, path[:], func(old Value) Value { return NewInt(int64(old.(Int)) + 1) })
	}
}

func BenchmarkExceptHash(b *testing.B) {
	f, pod, field := pods()
	Hash(f)
	b.ReportAllocs()
	for b.Loop() {
		path := [...]Value{pod, field}
		Hash(Except(f, path[:], func(old Value) Value { return NewInt(int64(old.(Int)) + 1) }))
	}
}

func BenchmarkHashRecord(b *testing.B) {
	f, pod, _ := pods()
	r := Apply(f, pod).(*Record)
	Hash(r)
	b.ReportAllocs()
	for b.Loop() {
		r.memo.hash.Store(0)
		Hash(r)
	}
}

func BenchmarkHashSmall(b *testing.B) {
	vals := []Value{NewInt(5), NewString("a"), Bool(true), NewModel("m")}
	var h uint64
	for b.Loop() {
		for _, v := range vals {
			h += Hash(v)
		}
	}
}

func BenchmarkInsert(b *testing.B) {
	for _, n := range []int{1, 4, 16, 256} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var elems []Value
			for i := range n {
				elems = append(elems, TupleOf(NewModel("m"), NewInt(int64(2*i))))
			}
			s, x := NewSet(elems), SetOf(TupleOf(NewModel("m"), NewInt(int64(n)|1)))
			b.ReportAllocs()
			for b.Loop() {
				Union(s, x)
			}
		})
	}
}

func BenchmarkAppendTuple(b *testing.B) {
	t := TupleOf(NewInt(1), NewInt(2), NewInt(3))
	b.ReportAllocs()
	for b.Loop() {
		t.Append(NewInt(4))
	}
}

func BenchmarkCompareRecords(b *testing.B) {
	f, pod, field := pods()
	g := Except(f, []Value{pod, field}, func(Value) Value { return NewInt(77) })
	b.ReportAllocs()
	for b.Loop() {
		Compare(f, g)
	}
}

func BenchmarkCalibrate(b *testing.B) {
	var sink *[8]Value
	b.ReportAllocs()
	for b.Loop() {
		sink = new([8]Value)
	}
	_ = sink
}

func BenchmarkSubsetsOf15(b *testing.B) {
	p := Powerset(Interval(NewInt(1), NewInt(15)))
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		Enumerate(p, func(Value) bool { n++; return true })
		if n != 1<<15 {
			b.Fatal(n)
		}
	}
}

func BenchmarkNewSetOfInts(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		elems := make([]Value, 100)
		for i := range elems {
			elems[i] = NewInt(int64(i * 37 % 100))
		}
		NewSet(elems)
	}
}

func BenchmarkCodec(b *testing.B) {
	f, _, _ := pods()
	var buf []byte
	b.Run("append", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			buf = Append(buf[:0], f)
		}
		b.ReportMetric(float64(len(buf)), "bytes")
	})
	b.Run("decode", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, _, err := Decode(buf); err != nil {
				b.Fatal(err)
			}
		}
	})
}
