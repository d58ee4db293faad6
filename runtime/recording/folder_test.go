package recording

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestAFolderKeepsRecordingsForItsOwnerAndRemovesWhatIsTooOld(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "recordings")
	f, err := OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	begin := time.Date(2026, 2, 3, 4, 5, 6, 789e6, time.UTC)
	name := func(tab string) string { return fileName(session{pod: "local", tab: tab, epoch: 0xabc}, begin) }
	if n := name("main"); n != "local.main.0000000000000abc.20260203T040506789Z.cast" {
		t.Error(n)
	}
	if n := fileName(session{pod: "../é/ü", tab: "", epoch: 1}, begin); filepath.Base(n) != n || n[0] == '.' {
		t.Error(n)
	}
	now := time.Now()
	old, young := now.Add(-2*time.Hour), now.Add(2*time.Hour)
	make := func(name string, write bool) {
		t.Helper()
		w, err := f.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if !write {
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
		} else {
			t.Cleanup(func() { w.Close() })
		}
		if err := os.Chtimes(filepath.Join(dir, name), old, old); err != nil {
			t.Fatal(err)
		}
	}
	make(name("main"), false)
	make(name("other"), false)
	make(name("writing"), true)
	make("notes.cast", false) // somebody else's
	if err := os.Chtimes(filepath.Join(dir, name("other")), young, young); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("notes.cast", filepath.Join(dir, name("link"))); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Create(name("other")); err == nil {
		t.Error("a file that is there was written over")
	}
	for path, want := range map[string]os.FileMode{dir: 0o700, filepath.Join(dir, name("main")): 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
	if n, err := f.Sweep(now.Add(time.Hour)); n != 1 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	left, _ := os.ReadDir(dir)
	var names []string
	for _, e := range left {
		names = append(names, e.Name())
	}
	if len(names) != 4 {
		t.Errorf("%q", names)
	}
}
