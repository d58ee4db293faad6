package failpoint

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"podlife/conformance/tracecheck"
)

// Dir is the folder in which a test meets the servers that it has built, one after the other.
type Dir string

// Env is what such a server is started with.
func (d Dir) Env() string { return "PODLIFE_FAILPOINT_DIR=" + string(d) }

func (d Dir) file(name string) string { return filepath.Join(string(d), name) }

// Arm has the server die at the nth passing of a point from now on. It may be running, or be started later.
func (d Dir) Arm(p Point, nth int) error {
	// By renaming, so that no server reads half of it.
	if err := os.WriteFile(d.file("arming"), fmt.Appendf(nil, "%s\n%d\n", p, nth), 0o600); err != nil {
		return err
	}
	return os.Rename(d.file("arming"), d.file("armed"))
}

// Disarm lets it live.
func (d Dir) Disarm() error {
	if err := os.Remove(d.file("armed")); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Passed gives the points that were passed so far, over all servers, in order.
func (d Dir) Passed() ([]Point, error) {
	b, err := os.ReadFile(d.file("passed"))
	if err != nil {
		return nil, err
	}
	var all []Point
	for line := range strings.Lines(string(b)) {
		all = append(all, Point(strings.TrimSpace(line)))
	}
	return all, nil
}

// Steps gives the committed steps so far, of all pods and over all servers, in order.
func (d Dir) Steps() (all []tracecheck.Record, err error) {
	b, err := os.ReadFile(d.file("steps"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for lines := json.NewDecoder(bytes.NewReader(b)); err == nil; {
		var r tracecheck.Record
		if err = lines.Decode(&r); err == nil {
			all = append(all, r)
		}
	}
	if !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("step %d: %w", len(all)+1, err)
	}
	return all, nil
}
