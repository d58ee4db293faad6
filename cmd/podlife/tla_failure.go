package main

import (
	"encoding/json"
	"io"
	"strconv"
	"strings"
)

// tlaFailure is what a tla command with --json prints when it ends without a result: wrong use, or a file that cannot be opened. Its fields are those
// that the results have.
type tlaFailure struct {
	Schema   int        `json:"schema"`
	Verdict  string     `json:"verdict,omitempty"` // of check: usage-error or failed
	ExitCode int        `json:"exitCode"`
	Errors   []tlaError `json:"errors"`
}

// printTLAFailure prints it. An error of w is kept by w.
func printTLAFailure(w io.Writer, args []string, code int, err error) {
	one := tlaError{Code: "failed", Message: errorText(err)}
	if code == exitUsage {
		one.Code = "usage"
	}
	out := tlaFailure{Schema: 1, ExitCode: code, Errors: []tlaError{one}}
	if command := tlaArguments(args); len(command) > 0 && command[0] == "check" {
		out.Verdict = "failed"
		if code == exitUsage {
			out.Verdict = "usage-error"
		}
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	_ = e.Encode(out)
}

// tlaArguments are the arguments behind the word tla, or nil where the command is another one.
func tlaArguments(args []string) []string {
	for i, a := range args {
		if a == "tla" {
			return args[i+1:]
		}
		if !strings.HasPrefix(a, "-") {
			break
		}
	}
	return nil
}

// wantsTLAJSON tells whether a tla command was asked for JSON, also where the command line is wrong otherwise.
func wantsTLAJSON(args []string) bool {
	behind := tlaArguments(args)
	if behind == nil {
		return false
	}
	commands := (&Main{}).tlaCommand()
	wanted, isValue := false, false
	for _, a := range args {
		name, value, whole := strings.Cut(a, "=")
		switch {
		case isValue:
			isValue = false
		case a == "--":
			return wanted
		case !strings.HasPrefix(a, "-"):
		case strings.TrimLeft(name, "-") == "json":
			on, err := strconv.ParseBool(value)
			wanted = !whole || on || err != nil // a value that is none is told as it would be without
		default:
			isValue = !whole && wantsValue(commands, strings.TrimLeft(a, "-"))
		}
	}
	return wanted
}
