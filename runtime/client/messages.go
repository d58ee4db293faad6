package client

import (
	"encoding/json"
	"fmt"
	"time"
)

// Close codes of the terminal's socket, as docs/protocol.md lists them.
const (
	CloseGoingAway   = 1001 // the server is stopping
	CloseLost        = 1006 // never sent: the connection broke without a close frame, as it does when the server had no pong for too long
	CloseTooBig      = 1009 // a message of more than 64 KiB
	CloseShellExited = 4000
	CloseBadMessage  = 4400
	CloseNoHello     = 4408
	CloseNotReady    = 4409
	CloseTabClosed   = 4410
	CloseTooMany     = 4429
)

// Message is what a terminal gets from the server: State, Step, Log, Attached, Resumed, Reset, Live, Size, Taken, Refused, Exit, Output or Closed.
type Message interface{ message() }

// State is where the pod is, as this terminal sees it.
type State struct {
	State       string `json:"state"` // booting, ready, asleep, destroyed, failed
	Incarnation int    `json:"incarnation"`
	Reason      string `json:"reason"`    // a code, as docs/protocol.md lists them: boot_failed, no_shell, ...
	Message     string `json:"message"`   // a sentence for people
	Step        string `json:"step"`      // boot_failed: the step
	ExitCode    int    `json:"exit_code"` // boot_failed: its exit code; no_shell: 126 or 127, where a program cannot be run
	LogTail     string `json:"log_tail"`  // boot_failed: the end of its output; hostile text
}

// Step says that the boot began or ended a step.
type Step struct {
	Step   string `json:"step"`
	Status string `json:"status"` // started, done, skipped, failed
	Detail string `json:"detail"`
}

// Log is a piece of the boot's output: hostile text, never to be interpreted.
type Log struct {
	Data string `json:"data"`
}

// Attached says that from here on Output is a provisioned shell's. Resumed, or a Reset, follows.
type Attached struct {
	Incarnation int    `json:"incarnation"`
	Tab         string `json:"tab"`
	Epoch       string `json:"epoch"` // names the session: 16 hexadecimal digits
	Cols        int    `json:"cols"`  // the session's size
	Rows        int    `json:"rows"`
	ReadOnly    bool   `json:"read_only"`
	Started     bool   `json:"started"`  // the session began with this terminal
	Recorded    bool   `json:"recorded"` // the session is recorded
}

// Resumed says that the output goes on exactly where this terminal was.
type Resumed struct {
	From uint64 `json:"from"`
}

// Reset says that what this terminal shows is of no use: the Output from here to Live is a picture of the session.
type Reset struct {
	Reason string `json:"reason"` // new, epoch, behind, slow
}

// Live says that the picture is whole, and at which byte of the session's output it goes on.
type Live struct {
	From uint64 `json:"from"`
}

// Size says which size the session has now.
type Size struct {
	Cols int `json:"cols"`
	Rows int `json:"rows"`
}

// Taken says how many pieces of input were dealt with; it comes for large ones only.
type Taken struct {
	Frames uint64 `json:"frames"`
}

// Refused says that a piece of input was dropped as a whole, and which.
type Refused struct {
	Reason string `json:"reason"` // input_full, read_only, or lost: it may have been typed, in part or whole
	Frames uint64 `json:"frames"`
}

// Viewers says how many terminals look at the session, this one too. Before the first it is one.
type Viewers struct {
	Count int `json:"count"`
}

// Idle warns of an idle sleep, or with Seconds 0 takes that back. Something typed or printed cancels it, and so does Stay.
type Idle struct {
	SleepsAt time.Time `json:"sleeps_at"`
	Message  string    `json:"message"` // why
	Seconds  int       `json:"seconds"`
}

// Exit says that the shell ended by itself; Closed with CloseShellExited follows.
type Exit struct {
	Code   int    `json:"code"`
	Signal string `json:"signal"` // the name of the one that ended it, or empty
}

// Output is bytes of the shell, unchanged; runes may be split between two of them.
type Output []byte

// Closed is the last message of a terminal: how the socket ended.
type Closed struct {
	Code   int    // CloseLost when there was no close frame
	Reason string // the server's words, may be empty
	Err    error  // for CloseLost: what broke
}

func (State) message()    {}
func (Step) message()     {}
func (Log) message()      {}
func (Attached) message() {}
func (Exit) message()     {}
func (Resumed) message()  {}
func (Reset) message()    {}
func (Live) message()     {}
func (Size) message()     {}
func (Taken) message()    {}
func (Refused) message()  {}
func (Viewers) message()  {}
func (Idle) message()     {}
func (Output) message()   {}
func (Closed) message()   {}

// decode reads a text frame.
func decode(b []byte) (Message, error) {
	var head struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(b, &head); err != nil {
		return nil, err
	}
	switch head.Type {
	case "state":
		return into[State](b)
	case "step":
		return into[Step](b)
	case "log":
		return into[Log](b)
	case "attached":
		return into[Attached](b)
	case "exit":
		return into[Exit](b)
	case "resumed":
		return into[Resumed](b)
	case "reset":
		return into[Reset](b)
	case "live":
		return into[Live](b)
	case "size":
		return into[Size](b)
	case "viewers":
		return into[Viewers](b)
	case "idle":
		return into[Idle](b)
	case "taken":
		return into[Taken](b)
	case "refused":
		return into[Refused](b)
	}
	return nil, unknownType(head.Type)
}

func unknownType(name string) error { return fmt.Errorf("unknown type %.40q", name) }

func into[T Message](b []byte) (Message, error) {
	var m T
	err := json.Unmarshal(b, &m)
	return m, err
}
