package podlifecycle

import "fmt"

// Ctr is the state of the container of the current incarnation: the specification's variable ctr.
type Ctr uint8

// The values of Ctr. Asleep is no container and no disk; Fresh is a container that nothing provisioned.
const (
	Asleep Ctr = iota
	Fresh
	Provisioning
	Ready
)

var ctrWords = [...]string{Asleep: "asleep", Fresh: "fresh", Provisioning: "provisioning", Ready: "ready"}

// String gives the specification's word.
func (c Ctr) String() string { return word(ctrWords[:], uint8(c), "Ctr") }

// MarshalText gives the specification's word; a value that is none of the four is an error.
func (c Ctr) MarshalText() ([]byte, error) { return marshalWord(ctrWords[:], uint8(c), "Ctr") }

// UnmarshalText accepts exactly the specification's words.
func (c *Ctr) UnmarshalText(text []byte) error {
	v, err := unmarshalWord(ctrWords[:], text, "Ctr")
	if err == nil {
		*c = Ctr(v)
	}
	return err
}

// Phase is what a client (a browser tab) is doing: the specification's client[c].phase.
type Phase uint8

// The values of Phase. Believes: the tab's boot succeeded, or its terminal was cut, and it reconnects for ever.
const (
	Idle Phase = iota
	Booting
	Believes
	Attached
)

var phaseWords = [...]string{Idle: "idle", Booting: "booting", Believes: "believes", Attached: "attached"}

// String gives the specification's word.
func (p Phase) String() string { return word(phaseWords[:], uint8(p), "Phase") }

// MarshalText gives the specification's word; a value that is none of the four is an error.
func (p Phase) MarshalText() ([]byte, error) { return marshalWord(phaseWords[:], uint8(p), "Phase") }

// UnmarshalText accepts exactly the specification's words.
func (p *Phase) UnmarshalText(text []byte) error {
	v, err := unmarshalWord(phaseWords[:], text, "Phase")
	if err == nil {
		*p = Phase(v)
	}
	return err
}

// Pod is one user's container.
type Pod struct {
	Ctr Ctr `json:"ctr"`
	Inc int `json:"inc"` // number of the current incarnation; 0 = never woken; every wake adds 1
}

// Client is one browser tab.
type Client struct {
	Phase   Phase `json:"phase"`
	BootInc int   `json:"bootInc"` // incarnation that the tab's last boot ran against; 0 = none
	AttInc  int   `json:"attInc"`  // incarnation that its terminal attached to; 0 = none
}

// Local is one pod and the one client that acts. Its zero value is the initial state: asleep, never woken, idle.
type Local struct {
	Pod    Pod
	Client Client
}

func word(words []string, v uint8, kind string) string {
	if int(v) < len(words) {
		return words[v]
	}
	return fmt.Sprintf("%s(%d)", kind, v)
}

func marshalWord(words []string, v uint8, kind string) ([]byte, error) {
	if int(v) < len(words) {
		return []byte(words[v]), nil
	}
	return nil, fmt.Errorf("podlifecycle: %s has no value %d", kind, v)
}

func unmarshalWord(words []string, text []byte, kind string) (uint8, error) {
	for i, w := range words {
		if w == string(text) {
			return uint8(i), nil
		}
	}
	return 0, fmt.Errorf("podlifecycle: %.40q is no %s, want one of %q", text, kind, words)
}
