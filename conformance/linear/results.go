package linear

import (
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"

	"github.com/anishathalye/porcupine"
)

// Results is what a run leaves for coverage.json.
type Results struct {
	Histories  int `json:"histories"`  // one for each pod
	Operations int `json:"operations"` // whole boots and destroys count once
	// UnknownOutcomes are operations of which nobody was told how they ended: the caller left, or the server died.
	UnknownOutcomes int     `json:"unknown_outcomes"`
	Unknown         int     `json:"unknown"` // histories for which no verdict was found in time
	Verdict         string  `json:"verdict"` // pass, fail or unknown
	Seconds         float64 `json:"seconds"`
	JudgedSeconds   float64 `json:"judged_seconds"` // of them, the searches
}

// Add adds one judged history.
func (r *Results) Add(history []porcupine.Operation, v Verdict) {
	r.Histories += len(byPod(history))
	for _, op := range history {
		if !counts(op) {
			continue
		}
		r.Operations++
		if op.Output.(Output).Word == Unknown {
			r.UnknownOutcomes++
		}
	}
	r.JudgedSeconds += v.Took.Seconds()
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

// What a run leaves in the folder of PODLIFE_RESULTS: the numbers, and the picture of one history.
const (
	ResultsFile = "linearizability.json"
	PictureFile = "linearizability.html"
)

// Write adds the results to those that the run has left already: the engines are checked one after the other. Without PODLIFE_RESULTS it does nothing.
func (r Results) Write() error {
	dir := os.Getenv("PODLIFE_RESULTS")
	if dir == "" {
		return nil
	}
	name := filepath.Join(dir, ResultsFile)
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
		r.UnknownOutcomes += before.UnknownOutcomes
		r.Unknown += before.Unknown
		r.Seconds += before.Seconds
		r.JudgedSeconds += before.JudgedSeconds
		if before.Verdict != "pass" && r.Verdict != "fail" {
			r.Verdict = before.Verdict
		}
	}
	r.Seconds, r.JudgedSeconds = math.Round(r.Seconds*10)/10, math.Round(r.JudgedSeconds*1000)/1000
	b, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(name, append(b, '\n'), 0o644)
}

// WritePicture leaves the picture of a history beside the results. Without PODLIFE_RESULTS it does nothing.
func WritePicture(may May, history []porcupine.Operation) error {
	dir := os.Getenv("PODLIFE_RESULTS")
	if dir == "" {
		return nil
	}
	page, err := Picture(may, history)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, PictureFile), page, 0o644)
}
