package container_test

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"podlife/runtime/boot"
	"podlife/runtime/container"
	"podlife/runtime/engine"
	"podlife/runtime/pod"
	"podlife/runtime/workspace"
)

var second = pod.Incarnation{Pod: "alice", Inc: 2}

const aliceHome = "sim-alice-home"

// withHomes is containers in which every pod has a home of its own; alice's is made.
func withHomes(t *testing.T, test func(t *testing.T, s *sim)) {
	t.Helper()
	inBubble(t, nil, func(t *testing.T, s *sim) {
		s.options.Home = func(id pod.ID) (string, bool) { return s.HomeVolume(id), true }
		s.Containers = s.another("sim")
		if err := s.MakeHome(t.Context(), aliceHome, "alice"); err != nil {
			t.Fatal(err)
		}
		test(t, s)
	})
}

func (s *sim) launch(inc pod.Incarnation) pod.ContainerID {
	s.t.Helper()
	id, err := s.Launch(s.t.Context(), inc)
	if err != nil {
		s.t.Fatal(err)
	}
	return id
}

func (s *sim) write(id pod.ContainerID, name, text string) {
	s.t.Helper()
	f, ok := s.engine.Files(engine.ID(id))
	if !ok {
		s.t.Fatal("no container")
	}
	if err := f.Write(name, []byte(text)); err != nil {
		s.t.Fatal(err)
	}
}

func (s *sim) read(id pod.ContainerID, name string) string {
	s.t.Helper()
	f, ok := s.engine.Files(engine.ID(id))
	if !ok {
		s.t.Fatal("no container")
	}
	data, _ := f.Read(name) // nothing is as good as no file
	return string(data)
}

func (s *sim) remove(id pod.ContainerID) {
	s.t.Helper()
	if err := s.Remove(s.t.Context(), id); err != nil {
		s.t.Fatal(err)
	}
}

// volumes gives what the engine has, by name, with the number of labels.
func (s *sim) volumes() map[string]int {
	s.t.Helper()
	list, err := s.engine.Volumes(s.t.Context(), nil)
	if err != nil {
		s.t.Fatal(err)
	}
	got := map[string]int{}
	for _, v := range list {
		got[v.Name] = len(v.Labels)
	}
	return got
}

func TestWorkInAHomeIsThereInTheNextIncarnationAndNothingElseIs(t *testing.T) {
	withHomes(t, func(t *testing.T, s *sim) {
		id := s.launched()
		s.write(id, boot.HomePath+"/work", "all of it")
		s.write(id, "/tmp/work", "lost")
		s.remove(id)
		id = s.launch(second)
		if home, disk := s.read(id, boot.HomePath+"/work"), s.read(id, "/tmp/work"); home != "all of it" || disk != "" {
			t.Errorf("in the home %q, on the disk %q", home, disk)
		}
	})
}

func TestAPodWithoutAHomeHasNoVolume(t *testing.T) {
	for name, home := range map[string]func(pod.ID) (string, bool){"none has one": nil, "this one has none": func(pod.ID) (string, bool) { return "x", false }} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, nil, func(t *testing.T, s *sim) {
				s.options.Home = home
				s.Containers = s.another("sim")
				id := s.launched()
				if spec, _ := s.engine.Spec(engine.ID(id)); len(spec.Volumes) != 0 || len(s.volumes()) != 0 {
					t.Errorf("%v, and there are %v", spec.Volumes, s.volumes())
				}
			})
		})
	}
}

// The volume that an engine makes in the place of one that is missing looks like a home in which all work is lost.
func TestALaunchWithoutItsHomeStartsNothingAndLeavesNothing(t *testing.T) {
	for name, c := range map[string]struct {
		lose func(t *testing.T, s *sim)
		left map[string]int // volumes, with the number of their labels
	}{
		"removed before": {lose: func(*testing.T, *sim) {}},
		"removed while the container is made": {lose: func(t *testing.T, s *sim) {
			if err := s.MakeHome(t.Context(), aliceHome, "alice"); err != nil {
				t.Fatal(err)
			}
			release, entered := s.engine.Hold("create", nil)
			go func() { // ends with the call, which the test makes
				<-entered
				if err := s.engine.RemoveVolume(t.Context(), aliceHome); err != nil {
					t.Error(err)
				}
				release()
			}()
		}},
		"a namesake without labels":  {left: map[string]int{aliceHome: 0}, lose: func(t *testing.T, s *sim) { s.makeVolume(nil) }},
		"a namesake of other labels": {left: map[string]int{aliceHome: 1}, lose: func(t *testing.T, s *sim) { s.makeVolume(map[string]string{"backup": "1"}) }},
		"ours, but none that was made for a home": {left: map[string]int{aliceHome: 1}, lose: func(t *testing.T, s *sim) {
			s.makeVolume(map[string]string{container.LabelInstance: "sim"})
		}},
		"another server's home": {left: map[string]int{aliceHome: 3}, lose: func(t *testing.T, s *sim) {
			if err := s.another("other").MakeHome(t.Context(), aliceHome, "alice"); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			withHomes(t, func(t *testing.T, s *sim) {
				if err := s.engine.RemoveVolume(t.Context(), aliceHome); err != nil {
					t.Fatal(err)
				}
				c.lose(t, s)
				_, err := s.Launch(t.Context(), first)
				if failed := want[*pod.BootError](t, err); failed.Step != "start" {
					t.Error(failed)
				}
				missing := want[*container.HomeMissingError](t, err)
				if missing.Volume != aliceHome || missing.Other != (c.left != nil) || !strings.Contains(err.Error(), aliceHome) || !strings.Contains(err.Error(), "backup") {
					t.Errorf("%+v: %v", missing, err)
				}
				if found, err := s.List(t.Context()); len(found) != 0 || err != nil || s.engine.Calls("start") != 0 {
					t.Errorf("left: %v, %v, and %d were started", found, err, s.engine.Calls("start"))
				}
				if got := s.volumes(); !maps.Equal(got, c.left) {
					t.Errorf("volumes %v, want %v", got, c.left)
				}
			})
		})
	}
}

func (s *sim) makeVolume(labels map[string]string) {
	s.t.Helper()
	if err := s.engine.MakeVolume(s.t.Context(), aliceHome, labels); err != nil {
		s.t.Fatal(err)
	}
}

// What cannot be looked at is not taken for missing: the next launch may find it.
func TestAHomeThatCannotBeSeenIsNotTakenForMissing(t *testing.T) {
	away := &engine.Error{Op: "volume", Kind: engine.Unavailable}
	for name, lose := range map[string]func(s *sim){
		"before anything": func(s *sim) { s.engine.FailNext("volume", away) },
		"with a container made": func(s *sim) {
			release, entered := s.engine.HoldAfter("create", nil)
			go func() { // ends with the call, which the test makes
				<-entered
				s.engine.FailNext("volume", away)
				release()
			}()
		},
		"with a container made, until the clean-up too": func(s *sim) { s.goesAwayAfterCreate() },
	} {
		t.Run(name, func(t *testing.T) {
			withHomes(t, func(t *testing.T, s *sim) {
				lose(s)
				_, err := s.Launch(t.Context(), first)
				wantUnknown(t, err)
				if missing := new(container.HomeMissingError); errors.As(err, &missing) {
					t.Errorf("taken for missing: %v", err)
				}
				s.engine.Unavailable(false)
				id := s.launched()
				if found, err := s.List(t.Context()); err != nil || len(found) != 1 || found[0].Container != id {
					t.Errorf("after the next launch: %v, %v, want only %s", found, err, id)
				}
			})
		})
	}
}

// A launch that fails for another reason does not cost the home.
func TestAFailedLaunchKeepsTheHome(t *testing.T) {
	for _, op := range []string{"create", "start"} {
		withHomes(t, func(t *testing.T, s *sim) {
			id := s.launched()
			s.write(id, boot.HomePath+"/work", "all of it")
			s.remove(id)
			s.engine.FailNext(op, errors.New("boom"))
			if _, err := s.Launch(t.Context(), second); err == nil {
				t.Fatal("it did not fail")
			}
			if got := s.read(s.launch(second), boot.HomePath+"/work"); got != "all of it" {
				t.Errorf("after a failed %s: %q", op, got)
			}
		})
	}
}

func TestHomesAreMadeOnceListedAndRemoved(t *testing.T) {
	withHomes(t, func(t *testing.T, s *sim) {
		ctx := t.Context()
		for _, id := range []pod.ID{"bob", "alice", "bob"} {
			if err := s.MakeHome(ctx, s.HomeVolume(id), id); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.another("other").MakeHome(ctx, "elsewhere", "alice"); err != nil {
			t.Fatal(err)
		}
		if err := s.engine.MakeVolume(ctx, "no-home", map[string]string{container.LabelInstance: "sim"}); err != nil {
			t.Fatal(err)
		}
		homes := []container.Home{{Volume: aliceHome, Pod: "alice"}, {Volume: "sim-bob-home", Pod: "bob"}}
		if got, err := s.Homes(ctx); err != nil || !slices.Equal(got, homes) {
			t.Errorf("homes %v, %v", got, err)
		}
		id := s.launched()
		used := want[*workspace.VolumeInUseError](t, s.RemoveHome(ctx, aliceHome))
		if used.Volume != aliceHome || engine.KindOf(used) != engine.Conflict {
			t.Errorf("%v", used)
		}
		s.remove(id)
		for range 2 {
			if err := s.RemoveHome(ctx, aliceHome); err != nil {
				t.Error(err)
			}
		}
		if got, err := s.Homes(ctx); err != nil || !slices.Equal(got, homes[1:]) {
			t.Errorf("in the end %v, %v", got, err)
		}
	})
}

func TestAHomeThatHasAnothersNameIsNeitherMadeNorRemoved(t *testing.T) {
	withHomes(t, func(t *testing.T, s *sim) {
		other := s.another("other")
		if err := other.MakeHome(t.Context(), aliceHome, "alice"); engine.KindOf(err) != engine.Conflict || !strings.Contains(err.Error(), "name prefix") {
			t.Errorf("made: %v", err)
		}
		if err := s.MakeHome(t.Context(), aliceHome, "bob"); engine.KindOf(err) != engine.Conflict {
			t.Errorf("made for another pod: %v", err)
		}
		if foreign := want[*workspace.ForeignVolumeError](t, other.RemoveHome(t.Context(), aliceHome)); foreign.Volume != aliceHome {
			t.Errorf("%+v", foreign)
		}
		if got := s.volumes(); got[aliceHome] != 3 {
			t.Errorf("left: %v", got)
		}
	})
}

// A volume that somebody made is theirs, whatever it is called: what has none of our labels is neither taken for a home nor removed as one.
func TestAVolumeOfAHomesNameThatIsNotOursIsNeverRemoved(t *testing.T) {
	for name, labels := range map[string]map[string]string{"without labels": nil, "with other labels": {"backup": "1"}, "ours, but no home": {container.LabelInstance: "sim"}} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, nil, func(t *testing.T, s *sim) {
				s.makeVolume(labels)
				foreign := want[*workspace.ForeignVolumeError](t, s.RemoveHome(t.Context(), aliceHome))
				if foreign.Volume != aliceHome || !strings.Contains(foreign.Error(), aliceHome) || !strings.Contains(foreign.Error(), "docker volume rm") {
					t.Errorf("%+v: %v", foreign, foreign)
				}
				_, err := s.HasHome(t.Context(), aliceHome)
				want[*workspace.ForeignVolumeError](t, err)
				if got := s.volumes(); len(got) != 1 {
					t.Errorf("left: %v", got)
				}
			})
		})
	}
}

// It is what a server leaves that died after the engine had made one in the place of a home, and before it could look.
func TestTheEmptyVolumeThatTheEngineMadeInThePlaceOfAHomeGoesWithIt(t *testing.T) {
	withHomes(t, func(t *testing.T, s *sim) {
		if err := s.engine.RemoveVolume(t.Context(), aliceHome); err != nil {
			t.Fatal(err)
		}
		spec := s.emptyHomeSpec(t)
		id, err := s.engine.Create(t.Context(), spec)
		if err == nil {
			err = s.engine.Remove(t.Context(), id)
		}
		if err != nil || len(s.volumes()) != 1 {
			t.Fatalf("%v, volumes %v", err, s.volumes())
		}
		want[*pod.BootError](t, func() error { _, err := s.Launch(t.Context(), first); return err }())
		if there, err := s.HasHome(t.Context(), aliceHome); err != nil || !there {
			t.Errorf("it is taken for somebody else's: %v, %v", there, err)
		}
		if err := s.RemoveHome(t.Context(), aliceHome); err != nil || len(s.volumes()) != 0 {
			t.Errorf("%v, left %v", err, s.volumes())
		}
	})
}

// emptyHomeSpec is a container as a launch of alice's makes it.
func (s *sim) emptyHomeSpec(t *testing.T) engine.Spec {
	t.Helper()
	if err := s.MakeHome(t.Context(), aliceHome, "alice"); err != nil {
		t.Fatal(err)
	}
	id := s.launch(first)
	spec, _ := s.engine.Spec(engine.ID(id))
	s.remove(id)
	if err := s.engine.RemoveVolume(t.Context(), aliceHome); err != nil {
		t.Fatal(err)
	}
	return spec
}

func TestHomesOfAnEngineThatCannotBeReachedAreUnseen(t *testing.T) {
	withHomes(t, func(t *testing.T, s *sim) {
		s.engine.Unavailable(true)
		want[*pod.UnseenError](t, s.MakeHome(t.Context(), aliceHome, "alice"))
		want[*pod.UnseenError](t, s.RemoveHome(t.Context(), aliceHome))
		_, err := s.Homes(t.Context())
		want[*pod.UnseenError](t, err)
		s.engine.Unavailable(false)
		s.engine.FailNext("removevolume", &engine.Error{Op: "removevolume", Kind: engine.Unavailable})
		want[*pod.UnseenError](t, s.RemoveHome(t.Context(), aliceHome))
	})
}

func TestEveryPodsHomeHasANameOfItsOwnThatAnEngineTakes(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, s *sim) {
		s.options.NamePrefix = strings.Repeat("p", 32)
		c, seen := s.another("sim"), map[string]bool{}
		for _, id := range []pod.ID{"a", "a-home", "home", "a-1", pod.ID(strings.Repeat("x", 64))} {
			name := c.HomeVolume(id)
			if err := engine.ValidateVolume(name); err != nil || seen[name] {
				t.Errorf("%s: %s, %v", id, name, err)
			}
			seen[name] = true
		}
	})
}

// Who works in a container is root there, and may write into the home whatever there is, and what there may be one day.
func TestAMarkerInAHomeNeverVouchesForTheNextContainer(t *testing.T) {
	withHomes(t, func(t *testing.T, s *sim) {
		id := s.booted()
		forged := boot.Marker{Pod: "alice", Incarnation: second.Inc, Recipe: s.RecipeHash()}.Format()
		for _, dir := range []string{"", boot.RunDir, "/var/lib/podlife"} {
			s.write(id, boot.HomePath+dir+"/marker", s.read(id, boot.MarkerPath))
			s.write(id, boot.HomePath+dir+"/marker.2", string(forged))
		}
		s.write(id, boot.HomePath+"/work", "all of it")
		s.remove(id)

		id = s.launch(second)
		if np := want[*pod.NotProvisionedError](t, s.Provisioned(t.Context(), id, second)); np.Reason != string(boot.MarkerMissing) {
			t.Error(np)
		}
		_, err := s.Shell(t.Context(), id, second, request("one"))
		want[*pod.NotProvisionedError](t, err)
		var steps []string
		if err := s.Boot(t.Context(), id, second, func(p pod.Progress) { steps = append(steps, p.Step+" "+string(p.Status)) }); err != nil {
			t.Fatal(err)
		}
		for _, step := range []string{"packages done", "marker done"} {
			if !slices.Contains(steps, step) {
				t.Errorf("without %q: %v", step, steps)
			}
		}
		if err := s.Provisioned(t.Context(), id, second); err != nil {
			t.Error(err)
		}
		if got := s.read(id, boot.HomePath+"/work"); got != "all of it" {
			t.Errorf("the work is %q", got)
		}
	})
}
