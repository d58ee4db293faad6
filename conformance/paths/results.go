package paths

import (
	"encoding/json"
	"maps"
	"math"
	"os"
	"path/filepath"
	"time"

	"podlife/conformance/lockstep"
	"podlife/model/podruntime"
)

// Kind is what these results are of, in coverage.json.
const Kind = "paths"

// KeptName is how the results of the paths that are kept are named, where others have their configuration.
const KeptName = "kept"

// Result is what a run leaves for coverage.json, of one configuration on one engine.
type Result struct {
	Engine         string                  `json:"engine"` // docker, simulated
	Kind           string                  `json:"kind"`
	Spec           string                  `json:"spec"`
	Config         string                  `json:"config"`    // tabs, incarnations, crashes; or "kept"
	Requested      int                     `json:"requested"` // paths
	Executed       int                     `json:"executed"`  // to the end, every comparison included
	Steps          int                     `json:"steps"`
	Actions        map[string]int          `json:"actions"`
	DisabledTried  int                     `json:"disabled_tried"`
	EdgesCovered   int                     `json:"edges_covered"`
	EdgesReachable int                     `json:"edges_reachable"` // that a server can be driven along
	EdgesAll       int                     `json:"edges_all"`       // of the specification in this configuration: those, and
	NotDrivable    map[lockstep.Reason]int `json:"not_drivable,omitempty"`
	Unreachable    int                     `json:"unreachable"` // because a server cannot be driven to where they begin
	Guards         map[string]Outcome      `json:"guards"`
	Verdict        string                  `json:"verdict"` // pass, fail, or unknown: it was not carried out to the end
	Seconds        float64                 `json:"seconds"`
}

// NewResult sums the run of a configuration up.
func NewResult(engine, config string, did Did, c Coverage, failed bool, took time.Duration) Result {
	r := Result{
		Engine: engine, Kind: Kind, Spec: podruntime.Name, Config: config, Requested: c.Paths, Executed: did.Paths, Steps: did.Steps, Actions: did.Actions,
		EdgesCovered: c.Taken, EdgesReachable: c.Taken + c.NotDrivable[NotTaken], EdgesAll: c.Edges, NotDrivable: maps.Clone(c.NotDrivable), Unreachable: c.Unreachable,
		Guards: c.Guards, Verdict: "pass", Seconds: math.Round(took.Seconds()*10) / 10,
	}
	maps.DeleteFunc(r.NotDrivable, func(reason lockstep.Reason, _ int) bool { return reason == NotTaken })
	for _, n := range did.Asked {
		r.DisabledTried += n
	}
	switch {
	case failed:
		r.Verdict = "fail"
	case did.Paths < c.Paths || r.EdgesCovered < r.EdgesReachable:
		r.Verdict = "unknown"
	}
	return r
}

// ResultsFile is the name of the file of a configuration's results on an engine.
func ResultsFile(engine, config string) string { return "paths-" + engine + "-" + config + ".json" }

// Write writes it into the folder of PODLIFE_RESULTS; without that there is nobody to leave it for.
func (r Result) Write() error {
	dir := os.Getenv("PODLIFE_RESULTS")
	if dir == "" {
		return nil
	}
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, ResultsFile(r.Engine, r.Config)), append(text, '\n'), 0o644)
}
