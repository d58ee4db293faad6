package report

import (
	"slices"
)

// Matrix shows mutants beside the invariants that they broke.
type Matrix struct {
	Title, How string
	Invariants []string
	Rows       []MutantRow
}

// MutantRow is a wrong build.
type MutantRow struct {
	ID, Guard, Class, Detector string
	Mark                       Mark
	Shipped                    Mark // what the build that ships did in the same scenario
	Seconds                    float64
	Cells                      []Cell // by invariant
}

// Cell is what a mutant did to an invariant.
type Cell string

// The cells. A mutant of several expectations must break one of them.
const (
	CellNothing Cell = ""
	CellKilled  Cell = "expected, broke"
	CellMissed  Cell = "expected, did not break"
	CellAlso    Cell = "broke too"
)

// Sign is the cell in a sign.
func (c Cell) Sign() string {
	switch c {
	case CellKilled:
		return "●"
	case CellMissed:
		return "○"
	case CellAlso:
		return "•"
	}
	return ""
}

// Class is the cell as a word for style sheets.
func (c Cell) Class() string {
	switch c {
	case CellKilled:
		return "killed"
	case CellMissed:
		return "missed"
	case CellAlso:
		return "also"
	}
	return "nothing"
}

func (r Record) matrices() []Matrix {
	docker := Matrix{Title: "On Docker", How: "Each thought of by hand; judged by looking into real containers and typing into real shells"}
	var expected, broke [][]string
	for _, m := range r.Mutants {
		docker.Rows = append(docker.Rows, MutantRow{m.ID, m.Guard, m.Class, m.Detector, classMark(m.Class), shipped(m.Shipped), m.Seconds, nil})
		expected, broke = append(expected, []string{m.Expected}), append(broke, m.Broke)
	}
	docker.fill(expected, broke)
	guards := Matrix{Title: "A build without each guard", How: "One for each guard and rule of PodRuntime, on the simulated engine; judged by the table that ships, with the truth in the place of what the server believes"}
	expected, broke = nil, nil
	for _, m := range r.Auto {
		detector := "invariants on the truth"
		if m.Table {
			detector += "; the table that ships refuses a step"
		}
		guards.Rows = append(guards.Rows, MutantRow{m.ID, m.Switch, m.Class, detector, classMark(m.Class), shipped(m.Shipped), m.Seconds, nil})
		expected, broke = append(expected, m.Expected), append(broke, m.Broke)
	}
	guards.fill(expected, broke)
	return []Matrix{docker, guards}
}

func shipped(said string) Mark {
	switch said {
	case "pass":
		return Passed
	case "":
		return NotRun
	}
	return Failed
}

// fill makes a column of each invariant that any mutant was to break, or did.
func (m *Matrix) fill(expected, broke [][]string) {
	for i := range m.Rows {
		for _, name := range append(slices.Clone(expected[i]), broke[i]...) {
			if name != "" && !slices.Contains(m.Invariants, name) {
				m.Invariants = append(m.Invariants, name)
			}
		}
	}
	slices.Sort(m.Invariants)
	for i := range m.Rows {
		hit := slices.ContainsFunc(expected[i], func(name string) bool { return slices.Contains(broke[i], name) })
		for _, name := range m.Invariants {
			cell := CellNothing
			switch want, did := slices.Contains(expected[i], name), slices.Contains(broke[i], name); {
			case want && did:
				cell = CellKilled
			case want && !hit:
				cell = CellMissed
			case did:
				cell = CellAlso
			}
			m.Rows[i].Cells = append(m.Rows[i].Cells, cell)
		}
	}
}
