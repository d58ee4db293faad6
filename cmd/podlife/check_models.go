package main

// This file says of each model that "podlife check" knows what the command needs of it: its system, and how its constants, states and counterexamples are shown.

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"podlife/conformance/tracecheck"
	"podlife/model"
	"podlife/model/explain"
	"podlife/model/graph"
	"podlife/model/podlifecycle"
	"podlife/model/podruntime"
	"podlife/model/trace"
)

// runtimeDefaultStates is how many states PodRuntime has with the default bounds, for the help; a test holds it against the explorer.
const runtimeDefaultStates = "64,481"

// checkModel is a model as the command explores it.
type checkModel[S comparable] struct {
	system     model.System[S]
	constants  checkJSON        // the fields that say which model it is, with which constants
	title      string           // the same in words
	note       string           // what is not looked at; "" is nothing
	label      func(S) []string // for a picture
	columns    []string         // of a counterexample, beside its steps and actions
	row        func(before *S, step model.PathStep[S]) []string
	call       func(action string, args []string) string
	writeTrace func(io.Writer, model.Violation[S]) error
}

func lifecycleModel(f checkFlags) (checkModel[podlifecycle.State], error) {
	c := podlifecycle.Constants{MaxInc: f.maxInc, GuardedAttach: f.guarded}
	sys, err := podlifecycle.System(c, f.clients)
	if err != nil {
		return checkModel[podlifecycle.State]{}, err
	}
	design := "guarded"
	if !c.GuardedAttach {
		design = "not guarded"
	}
	m := checkModel[podlifecycle.State]{
		system:    sys,
		constants: checkJSON{Table: podlifecycle.Name, Clients: f.clients, MaxInc: c.MaxInc, Guarded: &c.GuardedAttach},
		title:     fmt.Sprintf("%s, %d client(s), max-inc %d, %s", podlifecycle.Name, f.clients, c.MaxInc, design),
		label:     func(s podlifecycle.State) []string { return s.Label(f.clients) },
		columns:   []string{"ctr", "inc"},
		call:      graph.Call,
		writeTrace: func(w io.Writer, v model.Violation[podlifecycle.State]) error {
			return trace.Write(w, podlifecycle.TraceOf(c, f.clients, v))
		},
	}
	for i := range f.clients {
		m.columns = append(m.columns, podlifecycle.ClientName(i)+" (booted, attached)")
	}
	m.row = func(_ *podlifecycle.State, step model.PathStep[podlifecycle.State]) []string {
		pod := step.State.Pod()
		row := []string{pod.Ctr.String(), fmt.Sprint(pod.Inc)}
		for i := range f.clients {
			client := step.State.Client(i)
			row = append(row, fmt.Sprintf("%s (%d, %d)", client.Phase, client.BootInc, client.AttInc))
		}
		return row
	}
	return m, nil
}

func runtimeModel(f checkFlags) (checkModel[podruntime.State], error) {
	c := podruntime.Constants{MaxInc: f.maxInc, MaxCrashes: f.maxCrashes, ImageMarked: f.imageMarked, Off: f.off}
	sys, err := podruntime.System(c, f.clients)
	var unknown *podruntime.SwitchError
	if errors.As(err, &unknown) {
		err = hintAt(err, unknown.Name, podruntime.Switches())
	}
	if err != nil {
		return checkModel[podruntime.State]{}, err
	}
	title := fmt.Sprintf("%s, %d tab(s), max-inc %d, max-crashes %d", podruntime.Name, f.clients, c.MaxInc, c.MaxCrashes)
	if c.ImageMarked {
		title += ", an image with a marker"
	}
	if len(c.Off) > 0 {
		title += ", without " + strings.Join(c.Off, ", ")
	}
	return checkModel[podruntime.State]{
		system: sys,
		constants: checkJSON{
			Table: podruntime.Name, Clients: f.clients, MaxInc: c.MaxInc, MaxCrashes: &c.MaxCrashes, ImageMarked: &c.ImageMarked, Off: c.Off,
		},
		title:   title,
		note:    "Not looked at: its action properties, liveness, the refinement, and more than one pod; podlife tla check tla/" + podruntime.Name + ".tla does.",
		label:   func(s podruntime.State) []string { return s.Label(f.clients) },
		columns: []string{"what changes"},
		row: func(before *podruntime.State, step model.PathStep[podruntime.State]) []string {
			if before == nil {
				return []string{runtimeInWords(step.State.View(f.clients))}
			}
			return []string{strings.Join(runtimeChanges(before.View(f.clients), step.State.View(f.clients)), "; ")}
		},
		call: runtimeCall,
		writeTrace: func(w io.Writer, v model.Violation[podruntime.State]) error {
			return tracecheck.WritePath(w, runtimePath(v.Path, f.clients), c, v.Invariant)
		},
	}, nil
}

// runtimeCall is an action with its arguments, but for the pods, of which there is one.
func runtimeCall(action string, args []string) string {
	var shown []string
	for _, a := range args {
		if a != podruntime.PodName {
			shown = append(shown, a)
		}
	}
	return graph.Call(action, shown)
}

// runtimePath is a path of the explorer as steps by name.
func runtimePath(path []model.PathStep[podruntime.State], tabs int) []explain.Taken {
	var taken []explain.Taken
	for _, step := range path {
		t := explain.Taken{Pod: step.State.Pod(), Clients: step.State.View(tabs).Client, Recorded: -1}
		t.Action = step.Action
		for _, a := range step.Args {
			switch n := 0; {
			case a == podruntime.PodName:
			case isNumber(a, &n):
				t.N = n
			default:
				t.Client = a
			}
		}
		taken = append(taken, t)
	}
	return taken
}
