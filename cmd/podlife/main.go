// Command podlife gives every user a dev container behind a web terminal: the server, the clients of it, the checker of its lifecycle, and the agent that runs inside the containers.
//
// This package wires the others together and talks to people; it decides nothing about a pod's lifecycle. Nothing imports it. Read this file first, then serve.go.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"podlife/runtime/agent"
)

// version and buildID are set at build time: -ldflags "-X main.version=v1 -X main.buildID=release". A running server tells both at /api/version.
var (
	version = "dev"
	buildID = "release"
)

func main() {
	m := &Main{Environ: os.Environ()}
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	// The agent runs inside a container, as PID 1 among others, and has its own way with signals.
	if len(os.Args) < 2 || os.Args[1] != "agent" {
		defer m.watchSignals(cancel)()
	}
	os.Exit(m.Run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// Main is the program, as a value that a test can run in its own process.
type Main struct {
	Environ []string // KEY=VALUE

	delay func(attempt int) time.Duration // for tests: before the shell's next try; nil is jitter
	every time.Duration                   // for tests: between two looks at a server's steps; 0 is a second

	mu       sync.Mutex           // guards the following
	restores []*func()            // what has to be undone before the process may end: raw terminals
	signals  func(syscall.Signal) // who gets the signals that would end this program; nil is this program
}

// Run runs one command line (without the program's name) and gives its exit code. The end of ctx asks a command to stop; its cause may be a signalError.
func (m *Main) Run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	out := &output{w: stdout}
	err := m.execute(ctx, args, stdin, out, stderr)
	var sig *signalError
	var own *codeError
	if err != nil && errors.As(context.Cause(ctx), &sig) && !(errors.As(err, &own) && own.told) {
		err = sig
	}
	if err != nil && out.silent() && wantsTLAJSON(args) {
		printTLAFailure(out, args, exitCode(ctx, err), err)
	}
	if err = out.failed(err); err == nil {
		return exitOK
	}
	if text := errorText(err); text != "" {
		fmt.Fprintln(stderr, "podlife: "+text)
	}
	return exitCode(ctx, err)
}

// execute carries out a command line.
func (m *Main) execute(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	args, err := singleDash(args)
	if err != nil {
		return err
	}
	root := m.rootCommand()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	return root.ExecuteContext(ctx)
}

func (m *Main) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "podlife",
		Short: "A dev container behind a web terminal for every user",
		Long: `podlife gives every user a dev container behind a web terminal, and never hands
anyone a shell that its boot script did not set up.

On a machine with Docker, podlife serve starts the server and prints a link that
logs a browser in. The other commands talk to a running server, as the page does.`,
		Example: `  podlife serve                  # start the server, open the printed link
  podlife shell                  # the same terminal, without a browser
  podlife status
  podlife destroy                # back to an empty disk
  podlife create web --class workspace --start   # a pod whose home stays`,
		Args:          cobra.ArbitraryArgs,
		SilenceErrors: true,
		SilenceUsage:  true,

		SuggestionsMinimumDistance: 2,

		Version: version,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Help()
			}
			err := fmt.Errorf("there is no command %.40q", args[0])
			if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
				err = fmt.Errorf("%w; did you mean podlife %s?", err, near[0])
			} else {
				err = fmt.Errorf("%w; podlife --help lists them", err)
			}
			return &usageError{err}
		},
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return &usageError{fmt.Errorf("%w; see %s --help", flagValue(err), cmd.CommandPath())}
	})
	root.SetVersionTemplate("podlife {{.Version}}\n")
	root.AddCommand(m.serveCommand(), m.bootCommand(), m.shellCommand(), m.execCommand(), m.cpCommand(), m.tabsCommand(), m.createCommand(), m.listCommand(), m.startCommand(), m.stopCommand(), m.setCommand(), m.removeCommand(), m.volumesCommand(), m.eventsCommand(), m.extendCommand(), m.statusCommand(), m.destroyCommand(), m.loginLinkCommand(), versionCommand(), newCheckCommand(), m.reportCommand(), m.tlaCommand(), m.replayCommand(), m.replayCastCommand(), m.traceCommand(), agent.NewCommand())
	root.InitDefaultCompletionCmd()
	root.InitDefaultHelpCmd()
	tellExitCodes(root)
	return root
}

// wantedBy says for people what a flag of this type wants; "" for one that reads its value itself, and has its own words.
func wantedBy(flagType string) string {
	switch flagType {
	case "float64":
		return "a number is wanted"
	case "int", "int64":
		return "a whole number is wanted"
	case "uint64":
		return "a whole number of at least 0 is wanted"
	case "bool":
		return "true or false is wanted"
	case "duration":
		return "a time with a unit is wanted, such as 30m or 8h"
	}
	return ""
}

// flagValue is the error of a flag whose value cannot be, without the words of the parser.
func flagValue(err error) error {
	var bad *pflag.InvalidValueError
	if !errors.As(err, &bad) {
		return err
	}
	wanted := wantedBy(bad.GetFlag().Value.Type())
	var parser *strconv.NumError
	if wanted == "" || !errors.As(err, &parser) && !strings.HasPrefix(fmt.Sprint(bad.Unwrap()), "time: ") {
		return err // the flag's own words
	}
	return fmt.Errorf("--%s %.60q: %s", bad.GetFlag().Name, bad.GetValue(), wanted)
}

// signalError is the cause of a context that a signal ended.
type signalError struct{ sig syscall.Signal }

func (e *signalError) Error() string { return e.sig.String() }

// watchSignals ends the context at the first SIGINT, SIGTERM, SIGHUP or SIGQUIT and the process at the second, with every terminal restored. The returned function stops it and waits.
func (m *Main) watchSignals(cancel context.CancelCauseFunc) (stop func()) {
	sigs := []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT}
	sigs = slices.DeleteFunc(sigs, signal.Ignored) // nohup: stay
	ch := make(chan os.Signal, 2)
	signal.Notify(ch, sigs...)
	done := make(chan struct{})
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		for n := 0; ; n++ {
			select {
			case s := <-ch:
				sig, _ := s.(syscall.Signal)
				if m.handsOn(sig) {
					n--
					continue
				}
				if n > 0 {
					m.restoreAll()
					os.Exit(128 + int(sig))
				}
				cancel(&signalError{sig})
			case <-done:
				return
			}
		}
	}()
	return func() {
		signal.Stop(ch)
		close(done)
		<-finished
	}
}

// handOn gives every signal that ends this program to somebody else from now on, until back is called.
func (m *Main) handOn(to func(syscall.Signal)) (back func()) {
	set := func(f func(syscall.Signal)) {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.signals = f
	}
	set(to)
	return func() { set(nil) }
}

// handsOn says whether a signal was given to somebody else.
func (m *Main) handsOn(sig syscall.Signal) bool {
	m.mu.Lock()
	to := m.signals
	m.mu.Unlock()
	if to != nil {
		to(sig)
	}
	return to != nil
}

// onExit registers what must happen before the process may end, whichever way. The returned function does it now, once.
func (m *Main) onExit(f func()) (now func()) {
	var once sync.Once
	g := func() { once.Do(f) }
	p := &g
	m.mu.Lock()
	m.restores = append(m.restores, p)
	m.mu.Unlock()
	return func() {
		g()
		m.mu.Lock()
		m.restores = slices.DeleteFunc(m.restores, func(q *func()) bool { return q == p })
		m.mu.Unlock()
	}
}

func (m *Main) restoreAll() {
	m.mu.Lock()
	all := slices.Clone(m.restores)
	m.mu.Unlock()
	for _, f := range all {
		(*f)()
	}
}
