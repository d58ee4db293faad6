package podruntime

// Box is a container as the engine has it: the specification's engine[p][n].box.
type Box uint8

// The values of Box. BoxDead is one that has stopped running; nobody starts it again.
const (
	BoxNone Box = iota
	BoxCreated
	BoxRunning
	BoxDead
)

var boxWords = [...]string{BoxNone: "none", BoxCreated: "created", BoxRunning: "running", BoxDead: "dead"}

// String gives the specification's word.
func (b Box) String() string { return word(boxWords[:], uint8(b), "Box") }

// MarshalText gives the specification's word; a value without one is an error.
func (b Box) MarshalText() ([]byte, error) { return marshalWord(boxWords[:], uint8(b), "Box") }

// UnmarshalText accepts exactly the specification's words.
func (b *Box) UnmarshalText(text []byte) error { return unmarshalWord(b, boxWords[:], text, "Box") }

// Setup is how much of the boot script has truly been done in a container: the specification's engine[p][n].setup.
type Setup uint8

// The values of Setup.
const (
	SetupNone Setup = iota
	SetupPart
	SetupAll
)

var setupWords = [...]string{SetupNone: "none", SetupPart: "part", SetupAll: "all"}

// String gives the specification's word.
func (s Setup) String() string { return word(setupWords[:], uint8(s), "Setup") }

// MarshalText gives the specification's word; a value without one is an error.
func (s Setup) MarshalText() ([]byte, error) { return marshalWord(setupWords[:], uint8(s), "Setup") }

// UnmarshalText accepts exactly the specification's words.
func (s *Setup) UnmarshalText(text []byte) error {
	return unmarshalWord(s, setupWords[:], text, "Setup")
}

// Marker is what the marker in a container says: the specification's engine[p][n].marker.
type Marker uint8

// The values of Marker. The specification numbers the markers of all incarnations; in the container of incarnation n it writes only these:
// none, n, Old(n), and the Foreign of an image that carries one. A marker that names another incarnation of the pod is as foreign as that.
const (
	MarkerNone Marker = iota
	MarkerOwn
	MarkerEarlier
	MarkerForeign
)

var markerWords = [...]string{MarkerNone: "none", MarkerOwn: "own", MarkerEarlier: "earlier", MarkerForeign: "foreign"}

// String gives the word; the specification has numbers.
func (m Marker) String() string { return word(markerWords[:], uint8(m), "Marker") }

// MarshalText gives the word; a value without one is an error.
func (m Marker) MarshalText() ([]byte, error) { return marshalWord(markerWords[:], uint8(m), "Marker") }

// UnmarshalText accepts exactly these words.
func (m *Marker) UnmarshalText(text []byte) error {
	return unmarshalWord(m, markerWords[:], text, "Marker")
}

// Script is the boot script inside a container: the specification's engine[p][n].script.
type Script uint8

// The values of Script.
const (
	ScriptOff Script = iota
	ScriptOn
	ScriptOK
	ScriptBad
)

var scriptWords = [...]string{ScriptOff: "off", ScriptOn: "on", ScriptOK: "ok", ScriptBad: "failed"}

// String gives the specification's word.
func (s Script) String() string { return word(scriptWords[:], uint8(s), "Script") }

// MarshalText gives the specification's word; a value without one is an error.
func (s Script) MarshalText() ([]byte, error) { return marshalWord(scriptWords[:], uint8(s), "Script") }

// UnmarshalText accepts exactly the specification's words.
func (s *Script) UnmarshalText(text []byte) error {
	return unmarshalWord(s, scriptWords[:], text, "Script")
}
