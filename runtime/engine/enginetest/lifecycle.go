package enginetest

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"podlife/runtime/engine"
)

func lifecycleClaims() []claim {
	return []claim{
		{"ping succeeds on an engine that is there", func(t *testing.T, s *subject) {
			if err := s.Engine.Ping(s.context(t)); err != nil {
				t.Error(err)
			}
		}},
		{"an engine that cannot be reached is Unavailable and never says that something is gone", unreachable},
		{"an image is seen or not seen, without pulling it", hasImage},
		{"create, inspect, start, inspect tell what was asked for", roundTrip},
		{"create with a taken name is a Conflict and leaves the holder alone", createConflict},
		{"create without its image is ImageMissing and leaves nothing", createNoImage},
		{"create of a spec that can never work is Invalid and leaves nothing", createInvalid},
		{"start twice is success", startTwice},
		{"a failed start is Failed, leaves its container and nothing else, and the name is free after its removal", startFailure},
		{"start of what is not there is NotFound", func(t *testing.T, s *subject) {
			id := s.create(t, s.spec())
			s.remove(t, id)
			wantKind(t, "start", s.Engine.Start(s.context(t), id), engine.NotFound)
		}},
		{"a container is addressed by its id, never by its name", byIDOnly},
		{"remove of a running container and of what is not there is success", removeIdempotent},
		{"ten removes at once all succeed", removeConcurrent},
		{"a name is free as soon as remove returned, twenty times", nameFree},
		{"list gives running and other containers that carry all labels, and no others", listByLabels},
		{"a container whose PID 1 was killed is Exited with 137", killedIsExited},
		{"a paused container is seen as Paused, takes no process and no start, and goes on when it is resumed", pausedIsAlive},
		{"a paused container can be removed", removePaused},
		{"a context that has ended is Canceled and has no effect", canceledCalls},
	}
}

func (s *subject) remove(t *testing.T, id engine.ID) {
	t.Helper()
	if err := s.Engine.Remove(s.context(t), id); err != nil {
		t.Fatalf("remove: %v", err)
	}
}

// listed gives the ids of this subject's containers.
func (s *subject) listed(t *testing.T, labels map[string]string) []engine.ID {
	t.Helper()
	cs, err := s.Engine.List(s.context(t), labels)
	if err != nil {
		t.Fatalf("list: %v", err)
	}
	var ids []engine.ID
	for _, c := range cs {
		ids = append(ids, c.ID)
	}
	return ids
}

func (s *subject) wantNothing(t *testing.T) {
	t.Helper()
	if ids := s.listed(t, s.Labels); len(ids) > 0 {
		t.Errorf("left behind: %v", ids)
	}
}

func unreachable(t *testing.T, s *subject) {
	ctx, e := s.context(t), s.Unreachable
	id := s.create(t, s.spec()) // an id of the right form
	check := func(op string, err error) { t.Helper(); wantKind(t, op, err, engine.Unavailable) }
	check("ping", e.Ping(ctx))
	_, err := e.HasImage(ctx, s.Image)
	check("hasimage", err)
	_, err = e.Image(ctx, s.Image)
	check("image", err)
	_, err = e.Create(ctx, s.spec())
	check("create", err)
	check("start", e.Start(ctx, id))
	_, err = e.Exec(ctx, id, engine.ExecSpec{Command: s.Echo})
	check("exec", err)
	_, err = e.Inspect(ctx, id)
	check("inspect", err)
	_, err = e.List(ctx, s.Labels)
	check("list", err)
	check("remove", e.Remove(ctx, id))
	check("watch", e.Watch(ctx, s.Labels, func() { t.Error("watch said ready") }, func(engine.Event) {}))
}

func hasImage(t *testing.T, s *subject) {
	for image, want := range map[string]bool{s.Image: true, s.MissingImage: false} {
		if got, err := s.Engine.HasImage(s.context(t), image); err != nil || got != want {
			t.Errorf("HasImage(%q) = %v, %v, want %v", image, got, err, want)
		}
	}
	_, err := s.Engine.Image(s.context(t), s.MissingImage)
	wantKind(t, "image", err, engine.ImageMissing)
	image, err := s.Engine.Image(s.context(t), s.Image)
	if err != nil || !strings.HasPrefix(image.ID, "sha256:") {
		t.Fatalf("%+v, %v", image, err)
	}
	c, err := s.Engine.Inspect(s.context(t), s.create(t, s.spec()))
	if err != nil {
		t.Fatal(err)
	}
	list, err := s.Engine.List(s.context(t), s.Labels)
	if err != nil || len(list) != 1 || list[0].ImageID != image.ID || c.ImageID != image.ID {
		t.Errorf("a container of it is listed as %+v, looks like %+v; %v", list, c, err)
	}
}

func roundTrip(t *testing.T, s *subject) {
	ctx, spec := s.context(t), s.spec()
	spec.Labels["extra"] = "value with spaces=and/marks"
	id := s.create(t, spec)
	look := func(want engine.State) {
		t.Helper()
		c, err := s.Engine.Inspect(ctx, id)
		if err != nil {
			t.Fatalf("inspect: %v", err)
		}
		if c.ID != id || c.Name != spec.Name || c.Image != spec.Image || !carries(c.Labels, spec.Labels) || c.State != want || c.Created.IsZero() {
			t.Errorf("got %+v, want id %s, state %s and the spec %+v", c, id, want, spec)
		}
	}
	look(engine.Created)
	if err := s.Engine.Start(ctx, id); err != nil {
		t.Fatalf("start: %v", err)
	}
	look(engine.Running)
}

func createConflict(t *testing.T, s *subject) {
	spec := s.spec()
	id := s.create(t, spec)
	_, err := s.Engine.Create(s.context(t), spec)
	wantKind(t, "second create", err, engine.Conflict)
	if got := s.listed(t, s.Labels); !slices.Equal(got, []engine.ID{id}) {
		t.Errorf("containers %v, want only %v", got, id)
	}
}

func createNoImage(t *testing.T, s *subject) {
	spec := s.spec()
	spec.Image = s.MissingImage
	_, err := s.Engine.Create(s.context(t), spec)
	wantKind(t, "create", err, engine.ImageMissing)
	s.wantNothing(t)
	spec.Image = s.Image
	s.create(t, spec) // the name was not kept
}

func createInvalid(t *testing.T, s *subject) {
	for what, spoil := range map[string]func(*engine.Spec){
		"no command":     func(x *engine.Spec) { x.Command = nil },
		"no image":       func(x *engine.Spec) { x.Image = "" },
		"bad name":       func(x *engine.Spec) { x.Name = "../up" },
		"host network":   func(x *engine.Spec) { x.Network = "host" },
		"relative mount": func(x *engine.Spec) { x.Mounts = []engine.Mount{{Source: "etc", Target: "/x"}} },
		"relative copy":  func(x *engine.Spec) { x.Copies = []engine.Copy{{Source: "etc", Target: "/x"}} },
		"mount on root":  func(x *engine.Spec) { x.Mounts = []engine.Mount{{Source: "/etc", Target: "/"}} },
		"bad env":        func(x *engine.Spec) { x.Env = []string{"NOVALUE"} },
		"negative limit": func(x *engine.Spec) { x.Limits.Pids = -1 },
	} {
		spec := s.spec()
		spoil(&spec)
		_, err := s.Engine.Create(s.context(t), spec)
		wantKind(t, what, err, engine.Invalid)
	}
	s.wantNothing(t)
}

func startTwice(t *testing.T, s *subject) {
	id := s.running(t)
	if err := s.Engine.Start(s.context(t), id); err != nil {
		t.Errorf("second start: %v", err)
	}
}

func startFailure(t *testing.T, s *subject) {
	spec := s.spec()
	spec.Command = s.Broken
	id := s.create(t, spec)
	wantKind(t, "start", s.Engine.Start(s.context(t), id), engine.Failed)
	c, err := s.Engine.Inspect(s.context(t), id)
	if err != nil || c.State == engine.Running {
		t.Errorf("after the failed start: %+v, %v; want a container that does not run", c, err)
	}
	if got := s.listed(t, s.Labels); !slices.Equal(got, []engine.ID{id}) {
		t.Errorf("containers %v, want only %v", got, id)
	}
	s.remove(t, id)
	s.wantNothing(t)
	spec.Command = s.Idle
	if err := s.Engine.Start(s.context(t), s.create(t, spec)); err != nil {
		t.Errorf("next start under the same name: %v", err)
	}
}

func byIDOnly(t *testing.T, s *subject) {
	ctx, spec := s.context(t), s.spec()
	id := s.create(t, spec)
	for _, wrong := range []engine.ID{engine.ID(spec.Name), id[:len(id)-1], "", "*", "../" + id} {
		_, err := s.Engine.Inspect(ctx, wrong)
		wantKind(t, "inspect", err, engine.NotFound)
		wantKind(t, "start", s.Engine.Start(ctx, wrong), engine.NotFound)
		_, err = s.Engine.Exec(ctx, wrong, engine.ExecSpec{Command: s.Echo})
		wantKind(t, "exec", err, engine.NotFound)
		if err := s.Engine.Remove(ctx, wrong); err != nil {
			t.Errorf("remove of %q: %v", wrong, err)
		}
	}
	if c, err := s.Engine.Inspect(ctx, id); err != nil || c.State != engine.Created {
		t.Errorf("after all that: %+v, %v", c, err)
	}
}

func removeIdempotent(t *testing.T, s *subject) {
	id := s.running(t)
	for range 3 {
		s.remove(t, id)
		_, err := s.Engine.Inspect(s.context(t), id)
		wantKind(t, "inspect", err, engine.NotFound)
	}
	s.wantNothing(t)
}

func removeConcurrent(t *testing.T, s *subject) {
	ctx, spec := s.context(t), s.spec()
	id := s.create(t, spec)
	if err := s.Engine.Start(ctx, id); err != nil {
		t.Fatalf("start: %v", err)
	}
	const callers = 10
	errs := make(chan error, callers)
	for range callers {
		go func() {
			err := s.Engine.Remove(ctx, id)
			if err == nil { // gone for each caller, not only for the one whose call did it
				if _, ierr := s.Engine.Inspect(ctx, id); engine.KindOf(ierr) != engine.NotFound {
					t.Errorf("after a remove that succeeded: inspect gives %v", ierr)
				}
			}
			errs <- err
		}()
	}
	for range callers {
		if err := <-errs; err != nil {
			t.Errorf("remove: %v", err)
		}
	}
	s.create(t, spec)
}

func nameFree(t *testing.T, s *subject) {
	spec := s.spec()
	for i := range 20 {
		id, err := s.Engine.Create(s.context(t), spec)
		if err != nil {
			t.Fatalf("round %d: create: %v", i, err)
		}
		if i%5 == 0 { // a running one takes longer to go away
			if err := s.Engine.Start(s.context(t), id); err != nil {
				t.Fatalf("round %d: start: %v", i, err)
			}
		}
		s.remove(t, id)
	}
}

func listByLabels(t *testing.T, s *subject) {
	ctx := s.context(t)
	with := func(v string) engine.ID {
		spec := s.spec()
		spec.Labels["n"] = v
		return s.create(t, spec)
	}
	created, running, killed, other := with("1"), with("1"), with("1"), with("2")
	for _, id := range []engine.ID{running, killed} {
		if err := s.Engine.Start(ctx, id); err != nil {
			t.Fatalf("start: %v", err)
		}
	}
	s.kill(t, killed)
	labels := maps.Clone(s.Labels)
	labels["n"] = "1"
	cs, err := s.Engine.List(ctx, labels)
	if err != nil {
		t.Fatalf("list: %v", err)
	}
	got := map[engine.ID]engine.State{}
	for _, c := range cs {
		got[c.ID] = c.State
		full, err := s.Engine.Inspect(ctx, c.ID)
		if err != nil || full.Name != c.Name || full.State != c.State || full.ExitCode != c.ExitCode || full.Image != c.Image || !maps.Equal(full.Labels, c.Labels) {
			t.Errorf("list says %+v, inspect says %+v, %v", c, full, err)
		}
	}
	want := map[engine.ID]engine.State{created: engine.Created, running: engine.Running, killed: engine.Exited}
	if !maps.Equal(got, want) {
		t.Errorf("listed %v, want %v", got, want)
	}
	if all := s.listed(t, s.Labels); len(all) != 4 || !slices.Contains(all, other) {
		t.Errorf("with fewer labels %v, want all four", all)
	}
	labels["n"] = "3"
	if none := s.listed(t, labels); len(none) != 0 {
		t.Errorf("with a label that none carries: %v", none)
	}
}

func killedIsExited(t *testing.T, s *subject) {
	id := s.running(t)
	s.kill(t, id)
	c, err := s.Engine.Inspect(s.context(t), id)
	if err != nil || c.State != engine.Exited || c.ExitCode != 137 || c.OOMKilled {
		t.Errorf("got %+v, %v, want exited with 137 and no OOM", c, err)
	}
}

func (s *subject) paused(t *testing.T) engine.ID {
	t.Helper()
	id := s.running(t)
	if err := s.Pause(s.context(t), id); err != nil {
		t.Fatalf("pause: %v", err)
	}
	return id
}

// Not running now is not gone: the disk and the processes of a paused container are all there.
func pausedIsAlive(t *testing.T, s *subject) {
	ctx, id := s.context(t), s.paused(t)
	_, err := s.Engine.Exec(ctx, id, engine.ExecSpec{Command: s.Echo})
	wantKind(t, "exec", err, engine.NotRunning)
	wantKind(t, "start", s.Engine.Start(ctx, id), engine.Failed)
	if c, err := s.Engine.Inspect(ctx, id); err != nil || c.State != engine.Paused {
		t.Errorf("inspect: %+v, %v, want it paused", c, err)
	}
	if cs, err := s.Engine.List(ctx, s.Labels); err != nil || len(cs) != 1 || cs[0].State != engine.Paused {
		t.Errorf("list: %+v, %v, want one paused container", cs, err)
	}
	if err := s.Unpause(ctx, id); err != nil {
		t.Fatalf("unpause: %v", err)
	}
	p := s.exec(t, id, engine.ExecSpec{Command: s.Print("on", "", 0)})
	if got := readAll(t, p); got != "on" {
		t.Errorf("after it was resumed: %q", got)
	}
}

func removePaused(t *testing.T, s *subject) {
	s.remove(t, s.paused(t))
	s.wantNothing(t)
}

func canceledCalls(t *testing.T, s *subject) {
	id := s.create(t, s.spec())
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	e := s.Engine
	check := func(op string, err error) { t.Helper(); wantKind(t, op, err, engine.Canceled) }
	_, err := e.Create(ctx, s.spec())
	check("create", err)
	check("ping", e.Ping(ctx))
	_, err = e.HasImage(ctx, s.Image)
	check("hasimage", err)
	check("start", e.Start(ctx, id))
	_, err = e.Exec(ctx, id, engine.ExecSpec{Command: s.Echo})
	check("exec", err)
	_, err = e.Inspect(ctx, id)
	check("inspect", err)
	_, err = e.List(ctx, s.Labels)
	check("list", err)
	check("remove", e.Remove(ctx, id))
	if err := e.Watch(ctx, s.Labels, func() {}, func(engine.Event) {}); err != nil {
		t.Errorf("watch: %v, want nil when its context ends", err)
	}
	c, err := e.Inspect(s.context(t), id)
	if err != nil || c.State != engine.Created {
		t.Errorf("after all that: %+v, %v, want a created container", c, err)
	}
	if got := s.listed(t, s.Labels); !slices.Equal(got, []engine.ID{id}) {
		t.Errorf("containers %v, want only %v", got, id)
	}
}
