package podruntime

import (
	"fmt"
	"math"

	"podlife/model"
	"podlife/model/podlifecycle"
)

// Outside is what the outside sees of a pod: the mapping of tla/PodRuntimeRefinement.tla. A pod that is unknown is what it was when the
// server died, which the caller has kept; for every other it does not matter.
func (p Pod) Outside(before podlifecycle.Pod) podlifecycle.Pod {
	switch p.Ctr {
	case Unknown:
		return before
	case Provisioning:
		return podlifecycle.Pod{Ctr: podlifecycle.Provisioning, Inc: p.Inc}
	case Ready:
		return podlifecycle.Pod{Ctr: podlifecycle.Ready, Inc: p.Inc}
	default:
		return podlifecycle.Pod{Ctr: podlifecycle.Asleep, Inc: p.Inc}
	}
}

// Outside is what the outside sees of a tab.
func (c Client) Outside() podlifecycle.Client {
	return podlifecycle.Client{Phase: c.Phase, BootInc: c.BootInc, AttInc: c.AttInc}
}

// Project is what the outside sees of a pod and a client; before is as for [Pod.Outside].
func Project(l Local, before podlifecycle.Pod) podlifecycle.Local {
	return podlifecycle.Local{Pod: l.Pod.Outside(before), Client: l.Client.Outside()}
}

// Outside is what the outside sees of the pod and the first tabs, of which podlifecycle has room for no more than [MaxTabs] and one.
func (s State) Outside(tabs int, before podlifecycle.Pod) podlifecycle.State {
	clients := make([]podlifecycle.Client, tabs)
	for i := range clients {
		clients[i] = s.Tab(i).Outside()
	}
	return podlifecycle.Pack(s.Pod().Outside(before), clients...)
}

// A Contract tells which action of PodLifecycle a step of the server is for the outside. It does not change and is safe for concurrent use.
type Contract struct {
	table model.Table[podlifecycle.Local]
}

// NewContract is the contract of the design that ships, without a bound on incarnations.
func NewContract() Contract {
	return Contract{podlifecycle.Table(podlifecycle.Constants{MaxInc: math.MaxInt, GuardedAttach: true})}
}

// Action names the one action of PodLifecycle that leads from before to after, which are projections of the two ends of a step. It is "" where
// they are equal: the outside sees nothing. A step that no action makes is a [*BreachError].
//
// A crash of the server makes new clients of the tabs and leaves the pod as it was, so that the outside sees nothing of it; who compares a
// tab's projections across a crash takes that of the new client. RecoverReady can be the FinishBoot of a tab from before the crash.
func (c Contract) Action(before, after podlifecycle.Local) (string, error) {
	if before == after {
		return "", nil
	}
	for _, a := range c.table.Actions {
		if a.Enabled(before) && a.Effect(before) == after {
			return a.Name, nil
		}
	}
	return "", &BreachError{Before: before, After: after}
}

// A BreachError says that a step is none that PodLifecycle allows.
type BreachError struct{ Before, After podlifecycle.Local }

func (e *BreachError) Error() string {
	show := func(l podlifecycle.Local) string {
		return fmt.Sprintf("%s %d, client %s %d/%d", l.Pod.Ctr, l.Pod.Inc, l.Client.Phase, l.Client.BootInc, l.Client.AttInc)
	}
	return fmt.Sprintf("no action of %s leads from (%s) to (%s)", podlifecycle.Name, show(e.Before), show(e.After))
}
