package terminal

import (
	"encoding/json"
	"fmt"
	"regexp"
)

// Subprotocol is the WebSocket subprotocol of docs/protocol.md.
const Subprotocol = "podlife.v1"

// MaxMessage is how many bytes one message from a client may have.
const MaxMessage = 64 << 10

// Close codes of docs/protocol.md.
const (
	CloseExited     = 4000
	CloseBadMessage = 4400
	CloseSilent     = 4408
	CloseNotReady   = 4409
)

// hello is a client's first message.
type hello struct {
	Client string
	Tab    string
	Cols   uint16
	Rows   uint16
	Boot   bool
}

// clientMessage is any text message of a client.
type clientMessage struct {
	Type   string `json:"type"`
	Client string `json:"client"`
	Tab    string `json:"tab"`
	Cols   int    `json:"cols"`
	Rows   int    `json:"rows"`
	Boot   *bool  `json:"boot"`
}

// serverMessage is any text message of the server; unused fields are left out.
type serverMessage struct {
	Type        string `json:"type"`
	State       string `json:"state,omitempty"`
	Incarnation int    `json:"incarnation,omitempty"`
	Reason      string `json:"reason,omitempty"`
	Message     string `json:"message,omitempty"`
	Step        string `json:"step,omitempty"`
	Status      string `json:"status,omitempty"`
	Detail      string `json:"detail,omitempty"`
	Data        string `json:"data,omitempty"`
	Code        *int   `json:"code,omitempty"`
	ExitCode    int    `json:"exit_code,omitempty"`
	LogTail     string `json:"log_tail,omitempty"`
}

// badMessage is a message that the protocol does not allow; its text goes to the client as the close reason.
type badMessage struct{ why string }

func (e *badMessage) Error() string { return e.why }

var namePattern = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// ValidName says whether s may name a client, a tab or a session.
func ValidName(s string) bool { return namePattern.MatchString(s) }

func decodeMessage(data []byte) (clientMessage, error) {
	var m clientMessage
	if err := json.Unmarshal(data, &m); err != nil {
		return m, &badMessage{"not one JSON object with a type and fields as the protocol says"}
	}
	switch m.Type {
	case "hello", "resize", "boot":
		return m, nil
	}
	return m, &badMessage{fmt.Sprintf("unknown type %.32q", m.Type)}
}

// parseHello checks a first message.
func parseHello(m clientMessage) (hello, error) {
	if m.Type != "hello" {
		return hello{}, &badMessage{"the first message must be hello"}
	}
	h := hello{Client: m.Client, Tab: m.Tab, Boot: m.Boot == nil || *m.Boot}
	if h.Tab == "" {
		h.Tab = "main"
	}
	if !ValidName(h.Client) {
		return h, &badMessage{"client must match [A-Za-z0-9_-]{1,64}"}
	}
	if !ValidName(h.Tab) {
		return h, &badMessage{"tab must match [A-Za-z0-9_-]{1,64}"}
	}
	h.Cols, h.Rows = clampSize(m.Cols, 80), clampSize(m.Rows, 24)
	return h, nil
}

// clampSize brings one side of a terminal into 1..1000; a 0, which a hidden browser tab reports, means unchanged.
func clampSize(n int, unchanged uint16) uint16 {
	if n <= 0 {
		return unchanged
	}
	return uint16(min(n, 1000))
}
