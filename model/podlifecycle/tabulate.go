package podlifecycle

import (
	"fmt"

	"podlife/model"
)

// A tabulation is a table's guards, effects and invariants evaluated once for every local state, so that a big exploration looks a
// successor up instead of computing it again. It is made by calling the table's own functions: there is no second copy of an
// action.
type tabulation struct {
	client     [][]successor // by packed local state: the actions with a parameter
	system     [][]successor // by packed pod: the actions without; of a successor only the pod counts
	violates   []int8        // by packed local state: the first invariant that does not hold, or -1
	invariants []string
}

// successor is one enabled action.
type successor struct {
	local uint32 // packed local state after it
	ways  uint32 // how often it is generated
}

// tabulate evaluates the table for every local state with numbers in 0..maxInc. It fails where an action without a parameter looks
// at or changes the client, for then it is not the action of the system alone that it says it is.
func tabulate(t model.Table[Local], maxInc int) (*tabulation, error) {
	tab := &tabulation{
		client:   make([][]successor, 1<<bitsOfLocal),
		system:   make([][]successor, 1<<bitsOfPod),
		violates: make([]int8, 1<<bitsOfLocal),
	}
	for _, inv := range t.Invariants {
		tab.invariants = append(tab.invariants, inv.Name)
	}
	for bits := range uint64(1 << bitsOfLocal) {
		l := unpackLocal(bits)
		tab.violates[bits] = violated(t, l)
		if l.Pod.Inc > maxInc || l.Client.BootInc > maxInc || l.Client.AttInc > maxInc {
			continue
		}
		for _, a := range t.Actions {
			ways := a.Ways(l)
			if len(a.Params) > 0 && ways > 0 {
				tab.client[bits] = append(tab.client[bits], successor{uint32(packLocal(a.Effect(l))), uint32(ways)})
			}
		}
	}
	for bits := range uint64(1 << bitsOfPod) {
		if unpackPod(bits).Inc > maxInc {
			continue
		}
		for _, a := range t.Actions {
			if len(a.Params) > 0 {
				continue
			}
			if err := alone(a, bits, maxInc); err != nil {
				return nil, err
			}
			if ways := a.Ways(unpackLocal(bits)); ways > 0 {
				tab.system[bits] = append(tab.system[bits], successor{uint32(packLocal(a.Effect(unpackLocal(bits)))), uint32(ways)})
			}
		}
	}
	return tab, nil
}

func violated(t model.Table[Local], l Local) int8 {
	for i, inv := range t.Invariants {
		if !inv.Holds(l) {
			return int8(i)
		}
	}
	return -1
}

// alone checks that an action without a parameter is the same for every client, and leaves it alone.
func alone(a model.Action[Local], pod uint64, maxInc int) error {
	want := a.Ways(unpackLocal(pod))
	for client := range uint64(1 << bitsOfOne) {
		l := unpackLocal(pod | client<<bitsOfPod)
		if l.Client.BootInc > maxInc || l.Client.AttInc > maxInc {
			continue
		}
		if got := a.Ways(l); got != want {
			return fmt.Errorf("%s has no parameter, but whether it is enabled depends on the client: %+v", a.Name, l)
		}
		if want > 0 && a.Effect(l).Client != l.Client {
			return fmt.Errorf("%s has no parameter, but changes the client: %+v", a.Name, l)
		}
	}
	return nil
}
