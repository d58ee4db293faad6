package checker

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestHistoryRemembersEachStep(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := newHistory()
		type record struct{ parent, place int64 }
		var want []record
		initial := rapid.IntRange(1, 2000).Draw(t, "initial")
		for i := range initial {
			h.addInitial(int64(2 * i))
			want = append(want, record{0, int64(2 * i)})
		}
		parent := int64(0)
		for range rapid.IntRange(0, 3*blockSize).Draw(t, "others") {
			parent = min(parent+rapid.Int64Range(0, 3).Draw(t, "delta"), h.count-1)
			place := rapid.Int64Range(0, 1<<40).Draw(t, "place")
			h.add(parent, place)
			want = append(want, record{parent, place})
		}
		for i, w := range want {
			parent, place, isInitial := h.of(int64(i))
			if place != w.place || isInitial != (i < initial) || !isInitial && parent != w.parent {
				t.Fatalf("state %d of %d: got %d, %d, %t, want %+v", i, len(want), parent, place, isInitial, w)
			}
		}
	})
}

func TestPathLeadsFromAnInitialState(t *testing.T) {
	h := newHistory()
	h.addInitial(0)
	h.addInitial(5)
	h.add(1, 7) // state 2
	h.add(1, 8)
	h.add(2, 1) // state 4
	if got, want := h.path(4), []int64{5, 7, 1}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
