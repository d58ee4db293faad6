package mirror

import (
	"context"

	"podlife/model"
	"podlife/model/podlifecycle"
	"podlife/tla/module"
)

// A Design is one choice of constants for which tla/PodLifecycle.tla and the table are held against each other.
type Design struct {
	Name string
	podlifecycle.Constants
	Clients int
	// Every compares in every state whose incarnations go up to one more than MaxInc, reachable or not.
	Every bool
}

// Designs are those that `make check` compares: both designs, each once in the states that it reaches, and once, for fewer clients and
// incarnations, in every state there is. A guard that is wrong where no right table gets shows only in the latter.
func Designs() []Design {
	return []Design{
		{"guarded", podlifecycle.Constants{MaxInc: 3, GuardedAttach: true}, 2, false},
		{"unguarded", podlifecycle.Constants{MaxInc: 3, GuardedAttach: false}, 2, false},
		{"guarded, every state", podlifecycle.Constants{MaxInc: 2, GuardedAttach: true}, 1, true},
		{"unguarded, every state", podlifecycle.Constants{MaxInc: 2, GuardedAttach: false}, 1, true},
	}
}

// Compare holds the specification, read as m, against a table. The error is as those of [PodLifecycle] and [Pair.Compare].
func (d Design) Compare(ctx context.Context, m *module.Module, table func(podlifecycle.Constants) model.Table[podlifecycle.Local]) (Report, error) {
	pair, err := PodLifecycle(m, table(d.Constants), d.Constants, d.Clients)
	if err != nil {
		return Report{}, err
	}
	var opts Options[podlifecycle.State]
	if d.Every {
		opts.States = everyState(d.MaxInc+1, d.Clients)
	}
	return pair.Compare(ctx, opts)
}

// everyState gives every combination of the states' parts, with incarnations from 0 to last.
func everyState(last, clients int) []podlifecycle.State {
	var each []podlifecycle.Client
	for phase := podlifecycle.Idle; phase <= podlifecycle.Attached; phase++ {
		for n := range (last + 1) * (last + 1) {
			each = append(each, podlifecycle.Client{Phase: phase, BootInc: n % (last + 1), AttInc: n / (last + 1)})
		}
	}
	combined := [][]podlifecycle.Client{nil}
	for range clients {
		var longer [][]podlifecycle.Client
		for _, some := range combined {
			for _, c := range each {
				longer = append(longer, append(some[:len(some):len(some)], c))
			}
		}
		combined = longer
	}
	var all []podlifecycle.State
	for ctr := podlifecycle.Asleep; ctr <= podlifecycle.Ready; ctr++ {
		for inc := range last + 1 {
			for _, some := range combined {
				all = append(all, podlifecycle.Pack(podlifecycle.Pod{Ctr: ctr, Inc: inc}, some...))
			}
		}
	}
	return all
}
