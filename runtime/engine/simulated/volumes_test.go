package simulated

import (
	"errors"
	"io/fs"
	"slices"
	"testing"

	"podlife/runtime/engine"
)

// onVolumes makes a container with volumes, and gives the view of its files.
func onVolumes(t *testing.T, e *Engine, name string, volumes ...engine.VolumeMount) *Files {
	t.Helper()
	id, err := e.Create(t.Context(), engine.Spec{
		Name: name, Image: "image", Network: "none", Command: []string{"idle"},
		Volumes: volumes,
	})
	if err != nil {
		t.Fatal(err)
	}
	f, _ := e.Files(id)
	return f
}

func TestFilesAreOnTheVolumeThatIsNearest(t *testing.T) {
	e := newEngine(t)
	inner, outer := engine.VolumeMount{Name: "inner", Target: "/data/inner"}, engine.VolumeMount{Name: "outer", Target: "/data"}
	one, two := onVolumes(t, e, "one", inner, outer), onVolumes(t, e, "two", outer, inner)
	alone := onVolumes(t, e, "alone", engine.VolumeMount{Name: "inner", Target: "/elsewhere"})
	for _, name := range []string{"/data/a", "/data/inner/b", "/database", "/data/x"} {
		if err := one.Write(name, []byte(name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := one.Rename("/data/x", "/tmp/x"); err != nil {
		t.Fatal(err)
	}
	if got := one.Names(); !slices.Equal(got, []string{"/data/a", "/data/inner/b", "/database", "/tmp/x"}) {
		t.Errorf("the one that wrote sees %v", got)
	}
	if got := two.Names(); !slices.Equal(got, []string{"/data/a", "/data/inner/b"}) {
		t.Errorf("the other sees %v", got)
	}
	if got := alone.Names(); !slices.Equal(got, []string{"/elsewhere/b"}) {
		t.Errorf("one that has the inner volume elsewhere sees %v", got)
	}
	if err := two.Write("/data/inner", nil); !errors.Is(err, errFolder) {
		t.Errorf("a file in the place of a volume: %v", err)
	}
	if err := two.Remove("/data/inner/b"); err != nil {
		t.Fatal(err)
	}
	if _, err := one.Read("/data/inner/b"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what the other removed: %v", err)
	}
	if err := two.RemoveAll("/"); err != nil {
		t.Fatal(err)
	}
	if got := one.Names(); !slices.Equal(got, []string{"/database", "/tmp/x"}) {
		t.Errorf("after the other removed everything: %v", got)
	}
}

func TestCallsAboutVolumesHaveFailpoints(t *testing.T) {
	e := newEngine(t)
	boom := errors.New("boom")
	calls := map[string]func() error{
		"makevolume":   func() error { return e.MakeVolume(t.Context(), "home", nil) },
		"volume":       func() error { _, err := e.Volume(t.Context(), "home"); return err },
		"volumes":      func() error { _, err := e.Volumes(t.Context(), nil); return err },
		"removevolume": func() error { return e.RemoveVolume(t.Context(), "home") },
	}
	for _, op := range []string{"makevolume", "volume", "volumes", "removevolume"} {
		e.FailNext(op, boom)
		if err := calls[op](); !errors.Is(err, boom) || engine.KindOf(err) != engine.Failed {
			t.Errorf("%s: %v", op, err)
		}
		if err := calls[op](); err != nil || e.Calls(op) != 2 {
			t.Errorf("%s once more: %v, %d calls", op, err, e.Calls(op))
		}
	}
	release, entered := e.Hold("removevolume", func(name string) bool { return name == "home" })
	ended := make(chan error)
	go func() { ended <- calls["removevolume"]() }()
	<-entered
	release()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestFilesOfAVolumeAreSeenWithoutAContainer(t *testing.T) {
	e := newEngine(t)
	if _, ok := e.VolumeFiles("home"); ok {
		t.Error("a volume that is not there has files")
	}
	f := onVolumes(t, e, "one", engine.VolumeMount{Name: "home", Target: "/data"})
	if err := f.Write("/data/a", []byte("work")); err != nil {
		t.Fatal(err)
	}
	files, ok := e.VolumeFiles("home")
	if !ok || len(files) != 1 || string(files["a"]) != "work" {
		t.Errorf("it has %q, %v", files, ok)
	}
	files["a"][0] = 'f'
	if again, _ := e.VolumeFiles("home"); string(again["a"]) != "work" {
		t.Error("what was given is no copy")
	}
}
