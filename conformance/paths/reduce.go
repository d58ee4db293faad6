package paths

import (
	"cmp"
	"math"
	"slices"

	"podlife/model/podruntime"
)

// Two states from which a server can do the same are one here. What is forgotten is history (Done, Woken), which no guard reads and of which no
// effect makes anything but history, so that forgetting it is a bisimulation; and tabs are told apart by nothing but what they do, so that they
// are put into an order. That merged states have the same steps into merged states is tested in every state of the small configurations.

// reduced gives the one state that stands for s, and for each of its tabs which tab of s it is.
func reduced(s podruntime.State, tabs int) (podruntime.State, [podruntime.MaxTabs]int) {
	was := [podruntime.MaxTabs]int{0, 1, 2}
	clients := s.Tabs(tabs)
	order := was[:tabs]
	slices.SortStableFunc(order, func(i, j int) int { return compareTabs(clients[i], clients[j]) })
	sorted := make([]podruntime.Client, tabs)
	for i, from := range order {
		sorted[i] = clients[from]
	}
	return podruntime.Pack(s.Pod().ForgetHistory(math.MaxInt), sorted...), was
}

func compareTabs(a, b podruntime.Client) int {
	return cmp.Or(
		cmp.Compare(a.Phase, b.Phase), cmp.Compare(a.BootInc, b.BootInc), cmp.Compare(a.AttInc, b.AttInc),
		cmp.Compare(a.Term.At, b.Term.At), cmp.Compare(a.Term.Inc, b.Term.Inc),
	)
}
