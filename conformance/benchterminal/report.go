package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"text/tabwriter"
)

// Verdicts on a bound.
const (
	metYes    = "yes"
	metNo     = "no"
	metNone   = "-"       // there is no bound
	metWrong  = "WRONG"   // a count that must be exact is not: the run fails
	metNotRun = "not_run" // Note says why
)

// Row is one figure beside its peer.
type Row struct {
	Name  string             `json:"name"` // the measurement
	What  string             `json:"what"`
	Ours  string             `json:"ours"`
	Peer  string             `json:"peer"`
	Ratio float64            `json:"ratio,omitempty"` // ours to the peer's; 0 is none
	Bound string             `json:"bound"`
	Met   string             `json:"met"`
	Note  string             `json:"note,omitempty"`
	Raw   map[string]float64 `json:"raw,omitempty"` // the figures: milliseconds, MB/s, MB and counts, by their names
}

// Report is what a run found.
type Report struct {
	Processors int     `json:"processors"`
	Engine     string  `json:"engine"`      // its version; "" where the docker command does not say
	LoadBefore string  `json:"load_before"` // of one, five and fifteen minutes
	LoadAfter  string  `json:"load_after"`
	Seconds    float64 `json:"seconds"`
	Quick      bool    `json:"quick,omitempty"` // the figures are of no use
	Rows       []Row   `json:"rows"`
}

// met is the verdict on a bound that no run fails for.
func met(ok bool) string {
	if ok {
		return metYes
	}
	return metNo
}

// exact is the verdict on a count that must be right.
func exact(ok bool) string {
	if ok {
		return metYes
	}
	return metWrong
}

// code is the exit code that a report deserves.
func (r Report) code() int {
	for _, row := range r.Rows {
		if row.Met == metWrong {
			return exitWrong
		}
	}
	return exitOK
}

// Table prints the report.
func (r Report) Table(out io.Writer) {
	engine := r.Engine
	if engine == "" {
		engine = "unknown"
	}
	fmt.Fprintf(out, "%d processors, engine %s, load %s before and %s after, %.0f s\n", r.Processors, engine, r.LoadBefore, r.LoadAfter, r.Seconds)
	if r.Quick {
		fmt.Fprintln(out, "--quick: a tenth of the repeats; the figures are of no use")
	}
	fmt.Fprintln(out)
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "what\tours\tpeer\tratio\tbound\tmet")
	for _, row := range r.Rows {
		times := "-"
		if row.Ratio > 0 {
			times = fmt.Sprintf("%.2f", row.Ratio)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\n", row.What, row.Ours, row.Peer, times, row.Bound, row.Met)
	}
	t.Flush()
	for _, row := range r.Rows {
		if row.Note != "" {
			fmt.Fprintf(out, "\n%s: %s", row.What, row.Note)
		}
	}
	fmt.Fprintln(out)
}

// write writes the report as JSON.
func (r Report) write(path string) error {
	b, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(b, '\n'), 0o644)
}
