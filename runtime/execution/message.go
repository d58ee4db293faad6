package execution

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"podlife/runtime/socket"
)

// Subprotocol is the WebSocket subprotocol of docs/exec-protocol.md.
const Subprotocol = "podlife.exec.v1"

// Window is how many bytes of input a client may have sent beyond what it was told is taken.
const Window = 256 << 10

// What the first byte of a binary message of the server says.
const (
	stdout = 1
	stderr = 2
)

// Close codes of docs/exec-protocol.md.
const (
	CloseEnded      = 4000
	CloseBadMessage = socket.CloseBadMessage
	CloseSilent     = 4408
	CloseRefused    = 4409
)

// clientMessage is any text message of a client.
type clientMessage struct {
	Type   string            `json:"type"`
	Client string            `json:"client"`
	Argv   []string          `json:"argv"`
	Dir    string            `json:"dir"`
	Env    map[string]string `json:"env"`
	Signal string            `json:"signal"`
	Have   uint64            `json:"have"`
}

// serverMessage is any text message of the server; unused fields are left out.
type serverMessage struct {
	Type        string `json:"type"`
	Incarnation int    `json:"incarnation,omitempty"`
	Have        uint64 `json:"have,omitempty"`
	Code        *int   `json:"code,omitempty"`
	Signal      string `json:"signal,omitempty"`
	Reason      string `json:"reason,omitempty"`
	Message     string `json:"message,omitempty"`
}

// badMessage is a message that the protocol does not allow; its text goes to the client as the close reason.
type badMessage struct{ why string }

func (e *badMessage) Error() string { return e.why }

var (
	namePattern     = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)
	variablePattern = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	signals         = []string{"SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM", "SIGKILL", "SIGUSR1", "SIGUSR2"}
)

func decodeMessage(data []byte) (clientMessage, error) {
	var m clientMessage
	if err := json.Unmarshal(data, &m); err != nil {
		return m, &badMessage{"not one JSON object with a type and fields as the protocol says"}
	}
	switch m.Type {
	case "ack", "eof":
		return m, nil
	case "run":
		return m, m.validRun()
	case "signal":
		if !slices.Contains(signals, m.Signal) {
			return m, &badMessage{"signal must be one of " + strings.Join(signals, ", ")}
		}
		return m, nil
	}
	return m, &badMessage{fmt.Sprintf("unknown type %.32q", m.Type)}
}

func (m clientMessage) validRun() error {
	switch {
	case !namePattern.MatchString(m.Client):
		return &badMessage{"client must match [A-Za-z0-9_-]{1,64}"}
	case len(m.Argv) == 0 || m.Argv[0] == "":
		return &badMessage{"argv must name a program"}
	case len(m.Argv) > 1024:
		return &badMessage{"argv has more than 1024 words"}
	case len(m.Env) > 64:
		return &badMessage{"env has more than 64 variables"}
	case m.Dir != "" && !strings.HasPrefix(m.Dir, "/") || len(m.Dir) > 4<<10:
		return &badMessage{"dir must begin with /, and have at most 4 KiB"}
	}
	for _, word := range append([]string{m.Dir}, m.Argv...) {
		if strings.ContainsRune(word, 0) {
			return &badMessage{"argv and dir must not have zero bytes"}
		}
	}
	for name, value := range m.Env {
		if !variablePattern.MatchString(name) || strings.ContainsRune(value, 0) || len(name)+len(value) >= 4<<10 {
			return &badMessage{fmt.Sprintf("env: %.40q cannot be set: a name is letters, digits and _, a value has no zero byte, and both have less than 4 KiB", name)}
		}
	}
	return nil
}
