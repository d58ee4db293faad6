package mirror

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"podlife/model"
	"podlife/model/sessionresume"
	"podlife/tla/config"
	"podlife/tla/diag"
	"podlife/tla/eval"
	"podlife/tla/module"
	"podlife/tla/value"
)

// SessionResume matches tla/SessionResume.tla, read as m, with a table of model/sessionresume lifted to so many viewers. Errors are those of
// [sessionresume.CheckBounds] and of package eval, and a specification with other variables than the table has.
func SessionResume(m *module.Module, table model.Table[sessionresume.Local], c sessionresume.Constants, viewers int) (Pair[sessionresume.State], error) {
	var none Pair[sessionresume.State]
	if err := sessionresume.CheckBounds(c, viewers); err != nil {
		return none, err
	}
	cfg, err := config.Parse(diag.NewSource("mirror.cfg", []byte(sessionConfig(c, viewers))))
	if err != nil {
		return none, err
	}
	program, err := eval.Compile(m, cfg, eval.Options{})
	if err != nil {
		return none, err
	}
	states, err := newSessionStates(program.Variables(), c, viewers)
	if err != nil {
		return none, err
	}
	return Pair[sessionresume.State]{
		System:  sessionresume.LiftTable(table, viewers),
		Program: program,
		Without: func(_ string, conjunct *eval.Conjunct) (*eval.Program, error) {
			return eval.Compile(m, cfg, eval.Options{Drop: conjunct})
		},
		Spec:     states.spec,
		Argument: func(arg string) value.Value { return value.NewModel(arg) },
	}, nil
}

// sessionConfig is a configuration with these constants and all invariants; viewers are called as the table calls them.
func sessionConfig(c sessionresume.Constants, viewers int) string {
	var names, invariants, off []string
	for i := range viewers {
		names = append(names, sessionresume.ViewerName(i))
	}
	for _, inv := range sessionresume.Table(c).Invariants {
		invariants = append(invariants, inv.Name)
	}
	for _, name := range c.Off {
		off = append(off, strconv.Quote(name))
	}
	return fmt.Sprintf("SPECIFICATION Spec\nINVARIANTS %s\nCONSTANTS Viewers = {%s}\n MaxSessions = %d\n MaxOut = %d\n MaxConns = %d\n Ring = %d\n Window = %d\n Off = {%s}\n",
		strings.Join(invariants, " "), strings.Join(names, ", "), c.MaxSessions, c.MaxOut, c.MaxConns, c.Ring, c.Window, strings.Join(off, ", "))
}

// sessionVariables are the specification's, in the order in which sessionStates makes them.
var sessionVariables = []string{"host", "conn", "wire", "page", "seen", "final", "alone"}

// sessionStates turns states of the table into those of the specification.
type sessionStates struct {
	places                         []int // of sessionVariables
	viewers                        []value.Value
	sessions                       int
	host, conn, frame, page, shown *value.Shape
}

func newSessionStates(variables []string, c sessionresume.Constants, viewers int) (sessionStates, error) {
	m := sessionStates{
		sessions: c.MaxSessions,
		host:     value.ShapeOf("session", "epoch", "lo", "hi", "over"),
		conn:     value.ShapeOf("n", "at", "sent", "acked", "told"),
		frame:    value.ShapeOf("conn", "kind", "epoch", "at", "session"),
		page:     value.ShapeOf("epoch", "have", "exited"),
		shown:    value.ShapeOf("sessions", "ordered"),
	}
	for i := range viewers {
		m.viewers = append(m.viewers, value.NewModel(sessionresume.ViewerName(i)))
	}
	for _, name := range sessionVariables {
		m.places = append(m.places, slices.Index(variables, name))
	}
	if len(variables) != len(sessionVariables) || slices.Contains(m.places, -1) {
		return m, fmt.Errorf("mirror: the specification has the variables %q, the table %q", variables, sessionVariables)
	}
	return m, nil
}

// spec is a state as the specification has it.
func (m sessionStates) spec(s sessionresume.State) eval.State {
	l := s.Local(len(m.viewers), 0)
	var conns, wires, pages, seen, alone, final []value.Value
	for _, v := range l.Views {
		conns = append(conns, record(m.conn, "n", number(v.Conn.N), "at", word(v.Conn.At), "sent", number(v.Conn.Sent), "acked", number(v.Conn.Acked), "told", value.Bool(v.Conn.Told)))
		wires = append(wires, m.wire(v.Wire))
		pages = append(pages, record(m.page, "epoch", number(v.Page.Epoch), "have", number(v.Page.Have), "exited", value.Bool(v.Page.Exited)))
		seen = append(seen, m.seen(v.Seen))
		alone = append(alone, value.Bool(v.Alone))
	}
	for n := 1; n <= m.sessions; n++ {
		final = append(final, number(l.Final[n]))
	}
	h := l.Host
	out := make(eval.State, len(m.places))
	for i, v := range []value.Value{
		record(m.host, "session", number(h.Session), "epoch", number(h.Epoch), "lo", number(h.Lo), "hi", number(h.Hi), "over", value.Bool(h.Over)),
		m.each(conns), m.each(wires), m.each(pages), m.each(seen), value.NewTuple(final), m.each(alone),
	} {
		out[m.places[i]] = v
	}
	return out
}

// each is the function of the viewers to these values.
func (m sessionStates) each(vals []value.Value) value.Value {
	return value.NewFunction(slices.Clone(m.viewers), vals)
}

func (m sessionStates) wire(frames []sessionresume.Frame) value.Value {
	var all []value.Value
	for _, f := range frames {
		all = append(all, record(m.frame, "conn", number(f.Conn), "kind", word(f.Kind), "epoch", number(f.Epoch), "at", number(f.At), "session", number(f.Session)))
	}
	return value.NewTuple(all)
}

func (m sessionStates) seen(s sessionresume.Seen) value.Value {
	var sessions []value.Value
	for n := range 8 {
		if s.Sessions&(1<<n) != 0 {
			sessions = append(sessions, number(n))
		}
	}
	return record(m.shown, "sessions", value.NewSet(sessions), "ordered", value.Bool(!s.Disorder))
}

// A SessionDesign is one choice of constants for which tla/SessionResume.tla and its table are held against each other.
type SessionDesign struct {
	Name string
	sessionresume.Constants
	Viewers int
	// Draw is that of [Options]; the states beside those that are drawn differ from them in one component.
	Draw int
}

// SessionDesigns are those that `make check` compares.
func SessionDesigns() []SessionDesign {
	return []SessionDesign{
		{Name: "SessionResume, one viewer", Constants: sessionresume.Constants{MaxSessions: 2, MaxOut: 3, MaxConns: 2, Ring: 2, Window: 1}, Viewers: 1, Draw: 20},
		{Name: "SessionResume, two viewers", Constants: sessionresume.Constants{MaxSessions: 1, MaxOut: 3, MaxConns: 1, Ring: 2, Window: 1}, Viewers: 2, Draw: 20},
	}
}

// Compare holds the specification, read as m, against a table. The error is as those of [SessionResume] and [Pair.Compare].
func (d SessionDesign) Compare(ctx context.Context, m *module.Module, table func(sessionresume.Constants) model.Table[sessionresume.Local]) (Report, error) {
	pair, err := SessionResume(m, table(d.Constants), d.Constants, d.Viewers)
	if err != nil {
		return Report{}, err
	}
	return pair.Compare(ctx, Options[sessionresume.State]{Draw: d.Draw, Beside: d.beside})
}

// beside gives four states that differ from s in one component. Which components those are goes round with the number of the state.
func (d SessionDesign) beside(number int, s sessionresume.State) []sessionresume.State {
	all := d.changes(s)
	n := number / max(d.Draw, 1)
	var some []sessionresume.State
	for i := range 4 {
		some = append(some, all[(4*n+i)%len(all)])
	}
	return some
}

// changes gives every state that differs from s in one component, but for what the wires carry.
func (d SessionDesign) changes(s sessionresume.State) []sessionresume.State {
	var all []sessionresume.State
	of := func(change func(*sessionresume.Local)) {
		l := s.Local(d.Viewers, 0)
		change(&l)
		all = append(all, sessionresume.Pack(l))
	}
	of(func(l *sessionresume.Local) { l.Host.Over = !l.Host.Over })
	each(d.MaxOut, func(n int) {
		of(func(l *sessionresume.Local) { l.Host.Lo = n })
		of(func(l *sessionresume.Local) { l.Host.Hi = n })
		of(func(l *sessionresume.Local) { l.Final[1] = n })
	})
	for n := 1; n <= d.MaxSessions; n++ {
		of(func(l *sessionresume.Local) { l.Host.Session = n })
		of(func(l *sessionresume.Local) { l.Host.Epoch = n })
	}
	for i := range d.Viewers {
		view := func(change func(*sessionresume.View)) {
			of(func(l *sessionresume.Local) { change(&l.Views[i]) })
		}
		view(func(v *sessionresume.View) { v.Alone = !v.Alone })
		view(func(v *sessionresume.View) { v.Conn.Told = !v.Conn.Told })
		view(func(v *sessionresume.View) { v.Page.Exited = !v.Page.Exited })
		view(func(v *sessionresume.View) { v.Seen.Disorder = !v.Seen.Disorder })
		view(func(v *sessionresume.View) { v.Seen.Sessions ^= 2 })
		view(func(v *sessionresume.View) { v.Seen.Sessions ^= 1 })
		each(sessionresume.On, func(at sessionresume.At) { view(func(v *sessionresume.View) { v.Conn.At = at }) })
		each(d.MaxConns, func(n int) { view(func(v *sessionresume.View) { v.Conn.N = n }) })
		each(d.MaxSessions, func(n int) { view(func(v *sessionresume.View) { v.Page.Epoch = n }) })
		each(d.MaxOut, func(n int) {
			view(func(v *sessionresume.View) { v.Conn.Sent = n })
			view(func(v *sessionresume.View) { v.Conn.Acked = n })
			view(func(v *sessionresume.View) { v.Page.Have = n })
		})
	}
	return all
}
