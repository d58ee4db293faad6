package workspace_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	model "podlife/model/workspace"
	"podlife/runtime/pod"
	"podlife/runtime/workspace"
)

func names(all []workspace.Info) (names []string) {
	for _, i := range all {
		names = append(names, i.Name+" "+string(i.Class))
	}
	return names
}

func TestAUserHasTheDefaultPodAndThoseThatTheyCreate(t *testing.T) {
	within(t, func(t *testing.T, r *rig) {
		eph, ws := r.create("web", workspace.Ephemeral), r.create("api", workspace.Workspace)
		if got := names(r.List("alice")); !slices.Equal(got, []string{"api workspace", "default ephemeral", "web ephemeral"}) {
			t.Errorf("alice has %q", got)
		}
		if got := names(r.List("bob")); !slices.Equal(got, []string{"default ephemeral"}) {
			t.Errorf("bob has %q", got)
		}
		if eph.Home != "" || ws.Home != "home-"+string(ws.ID) || r.homes.count() != 1 {
			t.Errorf("homes %q and %q, %d volumes", eph.Home, ws.Home, r.homes.count())
		}
		if _, _, err := r.Get("bob", "api"); !errors.Is(err, workspace.ErrNoPod) {
			t.Errorf("bob gets alice's: %v", err)
		}
		if volume, ok := r.Home(ws.ID); !ok || volume != ws.Home {
			t.Errorf("the home is %q, %v", volume, ok)
		}
		if _, ok := r.Home(eph.ID); ok {
			t.Error("an ephemeral pod has a home")
		}
	})
}

func TestWhatCanNeverBeAPodIsRefusedAndNothingIsMade(t *testing.T) {
	within(t, func(t *testing.T, r *rig) {
		r.create("taken", workspace.Ephemeral)
		var invalid *workspace.InvalidError
		for field, bad := range map[string][]workspace.Request{
			"name": {
				{}, {Name: "Web"}, {Name: "-a"}, {Name: "a-"}, {Name: "a.b"}, {Name: "a/b"}, {Name: "a\nb"}, {Name: strings.Repeat("a", 41)}, {Name: "ä"},
			},
			"class": {{Name: "a", Class: "forever"}, {Name: "a", Class: workspace.Ephemeral, Adopt: "v"}},
			"labels": {
				{Name: "a", Labels: map[string]string{"": "x"}}, {Name: "a", Labels: map[string]string{"a b": "x"}}, {Name: "a", Labels: map[string]string{"k": "a\x1b[31m"}},
				{Name: "a", Labels: map[string]string{"k": strings.Repeat("x", 129)}}, {Name: "a", Labels: map[string]string{"k": "\xff"}}, {Name: "a", Labels: tooManyLabels()},
			},
		} {
			for _, request := range bad {
				_, err := r.Create(t.Context(), "alice", request)
				if !errors.As(err, &invalid) || invalid.Field != field {
					t.Errorf("%+v: %v, want one about %s", request, err, field)
				}
			}
		}
		for _, name := range []string{"taken", "default"} {
			if _, err := r.Create(t.Context(), "alice", workspace.Request{Name: name}); !errors.Is(err, workspace.ErrNameTaken) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if _, err := r.Create(t.Context(), "bob", workspace.Request{Name: "taken"}); err != nil {
			t.Errorf("bob may not have a pod of the name of alice's: %v", err)
		}
		r.create("two", workspace.Ephemeral)
		r.create("three", workspace.Ephemeral)
		var many *workspace.TooManyError
		if _, err := r.Create(t.Context(), "alice", workspace.Request{Name: "four"}); !errors.As(err, &many) {
			t.Errorf("a fourth: %v", err)
		}
		if r.homes.count() != 0 || len(r.List("alice")) != 4 {
			t.Errorf("%d volumes, %q", r.homes.count(), names(r.List("alice")))
		}
	})
}

func tooManyLabels() map[string]string {
	labels := map[string]string{}
	for i := range workspace.MostLabels + 1 {
		labels[strings.Repeat("k", i+1)] = ""
	}
	return labels
}

// An access starts a stopped workspace, once for all who come at the same moment, and leaves an ephemeral pod asleep.
func TestAnAccessStartsAWorkspaceAndNothingElse(t *testing.T) {
	within(t, func(t *testing.T, r *rig) {
		eph, ws := r.create("web", workspace.Ephemeral), r.create("api", workspace.Workspace)
		var wg sync.WaitGroup
		for _, client := range []pod.ClientID{"a", "b", "c"} {
			wg.Go(func() {
				if err := r.Access(t.Context(), ws.ID, client); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if got := r.pods.Pod(ws.ID).Status(); got.Incarnation != 1 || r.containersOf(ws.ID) != 1 {
			t.Errorf("%+v, %d containers", got, r.containersOf(ws.ID))
		}
		if _, err := r.pods.Pod(ws.ID).Attach(t.Context(), "b", pod.ShellRequest{Attempt: "1", Tab: "main", Cols: 80, Rows: 24}); err != nil {
			t.Errorf("who has had access may not attach: %v", err)
		}
		for _, id := range []pod.ID{eph.ID, "alice"} {
			if err := r.Access(t.Context(), id, "a"); err != nil || r.containersOf(id) != 0 {
				t.Errorf("%s: %v, %d containers", id, err, r.containersOf(id))
			}
		}
	})
}

// What a delete has answered for is gone: container, volume, record, incarnations, lease; and the name is free for a pod that has nothing of the old one.
func TestADeleteLeavesNothing(t *testing.T) {
	within(t, func(t *testing.T, r *rig) {
		ws := r.create("api", workspace.Workspace)
		r.boot(ws.ID)
		if err := r.store.SaveLease(t.Context(), ws.ID, time.Now().Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Delete(t.Context(), "alice", "api", false); err != nil {
			t.Fatal(err)
		}
		records, err := r.store.Load(t.Context())
		leases, err2 := r.store.Leases(t.Context())
		named, err3 := r.store.NamedPods(t.Context())
		if err := errors.Join(err, err2, err3); err != nil || len(records)+len(leases)+len(named)+r.homes.count()+r.containersOf(ws.ID)+len(r.Kept("alice")) != 0 {
			t.Errorf("%v, left: %v, %v, %v, %d volumes, %d containers, kept %v", err, records, leases, named, r.homes.count(), r.containersOf(ws.ID), r.Kept("alice"))
		}
		again := r.create("api", workspace.Workspace)
		if again.ID == ws.ID || again.Home == ws.Home {
			t.Errorf("the next pod of this name is the same: %+v", again)
		}
		if r.boot(again.ID); r.containersOf(again.ID) != 1 {
			t.Error("the next pod of this name cannot be booted")
		}
	})
}

// Who boots a pod that is being deleted is refused, and the pod that was kept hold of stays dead.
func TestADeleteIsNotOvertakenByABoot(t *testing.T) {
	within(t, func(t *testing.T, r *rig) {
		ws := r.create("api", workspace.Workspace)
		p := r.pods.Pod(ws.ID)
		r.boot(ws.ID)
		r.homes.waits = make(chan struct{})
		deleted := make(chan error, 2)
		for range 2 { // the second joins
			go func() { _, err := r.Delete(t.Context(), "alice", "api", false); deleted <- err }()
		}
		synctest.Wait()
		if i, _, err := r.Get("alice", "api"); err != nil || i.Life != model.Going {
			t.Errorf("it is %+v, %v", i, err)
		}
		if _, err := p.Boot(t.Context(), "late", nil); !errors.Is(err, workspace.ErrGoing) {
			t.Errorf("a boot: %v", err)
		}
		if err := r.Access(t.Context(), ws.ID, "late"); !errors.Is(err, workspace.ErrGoing) {
			t.Errorf("an access: %v", err)
		}
		if _, err := r.Create(t.Context(), "alice", workspace.Request{Name: "api"}); !errors.Is(err, workspace.ErrNameTaken) {
			t.Errorf("its name: %v", err)
		}
		if _, err := r.Delete(t.Context(), "alice", "api", true); !errors.Is(err, workspace.ErrGoing) {
			t.Errorf("a delete that is to keep what the first does not: %v", err)
		}
		close(r.homes.waits)
		if err := errors.Join(<-deleted, <-deleted); err != nil {
			t.Error(err)
		}
		if _, err := p.Boot(t.Context(), "late", nil); !errors.Is(err, workspace.ErrGoing) || r.containersOf(ws.ID) != 0 {
			t.Errorf("a boot afterwards: %v, %d containers", err, r.containersOf(ws.ID))
		}
	})
}

// A volume that cannot be removed keeps its pod in sight with the reason, and is tried until it can be, also by the next server.
func TestAVolumeThatCannotBeRemovedStaysVisibleAndIsTriedAgain(t *testing.T) {
	within(t, func(t *testing.T, r *rig) {
		r.create("api", workspace.Workspace)
		r.homes.fail(errDisk)
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		var trouble *workspace.TroubleError
		if _, err := r.Delete(ctx, "alice", "api", false); !errors.As(err, &trouble) || !strings.Contains(err.Error(), errDisk.Error()) {
			t.Errorf("the delete says %v", err)
		}
		for range 2 {
			i, _, err := r.Get("alice", "api")
			if err != nil || i.Life != model.Going || !strings.Contains(i.Trouble, errDisk.Error()) {
				t.Errorf("it is %+v, %v", i, err)
			}
			r.stop()
			r.start()
			synctest.Wait()
		}
		r.homes.fail(nil)
		time.Sleep(time.Minute)
		if _, _, err := r.Get("alice", "api"); !errors.Is(err, workspace.ErrNoPod) || r.homes.count() != 0 {
			t.Errorf("it is still there: %v, %d volumes", err, r.homes.count())
		}
	})
}

// A volume that cannot be made yet is made later, also by the next server; until then the pod is in sight, and cannot be used.
func TestAVolumeThatCannotBeMadeIsTriedAgain(t *testing.T) {
	within(t, func(t *testing.T, r *rig) {
		r.homes.fail(errDisk)
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		var trouble *workspace.TroubleError
		if _, err := r.Create(ctx, "alice", workspace.Request{Name: "api", Class: workspace.Workspace}); !errors.As(err, &trouble) {
			t.Errorf("the create says %v", err)
		}
		i, _, err := r.Get("alice", "api")
		if err != nil || i.Life != model.Making || i.Trouble == "" {
			t.Errorf("it is %+v, %v", i, err)
		}
		if err := r.Access(t.Context(), i.ID, "a"); !errors.Is(err, workspace.ErrMaking) {
			t.Errorf("an access: %v", err)
		}
		if _, err := r.pods.Pod(i.ID).Boot(t.Context(), "a", nil); !errors.Is(err, workspace.ErrMaking) {
			t.Errorf("a boot: %v", err)
		}
		r.stop()
		r.homes.fail(nil)
		r.start()
		synctest.Wait()
		if i, _, err := r.Get("alice", "api"); err != nil || i.Life != model.There || i.Trouble != "" || r.homes.count() != 1 {
			t.Errorf("it is %+v, %v, %d volumes", i, err, r.homes.count())
		}
	})
}

func TestAKeptVolumeIsItsOwnersToAdoptOnce(t *testing.T) {
	within(t, func(t *testing.T, r *rig) {
		first := r.create("api", workspace.Workspace)
		if _, err := r.Delete(t.Context(), "alice", "api", true); err != nil {
			t.Fatal(err)
		}
		r.stop()
		r.start()
		if kept := r.Kept("alice"); len(kept) != 1 || kept[0].Volume != first.Home || kept[0].Pod != "api" || r.homes.count() != 1 {
			t.Fatalf("kept: %+v, %d volumes", kept, r.homes.count())
		}
		adopt := func(owner, name string) error {
			_, err := r.Create(t.Context(), owner, workspace.Request{Name: name, Adopt: first.Home})
			return err
		}
		if err := adopt("bob", "mine"); !errors.Is(err, workspace.ErrNoVolume) {
			t.Errorf("bob adopts alice's: %v", err)
		}
		if err := errors.Join(r.RemoveKept(t.Context(), "bob", first.Home)); !errors.Is(err, workspace.ErrNoVolume) {
			t.Errorf("bob removes alice's: %v", err)
		}
		if err := adopt("alice", "new"); err != nil {
			t.Error(err)
		}
		if err := adopt("alice", "newer"); !errors.Is(err, workspace.ErrNoVolume) {
			t.Errorf("it is adopted twice: %v", err)
		}
		i, _, err := r.Get("alice", "new")
		if err != nil || i.Home != first.Home || i.Class != workspace.Workspace || len(r.Kept("alice")) != 0 {
			t.Errorf("it is %+v, %v", i, err)
		}
		_, err = r.Delete(t.Context(), "alice", "new", true)
		if err := errors.Join(err, r.RemoveKept(t.Context(), "alice", first.Home)); err != nil || r.homes.count() != 0 {
			t.Errorf("%v, %d volumes", err, r.homes.count())
		}
	})
}

// A crash at any moment of a delete is gone on with by the next server.
// What was kept and is not there any more is told from what was never kept: by its owner, and by nobody else. Its removal forgets it, also over a restart.
func TestAKeptVolumeThatSomebodyHasRemovedAtTheEngineIsSaidToBeGoneAndForgotten(t *testing.T) {
	within(t, func(t *testing.T, r *rig) {
		volume := r.create("api", workspace.Workspace).Home
		if _, err := r.Delete(t.Context(), "alice", "api", true); err != nil {
			t.Fatal(err)
		}
		r.homes.removeByHand(volume)
		adopt := func(owner string) error {
			_, err := r.Create(t.Context(), owner, workspace.Request{Name: "new", Adopt: volume})
			return err
		}
		var gone *workspace.VolumeGoneError
		if err := adopt("alice"); !errors.As(err, &gone) || gone.Volume != volume || errors.Is(err, workspace.ErrNoVolume) {
			t.Errorf("its owner adopts it: %v", err)
		}
		if err := adopt("bob"); !errors.Is(err, workspace.ErrNoVolume) {
			t.Errorf("bob adopts it: %v", err)
		}
		if _, _, err := r.Get("alice", "new"); !errors.Is(err, workspace.ErrNoPod) || len(r.Kept("alice")) != 1 {
			t.Errorf("after that: %v, kept %v", err, r.Kept("alice"))
		}
		if err := r.RemoveKept(t.Context(), "alice", volume); err != nil || len(r.Kept("alice")) != 0 {
			t.Errorf("its removal: %v, kept %v", err, r.Kept("alice"))
		}
		r.stop()
		r.start()
		if err := adopt("alice"); !errors.Is(err, workspace.ErrNoVolume) || len(r.Kept("alice")) != 0 {
			t.Errorf("when it is forgotten: %v, kept %v", err, r.Kept("alice"))
		}
	})
}

// A home whose name is somebody else's volume at the engine by now: a delete that is to keep it has nothing to keep, and one that is to remove it says what is in its way.
func TestADeleteLeavesSomebodyElsesVolumeAlone(t *testing.T) {
	within(t, func(t *testing.T, r *rig) {
		first, second := r.create("one", workspace.Workspace), r.create("two", workspace.Workspace)
		r.homes.foreign = true
		if kept, err := r.Delete(t.Context(), "alice", "one", true); err != nil || kept != "" || len(r.Kept("alice")) != 0 {
			t.Errorf("kept %q, %v, %v", kept, err, r.Kept("alice"))
		}
		r.homes.fail(&workspace.ForeignVolumeError{Volume: second.Home})
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		var trouble *workspace.TroubleError
		if _, err := r.Delete(ctx, "alice", "two", false); !errors.As(err, &trouble) || !strings.Contains(err.Error(), "docker volume rm "+second.Home) {
			t.Errorf("the delete says %v", err)
		}
		if r.homes.count() != 2 || first.Home == second.Home {
			t.Errorf("%d volumes", r.homes.count())
		}
		r.homes.fail(nil)
		time.Sleep(time.Minute)
		if _, _, err := r.Get("alice", "two"); !errors.Is(err, workspace.ErrNoPod) {
			t.Errorf("it is still there: %v", err)
		}
	})
}

func TestADeleteOutlivesTheServer(t *testing.T) {
	within(t, func(t *testing.T, r *rig) {
		ws := r.create("api", workspace.Workspace)
		r.boot(ws.ID)
		r.homes.waits = make(chan struct{})
		ctx, cancel := context.WithCancel(t.Context())
		answered := make(chan error)
		go func() { _, err := r.Delete(ctx, "alice", "api", false); answered <- err }()
		synctest.Wait()
		r.stop()
		if err := <-answered; err == nil {
			t.Error("a server that is ending said that it is gone")
		}
		cancel()
		close(r.homes.waits)
		r.start()
		synctest.Wait()
		if _, _, err := r.Get("alice", "api"); !errors.Is(err, workspace.ErrNoPod) || r.homes.count()+r.containersOf(ws.ID) != 0 {
			t.Errorf("%v, %d volumes, %d containers", err, r.homes.count(), r.containersOf(ws.ID))
		}
	})
}

func TestTheDefaultPodIsNotDeleted(t *testing.T) {
	within(t, func(t *testing.T, r *rig) {
		if _, err := r.Delete(t.Context(), "alice", "default", false); !errors.Is(err, workspace.ErrDefault) {
			t.Error(err)
		}
		if _, err := r.Delete(t.Context(), "alice", "nope", false); !errors.Is(err, workspace.ErrNoPod) {
			t.Error(err)
		}
	})
}

// A pod's own idle timeout counts from when somebody did something last; the same again resets nothing; it outlives sleep, wake and a restart; and it shortens no lease.
func TestSettingsStayAndTheSameAgainResetsNothing(t *testing.T) {
	within(t, func(t *testing.T, r *rig) {
		ws := r.create("api", workspace.Workspace)
		set := func(d time.Duration) time.Time {
			t.Helper()
			i, err := r.Update(t.Context(), "alice", "api", workspace.Change{IdleTimeout: &d, Labels: map[string]string{"team": "blue"}})
			if err != nil || i.Status.IdleTimeout != d || i.Labels["team"] != "blue" {
				t.Errorf("%+v, %v", i, err)
			}
			return i.Status.SleepsAt
		}
		r.boot(ws.ID)
		booted := time.Now()
		want := booted.Add(time.Hour)
		if at := set(time.Hour); !at.Equal(want) {
			t.Errorf("it sleeps at %v, want %v", at, want)
		}
		time.Sleep(10 * time.Minute)
		if at := set(time.Hour); !at.Equal(want) {
			t.Errorf("the same again: it sleeps at %v, want %v", at, want)
		}
		if at := set(20 * time.Minute); !at.Equal(booted.Add(20 * time.Minute)) {
			t.Errorf("shorter: it sleeps at %v", at)
		}
		until, err := r.pods.Pod(ws.ID).Extend(t.Context(), 3*time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		if at := set(time.Minute); !at.Equal(until) {
			t.Errorf("it sleeps at %v, before the end of its lease at %v", at, until)
		}
		r.stop()
		r.start()
		if i, _, err := r.Get("alice", "api"); err != nil || i.Status.IdleTimeout != time.Minute || i.Labels["team"] != "blue" || !i.Status.LeaseUntil.Equal(until) {
			t.Errorf("after a restart: %+v, %v", i, err)
		}
		for _, d := range []time.Duration{-1, time.Second, 25 * time.Hour} {
			var invalid *workspace.InvalidError
			if _, err := r.Update(t.Context(), "alice", "api", workspace.Change{IdleTimeout: &d}); !errors.As(err, &invalid) {
				t.Errorf("%s: %v", d, err)
			}
		}
		for name, want := range map[string]error{"default": workspace.ErrDefault, "nope": workspace.ErrNoPod} {
			if _, err := r.Update(t.Context(), "alice", name, workspace.Change{}); !errors.Is(err, want) {
				t.Errorf("%s: %v", name, err)
			}
		}
		time.Sleep(4 * time.Hour)
		if r.containersOf(ws.ID) != 0 {
			t.Error("it does not sleep")
		}
	})
}
