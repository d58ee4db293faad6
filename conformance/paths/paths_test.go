package paths

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

const folder = "../testdata/PodRuntime"

func readDigest(t *testing.T) Digest {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, DigestName))
	if err != nil {
		t.Fatal(err)
	}
	var d Digest
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	return d
}

func TestWhatIsCommittedIsWhatIsGenerated(t *testing.T) {
	want, err := Files(t.Context(), Server())
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if _, ok := want[e.Name()]; !ok {
			t.Errorf("%s is none of the files that are generated; to fix: make paths", e.Name())
		}
	}
	for name, text := range want {
		got, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil || !bytes.Equal(got, text) {
			t.Errorf("%s is not what is generated (%v); to fix: make paths, and look at what changed", name, err)
		}
	}
	if len(want) < 10 {
		t.Errorf("%d files are generated", len(want))
	}
}
