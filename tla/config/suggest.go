package config

import (
	"slices"
	"strings"
)

// Suggest gives the keyword that a name looks like a misspelling of, or "". A misspelt keyword inside a list of names reads as one more name; package eval uses this
// for its error about a name that is not defined.
func Suggest(name string) string {
	upper := strings.ToUpper(name)
	if upper != name && slices.Contains(keywords, upper) {
		return upper
	}
	best, least := "", 3
	for _, w := range keywords {
		if len(w) >= 4 && len(name) >= 4 && w[0] != '_' {
			if d := distance(upper, w); d > 0 && d < least {
				best, least = w, d
			}
		}
	}
	return best
}

// suggestion is a sentence for an error's help.
func suggestion(name string) string {
	if w := Suggest(name); w != "" {
		return "Did you mean the keyword " + w + "?"
	}
	return ""
}

// distance counts the letters to change, add, leave out, or exchange with their neighbour, to get from a to b. Names longer than 40 bytes are far from everything.
func distance(a, b string) int {
	if len(a) > 40 || len(b) > 40 {
		return 1000
	}
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
