// Package tlc runs TLC, the reference model checker of TLA+, as a second opinion, and understands what it says.
//
// It imports nothing of this module outside the folder tla. Read tlc.go first: [Run] runs a configuration and gives an [Outcome];
// expect.go says what was expected and names the differences. The command in the folder stage is what scripts/tlc.sh calls.
package tlc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Outcome is what TLC found.
type Outcome struct {
	Version string
	// Verdict is "holds" or "violates " and the name of the invariant.
	Verdict                    string
	Generated, Distinct, Depth int
}

// FailedError says that TLC gave no verdict: it could not be started, the specification has an error, or its output is not
// understood.
type FailedError struct {
	Config string
	Reason string
	Output string // all that TLC printed
	Cause  error  // may be nil
}

func (e *FailedError) Error() string {
	msg := fmt.Sprintf("%s: TLC gave no verdict: %s", e.Config, e.Reason)
	if e.Cause != nil {
		msg += ": " + e.Cause.Error()
	}
	return msg
}

func (e *FailedError) Unwrap() error { return e.Cause }

// The exit codes with which TLC ends after a verdict, and how long it may take to die when it is told to stop.
const (
	exitViolated = 12
	stopGrace    = 5 * time.Second
)

// Run runs TLC on dir/module.tla with dir/config, breadth first with one worker, so that the depth is exact. command is given to the
// shell, with TLC's arguments after it. TLC works on a copy, because it writes files beside the specification. The error is a
// [*FailedError].
func Run(ctx context.Context, command, dir, module, config string) (Outcome, error) {
	work, err := os.MkdirTemp("", "podlife-tlc-")
	if err != nil {
		return Outcome{}, &FailedError{Config: config, Reason: "no folder to work in", Cause: err}
	}
	defer os.RemoveAll(work)
	if err := copySpecifications(dir, work); err != nil {
		return Outcome{}, &FailedError{Config: config, Reason: "the specification cannot be copied", Cause: err}
	}
	// The names are arguments of the shell, not part of what it parses.
	cmd := exec.CommandContext(ctx, "sh", "-c", "exec "+command+` -tool -workers 1 -config "$1" "$2"`, "tlc", config, module+".tla")
	cmd.Dir = work
	cmd.WaitDelay = stopGrace
	out, err := cmd.CombinedOutput()
	fail := func(reason string, cause error) (Outcome, error) {
		return Outcome{}, &FailedError{Config: config, Reason: reason, Output: string(out), Cause: cause}
	}
	if ctx.Err() != nil {
		return fail("stopped", ctx.Err())
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return fail("cannot be run", err)
	}
	got, problem := parse(out)
	if problem != "" {
		return fail(problem, err)
	}
	if code := cmd.ProcessState.ExitCode(); code != 0 && code != exitViolated {
		return fail(fmt.Sprintf("exit code %d", code), nil)
	}
	return got, nil
}

func copySpecifications(from, to string) error {
	for _, pattern := range []string{"*.tla", "*.cfg"} {
		names, err := filepath.Glob(filepath.Join(from, pattern))
		if err != nil {
			return err
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(to, filepath.Base(name)), text, 0o600); err != nil {
				return err
			}
		}
	}
	return nil
}

// The messages of TLC's tool mode that are understood, by number.
const (
	msgInvariantViolatedInitially = 2107
	msgInvariantViolated          = 2110
	msgSuccess                    = 2193
	msgDepth                      = 2194
	msgCounts                     = 2199
	msgVersion                    = 2262
)

// severityError marks the messages that are errors.
const severityError = 1

type message struct {
	code, severity int
	text           string
}

// parse reads what TLC prints in tool mode. problem says why there is no verdict; it is empty where there is one. A message that is
// an error, other than a violated invariant, is never passed over.
func parse(out []byte) (o Outcome, problem string) {
	messages, problem := split(out)
	if problem != "" {
		return Outcome{}, problem
	}
	var success, counted, measured bool
	for _, m := range messages {
		switch m.code {
		case msgInvariantViolatedInitially, msgInvariantViolated:
			name := regexp.MustCompile(`Invariant (\S+) is violated`).FindStringSubmatch(m.text)
			if name == nil {
				return o, "a violation without a name: " + m.text
			}
			o.Verdict = "violates " + name[1]
		case msgSuccess:
			success = true
		case msgDepth:
			measured = numbers(m.text, `search is (\d+)`, &o.Depth)
		case msgCounts:
			counted = numbers(m.text, `([\d,]+) states generated, ([\d,]+) distinct states found`, &o.Generated, &o.Distinct)
		case msgVersion:
			o.Version = m.text
		default:
			// What follows a violation (the trace is behind an error message of its own) belongs to it.
			if m.severity == severityError && o.Verdict == "" {
				return o, fmt.Sprintf("error %d: %s", m.code, m.text)
			}
		}
	}
	switch {
	case success && o.Verdict != "":
		return o, "both success and a violation"
	case success:
		o.Verdict = "holds"
	case o.Verdict == "":
		return o, "neither success nor a violation"
	}
	if !counted || !measured {
		return o, "no counts"
	}
	return o, ""
}

// split cuts the output into messages; what stands between them is dropped.
func split(out []byte) (messages []message, problem string) {
	start := regexp.MustCompile(`^@!@!@STARTMSG (\d+):(\d+) @!@!@$`)
	var open *message
	for line := range bytes.Lines(out) {
		text := strings.TrimRight(string(line), "\r\n")
		switch m := start.FindStringSubmatch(text); {
		case m != nil:
			code, _ := strconv.Atoi(m[1])     // the expression
			severity, _ := strconv.Atoi(m[2]) // allows only digits
			open = &message{code: code, severity: severity}
		case strings.HasPrefix(text, "@!@!@ENDMSG"):
			if open != nil {
				open.text = strings.TrimSpace(open.text)
				messages = append(messages, *open)
			}
			open = nil
		case open != nil:
			open.text += text + "\n"
		}
	}
	if open != nil {
		return nil, fmt.Sprintf("the output ends inside message %d", open.code)
	}
	if len(messages) == 0 {
		return nil, "no output in tool mode"
	}
	return messages, ""
}

// numbers reads the numbers that the expression's groups find; TLC may group digits with commas.
func numbers(text, expression string, into ...*int) bool {
	found := regexp.MustCompile(expression).FindStringSubmatch(text)
	if found == nil {
		return false
	}
	for i, to := range into {
		n, err := strconv.Atoi(strings.ReplaceAll(found[i+1], ",", ""))
		if err != nil {
			return false
		}
		*to = n
	}
	return true
}
