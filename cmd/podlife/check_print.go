package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// checkJSON is what "podlife check --json" prints. Fields are only ever added.
type checkJSON struct {
	Table       string   `json:"table"`
	Clients     int      `json:"clients"`
	MaxInc      int      `json:"maxInc"`
	Guarded     *bool    `json:"guarded,omitempty"` // of PodLifecycle; the next three are of PodRuntime
	MaxCrashes  *int     `json:"maxCrashes,omitempty"`
	ImageMarked *bool    `json:"imageMarked,omitempty"`
	Off         []string `json:"off,omitempty"`

	Verdict    string               `json:"verdict"` // holds, violated or vacuous
	Generated  int                  `json:"generated"`
	Distinct   int                  `json:"distinct"`
	Depth      int                  `json:"depth"`
	Seconds    float64              `json:"seconds"`
	Actions    []checkJSONAction    `json:"actions"`
	Guards     []checkJSONGuard     `json:"guards"`
	Invariants []checkJSONInvariant `json:"invariants"`
	NotChecked string               `json:"notChecked,omitempty"` // what the specification demands beside that, and this command does not look at
	// Counterexample is in the form of package model/trace; of PodRuntime, in the Informal Trace Format.
	Counterexample json.RawMessage `json:"counterexample,omitempty"`
}

type checkJSONAction struct {
	Action string `json:"action"`
	Edges  int    `json:"edges"`
}

type checkJSONGuard struct {
	Action string `json:"action"`
	Guard  string `json:"guard"`
	True   int    `json:"true"`
	False  int    `json:"false"`
}

type checkJSONInvariant struct {
	Name    string `json:"name"`
	Verdict string `json:"verdict"` // holds, violated, vacuous, or unknown where a violation of another stopped the search
	// AntecedentReached is missing where the invariant is no implication.
	AntecedentReached *int `json:"antecedentReached,omitempty"`
}

func (r *checkReport[S]) print(out io.Writer, asJSON bool) error {
	if asJSON {
		return r.printJSON(out)
	}
	var b bytes.Buffer
	r.printText(&b)
	_, err := b.WriteTo(out)
	return err
}

func (r *checkReport[S]) printJSON(out io.Writer) error {
	j := r.constants
	j.Verdict, j.NotChecked, j.Invariants = r.verdict(), r.note, r.invariants()
	j.Generated, j.Distinct, j.Depth, j.Seconds = r.result.Generated, r.result.Distinct, r.result.Depth, r.took.Seconds()
	for _, a := range r.result.Edges {
		j.Actions = append(j.Actions, checkJSONAction(a))
	}
	for _, g := range r.result.Guards {
		j.Guards = append(j.Guards, checkJSONGuard(g))
	}
	if v := r.result.Violation; v != nil {
		var b bytes.Buffer
		if err := r.writeTrace(&b, *v); err != nil {
			return err
		}
		j.Counterexample = b.Bytes()
	}
	enc := json.NewEncoder(out)
	enc.SetIndent("", "  ")
	return enc.Encode(j)
}

func (r *checkReport[S]) verdict() string {
	verdict := "holds"
	for _, inv := range r.invariants() {
		if inv.Verdict == "violated" || inv.Verdict == "vacuous" && verdict == "holds" {
			verdict = inv.Verdict
		}
	}
	return verdict
}

func (r *checkReport[S]) invariants() []checkJSONInvariant {
	reached := map[string]int{}
	for _, a := range r.result.Antecedents {
		reached[a.Invariant] = a.Reached
	}
	all := []checkJSONInvariant{}
	for _, inv := range r.checked {
		one := checkJSONInvariant{Name: inv.Name, Verdict: "holds"}
		if n, ok := reached[inv.Name]; ok {
			one.AntecedentReached = &n
			if n == 0 {
				one.Verdict = "vacuous"
			}
		}
		if v := r.result.Violation; v != nil {
			one.Verdict = "unknown"
			if v.Invariant == inv.Name {
				one.Verdict = "violated"
			}
		}
		all = append(all, one)
	}
	return all
}

func (r *checkReport[S]) printText(out io.Writer) {
	fmt.Fprintln(out, r.title)
	fmt.Fprintf(out, "%d states generated, %d distinct, depth %d, in %.2f s\n", r.result.Generated, r.result.Distinct, r.result.Depth, r.took.Seconds())
	if r.result.Violation != nil {
		fmt.Fprintln(out, "stopped at the first violation: the counts are of what was explored until then")
	}

	fmt.Fprintln(out)
	tw := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "action\tedges")
	for _, a := range r.result.Edges {
		fmt.Fprintf(tw, "%s\t%d\n", a.Action, a.Edges)
	}
	fmt.Fprintln(tw)
	fmt.Fprintln(tw, "invariant\tverdict\tstates where its antecedent is true")
	for _, inv := range r.invariants() {
		reached := "-"
		if inv.AntecedentReached != nil {
			reached = fmt.Sprint(*inv.AntecedentReached)
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\n", inv.Name, inv.Verdict, reached)
	}
	_ = tw.Flush() // out is a buffer

	if r.note != "" {
		fmt.Fprintln(out, "\n"+r.note)
	}
	if v := r.result.Violation; v != nil {
		fmt.Fprintf(out, "\n%s is violated. A shortest counterexample, %s:\n\n", v.Invariant, counted(len(v.Path), "state"))
		r.printPath(out)
	}
}

// printPath prints the counterexample: a row for each state, and the action that led to it.
func (r *checkReport[S]) printPath(out io.Writer) {
	tw := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, strings.Join(append([]string{"step", "action"}, r.columns...), "\t"))
	var before *S
	for i, step := range r.result.Violation.Path {
		action := "initial state"
		if step.Action != "" {
			action = r.call(step.Action, step.Args)
		}
		fmt.Fprintln(tw, strings.Join(append([]string{fmt.Sprint(i + 1), action}, r.row(before, step)...), "\t"))
		before = &step.State
	}
	_ = tw.Flush() // out is a buffer
}
