package linear

import (
	"fmt"
	"hash/maphash"
	"math"
	"strings"

	"github.com/anishathalye/porcupine"

	"podlife/model"
	"podlife/model/podlifecycle"
)

// Kind is what a tab asks for.
type Kind string

// The kinds of operations in a history.
const (
	StartBoot Kind = "StartBoot" // the first half of a boot: its request arrives
	EndBoot   Kind = "EndBoot"   // the second half: its answer is decided
	Attach    Kind = "Attach"    // a terminal with boot:false
	Destroy   Kind = "Destroy"
)

// Input is one operation of one tab.
type Input struct {
	Pod    string
	Client int // 0 to Clients-1
	Kind   Kind
}

// Word is how an operation ended.
type Word string

// The words. Failed is any answer that is none of the others: the table has no action that gives it.
const (
	Began    Word = "began"
	Ready    Word = "ready"
	Lost     Word = "boot_lost"
	Attached Word = "attached"
	Refused  Word = "refused"
	Asleep   Word = "asleep"
	Unknown  Word = "unknown" // the answer did not arrive: it may have happened, at any later time, or not
	Failed   Word = "failed"
)

// Output is an operation's answer.
type Output struct {
	Word   Word
	Inc    int    // with ready and attached; with asleep the highest incarnation that it may have ended
	Detail string // of Failed
}

// Clients is how many tabs a pod has in a history.
const Clients = 8

// state is the specification's, and for each tab whether its boot found nothing to do. It is comparable.
type state struct {
	pod     podlifecycle.Pod
	clients [Clients]podlifecycle.Client
	told    [Clients]int // the incarnation that a boot answers without an action, because the tab believes and is right; 0 for none
}

// table steps a state.
type table struct {
	model.Table[podlifecycle.Local]
}

func shipped() table {
	return table{podlifecycle.Table(podlifecycle.Constants{MaxInc: math.MaxInt, GuardedAttach: true})}
}

// take is one action of the table; false where it is not enabled.
func (t table) take(s state, action string, c int) (state, bool) {
	l, err := t.Take(action, podlifecycle.Local{Pod: s.pod, Client: s.clients[c]})
	if err != nil {
		return s, false
	}
	s.pod, s.clients[c] = l.Pod, l.Client
	return s, true
}

// Model gives porcupine the table as a sequential model, a pod at a time.
func Model() porcupine.Model {
	t := shipped()
	seed := maphash.MakeSeed()
	m := porcupine.NondeterministicModel{
		Partition: byPod,
		Init:      func() []any { return []any{state{}} },
		Step: func(s, in, out any) []any {
			var next []any
			for _, n := range t.step(s.(state), in.(Input), out.(Output)) {
				next = append(next, n)
			}
			return next
		},
		Hash:              func(s any) uint64 { return maphash.Comparable(seed, s.(state)) },
		DescribeOperation: func(in, out any) string { return describe(in.(Input), out.(Output)) },
		DescribeState:     func(s any) string { return s.(state).String() },
	}
	return m.ToModel()
}

// step gives every state in which the table can be after the operation gave this answer; none where it could not give it.
func (t table) step(s state, in Input, out Output) []state {
	c := in.Client
	// A tab notices that its terminal is dead before it does anything else. Nobody but itself can tell when it did.
	if next, ok := t.take(s, podlifecycle.Reconnect, c); ok {
		s = next
	}
	switch in.Kind {
	case StartBoot:
		return t.startBoot(s, c, out)
	case EndBoot:
		return t.endBoot(s, c, out)
	case Attach:
		return t.attach(s, c, out)
	case Destroy:
		return t.destroy(s, c, out)
	}
	return nil
}

func (t table) startBoot(s state, c int, out Output) []state {
	was := s
	phase := s.clients[c].Phase
	switch {
	case phase == podlifecycle.Booting:
		return []state{s} // it joins its own boot, whose answer it had not waited for
	case phase != podlifecycle.Idle && s.pod.Ctr == podlifecycle.Ready:
		s.told[c] = s.pod.Inc
		return []state{s}
	case phase == podlifecycle.Believes:
		s, _ = t.take(s, podlifecycle.AttachGuarded, c) // not ready, so it is enabled
	}
	next, ok := t.take(s, podlifecycle.StartBoot, c)
	switch {
	case !ok:
		return nil
	case out.Word == Unknown:
		return []state{was, next} // the request may not have arrived
	}
	return []state{next}
}

func (t table) endBoot(s state, c int, out Output) []state {
	var next []state
	if out.Word == Ready || out.Word == Unknown {
		if s.told[c] != 0 && (out.Word == Unknown || s.told[c] == out.Inc) {
			n := s
			n.told[c] = 0
			next = append(next, n)
		} else if n, ok := t.take(s, podlifecycle.FinishBoot, c); ok && (out.Word == Unknown || n.pod.Inc == out.Inc) {
			next = append(next, n)
		}
	}
	if out.Word == Lost || out.Word == Unknown {
		if n, ok := t.take(s, podlifecycle.BootLost, c); ok {
			next = append(next, n)
		}
	}
	if out.Word == Unknown {
		next = append(next, s)
	}
	return next
}

func (t table) attach(s state, c int, out Output) []state {
	var next []state
	phase := s.clients[c].Phase
	if out.Word == Attached || out.Word == Unknown {
		if phase == podlifecycle.Attached && (out.Word == Unknown || out.Inc == s.pod.Inc) {
			next = append(next, s) // once more into the same incarnation
		} else if n, ok := t.take(s, podlifecycle.AttachReady, c); ok && (out.Word == Unknown || out.Inc == n.pod.Inc) {
			next = append(next, n)
		}
	}
	if out.Word == Refused || out.Word == Unknown {
		if n, ok := t.take(s, podlifecycle.AttachGuarded, c); ok {
			next = append(next, n)
		} else if phase == podlifecycle.Idle || phase == podlifecycle.Booting {
			next = append(next, s) // it is not one that may attach
		}
	}
	if out.Word == Unknown {
		next = append(next, s)
	}
	return next
}

func (t table) destroy(s state, c int, out Output) []state {
	if out.Word != Asleep && out.Word != Unknown {
		return nil
	}
	next, awake := t.take(s, podlifecycle.Sleep, c)
	switch {
	case out.Word == Asleep && next.pod.Inc > out.Inc:
		return nil // it answered with an incarnation that was over already
	case !awake:
		return []state{s}
	case out.Word == Unknown:
		return []state{next, s}
	}
	return []state{next}
}

// byPod splits a history: what happens to one pod says nothing about another.
func byPod(history []porcupine.Operation) [][]porcupine.Operation {
	var order []string
	parts := map[string][]porcupine.Operation{}
	for _, op := range history {
		pod := op.Input.(Input).Pod
		if parts[pod] == nil {
			order = append(order, pod)
		}
		parts[pod] = append(parts[pod], op)
	}
	var all [][]porcupine.Operation
	for _, pod := range order {
		all = append(all, parts[pod])
	}
	return all
}

func describe(in Input, out Output) string {
	s := fmt.Sprintf("%s(%s)", in.Kind, podlifecycle.ClientName(in.Client))
	if in.Kind == Destroy {
		s = "Destroy"
	}
	s += " -> " + string(out.Word)
	if out.Inc > 0 {
		s += fmt.Sprintf(" %d", out.Inc)
	}
	if out.Detail != "" {
		s += ": " + out.Detail
	}
	return s
}

// String is the container and every tab that does anything.
func (s state) String() string {
	words := []string{fmt.Sprintf("%s %d", s.pod.Ctr, s.pod.Inc)}
	for i, c := range s.clients {
		if c.Phase != podlifecycle.Idle {
			words = append(words, fmt.Sprintf("%s %s %d/%d", podlifecycle.ClientName(i), c.Phase, c.BootInc, c.AttInc))
		}
	}
	return strings.Join(words, ", ")
}
