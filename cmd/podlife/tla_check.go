package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"podlife/tla/checker"
	"podlife/tla/dot"
	"podlife/tla/itf"
	"podlife/tla/spec"
	"podlife/tla/tlcjson"
)

// What --vacuity may be.
const (
	vacuityGate   = "gate"
	vacuityReport = "report"
	vacuityOff    = "off"
)

// tlaCheckFlags are the command's flags, as given.
type tlaCheckFlags struct {
	*tlaFlags
	workers, simulate, vacuity, memory string
	dot, itf, dumpTrace                string
	deadlock, noDeadlock               bool
	coverage, progress, goOn           bool
	seed                               int64
	vacuityStates                      int
}

func (m *Main) tlaCheckCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "check SPEC.tla",
		Short: "Explore every state of a specification and check what its configuration demands",
		Long: `Explore every reachable state of a specification, breadth first, and check the
assumptions, invariants and safety properties that its configuration names. A
counterexample is a shortest one, and the same for any number of workers. States
are counted as TLC counts them.

What holds is also looked at for whether it could fail: an action that is never
possible, an implication whose left side is never true, a condition of an action
without effect. Such findings fail the check (--vacuity=gate) unless a comment
"vacuous-ok: REASON" beside the definition or condition accepts them.

Liveness (<>, ~>, WF, SF in a PROPERTY) is not checked; it is named, and the check
does not pass. The fairness of the specification itself is passed over, as safety
does not depend on it.

A specification may read files in its own folder. The flags --allow-... let it do
more.` + tlaExitHelp("check"),
		Example: `  podlife tla check tla/PodLifecycle.tla
  podlife tla check -config tla/PodLifecycleUnguarded.cfg -json tla/PodLifecycle.tla
  podlife tla check --itf bug.itf.json --dot states.dot Spec.tla
  podlife tla check --simulate num=1000,depth=50 --seed 7 Spec.tla`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return &usageError{fmt.Errorf("%s takes one specification, got %d; see %s --help", cmd.CommandPath(), len(args), cmd.CommandPath())}
			}
			return nil
		},
	}
	f := &tlaCheckFlags{tlaFlags: m.addTLAFlags(c)}
	f.addModelFlags(c)
	flags := c.Flags()
	flags.StringVar(&f.workers, "workers", "auto", "`number` of goroutines that explore; auto: one for each processor")
	flags.BoolVar(&f.deadlock, "deadlock", false, "a state without a successor is an error, whatever the configuration says")
	flags.BoolVar(&f.noDeadlock, "no-deadlock", false, "a state without a successor is no error")
	flags.StringVar(&f.simulate, "simulate", "", "take random behaviours instead: num=`N,depth=N`, either may be left out")
	flags.Int64Var(&f.seed, "seed", 0, "what random behaviours and RandomElement start from; the same seed gives the same result")
	flags.BoolVar(&f.coverage, "coverage", false, "report how often each part of actions and invariants was true and false")
	flags.StringVar(&f.vacuity, "vacuity", vacuityGate, "gate, report or off: whether what holds vacuously fails the check")
	flags.IntVar(&f.vacuityStates, "vacuity-states", 0, "on how many `states`, the first ones, conditions are left out to see their effect (default "+strconv.Itoa(checker.DefaultVacuityStates)+")")
	flags.StringVar(&f.memory, "memory-limit", "", "`size` at which the check gives up, such as 4GB (default: three quarters of the machine's memory)")
	flags.BoolVar(&f.progress, "progress", false, "say on standard error how far the check is, every 10 s")
	flags.BoolVar(&f.goOn, "continue", false, "go on after a violation, to count them all")
	flags.StringVar(&f.dot, "dot", "", "write the state graph to `FILE` for Graphviz")
	flags.StringVar(&f.itf, "itf", "", "write a counterexample to `FILE` in the Informal Trace Format")
	flags.StringVar(&f.dumpTrace, "dump-trace", "", "write a counterexample to `FILE` as TLC's -dumpTrace json does")
	c.RunE = func(cmd *cobra.Command, args []string) error { return f.run(cmd, specFile(args[0])) }
	return c
}

// run is the command.
func (f *tlaCheckFlags) run(cmd *cobra.Command, file string) error {
	opt, err := f.options(cmd)
	if err != nil {
		return &usageError{err}
	}
	printed := cmd.OutOrStdout()
	if f.json {
		printed = cmd.ErrOrStderr()
	}
	if os.Getenv("GOGC") == "" {
		// What a search keeps is in pages without pointers: the collector has little to find, and would run all the time.
		defer debug.SetGCPercent(debug.SetGCPercent(200))
	}
	evalOpt := f.evalOptions(cmd, filepath.Dir(file), printed)
	evalOpt.Seed, evalOpt.Coverage = f.seed, f.coverage
	report := &tlaReport{file: file, vacuity: f.vacuity, tried: cmp.Or(f.vacuityStates, checker.DefaultVacuityStates), coverage: f.coverage}
	report.spec, err = spec.Load(file, spec.Options{Config: f.config, Path: f.folders(), Alone: true, Eval: evalOpt})
	if err != nil {
		if f.json {
			return errors.Join(report.printLoading(cmd, tlaExitOf(err), err), tlaErrorWithCode(file, err))
		}
		return tlaFailed(cmd, file, err)
	}
	f.merge(&opt, report.spec.CheckerOptions())
	files, err := openOuts(cmd.Context(), report.used(cmd.OutOrStdout(), cmd.ErrOrStderr()), outFlag{"--dot", f.dot}, outFlag{"--itf", f.itf}, outFlag{"--dump-trace", f.dumpTrace})
	if err != nil {
		return err
	}
	defer files.close()
	var writing error // that of a file; what the run found is told all the same
	if report.result, writing, err = f.check(cmd.Context(), report.spec, opt, files["--dot"]); err != nil {
		return err
	}
	writing = errors.Join(writing, f.writeTraces(cmd.ErrOrStderr(), report, files))
	return f.end(cmd, report, writing)
}

// end reports on a run and gives the error that ends the command. The error of a file does not hide what the run found.
func (f *tlaCheckFlags) end(cmd *cobra.Command, report *tlaReport, writing error) (err error) {
	code, text := report.exit()
	var sig *signalError
	// What cannot be evaluated after a signal, such as a program that was ended with us, is the signal's doing.
	v := report.result.Verdict
	if (v == checker.VerdictInterrupted || v == checker.VerdictEvaluation) && errors.As(context.Cause(cmd.Context()), &sig) {
		code, text = exitSignal+int(sig.sig), sig.Error()
	}
	if writing != nil {
		if code == exitOK {
			code = exitFailed
		} else {
			text += "; "
		}
		text += printable(writing.Error())
	}
	if f.json {
		err = report.printJSON(cmd, code, writing)
	} else {
		err = report.printText(cmd.OutOrStdout())
	}
	if code == exitOK {
		return err
	}
	if err != nil { // where it cannot be printed either, the verdict is still the exit code
		text += "; standard output: " + printable(err.Error())
	}
	return &codeError{code: code, text: text, err: errors.Join(writing, err), told: true}
}

// used are the files that the outputs of a check must not be.
func (t *tlaReport) used(printed ...io.Writer) []usedFile {
	used := usedFiles("a module of the specification,", t.spec.Module.Files())
	if c := t.spec.Config.Source; c != nil {
		used = append(used, usedFiles("the configuration,", []string{c.Name})...)
	}
	for _, w := range printed {
		f := fileOf(w)
		if f == nil {
			continue
		}
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			used = append(used, usedFile{"where the report or its errors go", info})
		}
	}
	return used
}

// options are those of the flags alone.
func (f *tlaCheckFlags) options(cmd *cobra.Command) (opt checker.Options, err error) {
	if f.workers != "auto" {
		if opt.Workers, err = strconv.Atoi(f.workers); err != nil || opt.Workers < 1 || opt.Workers > 1024 {
			return opt, fmt.Errorf("workers %.40q; allowed: 1 to 1024, or auto", f.workers)
		}
	}
	if f.deadlock && f.noDeadlock {
		return opt, errors.New("--deadlock and --no-deadlock exclude each other")
	}
	if !slices.Contains([]string{vacuityGate, vacuityReport, vacuityOff}, f.vacuity) {
		return opt, fmt.Errorf("vacuity %.40q; allowed: gate, report, off", f.vacuity)
	}
	if f.vacuityStates < 0 {
		return opt, fmt.Errorf("vacuity-states %d; allowed: 0 or more", f.vacuityStates)
	}
	if f.memory != "" {
		if opt.Memory, err = parseSize(f.memory); err != nil {
			return opt, err
		}
	}
	if f.simulate != "" || cmd.Flags().Changed("simulate") {
		if opt.Simulate, err = parseSimulate(f.simulate, f.seed); err != nil {
			return opt, err
		}
		if f.dot != "" {
			return opt, errors.New("random behaviours do not give a state graph: --simulate and --dot exclude each other")
		}
	}
	opt.Continue = f.goOn
	if f.progress {
		w := cmd.ErrOrStderr()
		opt.Progress = func(p checker.Progress) { fmt.Fprintln(w, progressLine(p)) }
	}
	return opt, nil
}

// merge takes what the specification brings, where the flags do not say something else.
func (f *tlaCheckFlags) merge(opt *checker.Options, from checker.Options) {
	opt.Stats, opt.Vacuity, opt.NoDeadlock = from.Stats, from.Vacuity, from.NoDeadlock
	opt.Vacuity.Off = f.vacuity == vacuityOff
	opt.Vacuity.States = f.vacuityStates
	if f.deadlock || f.noDeadlock {
		opt.NoDeadlock = f.noDeadlock
	}
}

// check runs the checker, and writes the graph meanwhile. There is a result unless err is set; writing is the graph's error after a whole run.
func (f *tlaCheckFlags) check(ctx context.Context, s *spec.Spec, opt checker.Options, graph *outFile) (r *checker.Result, writing, err error) {
	if graph == nil {
		r, err = checker.Run(ctx, s.Program, opt)
		return r, nil, err
	}
	writing = graph.write(func(w io.Writer) error {
		out := dot.NewWriter(w)
		opt.Graph = s.NewDotSink(out)
		var runErr error
		r, runErr = checker.Run(ctx, s.Program, opt)
		return errors.Join(runErr, out.Close())
	})
	if r == nil {
		return nil, nil, writing
	}
	return r, writing, nil
}

// writeTraces writes the counterexample where the flags ask for it.
func (f *tlaCheckFlags) writeTraces(errOut io.Writer, report *tlaReport, files outFiles) error {
	r := report.result
	var errs []error
	for _, x := range []struct {
		file  *outFile
		write func(io.Writer, *itf.Trace) error
	}{{files["--itf"], itf.Write}, {files["--dump-trace"], tlcjson.Write}} {
		if x.file == nil {
			continue
		}
		if len(r.Trace) == 0 {
			fmt.Fprintf(errOut, "there is no counterexample: %s is not written\n", printable(x.file.name))
			continue
		}
		t := report.spec.Trace(r.Trace, r.Name)
		errs = append(errs, x.file.write(func(w io.Writer) error { return x.write(w, t) }))
	}
	return errors.Join(errs...)
}

func parseSimulate(text string, seed int64) (*checker.Simulate, error) {
	s := &checker.Simulate{Seed: seed}
	for part := range strings.SplitSeq(text, ",") {
		name, number, _ := strings.Cut(part, "=")
		n, err := strconv.ParseInt(number, 10, 64)
		if err != nil || n < 1 || name != "num" && name != "depth" || name == "depth" && n > 1<<31 {
			return nil, fmt.Errorf("simulate %.40q; allowed: num=N,depth=N with numbers from 1 on", text)
		}
		if name == "num" {
			s.Num = n
		} else {
			s.Depth = int(n)
		}
	}
	return s, nil
}

// parseSize reads "4GB", "512MiB", "1000000".
func parseSize(text string) (int64, error) {
	units := []struct {
		name  string
		bytes float64
	}{{"KIB", 1 << 10}, {"MIB", 1 << 20}, {"GIB", 1 << 30}, {"TIB", 1 << 40}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12},
		{"K", 1 << 10}, {"M", 1 << 20}, {"G", 1 << 30}, {"T", 1 << 40}, {"B", 1}, {"", 1}}
	for _, u := range units {
		number, ok := strings.CutSuffix(strings.ToUpper(text), u.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		if err != nil || !(n*u.bytes >= 1<<20 && n*u.bytes <= 1<<60) { // NaN is none of both
			break
		}
		return int64(n * u.bytes), nil
	}
	return 0, fmt.Errorf("memory-limit %.40q; allowed: a number with a unit, such as 4GB or 512MiB, from 1 MiB on", text)
}

// progressLine is one line on a run that goes on.
func progressLine(p checker.Progress) string {
	elapsed := p.Elapsed.Round(time.Second)
	memory := fmt.Sprintf("%d MB", p.MemoryBytes/1e6)
	if p.Distinct < 0 {
		return fmt.Sprintf("%s: %s behaviours, %s states generated, %s", elapsed, grouped(p.Behaviors), grouped(p.Generated), memory)
	}
	return fmt.Sprintf("%s: %s states generated, %s distinct, %s to explore, depth %d, %s", elapsed, grouped(p.Generated), grouped(p.Distinct), grouped(p.Queue), p.Depth, memory)
}

// grouped writes a number with a comma before each group of three digits.
func grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
