package module

import "podlife/tla/diag"

// nearest gives the candidate that is most like name, or "" where none is so alike that it could be a slip of the pen: one letter in three may
// be wrong.
func nearest(name string, candidates []string) string {
	best, bestDistance := "", len(name)/3+1
	for _, c := range candidates {
		if c == name || abs(len(c)-len(name)) >= bestDistance {
			continue
		}
		if d := diag.Distance(name, c); d < bestDistance || d == bestDistance && best != "" && c < best {
			best, bestDistance = c, d
		}
	}
	return best
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}
