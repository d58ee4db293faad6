package podruntime

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"podlife/model"
	"podlife/model/podlifecycle"
)

// withPast is a state, and what tla/PodRuntimeRefinement.tla remembers of the time before a crash: the pod, and the tabs of each life of the
// server, life by life.
type withPast struct {
	State
	pod  podlifecycle.Pod
	past podlifecycle.State
}

// refinement is the system of that module, SpecWithPast.
type refinement struct {
	c    Constants
	tabs int
}

func (r refinement) lives() int { return r.c.MaxCrashes + 1 }

// outside is the whole state as PodLifecycle has it: the clients of all lives of the server.
func (r refinement) outside(s withPast) podlifecycle.State {
	clients := make([]podlifecycle.Client, r.tabs*r.lives())
	for i := range clients {
		clients[i] = s.past.Client(i)
	}
	for i := range r.tabs {
		clients[i+r.tabs*s.Pod().Crashes] = s.Tab(i).Outside()
	}
	return podlifecycle.Pack(s.Pod().Outside(s.pod), clients...)
}

// step is a step of the table with NextPast beside it.
func (r refinement) step(of model.Step[State]) model.Step[withPast] {
	lifted := model.Lift(of.Action, of.Args, func(s withPast) State { return s.State }, func(s withPast, after State) withPast {
		switch {
		case after.crashes != s.crashes:
			s.past = r.outside(s)
			s.pod = s.past.Pod()
		case s.ctr == Unknown && after.ctr == Ready:
			s.past = r.answered(s)
		}
		s.State = after
		return s
	})
	return lifted
}

// answered is the module's Answered: a boot that was under way when the server died has succeeded, for one who waited for it.
func (r refinement) answered(s withPast) podlifecycle.State {
	if s.pod.Ctr == podlifecycle.Ready {
		return s.past
	}
	clients := make([]podlifecycle.Client, r.tabs*r.lives())
	done := false
	for i := range clients {
		clients[i] = s.past.Client(i)
		if !done && clients[i].Phase == podlifecycle.Booting && clients[i].BootInc == s.pod.Inc {
			clients[i].Phase, done = podlifecycle.Believes, true
		}
	}
	return podlifecycle.Pack(s.past.Pod(), clients...)
}

func (r refinement) system() model.System[withPast] {
	sys := model.System[withPast]{Name: Name, Init: []withPast{{}}}
	for _, step := range LiftTable(Table(r.c), r.c.MaxInc, r.tabs).Steps {
		sys.Steps = append(sys.Steps, r.step(step))
	}
	return sys
}

// outwardActions finds for each edge the action of PodLifecycle that it is, and gives those of each action of the server; "" is none.
func (r refinement) outwardActions(t *testing.T) (outward map[string]map[string]bool, distinct int) {
	t.Helper()
	contract := NewContract()
	outward = map[string]map[string]bool{}
	var states []withPast
	result, err := model.Explore(t.Context(), r.system(), model.Options[withPast]{
		Found: func(_ int, s withPast, _ int) { states = append(states, s) },
		Took: func(from, to int, step *model.Step[withPast]) {
			action, err := r.actionOf(contract, r.outside(states[from]), r.outside(states[to]))
			if err != nil && !t.Failed() {
				t.Errorf("%s %q from %v: %v", step.Name, step.Args, states[from].Label(r.tabs), err)
			}
			if outward[step.Name] == nil {
				outward[step.Name] = map[string]bool{}
			}
			outward[step.Name][action] = true
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return outward, result.Distinct
}

// actionOf is the action between two states of PodLifecycle, in which at most one client differs.
func (r refinement) actionOf(contract Contract, before, after podlifecycle.State) (string, error) {
	who, differ := 0, 0
	for i := range r.tabs * r.lives() {
		if before.Client(i) != after.Client(i) {
			who, differ = i, differ+1
		}
	}
	if differ > 1 {
		return "", fmt.Errorf("%d clients change at once", differ)
	}
	local := func(s podlifecycle.State) podlifecycle.Local {
		return podlifecycle.Local{Pod: s.Pod(), Client: s.Client(who)}
	}
	return contract.Action(local(before), local(after))
}

// From outside, every step of the server is a step that PodLifecycle allows, or none. A crash is not seen, and a tab that comes back after it
// is a new client.
func TestEveryStepIsOneOfPodLifecycleOrNone(t *testing.T) {
	visible := map[string]string{
		StartBoot: "StartBoot", FinishBoot: "FinishBoot", BootLost: "BootLost", AttachReady: "AttachReady", AttachGuarded: "AttachGuarded",
		Reconnect: "Reconnect", Destroy: "Sleep", IdleSleep: "Sleep", ContainerLost: "Sleep", BootFailed: "Sleep",
		// What was asleep is found asleep; what was ready, or what somebody's boot made ready, is found so.
		RecoverAsleep: " Sleep", RecoverReady: " FinishBoot",
	}
	for _, r := range []struct {
		refinement
		distinct int // as the checker finds in PodRuntimeRefinement
	}{
		{refinement{Constants{MaxInc: 1, MaxCrashes: 1, ImageMarked: true}, 1}, 4_816},
		{refinement{Constants{MaxInc: 1, MaxCrashes: 1, ImageMarked: true}, 2}, 174_017},
	} {
		outward, distinct := r.outwardActions(t)
		if distinct != r.distinct {
			t.Errorf("%d tabs: %d states, want %d", r.tabs, distinct, r.distinct)
		}
		for _, a := range Table(r.c).Actions {
			if a.Name == DialWakes {
				continue
			}
			got := strings.Join(slices.Sorted(maps.Keys(outward[a.Name])), " ")
			if got != visible[a.Name] || outward[a.Name] == nil {
				t.Errorf("%d tabs: %s is %q, want %q", r.tabs, a.Name, got, visible[a.Name])
			}
		}
	}
}

// What the outside may not see is found: a server that dials what it wakes gives terminals that PodLifecycle has no action for, and so on.
func TestAStepThatTheContractDoesNotAllowIsFound(t *testing.T) {
	contract := NewContract()
	for name, c := range map[string]struct{ before, after podlifecycle.Local }{
		"a terminal in a pod that sleeps": {
			podlifecycle.Local{Pod: podlifecycle.Pod{Inc: 1}, Client: podlifecycle.Client{Phase: podlifecycle.Believes, BootInc: 1}},
			podlifecycle.Local{Pod: podlifecycle.Pod{Inc: 1}, Client: podlifecycle.Client{Phase: podlifecycle.Attached, BootInc: 1, AttInc: 1}},
		},
		"a late reply": {
			podlifecycle.Local{Pod: podlifecycle.Pod{Ctr: podlifecycle.Provisioning, Inc: 2}, Client: podlifecycle.Client{Phase: podlifecycle.Booting, BootInc: 1}},
			podlifecycle.Local{Pod: podlifecycle.Pod{Ctr: podlifecycle.Ready, Inc: 2}, Client: podlifecycle.Client{Phase: podlifecycle.Believes, BootInc: 1}},
		},
		"an incarnation less": {
			podlifecycle.Local{Pod: podlifecycle.Pod{Inc: 2}}, podlifecycle.Local{Pod: podlifecycle.Pod{Inc: 1}},
		},
	} {
		action, err := contract.Action(c.before, c.after)
		var breach *BreachError
		if !errors.As(err, &breach) || breach.Before != c.before || action != "" {
			t.Errorf("%s: %q, %v", name, action, err)
		}
	}
}

func TestEachWrongServerBreaksTheContract(t *testing.T) {
	for off, broken := range map[string]bool{
		"BootLost.bootGone": true, "AttachGuarded.notReady": true, "Reconnect.attachGone": true, "StartBoot.stored": true,
		"FinishBoot.awake": true, "Destroy.awake": true, "StartBoot.idle": true,
		"ScriptMarks.allDone": false, // ready is a label to the outside
	} {
		r := refinement{Constants{MaxInc: 1, MaxCrashes: 1, ImageMarked: true, Off: []string{off}}, 1}
		contract, breaches := NewContract(), 0
		var states []withPast
		_, err := model.Explore(t.Context(), r.system(), model.Options[withPast]{
			Found: func(_ int, s withPast, _ int) { states = append(states, s) },
			Took: func(from, to int, _ *model.Step[withPast]) {
				if _, err := r.actionOf(contract, r.outside(states[from]), r.outside(states[to])); err != nil {
					breaches++
				}
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		if (breaches > 0) != broken {
			t.Errorf("without %s there are %d breaches", off, breaches)
		}
	}
}
