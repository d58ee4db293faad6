package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"podlife/conformance/tracecheck"
	"podlife/model/explain"
)

// Exit codes of "podlife trace", also in its help. 12 is TLC's code for a violated invariant.
const (
	traceExitUnknown  = 3
	traceExitMismatch = 10
	traceExitNoTrace  = 11
	traceExitViolated = 12
)

const traceExitHelp = `

Exit codes:
   0  done; the trace is a behaviour of the specification
   1  something else failed; the message says what
   2  wrong use: unknown flag or format, no trace named
   3  no verdict: steps are missing, or there is too much that could have happened
   4  not logged in, or refused
   5  the server cannot be reached, or the connection broke
   9  there is no such pod
  10  mismatch: the trace is no behaviour of the specification
  11  FILE is no trace
  12  the trace breaks an invariant`

func (m *Main) traceCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "trace",
		Short: "Check what a server did against its specification",
		Long: `Check the recorded steps of a pod against tla/PodRuntime.tla, or write them with all
states of the specification.

A trace is a file of JSON lines, a step on each, or the Informal Trace Format, as
podlife trace export writes both. docs/traces.md says what is in it.` + traceExitHelp,
		Example: `  podlife trace check --pod
  podlife trace export --pod --format steps --out steps.jsonl
  podlife trace check steps.jsonl`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return &usageError{fmt.Errorf("there is no command %.40q of %s; see %s --help", args[0], cmd.CommandPath(), cmd.CommandPath())}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	c.AddCommand(m.traceCheckCommand(), m.traceExportCommand())
	return c
}

func (m *Main) traceCheckCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "check [FILE]",
		Short: "Say whether recorded steps are a behaviour of the specification",
		Long: `Say whether the recorded steps of one pod are a behaviour of tla/PodRuntime.tla: explained,
mismatch, or unknown. FILE is a trace, - standard input; --pod takes the steps of your
pod from the running server, --pod NAME those of another.

What the world did in a container, and a crash between two lives of the server, need
not be recorded: it is found. Of a mismatch it tells how far the trace is explained,
where the pod can be then, and which guards refuse the next step.` + traceExitHelp,
		Example: `  podlife trace check --pod
  podlife trace check --pod web
  podlife trace check steps.jsonl
  podlife trace check --json trace.itf.json | jq .verdict`,
	}
	s := m.addSource(c)
	c.Flags().BoolVar(&asJSON, "json", false, "print the answer as JSON")
	c.RunE = func(cmd *cobra.Command, args []string) error {
		records, err := s.read(cmd, args)
		if err != nil {
			return err
		}
		answer, err := tracecheck.Check(cmd.Context(), s.options(), records)
		if err != nil {
			return err
		}
		if asJSON {
			err = printJSON(cmd, answer)
		} else {
			err = printAnswer(cmd.OutOrStdout(), answer, len(records))
		}
		if err != nil {
			return err
		}
		if s.pod.on && len(records) > 0 && records[0].Seq > 1 {
			fmt.Fprint(cmd.ErrOrStderr(), droppedHint)
		}
		return traceOutcome(answer)
	}
	return c
}

// droppedHint says what to do about steps that the server does not keep any more.
const droppedHint = `The server's own monitor has seen the steps that are not kept any more: podlife status says what it found.
To check all of them by yourself, collect them as they are taken, from a start of the server on:
  podlife trace export --pod --format steps --follow > steps.jsonl
  podlife trace check steps.jsonl
`

// traceOutcome is the exit code, without a further word: the answer has said it.
func traceOutcome(a explain.Answer) error {
	switch {
	case a.Violated():
		return &codeError{code: traceExitViolated, told: true}
	case a.Verdict == explain.Mismatch:
		return &codeError{code: traceExitMismatch, told: true}
	case a.Verdict != explain.Explained || len(a.Invariants) > 0:
		return &codeError{code: traceExitUnknown, told: true}
	}
	return nil
}

func (m *Main) traceExportCommand() *cobra.Command {
	var format, out string
	var follow bool
	c := &cobra.Command{
		Use:   "export [FILE]",
		Short: "Write recorded steps, with the states of the specification",
		Long: `Write the recorded steps of one pod. As itf, the Informal Trace Format, with a state of
tla/PodRuntime.tla between each two steps: one behaviour that explains the trace, with the
steps that were not recorded. As steps, a JSON line for each. FILE is a trace in either form,
- standard input; --pod takes the steps of your pod from the running server, which keeps its
newest 1,000. With --follow it goes on with those that the server takes, until it is
interrupted; should the server have dropped steps meanwhile, it ends and says which.` + traceExitHelp,
		Example: `  podlife trace export --pod --out trace.itf.json
  podlife trace export --pod --format steps > steps.jsonl
  podlife trace export --pod --format steps --follow > all.jsonl`,
	}
	s := m.addSource(c)
	c.Flags().StringVar(&format, "format", "itf", "itf or steps")
	c.Flags().StringVar(&out, "out", "", "write to `FILE`, and not to standard output")
	c.Flags().BoolVar(&follow, "follow", false, "go on with the steps that the server takes, until interrupted (with --pod --format steps, to standard output)")
	c.RunE = func(cmd *cobra.Command, args []string) error {
		if format != "itf" && format != "steps" {
			return &usageError{fmt.Errorf("format is %.40q, must be itf or steps", format)}
		}
		if follow && (!s.pod.on || format != "steps" || out != "") {
			return &usageError{errors.New("--follow is for --pod --format steps, and writes to standard output")}
		}
		if follow {
			return s.follow(cmd, m.followEvery())
		}
		outs, err := openOuts(cmd.Context(), usedFiles("what is read,", args), outFlag{"--out", out})
		if err != nil {
			return err
		}
		defer outs.close()
		records, err := s.read(cmd, args)
		if err != nil {
			return err
		}
		write := func(w io.Writer) error {
			if format == "steps" {
				return tracecheck.Write(w, records)
			}
			return tracecheck.WriteITF(cmd.Context(), w, s.options(), records)
		}
		if out == "" {
			err = write(cmd.OutOrStdout())
		} else {
			err = outs["--out"].write(write)
		}
		var refused *tracecheck.ExportError
		if errors.As(err, &refused) {
			code := traceExitUnknown
			if refused.Answer.Verdict == explain.Mismatch {
				code = traceExitMismatch
			}
			return &codeError{code: code, text: printable(err.Error()), err: err}
		}
		return err
	}
	return c
}
