package traces

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"podlife/model"
	"podlife/model/podlifecycle"
)

// Results is what a run leaves for coverage.json.
type Results struct {
	Engine         string             `json:"engine"` // docker, simulated
	Kind           string             `json:"kind"`
	Seed           string             `json:"seed,omitempty"`
	Requested      int                `json:"requested"` // traces
	Executed       int                `json:"executed"`  // to the end, every comparison included
	Steps          int                `json:"steps"`
	Actions        map[string]int     `json:"actions"`
	DisabledTried  int                `json:"disabled_tried"`
	Guards         map[string]Outcome `json:"guards"`
	Edges          map[string]int     `json:"edges"` // how often each was taken
	EdgesCovered   int                `json:"edges_covered"`
	EdgesReachable int                `json:"edges_reachable"`
	Verdict        string             `json:"verdict"` // pass, fail, or unknown: it was not carried out to the end
	Seconds        float64            `json:"seconds"`
}

// Results sums a run up. failed says whether any comparison did.
func (n Numbers) Results(engine, seed string, requested int, failed bool, took time.Duration) Results {
	r := Results{
		Engine: engine, Kind: "generated traces", Seed: seed, Requested: requested, Executed: n.Plans, Steps: n.Steps, Actions: n.Actions, Guards: n.Guards, Edges: n.Edges,
		EdgesCovered: n.Covered(), EdgesReachable: len(ReachableEdges()), Verdict: "pass", Seconds: math.Round(took.Seconds()*10) / 10,
	}
	for _, tried := range n.Tried {
		r.DisabledTried += tried
	}
	switch {
	case failed:
		r.Verdict = "fail"
	case n.Plans < requested:
		r.Verdict = "unknown"
	}
	return r
}

// Write writes the results into the folder of PODLIFE_RESULTS; without it there is nobody to leave them for.
func (r Results) Write() error {
	dir := os.Getenv("PODLIFE_RESULTS")
	if dir == "" {
		return nil
	}
	b, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "conformance-"+r.Engine+".json"), append(b, '\n'), 0o644)
}

// Minima is how much must have happened before a pass is believed.
type Minima struct {
	Plans, Steps, EachAction, Tried int
}

// Short says what is missing to the minima; empty when nothing is.
func (n Numbers) Short(m Minima) []string {
	var short []string
	need := func(what string, got, want int) {
		if got < want {
			short = append(short, fmt.Sprintf("%s: %d, want at least %d", what, got, want))
		}
	}
	need("traces carried out to the end", n.Plans, m.Plans)
	need("steps", n.Steps, m.Steps)
	for _, a := range Table().Actions {
		if !strings.HasPrefix(a.Name, "Attach") || a.Name == podlifecycle.AttachReady || a.Name == podlifecycle.AttachGuarded { // the others are of the design with the bug
			need("action "+a.Name, n.Actions[a.Name], m.EachAction)
		}
	}
	tried := 0
	for _, t := range n.Tried {
		tried += t
	}
	need("disabled actions tried", tried, m.Tried)
	need("looks into containers", n.Looks, 1)
	need("shells asked by typing", n.Probes, 1)
	return short
}

// Covered counts the reachable edges that were seen.
func (n Numbers) Covered() int {
	reachable, covered := ReachableEdges(), 0
	for e := range reachable {
		if n.Edges[e] > 0 {
			covered++
		}
	}
	return covered
}

// edgeBounds are enough for every relation that a tab can have to the current incarnation.
const edgeClients, edgeMaxInc = 2, 3

// ReachableEdges gives every edge of the specification's graph as one tab sees it (see Edge). The server takes fewer: it commits Reconnect and BootLost together with the Sleep that causes them,
// while the specification lets them wait.
func ReachableEdges() map[string]bool {
	c := podlifecycle.Constants{MaxInc: edgeMaxInc, GuardedAttach: true}
	sys, err := podlifecycle.System(c, edgeClients)
	if err != nil {
		panic(err) // constants
	}
	edges := map[string]bool{}
	var states []podlifecycle.State
	_, err = model.Explore(context.Background(), sys, model.Options[podlifecycle.State]{
		Found: func(_ int, s podlifecycle.State, _ int) { states = append(states, s) },
		Took: func(from, to int, step *model.Step[podlifecycle.State]) {
			for i := range edgeClients {
				if len(step.Args) == 0 || step.Args[0] == podlifecycle.ClientName(i) {
					local := func(s podlifecycle.State) podlifecycle.Local {
						return podlifecycle.Local{Pod: s.Pod(), Client: s.Client(i)}
					}
					edges[Edge(step.Name, local(states[from]), local(states[to]))] = true
				}
			}
		},
	})
	if err != nil {
		panic(err) // no bound is set
	}
	return edges
}
