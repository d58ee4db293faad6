package podruntime

// Ctr is the state of the pod as the server holds it: the specification's pod[p].ctr.
type Ctr uint8

// The values of Ctr. Unknown is after a start of the server, until it has looked at store and engine.
const (
	Asleep Ctr = iota
	Unknown
	Provisioning
	Ready
)

var ctrWords = [...]string{Asleep: "asleep", Unknown: "unknown", Provisioning: "provisioning", Ready: "ready"}

// String gives the specification's word.
func (c Ctr) String() string { return word(ctrWords[:], uint8(c), "Ctr") }

// MarshalText gives the specification's word; a value without one is an error.
func (c Ctr) MarshalText() ([]byte, error) { return marshalWord(ctrWords[:], uint8(c), "Ctr") }

// UnmarshalText accepts exactly the specification's words.
func (c *Ctr) UnmarshalText(text []byte) error { return unmarshalWord(c, ctrWords[:], text, "Ctr") }

// Why says why the pod fell asleep: the specification's pod[p].why.
type Why uint8

// The values of Why. WhyNone is a pod that is awake, was never woken, or was found asleep.
const (
	WhyNone Why = iota
	WhyDestroy
	WhyIdle
	WhyLost
	WhyFailed
)

var whyWords = [...]string{WhyNone: "none", WhyDestroy: "destroy", WhyIdle: "idle", WhyLost: "lost", WhyFailed: "failed"}

// String gives the specification's word.
func (w Why) String() string { return word(whyWords[:], uint8(w), "Why") }

// MarshalText gives the specification's word; a value without one is an error.
func (w Why) MarshalText() ([]byte, error) { return marshalWord(whyWords[:], uint8(w), "Why") }

// UnmarshalText accepts exactly the specification's words.
func (w *Why) UnmarshalText(text []byte) error { return unmarshalWord(w, whyWords[:], text, "Why") }

// Run is where the boot run of an incarnation is: the specification's run[p][n].
type Run uint8

// The values of Run. In RunCreate and RunStart the engine launches the container, in RunBegin the script is about to be started, in RunScript
// it is waited for; the others are replies that the pod has not taken yet.
const (
	RunNone Run = iota
	RunCreate
	RunStart
	RunBegin
	RunScript
	RunOK
	RunFailed
	RunGone
)

var runWords = [...]string{
	RunNone: "none", RunCreate: "create", RunStart: "start", RunBegin: "begin", RunScript: "script", RunOK: "ok", RunFailed: "failed", RunGone: "gone",
}

// String gives the specification's word.
func (r Run) String() string { return word(runWords[:], uint8(r), "Run") }

// MarshalText gives the specification's word; a value without one is an error.
func (r Run) MarshalText() ([]byte, error) { return marshalWord(runWords[:], uint8(r), "Run") }

// UnmarshalText accepts exactly the specification's words.
func (r *Run) UnmarshalText(text []byte) error { return unmarshalWord(r, runWords[:], text, "Run") }

// Tear says whether a container is still to be removed: the specification's tear[p][n].
type Tear uint8

// The values of Tear.
const (
	TearNone Tear = iota
	TearRemove
)

var tearWords = [...]string{TearNone: "none", TearRemove: "remove"}

// String gives the specification's word.
func (t Tear) String() string { return word(tearWords[:], uint8(t), "Tear") }

// MarshalText gives the specification's word; a value without one is an error.
func (t Tear) MarshalText() ([]byte, error) { return marshalWord(tearWords[:], uint8(t), "Tear") }

// UnmarshalText accepts exactly the specification's words.
func (t *Tear) UnmarshalText(text []byte) error { return unmarshalWord(t, tearWords[:], text, "Tear") }

// At is how far a terminal has come: the specification's client[p][c].term.at.
type At uint8

// The values of At.
const (
	AtNone At = iota
	AtProbed
	AtDialed
	AtOpen
)

var atWords = [...]string{AtNone: "none", AtProbed: "probed", AtDialed: "dialed", AtOpen: "open"}

// String gives the specification's word.
func (a At) String() string { return word(atWords[:], uint8(a), "At") }

// MarshalText gives the specification's word; a value without one is an error.
func (a At) MarshalText() ([]byte, error) { return marshalWord(atWords[:], uint8(a), "At") }

// UnmarshalText accepts exactly the specification's words.
func (a *At) UnmarshalText(text []byte) error { return unmarshalWord(a, atWords[:], text, "At") }
