package paths

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"podlife/conformance/lockstep"
	"podlife/conformance/traces"
)

// shrinkTries bounds the runs in which a shorter path is looked for.
const shrinkTries = 400

// Shorten gives a path that still fails, and from which no steps can be left out, or the shortest found: it begins with a shortest way to where the path
// failed, in the set that has the path; run is on an engine where a try costs little. ok is false where the path does not fail there at all, and then it is
// as it was.
func (f *Failure) Shorten(ctx context.Context, run Runner, set Set) (short *Failure, ok bool) {
	path := f.Path
	at := len(path) - 1
	var d *lockstep.Difference
	if errors.As(f.Err, &d) {
		at = max(d.At, 0)
		path = path[:at+1]
	}
	short = f
	fails := func(p Path) bool {
		_, err := run(ctx, p, lockstep.Options{Ask: true})
		var d *lockstep.Difference
		if !errors.As(err, &d) {
			return false // a path that is none, or ends where no server rests, fails for that
		}
		short = &Failure{Path: p, Err: err}
		return true
	}
	if !fails(set.shortest(f.Index, at)) && !fails(path) && !fails(f.Path) {
		return f, false
	}
	traces.Shrink(short.Path, shrinkTries, fails)
	return short, true
}

// Report is the failure for people, with what plays it again.
func (f *Failure) Report(ctx context.Context) string {
	text := fmt.Sprintf("%v\n", f.Err)
	if f.Err == nil {
		text = fmt.Sprintf("not all of the path was taken: %s\n", f.Path)
	}
	name, err := f.write(ctx)
	if err != nil {
		return fmt.Sprintf("%sthe path could not be written: %v\n", text, err)
	}
	return fmt.Sprintf("%sto play it again:\n  podlife replay %s\nand with all that is forbidden asked in between, as here:\n  PODLIFE_PATH=%q go test -count=1 -v -run ThePathOfTheEnvironment ./conformance/lockstep\n",
		text, name, f.Path.words())
}

// words is the path as lockstep.Parse reads it, and podlife replay.
func (p Path) words() string {
	var all []string
	for _, s := range p {
		all = append(all, s.String())
	}
	return strings.Join(all, " ")
}

// write writes the path into a new file of the folder PODLIFE_FAILURES, or of one in the temporary folder.
func (f *Failure) write(ctx context.Context) (name string, err error) {
	dir := os.Getenv("PODLIFE_FAILURES")
	if dir == "" {
		dir = filepath.Join(os.TempDir(), "podlife-failures")
	}
	text, err := ITF(ctx, f.Path)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	file, err := os.CreateTemp(dir, "path-*.itf.json")
	if err != nil {
		return "", err
	}
	_, err = file.Write(text)
	return file.Name(), errors.Join(err, file.Close())
}
