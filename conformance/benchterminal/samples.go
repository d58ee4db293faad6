package main

import (
	"fmt"
	"slices"
	"time"
)

// samples of one kind of wait.
type samples []time.Duration

// at gives the percentile p, 0 to 100: the smallest sample that so many of a hundred do not exceed. 0 where there are none.
func (s samples) at(p int) time.Duration {
	if len(s) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(s))
	rank := (len(sorted)*p + 99) / 100
	return sorted[max(rank, 1)-1]
}

// String gives what is shown of them.
func (s samples) String() string {
	if len(s) == 0 {
		return "-"
	}
	return fmt.Sprintf("p50 %s, p99 %s (%d)", shown(s.at(50)), shown(s.at(99)), len(s))
}

// shown is a time in milliseconds.
func shown(d time.Duration) string {
	ms := float64(d) / float64(time.Millisecond)
	if ms < 10 && ms > -10 {
		return fmt.Sprintf("%.2f ms", ms)
	}
	return fmt.Sprintf("%.0f ms", ms)
}

// ratio divides, and says nothing of a division by nothing.
func ratio(ours, peer float64) float64 {
	if peer == 0 {
		return 0
	}
	return ours / peer
}

// median of numbers; 0 where there are none.
func median(all []float64) float64 {
	if len(all) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(all))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}
