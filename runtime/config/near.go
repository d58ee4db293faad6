package config

import (
	"fmt"
	"strings"
)

// nearest gives the setting whose name is closest to a name that is none, or "" when none is close.
func nearest(key string) string {
	best, dist := "", 3
	for _, name := range names() {
		if d := Distance(plain(key), plain(name)); d < dist && d < len(plain(key)) {
			best, dist = name, d
		}
	}
	return best
}

// hint words that for an error.
func hint(key string) string {
	if best := nearest(key); best != "" {
		return fmt.Sprintf("; did you mean %s?", best)
	}
	return "; podlife serve --help lists them"
}

func names() []string {
	n := []string{"users"}
	for _, s := range Settings() {
		n = append(n, s.Key)
	}
	return n
}

// plain takes away what people mix up: case, and how words are joined.
func plain(s string) string {
	return strings.NewReplacer("_", "", "-", "", ".", "", " ", "").Replace(strings.ToLower(s))
}

// Distance is Levenshtein's, over bytes: how many have to be changed, added or left out to make one of the other. It is 64 where either is longer than that.
func Distance(a, b string) int {
	if len(a) > 64 || len(b) > 64 {
		return 64
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}
