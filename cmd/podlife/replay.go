package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"podlife/conformance/replay"
	"podlife/conformance/tab"
	"podlife/model/podlifecycle"
	"podlife/model/trace"
)

// Exit codes of "podlife replay" on top of those of every command, also in its help. 12 is TLC's code for a violated invariant.
const (
	replayExitDiffers    = 10
	replayExitNoTrace    = 11
	replayExitUnprovided = 12 // NoAttachWithoutShellSetup
	replayExitOther      = 13 // another invariant
	replayExitAwake      = 14
)

func (m *Main) replayCommand() *cobra.Command {
	var asJSON, reset bool
	var repoDir string
	c := &cobra.Command{
		Use:   "replay FILE",
		Short: "Play a counterexample step by step against a running server",
		Long: `Play a trace of the pod's lifecycle, a counterexample say, against a running server:
step by step, through its API, with boots and terminals as a browser's tabs have them.
For each step it prints what the specification expects and what was seen, and at the
end what is behind every attached terminal. That is found by typing into it: is it in
the multiplexer, is the hook there, is the repository there?

FILE is what podlife check --trace writes, what a failed test of conformance/ writes, or
what TLC writes with -dumpTrace json. The actions of the design with the bug are played
as what a tab does: it connects its terminal. A right server goes its own way then, boots,
and ends in a provisioned shell.

A provisioned shell is in the multiplexer and has the hook; with --repo-dir it also needs
a clone there: name the folder if the server is configured with a repository.

It uses the pod of the user whose token it has, which must be asleep, because Sleep in a
trace destroys the container and its disk; --reset destroys what is there first.

Exit codes, on top of those below:
  10  the server did something else than a trace of the shipped design says
  11  FILE is no trace of this specification
  12  NoAttachWithoutShellSetup is broken: somebody got a shell without its setup
  13  another invariant is broken
  14  the pod is not asleep`,
		Example: `  podlife check --guarded=false --trace bug.json
  podlife replay bug.json
  podlife replay bug.json --json --reset`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return &usageError{fmt.Errorf("replay takes one file, got %d arguments; see %s --help", len(args), cmd.CommandPath())}
			}
			return nil
		},
	}
	r := m.addRemote(c)
	c.Flags().BoolVar(&asJSON, "json", false, "print the report as JSON")
	c.Flags().StringVar(&repoDir, "repo-dir", "", "the `folder` of the clone that a provisioned shell must have; none is asked for without it")
	c.Flags().BoolVar(&reset, "reset", false, "destroy the pod's container and disk first")
	c.RunE = func(cmd *cobra.Command, args []string) error {
		t, err := readTrace(args[0])
		if err != nil {
			return err
		}
		api, err := r.client()
		if err != nil {
			return err
		}
		defer api.CloseIdleConnections()
		if reset {
			if _, err := api.Destroy(cmd.Context()); err != nil {
				return r.explain(err)
			}
		}
		out := cmd.OutOrStdout()
		began := time.Now()
		o := replay.Options{Client: api, Trace: t, Prober: &tab.Prober{RepoDir: repoDir, NoRepo: repoDir == ""}}
		if !asJSON {
			o.Each = func(s replay.Step) { printReplayStep(out, s) }
		}
		report, err := replay.Run(cmd.Context(), o)
		var foreign *replay.TraceError
		var awake *replay.AwakeError
		switch {
		case errors.As(err, &foreign):
			return &codeError{code: replayExitNoTrace, text: fmt.Sprintf("%s is %v", args[0], err), err: err}
		case errors.As(err, &awake):
			return &codeError{code: replayExitAwake, text: fmt.Sprintf("%v: podlife destroy, or --reset, puts it to sleep and wipes its disk", err), err: err}
		case err != nil:
			return r.explain(err)
		}
		if asJSON {
			enc := json.NewEncoder(out)
			enc.SetIndent("", "  ")
			if err := enc.Encode(report); err != nil {
				return err
			}
		} else {
			printReplayEnd(out, report, time.Since(began))
		}
		return replayOutcome(report)
	}
	return c
}

func readTrace(name string) (podlifecycle.Trace, error) {
	f, err := os.Open(name)
	if err != nil {
		return podlifecycle.Trace{}, err
	}
	defer f.Close()
	t, err := trace.Read[podlifecycle.View](f)
	var form *trace.FormatError
	if errors.As(err, &form) {
		return t, &codeError{code: replayExitNoTrace, text: fmt.Sprintf("%s: %v; podlife check --guarded=false --trace %s makes one", name, err, name), err: err}
	}
	return t, err
}

// printReplayStep prints one step in two columns, one above the other where they differ much in length: what is expected, what was seen.
func printReplayStep(out io.Writer, s replay.Step) {
	mark := " "
	if s.Differs {
		mark = "≠"
	}
	fmt.Fprintf(out, "%3d  %-24s  expected %-44s\n%5s%-24s%s seen     %s\n", s.Number, s.Action, s.Expected, "", "", mark, printable(s.Seen))
	if len(s.Broke) > 0 {
		fmt.Fprintf(out, "%5s%-24s  BROKEN   %s\n", "", "", strings.Join(s.Broke, ", "))
	}
}

func printReplayEnd(out io.Writer, r replay.Report, took time.Duration) {
	fmt.Fprintf(out, "\n%d steps in %.1f s\n", len(r.Steps)-1, took.Seconds())
	for _, name := range slices.Sorted(maps.Keys(r.Shells)) {
		verdict := "a provisioned shell"
		if !r.Shells[name].Provisioned {
			verdict = "NOT a provisioned shell"
		}
		fmt.Fprintf(out, "%s ends in %s of incarnation %d: %s\n", name, verdict, r.Shells[name].Incarnation, printable(r.Shells[name].Words))
	}
	switch {
	case len(r.Broke) > 0:
		fmt.Fprintf(out, "broken: %s\n", strings.Join(r.Broke, ", "))
	default:
		fmt.Fprintln(out, "no invariant is broken")
	}
}

// replayOutcome is the exit code, without a further word: the report has said it.
func replayOutcome(r replay.Report) error {
	switch {
	case slices.Contains(r.Broke, podlifecycle.NoAttachWithoutShellSetup) || !r.EndsProvisioned:
		return &codeError{code: replayExitUnprovided}
	case len(r.Broke) > 0:
		return &codeError{code: replayExitOther}
	case r.Guarded && r.Differs():
		return &codeError{code: replayExitDiffers}
	}
	return nil
}
