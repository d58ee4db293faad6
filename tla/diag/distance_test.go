package diag

import "testing"

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0},
		{"Init", "init", 0},  // the other case
		{"Next", "Nxet", 1},  // swapped
		{"Next", "Nest", 1},  // replaced
		{"Next", "Nexts", 1}, // one more
		{"Next", "ext", 1},   // one less
		{"", "Next", 4},
		{"abc", "xyz", 3},
	} {
		if got := Distance(c.a, c.b); got != c.want {
			t.Errorf("from %q to %q: got %d, want %d", c.a, c.b, got, c.want)
		}
		if got := Distance(c.b, c.a); got != c.want {
			t.Errorf("from %q to %q: got %d, want %d", c.b, c.a, got, c.want)
		}
	}
}
