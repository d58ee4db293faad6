package tlc

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Expectation is what is stated of one configuration: an element of "specs" in coverage.json. Other fields are of no concern here.
type Expectation struct {
	Module    string `json:"module"`
	Config    string `json:"config"` // the file's name; a folder before it is dropped
	Expect    string `json:"expect"` // "holds" or "violates " and the name of an invariant
	Generated int    `json:"generated"`
	Distinct  int    `json:"distinct"`
	Depth     int    `json:"depth"`
}

// ParseExpectations reads a JSON object with "specs". It refuses a list that is empty, names a configuration twice or lacks a figure.
func ParseExpectations(data []byte) ([]Expectation, error) {
	var file struct {
		Specs []Expectation `json:"specs"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, err
	}
	if len(file.Specs) == 0 {
		return nil, fmt.Errorf(`"specs" is empty`)
	}
	seen := map[string]bool{}
	for i := range file.Specs {
		e := &file.Specs[i]
		e.Config = filepath.Base(e.Config)
		if e.Module == "" || e.Generated < 1 || e.Distinct < 1 || e.Depth < 1 {
			return nil, fmt.Errorf("specs[%d] (%s) lacks module, generated, distinct or depth", i, e.Config)
		}
		if e.Expect != "holds" && !strings.HasPrefix(e.Expect, "violates ") {
			return nil, fmt.Errorf(`specs[%d] (%s) expects %q, want "holds" or "violates NAME"`, i, e.Config, e.Expect)
		}
		if seen[e.Config] {
			return nil, fmt.Errorf("%s is there twice", e.Config)
		}
		seen[e.Config] = true
	}
	return file.Specs, nil
}

// Unmatched names the configurations in dir that nothing is stated of, and those stated that are not there.
func Unmatched(dir string, expected []Expectation) (unregistered, missing []string, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.cfg"))
	if err != nil {
		return nil, nil, err
	}
	var present, stated []string
	for _, f := range files {
		present = append(present, filepath.Base(f))
	}
	for _, e := range expected {
		stated = append(stated, e.Config)
	}
	for _, p := range present {
		if !slices.Contains(stated, p) {
			unregistered = append(unregistered, p)
		}
	}
	for _, s := range stated {
		if !slices.Contains(present, s) {
			missing = append(missing, s)
		}
	}
	return unregistered, missing, nil
}

// Differences says where an outcome is not what was stated; empty where it is.
func (e Expectation) Differences(got Outcome) []string {
	var diffs []string
	if got.Verdict != e.Expect {
		diffs = append(diffs, fmt.Sprintf("verdict is %q, stated %q", got.Verdict, e.Expect))
	}
	for _, n := range []struct {
		name        string
		got, stated int
	}{{"generated", got.Generated, e.Generated}, {"distinct", got.Distinct, e.Distinct}, {"depth", got.Depth, e.Depth}} {
		if n.got != n.stated {
			diffs = append(diffs, fmt.Sprintf("%s is %d, stated %d", n.name, n.got, n.stated))
		}
	}
	return diffs
}
