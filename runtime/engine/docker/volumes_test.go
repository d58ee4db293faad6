package docker

import (
	"context"
	"crypto/rand"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"podlife/runtime/engine"
)

// The files that an image has in its user's home are the user's, in a home on a volume too; what is there is never written over.
func TestDockerAnEmptyVolumeGetsWhatTheImageHasAtItsTarget(t *testing.T) {
	e := realEngine(t)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	name := testPrefix + strings.ToLower(rand.Text())
	labels := map[string]string{suiteLabel: "1", runLabel: name}
	if err := e.MakeVolume(ctx, name, labels); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.RemoveVolume(context.Background(), name); err != nil {
			t.Error(err)
		}
	})
	for i, want := range []string{"of the image", "the user's own"} {
		id, err := e.Create(ctx, engine.Spec{
			Name: name, Image: testImage, Network: "none", Command: []string{"sleep", "1000"}, Labels: labels,
			Volumes: []engine.VolumeMount{{Name: name, Target: "/root"}},
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = e.Remove(context.Background(), id) })
		if err := e.Start(ctx, id); err != nil {
			t.Fatal(err)
		}
		p, err := e.Exec(ctx, id, engine.ExecSpec{Command: []string{"sh", "-c", "cat /root/.profile; echo mine >/root/.profile"}})
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(p)
		if err != nil {
			t.Fatal(err)
		}
		if first := len(got) > len("mine\n"); first != (i == 0) {
			t.Errorf("%s: the home's .profile is %q", want, got)
		}
		if err := e.Remove(ctx, id); err != nil {
			t.Fatal(err)
		}
	}
}

// Between the daemon's answer and the look somebody may remove it, which is no success.
func TestAVolumeThatVanishesWhileItIsMadeIsAFailure(t *testing.T) {
	d := newFakeDaemon(t)
	d.on("POST /volumes/create", answer(http.StatusCreated, map[string]any{"Name": "home"}))
	d.on("GET /volumes/home", answer(http.StatusNotFound, "no such volume"))
	if err := d.engine.MakeVolume(t.Context(), "home", nil); engine.KindOf(err) != engine.Failed {
		t.Errorf("got %v", err)
	}
}

// Nothing is known of a volume that could not be looked at, whatever was answered before.
func TestAVolumeThatCouldNotBeLookedAtIsNotMade(t *testing.T) {
	d := newFakeDaemon(t)
	d.on("POST /volumes/create", answer(http.StatusCreated, map[string]any{"Name": "home"}))
	d.on("GET /volumes/home", hangUp)
	if err := d.engine.MakeVolume(t.Context(), "home", nil); engine.KindOf(err) != engine.Unavailable {
		t.Errorf("got %v", err)
	}
}

// A daemon that writes times in another way says nothing else that is wrong.
func TestAVolumesAgeIsInformativeOnly(t *testing.T) {
	d := newFakeDaemon(t)
	d.on("GET /volumes/home", answer(http.StatusOK, map[string]any{"Name": "home", "CreatedAt": "yesterday", "Labels": map[string]string{"a": "b"}}))
	v, err := d.engine.Volume(t.Context(), "home")
	if err != nil || !v.Created.IsZero() || v.Labels["a"] != "b" {
		t.Errorf("%+v, %v", v, err)
	}
}
