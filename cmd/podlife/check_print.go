package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"podlife/model/graph"
	"podlife/model/podlifecycle"
	"podlife/model/trace"
)

// checkJSON is what "podlife check --json" prints. Fields are only ever added.
type checkJSON struct {
	Table      string               `json:"table"`
	Clients    int                  `json:"clients"`
	MaxInc     int                  `json:"maxInc"`
	Guarded    bool                 `json:"guarded"`
	Verdict    string               `json:"verdict"` // holds, violated or vacuous
	Generated  int                  `json:"generated"`
	Distinct   int                  `json:"distinct"`
	Depth      int                  `json:"depth"`
	Seconds    float64              `json:"seconds"`
	Actions    []checkJSONAction    `json:"actions"`
	Guards     []checkJSONGuard     `json:"guards"`
	Invariants []checkJSONInvariant `json:"invariants"`
	// Counterexample is in the form of package model/trace.
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

func (r *checkReport) print(out io.Writer, asJSON bool) error {
	if asJSON {
		return r.printJSON(out)
	}
	var b bytes.Buffer
	r.printText(&b)
	_, err := b.WriteTo(out)
	return err
}

func (r *checkReport) printJSON(out io.Writer) error {
	j := checkJSON{
		Table: podlifecycle.Name, Clients: r.clients, MaxInc: r.constants.MaxInc, Guarded: r.constants.GuardedAttach,
		Verdict:   r.verdict(),
		Generated: r.result.Generated, Distinct: r.result.Distinct, Depth: r.result.Depth,
		Seconds:    r.took.Seconds(),
		Invariants: r.invariants(),
	}
	for _, a := range r.result.Edges {
		j.Actions = append(j.Actions, checkJSONAction(a))
	}
	for _, g := range r.result.Guards {
		j.Guards = append(j.Guards, checkJSONGuard(g))
	}
	if v := r.result.Violation; v != nil {
		var b bytes.Buffer
		if err := trace.Write(&b, podlifecycle.TraceOf(r.constants, r.clients, *v)); err != nil {
			return err
		}
		j.Counterexample = b.Bytes()
	}
	enc := json.NewEncoder(out)
	enc.SetIndent("", "  ")
	return enc.Encode(j)
}

func (r *checkReport) verdict() string {
	verdict := "holds"
	for _, inv := range r.invariants() {
		if inv.Verdict == "violated" || inv.Verdict == "vacuous" && verdict == "holds" {
			verdict = inv.Verdict
		}
	}
	return verdict
}

func (r *checkReport) invariants() []checkJSONInvariant {
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

func (r *checkReport) printText(out io.Writer) {
	design := "guarded"
	if !r.constants.GuardedAttach {
		design = "not guarded"
	}
	fmt.Fprintf(out, "%s, %d client(s), max-inc %d, %s\n", podlifecycle.Name, r.clients, r.constants.MaxInc, design)
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

	if v := r.result.Violation; v != nil {
		fmt.Fprintf(out, "\n%s is violated. A shortest counterexample, %d states:\n\n", v.Invariant, len(v.Path))
		r.printPath(out)
	}
}

// printPath prints the counterexample: a row for each state, and the action that led to it.
func (r *checkReport) printPath(out io.Writer) {
	tw := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	header := []string{"step", "action", "ctr", "inc"}
	for i := range r.clients {
		header = append(header, podlifecycle.ClientName(i)+" (booted, attached)")
	}
	fmt.Fprintln(tw, strings.Join(header, "\t"))
	for i, step := range r.result.Violation.Path {
		action := "initial state"
		if step.Action != "" {
			action = graph.Call(step.Action, step.Args)
		}
		pod := step.State.Pod()
		row := []string{fmt.Sprint(i + 1), action, pod.Ctr.String(), fmt.Sprint(pod.Inc)}
		for c := range r.clients {
			client := step.State.Client(c)
			row = append(row, fmt.Sprintf("%s (%d, %d)", client.Phase, client.BootInc, client.AttInc))
		}
		fmt.Fprintln(tw, strings.Join(row, "\t"))
	}
	_ = tw.Flush() // out is a buffer
}
