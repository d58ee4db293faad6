// Command benchterminal measures the terminal beside plain `docker exec` in the same run, and prints a table: `make bench-terminal`.
//
// It starts the program as it was built on the real engine, and drives it through the public API. Times are printed and never fail a run; counts that are wrong (bytes lost or doubled, something left
// behind) do. It imports conformance/harness, conformance/faults, which counts, the client and the engine, and nothing imports it. Read this file first, then bench.go.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"
)

// Options say what to do.
type Options struct {
	Binary string   // the program
	Only   []string // which measurements, by name; none is all
	JSON   string   // a file for the report; "" is none
	Quick  bool     // a tenth of the repeats, to see that it works; the figures are of no use
}

// Exit codes.
const (
	exitOK     = 0
	exitWrong  = 1
	exitUsage  = 2
	exitNotRun = 3
)

// wholeTime bounds a run: what takes longer hangs.
const wholeTime = 20 * time.Minute

const usage = `Measures the terminal of a real server beside plain docker exec, in the same run, and prints a table.

Usage: make bench-terminal ARGS="[flags]"
Example: make bench-terminal ARGS="--only echo --only once --json bin/terminal.json"

%s
Measurements: %s.
Exit codes: 0 measured, whatever the times; 1 a count is wrong (bytes lost or doubled, something left behind); 2 usage; 3 not run to its end.
`

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, out, errs io.Writer) int {
	o, err := parse(args, errs)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return exitOK
	case err != nil:
		fmt.Fprintln(errs, "benchterminal:", err)
		return exitUsage
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, wholeTime)
	defer cancel()
	r, err := measure(ctx, o, errs)
	if len(r.Rows) > 0 {
		r.Table(out)
	}
	if o.JSON != "" && len(r.Rows) > 0 {
		err = errors.Join(err, r.write(o.JSON))
	}
	if err != nil {
		fmt.Fprintln(errs, "benchterminal: not run to its end:", err)
		return exitNotRun
	}
	return r.code()
}

// parse reads the flags. flag.ErrHelp when help was asked for, and shown.
func parse(args []string, errs io.Writer) (Options, error) {
	var o Options
	f := flag.NewFlagSet("benchterminal", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.StringVar(&o.Binary, "binary", "bin/podlife", "the program `file` that serves")
	f.StringVar(&o.JSON, "json", "", "write the report as JSON to this `file`")
	f.BoolVar(&o.Quick, "quick", false, "a tenth of the repeats: shows that it works, and no figures")
	f.Func("only", "run the measurement of this `name` only; may be repeated", func(name string) error {
		if !slices.Contains(names(), name) {
			return fmt.Errorf("no such measurement; there are %s", strings.Join(names(), ", "))
		}
		o.Only = append(o.Only, name)
		return nil
	})
	err := f.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		var flags strings.Builder
		f.SetOutput(&flags)
		f.PrintDefaults()
		fmt.Fprintf(errs, usage, flags.String(), strings.Join(names(), ", "))
	}
	if err == nil && f.NArg() > 0 {
		err = fmt.Errorf("unknown argument %q", f.Arg(0))
	}
	return o, err
}
