package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"podlife/model/podruntime"
)

// What the tables of the page have in a row.
type (
	// SpecRow is one configuration of a specification.
	SpecRow struct {
		Module, Config, Expect, Verdict string
		Mark                            Mark
		Distinct, Generated, Depth      int
		Length                          int // states of the counterexample; 0 is none
	}
	// MirrorRow is one comparison of a table with its specification.
	MirrorRow struct {
		Module, Design                           string
		Mark                                     Mark
		States, Comparisons, Guards, Differences int
	}
	// ConformanceRow is what was driven on one engine.
	ConformanceRow struct {
		Engine, Kind, Spec                                   string
		Mark                                                 Mark
		Executed, Requested, Steps, Covered, Reachable, Vain int
		Out                                                  string // edges that are not drivable, by reason; "" is none told
	}
	// LinearRow is what the concurrent histories came to.
	LinearRow struct {
		Mark                                            Mark
		Histories, Operations, Undecided, WithoutAnswer int
		Seconds                                         float64
	}
	// GuardRow is a guard: what enforces it, and how it came out.
	GuardRow struct {
		Spec, Action, Guard, By     string
		Where                       []string
		Told                        bool // whether how it came out is recorded
		Explored, Docker, Simulated seen
	}
	// ActionTable has a row for each action of PodRuntime.
	ActionTable struct {
		Engines []string // whose counts the rows have; none where no path was driven
		Rows    []ActionRow
	}
	// ActionRow is how often an action was taken.
	ActionRow struct {
		Action  string
		Checker int   // successors that the checker made, in all configurations that hold
		Taken   []int // by engine
	}
)

func (r Record) specRows() []SpecRow {
	var rows []SpecRow
	for _, s := range r.Specs {
		rows = append(rows, SpecRow{s.Module, s.Config, s.Expect, s.Verdict, s.mark(), s.Distinct, s.Generated, s.Depth, s.Length})
	}
	return rows
}

func (r Record) mirrorRows() []MirrorRow {
	var rows []MirrorRow
	for _, m := range r.Mirror {
		rows = append(rows, MirrorRow{m.Module, m.Design, m.mark(), m.States, m.Comparisons, m.Guards, m.Differences})
	}
	return rows
}

func (r Record) conformanceRows() []ConformanceRow {
	var rows []ConformanceRow
	for _, c := range r.Conformance {
		spec := c.Spec
		if spec == "" {
			spec = lifecycle
		}
		rows = append(rows, ConformanceRow{
			c.Engine, strings.TrimSpace(c.Kind + " " + c.Config), spec, c.mark(), max(c.Executed, c.Paths), max(c.Requested, c.Paths), c.Steps, c.EdgesCovered, c.EdgesReachable, c.DisabledTried, c.out(),
		})
	}
	return rows
}

// out says which edges no server can be driven along.
func (c conformance) out() string {
	why := map[string]int{}
	for reason, n := range c.NotDrivable {
		why[reason] = n
	}
	if c.Unreachable > 0 {
		why["unreachable without those"] = c.Unreachable
	}
	return listed(why)
}

func (r Record) linearRow() LinearRow {
	l := r.Linearizability
	return LinearRow{l.mark(), l.Histories, l.Operations, l.Unknown, l.UnknownOutcome, l.Seconds}
}

func (r Record) guardRows() []GuardRow {
	var rows []GuardRow
	for _, g := range r.Guards {
		row := GuardRow{Spec: g.Spec, Action: g.Action, Guard: g.Guard, By: g.By, Explored: g.Explored, Docker: g.Docker, Simulated: g.Simulated}
		none := seen{}
		row.Told = g.Explored != none || g.Docker != none || g.Simulated != none
		for _, s := range g.Statements {
			row.Where = append(row.Where, fmt.Sprintf("%s:%d", s.File, s.Line))
		}
		rows = append(rows, row)
	}
	return rows
}

// Both says of one engine whether the guard was seen true and seen false.
func (s seen) Both() Mark {
	switch {
	case s.True > 0 && s.False > 0:
		return Passed
	case s.True+s.False == 0:
		return NotRun
	}
	return Unknown
}

func (r Record) actionTable() ActionTable {
	var t ActionTable
	taken := map[string]map[string]int{}
	for _, c := range r.Conformance {
		if c.Spec != runtime {
			continue
		}
		if taken[c.Engine] == nil {
			taken[c.Engine] = map[string]int{}
		}
		for action, n := range c.Actions {
			taken[c.Engine][action] += n
		}
	}
	t.Engines = slices.Sorted(maps.Keys(taken))
	fired := map[string]int{}
	for _, s := range r.Specs {
		if strings.HasPrefix(s.Module, runtime) {
			for action, n := range s.Fired {
				fired[action] += n
			}
		}
	}
	for _, a := range podruntime.Table(podruntime.Constants{}).Actions {
		row := ActionRow{Action: a.Name, Checker: fired[a.Name]}
		for _, engine := range t.Engines {
			row.Taken = append(row.Taken, taken[engine][a.Name])
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
