package report

import (
	"context"
	"fmt"
	"path/filepath"
)

// CheckFile is the table of a check's stages, as scripts/check.sh leaves it.
const CheckFile = "check.json"

// Check is one run of scripts/check.sh.
type Check struct {
	Passed  int     `json:"passed"`
	Failed  int     `json:"failed"`
	Skipped int     `json:"skipped"`
	Stages  []Stage `json:"stages"`
}

// Stage is a stage and what became of it.
type Stage struct {
	Name    string  `json:"name"`
	Purpose string  `json:"purpose"`
	Needs   string  `json:"needs"`  // docker, chromium, or - for nothing; by commas
	Result  string  `json:"result"` // ok, not_run, FAILED; not_asked where the check was for others only
	Reason  string  `json:"reason"`
	Seconds float64 `json:"seconds"`
}

// Mark is the stage's result as a mark.
func (s Stage) Mark() Mark {
	switch s.Result {
	case "ok":
		return Passed
	case "FAILED":
		return Failed
	case "not_run", "not_asked", "":
		return NotRun
	}
	return Unknown
}

// Line is the line with which the check ended.
func (c Check) Line() string {
	return fmt.Sprintf("checks: %d passed, %d failed, %d skipped", c.Passed, c.Failed, c.Skipped)
}

// readCheck reads the stages of the check that left a folder; nil where there was none.
func readCheck(ctx context.Context, dir string) (*Check, error) {
	if dir == "" {
		return nil, nil
	}
	var c Check
	found, err := readJSON(ctx, filepath.Join(dir, CheckFile), &c)
	if !found || err != nil {
		return nil, err
	}
	return &c, nil
}
