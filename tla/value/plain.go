package value

// The operations without anybody to stop them; see Work.

// Apply is Work.Apply: f[x].
func Apply(f, x Value) Value {
	return (*Work)(nil).Apply(f, x)
}

// Cardinality is Work.Cardinality: the number of elements.
func Cardinality(s Value) Value {
	return (*Work)(nil).Cardinality(s)
}

// Compare is Work.Compare: the order of two values.
func Compare(a, b Value) int {
	return (*Work)(nil).Compare(a, b)
}

// Difference is Work.Difference: a \ b.
func Difference(a, b Value) Value {
	return (*Work)(nil).Difference(a, b)
}

// Elements is Work.Elements: the elements, sorted.
func Elements(s Value) []Value {
	return (*Work)(nil).Elements(s)
}

// Enumerate is Work.Enumerate: TLC's order of the elements.
func Enumerate(s Value, yield func(Value) bool) bool {
	return (*Work)(nil).Enumerate(s, yield)
}

// EnumerateSorted is Work.EnumerateSorted: the sorted order of the elements.
func EnumerateSorted(s Value, yield func(Value) bool) bool {
	return (*Work)(nil).EnumerateSorted(s, yield)
}

// Equal is Work.Equal: a = b.
func Equal(a, b Value) bool {
	return (*Work)(nil).Equal(a, b)
}

// Except is Work.Except: [f EXCEPT ...].
func Except(f Value, path []Value, update func(old Value) Value) Value {
	return (*Work)(nil).Except(f, path, update)
}

// Field is Work.Field: r.name.
func Field(r Value, name *Str) Value {
	return (*Work)(nil).Field(r, name)
}

// Hash is Work.Hash: the fingerprint.
func Hash(v Value) uint64 {
	return (*Work)(nil).Hash(v)
}

// Intersect is Work.Intersect: a \cap b.
func Intersect(a, b Value) Value {
	return (*Work)(nil).Intersect(a, b)
}

// IsFinite is Work.IsFinite: whether a set is finite.
func IsFinite(s Value) bool {
	return (*Work)(nil).IsFinite(s)
}

// Member is Work.Member: x \in s.
func Member(x, s Value) bool {
	return (*Work)(nil).Member(x, s)
}

// MemberOfList is Work.MemberOfList: x \in {elems...}.
func MemberOfList(x Value, elems []Value) bool {
	return (*Work)(nil).MemberOfList(x, elems)
}

// Normalize is Work.Normalize: the value without anything lazy inside.
func Normalize(v Value) Value {
	return (*Work)(nil).Normalize(v)
}

// Subset is Work.Subset: a \subseteq b.
func Subset(a, b Value) bool {
	return (*Work)(nil).Subset(a, b)
}

// TryExcept is Work.TryExcept: Except that tells whether the path stayed inside the domains.
func TryExcept(f Value, path []Value, update func(old Value) Value) (result Value, ok bool) {
	return (*Work)(nil).TryExcept(f, path, update)
}

// Union is Work.Union: a \cup b.
func Union(a, b Value) Value {
	return (*Work)(nil).Union(a, b)
}

// UnionOf is Work.UnionOf: UNION s.
func UnionOf(s Value) Value {
	return (*Work)(nil).UnionOf(s)
}

func factsOf(v Value, depth int) uint32 {
	return (*Work)(nil).factsOf(v, depth)
}

func hash(v Value, depth int) uint64 {
	return (*Work)(nil).hash(v, depth)
}

func hashAll(seed uint64, elems []Value, depth int) uint64 {
	return (*Work)(nil).hashAll(seed, elems, depth)
}

func isSorted(elems []Value) bool {
	return (*Work)(nil).isSorted(elems)
}

func search(sorted []Value, x Value) int {
	return (*Work)(nil).search(sorted, x)
}

func sortElems(elems []Value) []Value {
	return (*Work)(nil).sortElems(elems)
}
