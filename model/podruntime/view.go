package podruntime

import (
	"fmt"
	"strings"

	"podlife/model/podlifecycle"
)

// View is a state as the specification's variables, for people and for JSON. What is by the number of an incarnation has only those that are
// not as all are at first; Marker has words where the specification has numbers.
type View struct {
	Pod     PodView           `json:"pod"`
	Run     map[int]Run       `json:"run"`
	Tear    map[int]Tear      `json:"tear"`
	Client  map[string]Client `json:"client"` // by the client's name
	Store   Record            `json:"store"`
	Engine  map[int]Container `json:"engine"`
	Done    []int             `json:"done"` // ascending
	Woken   map[int]int       `json:"woken"`
	Settled int               `json:"settled"`
	Crashes int               `json:"crashes"`
}

// PodView is the specification's variable pod.
type PodView struct {
	Ctr Ctr `json:"ctr"`
	Inc int `json:"inc"`
	Why Why `json:"why"`
}

// ViewOf shows a pod and its tabs. It keeps the map.
func ViewOf(p Pod, tabs map[string]Client) View {
	v := View{
		Pod: PodView{p.Ctr, p.Inc, p.Why}, Client: tabs, Store: p.Store, Settled: p.Settled, Crashes: p.Crashes,
		Run: map[int]Run{}, Tear: map[int]Tear{}, Engine: map[int]Container{}, Done: []int{}, Woken: map[int]int{},
	}
	for _, i := range p.Incs {
		if i.Run != RunNone {
			v.Run[i.N] = i.Run
		}
		if i.Tear != TearNone {
			v.Tear[i.N] = i.Tear
		}
		if i.Box != (Container{}) {
			v.Engine[i.N] = i.Box
		}
		if i.Done {
			v.Done = append(v.Done, i.N)
		}
		if i.Woken != 0 {
			v.Woken[i.N] = int(i.Woken)
		}
	}
	return v
}

// State gives the pod that a view shows; its tabs are v.Client. An incarnation before 1 is left out, and more than two wakes are two.
func (v View) State() Pod {
	p := Pod{Ctr: v.Pod.Ctr, Inc: v.Pod.Inc, Why: v.Pod.Why, Store: v.Store, Settled: v.Settled, Crashes: v.Crashes}
	change := func(n int, set func(*Inner)) {
		i := p.At(n).Inner
		set(&i)
		p = p.With(n, i)
	}
	for n, run := range v.Run {
		change(n, func(i *Inner) { i.Run = run })
	}
	for n, tear := range v.Tear {
		change(n, func(i *Inner) { i.Tear = tear })
	}
	for n, box := range v.Engine {
		change(n, func(i *Inner) { i.Box = box })
	}
	for _, n := range v.Done {
		change(n, func(i *Inner) { i.Done = true })
	}
	for n, times := range v.Woken {
		change(n, func(i *Inner) { i.Woken = uint8(min(max(times, 0), 2)) })
	}
	return p
}

// View unpacks the pod and the first tabs.
func (s State) View(tabs int) View {
	client := map[string]Client{}
	for i := range tabs {
		client[podlifecycle.ClientName(i)] = s.Tab(i)
	}
	return ViewOf(s.Pod(), client)
}

// Label is a state in a few short lines, for a picture or a log: the pod with what its store holds, what is by the number of an incarnation,
// and the tabs.
func (s State) Label(tabs int) []string {
	p := s.Pod()
	stored := "asleep"
	if p.Store.Awake {
		stored = "awake"
	}
	lines := []string{fmt.Sprintf("%s %d (%s), stored %s %d", p.Ctr, p.Inc, p.Why, stored, p.Store.Inc)}
	for _, i := range p.Incs {
		var parts []string
		if i.Run != RunNone {
			parts = append(parts, "run "+i.Run.String())
		}
		if i.Tear != TearNone {
			parts = append(parts, i.Tear.String())
		}
		if b := i.Box; b != (Container{}) {
			parts = append(parts, fmt.Sprintf("%s, setup %s, marker %s, script %s", b.Box, b.Setup, b.Marker, b.Script))
		}
		if len(parts) > 0 {
			lines = append(lines, fmt.Sprintf("%d: %s", i.N, strings.Join(parts, "; ")))
		}
	}
	for i := range tabs {
		c := s.Tab(i)
		lines = append(lines, fmt.Sprintf("%s %s %d/%d %s %d", podlifecycle.ClientName(i), c.Phase, c.BootInc, c.AttInc, c.Term.At, c.Term.Inc))
	}
	return lines
}
