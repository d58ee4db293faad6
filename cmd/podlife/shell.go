package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"podlife/runtime/client"
)

var tabName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

func (m *Main) shellCommand() *cobra.Command {
	var tab, escapeChar string
	var verbose, readOnly bool
	c := &cobra.Command{
		Use:   "shell [flags] [-- PROGRAM [ARGUMENT]...]",
		Short: "Open a terminal in your pod",
		Long: `Open a terminal in your pod, booting it first when it is not ready. It is the same
session that the page shows: leave it and come back, from here or from a browser, and
your programs still run.

At the beginning of a line:
  ~.   leaves; the session goes on
  ~~   types one ~
  ~?   lists these
While nothing is attached (booting, reconnecting), Ctrl-C leaves too.

A lost connection is made again by itself, until you leave. After the pod went to sleep
or was destroyed, a key boots it again. The exit code is that of the remote shell; 0 after
~.; without a remote shell, one of those below.

With a PROGRAM, the session runs that in place of a shell, in a tab of its own unless
--tab names one. Where that tab runs already, nothing is run. --read-only looks at a tab
that is there, and begins none.

Without a terminal on standard input, the input is typed once the shell is there, and
Ctrl-D at its end.`,
		Example: `  podlife shell
  podlife shell --tab logs       # a second session beside the first
  podlife shell --tab logs --read-only   # look, and type nothing
  podlife shell -- htop
  podlife shell --escape '^]'    # Ctrl-] . leaves
  echo 'make test; exit $?' | podlife shell --tab ci`,
	}
	r := m.addPodRemote(c)
	c.Flags().SetInterspersed(false) // what follows the program is its own
	c.Flags().StringVar(&tab, "tab", "main", "the session's `name`: letters, digits, _ and -")
	c.Flags().StringVar(&escapeChar, "escape", "~", "the `key` that begins ~. and ~?: a character, ^X for Ctrl-X, or none")
	c.Flags().BoolVar(&readOnly, "read-only", false, "look at the session and type nothing; only ~. and ~? are heard")
	c.Flags().BoolVarP(&verbose, "verbose", "v", false, "show the boot script's output too")
	c.RunE = func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) > 0 && args[0] == "":
			return &usageError{errors.New("the program has no name")}
		case len(args) > 0 && readOnly:
			return &usageError{errors.New("--read-only looks at a session, and does not begin one")}
		case len(args) > 0 && !cmd.Flags().Changed("tab"):
			tab = "run-" + strings.ToLower(rand.Text()[:10])
		}
		if !tabName.MatchString(tab) {
			return &usageError{fmt.Errorf("--tab %.80q: 1 to 64 letters, digits, _ and - are allowed", tab)}
		}
		if err := wellFormed(args...); err != nil {
			return err
		}
		key, err := parseEscape(escapeChar)
		if err != nil {
			return &usageError{err}
		}
		cl, err := r.client()
		if err != nil {
			return err
		}
		defer cl.CloseIdleConnections()
		if readOnly {
			if err := r.mustRun(cmd.Context(), cl, tab); err != nil {
				return err
			}
		}
		return m.shell(cmd, r, cl, client.Hello{Tab: tab, ReadOnly: readOnly, Argv: args}, key, verbose)
	}
	return c
}

// mustRun is an error where no session of that name runs, or is kept: a shell that nobody types into is of no use.
func (r *remote) mustRun(ctx context.Context, cl *client.Client, tab string) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	tabs, err := cl.Tabs(ctx)
	if err != nil {
		return r.explain(err)
	}
	for _, t := range tabs {
		if t.Name == tab {
			return nil
		}
	}
	return &codeError{code: exitFailed, text: fmt.Sprintf("there is no session %s to look at; %s lists those that there are", tab, r.again("tabs"))}
}

// shell sets the local terminal up, runs the session and puts the terminal back, whatever happens.
func (m *Main) shell(cmd *cobra.Command, r *remote, cl *client.Client, hello client.Hello, escapeKey int, verbose bool) error {
	stdin, _ := cmd.InOrStdin().(*os.File)
	stdout := fileOf(cmd.OutOrStdout())
	t, err := openTTY(stdin, stdout)
	if err != nil {
		return fmt.Errorf("set up the terminal: %w", err)
	}
	restore := m.onExit(t.restore)
	defer restore() // runs when this goroutine panics too; the other goroutines have restoreOnPanic
	ctx, cancel := context.WithCancel(cmd.Context())
	defer cancel()

	modes := &modes{}
	notes := io.Writer(cmd.ErrOrStderr())
	if t.raw {
		notes = &crlfWriter{notes}
		defer m.onExit(func() { writeAll(cmd.OutOrStdout(), modes.reset()) })()
	}
	in := m.readInput(ctx, cmd.InOrStdin(), t)
	defer in.wait()
	defer cancel()               // before the wait
	name := "cli-" + rand.Text() // one tab, however often it reconnects
	var s *shell
	s = &shell{
		m: m, remote: r, out: cmd.OutOrStdout(), notes: notes, in: in.bytes, tty: t, modes: modes, escape: escape{key: escapeKey, lineStart: true},
		progress: &progress{w: notes, verbose: verbose, now: time.Now}, delay: m.delay, interactive: t.raw, readOnly: hello.ReadOnly, mustStart: len(hello.Argv) > 0,
		dial: func(ctx context.Context, cols, rows int) (*client.Terminal, error) {
			hello.Client, hello.Cols, hello.Rows = name, cols, rows
			hello.Epoch, hello.Have = s.place.Resume()
			return cl.Terminal(ctx, hello)
		},
	}
	if s.delay == nil {
		s.delay = jitter
	}
	err = s.run(ctx)
	if cause := context.Cause(cmd.Context()); cause != nil {
		return cause
	}
	return err
}

// writeAll writes to a terminal that may be gone, in which case nobody can be told.
func writeAll(w io.Writer, s string) {
	if s != "" {
		_, _ = io.WriteString(w, s)
	}
}
