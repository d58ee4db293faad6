package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"podlife/model"
	"podlife/model/graph"
	"podlife/model/podlifecycle"
	"podlife/model/trace"
)

// Exit codes of "podlife check", also in its help. 12 is TLC's code for the same.
const (
	checkExitFailed   = 1
	checkExitUsage    = 2
	checkExitUnknown  = 3
	checkExitViolated = 12
)

// checkError is an error with the exit code that it asks for.
type checkError struct {
	code int
	err  error
}

func (e *checkError) Error() string { return e.err.Error() }
func (e *checkError) Unwrap() error { return e.err }

// ExitCode is what the process should exit with.
func (e *checkError) ExitCode() int { return e.code }

// checkFlags are the command's flags, as given.
type checkFlags struct {
	clients, maxInc, maxStates int
	guarded, json              bool
	invariants                 []string
	dot, svg, trace            string
}

func newCheckCommand() *cobra.Command {
	var f checkFlags
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Explore every state of the pod's lifecycle and check its invariants",
		Long: fmt.Sprintf(`Explore every reachable state of the pod's lifecycle and check its invariants.

The actions are those of tla/PodLifecycle.tla and the very same that the server
runs by. The counts are those that TLC gives for the specification. Where an
invariant does not hold, a shortest counterexample is printed.

Bounds: --clients 1 to %d, --max-inc 0 to %d, --max-states at least 1. States
grow fast: 2 clients with max-inc 3 have 1,453; 3 clients with max-inc 9 have
17.9 million, which takes a minute and some 1.5 GB.

Exit codes:
   0  every checked invariant holds
   1  something else failed, such as writing a file
   2  wrong use: unknown flag, value out of bounds, unknown invariant
   3  no verdict: stopped before the end (--max-states, or interrupted), or an
      invariant is vacuous, its antecedent being true in no reachable state
  12  an invariant is violated`, podlifecycle.MaxClients, podlifecycle.MaxMaxInc),
		Example: `  podlife check
  podlife check --guarded=false --trace bug.json
  podlife check --guarded=false --invariant TypeOK --invariant BootIdempotent
  podlife check --clients 1 --max-inc 1 --svg lifecycle.svg`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return &checkError{checkExitUsage, fmt.Errorf("check takes no arguments, got %.60q", args)}
			}
			return nil
		},
		SilenceUsage: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			if ctx == nil {
				ctx = context.Background()
			}
			return runCheck(ctx, f, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return &checkError{checkExitUsage, err} })
	flags := cmd.Flags()
	flags.IntVar(&f.clients, "clients", 2, "number of browser tabs, 1 to 4")
	flags.IntVar(&f.maxInc, "max-inc", 3, "bound on incarnations, 0 to 15")
	flags.BoolVar(&f.guarded, "guarded", true, "the design that ships; false: an attach wakes the container by itself")
	flags.StringArrayVar(&f.invariants, "invariant", nil, "check only this `name`d invariant; may be repeated (default all)")
	flags.IntVar(&f.maxStates, "max-states", 20_000_000, "give up beyond this many distinct states")
	flags.BoolVar(&f.json, "json", false, "print the result as JSON")
	flags.StringVar(&f.dot, "dot", "", "write the state graph to `FILE` for Graphviz")
	flags.StringVar(&f.svg, "svg", "", "write the state graph to `FILE` as SVG")
	flags.StringVar(&f.trace, "trace", "", "write a counterexample to `FILE`, for podlife replay")
	return cmd
}

// checkReport is what one run found, for either output.
type checkReport struct {
	constants podlifecycle.Constants
	clients   int
	checked   []model.Invariant[podlifecycle.State]
	result    model.Result[podlifecycle.State]
	took      time.Duration
}

func runCheck(ctx context.Context, f checkFlags, out, errOut io.Writer) error {
	if f.maxStates < 1 {
		return &checkError{checkExitUsage, fmt.Errorf("max-states is %d, must be at least 1", f.maxStates)}
	}
	r := checkReport{constants: podlifecycle.Constants{MaxInc: f.maxInc, GuardedAttach: f.guarded}, clients: f.clients}
	sys, err := podlifecycle.System(r.constants, f.clients)
	if err != nil {
		return &checkError{checkExitUsage, err}
	}
	opts := model.Options[podlifecycle.State]{Invariants: f.invariants, MaxStates: f.maxStates}
	var drawn *graph.Graph[podlifecycle.State]
	if f.dot != "" || f.svg != "" {
		drawn = graph.Observe(&opts)
	}
	start := time.Now()
	r.result, err = model.Explore(ctx, sys, opts)
	r.took = time.Since(start)
	var unknown *model.UnknownInvariantError
	if errors.As(err, &unknown) {
		return &checkError{checkExitUsage, err}
	}
	if err != nil {
		return &checkError{checkExitUnknown, err}
	}
	r.checked = checkedInvariants(sys, f.invariants)
	if err := r.print(out, f.json); err != nil {
		return &checkError{checkExitFailed, err}
	}
	if err := r.writeFiles(ctx, f, drawn, errOut); err != nil {
		return &checkError{checkExitFailed, err}
	}
	return r.outcome()
}

func checkedInvariants(sys model.System[podlifecycle.State], names []string) []model.Invariant[podlifecycle.State] {
	if names == nil {
		return sys.Invariants
	}
	var checked []model.Invariant[podlifecycle.State]
	for _, name := range names {
		for _, inv := range sys.Invariants {
			if inv.Name == name {
				checked = append(checked, inv)
			}
		}
	}
	return checked
}

// outcome is the error, nil for a pass, that the run ends with.
func (r *checkReport) outcome() error {
	if v := r.result.Violation; v != nil {
		return &checkError{checkExitViolated, fmt.Errorf("invariant %s is violated", v.Invariant)}
	}
	for _, a := range r.result.Antecedents {
		if a.Reached == 0 {
			return &checkError{checkExitUnknown, fmt.Errorf("invariant %s is vacuous: its antecedent is true in no reachable state", a.Invariant)}
		}
	}
	return nil
}

func (r *checkReport) writeFiles(ctx context.Context, f checkFlags, drawn *graph.Graph[podlifecycle.State], errOut io.Writer) error {
	v := r.result.Violation
	if drawn != nil && v != nil {
		drawn.Mark(v.Path)
	}
	label := func(s podlifecycle.State) []string { return s.Label(r.clients) }
	if f.dot != "" {
		if err := writeCheckFile(ctx, f.dot, func(w io.Writer) error { return drawn.WriteDOT(w, label) }); err != nil {
			return err
		}
	}
	if f.svg != "" {
		if err := writeCheckFile(ctx, f.svg, func(w io.Writer) error { return drawn.WriteSVG(w, label) }); err != nil {
			return err
		}
	}
	if f.trace == "" {
		return nil
	}
	if v == nil {
		_, err := fmt.Fprintf(errOut, "there is no counterexample: %s is not written\n", f.trace)
		return err
	}
	t := podlifecycle.TraceOf(r.constants, r.clients, *v)
	return writeCheckFile(ctx, f.trace, func(w io.Writer) error { return trace.Write(w, t) })
}

// writeCheckFile writes a file, and leaves none behind that is not whole. What is no regular file, such as a device, stays.
func writeCheckFile(ctx context.Context, name string, write func(io.Writer) error) error {
	file, err := openOut(ctx, name)
	if err != nil {
		return err
	}
	return file.write(write)
}
