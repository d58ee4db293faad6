package recording

import (
	"os"
	"path/filepath"
	"testing"
)

func TestAFolderThatWasRemovedIsMadeAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "recordings")
	f, err := OpenFolder(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
	w, err := f.Create("u.main.0000000000000001.20260102T030405678Z.cast")
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info, err)
	}
}
