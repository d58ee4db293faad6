package sessionresume

import "slices"

// Local is one tab and all its viewers, one of which may act.
type Local struct {
	Host  Host
	Views []View
	V     int // the place of the viewer that acts, in Views
	// Final is history: how much output each session had in the end, by its number. Sessions beyond it are not remembered.
	Final [MaxMaxSessions + 1]int
}

// Host is the session host's part: the session that the tab has now.
type Host struct {
	Session int // truth: 1 is the tab's first
	Epoch   int // what names it to viewers
	Lo, Hi  int // the ring has the bytes from Lo to before Hi
	Over    bool
}

// View is a viewer: its connection, what is under way on it, what the viewer shows, and what it shows in truth.
type View struct {
	Conn  Conn
	Wire  []Frame
	Page  Page
	Seen  Seen
	Alone bool // history: its connection has had no other beside it
}

// At is how far a connection has come.
type At uint8

// The values of At.
const (
	Off At = iota
	Asked
	On
)

// String gives the specification's word.
func (a At) String() string { return [...]string{"off", "asked", "on"}[a] }

// Conn is a connection, the viewer's nth.
type Conn struct {
	N           int
	At          At
	Sent, Acked int  // the next byte to send, the next byte that is not acknowledged
	Told        bool // that the shell has exited
}

// Kind is what a frame says.
type Kind uint8

// The values of Kind.
const (
	Data Kind = iota
	ResetTo
	Exited
)

// String gives the specification's word.
func (k Kind) String() string { return [...]string{"data", "reset", "exit"}[k] }

// Frame is something on the wire.
type Frame struct {
	Conn    int
	Kind    Kind
	Epoch   int
	At      int // byte
	Session int // truth: whose byte it is; 0 is nobody's
}

// Page is what a viewer knows.
type Page struct {
	Epoch  int
	Have   int // the next byte that it expects
	Exited bool
}

// Seen is what a viewer shows in truth, since its last reset: of which sessions, as bits, and whether all was in order.
type Seen struct {
	Sessions uint8
	Disorder bool
}

// First is the initial state with so many viewers.
func First(viewers int) Local {
	l := Local{Host: Host{Session: 1, Epoch: 1}, Views: make([]View, viewers)}
	for i := range l.Views {
		l.Views[i].Alone = true
	}
	return l
}

func (l Local) view() View { return l.Views[l.V] }

// with gives the state with the acting viewer changed.
func (l Local) with(change func(*View)) Local {
	l.Views = slices.Clone(l.Views)
	change(&l.Views[l.V])
	return l
}

// each gives the state with every viewer changed.
func (l Local) each(change func(int, *View)) Local {
	l.Views = slices.Clone(l.Views)
	for i := range l.Views {
		change(i, &l.Views[i])
	}
	return l
}

// append gives a wire with one more on it.
func (v View) append(f Frame) []Frame { return append(slices.Clip(v.Wire), f) }
