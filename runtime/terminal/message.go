package terminal

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"podlife/runtime/socket"
)

// Subprotocol is the WebSocket subprotocol of docs/protocol.md.
const Subprotocol = "podlife.v2"

// maxOffset is the largest offset that a client's numbers hold exactly.
const maxOffset = 1<<53 - 1

// Close codes of docs/protocol.md.
const (
	CloseExited     = 4000
	CloseBadMessage = socket.CloseBadMessage
	CloseSilent     = 4408
	CloseNotReady   = 4409
	CloseTabClosed  = 4410
)

// hello is a client's first message.
type hello struct {
	Client   string
	Tab      string
	Cols     uint16
	Rows     uint16
	Boot     bool
	ReadOnly bool
	Argv     []string // what a new session runs in place of the shell
	Epoch    uint64   // of the session that the client shows; 0 for none
	Have     uint64   // up to which offset
}

// clientMessage is any text message of a client.
type clientMessage struct {
	Type     string   `json:"type"`
	Client   string   `json:"client"`
	Tab      string   `json:"tab"`
	Cols     int      `json:"cols"`
	Rows     int      `json:"rows"`
	Boot     *bool    `json:"boot"`
	ReadOnly bool     `json:"read_only"`
	Argv     []string `json:"argv"`
	Epoch    string   `json:"epoch"`
	Have     *uint64  `json:"have"`
}

// serverMessage is any text message of the server; unused fields are left out.
type serverMessage struct {
	Type        string  `json:"type"`
	State       string  `json:"state,omitempty"`
	Incarnation int     `json:"incarnation,omitempty"`
	Reason      string  `json:"reason,omitempty"`
	Message     string  `json:"message,omitempty"`
	Step        string  `json:"step,omitempty"`
	Status      string  `json:"status,omitempty"`
	Detail      string  `json:"detail,omitempty"`
	Data        string  `json:"data,omitempty"`
	Code        *int    `json:"code,omitempty"`
	Signal      string  `json:"signal,omitempty"`
	ExitCode    int     `json:"exit_code,omitempty"`
	LogTail     string  `json:"log_tail,omitempty"`
	Tab         string  `json:"tab,omitempty"`
	Epoch       string  `json:"epoch,omitempty"`
	From        *uint64 `json:"from,omitempty"`
	Cols        uint16  `json:"cols,omitempty"`
	Rows        uint16  `json:"rows,omitempty"`
	ReadOnly    bool    `json:"read_only,omitempty"`
	Started     bool    `json:"started,omitempty"`
	Recorded    bool    `json:"recorded,omitempty"`
	Frames      uint64  `json:"frames,omitempty"`
	Count       int     `json:"count,omitempty"`
	SleepsAt    string  `json:"sleeps_at,omitempty"`
	Seconds     int     `json:"seconds,omitempty"`
}

// badMessage is a message that the protocol does not allow; its text goes to the client as the close reason.
type badMessage struct{ why string }

func (e *badMessage) Error() string { return e.why }

var (
	namePattern  = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)
	epochPattern = regexp.MustCompile(`^[0-9a-f]{16}$`)
)

// ValidName says whether s may name a client or a tab.
func ValidName(s string) bool { return namePattern.MatchString(s) }

// FormatEpoch gives an epoch as the protocol has it: a number of 64 bits, which a client's own numbers do not hold.
func FormatEpoch(epoch uint64) string { return fmt.Sprintf("%016x", epoch) }

func decodeMessage(data []byte) (clientMessage, error) {
	var m clientMessage
	if err := json.Unmarshal(data, &m); err != nil {
		return m, &badMessage{"not one JSON object with a type and fields as the protocol says"}
	}
	switch m.Type {
	case "hello", "resize", "boot", "stay":
		return m, nil
	case "ack":
		if m.Have == nil || *m.Have > maxOffset {
			return m, &badMessage{"ack needs have, an offset below 2^53"}
		}
		return m, nil
	}
	return m, &badMessage{fmt.Sprintf("unknown type %.32q", m.Type)}
}

// parseHello checks a first message.
func parseHello(m clientMessage) (hello, error) {
	if m.Type != "hello" {
		return hello{}, &badMessage{"the first message must be hello"}
	}
	h := hello{Client: m.Client, Tab: m.Tab, Boot: m.Boot == nil || *m.Boot, ReadOnly: m.ReadOnly, Argv: m.Argv}
	if h.Tab == "" {
		h.Tab = "main"
	}
	if !ValidName(h.Client) {
		return h, &badMessage{"client must match [A-Za-z0-9_-]{1,64}"}
	}
	if !ValidName(h.Tab) {
		return h, &badMessage{"tab must match [A-Za-z0-9_-]{1,64}"}
	}
	if len(h.Argv) > 1024 || len(h.Argv) > 0 && h.Argv[0] == "" || strings.ContainsRune(strings.Join(h.Argv, ""), 0) {
		return h, &badMessage{"argv must name a program, with at most 1024 words and no zero bytes"}
	}
	if (m.Epoch == "") != (m.Have == nil) {
		return h, &badMessage{"epoch and have belong together"}
	}
	if m.Have != nil {
		if !epochPattern.MatchString(m.Epoch) || *m.Have > maxOffset {
			return h, &badMessage{"epoch must be 16 hexadecimal digits, and have an offset below 2^53"}
		}
		h.Epoch, _ = strconv.ParseUint(m.Epoch, 16, 64) // it matches
		h.Have = *m.Have
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
