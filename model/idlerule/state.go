package idlerule

// State is one pod and its server.
type State struct {
	Now   int  // truth
	Up    bool // truth: the server lives
	Awake bool // truth
	Held  int  // truth: how many terminals, programs and boots hold the pod

	Active int // volatile: when somebody did something last, as the server knows it
	Lease  int // volatile: until when the pod is kept awake, as the server knows it
	Kept   int // durable: the same in the store

	Crashes int // of the server so far

	Promised int  // truth, history: the latest moment that an Extend was answered with
	Last     int  // truth, history: when somebody used the pod last, or could again after a start of the server
	Accessed bool // truth, history: it was woken by an access since it slept last
	Early    bool // truth, history: an idle sleep has come too early
}

// longAgo is what the server takes for a moment that it does not know.
const longAgo = 0

// First is the initial state.
func First() State { return State{Up: true} }

// TooEarly reports whether an idle sleep would come too early in truth, whatever the server takes to be the case.
func (s State) TooEarly(idle int) bool {
	return s.Held > 0 || s.Now < s.Promised || s.Now < s.Last+idle
}

// SleepsAt is the first moment at which Sweep may be taken if nothing happens, which may be over; ok is false where no moment is.
func (s State) SleepsAt(idle int) (at int, ok bool) {
	return max(s.Active+idle, s.Lease), s.Up && s.Awake && s.Held == 0
}

// Local is a state, and for how long a lease is asked for where one is.
type Local struct {
	State
	D int
}
