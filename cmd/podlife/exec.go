package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"podlife/runtime/client"
)

// maxCaptured is how much of each output --json keeps, in bytes.
const maxCaptured = 8 << 20

func (m *Main) execCommand() *cobra.Command {
	var dir string
	var env []string
	var noStdin, asJSON, verbose bool
	c := &cobra.Command{
		Use:   "exec [flags] [--] PROGRAM [ARGUMENT]...",
		Short: "Run a program in your pod, without a terminal",
		Long: `Run a program in your pod, without a terminal, booting the pod first when it is not
ready. What the program writes to standard output and standard error comes out here, apart
from each other; what stands on standard input goes in, with its end. No shell is between:
say sh -c for one.

Ctrl-C and the signals that end programs (SIGINT, SIGTERM, SIGHUP) go to the program. It
lives as long as this command does: when the connection breaks, it is ended. The exit code
is the program's, 128+N when a signal ended it, 127 when there is no such program and 126
when it cannot be run; where no program ran, one of those below.`,
		Example: `  podlife exec -- make test
  podlife exec --dir /tmp --env DEBUG=1 -- sh -c 'env | sort'
  tar c . | podlife exec -- tar x -C /tmp
  podlife exec --json -- go version | jq -r .stdout`,
	}
	r := m.addPodRemote(c)
	c.Flags().SetInterspersed(false) // what follows the program is its own
	c.Flags().StringVar(&dir, "dir", "", "the absolute `path` where it starts; where a shell starts if not said")
	c.Flags().StringArrayVarP(&env, "env", "e", nil, "set a `NAME=VALUE` for it; may be given several times")
	c.Flags().BoolVarP(&noStdin, "no-stdin", "n", false, "give it no input")
	c.Flags().BoolVar(&asJSON, "json", false, "print its exit code, signal and both outputs as one JSON object at the end")
	c.Flags().BoolVarP(&verbose, "verbose", "v", false, "show the boot's steps and its script's output too")
	c.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 || args[0] == "" {
			return &usageError{fmt.Errorf("no program is named; see %s --help", cmd.CommandPath())}
		}
		p := podProgram{argv: args, dir: dir, notes: cmd.ErrOrStderr(), verbose: verbose, stdout: cmd.OutOrStdout(), stderr: cmd.ErrOrStderr()}
		if dir != "" && !strings.HasPrefix(dir, "/") {
			return &usageError{fmt.Errorf("--dir %.80q: an absolute path in the container is wanted", dir)}
		}
		var err error
		if p.env, err = environment(env); err != nil {
			return &usageError{err}
		}
		if err := wellFormed(append(append([]string{dir}, args...), env...)...); err != nil {
			return err
		}
		if !noStdin {
			p.stdin = cmd.InOrStdin()
		}
		cl, err := r.client()
		if err != nil {
			return err
		}
		defer cl.CloseIdleConnections()
		if asJSON {
			return m.execJSON(cmd, r, cl, p)
		}
		exit, err := m.runProgram(cmd.Context(), cl, p)
		if err != nil {
			return r.fail(cmd, err, false)
		}
		return endsWith(exit)
	}
	return c
}

// wellFormed is an error where what is asked for cannot be said to a server without becoming something else: words that are no UTF-8, or more of them than fit into a message.
func wellFormed(words ...string) error {
	for _, w := range words {
		if !utf8.ValidString(w) {
			return &usageError{fmt.Errorf("%.80q is not UTF-8, and cannot be sent as it is", w)}
		}
	}
	b, err := json.Marshal(words)
	if err != nil {
		return err
	}
	if len(b) > maxWords {
		return &usageError{fmt.Errorf("arguments and variables have %d bytes as they are sent; %d are allowed: write them into a file, or to standard input", len(b), maxWords)}
	}
	return nil
}

// maxWords is how many bytes of words fit into a message, which may have 64 KiB, beside the rest of it.
const maxWords = 60 << 10

// environment reads NAME=VALUE.
func environment(assigned []string) (map[string]string, error) {
	env := map[string]string{}
	for _, a := range assigned {
		name, value, ok := strings.Cut(a, "=")
		if !ok || name == "" {
			return nil, fmt.Errorf("--env %.80q: NAME=VALUE is wanted", a)
		}
		env[name] = value
	}
	return env, nil
}

// endsWith is this program's end after a remote one.
func endsWith(exit client.Exit) error {
	if exit.Code == 0 {
		return nil
	}
	return &codeError{code: exit.Code, told: true}
}

// captured keeps the first of what is written.
type captured struct {
	bytes.Buffer
	cut bool
}

func (c *captured) Write(b []byte) (int, error) {
	keep := min(len(b), maxCaptured-c.Len())
	c.cut = c.cut || keep < len(b)
	c.Buffer.Write(b[:keep])
	return len(b), nil
}

// execJSON runs the program, and prints all of it at its end.
func (m *Main) execJSON(cmd *cobra.Command, r *remote, cl *client.Client, p podProgram) error {
	var out, errs captured
	p.stdout, p.stderr = &out, &errs
	exit, err := m.runProgram(cmd.Context(), cl, p)
	if err != nil {
		return r.fail(cmd, err, true)
	}
	report := struct {
		ExitCode  int    `json:"exit_code"`
		Signal    string `json:"signal,omitempty"`
		Stdout    string `json:"stdout"`
		Stderr    string `json:"stderr"`
		Truncated bool   `json:"truncated"` // an output has more than 8 MiB, and its end is not here
	}{exit.Code, exit.Signal, strings.ToValidUTF8(out.String(), "\uFFFD"), strings.ToValidUTF8(errs.String(), "\uFFFD"), out.cut || errs.cut}
	if err := printJSON(cmd, report); err != nil {
		return err
	}
	return endsWith(exit)
}
