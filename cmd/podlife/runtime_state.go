package main

// This file shows states of tla/PodRuntime.tla to people: "podlife check" and "podlife replay" do.

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"podlife/model/podlifecycle"
	"podlife/model/podruntime"
)

// fact is one thing that a state says, by the specification's name of it.
type fact struct{ name, value string }

// runtimeFacts are a state as names and values, in the specification's order. What is as at first is left out, but for pod, store and the phases of
// tabs.
func runtimeFacts(v podruntime.View) []fact {
	pod := fmt.Sprintf("%s %d", v.Pod.Ctr, v.Pod.Inc)
	if v.Pod.Why != podruntime.WhyNone {
		pod += fmt.Sprintf(" (%s)", v.Pod.Why)
	}
	facts := []fact{{"pod", pod}}
	for _, n := range slices.Sorted(maps.Keys(v.Run)) {
		facts = append(facts, fact{fmt.Sprintf("run[%d]", n), v.Run[n].String()})
	}
	for _, n := range slices.Sorted(maps.Keys(v.Tear)) {
		facts = append(facts, fact{fmt.Sprintf("tear[%d]", n), v.Tear[n].String()})
	}
	for _, name := range slices.Sorted(maps.Keys(v.Client)) {
		facts = append(facts, tabFacts(name, v.Client[name])...)
	}
	stored := "asleep"
	if v.Store.Awake {
		stored = "awake"
	}
	facts = append(facts, fact{"store", fmt.Sprintf("%s %d", stored, v.Store.Inc)})
	for _, n := range slices.Sorted(maps.Keys(v.Engine)) {
		facts = append(facts, containerFacts(fmt.Sprintf("engine[%d]", n), v.Engine[n])...)
	}
	return append(facts, historyFacts(v)...)
}

func tabFacts(name string, c podruntime.Client) []fact {
	phase := c.Phase.String()
	switch c.Phase {
	case podlifecycle.Booting, podlifecycle.Believes:
		phase += fmt.Sprintf(" %d", c.BootInc)
	case podlifecycle.Attached:
		phase += fmt.Sprintf(" to %d", c.AttInc)
	}
	facts := []fact{{name, phase}}
	if c.Term.At != podruntime.AtNone {
		facts = append(facts, fact{name + ".term", fmt.Sprintf("%s in %d", c.Term.At, c.Term.Inc)})
	}
	return facts
}

func containerFacts(name string, b podruntime.Container) []fact {
	facts := []fact{{name, b.Box.String()}}
	if b.Setup != podruntime.SetupNone {
		facts = append(facts, fact{name + ".setup", b.Setup.String()})
	}
	if b.Marker != podruntime.MarkerNone {
		facts = append(facts, fact{name + ".marker", b.Marker.String()})
	}
	if b.Script != podruntime.ScriptOff {
		facts = append(facts, fact{name + ".script", b.Script.String()})
	}
	return facts
}

func historyFacts(v podruntime.View) []fact {
	var facts []fact
	for _, n := range v.Done {
		facts = append(facts, fact{fmt.Sprintf("done[%d]", n), "all"})
	}
	for _, n := range slices.Sorted(maps.Keys(v.Woken)) {
		facts = append(facts, fact{fmt.Sprintf("woken[%d]", n), fmt.Sprint(v.Woken[n])})
	}
	if v.Settled > 0 {
		facts = append(facts, fact{"settled", fmt.Sprint(v.Settled)})
	}
	if v.Crashes > 0 {
		facts = append(facts, fact{"crashes", fmt.Sprint(v.Crashes)})
	}
	return facts
}

// runtimeInWords is a state in one line.
func runtimeInWords(v podruntime.View) string {
	var words []string
	for _, f := range runtimeFacts(v) {
		words = append(words, f.name+" "+f.value)
	}
	return strings.Join(words, "; ")
}

// runtimeChanges says what is different after a step: each as "name: before → after". "-" is what is as at first.
func runtimeChanges(before, after podruntime.View) []string {
	was, is := map[string]string{}, map[string]string{}
	var names []string
	for _, f := range runtimeFacts(after) {
		names, is[f.name] = append(names, f.name), f.value
	}
	for _, f := range runtimeFacts(before) {
		was[f.name] = f.value
		if is[f.name] == "" {
			names = append(names, f.name)
		}
	}
	var changes []string
	for _, name := range names {
		if was[name] != is[name] {
			changes = append(changes, fmt.Sprintf("%s: %s → %s", name, cmp.Or(was[name], "-"), cmp.Or(is[name], "-")))
		}
	}
	return changes
}
