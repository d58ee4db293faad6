package config

import (
	"slices"
	"strings"

	"podlife/tla/diag"
)

// longest is the length of names for which a suggestion is looked for; no keyword is near that.
const longest = 40

// suggest gives the keyword that a name looks like a misspelling of, or "".
func suggest(name string) string {
	upper := strings.ToUpper(name)
	if upper != name && slices.Contains(keywords, upper) {
		return upper
	}
	best, least := "", 3
	for _, w := range keywords {
		if len(w) >= 4 && len(name) >= 4 && len(name) <= longest && w[0] != '_' {
			if d := diag.Distance(upper, w); d > 0 && d < least {
				best, least = w, d
			}
		}
	}
	return best
}

// suggestion is a sentence for an error's help.
func suggestion(name string) string {
	if w := suggest(name); w != "" {
		return "Did you mean the keyword " + w + "?"
	}
	return ""
}
