package mirror

import (
	"encoding/json"
	"os"
	"path/filepath"
)

// ResultsFile is what a run leaves for coverage.json, in the folder of PODLIFE_RESULTS: a list of [Result].
const ResultsFile = "mirror.json"

// Result is what a comparison that is too long to be repeated by whoever reads it came to.
type Result struct {
	Design      string `json:"design"`
	States      int    `json:"states"`
	Comparisons int    `json:"comparisons"`
	Guards      int    `json:"guards"`
	Invariants  int    `json:"invariants"`
	Undefined   int    `json:"undefined"`
	Differences int    `json:"differences"`
}

// Result sums a report up.
func (r Report) Result(design string) Result {
	return Result{design, r.States, r.Comparisons, r.Guards, r.Invariants, r.Undefined, len(r.Differences)}
}

// WriteResults writes the file into dir, or nothing where dir is "": there is nobody to leave it for.
func WriteResults(dir string, results []Result) error {
	if dir == "" {
		return nil
	}
	data, err := json.MarshalIndent(results, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, ResultsFile), append(data, '\n'), 0o600)
}
