package podruntime

import (
	"slices"

	"podlife/model/podlifecycle"
)

// Local is one pod, and what an action is taken for. Its zero value is the initial state.
type Local struct {
	Pod    Pod
	Client Client // the one that acts, for an action with the parameter c
	// Tabs are all clients of the pod, the one that acts included. Only IdleSleep.noTerminal and EndRun.allAnswered ask for them, and no effect
	// changes them.
	Tabs []Client
	N    int // the incarnation of an action with the parameter n
	// OtherPod says that the pod that Probe is to ask (its parameter q) is not the client's own; Probe.ownPod refuses that. The table has one
	// pod: with that guard off, such a probe is taken as if it asked its own.
	OtherPod bool
}

// Pod is all that the specification has of one pod, without its tabs. A Pod is a value: no effect changes one that it was given, nor the
// slice in it.
type Pod struct {
	Ctr Ctr
	Inc int // number of the current incarnation; 0 = never woken; every wake adds 1
	Why Why
	// Incs has what is not as it is at first, by the number of the incarnation, ascending. An incarnation that is not here is as
	// Incarnation{N: n}.
	Incs  []Incarnation
	Store Record
	// Settled is the highest incarnation that a destroy has called gone, Crashes how often the server died. Beside Done and Woken of the
	// incarnations they are history; of all history, guards read just these two: DestroyAnswered.new, and mayCrash of the crashes.
	Settled int
	Crashes int
}

// Record is what the server's store holds of a pod.
type Record struct {
	Inc   int  `json:"inc"`
	Awake bool `json:"awake"`
}

// Incarnation is all that the specification has by the number of an incarnation.
type Incarnation struct {
	N int
	Inner
}

// Inner is an incarnation without its number. Its zero value is how every incarnation is at first.
type Inner struct {
	Run  Run
	Tear Tear
	Box  Container
	// Done and Woken are history, which no guard reads: whether every step of the script has been done in it, and how often its number was
	// given to an incarnation, 2 standing for more.
	Done  bool
	Woken uint8
}

// Container is what is truly the case with the container of an incarnation. Its zero value is no container.
type Container struct {
	Box    Box    `json:"box"`
	Setup  Setup  `json:"setup"`
	Marker Marker `json:"marker"`
	Script Script `json:"script"`
}

// Client is one browser tab.
type Client struct {
	Phase   podlifecycle.Phase `json:"phase"`
	BootInc int                `json:"bootInc"` // incarnation that the tab's last boot ran against; 0 = none
	AttInc  int                `json:"attInc"`  // incarnation that a terminal of it was last handed over in; 0 = none
	Term    Term               `json:"term"`
}

// Term is the terminal of a tab. The specification's term.pod is always the client's own pod here.
type Term struct {
	At  At  `json:"at"`
	Inc int `json:"inc"` // incarnation that it is pinned to; 0 = none
}

// At gives incarnation n.
func (p Pod) At(n int) Incarnation {
	for i := range p.Incs {
		if p.Incs[i].N == n {
			return p.Incs[i]
		}
	}
	return Incarnation{N: n}
}

// With gives the pod with another incarnation n, of which i is all but the number. There are none before 1, and those are left alone.
func (p Pod) With(n int, i Inner) Pod {
	if n < 1 {
		return p
	}
	at, found := slices.BinarySearchFunc(p.Incs, n, func(e Incarnation, n int) int { return e.N - n })
	if !found && i == (Inner{}) {
		return p
	}
	incs := make([]Incarnation, 0, len(p.Incs)+1)
	incs = append(incs, p.Incs[:at]...)
	if i != (Inner{}) {
		incs = append(incs, Incarnation{n, i})
	}
	if found {
		at++
	}
	p.Incs = append(incs, p.Incs[at:]...)
	if len(p.Incs) == 0 {
		p.Incs = nil
	}
	return p
}

// each gives the pod with every incarnation changed that is not as it is at first.
func (p Pod) each(change func(*Incarnation)) Pod {
	incs := make([]Incarnation, 0, len(p.Incs))
	for _, i := range p.Incs {
		change(&i)
		if i.Inner != (Inner{}) {
			incs = append(incs, i)
		}
	}
	p.Incs = incs
	if len(incs) == 0 {
		p.Incs = nil
	}
	return p
}

// Equal reports whether two pods are the same state.
func (p Pod) Equal(q Pod) bool {
	same := slices.Equal(p.Incs, q.Incs)
	return same && p.Ctr == q.Ctr && p.Inc == q.Inc && p.Why == q.Why && p.Store == q.Store && p.Settled == q.Settled && p.Crashes == q.Crashes
}

// Awake is the specification's operator Awake.
func (p Pod) Awake() bool { return p.Ctr == Provisioning || p.Ctr == Ready }

// Current is the specification's operator Current: incarnation n is the one that is awake.
func (p Pod) Current(n int) bool { return p.Awake() && p.Inc == n }

// Adoptable is the specification's operator Adoptable: what the store calls awake runs, and was set up, by whatever recipe.
func (p Pod) Adoptable() bool {
	box := p.At(p.Store.Inc).Box
	return p.Store.Awake && p.Store.Inc != 0 && box.Box == BoxRunning && setUpOnce(box.Marker)
}

func setUpOnce(m Marker) bool { return m == MarkerOwn || m == MarkerEarlier }

// ForgetHistory gives the pod without the history (Done, Woken) of incarnations before n, so that a server, which counts them for ever,
// does not keep an entry for each. No guard comes out differently for it, and no effect but on the history itself. Of the invariants,
// ReadyMeansProvisioned needs the current incarnation, and ReplyNamesItsIncarnation those that a tab's BootInc names: it says nothing any
// more for a tab whose BootInc is before n.
func (p Pod) ForgetHistory(n int) Pod {
	return p.each(func(i *Incarnation) {
		if i.N < n {
			i.Done, i.Woken = false, 0
		}
	})
}
