package lockstep

import (
	"maps"
	"math"
	"slices"

	"podlife/model"
	"podlife/model/podruntime"
	"podlife/runtime/pod"
)

// belief is what a server holds, as its committed steps make it by the table that ships: it learns later, or never, what the world has done.
type belief struct {
	table model.Table[podruntime.Local]
	pod   podruntime.Pod
	tabs  map[string]podruntime.Client
}

func newBelief() *belief {
	return &belief{
		table: podruntime.Table(podruntime.Constants{MaxInc: math.MaxInt, MaxCrashes: math.MaxInt}), tabs: map[string]podruntime.Client{},
	}
}

// take folds a committed step. The error is the table's refusal.
func (b *belief) take(s pod.Step) error {
	local := podruntime.Local{Pod: b.pod, Client: b.tabs[string(s.Client)], N: s.Inc}
	if s.Action == podruntime.IdleSleep || s.Action == podruntime.EndRun {
		local.Tabs = slices.Collect(maps.Values(b.tabs))
	}
	after, err := b.table.Take(s.Action, local)
	if err != nil {
		return err
	}
	b.pod = after.Pod
	if s.Client != "" {
		b.tabs[string(s.Client)] = after.Client
	}
	return nil
}

// forget is the death of the server. The next one holds what it finds: see finds.
func (b *belief) forget() {
	b.pod = podruntime.Pod{Ctr: podruntime.Unknown}
	clear(b.tabs)
}

// finds is what a server finds at its start: the record, and the containers as they are; in that of the stored incarnation it looks for the marker.
func (b *belief) finds(record podruntime.Record, truth map[int]podruntime.Container) {
	b.pod = podruntime.Pod{Ctr: podruntime.Unknown, Store: record}
	for n, box := range truth {
		i := podruntime.Inner{Box: podruntime.Container{Box: podruntime.BoxDead}}
		if box.Box == podruntime.BoxRunning {
			i.Box.Box = podruntime.BoxRunning
		}
		if i.Box.Box == podruntime.BoxRunning && record.Awake && record.Inc == n {
			switch box.Marker {
			case podruntime.MarkerOwn:
				i.Box.Setup, i.Box.Marker, i.Done = podruntime.SetupAll, box.Marker, true
			case podruntime.MarkerEarlier:
				i.Box.Setup, i.Box.Marker, i.Done = podruntime.SetupPart, box.Marker, true
			}
		}
		b.pod = b.pod.With(n, i)
	}
}
