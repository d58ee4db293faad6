package podlifecycle

import (
	"fmt"

	"podlife/model"
)

// Bounds of what can be explored: a state is packed into 64 bits.
const (
	MaxClients  = 4
	MaxMaxInc   = 15
	bitsOfInc   = 5 // room beyond MaxMaxInc, so that a wrong table that goes one too far is seen by TypeOK and does not wrap
	incMask     = 1<<bitsOfInc - 1
	bitsOfPod   = 2 + bitsOfInc
	podMask     = 1<<bitsOfPod - 1
	bitsOfOne   = 2 + 2*bitsOfInc // one client
	oneMask     = 1<<bitsOfOne - 1
	bitsOfLocal = bitsOfPod + bitsOfOne
)

// State is one pod and up to [MaxClients] clients, packed: from the lowest bit, the pod's ctr and inc, then for each client its
// phase, bootInc and attInc. The zero State is the initial state. It does not know its number of clients; those beyond are idle.
type State uint64

// Pack makes a state. Numbers outside 0..31 become 31, which no table that explores allows: the result violates TypeOK.
func Pack(p Pod, clients ...Client) State {
	s := State(packPod(p))
	for i, c := range clients {
		s |= State(packClient(c)) << clientShift(i)
	}
	return s
}

// Pod gives the pod's part.
func (s State) Pod() Pod { return unpackPod(uint64(s) & podMask) }

// Client gives the part of the client with this index, from 0.
func (s State) Client(i int) Client { return unpackClient(uint64(s) >> clientShift(i) & oneMask) }

// View is a state as the specification's variables, for people and for JSON.
type View struct {
	Ctr    Ctr               `json:"ctr"`
	Inc    int               `json:"inc"`
	Client map[string]Client `json:"client"` // by the client's name, see [ClientName]
}

// View unpacks the pod and the first clients.
func (s State) View(clients int) View {
	v := View{Ctr: s.Pod().Ctr, Inc: s.Pod().Inc, Client: map[string]Client{}}
	for i := range clients {
		v.Client[ClientName(i)] = s.Client(i)
	}
	return v
}

// Label is a state in a few short lines, for a picture: the container and its incarnation, then each client with the incarnations
// that it booted and attached to.
func (s State) Label(clients int) []string {
	lines := []string{fmt.Sprintf("%s %d", s.Pod().Ctr, s.Pod().Inc)}
	for i := range clients {
		c := s.Client(i)
		lines = append(lines, fmt.Sprintf("%s %s %d/%d", ClientName(i), c.Phase, c.BootInc, c.AttInc))
	}
	return lines
}

// ClientName names the client with this index as the configurations do: c1, c2...
func ClientName(i int) string { return fmt.Sprintf("c%d", i+1) }

// BoundsError says that a system is too big to be packed, or makes no sense.
type BoundsError struct {
	What          string // "clients" or "max-inc"
	Got, Min, Max int
}

func (e *BoundsError) Error() string {
	return fmt.Sprintf("%s is %d, must be between %d and %d", e.What, e.Got, e.Min, e.Max)
}

// CheckBounds gives a [*BoundsError] where the specification with these constants and this number of clients cannot be explored.
func CheckBounds(c Constants, clients int) error {
	if clients < 1 || clients > MaxClients {
		return &BoundsError{What: "clients", Got: clients, Min: 1, Max: MaxClients}
	}
	if c.MaxInc < 0 || c.MaxInc > MaxMaxInc {
		return &BoundsError{What: "max-inc", Got: c.MaxInc, Min: 0, Max: MaxMaxInc}
	}
	return nil
}

// System is the whole specification for so many clients. The error is a [*BoundsError].
func System(c Constants, clients int) (model.System[State], error) {
	if err := CheckBounds(c, clients); err != nil {
		return model.System[State]{}, err
	}
	return LiftTable(Table(c), clients), nil
}

// LiftTable makes a system of a table's actions and so many clients (1 to [MaxClients]; more panics): every action with a parameter
// for each client, client by client, then those without, in the table's order. That is the order of Next in the specification. An
// invariant holds where it does for each client, and its antecedent is reached where it is for one.
func LiftTable(t model.Table[Local], clients int) model.System[State] {
	if clients < 1 || clients > MaxClients {
		panic(fmt.Sprintf("podlifecycle: %d clients do not fit into a State", clients))
	}
	sys := model.System[State]{Name: t.Name, Init: []State{0}}
	for i := range clients {
		for _, a := range t.Actions {
			if len(a.Params) > 0 {
				sys.Steps = append(sys.Steps, model.Lift(a, []string{ClientName(i)}, localOf(i), withLocal(i)))
			}
		}
	}
	for _, a := range t.Actions {
		if len(a.Params) == 0 {
			sys.Steps = append(sys.Steps, model.Lift(a, nil, localOf(0), withLocal(0)))
		}
	}
	for _, inv := range t.Invariants {
		sys.Invariants = append(sys.Invariants, liftInvariant(inv, clients))
	}
	return sys
}

func liftInvariant(inv model.Invariant[Local], clients int) model.Invariant[State] {
	lifted := model.Invariant[State]{Name: inv.Name}
	lifted.Holds = func(s State) bool {
		for i := range clients {
			if !inv.Holds(s.local(i)) {
				return false
			}
		}
		return true
	}
	if inv.Antecedent != nil {
		lifted.Antecedent = func(s State) bool {
			for i := range clients {
				if inv.Antecedent(s.local(i)) {
					return true
				}
			}
			return false
		}
	}
	return lifted
}

func (s State) local(i int) Local { return Local{Pod: s.Pod(), Client: s.Client(i)} }

func localOf(i int) func(State) Local {
	return func(s State) Local { return s.local(i) }
}

func withLocal(i int) func(State, Local) State {
	return func(s State, l Local) State { return State(putLocal(uint64(s), i, packLocal(l))) }
}

// The packed form. A packed local state is the pod's bits and above them one client's.

func clientShift(i int) int { return bitsOfPod + i*bitsOfOne }

func packInc(n int) uint64 {
	if n < 0 || n > incMask {
		return incMask
	}
	return uint64(n)
}

func packPod(p Pod) uint64 { return uint64(p.Ctr)&3 | packInc(p.Inc)<<2 }

func unpackPod(bits uint64) Pod { return Pod{Ctr: Ctr(bits & 3), Inc: int(bits >> 2 & incMask)} }

func packClient(c Client) uint64 {
	return uint64(c.Phase)&3 | packInc(c.BootInc)<<2 | packInc(c.AttInc)<<(2+bitsOfInc)
}

func unpackClient(bits uint64) Client {
	return Client{Phase: Phase(bits & 3), BootInc: int(bits >> 2 & incMask), AttInc: int(bits >> (2 + bitsOfInc) & incMask)}
}

func packLocal(l Local) uint64 { return packPod(l.Pod) | packClient(l.Client)<<bitsOfPod }

func unpackLocal(bits uint64) Local {
	return Local{Pod: unpackPod(bits & podMask), Client: unpackClient(bits >> bitsOfPod & oneMask)}
}

func getLocal(s uint64, i int) uint64 { return s&podMask | s>>clientShift(i)&oneMask<<bitsOfPod }

func putLocal(s uint64, i int, local uint64) uint64 {
	return s&^(podMask|oneMask<<clientShift(i)) | local&podMask | local>>bitsOfPod<<clientShift(i)
}
