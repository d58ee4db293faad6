package lockstep

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"podlife/conformance/tracecheck"
	"podlife/model/podruntime"
)

// failed tells of a path that came to a difference, with a file of it that can be played again.
func failed(t *testing.T, path []Step, o Options, err error) {
	t.Helper()
	var d *Difference
	if !errors.As(err, &d) {
		t.Error(err)
		return
	}
	dir := os.Getenv("PODLIFE_FAILURES")
	if dir == "" {
		dir = filepath.Join(os.TempDir(), "podlife-failures")
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Errorf("%v\n%v", d, err)
		return
	}
	file, ferr := os.CreateTemp(dir, "lockstep-*.itf.json")
	if ferr == nil {
		ferr = errors.Join(WriteITF(file, path[:d.At+1], o), file.Close())
	}
	if ferr != nil {
		t.Errorf("%v\n%v", d, ferr)
		return
	}
	t.Errorf("%vplay it again: podlife replay %s\nor: PODLIFE_PATH=%q go test -v -run Environment ./conformance/lockstep", d, file.Name(), names(path[:d.At+1]))
}

func TestThePathOfTheEnvironment(t *testing.T) {
	text := os.Getenv("PODLIFE_PATH")
	if text == "" {
		t.Skip("PODLIFE_PATH has no path") // this is for a person who looks at one
	}
	o := Options{Ask: true, Each: func(r StepReport) {
		t.Logf("%3d. %-24s committed: %s", r.Number+1, r.Step, namesOf(r.Committed))
		for _, line := range r.Expected.Label(podruntime.MaxTabs) {
			t.Logf("        %s", line)
		}
	}}
	if _, err := drive(t, o, parse(t, text)...); err != nil {
		t.Fatal(err)
	}
}

func TestAPathIsWrittenAsATraceThatIsOneOfTheSpecification(t *testing.T) {
	for _, c := range claims() {
		var file bytes.Buffer
		path := parse(t, c.path)
		if err := WriteITF(&file, path, Options{Tabs: 2}); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		records, err := tracecheck.Read(&file)
		if err != nil || len(records) != len(path) {
			t.Errorf("%s: %d records of %d steps: %v", c.name, len(records), len(path), err)
		}
	}
	if err := WriteITF(&bytes.Buffer{}, []Step{{"EndRun", "", 1}}, Options{}); err == nil {
		t.Error("what is no path was written")
	}
}
