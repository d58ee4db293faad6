package main

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"podlife/runtime/client"
	"podlife/runtime/config"
)

// Exit codes, as every --help tells them (tellExitCodes). A command may have its own on top, as replay does; shell ends with the remote shell's; check and tla have lists of their own instead.
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitBootFailed  = 3
	exitRefused     = 4
	exitUnreachable = 5
	exitBusy        = 6
	exitEngine      = 7
	exitDiverged    = 8
	exitConflict    = 9
	exitSignal      = 128 // plus the signal's number
)

const exitCodeHelp = `
Exit codes:
  0  done
  1  something failed; the message says what
  2  wrong use: unknown command, flag or setting
  3  the boot failed
  4  not logged in, or refused
  5  the server cannot be reached, or the connection broke
  6  too many boots, running pods, clients or terminals: stop one, or try again later
  7  the container engine cannot be used
  8  serve --monitor=fatal: the server took a step that its specification does not have
  9  what was named is there already, is not there, is in use, or is being removed
  128+N  ended by signal N (130 is Ctrl-C)
{{if not .HasParent}}"podlife shell" ends with the code of the remote shell; "podlife check", "podlife replay", "podlife tla" and "podlife trace" have their own lists.
{{end}}`

// tellExitCodes puts the exit codes under every --help, but for commands that have a list of their own and those that are not for people.
func tellExitCodes(root *cobra.Command) {
	plain := root.HelpTemplate()
	root.SetHelpTemplate(plain + exitCodeHelp)
	for _, c := range root.Commands() {
		if c.Hidden || strings.Contains(c.Long, "\nExit codes:") {
			c.SetHelpTemplate(plain)
		}
	}
}

// usageError is a command line that cannot be carried out.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }
func (e *usageError) ExitCode() int { return exitUsage }

// codeError ends the program with a code; without text, silently.
type codeError struct {
	code int
	text string
	err  error
	told bool // the code is in the report too: a signal that came meanwhile does not change it
}

func (e *codeError) Error() string { return e.text }
func (e *codeError) Unwrap() error { return e.err }
func (e *codeError) ExitCode() int { return e.code }

// exitCode is the one place where errors become exit codes.
func exitCode(ctx context.Context, err error) int {
	var own interface{ ExitCode() int }
	var sig *signalError
	var problem *client.Problem
	var unreachable *client.Unreachable
	var cut *client.Interrupted
	var setting *config.Error
	switch {
	case errors.As(err, &own):
		return own.ExitCode()
	case errors.As(context.Cause(ctx), &sig):
		return exitSignal + int(sig.sig)
	case errors.As(err, &problem):
		return problemExit(problem)
	case errors.As(err, &unreachable), errors.As(err, &cut):
		return exitUnreachable
	case errors.As(err, &setting):
		return exitUsage
	}
	return exitFailed
}

func problemExit(p *client.Problem) int {
	switch {
	case p.Code == client.CodeBootFailed:
		return exitBootFailed
	case p.Code == client.CodeEngineUnavailable:
		return exitEngine
	case namedConflict(p.Code):
		return exitConflict
	case p.Status == http.StatusUnauthorized, p.Status == http.StatusForbidden:
		return exitRefused
	case p.Status == http.StatusTooManyRequests:
		return exitBusy
	}
	return exitFailed
}

// namedConflict says of a problem's code that it is about what was named: that it is there, is not there, is in use, or is being removed.
func namedConflict(code string) bool {
	switch code {
	case client.CodeNameTaken, client.CodeNoPod, client.CodePodGoing, client.CodeNoVolume, client.CodeVolumeInUse, client.CodeVolumeNotOurs, client.CodeVolumeGone:
		return true
	}
	return false
}

// errorText is what a person reads of an error.
func errorText(err error) string {
	var problem *client.Problem
	if settings := config.All(err); len(settings) > 0 {
		text := "the configuration cannot be used:"
		for _, s := range settings {
			text += "\n  " + s.Error()
		}
		return text
	}
	if _, explained := err.(interface{ ExitCode() int }); explained {
		return err.Error()
	}
	if errors.As(err, &problem) && problem.Detail != "" {
		return printable(problem.Op + ": " + problem.Detail)
	}
	return printable(err.Error())
}
