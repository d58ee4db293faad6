package model_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"podlife/model"
)

func lampSystem() model.System[lamp] {
	sys := model.System[lamp]{Name: "Lamp", Init: []lamp{{}}, Invariants: lampTable().Invariants}
	for _, a := range lampTable().Actions {
		sys.Steps = append(sys.Steps, model.Step[lamp]{Action: a})
	}
	return sys
}

// The lamp has 7 states: off after 0, 1, 2, 3 times, on after 1, 2, 3. By hand: On 3 edges; Off 3; Repair 3 from the dark ones
// with a fuse, 1 from {on, 3}, 2 from {off, 3}.
func TestExploreCountsEveryEdgeAndState(t *testing.T) {
	r, err := model.Explore(t.Context(), lampSystem(), model.Options[lamp]{Invariants: []string{"Counted"}})
	if err != nil || r.Violation != nil {
		t.Fatalf("explore: %v, violation %v", err, r.Violation)
	}
	if r.Distinct != 7 || r.Generated != 1+3+3+6 || r.Depth != 7 {
		t.Errorf("distinct %d, generated %d, depth %d; want 7, 13, 7", r.Distinct, r.Generated, r.Depth)
	}
	if want := []model.ActionCount{{"On", 3}, {"Off", 3}, {"Repair", 6}}; !slices.Equal(r.Edges, want) {
		t.Errorf("edges %v, want %v", r.Edges, want)
	}
	// fuse is evaluated only in the 4 states where off holds.
	want := []model.GuardCount{{"On", "off", 4, 3}, {"On", "fuse", 3, 1}, {"Off", "lit", 3, 4}, {"Repair", "needed", 5, 2}}
	if !slices.Equal(r.Guards, want) {
		t.Errorf("guards %v, want %v", r.Guards, want)
	}
}

func TestExploreFindsAShortestCounterexample(t *testing.T) {
	r, err := model.Explore(t.Context(), lampSystem(), model.Options[lamp]{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Violation == nil || r.Violation.Invariant != "Bright" {
		t.Fatalf("violation %+v, want one of Bright", r.Violation)
	}
	var actions []string
	for _, step := range r.Violation.Path {
		actions = append(actions, step.Action)
	}
	if want := []string{"", "On", "Off", "On", "Off", "On"}; !slices.Equal(actions, want) {
		t.Errorf("path %v, want %v", actions, want)
	}
	if last := r.Violation.Path[5].State; last != (lamp{true, 3}) {
		t.Errorf("path ends in %v", last)
	}
	if want := []model.AntecedentCount{{"Bright", 3}}; !slices.Equal(r.Antecedents, want) {
		t.Errorf("antecedents %v, want %v", r.Antecedents, want)
	}
}

func TestAnInitialStateCanBeTheCounterexample(t *testing.T) {
	sys := lampSystem()
	sys.Init = []lamp{{}, {true, 3}}
	r, err := model.Explore(t.Context(), sys, model.Options[lamp]{})
	if err != nil || r.Violation == nil {
		t.Fatalf("explore: %+v, %v", r, err)
	}
	if len(r.Violation.Path) != 1 || r.Violation.Path[0].State != (lamp{true, 3}) || r.Depth != 1 || r.Generated != 2 {
		t.Errorf("path %v, depth %d, generated %d", r.Violation.Path, r.Depth, r.Generated)
	}
}

func TestTooManyStatesIsNoVerdict(t *testing.T) {
	opts := model.Options[lamp]{Invariants: []string{}, MaxStates: 6}
	r, err := model.Explore(t.Context(), lampSystem(), opts)
	var limit *model.LimitError
	if !errors.As(err, &limit) || limit.MaxStates != 6 || r.Distinct != 6 {
		t.Errorf("6 of 7 states: %v with %d states", err, r.Distinct)
	}
	opts.MaxStates = 7
	if _, err := model.Explore(t.Context(), lampSystem(), opts); err != nil {
		t.Errorf("7 of 7 states: %v", err)
	}
}

func TestAnUnknownInvariantIsRefused(t *testing.T) {
	_, err := model.Explore(t.Context(), lampSystem(), model.Options[lamp]{Invariants: []string{"Counted", "Cheap"}})
	var unknown *model.UnknownInvariantError
	if !errors.As(err, &unknown) || unknown.Invariant != "Cheap" || !slices.Equal(unknown.Known, []string{"Counted", "Bright"}) {
		t.Errorf("explore: %v", err)
	}
}

func TestExploreStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := model.Explore(ctx, lampSystem(), model.Options[lamp]{}); !errors.Is(err, context.Canceled) {
		t.Errorf("explore: %v, want Canceled", err)
	}
}

func TestTheObserversSeeTheWholeGraphOnce(t *testing.T) {
	states, edges := map[int]lamp{}, map[[2]int]string{}
	opts := model.Options[lamp]{
		Invariants: []string{},
		Found: func(id int, s lamp, level int) {
			if id != len(states) || level < 1 {
				t.Errorf("state %d is found as number %d, level %d", len(states), id, level)
			}
			states[id] = s
		},
		Took: func(from, to int, step *model.Step[lamp]) {
			if got := step.Effect(states[from]); got != states[to] {
				t.Errorf("%s from %v is told to lead to %v, leads to %v", step.Name, states[from], states[to], got)
			}
			edges[[2]int{from, to}] = step.Name
		},
	}
	if _, err := model.Explore(t.Context(), lampSystem(), opts); err != nil {
		t.Fatal(err)
	}
	if len(states) != 7 || len(edges) != 11 {
		t.Errorf("%d states and %d edges, want 7 and 11", len(states), len(edges))
	}
}
