package linear

import (
	"context"
	"encoding/binary"
	"slices"
	"strings"
	"sync"

	"github.com/anishathalye/porcupine"

	"podlife/model/podlifecycle"
	"podlife/model/podruntime"
)

// set is every state in which the table can be, without those that another one leads to unseen. Equal sets are one.
type set struct {
	states []*state // by id
	id     uint64
}

// set gives the set of these states, each of which is there once.
func (r *rules) set(states []*state) *set {
	states = r.earliest(states)
	slices.SortFunc(states, func(a, b *state) int { return a.id - b.id })
	var key []byte
	for _, s := range states {
		key = binary.AppendUvarint(key, uint64(s.id))
	}
	if same := r.sets[string(key)]; same != nil {
		return same
	}
	made := &set{states, uint64(len(r.sets))}
	r.sets[string(key)] = made
	return made
}

// taken is an operation and its answer, from a set of states.
type taken struct {
	from  *set
	in    Input
	word  Word
	inc   int
	state string
}

// step gives the set after an operation gave this answer, or nil where it could not give it, or the search was given up meanwhile.
func (r *rules) step(search context.Context, from *set, in Input, out Output) *set {
	r.search = search
	if from == nil {
		from = r.set([]*state{r.known(&state{})})
	}
	op := taken{from, in, out.Word, out.Inc, out.State}
	if to, known := r.taken[op]; known {
		return to
	}
	var next []*state
	for _, s := range from.states {
		if r.givenUp() {
			return nil
		}
		r.after(s, in, out, func(s *state) {
			if !slices.Contains(next, s) {
				next = append(next, s)
			}
		})
	}
	var to *set
	if len(next) > 0 {
		to = r.set(next)
	}
	if r.givenUp() {
		return nil // and nothing of it is kept
	}
	r.taken[op] = to
	return to
}

// Model gives porcupine the table as a sequential model, a pod at a time.
func Model(may May) porcupine.Model {
	var mu sync.Mutex
	pods := map[string]*rules{} // each is asked by one goroutine: that of the pod's part of the history
	of := func(pod string) *rules {
		mu.Lock()
		defer mu.Unlock()
		if pods[pod] == nil {
			pods[pod] = newRules(may)
		}
		return pods[pod]
	}
	return porcupine.Model{
		Partition: byPod,
		Init:      func() any { return (*set)(nil) }, // the first state
		StepContext: func(search context.Context, from, in, out any) (bool, any) {
			to := of(in.(Input).Pod).step(search, from.(*set), in.(Input), out.(Output))
			return to != nil, to
		},
		Equal: func(a, b any) bool { return a.(*set) == b.(*set) },
		Hash: func(s any) uint64 {
			if s.(*set) == nil {
				return 0
			}
			return s.(*set).id * 0x9e3779b97f4a7c15 // porcupine mixes it with other bits
		},
		DescribeOperation: func(in, out any) string { return describe(in.(Input), out.(Output)) },
		DescribeState:     func(s any) string { return s.(*set).String() },
	}
}

// String is its states.
func (s *set) String() string {
	if s == nil {
		return (&state{}).String()
	}
	var words []string
	for _, one := range s.states {
		words = append(words, one.String())
	}
	return strings.Join(words, " or ")
}

// after gives every state in which the table can be after the operation gave this answer, some perhaps twice.
func (r *rules) after(s *state, in Input, out Output, give func(*state)) {
	switch {
	case in.Life != AnyLife && in.Life != s.life:
		if out.Word == Unknown {
			give(s) // that server is dead
		}
		return
	case out.Word == Unreachable:
		give(s)
		return
	case out.Word == Unknown:
		give(s)
	}
	for _, h := range r.onward(s).states {
		r.operation(h, in, out, give)
	}
}

// operation gives the states after an operation that happens now.
func (r *rules) operation(s *state, in Input, out Output, give func(*state)) {
	switch c := in.Client; in.Kind {
	case StartBoot:
		r.startBoot(s, c, out, give)
	case EndBoot:
		r.endBoot(s, c, out, give)
	case Attach:
		r.attach(s, c, out, give)
	case Close:
		if next, ok := r.take(s, podruntime.Detach, c, noInc); ok {
			give(next)
		} else {
			give(s) // its incarnation is over, and the terminal with it
		}
	case StartDestroy:
		r.startDestroy(s, c, out, give)
	case EndDestroy:
		r.endDestroy(s, c, out, give)
	case Look:
		if (out.State == "" || s.outside() == out.State) && s.outsideInc() == out.Inc {
			give(s)
		}
	case Kill:
		r.toContainer(s, podruntime.ContainerDies, out, give)
	case ScriptFails:
		r.toContainer(s, podruntime.ScriptFails, out, give)
	case Unmark:
		r.toContainer(s, podruntime.MarkerRemoved, out, give)
	case Idle:
		give(s) // it may not have been idle for so long
		if next, ok := r.take(s, podruntime.IdleSleep, noClient, noInc); ok {
			give(next)
		}
	case Crash:
		action := podruntime.Crash
		if in.Other {
			action = podruntime.CrashOtherRecipe
		}
		if next, ok := r.take(s, action, noClient, noInc); ok {
			give(next)
		}
	}
}

// startBoot is StartBoot, after AttachGuarded for a tab that believes in vain. A tab whose boot is under way joins it, and one that believes and is right is told so.
func (r *rules) startBoot(s *state, c int, out Output, give func(*state)) {
	phase := s.tabs[c].Phase
	switch {
	case s.pod.Ctr == podruntime.Unknown:
		if out.Word == Recovering {
			give(s)
		}
		return
	case out.Word == Recovering:
		return
	case out.Word == Unstored:
	case phase == podlifecycle.Booting:
		r.waiting(s, c, out, false, give)
		return
	case phase != podlifecycle.Idle && s.pod.Ctr == podruntime.Ready:
		r.waiting(s, c, out, true, give)
		return
	}
	if phase == podlifecycle.Believes {
		if next, ok := r.take(s, podruntime.AttachGuarded, c, noInc); ok {
			s = next
		}
	}
	next, ok := r.take(s, podruntime.StartBoot, c, noInc)
	switch {
	case !ok:
	case out.Word != Unstored:
		r.waiting(next, c, out, false, give)
	case r.may.StoreFails && next.pod.Store != s.pod.Store:
		give(s) // what cannot be stored does not happen
	}
}

// waiting gives the state in which a boot of the tab waits for the answer that it got in the end; at once says that there was nothing to boot. Nobody waits for one whose outcome is unknown.
func (r *rules) waiting(s *state, c int, out Output, atOnce bool, give func(*state)) {
	next := *s
	t := &next.tabs[c]
	t.waits, t.waitsInc, t.told = "", 0, false
	if out.Word != Unknown {
		inc := t.BootInc
		if atOnce {
			inc = s.pod.Inc
		}
		if atOnce && out.Word != Ready || out.Word == Ready && out.Inc != inc {
			return // it leads to another answer
		}
		t.waits, t.waitsInc, t.told = out.Word, out.Inc, atOnce
	}
	give(r.known(&next))
}

// endBoot is FinishBoot, or what the end of the incarnation has left for the tab (settle).
func (r *rules) endBoot(s *state, c int, out Output, give func(*state)) {
	t := s.tabs[c]
	if t.waits != out.Word || t.waitsInc != out.Inc {
		return
	}
	next := *s
	if !t.told {
		finished, ok := r.take(s, podruntime.FinishBoot, c, s.pod.Inc)
		failed := s.pod.At(s.pod.Inc).Run == podruntime.RunFailed // the second boot of a pod that was ready, and stays so
		if !ok || failed != (out.Word == BootFailed) || !failed && (out.Word != Ready || out.Inc != s.pod.Inc) {
			return
		}
		next = *finished
	}
	n := &next.tabs[c]
	n.waits, n.waitsInc, n.told = "", 0, false
	give(r.known(&next))
}

// attach is Probe, Dial and AttachReady or AttachAgain at once: what comes between them in the server could also come before or after, or has the attempt begin again. A refusal is AttachGuarded for
// a tab that believes, and nothing for one that has not booted.
func (r *rules) attach(s *state, c int, out Output, give func(*state)) {
	whatever := out.Word == Unknown
	t := s.tabs[c]
	if may := s.pod.Ctr == podruntime.Ready && (t.Phase == podlifecycle.Believes || t.Phase == podlifecycle.Attached); !may {
		if !whatever && !(out.Word == Refused && out.State == s.outside()) {
			return
		}
		if next, ok := r.take(s, podruntime.AttachGuarded, c, noInc); ok {
			s = next
		}
		give(s)
		return
	}
	if t.Term.At == podruntime.AtOpen { // another terminal of it
		if whatever || out.Word == Attached && out.Inc == s.pod.Inc {
			give(s)
		}
		return
	}
	probed, ok := r.take(s, podruntime.Probe, c, noInc)
	if !ok {
		return
	}
	dialed, ok := r.take(probed, podruntime.Dial, c, noInc)
	if !ok {
		if out.Word == NoShell {
			give(s)
		}
		return
	}
	for _, action := range []string{podruntime.AttachReady, podruntime.AttachAgain} {
		if next, ok := r.take(dialed, action, c, noInc); ok && (whatever || out.Word == Attached && out.Inc == next.pod.Inc) {
			give(next)
		}
	}
}

// startDestroy is Destroy where there is something to destroy.
func (r *rules) startDestroy(s *state, c int, out Output, give func(*state)) {
	unknown := s.pod.Ctr == podruntime.Unknown
	if unknown || out.Word == Recovering {
		if unknown && out.Word == Recovering {
			give(s)
		}
		return
	}
	awake := r.actions[podruntime.Destroy].Enabled(s.local(podruntime.Destroy, noClient, noInc))
	if out.Word == Unstored {
		if r.may.StoreFails && awake {
			give(s) // what cannot be stored does not happen
		}
		return
	}
	next := s
	if awake {
		if next, awake = r.take(s, podruntime.Destroy, noClient, noInc); !awake {
			return // it leads to another answer for somebody who waits
		}
	}
	switch out.Word {
	case Unknown:
		give(next)
	case Done:
		waiting := *next
		waiting.tabs[c].destroys, waiting.tabs[c].upTo = true, next.pod.Inc
		give(r.known(&waiting))
	}
}

// endDestroy is DestroyAnswered, of the pod as if nothing had come after the incarnations that the call is about: it may have been woken again meanwhile.
func (r *rules) endDestroy(s *state, c int, out Output, give func(*state)) {
	t := s.tabs[c]
	if !t.destroys || out.Word != Done {
		return
	}
	asked := podruntime.Pod{Ctr: podruntime.Asleep, Inc: t.upTo, Settled: -1}
	for _, i := range s.pod.Incs {
		if i.N <= t.upTo {
			asked = asked.With(i.N, i.Inner)
		}
	}
	if !r.actions[podruntime.DestroyAnswered].Enabled(podruntime.Local{Pod: asked}) {
		return
	}
	next := *s
	next.tabs[c].destroys, next.tabs[c].upTo = false, 0
	give(r.known(&next))
}

// toContainer is what the world did to the container that it found, or that it found none. Of one that is about to be removed it is not known any more what is inside (normal).
func (r *rules) toContainer(s *state, action string, out Output, give func(*state)) {
	if out.Word == Nothing || action != podruntime.ContainerDies && s.over(out.Inc) && s.pod.At(out.Inc).Box.Box == podruntime.BoxRunning {
		give(s)
		return
	}
	if next, ok := r.take(s, action, noClient, out.Inc); ok && out.Word == Done {
		give(next)
	}
}

// outside is the state that the server tells, in the words of PodLifecycle. After a start of the server it is what the store and the engine say, until more is known.
func (s *state) outside() string {
	before := podlifecycle.Pod{}
	if s.pod.Store.Awake {
		before.Ctr = podlifecycle.Provisioning
	}
	if s.pod.Adoptable() {
		before.Ctr = podlifecycle.Ready
	}
	return s.pod.Outside(before).Ctr.String()
}

func (s *state) outsideInc() int {
	if s.pod.Ctr == podruntime.Unknown {
		return s.pod.Store.Inc
	}
	return s.pod.Inc
}
