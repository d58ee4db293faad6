package client

import (
	"encoding/json"
	"fmt"
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
	CloseTooMany     = 4429
)

// Message is what a terminal gets from the server: State, Step, Log, Attached, Exit, Output or Closed.
type Message interface{ message() }

// State is where the pod is, as this terminal sees it.
type State struct {
	State       string `json:"state"` // booting, ready, asleep, destroyed, failed
	Incarnation int    `json:"incarnation"`
	Reason      string `json:"reason"`    // a code, as docs/protocol.md lists them: boot_failed, no_shell, ...
	Message     string `json:"message"`   // a sentence for people
	Step        string `json:"step"`      // boot_failed: the step
	ExitCode    int    `json:"exit_code"` // boot_failed: its exit code
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

// Attached says that from here on Output is a provisioned shell's.
type Attached struct {
	Incarnation int `json:"incarnation"`
}

// Exit says that the shell ended by itself; Closed with CloseShellExited follows.
type Exit struct {
	Code int `json:"code"`
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
	}
	return nil, fmt.Errorf("unknown type %.40q", head.Type)
}

func into[T Message](b []byte) (Message, error) {
	var m T
	err := json.Unmarshal(b, &m)
	return m, err
}
