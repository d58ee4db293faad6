package agent

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"podlife/runtime/boot"
)

type fakeFiles struct {
	content string
	err     error
}

func (f fakeFiles) ReadFile(_ string, limit int) ([]byte, error) {
	return []byte(f.content[:min(len(f.content), limit+1)]), f.err
}

func TestTheCheckTakesNothingForProvisionedThatIsNot(t *testing.T) {
	want := boot.Marker{Pod: "alice", Incarnation: 2, Recipe: strings.Repeat("0", 64)}
	good := string(want.Format())
	for name, c := range map[string]struct {
		files fakeFiles
		want  Verdict
	}{
		"right":             {fakeFiles{content: good}, Verdict{OK: true}},
		"missing":           {fakeFiles{err: &fs.PathError{Err: fs.ErrNotExist}}, Verdict{Reason: boot.MarkerMissing}},
		"not readable":      {fakeFiles{content: good, err: fs.ErrPermission}, Verdict{Reason: boot.MarkerUnreadable}},
		"some other error":  {fakeFiles{content: good, err: errors.New("disk")}, Verdict{Reason: boot.MarkerUnreadable}},
		"empty":             {fakeFiles{}, Verdict{Reason: boot.MarkerUnreadable}},
		"cut":               {fakeFiles{content: good[:len(good)-4]}, Verdict{Reason: boot.MarkerUnreadable}},
		"much too long":     {fakeFiles{content: good + strings.Repeat("\n", boot.MaxMarker)}, Verdict{Reason: boot.MarkerUnreadable}},
		"other incarnation": {fakeFiles{content: strings.Replace(good, "n 2", "n 1", 1)}, Verdict{Reason: boot.OtherIncarnation}},
		"other recipe":      {fakeFiles{content: strings.Replace(good, "000\n", "001\n", 1)}, Verdict{Reason: boot.OtherRecipe}},
	} {
		var out bytes.Buffer
		if got := Check(c.files, "/m", want); got != c.want {
			t.Errorf("%s: %+v", name, got)
		}
		if code := RunCheck(c.files, "/m", want, &out); (code == 0) != c.want.OK || (code == ExitRefused) == c.want.OK {
			t.Errorf("%s: exit code %d", name, code)
		}
	}
}

// What is not a regular file neither blocks the guard nor passes it.
func TestTheMarkerIsARegularFile(t *testing.T) {
	dir := t.TempDir()
	want := boot.Marker{Pod: "alice", Incarnation: 2, Recipe: strings.Repeat("0", 64)}
	real := filepath.Join(dir, "real")
	if err := os.WriteFile(real, want.Format(), 0o644); err != nil {
		t.Fatal(err)
	}
	link, pipe := filepath.Join(dir, "link"), filepath.Join(dir, "pipe")
	if err := os.Symlink(real, link); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(pipe, 0o644); err != nil {
		t.Fatal(err)
	}
	for path, ok := range map[string]bool{real: true, link: false, pipe: false, dir: false, "/dev/zero": false, filepath.Join(dir, "none"): false} {
		begun := time.Now()
		if v := Check(OSFiles{}, path, want); v.OK != ok || time.Since(begun) > 5*time.Second {
			t.Errorf("%s: %+v", path, v)
		}
	}
}
