package main

// This file plays a trace of PodRuntime against a server in this process.

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"podlife/conformance/replay/drive"
	"podlife/conformance/replay/tracefile"
	"podlife/model/podlifecycle"
	"podlife/model/podruntime"
)

// replayJSON is what "podlife replay --json" prints of a trace of PodRuntime. Fields are only ever added.
type replayJSON struct {
	Module      string   `json:"module"`
	Form        string   `json:"form"`
	Engine      string   `json:"engine"`
	MaxInc      int      `json:"maxInc"`
	MaxCrashes  int      `json:"maxCrashes"`
	ImageMarked bool     `json:"imageMarked"`
	Off         []string `json:"off,omitempty"`      // what the design of the file is without
	Violates    string   `json:"violates,omitempty"` // as the file says
	Clients     []string `json:"clients"`            // as the file calls c1, c2...
	Seconds     float64  `json:"seconds"`
	drive.Report
}

// pauser is nil where nobody wants to wait.
func (f replayFlags) pauser(cmd *cobra.Command, stop context.CancelCauseFunc) *pauser {
	if !f.step {
		return nil
	}
	return &pauser{in: cmd.InOrStdin(), out: cmd.ErrOrStderr(), stop: stop}
}

func (m *Main) replayRuntime(cmd *cobra.Command, f replayFlags, record *outFile, file tracefile.File) error {
	b := file.Runtime
	ctx, stop := context.WithCancelCause(cmd.Context())
	defer stop(nil)
	world, leave, err := f.world(ctx, b.Constants.ImageMarked)
	if err != nil {
		return err
	}
	defer leave()
	out := cmd.OutOrStdout()
	p := &runtimePrinter{out: out}
	pause := f.pauser(cmd, stop)
	if !f.json {
		p.start(file, f.engine)
	}
	began := time.Now()
	report, err := drive.Run(ctx, b, drive.Options{World: world, Each: func(s drive.Step) {
		if !f.json {
			p.step(s)
		}
		if s.Number < len(b.Steps) {
			pause.wait()
		}
	}})
	if errors.Is(context.Cause(ctx), errStopped) {
		return errStopped
	}
	if err != nil {
		return err
	}
	took := time.Since(began)
	if f.json {
		c := b.Constants
		enc := json.NewEncoder(out)
		enc.SetIndent("", "  ")
		err = enc.Encode(replayJSON{
			Module: podruntime.Name, Form: file.Form, Engine: f.engine, MaxInc: c.MaxInc, MaxCrashes: c.MaxCrashes, ImageMarked: c.ImageMarked, Off: c.Off,
			Violates: b.Violates, Clients: b.Clients, Seconds: took.Seconds(), Report: report,
		})
	} else {
		p.end(report, b, took)
	}
	if record != nil { // what came out is said first: it is not lost where the record cannot be written
		if err := record.write(report.Record); err != nil {
			return err
		}
	}
	return cmp.Or(err, runtimeOutcome(report))
}

// runtimeOutcome is the exit code, without a further word: the report has said it.
func runtimeOutcome(r drive.Report) error {
	switch r.Outcome {
	case drive.Replayed:
		return nil
	case drive.Refused:
		return &codeError{code: replayExitRefused, told: true}
	case drive.NotDrivable:
		return &codeError{code: replayExitNotDrivable, told: true}
	}
	return &codeError{code: replayExitDiffers, told: true}
}

// runtimePrinter prints a replay for people.
type runtimePrinter struct {
	out    io.Writer
	before podruntime.View
}

// start says what is played, and where.
func (p *runtimePrinter) start(file tracefile.File, engine string) {
	b := file.Runtime
	design := "of the design that ships"
	if len(b.Constants.Off) > 0 {
		design = "of the design without " + strings.Join(b.Constants.Off, ", ")
	}
	if b.Violates != "" {
		design += ", a counterexample to " + b.Violates
	}
	fmt.Fprintf(p.out, "%s, %s with %s, from %s: %s\n", podruntime.Name, counted(len(b.Steps), "step"), counted(len(b.Clients), "tab"), file.Form, printable(design))
	fmt.Fprintf(p.out, "against a server on the %s engine, whose pod was never woken: incarnation 1 is its first\n", engine)
	for i, name := range b.Clients {
		if own := podlifecycle.ClientName(i); own != name {
			fmt.Fprintf(p.out, "%s is %.60q in the file\n", own, name)
		}
	}
	fmt.Fprintf(p.out, "\n%5s  %-20s  %-46s %s\n", "step", "action", "expected", "seen")
	p.before = b.Initial.View(len(b.Clients))
}

// step prints one step in two columns: what the specification expects to change, and what was seen.
func (p *runtimePrinter) step(s drive.Step) {
	changes := runtimeChanges(p.before, s.Expected)
	p.before = s.Expected
	number, seen := fmt.Sprint(s.Number), "the same"
	if s.Filled {
		number = "+"
	}
	if s.Through {
		seen = "passed through"
	}
	if len(s.Committed) > 0 {
		seen += "; the server took " + printable(strings.Join(s.Committed, ", "))
	}
	if len(changes) == 0 {
		changes = []string{"nothing changes"}
	}
	for i, change := range changes {
		if i > 0 {
			number, s.Action, seen = "", "", ""
		}
		fmt.Fprintln(p.out, strings.TrimRight(fmt.Sprintf("%5s  %-20s  %-46s %s", number, s.Action, change, seen), " "))
	}
}

// end says how it ended, and why.
func (p *runtimePrinter) end(r drive.Report, b *tracefile.Behaviour, took time.Duration) {
	var w strings.Builder
	fmt.Fprintf(&w, "\n%s in %.2f s", counted(len(r.Steps), "step"), took.Seconds())
	if filled := filledSteps(r); filled > 0 {
		fmt.Fprintf(&w, "; + is what the server does together with the step before (%d)", filled)
	}
	w.WriteString("\n")
	step := fmt.Sprintf("step %d, %s", r.At, r.Action)
	switch {
	case r.Outcome == drive.Replayed:
		w.WriteString("replayed: the server took every step, and was where the specification says\n")
	case r.Outcome == drive.Refused && len(r.Effect) > 0:
		fmt.Fprintf(&w, "refused: the server takes %s, and not with the effect that the file has: %s\n", step, strings.Join(r.Effect, ", "))
	case r.Outcome == drive.Refused:
		fmt.Fprintf(&w, "refused: the server refuses %s: guard %s is false\n", step, r.Guards[0])
		if len(r.Guards) > 1 {
			fmt.Fprintf(&w, "  and so are      %s\n", strings.Join(r.Guards[1:], ", "))
		}
	case r.Outcome == drive.NotDrivable:
		fmt.Fprintf(&w, "not drivable: no server can be brought to %s: %s\n", step, r.Reason)
		if len(r.Guards) > 0 {
			fmt.Fprintf(&w, "  where the file has it, guard %s is false\n", strings.Join(r.Guards, ", "))
		}
	default:
		fmt.Fprintf(&w, "DIFFERENT after %s:\n", step)
		for _, l := range r.Differs {
			fmt.Fprintf(&w, "≠ %-16s expected %s\n  %-16s seen     %s\n", printable(l.What), printable(l.Expected), "", printable(l.Seen))
		}
	}
	if r.Asked != "" {
		fmt.Fprintf(&w, "  asked for it    %s\n", printable(r.Asked))
	}
	if len(r.Enabled) > 0 {
		fmt.Fprintf(&w, "  allowed there   %s\n", strings.Join(r.Enabled, ", "))
	}
	if b.Stutters > 0 {
		fmt.Fprintf(&w, "%s in the file that change nothing were left out\n", counted(b.Stutters, "state"))
	}
	fmt.Fprint(p.out, w.String())
}

func filledSteps(r drive.Report) int {
	n := 0
	for _, s := range r.Steps {
		if s.Filled {
			n++
		}
	}
	return n
}
