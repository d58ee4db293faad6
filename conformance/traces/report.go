package traces

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"podlife/model"
	"podlife/model/podlifecycle"
	"podlife/model/trace"
)

// Trace gives the failed plan as a trace of the specification: every action that was committed, and those that the failing operation had to commit.
func (f *Failure) Trace(table model.Table[podlifecycle.Local]) podlifecycle.Trace {
	m := Start(len(f.Model.Tabs))
	t := podlifecycle.Trace{
		Table:     podlifecycle.Name,
		Constants: map[string]any{"Clients": len(f.Model.Tabs), "GuardedAttach": true, "MaxInc": f.Model.Pod.Inc + 1},
		Steps:     []trace.Step[podlifecycle.View]{{State: m.View()}},
	}
	add := func(c Commit) {
		if m.take(table, c) != nil {
			return // it was compared before; a trace that the table refuses would be no use to anybody
		}
		s := trace.Step[podlifecycle.View]{Action: c.Action, State: m.View()}
		if c.Tab != NoTab {
			s.Args = []string{TabName(c.Tab)}
		}
		t.Steps = append(t.Steps, s)
	}
	for _, r := range f.Record {
		for _, e := range r.Events {
			if c, err := commitOf(e, len(m.Tabs)); err == nil {
				add(c)
			}
		}
	}
	for _, g := range f.Want.Groups {
		for _, c := range g {
			add(c)
		}
	}
	return t
}

// WriteTrace writes the trace into a new file in the folder of PODLIFE_FAILURES, or in one of the temporary folder, and gives its name.
func (f *Failure) WriteTrace(table model.Table[podlifecycle.Local]) (name string, err error) {
	dir := os.Getenv("PODLIFE_FAILURES")
	if dir == "" {
		dir = filepath.Join(os.TempDir(), "podlife-failures")
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	file, err := os.CreateTemp(dir, f.Engine+"-*.json")
	if err != nil {
		return "", err
	}
	err = trace.Write(file, f.Trace(table))
	return file.Name(), errors.Join(err, file.Close())
}

// Report is the failure for people: the way there, what was wanted and what was seen, and how to play it again.
func (f *Failure) Report(table model.Table[podlifecycle.Local]) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v\n\nplan: %s\n\n", f, f.Plan)
	for i, r := range f.Record {
		fmt.Fprintf(&b, "  %2d. %-12s %-60s -> %s\n", i+1, r.Step.Op, eventsString(r.Events), r.Step.After)
	}
	if f.At < len(f.Plan) {
		fmt.Fprintf(&b, "  %2d. %-12s FAILED in %s\n", len(f.Record)+1, f.Plan[f.At], f.Model)
		fmt.Fprintf(&b, "      wanted:    %s -> %s\n", groupsString(f.Want.Groups), f.Want.After)
		fmt.Fprintf(&b, "      committed: %s\n", eventsString(f.Events))
	}
	for _, t := range f.Tabs {
		fmt.Fprintf(&b, "      %s\n", t)
	}
	if name, err := f.WriteTrace(table); err != nil {
		fmt.Fprintf(&b, "\nthe trace could not be written: %v\n", err)
	} else {
		fmt.Fprintf(&b, "\nto play it against a server of yours:\n  podlife replay %s\n", name)
	}
	fmt.Fprintf(&b, "\nthe end of what the server's log says of %s:\n%s\n", f.User, lastLines(f.Log, 25))
	return b.String()
}

func lastLines(s string, n int) string {
	lines := strings.Split(strings.TrimRight(s, "\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
