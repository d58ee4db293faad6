package traces

import (
	"fmt"

	"podlife/model"
	"podlife/model/podlifecycle"
)

// A Mark is something of the specification that an operation touches: an action that it fires, an edge of the graph that it takes, a guard that it
// finds true or false.
type Mark struct {
	kind     markKind
	name     string // of the action, or the guard: "Action.guard"
	from, to end    // of an edge
}

type markKind uint8

const (
	markAction markKind = iota
	markEdge
	markTrue
	markFalse
)

// end is one end of an edge of the table's graph as one tab sees it, with incarnations told only as none, current or old: there are finitely many, whatever the number of incarnations.
type end struct {
	ctr          podlifecycle.Ctr
	phase        podlifecycle.Phase
	boot, attach relation
}

// relation is that of an incarnation to the current one.
type relation string

func endOf(l podlifecycle.Local) end {
	relation := func(inc int) relation {
		switch inc {
		case 0:
			return "none"
		case l.Pod.Inc:
			return "current"
		}
		return "old"
	}
	return end{l.Pod.Ctr, l.Client.Phase, relation(l.Client.BootInc), relation(l.Client.AttInc)}
}

func (e end) String() string {
	return fmt.Sprintf("%s/%s/boot %s/attach %s", e.ctr, e.phase, e.boot, e.attach)
}

// Edge names an edge of the table's graph.
func Edge(action string, from, to podlifecycle.Local) string {
	return edgeMark(action, from, to).edge()
}

func edgeMark(action string, from, to podlifecycle.Local) Mark {
	return Mark{kind: markEdge, name: action, from: endOf(from), to: endOf(to)}
}

func (m Mark) edge() string { return fmt.Sprintf("%s: %s -> %s", m.name, m.from, m.to) }

// marksOf gives the marks of actions that are committed one after the other, and of one that is asked for and not enabled. What the table refuses leaves
// none.
func marksOf(t model.Table[podlifecycle.Local], before Model, commits []Commit, tried *Commit) []Mark {
	var marks []Mark
	now := before.clone()
	for _, c := range commits {
		marks = append(marks, guardMarks(t, now, c)...)
		// An attach is a question with two answers: that the one is given is that the other is not.
		switch c.Action {
		case podlifecycle.AttachReady:
			marks = append(marks, guardMarks(t, now, Commit{Action: podlifecycle.AttachGuarded, Tab: c.Tab})...)
		case podlifecycle.AttachGuarded:
			marks = append(marks, guardMarks(t, now, Commit{Action: podlifecycle.AttachReady, Tab: c.Tab})...)
		}
		was := now.clone()
		if now.take(t, c) != nil {
			continue
		}
		marks = append(marks, Mark{kind: markAction, name: c.Action})
		for i := range now.Tabs {
			// An action of the system alone is an edge for every tab.
			if c.Tab == NoTab || c.Tab == i {
				marks = append(marks, edgeMark(c.Action, was.local(i), now.local(i)))
			}
		}
	}
	if tried != nil {
		marks = append(marks, guardMarks(t, before, *tried)...)
	}
	return marks
}

// guardMarks says how an action's guards come out, up to the first that is false.
func guardMarks(t model.Table[podlifecycle.Local], m Model, c Commit) []Mark {
	a, err := t.Action(c.Action)
	if err != nil {
		return nil
	}
	var marks []Mark
	for _, g := range a.Guards {
		name := c.Action + "." + g.Name
		if !g.Holds(m.local(c.Tab)) {
			return append(marks, Mark{kind: markFalse, name: name})
		}
		marks = append(marks, Mark{kind: markTrue, name: name})
	}
	return marks
}

// marks are those that a step leaves if all goes as expected.
func (s Step) marks(t model.Table[podlifecycle.Local], before Model) []Mark {
	var commits []Commit
	for _, group := range s.Groups {
		commits = append(commits, group...)
	}
	return marksOf(t, before, commits, s.Tried)
}
