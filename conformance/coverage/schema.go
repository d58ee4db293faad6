package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"podlife/conformance/paths"
	registry "podlife/conformance/specs"
	"podlife/model/podlifecycle"
)

// FileName is the file, at the repository's root.
const FileName = "coverage.json"

// Schema is the version of the file's form.
const Schema = 3

// File is coverage.json. What is computed from the source alone must be exactly right; what a run leaves must reach the minima.
type File struct {
	Schema    int    `json:"schema"`
	Generated string `json:"generated"`
	// Hashes are the SHA-256 of what defines the lifecycle, by path.
	Hashes map[string]string `json:"hashes"`
	// Tools are the versions of what checks, by module; they come from go.mod and scripts/tlc.sh.
	Tools           map[string]string `json:"tools"`
	Specs           []Spec            `json:"specs"`
	Mirror          []Mirror          `json:"mirror"`
	Guards          []Guard           `json:"guards"`
	Conformance     []Conformance     `json:"conformance"`
	Linearizability Linearizability   `json:"linearizability"`
	Mutants         []Mutant          `json:"mutants"`
	Minima          Minima            `json:"minima"`
}

// Spec is one configuration of the registry. Those of PodLifecycle are as the explorer of package model finds them, and the embedded checker must
// find the same in the specification itself; those of other modules have the registry's numbers, and a run says whether they are right.
// scripts/tlc.sh holds TLC against the same registry.
type Spec struct {
	Module  string `json:"module"`
	Config  string `json:"config"`
	Expect  string `json:"expect"` // "holds", "violates NAME", "reaches NAME" or "unsupported"
	Verdict string `json:"verdict"`
	// Distinct, Generated and Depth are counted as TLC counts them.
	Distinct    int            `json:"distinct"`
	Generated   int            `json:"generated"`
	Depth       int            `json:"depth"`
	Length      int            `json:"length,omitempty"`      // states of the counterexample
	Fired       map[string]int `json:"fired,omitempty"`       // per action, how many successors it made; of a finer specification only where it holds
	Antecedents map[string]int `json:"antecedents,omitempty"` // per invariant or property with an implication, how often its left side was true
}

// Guard is a guard of a specification: what enforces it, and that it was seen both ways. That each one of PodRuntime matters, its configuration among the specs says.
type Guard struct {
	Spec       string      `json:"spec"`
	Action     string      `json:"action"`
	Guard      string      `json:"guard"`
	By         string      `json:"by"` // a word of package guards: "statement", "table", "contract", "world"
	Statements []Statement `json:"statements,omitempty"`
	// Explored sums over all configurations, and is of PodLifecycle alone. Docker and Simulated are what the generated traces saw, and of PodRuntime the paths:
	// true on an edge that was taken, false in a state that was come through.
	Explored  Seen `json:"explored,omitzero"`
	Docker    Seen `json:"docker,omitzero"`
	Simulated Seen `json:"simulated,omitzero"`
}

// Statement is where a guard is in the runtime.
type Statement struct {
	File string `json:"file"`
	Line int    `json:"line"`
	Hash string `json:"hash"` // of the statement without layout and comments
}

// Seen is how often a guard came out.
type Seen struct {
	True  int `json:"true"`
	False int `json:"false"`
}

// Conformance is what the generated traces did on one engine, or the paths of a configuration of PodRuntime (package conformance/paths).
type Conformance struct {
	Engine         string          `json:"engine"` // docker, simulated
	Kind           string          `json:"kind"`
	Spec           string          `json:"spec,omitempty"`   // of paths; the traces are of PodLifecycle
	Config         string          `json:"config,omitempty"` // of paths: tabs, incarnations, crashes; or "kept"
	Seed           string          `json:"seed,omitempty"`   // of the generator, where it tells one
	Requested      int             `json:"requested"`        // traces, or paths
	Executed       int             `json:"executed"`
	Steps          int             `json:"steps"`
	Actions        map[string]int  `json:"actions"`
	DisabledTried  int             `json:"disabled_tried"`
	EdgesCovered   int             `json:"edges_covered"`
	EdgesReachable int             `json:"edges_reachable"` // of paths: that a server can be driven along
	EdgesAll       int             `json:"edges_all,omitempty"`
	NotDrivable    map[string]int  `json:"not_drivable,omitempty"` // by reason; these, the unreachable and the reachable are all
	Unreachable    int             `json:"unreachable,omitempty"`  // they begin where no server can be driven to
	Verdict        string          `json:"verdict"`
	Seconds        float64         `json:"seconds"` // rounded to ten, so that it diffs well
	Guards         map[string]Seen `json:"-"`       // they are in File.Guards
}

// Linearizability is what the concurrent histories did, on both engines together.
type Linearizability struct {
	Histories       int     `json:"histories"`
	Operations      int     `json:"operations"`
	UnknownOutcomes int     `json:"unknown_outcomes"` // operations of which nobody was told how they ended
	Unknown         int     `json:"unknown"`          // histories without a verdict
	Verdict         string  `json:"verdict"`
	Seconds         float64 `json:"seconds"` // rounded to ten
}

// Mutant is one wrong build and what became of it.
type Mutant struct {
	ID       string   `json:"id"`
	Guard    string   `json:"guard"`
	Expected string   `json:"expected"`
	Broke    []string `json:"broke"`
	Class    string   `json:"class"`
	Shipped  string   `json:"shipped"` // what the build that ships did in the same scenario
	Detector string   `json:"detector"`
	Seconds  float64  `json:"seconds"` // rounded to ten
}

// load reads the file strictly.
func load(name string) (File, error) {
	var f File
	data, err := os.ReadFile(name)
	if err != nil {
		return f, err
	}
	if err := strict(data, &f); err != nil {
		return f, fmt.Errorf("%s: %w", filepath.Base(name), err)
	}
	if f.Schema != Schema {
		return f, fmt.Errorf("%s: schema is %d, this program writes %d", filepath.Base(name), f.Schema, Schema)
	}
	return f, nil
}

func strict(data []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return err
	}
	if _, err := dec.Token(); err != io.EOF {
		return fmt.Errorf("something follows the JSON value")
	}
	return nil
}

// save writes the file whole or not at all, always in the same order.
func (f File) save(name string) error {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	if err := enc.Encode(f); err != nil {
		return err
	}
	temp := name + ".new"
	if err := os.WriteFile(temp, text.Bytes(), 0o644); err != nil {
		return err
	}
	return os.Rename(temp, name)
}

// summary is a line for each part.
func (f File) summary() string {
	var s strings.Builder
	verbs := map[string]int{}
	for _, sp := range f.Specs {
		verb, _, _ := strings.Cut(sp.Verdict, " ")
		verbs[verb]++
		if sp.Module == podlifecycle.Name || sp.Verdict == string(registry.Holds) { // the others are many, and each is as it is named
			fmt.Fprintf(&s, "spec         %-30s %s, %d states, depth %d\n", filepath.Base(sp.Config), sp.Verdict, sp.Distinct, sp.Depth)
		}
	}
	fmt.Fprintf(&s, "specs        %d hold, %d violate as named, %d are reached, %d unsupported\n",
		verbs[string(registry.Holds)], verbs[string(registry.Violates)], verbs[string(registry.Reaches)], verbs[string(registry.Unsupported)])
	for _, m := range f.Mirror {
		fmt.Fprintf(&s, "mirror       %-30s %d differences, %d states, %d comparisons, %d guards\n", m.Design, m.Differences, m.States, m.Comparisons, m.Guards)
	}
	carried := 0
	for _, g := range f.Guards {
		if len(g.Statements) > 0 {
			carried++
		}
	}
	fmt.Fprintf(&s, "guards       %d, %d of them carried by statements, the others enforced by the table, by the contract, or of the world\n", len(f.Guards), carried)
	for _, c := range f.Conformance {
		what := "traces"
		if c.Kind == paths.Kind {
			what = "paths of " + c.Config
		}
		fmt.Fprintf(&s, "conformance  %-10s %s, %d of %d %s, %d steps, %d of %d edges, %d disabled tried\n",
			c.Engine, c.Verdict, c.Executed, c.Requested, what, c.Steps, c.EdgesCovered, c.EdgesReachable, c.DisabledTried)
	}
	fmt.Fprintf(&s, "linear       %s, %d histories, %d operations\n", f.Linearizability.Verdict, f.Linearizability.Histories, f.Linearizability.Operations)
	for _, m := range f.Mutants {
		fmt.Fprintf(&s, "mutant       %-10s %s by %s\n", m.ID, m.Class, strings.Join(m.Broke, ", "))
	}
	return s.String()
}
