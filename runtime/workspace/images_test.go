package workspace_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"podlife/runtime/workspace"
)

// runs wants to know what alice's pod runs, and of which reference its next container is made.
func (r *rig) runs(name, running, next string, outdated bool) {
	r.t.Helper()
	i, _, err := r.Get("alice", name)
	if err != nil {
		r.t.Fatal(err)
	}
	if got := r.Running(r.t.Context(), i)[0]; got.Image.Reference != running || i.Image != next || got.Outdated != outdated {
		r.t.Errorf("%s runs %+v, next %s; want %q, %q, outdated %v", name, got, i.Image, running, next, outdated)
	}
}

// notAllowed wants an error that names what is allowed.
func notAllowed(t *testing.T, err error, allowed ...string) {
	t.Helper()
	var refused *workspace.ImageError
	if !errors.As(err, &refused) || !slices.Equal(refused.Allowed, allowed) {
		t.Errorf("%v, want a refusal that names %q", err, allowed)
	}
}

func (r *rig) restart() {
	r.t.Helper()
	r.stop()
	r.start()
}

func (r *rig) setImage(name, image string) error {
	_, err := r.Update(r.t.Context(), "alice", name, workspace.Change{Image: &image})
	return err
}

func TestAPodHasAnImageOfItsOwnFromItsNextStartOn(t *testing.T) {
	within(t, func(t *testing.T, r *rig) {
		r.images = []string{image, "other"}
		r.restart()
		for _, class := range workspace.Classes() {
			name := string(class)
			id := r.create(name, class).ID
			r.runs(name, "", image, false)
			r.boot(id)
			r.runs(name, image, image, false)
			if err := r.setImage(name, "other"); err != nil {
				t.Fatal(err)
			}
			r.boot(id) // which is awake, and stays what it is
			r.runs(name, image, "other", true)
			r.restart()
			r.runs(name, image, "other", true)
			if err := r.pods.Pod(id).Destroy(t.Context()); err != nil {
				t.Fatal(err)
			}
			r.runs(name, "", "other", false)
			r.boot(id)
			r.runs(name, "other", "other", false)
			if err := r.setImage(name, ""); err != nil {
				t.Fatal(err)
			}
			r.runs(name, "other", image, true)
		}
		if n := r.homes.count(); n != 1 {
			t.Errorf("%d homes", n)
		}
	})
}

func TestATagThatIsMovedLeavesWhatRunsOutdated(t *testing.T) {
	within(t, func(t *testing.T, r *rig) {
		id := r.create("a", "").ID
		r.boot(id)
		r.boot("alice") // the default one
		r.engine.Tag("third", image)
		time.Sleep(10 * time.Second)
		r.runs("a", image, image, true)
		r.runs(workspace.DefaultName, image, image, true)
		r.engine.Unavailable(true) // then nothing is known of where it leads
		time.Sleep(10 * time.Second)
		r.runs("a", image, image, false)
		r.engine.Unavailable(false)
		if err := r.pods.Pod(id).Destroy(t.Context()); err != nil {
			t.Fatal(err)
		}
		r.boot(id)
		time.Sleep(10 * time.Second)
		r.runs("a", image, image, false)
	})
}

func TestOnlyWhatIsAllowedIsAPodsImage(t *testing.T) {
	within(t, func(t *testing.T, r *rig) {
		_, err := r.Create(t.Context(), "alice", workspace.Request{Name: "a", Image: "other"})
		notAllowed(t, err, image) // there is no list
		r.images = []string{image, "other"}
		r.restart()
		_, err = r.Create(t.Context(), "alice", workspace.Request{Name: "a", Image: "third"})
		notAllowed(t, err, image, "other")
		i, err := r.Create(t.Context(), "alice", workspace.Request{Name: "a", Image: "other"})
		if err != nil || i.Image != "other" {
			t.Fatalf("%+v, %v", i, err)
		}
		notAllowed(t, r.setImage("a", "third"), image, "other")
		r.boot(i.ID)
		r.runs("a", "other", "other", false)
		if n := len(r.List("alice")); n != 2 {
			t.Errorf("%d pods", n)
		}
	})
}

// What runs when its image is taken off the list runs on; it starts again when it is given another.
func TestAnImageThatIsNotAllowedAnyMoreStartsNothing(t *testing.T) {
	within(t, func(t *testing.T, r *rig) {
		r.images = []string{image, "other"}
		r.restart()
		i, err := r.Create(t.Context(), "alice", workspace.Request{Name: "a", Class: workspace.Workspace, Image: "other"})
		if err != nil {
			t.Fatal(err)
		}
		r.boot(i.ID)
		r.images = nil
		r.restart()
		r.boot(i.ID)
		p := r.pods.Pod(i.ID)
		if err := p.Destroy(t.Context()); err != nil {
			t.Fatal(err)
		}
		steps, _ := p.Steps(0)
		_, err = p.Boot(t.Context(), "tab", nil)
		notAllowed(t, err, image)
		notAllowed(t, r.Access(t.Context(), i.ID, "tab"), image)
		if after, _ := p.Steps(0); len(after) != len(steps) || r.containersOf(i.ID) != 0 {
			t.Errorf("it took the steps %+v", after[len(steps):])
		}
		if err := r.setImage("a", ""); err != nil {
			t.Fatal(err)
		}
		r.boot(i.ID)
		r.runs("a", image, image, false)
	})
}
