package traces

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"podlife/model"
	"podlife/model/podlifecycle"
)

// Table is the transition system that everything here is held against: the design that ships, as the server itself instantiates it.
func Table() model.Table[podlifecycle.Local] {
	return podlifecycle.Table(podlifecycle.Constants{MaxInc: math.MaxInt, GuardedAttach: true})
}

// SocketState is where a tab's terminal is.
type SocketState int

// The values of SocketState.
const (
	NoSocket SocketState = iota
	OnShell              // open, with a shell behind it
	OnBoot               // open, on its way through boot: it attaches by itself when the boot is done
	OnWord               // open, told that the pod sleeps, waiting for the tab to say "boot"
)

// Tab is one client of the specification, and its terminal.
type Tab struct {
	podlifecycle.Client
	Socket SocketState
}

// Model is what must be the case. Pod and Tabs' clients are the specification's state; the rest is what the specification does not see.
type Model struct {
	Pod   podlifecycle.Pod
	Tabs  []Tab
	Wiped bool // the setup inside the ready container was deleted, and nobody has booted or attached since
}

// Start is the initial state.
func Start(tabs int) Model { return Model{Tabs: make([]Tab, tabs)} }

func (m Model) clone() Model {
	m.Tabs = slices.Clone(m.Tabs)
	return m
}

// local is what the table's actions work on; tab is NoTab for an action of the system alone.
func (m Model) local(tab int) podlifecycle.Local {
	l := podlifecycle.Local{Pod: m.Pod}
	if tab != NoTab {
		l.Client = m.Tabs[tab].Client
	}
	return l
}

func (m *Model) set(tab int, l podlifecycle.Local) {
	m.Pod = l.Pod
	if tab != NoTab {
		m.Tabs[tab].Client = l.Client
	}
}

// take is one action of the table.
func (m *Model) take(t model.Table[podlifecycle.Local], c Commit) error {
	l, err := t.Take(c.Action, m.local(c.Tab))
	if err != nil {
		return err
	}
	m.set(c.Tab, l)
	return nil
}

// View is the state in the form in which traces are kept.
func (m Model) View() podlifecycle.View {
	v := podlifecycle.View{Ctr: m.Pod.Ctr, Inc: m.Pod.Inc, Client: map[string]podlifecycle.Client{}}
	for i, t := range m.Tabs {
		v.Client[TabName(i)] = t.Client
	}
	return v
}

// broken gives the invariants that the state violates.
func (m Model) broken(t model.Table[podlifecycle.Local]) []string {
	var names []string
	for _, inv := range t.Invariants {
		for i := range m.Tabs {
			if !inv.Holds(m.local(i)) {
				names = append(names, inv.Name)
				break
			}
		}
	}
	return names
}

// terminals counts those that the server has a shell for.
func (m Model) terminals() int {
	n := 0
	for _, t := range m.Tabs {
		if t.Socket == OnShell {
			n++
		}
	}
	return n
}

// String is the state in one line.
func (m Model) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %d", m.Pod.Ctr, m.Pod.Inc)
	for i, t := range m.Tabs {
		fmt.Fprintf(&b, ", %s %s", TabName(i), t.Phase)
		switch t.Socket {
		case OnShell:
			b.WriteString(" (shell)")
		case OnBoot:
			b.WriteString(" (terminal boots)")
		case OnWord:
			b.WriteString(" (terminal waits)")
		}
	}
	if m.Wiped {
		b.WriteString(", setup deleted")
	}
	return b.String()
}

// NoTab stands for no tab in an action or an operation of the system alone.
const NoTab = -1

// TabName names a tab as the specification's configurations do: c1, c2...
func TabName(i int) string { return podlifecycle.ClientName(i) }

// Commit is one action of the table that the server has to commit, and why it does.
type Commit struct {
	Action string
	Tab    int
	Cause  string
}

// String is such as "StartBoot(c1)".
func (c Commit) String() string {
	if c.Tab == NoTab {
		return c.Action
	}
	return fmt.Sprintf("%s(%s)", c.Action, TabName(c.Tab))
}
