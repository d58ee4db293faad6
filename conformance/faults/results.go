package faults

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// Results is what a test leaves for the report of a check: how often what went wrong, and was survived.
type Results struct {
	Engine     string         `json:"engine"`
	Runs       int            `json:"runs"`
	Faults     map[string]int `json:"faults"` // by kind
	Violations int            `json:"violations"`
	Verdict    string         `json:"verdict"` // pass or fail
	Seconds    float64        `json:"seconds"`
}

// Leave writes the results of one part of the tests into the folder of PODLIFE_RESULTS; "" is nowhere.
func (r Results) Leave(dir, part string) error {
	if dir == "" {
		return nil
	}
	data, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, fmt.Sprintf("faults-%s-%s.json", r.Engine, part)), append(data, '\n'), 0o600)
}
