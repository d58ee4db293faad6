package linear

import (
	"fmt"

	"github.com/anishathalye/porcupine"
)

// call is one operation of a history that is written by hand.
type call struct {
	in   Input
	out  Output
	long int // so many moments later it ends
}

// during lets a call last for so many moments more.
func during(moments int, calls []call) []call {
	for i := range calls {
		calls[i].long += moments
	}
	return calls
}

// told makes the history of what is called at moments one after the other: what is called at the same moment is at once.
func told(moments ...[]call) []porcupine.Operation {
	var history []porcupine.Operation
	life := 0
	for i, calls := range moments {
		for _, c := range calls {
			c.in.Pod, c.in.Life = "p1", life
			op := porcupine.Operation{ClientId: 2 * c.in.Client, Input: c.in, Call: int64(2 * i), Output: c.out, Return: int64(2*(i+c.long) + 1)}
			switch c.in.Kind {
			case EndBoot, EndDestroy:
				op.ClientId++
			case Crash:
				op.ClientId = worldThread
				life++
			case Kill, Unmark, ScriptFails, Idle:
				op.ClientId = worldThread
			}
			if c.out.Word == Unknown {
				op.Return = never
			}
			history = append(history, op)
		}
	}
	clip(history)
	return history
}

func atOnce(groups ...[]call) []call {
	var all []call
	for _, g := range groups {
		all = append(all, g...)
	}
	return all
}

func boots(tab int, word Word, inc int) []call {
	out := Output{Word: word, Inc: inc}
	calls := []call{{in: Input{Client: tab, Kind: StartBoot}, out: out}}
	if word == Ready || word == Lost || word == BootFailed || word == Failed {
		calls = append(calls, call{in: Input{Client: tab, Kind: EndBoot}, out: out})
	}
	return calls
}

func destroys(tab int, word Word) []call {
	calls := []call{{in: Input{Client: tab, Kind: StartDestroy}, out: Output{Word: word}}}
	if word == Done {
		calls = append(calls, call{in: Input{Client: tab, Kind: EndDestroy}, out: Output{Word: Done}})
	}
	return calls
}

func attaches(tab int, inc int) []call {
	return []call{{in: Input{Client: tab, Kind: Attach}, out: Output{Word: Attached, Inc: inc}}}
}

func isRefused(tab int, state string) []call {
	return []call{{in: Input{Client: tab, Kind: Attach}, out: Output{Word: Refused, State: state}}}
}

func looks(tab int, state string, inc int) []call {
	return []call{{in: Input{Client: tab, Kind: Look}, out: Output{Word: Done, State: state, Inc: inc}}}
}

func world(kind Kind, word Word, inc int) []call {
	return []call{{in: Input{Kind: kind}, out: Output{Word: word, Inc: inc}}}
}

// exampleHistory is one that looks wrong and is not: a boot that is answered although its caller was followed by a destroy, a tab that gets into the next incarnation without a boot, a boot whose
// caller left and which kept the pod awake, and a server that died before it answered.
func exampleHistory() []porcupine.Operation {
	return told(
		during(2, atOnce(boots(0, Ready, 1), boots(1, Lost, 0))),
		during(2, destroys(2, Done)),
		isRefused(0, "asleep"),
		boots(1, Unknown, 0),
		looks(0, "provisioning", 2),
		boots(2, Ready, 2),
		during(1, atOnce(attaches(1, 2), boots(0, Unknown, 0))),
		world(Crash, Done, 0),
		looks(3, "ready", 2),
		isRefused(1, "ready"),
		atOnce(boots(1, Ready, 2), destroys(3, Unknown)),
		looks(3, "asleep", 2),
	)
}

// Example judges a history that is written by hand, and gives porcupine's picture of it.
func Example() ([]byte, error) {
	history := exampleHistory()
	if porcupine.CheckOperationsTimeout(Model(May{}), history, pictureTime) != porcupine.Ok {
		return nil, fmt.Errorf("the example is none: no story of the table explains it")
	}
	return Picture(May{}, history)
}
