package linear

import (
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"time"

	"github.com/anishathalye/porcupine"
)

// Verdict is what became of one history.
type Verdict struct {
	Result  porcupine.CheckResult
	Picture string // where the picture of a history that is not linearizable is; empty for others
}

// Check looks for a story of the table that explains the history, and draws a picture when there is none, or none was found in time.
func Check(history []porcupine.Operation, patience time.Duration) (Verdict, error) {
	m := Model()
	result, info := porcupine.CheckOperationsVerbose(m, history, patience)
	if result == porcupine.Ok {
		return Verdict{Result: result}, nil
	}
	dir := os.Getenv("PODLIFE_FAILURES")
	if dir == "" {
		dir = filepath.Join(os.TempDir(), "podlife-failures")
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return Verdict{Result: result}, err
	}
	f, err := os.CreateTemp(dir, "history-*.html")
	if err != nil {
		return Verdict{Result: result}, err
	}
	err = porcupine.Visualize(m, info, f)
	return Verdict{Result: result, Picture: f.Name()}, errors.Join(err, f.Close())
}

// Results is what a run leaves for coverage.json.
type Results struct {
	Histories  int     `json:"histories"`
	Operations int     `json:"operations"` // whole boots count once
	Unknown    int     `json:"unknown"`    // histories for which no verdict was found in time
	Verdict    string  `json:"verdict"`    // pass, fail or unknown
	Seconds    float64 `json:"seconds"`
}

// Add adds one history.
func (r *Results) Add(history []porcupine.Operation, v Verdict) {
	r.Histories++
	for _, op := range history {
		if op.Input.(Input).Kind != EndBoot {
			r.Operations++
		}
	}
	switch v.Result {
	case porcupine.Ok:
	case porcupine.Unknown:
		r.Unknown++
		if r.Verdict != "fail" {
			r.Verdict = "unknown"
		}
	default:
		r.Verdict = "fail"
	}
	if r.Verdict == "" {
		r.Verdict = "pass"
	}
}

const resultsFile = "linearizability.json"

// Write adds the results to those that the run has left already, in the folder of PODLIFE_RESULTS: the engines are checked one after the other.
func (r Results) Write() error {
	dir := os.Getenv("PODLIFE_RESULTS")
	if dir == "" {
		return nil
	}
	name := filepath.Join(dir, resultsFile)
	var before Results
	switch b, err := os.ReadFile(name); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	default:
		if err := json.Unmarshal(b, &before); err != nil {
			return err
		}
		r.Histories += before.Histories
		r.Operations += before.Operations
		r.Unknown += before.Unknown
		r.Seconds += before.Seconds
		if before.Verdict != "pass" && r.Verdict != "fail" {
			r.Verdict = before.Verdict
		}
	}
	r.Seconds = math.Round(r.Seconds*10) / 10
	b, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(name, append(b, '\n'), 0o644)
}
