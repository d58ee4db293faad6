package linear

import (
	"encoding/binary"
	"fmt"
	"strings"

	"podlife/model/podlifecycle"
	"podlife/model/podruntime"
)

// state is one state of the table with all tabs of the pod, and what callers wait for. One that was made does not change.
type state struct {
	pod  podruntime.Pod
	tabs [MaxTabs]mine
	life int // how often the server has died
	id   int // given by rules.known: equal exactly for equal states
}

// mine is a tab of the table, and what its calls are still to be answered.
type mine struct {
	podruntime.Client
	// waits is the answer that a boot of it will get, as the history has it, and waitsInc its incarnation; "" is nobody who waits. What would give another answer leads nowhere, and is not looked at.
	waits    Word
	waitsInc int
	told     bool // that answer is decided: the boot had nothing to do, or its incarnation is over
	destroys bool // a destroy of it waits
	upTo     int  // for this incarnation and those before it
}

// normal drops what no answer can depend on, so that states which differ only in that are one. Nothing of it is read by a guard of what can still happen:
//
//   - history: Done, Woken, Settled, and the number of crashes, which is without a bound;
//   - why the pod fell asleep, once those who wait for it have their answer;
//   - what is inside a container whose incarnation is over: it is to be removed;
//   - an incarnation that is over and has no container. The table would let one be made that had been decided on; the server asks whether its incarnation is over in the moment in which it decides,
//     and a container that nobody can have seen decides no answer;
//   - in which incarnations a tab was that it is not in any more.
func (s *state) normal() {
	s.pod.Why, s.pod.Settled, s.pod.Crashes = podruntime.WhyNone, 0, 0
	for _, i := range s.pod.Incs {
		inner := i.Inner
		inner.Done, inner.Woken = false, 0
		if inner.Run != podruntime.RunScript && inner.Box.Script != podruntime.ScriptOn {
			inner.Box.Script = podruntime.ScriptOff
		}
		if s.over(i.N) {
			inner = overNormal(inner)
		}
		s.pod = s.pod.With(i.N, inner)
	}
	for c := range s.tabs {
		t := &s.tabs[c]
		if t.Phase != podlifecycle.Booting {
			t.BootInc = 0
		}
		if t.Phase != podlifecycle.Attached {
			t.AttInc = 0
		}
	}
}

// over says whether an incarnation is over: a pod that is unknown may still adopt the one that is stored as awake.
func (s *state) over(n int) bool {
	if s.pod.Ctr == podruntime.Unknown {
		return !s.pod.Store.Awake || s.pod.Store.Inc != n
	}
	return !s.pod.Current(n)
}

func overNormal(i podruntime.Inner) podruntime.Inner {
	if i.Box.Box == podruntime.BoxNone {
		return podruntime.Inner{}
	}
	i.Box = podruntime.Container{Box: i.Box.Box}
	if i.Run != podruntime.RunStart {
		i.Run = podruntime.RunNone // its reply is dropped, whenever it comes
	}
	return i
}

func (s *state) encode(to []byte) []byte {
	p := s.pod
	to = append(to, byte(p.Ctr), bit(p.Store.Awake))
	for _, v := range [...]int{p.Inc, p.Store.Inc, s.life, len(p.Incs)} {
		to = binary.AppendVarint(to, int64(v))
	}
	for _, i := range p.Incs {
		to = binary.AppendVarint(to, int64(i.N))
		to = append(to, byte(i.Run), byte(i.Tear), byte(i.Box.Box), byte(i.Box.Setup), byte(i.Box.Marker), byte(i.Box.Script))
	}
	for _, t := range s.tabs {
		to = append(to, byte(t.Phase), byte(t.Term.At), bit(t.told), bit(t.destroys), byte(len(t.waits)))
		to = append(to, t.waits...)
		for _, v := range [...]int{t.BootInc, t.AttInc, t.Term.Inc, t.waitsInc, t.upTo} {
			to = binary.AppendVarint(to, int64(v))
		}
	}
	return to
}

func bit(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// String is the pod, its containers, and every tab that does anything.
func (s *state) String() string {
	words := []string{fmt.Sprintf("%s %d", s.pod.Ctr, s.pod.Inc)}
	for _, i := range s.pod.Incs {
		word := fmt.Sprintf("[%d: %s", i.N, i.Box.Box)
		if i.Run != podruntime.RunNone {
			word += ", run " + i.Run.String()
		}
		if i.Tear != podruntime.TearNone {
			word += ", to be removed"
		}
		words = append(words, word+"]")
	}
	for c, t := range s.tabs {
		word := podlifecycle.ClientName(c)
		if t.Phase != podlifecycle.Idle {
			word += fmt.Sprintf(" %s %d/%d", t.Phase, t.BootInc, t.AttInc)
		}
		if t.told {
			word += fmt.Sprintf(" is to be told %s", t.waits)
		}
		if t.destroys {
			word += fmt.Sprintf(" destroys %d", t.upTo)
		}
		if word != podlifecycle.ClientName(c) {
			words = append(words, word)
		}
	}
	return strings.Join(words, ", ")
}
