package enginetest

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"podlife/runtime/engine"
)

// folder is where the claims have their volumes.
const folder = "/data"

func volumeClaims() []claim {
	return []claim{
		{"a volume that was made is there with its labels, and making it again is success", volumeRoundTrip},
		{"a namesake without the labels is a Conflict, and stays as it is", volumeConflict},
		{"a volume that is not there is NotFound, and its removal is success", volumeNotThere},
		{"what a container writes into a volume is seen by the next one, and what it writes beside it is not", volumeSurvives},
		{"a volume that a container has is not removed, whether that runs or not", volumeInUse},
		{"volumes gives those that carry all labels, and no others", volumesByLabels},
		{"a container that names a volume that is missing gets an empty one without labels", volumeMissing},
		{"a missing volume that is made for a container carries the labels that were asked for, and one that is there keeps its own", volumeMissingLabels},
		{"a volume that can never work is Invalid and leaves nothing", volumeInvalid},
		{"volumes of an engine that cannot be reached are Unavailable", volumesUnreachable},
		{"a context that has ended is Canceled and changes no volume", volumesCanceled},
	}
}

// volumeName gives a name that was not used before.
func (s *subject) volumeName() string {
	s.names++
	return fmt.Sprintf("%s-%d-volume", s.Prefix, s.names)
}

func (s *subject) makeVolume(t *testing.T, name string, labels map[string]string) {
	t.Helper()
	if err := s.Engine.MakeVolume(s.context(t), name, labels); err != nil {
		t.Fatalf("make the volume: %v", err)
	}
}

// withVolume gives a new container that has the volume, and runs.
func (s *subject) withVolume(t *testing.T, name string) engine.ID {
	t.Helper()
	spec := s.spec()
	spec.Volumes = []engine.VolumeMount{{Name: name, Target: folder}}
	id := s.create(t, spec)
	if err := s.Engine.Start(s.context(t), id); err != nil {
		t.Fatalf("start: %v", err)
	}
	return id
}

// run runs a command to its end.
func (s *subject) run(t *testing.T, id engine.ID, command []string) (out string, code int) {
	t.Helper()
	p := s.exec(t, id, engine.ExecSpec{Command: command})
	out = readAll(t, p)
	code, err := p.Wait(s.context(t))
	if err != nil {
		t.Fatalf("wait for %q: %v", command, err)
	}
	return out, code
}

func (s *subject) write(t *testing.T, id engine.ID, path, text string) {
	t.Helper()
	if _, code := s.run(t, id, s.Write(path, text)); code != 0 {
		t.Fatalf("write %s: exit code %d", path, code)
	}
}

// wantVolume looks at a volume, and wants exactly these labels.
func (s *subject) wantVolume(t *testing.T, name string, labels map[string]string) {
	t.Helper()
	v, err := s.Engine.Volume(s.context(t), name)
	if err != nil || v.Name != name || !maps.Equal(v.Labels, labels) || v.Created.IsZero() {
		t.Errorf("volume %s: %+v, %v, want the labels %v", name, v, err, labels)
	}
}

func volumeRoundTrip(t *testing.T, s *subject) {
	name := s.volumeName()
	labels := maps.Clone(s.Labels)
	labels["extra"] = "value with spaces=and/marks"
	s.makeVolume(t, name, labels)
	s.wantVolume(t, name, labels)
	s.makeVolume(t, name, labels)
	s.makeVolume(t, name, s.Labels) // it carries all of these, and more
	s.wantVolume(t, name, labels)
}

func volumeConflict(t *testing.T, s *subject) {
	name := s.volumeName()
	s.makeVolume(t, name, map[string]string{"owner": "other"})
	first := s.withVolume(t, name)
	s.write(t, first, folder+"/work", "theirs")
	for _, labels := range []map[string]string{s.Labels, {"owner": "me"}, {"owner": "other", "and": "more"}, {"owner": ""}} {
		wantKind(t, "make the volume", s.Engine.MakeVolume(s.context(t), name, labels), engine.Conflict)
	}
	s.wantVolume(t, name, map[string]string{"owner": "other"})
	if out, code := s.run(t, first, s.Show(folder+"/work")); out != "theirs" || code != 0 {
		t.Errorf("what was in it: %q, %d", out, code)
	}
}

func volumeNotThere(t *testing.T, s *subject) {
	name := s.volumeName()
	for range 2 {
		_, err := s.Engine.Volume(s.context(t), name)
		wantKind(t, "volume", err, engine.NotFound)
		if err := s.Engine.RemoveVolume(s.context(t), name); err != nil {
			t.Errorf("remove: %v", err)
		}
		s.makeVolume(t, name, s.Labels)
		if err := s.Engine.RemoveVolume(s.context(t), name); err != nil {
			t.Errorf("remove: %v", err)
		}
	}
}

func volumeSurvives(t *testing.T, s *subject) {
	name := s.volumeName()
	s.makeVolume(t, name, s.Labels)
	first := s.withVolume(t, name)
	s.write(t, first, folder+"/work", "all of it")
	s.write(t, first, "/beside", "lost")
	s.remove(t, first)
	s.wantVolume(t, name, s.Labels)
	second := s.withVolume(t, name)
	if out, code := s.run(t, second, s.Show(folder+"/work")); out != "all of it" || code != 0 {
		t.Errorf("in the volume: %q, %d", out, code)
	}
	if _, code := s.run(t, second, s.Show("/beside")); code == 0 {
		t.Error("a file of the first container's own disk is there")
	}
	s.remove(t, second)
	if err := s.Engine.RemoveVolume(s.context(t), name); err != nil {
		t.Fatalf("remove: %v", err)
	}
	s.makeVolume(t, name, s.Labels)
	if _, code := s.run(t, s.withVolume(t, name), s.Show(folder+"/work")); code == 0 {
		t.Error("a volume that was removed has left something to its namesake")
	}
}

func volumeInUse(t *testing.T, s *subject) {
	name := s.volumeName()
	s.makeVolume(t, name, s.Labels)
	refused := func(what string) {
		t.Helper()
		wantKind(t, what, s.Engine.RemoveVolume(s.context(t), name), engine.Conflict)
		s.wantVolume(t, name, s.Labels)
	}
	spec := s.spec()
	spec.Volumes = []engine.VolumeMount{{Name: name, Target: folder}}
	id := s.create(t, spec)
	refused("of a container that was only made")
	if err := s.Engine.Start(s.context(t), id); err != nil {
		t.Fatalf("start: %v", err)
	}
	refused("of one that runs")
	s.kill(t, id)
	refused("of one that has ended")
	s.remove(t, id)
	if err := s.Engine.RemoveVolume(s.context(t), name); err != nil {
		t.Errorf("of none any more: %v", err)
	}
	_, err := s.Engine.Volume(s.context(t), name)
	wantKind(t, "volume", err, engine.NotFound)
}

func volumesByLabels(t *testing.T, s *subject) {
	with := func(v string) string {
		name, labels := s.volumeName(), maps.Clone(s.Labels)
		labels["n"] = v
		s.makeVolume(t, name, labels)
		return name
	}
	one, two, other := with("1"), with("1"), with("2")
	listed := func(labels map[string]string) (names []string) {
		t.Helper()
		vs, err := s.Engine.Volumes(s.context(t), labels)
		if err != nil {
			t.Fatalf("volumes: %v", err)
		}
		for _, v := range vs {
			if !strings.HasPrefix(v.Name, s.Prefix+"-") {
				continue
			}
			names = append(names, v.Name)
			if full, err := s.Engine.Volume(s.context(t), v.Name); err != nil || !maps.Equal(full.Labels, v.Labels) || !full.Created.Equal(v.Created) {
				t.Errorf("volumes says %+v, volume says %+v, %v", v, full, err)
			}
		}
		slices.Sort(names)
		return names
	}
	labels := maps.Clone(s.Labels)
	labels["n"] = "1"
	if got := listed(labels); !slices.Equal(got, sorted(one, two)) {
		t.Errorf("listed %v", got)
	}
	for _, fewer := range []map[string]string{s.Labels, nil} {
		if got := listed(fewer); !slices.Equal(got, sorted(one, two, other)) {
			t.Errorf("with fewer labels: %v", got)
		}
	}
	labels["n"] = "3"
	if got := listed(labels); len(got) != 0 {
		t.Errorf("with a label that none carries: %v", got)
	}
}

func sorted(names ...string) []string { return slices.Sorted(slices.Values(names)) }

func volumeMissing(t *testing.T, s *subject) {
	name := s.volumeName()
	s.makeVolume(t, name, s.Labels)
	first := s.withVolume(t, name)
	s.write(t, first, folder+"/work", "all of it")
	s.remove(t, first)
	if err := s.Engine.RemoveVolume(s.context(t), name); err != nil {
		t.Fatalf("remove: %v", err)
	}
	spec := s.spec()
	spec.Volumes = []engine.VolumeMount{{Name: name, Target: folder}}
	id := s.create(t, spec)
	s.wantVolume(t, name, nil) // already, before it starts
	if err := s.Engine.Start(s.context(t), id); err != nil {
		t.Fatalf("start: %v", err)
	}
	if _, code := s.run(t, id, s.Show(folder+"/work")); code == 0 {
		t.Error("it is not empty")
	}
	wantKind(t, "make the volume", s.Engine.MakeVolume(s.context(t), name, s.Labels), engine.Conflict)
}

func volumeMissingLabels(t *testing.T, s *subject) {
	name, there := s.volumeName(), s.volumeName()
	s.makeVolume(t, there, s.Labels)
	marked := maps.Clone(s.Labels)
	marked["in-place"] = "1"
	spec := s.spec()
	spec.Volumes = []engine.VolumeMount{{Name: name, Target: folder, Labels: marked}, {Name: there, Target: folder + "2", Labels: marked}}
	s.create(t, spec)
	s.wantVolume(t, name, marked)
	s.wantVolume(t, there, s.Labels)
}

func volumeInvalid(t *testing.T, s *subject) {
	good := engine.VolumeMount{Name: s.volumeName(), Target: folder}
	for what, volumes := range map[string][]engine.VolumeMount{
		"no name":            {{Target: folder}},
		"a path for a name":  {{Name: "/etc", Target: folder}},
		"no target":          {{Name: good.Name}},
		"a relative target":  {{Name: good.Name, Target: "data"}},
		"a target with dots": {{Name: good.Name, Target: "/data/../etc"}},
		"the root":           {{Name: good.Name, Target: "/"}},
		"the system's":       {{Name: good.Name, Target: "/etc"}},
		"in the system's":    {{Name: good.Name, Target: "/var/lib/data"}},
		"a running system's": {{Name: good.Name, Target: "/proc"}},
		"two at one place":   {good, {Name: good.Name + "x", Target: folder}},
		"over a mount":       {{Name: good.Name, Target: "/mounted"}},
		"over a copy":        {{Name: good.Name, Target: "/copied/to"}},
	} {
		spec := s.spec()
		spec.Volumes = volumes
		spec.Mounts = []engine.Mount{{Source: "/etc", Target: "/mounted/here"}}
		spec.Copies = []engine.Copy{{Source: "/etc/hostname", Target: "/copied/to"}}
		_, err := s.Engine.Create(s.context(t), spec)
		wantKind(t, what, err, engine.Invalid)
	}
	for _, name := range []string{"", "-x", "a b", "../x", "a/b", "x" + strings.Repeat("y", 128)} {
		wantKind(t, "make "+name, s.Engine.MakeVolume(s.context(t), name, nil), engine.Invalid)
		_, err := s.Engine.Volume(s.context(t), name)
		wantKind(t, "volume "+name, err, engine.Invalid)
		wantKind(t, "remove "+name, s.Engine.RemoveVolume(s.context(t), name), engine.Invalid)
	}
	s.wantNothing(t)
	_, err := s.Engine.Volume(s.context(t), good.Name)
	wantKind(t, "the volume that was named", err, engine.NotFound)
}

// eachVolumeCall makes every call about volumes.
func eachVolumeCall(ctx context.Context, e engine.Engine, name string, labels map[string]string, check func(op string, err error)) {
	check("makevolume", e.MakeVolume(ctx, name, labels))
	_, err := e.Volume(ctx, name)
	check("volume", err)
	_, err = e.Volumes(ctx, labels)
	check("volumes", err)
	check("removevolume", e.RemoveVolume(ctx, name))
}

func volumesUnreachable(t *testing.T, s *subject) {
	eachVolumeCall(s.context(t), s.Unreachable, s.volumeName(), s.Labels, func(op string, err error) {
		t.Helper()
		wantKind(t, op, err, engine.Unavailable)
	})
}

func volumesCanceled(t *testing.T, s *subject) {
	there, new := s.volumeName(), s.volumeName()
	s.makeVolume(t, there, s.Labels)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, name := range []string{there, new} {
		eachVolumeCall(ctx, s.Engine, name, s.Labels, func(op string, err error) {
			t.Helper()
			wantKind(t, op, err, engine.Canceled)
		})
	}
	s.wantVolume(t, there, s.Labels)
	_, err := s.Engine.Volume(s.context(t), new)
	wantKind(t, "volume", err, engine.NotFound)
}
