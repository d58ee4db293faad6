package linear

import (
	"fmt"
	"math"

	"github.com/anishathalye/porcupine"

	"podlife/model/podlifecycle"
)

// Kind is what is asked for, or done to a pod.
type Kind string

// The kinds of operations in a history. A boot and a destroy take their time, so each is two operations of the same interval: its request arrives, and its answer is decided. One that was never
// answered has no second half.
const (
	StartBoot    Kind = "StartBoot" // its answer is that of the whole boot
	EndBoot      Kind = "EndBoot"
	Attach       Kind = "Attach" // a terminal with boot:false, up to the shell or the refusal
	Close        Kind = "Close"  // of the tab's terminal
	StartDestroy Kind = "StartDestroy"
	EndDestroy   Kind = "EndDestroy"
	Look         Kind = "Look"        // at the state that the server tells
	Kill         Kind = "Kill"        // of the container, behind the server's back
	Unmark       Kind = "Unmark"      // the user removes the marker
	ScriptFails  Kind = "ScriptFails" // a step of the boot script fails
	Idle         Kind = "Idle"        // the idle timeout passes
	Crash        Kind = "Crash"       // the server dies, and is started again
)

// AnyLife is for operations of which it is not known which life of the server they met.
const AnyLife = -1

// Input is one operation.
type Input struct {
	Pod    string
	Client int // 0 to MaxTabs-1; of a tab's operations only
	Kind   Kind
	// Life is how often the server had died when it was asked. An operation takes effect in that life or never.
	Life int
	// Other says that the server is started again with another recipe. Of a Crash only.
	Other bool
}

// Word is how an operation ended.
type Word string

// The words. Failed is any answer that is none of the others: the table has no action that gives it.
const (
	Done        Word = "done"
	Ready       Word = "ready"
	Lost        Word = "boot_lost"
	BootFailed  Word = "boot_failed"
	Attached    Word = "attached"
	Refused     Word = "refused"
	NoShell     Word = "no_shell" // the pod is ready, and its container has no shell to give: it does not run, or no marker vouches for it
	Recovering  Word = "recovering"
	Unstored    Word = "store_unavailable"
	Nothing     Word = "nothing"   // there was nothing to kill, or to remove
	Unreachable Word = "no_server" // no server took the request
	Unknown     Word = "unknown"   // the answer did not arrive: it may have happened, at any later time of that life, or not
	Failed      Word = "failed"
)

// Output is an operation's answer.
type Output struct {
	Word   Word
	Inc    int     // with Ready and Attached; of Look, Kill, Unmark and ScriptFails
	State  string  // of Refused and Look, in the words of PodLifecycle; "" was not told
	Detail string  // of Failed, and why something is Unknown
	Told   *Output `json:"-"` // what was told beside it of the pod, as of a later moment of the same interval: an answer of Look
}

// MaxTabs is how many tabs a pod can have in a history.
const MaxTabs = 8

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

// never is the return of an operation that was not answered.
const never = math.MaxInt64

// clip lets what was not answered end with the life that it was asked in: a server that is dead does nothing.
func clip(history []porcupine.Operation) {
	type life struct {
		pod string
		n   int
	}
	ends := map[life]int64{}
	for _, op := range history {
		if in := op.Input.(Input); in.Kind == Crash {
			ends[life{in.Pod, in.Life}] = op.Return
		}
	}
	for i := range history {
		in := history[i].Input.(Input)
		if end, died := ends[life{in.Pod, in.Life}]; died && history[i].Return == never {
			history[i].Return = max(end, history[i].Call)
		}
	}
}

// counts says whether an operation counts as one: the second half of one does not.
func counts(op porcupine.Operation) bool {
	kind := op.Input.(Input).Kind
	return kind != EndBoot && kind != EndDestroy
}

func describe(in Input, out Output) string {
	s := string(in.Kind)
	switch in.Kind {
	case StartBoot, EndBoot, Attach, Close, StartDestroy, EndDestroy, Look:
		s += "(" + podlifecycle.ClientName(in.Client) + ")"
	case Crash:
		if in.Other {
			s += ", another recipe"
		}
	}
	s += " -> " + string(out.Word)
	if out.State != "" {
		s += " " + out.State
	}
	if out.Inc > 0 {
		s += fmt.Sprintf(" %d", out.Inc)
	}
	if out.Detail != "" {
		s += ": " + out.Detail
	}
	return s
}
