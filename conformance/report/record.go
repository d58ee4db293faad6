package report

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"podlife/conformance/input"
)

// Record is what was checked, as far as it is reported: what coverage.json says, or what one check left. Fields that a file does not have stay empty, and empty is not_run.
type Record struct {
	Schema          int               `json:"schema"`
	Hashes          map[string]string `json:"hashes"`
	Specs           []spec            `json:"specs"`
	Mirror          []mirrored        `json:"mirror"`
	Guards          []guard           `json:"guards"`
	Conformance     []conformance     `json:"conformance"`
	Linearizability linear            `json:"linearizability"`
	Mutants         []mutant          `json:"mutants"`
	Faults          []faults          `json:"faults"`
	Auto            []autoMutant      `json:"-"`
	Resume          []mutated         `json:"-"` // the session host without a rule of SessionResume
	Idle            []mutated         `json:"-"` // the server without a rule of IdleRule
	Homes           []mutated         `json:"-"` // the server without a rule of Workspace
}

type (
	spec struct {
		Module      string         `json:"module"`
		Config      string         `json:"config"`
		Expect      string         `json:"expect"`
		Verdict     string         `json:"verdict"`
		Distinct    int            `json:"distinct"`
		Generated   int            `json:"generated"`
		Depth       int            `json:"depth"`
		Length      int            `json:"length"`
		Fired       map[string]int `json:"fired"`
		Antecedents map[string]int `json:"antecedents"`
	}
	mirrored struct {
		Module      string `json:"module"`
		Design      string `json:"design"`
		States      int    `json:"states"`
		Comparisons int    `json:"comparisons"`
		Guards      int    `json:"guards"`
		Differences int    `json:"differences"`
	}
	guard struct {
		Spec       string `json:"spec"`
		Action     string `json:"action"`
		Guard      string `json:"guard"`
		By         string `json:"by"`
		Statements []struct {
			File string `json:"file"`
			Line int    `json:"line"`
		} `json:"statements"`
		Explored  seen `json:"explored"`
		Docker    seen `json:"docker"`
		Simulated seen `json:"simulated"`
	}
	seen struct {
		True  int `json:"true"`
		False int `json:"false"`
	}
	conformance struct {
		Spec           string          `json:"spec"`   // "" is PodLifecycle
		Config         string          `json:"config"` // of paths
		Engine         string          `json:"engine"`
		Kind           string          `json:"kind"`
		Requested      int             `json:"requested"`
		Executed       int             `json:"executed"`
		Paths          int             `json:"paths"`
		Steps          int             `json:"steps"`
		Actions        map[string]int  `json:"actions"`
		Guards         map[string]seen `json:"guards"`
		DisabledTried  int             `json:"disabled_tried"`
		Edges          map[string]int  `json:"edges"`
		EdgesCovered   int             `json:"edges_covered"`
		EdgesReachable int             `json:"edges_reachable"`
		NotDrivable    map[string]int  `json:"not_drivable"`
		Unreachable    int             `json:"unreachable"`
		Verdict        string          `json:"verdict"`
		Seconds        float64         `json:"seconds"`
	}
	linear struct {
		Histories      int     `json:"histories"`
		Operations     int     `json:"operations"`
		Unknown        int     `json:"unknown"`
		UnknownOutcome int     `json:"unknown_outcomes"`
		Verdict        string  `json:"verdict"`
		Seconds        float64 `json:"seconds"`
	}
	mutant struct {
		ID       string   `json:"id"`
		Guard    string   `json:"guard"`
		Expected string   `json:"expected"`
		Broke    []string `json:"broke"`
		Class    string   `json:"class"`
		Shipped  string   `json:"shipped"`
		Detector string   `json:"detector"`
		Seconds  float64  `json:"seconds"`
	}
	autoMutant struct {
		ID       string   `json:"id"`
		Switch   string   `json:"switch"`
		Expected []string `json:"expected"`
		Broke    []string `json:"broke"`
		Table    bool     `json:"table"`
		Class    string   `json:"class"`
		Shipped  string   `json:"shipped"`
		Seconds  float64  `json:"seconds"`
		Build    float64  `json:"build"`
	}
	faults struct {
		Engine     string         `json:"engine"`
		Runs       int            `json:"runs"`
		Crashes    int            `json:"crashes"`
		Faults     map[string]int `json:"faults"`
		Violations int            `json:"violations"`
		Leaks      int            `json:"leaks"`
		Verdict    string         `json:"verdict"`
		Seconds    float64        `json:"seconds"`
	}
)

// lifecycle and runtime are the two specifications, as the results name them.
const (
	lifecycle = "PodLifecycle"
	runtime   = "PodRuntime"
)

// CoverageError says that there is no coverage.json to report of, or none that can be read.
type CoverageError struct {
	File string
	Err  error
}

func (e *CoverageError) Error() string {
	if errors.Is(e.Err, fs.ErrNotExist) {
		return fmt.Sprintf("%s: there is no such file; make coverage writes it", e.File)
	}
	text := e.Err.Error()
	if strings.Contains(text, e.File) {
		return text
	}
	return fmt.Sprintf("%s: %s", e.File, text)
}

func (e *CoverageError) Unwrap() error { return e.Err }

// newestSchema is the last form of coverage.json that is understood.
const newestSchema = 3

// ReadCoverage reads coverage.json. Fields that it does not know are left alone.
func ReadCoverage(ctx context.Context, file string) (Record, error) {
	var r Record
	found, err := readJSON(ctx, file, &r)
	switch {
	case err != nil:
		return r, &CoverageError{file, err}
	case !found:
		return r, &CoverageError{file, fs.ErrNotExist}
	case r.Schema > newestSchema:
		return r, &CoverageError{file, fmt.Errorf("schema is %d, and what comes after %d is not understood: what its verdicts mean may be something else", r.Schema, newestSchema)}
	case r.Schema < 2:
		return r, &CoverageError{file, fmt.Errorf("schema is %d, and what was before 2 is not understood", r.Schema)}
	}
	return r, nil
}

// ReadResults reads the folder that a check left; "" is none. A file that is not there leaves its part empty.
func ReadResults(ctx context.Context, dir string) (Record, error) {
	var r Record
	if dir == "" {
		return r, nil
	}
	var problems []error
	read := func(name string, into any) bool {
		found, err := readJSON(ctx, filepath.Join(dir, name), into)
		if err != nil {
			problems = append(problems, err)
		}
		return found && err == nil
	}
	read("specs.json", &r.Specs)
	read("mirror.json", &r.Mirror)
	read("linearizability.json", &r.Linearizability)
	read("mutants.json", &r.Mutants)
	read("mutants-resume.json", &r.Resume)
	read("mutants-idlerule.json", &r.Idle)
	read("mutants-workspace.json", &r.Homes)
	files, err := filepath.Glob(filepath.Join(dir, "conformance-*.json"))
	if err != nil {
		return r, err
	}
	more, err := filepath.Glob(filepath.Join(dir, "paths-*.json"))
	if err != nil {
		return r, err
	}
	for _, name := range append(files, more...) {
		var c conformance
		if read(filepath.Base(name), &c) {
			r.Conformance = append(r.Conformance, c)
		}
	}
	if r.Auto, err = readAuto(ctx, dir); err != nil {
		problems = append(problems, err)
	}
	if r.Faults, err = readFaults(ctx, dir); err != nil {
		problems = append(problems, err)
	}
	return r, errors.Join(problems...)
}

// readAuto reads the mutants of every guard from the first of the folders that has them.
func readAuto(ctx context.Context, dirs ...string) ([]autoMutant, error) {
	for _, dir := range dirs {
		var list []autoMutant
		if dir == "" {
			continue
		}
		if found, err := readJSON(ctx, filepath.Join(dir, "mutants-runtime.json"), &list); found || err != nil {
			return list, err
		}
	}
	return nil, nil
}

func readFaults(ctx context.Context, dir string) ([]faults, error) {
	var list []faults
	names, err := filepath.Glob(filepath.Join(dir, "faults-*.json"))
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		var f faults
		if _, err := readJSON(ctx, name, &f); err != nil {
			return nil, err
		}
		at := slices.IndexFunc(list, func(g faults) bool { return g.Engine == f.Engine })
		if at < 0 {
			list = append(list, f)
			continue
		}
		list[at].add(f)
	}
	return list, nil
}

// add takes in what another part of the tests left of the same engine. The worse verdict stands.
func (f *faults) add(g faults) {
	f.Runs, f.Crashes, f.Violations, f.Leaks, f.Seconds = f.Runs+g.Runs, f.Crashes+g.Crashes, f.Violations+g.Violations, f.Leaks+g.Leaks, f.Seconds+g.Seconds
	if f.Verdict == "pass" {
		f.Verdict = g.Verdict
	}
	kinds := maps.Clone(f.Faults)
	if kinds == nil {
		kinds = map[string]int{}
	}
	for kind, n := range g.Faults {
		kinds[kind] += n
	}
	f.Faults = kinds
}

// maxJSON bounds the files that are read.
const maxJSON = 64 << 20

// readJSON reads a file into v. One that is not there is no error.
func readJSON(ctx context.Context, name string, v any) (found bool, err error) {
	data, err := input.ReadAll(ctx, name, maxJSON)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if err := json.Unmarshal(data, v); err != nil {
		return true, fmt.Errorf("%s: %w", name, err)
	}
	return true, nil
}

// edges sums what each engine counted of each edge of PodLifecycle as one tab sees it; nil where no engine tells.
func (r Record) edges() map[string]map[string]int {
	var all map[string]map[string]int
	for _, c := range r.Conformance {
		if (c.Spec != "" && c.Spec != lifecycle) || len(c.Edges) == 0 {
			continue
		}
		if all == nil {
			all = map[string]map[string]int{}
		}
		all[c.Engine] = c.Edges
	}
	return all
}
