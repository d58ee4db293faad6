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
	"podlife/model/podruntime"
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
	model                                  string
	clients, maxInc, maxCrashes, maxStates int
	guarded, imageMarked, json             bool
	off, invariants                        []string
	dot, svg, trace                        string
}

func newCheckCommand() *cobra.Command {
	var f checkFlags
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Explore every state of the pod's lifecycle and check its invariants",
		Long: fmt.Sprintf(`Explore every reachable state of the pod's lifecycle and check its invariants.

The model is PodLifecycle, the contract with the outside, or PodRuntime, the server's
own steps. Its actions are those of the specification in tla/, and of PodRuntime the
very same that the server runs by. The counts are those that TLC gives for the
specification. Where an invariant does not hold, a shortest counterexample is printed.

Bounds of PodLifecycle: --clients 1 to %d, --max-inc 0 to %d. States grow fast: 2 clients
with max-inc 3 have 1,453; 3 clients with max-inc 9 have 17.9 million, which takes a
minute and some 1.5 GB.
Bounds of PodRuntime: --clients (or --tabs) 1 to %d, --max-inc and --max-crashes 0 to %d.
1 tab with max-inc 2 and max-crashes 1, the default, has %s states; 2 tabs and an
image with a marker have 2,142,345, which takes a minute.

--off leaves out a guard or rule of PodRuntime, to see what it is for. Some are for an
action property, the refinement, liveness, or need two pods, which is nothing that this
command looks at: podlife tla check with tla/configs/PodRuntime/off shows those.

Exit codes:
   0  every checked invariant holds
   1  something else failed, such as writing a file
   2  wrong use: unknown flag, model or guard, value out of bounds, unknown invariant
   3  no verdict: stopped before the end (--max-states, or interrupted), or an
      invariant is vacuous, its antecedent being true in no reachable state
  12  an invariant is violated`, podlifecycle.MaxClients, podlifecycle.MaxMaxInc, podruntime.MaxTabs, podruntime.MaxMaxInc, runtimeDefaultStates),
		Example: `  podlife check
  podlife check --guarded=false --trace bug.json
  podlife check --guarded=false --invariant TypeOK --invariant BootIdempotent
  podlife check --clients 1 --max-inc 1 --svg lifecycle.svg
  podlife check --model PodRuntime
  podlife check --model PodRuntime --off Dial.marker --trace bug.itf.json`,
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
			if err := f.settle(cmd.Flags().Changed); err != nil {
				return &checkError{checkExitUsage, err}
			}
			return runCheck(ctx, f, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return &checkError{checkExitUsage, err} })
	flags := cmd.Flags()
	flags.StringVar(&f.model, "model", podlifecycle.Name, podlifecycle.Name+" or "+podruntime.Name)
	flags.IntVar(&f.clients, "clients", 2, "number of browser tabs (PodRuntime: default 1)")
	flags.IntVar(&f.clients, "tabs", 2, "the same as --clients")
	flags.IntVar(&f.maxInc, "max-inc", 3, "bound on incarnations (PodRuntime: default 2)")
	flags.IntVar(&f.maxCrashes, "max-crashes", 1, "PodRuntime: bound on crashes of the server")
	flags.BoolVar(&f.guarded, "guarded", true, "PodLifecycle: the design that ships; false: an attach wakes the container by itself")
	flags.BoolVar(&f.imageMarked, "image-marked", false, "PodRuntime: the image was made from a container that had been provisioned")
	flags.StringArrayVar(&f.off, "off", nil, "PodRuntime: leave out this guard or rule, such as Dial.marker; may be repeated")
	flags.StringArrayVar(&f.invariants, "invariant", nil, "check only this `name`d invariant; may be repeated (default all)")
	flags.IntVar(&f.maxStates, "max-states", 20_000_000, "give up beyond this many distinct states")
	flags.BoolVar(&f.json, "json", false, "print the result as JSON")
	flags.StringVar(&f.dot, "dot", "", "write the state graph to `FILE` for Graphviz")
	flags.StringVar(&f.svg, "svg", "", "write the state graph to `FILE` as SVG")
	flags.StringVar(&f.trace, "trace", "", "write a counterexample to `FILE`, for podlife replay (PodRuntime: in the Informal Trace Format)")
	return cmd
}

// settle refuses flags that do not belong together, and gives those that depend on the model their default; given says whether one is on the command line.
func (f *checkFlags) settle(given func(flag string) bool) error {
	others := map[string][]string{
		podlifecycle.Name: {"max-crashes", "image-marked", "off"},
		podruntime.Name:   {"guarded"},
	}
	foreign, known := others[f.model]
	if !known {
		return &unknownNameError{what: "model", name: f.model, known: []string{podlifecycle.Name, podruntime.Name}}
	}
	for _, name := range foreign {
		if given(name) {
			return fmt.Errorf("--%s is nothing that %s has", name, f.model)
		}
	}
	if f.model == podruntime.Name {
		if !given("clients") && !given("tabs") {
			f.clients = 1
		}
		if !given("max-inc") {
			f.maxInc = 2
		}
	}
	if f.maxStates < 1 {
		return fmt.Errorf("max-states is %d, must be at least 1", f.maxStates)
	}
	return nil
}

// runCheck explores the model that the flags name.
func runCheck(ctx context.Context, f checkFlags, out, errOut io.Writer) error {
	if f.model == podruntime.Name {
		m, err := runtimeModel(f)
		if err != nil {
			return &checkError{checkExitUsage, err}
		}
		return exploreModel(ctx, m, f, out, errOut)
	}
	m, err := lifecycleModel(f)
	if err != nil {
		return &checkError{checkExitUsage, err}
	}
	return exploreModel(ctx, m, f, out, errOut)
}

// checkReport is what one run found, for either output.
type checkReport[S comparable] struct {
	checkModel[S]
	checked []model.Invariant[S]
	result  model.Result[S]
	took    time.Duration
}

func exploreModel[S comparable](ctx context.Context, m checkModel[S], f checkFlags, out, errOut io.Writer) error {
	r := checkReport[S]{checkModel: m}
	outs, err := openOuts(ctx, nil, outFlag{"--dot", f.dot}, outFlag{"--svg", f.svg}, outFlag{"--trace", f.trace})
	if err != nil {
		return &checkError{checkExitFailed, err}
	}
	defer outs.close()
	opts := model.Options[S]{Invariants: f.invariants, MaxStates: f.maxStates}
	var drawn *graph.Graph[S]
	if f.dot != "" || f.svg != "" {
		drawn = graph.Observe(&opts)
	}
	start := time.Now()
	r.result, err = model.Explore(ctx, m.system, opts)
	r.took = time.Since(start)
	var unknown *model.UnknownInvariantError
	if errors.As(err, &unknown) {
		return &checkError{checkExitUsage, hintAt(err, unknown.Invariant, unknown.Known)}
	}
	if err != nil {
		return &checkError{checkExitUnknown, err}
	}
	r.checked = checkedInvariants(m.system, f.invariants)
	if err := r.print(out, f.json); err != nil {
		return &checkError{checkExitFailed, err}
	}
	if err := r.writeFiles(outs, drawn, errOut); err != nil {
		return &checkError{checkExitFailed, err}
	}
	return r.outcome()
}

func checkedInvariants[S comparable](sys model.System[S], names []string) []model.Invariant[S] {
	if names == nil {
		return sys.Invariants
	}
	var checked []model.Invariant[S]
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
func (r *checkReport[S]) outcome() error {
	if v := r.result.Violation; v != nil {
		return &checkError{checkExitViolated, fmt.Errorf("invariant %s is violated", v.Invariant)}
	}
	for _, inv := range r.invariants() {
		if inv.Verdict == "vacuous" {
			return &checkError{checkExitUnknown, fmt.Errorf("invariant %s is vacuous: its antecedent is true in no reachable state", inv.Name)}
		}
	}
	return nil
}

func (r *checkReport[S]) writeFiles(outs outFiles, drawn *graph.Graph[S], errOut io.Writer) error {
	v := r.result.Violation
	if drawn != nil && v != nil {
		drawn.Mark(v.Path)
	}
	if dot := outs["--dot"]; dot != nil {
		if err := dot.write(func(w io.Writer) error { return drawn.WriteDOT(w, r.label) }); err != nil {
			return err
		}
	}
	if svg := outs["--svg"]; svg != nil {
		if err := svg.write(func(w io.Writer) error { return drawn.WriteSVG(w, r.label) }); err != nil {
			return err
		}
	}
	trace := outs["--trace"]
	if trace == nil {
		return nil
	}
	if v == nil {
		_, err := fmt.Fprintf(errOut, "there is no counterexample: %s is not written\n", trace.name)
		return err
	}
	return trace.write(func(w io.Writer) error { return r.writeTrace(w, *v) })
}
