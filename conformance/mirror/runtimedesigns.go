package mirror

import (
	"context"

	"podlife/model"
	"podlife/model/podlifecycle"
	"podlife/model/podruntime"
	"podlife/tla/module"
)

// A RuntimeDesign is one choice of constants for which tla/PodRuntime.tla and its table are held against each other.
type RuntimeDesign struct {
	Name string
	podruntime.Constants
	Tabs int
	// Draw is that of [Options]; the states beside those that are drawn differ from them in one component.
	Draw int
}

// RuntimeDesigns are those that `make check` compares: in each state that they reach, and in one of twenty also without each guard. A guard
// that is wrong where no right table gets shows only in the states beside those.
func RuntimeDesigns() []RuntimeDesign {
	ships := podruntime.Constants{MaxCrashes: 1, ImageMarked: true}
	one, two := ships, ships
	one.MaxInc, two.MaxInc = 2, 1
	return []RuntimeDesign{
		{Name: "PodRuntime, one tab", Constants: one, Tabs: 1, Draw: 20},
		{Name: "PodRuntime, two tabs", Constants: two, Tabs: 2, Draw: 20},
	}
}

// Compare holds the specification, read as m, against a table. The error is as those of [PodRuntime] and [Pair.Compare].
func (d RuntimeDesign) Compare(ctx context.Context, m *module.Module, table func(podruntime.Constants) model.Table[podruntime.Local]) (Report, error) {
	pair, err := PodRuntime(m, table(d.Constants), d.Constants, d.Tabs)
	if err != nil {
		return Report{}, err
	}
	return pair.Compare(ctx, Options[podruntime.State]{Draw: d.Draw, Beside: d.beside})
}

// beside gives two states that differ from s in one component. Which components those are goes round with the number of the state.
func (d RuntimeDesign) beside(number int, s podruntime.State) []podruntime.State {
	all := d.changes(s)
	n := number / max(d.Draw, 1)
	return []podruntime.State{all[2*n%len(all)], all[(2*n+1)%len(all)]}
}

// changes gives every state that differs from s in one component. The values are those of the specification's types, with the incarnation 0
// of a terminal that is somewhere, too.
func (d RuntimeDesign) changes(s podruntime.State) []podruntime.State {
	var all []podruntime.State
	pod, tabs := s.Pod(), s.Tabs(d.Tabs)
	ofPod := func(change func(*podruntime.Pod)) {
		p := pod
		change(&p)
		all = append(all, podruntime.Pack(p, tabs...))
	}
	each(podruntime.Ready, func(v podruntime.Ctr) { ofPod(func(p *podruntime.Pod) { p.Ctr = v }) })
	each(podruntime.WhyFailed, func(v podruntime.Why) { ofPod(func(p *podruntime.Pod) { p.Why = v }) })
	ofPod(func(p *podruntime.Pod) { p.Store.Awake = !p.Store.Awake })
	each(d.MaxInc, func(v int) {
		ofPod(func(p *podruntime.Pod) { p.Inc = v })
		ofPod(func(p *podruntime.Pod) { p.Store.Inc = v })
		ofPod(func(p *podruntime.Pod) { p.Settled = v })
	})
	each(d.MaxCrashes, func(v int) { ofPod(func(p *podruntime.Pod) { p.Crashes = v }) })
	for n := 1; n <= d.MaxInc; n++ {
		for _, i := range changesOfInner(pod.At(n).Inner) {
			all = append(all, podruntime.Pack(pod.With(n, i), tabs...))
		}
	}
	for i := range tabs {
		for _, c := range changesOfTab(tabs[i], d.MaxInc) {
			changed := s.Tabs(d.Tabs)
			changed[i] = c
			all = append(all, podruntime.Pack(pod, changed...))
		}
	}
	return all
}

func changesOfInner(i podruntime.Inner) []podruntime.Inner {
	var all []podruntime.Inner
	of := func(change func(*podruntime.Inner)) {
		changed := i
		change(&changed)
		all = append(all, changed)
	}
	each(podruntime.RunGone, func(v podruntime.Run) { of(func(i *podruntime.Inner) { i.Run = v }) })
	each(podruntime.TearRemove, func(v podruntime.Tear) { of(func(i *podruntime.Inner) { i.Tear = v }) })
	each(podruntime.BoxDead, func(v podruntime.Box) { of(func(i *podruntime.Inner) { i.Box.Box = v }) })
	each(podruntime.SetupAll, func(v podruntime.Setup) { of(func(i *podruntime.Inner) { i.Box.Setup = v }) })
	each(podruntime.MarkerForeign, func(v podruntime.Marker) { of(func(i *podruntime.Inner) { i.Box.Marker = v }) })
	each(podruntime.ScriptBad, func(v podruntime.Script) { of(func(i *podruntime.Inner) { i.Box.Script = v }) })
	each(uint8(2), func(v uint8) { of(func(i *podruntime.Inner) { i.Woken = v }) })
	of(func(i *podruntime.Inner) { i.Done = !i.Done })
	return all
}

func changesOfTab(c podruntime.Client, maxInc int) []podruntime.Client {
	var all []podruntime.Client
	of := func(change func(*podruntime.Client)) {
		changed := c
		change(&changed)
		all = append(all, changed)
	}
	each(podlifecycle.Attached, func(v podlifecycle.Phase) { of(func(c *podruntime.Client) { c.Phase = v }) })
	each(podruntime.AtOpen, func(v podruntime.At) { of(func(c *podruntime.Client) { c.Term.At = v }) })
	each(maxInc, func(v int) {
		of(func(c *podruntime.Client) { c.BootInc = v })
		of(func(c *podruntime.Client) { c.AttInc = v })
		of(func(c *podruntime.Client) { c.Term.Inc = v })
	})
	return all
}

// each calls f with each number from 0 to last.
func each[T ~int | ~uint8](last T, f func(T)) {
	for v := range int(last) + 1 {
		f(T(v))
	}
}
