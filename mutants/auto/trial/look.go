package trial

import (
	"context"
	"strconv"

	"podlife/model/podruntime"
	"podlife/runtime/boot"
	"podlife/runtime/container"
	"podlife/runtime/container/simprograms"
	"podlife/runtime/engine"
	"podlife/runtime/pod"
)

// seen is a container as it really is.
type seen struct {
	id  engine.ID
	pod pod.ID
	inc int
	box podruntime.Container // without Script, which does not matter to any invariant
}

// look gives every container that the engine has.
func (m *machine) look() ([]seen, error) {
	list, err := m.engine.List(context.Background(), nil)
	if err != nil {
		return nil, err
	}
	var all []seen
	for _, c := range list {
		inc, err := strconv.Atoi(c.Labels[container.LabelIncarnation])
		if err != nil {
			return nil, err
		}
		s := seen{id: c.ID, pod: pod.ID(c.Labels[container.LabelPod]), inc: inc}
		switch c.State {
		case engine.Created:
			s.box.Box = podruntime.BoxCreated
		case engine.Running, engine.Paused:
			s.box.Box = podruntime.BoxRunning
		default:
			s.box.Box = podruntime.BoxDead
		}
		if s.box.Box == podruntime.BoxRunning {
			m.inside(&s)
		}
		all = append(all, s)
	}
	return all, nil
}

// inside looks at the container's disk.
func (m *machine) inside(s *seen) {
	files, ok := m.engine.Files(s.id)
	if !ok {
		return
	}
	content, err := files.Read(boot.MarkerPath) // first: what a script does between two looks makes what comes later more, and not less
	in := simprograms.Inside(files, m.recipe)
	switch {
	case in.Multiplexer && in.Repo && in.Hook:
		s.box.Setup = podruntime.SetupAll
	case in.Multiplexer || in.Hook:
		s.box.Setup = podruntime.SetupPart
	}
	if err != nil {
		return
	}
	s.box.Marker = podruntime.MarkerForeign
	marker, err := boot.ParseMarker(content)
	if err == nil && marker.Vouches(boot.Marker{Pod: string(s.pod), Incarnation: s.inc, Recipe: m.recipe.WithDefaults().Hash()}) == "" {
		s.box.Marker = podruntime.MarkerOwn
	}
}

// stored gives what the store holds of a pod.
func (m *machine) stored(id pod.ID) (podruntime.Record, error) {
	records, err := m.store.Load(context.Background())
	for _, r := range records {
		if r.Pod == id {
			return podruntime.Record{Inc: r.Inc, Awake: r.Awake}, err
		}
	}
	return podruntime.Record{}, err
}
