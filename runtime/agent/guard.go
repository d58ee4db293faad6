package agent

import (
	"bytes"
	"encoding/json"
	"fmt"

	"podlife/runtime/boot"
)

// guardPrefix begins the one line that the shell command says before anything else.
const guardPrefix = "podlife-guard:"

// GuardSeen is what the reader of an OK writes back; the shell starts only then. A terminal's output that nobody has read yet is not safe: a program may throw it away,
// and the multiplexer does when it starts. And a shell whose reader is gone by now does not start at all.
const GuardSeen = "\n"

// MaxGuardLine is how long that line may be, in bytes.
const MaxGuardLine = 4 << 10

// Reasons of a guard line that are not about the marker.
const (
	NoShell      boot.Reason = "no_shell"      // neither bash nor sh can be run; ExitCode is 126 or 127 as a shell would say it
	SessionEnded boot.Reason = "session_ended" // the session was ended before it began
	AgentFailed  boot.Reason = "agent_failed"  // Detail says what
)

// Guard is what the shell command says in its first line: that the marker vouches and the shell starts now, in this very process, or why not.
type Guard struct {
	OK       bool        `json:"ok"`
	Reason   boot.Reason `json:"reason,omitempty"`
	ExitCode int         `json:"exit_code,omitempty"`
	Detail   string      `json:"detail,omitempty"`
}

// Line gives the guard's line, with its line end.
func (g Guard) Line() []byte {
	body, err := json.Marshal(g)
	if err != nil {
		panic("agent: a guard line is strings and cannot fail to marshal: " + err.Error())
	}
	return append(append([]byte(guardPrefix), body...), '\n')
}

// ParseGuard reads a guard line. A terminal may have put a carriage return before the line end.
func ParseGuard(line []byte) (Guard, error) {
	body, ok := bytes.CutPrefix(bytes.TrimRight(line, "\r\n"), []byte(guardPrefix))
	if !ok {
		return Guard{}, fmt.Errorf("not a guard line: %.200q", line)
	}
	var g Guard
	if err := json.Unmarshal(body, &g); err != nil {
		return Guard{}, fmt.Errorf("guard line %.200q: %w", line, err)
	}
	if g.OK == (g.Reason != "") {
		return Guard{}, fmt.Errorf("guard line %.200q says both or neither", line)
	}
	return g, nil
}
