package traces

// Shrink gives a plan, or a path of other steps, that still fails and from which no single operation can be left out, or the shortest that it found with so many tries. fails must not be asked about a plan that it cannot
// run: Runner.Run leaves out what does not fit.
func Shrink[P ~[]Op, Op any](plan P, tries int, fails func(P) bool) P {
	for size := max(1, len(plan)/2); size >= 1; {
		shorter, found := without(plan, size, &tries, fails)
		plan = shorter
		switch {
		case tries <= 0:
			return plan
		case found:
			size = min(size, max(1, len(plan)/2)) // the same size once more: what was needed for another operation may not be any more
		case size == 1:
			return plan
		default:
			size /= 2
		}
	}
	return plan
}

// without leaves out every run of so many operations whose lack still fails.
func without[P ~[]Op, Op any](plan P, size int, tries *int, fails func(P) bool) (shorter P, found bool) {
	for at := 0; at < len(plan) && *tries > 0; {
		candidate := append(append(P(nil), plan[:at]...), plan[min(len(plan), at+size):]...)
		*tries--
		if len(candidate) > 0 && fails(candidate) {
			plan, found = candidate, true
			continue
		}
		at += size
	}
	return plan, found
}
