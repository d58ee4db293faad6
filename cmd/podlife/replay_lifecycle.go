package main

// This file plays a trace of PodLifecycle against a running server.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"podlife/conformance/replay"
	"podlife/conformance/tab"
	"podlife/model/podlifecycle"
)

func replayLifecycle(cmd *cobra.Command, f replayFlags, r *remote, name string, t podlifecycle.Trace) error {
	api, err := r.client()
	if err != nil {
		return err
	}
	defer api.CloseIdleConnections()
	if f.reset {
		if _, err := api.Destroy(cmd.Context()); err != nil {
			return r.explain(err)
		}
	}
	ctx, stop := context.WithCancelCause(cmd.Context())
	defer stop(nil)
	out := cmd.OutOrStdout()
	pause := f.pauser(cmd, stop)
	began := time.Now()
	o := replay.Options{Client: api, Trace: t, Prober: &tab.Prober{RepoDir: f.repoDir, NoRepo: f.repoDir == ""}}
	o.Each = func(s replay.Step) {
		if !f.json {
			printReplayStep(out, s)
		}
		if s.Number < len(t.Steps)-1 {
			pause.wait()
		}
	}
	report, err := replay.Run(ctx, o)
	var foreign *replay.TraceError
	var awake *replay.AwakeError
	switch {
	case errors.As(err, &foreign):
		return &codeError{code: replayExitNoTrace, text: printable(fmt.Sprintf("%s is %v", name, err)), err: err}
	case errors.As(err, &awake):
		return &codeError{code: replayExitAwake, text: fmt.Sprintf("%v: podlife destroy, or --reset, puts it to sleep and wipes its disk", err), err: err}
	case errors.Is(context.Cause(ctx), errStopped):
		return errStopped
	case err != nil:
		return r.explain(err)
	}
	if f.json {
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
	fmt.Fprintf(out, "\n%s in %.1f s\n", counted(len(r.Steps)-1, "step"), took.Seconds())
	if r.Base > 0 {
		fmt.Fprintf(out, "incarnations are counted from the start of the replay: 1 here is the pod's %d\n", r.Base+1)
	}
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
