// Command run checks the configurations of the registry with the embedded checker, or with TLC, and says of each whether it is what the
// registry says.
//
//	go run ./conformance/specs/run [--set pr|nightly|all] [--only EXPRESSION] [--tlc COMMAND] [--dir tla]
//
// It leaves its results for coverage.json in the folder PODLIFE_RESULTS, if that is set, unless --tlc or --only is given. Exit codes: 0 all are
// what the registry says, 1 one is not, 2 wrong usage.
//
// It imports conformance/specs, and tla/diag to show errors. There is one file to read, this one.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"syscall"
	"time"

	"podlife/conformance/specs"
	"podlife/tla/diag"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Getenv("PODLIFE_RESULTS"), os.Stdout, os.Stderr))
}

// run is the command; results is the folder for the results, "" is none.
func run(ctx context.Context, args []string, results string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("run", flag.ContinueOnError)
	flags.SetOutput(stderr)
	set := flags.String("set", string(specs.PR), "which configurations: pr, nightly or all")
	only := flags.String("only", "", "of these, only those whose file matches this `expression`")
	dir := flags.String("dir", "tla", "the folder of the specifications")
	tlc := flags.String("tlc", "", "shell `command` that runs TLC; without it the embedded checker runs")
	bound := flags.Duration("bound", 5*time.Minute, "longest time for one configuration in TLC")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	expression, err := regexp.Compile(*only)
	if err != nil || flags.NArg() > 0 || !slices.Contains([]string{string(specs.PR), string(specs.Nightly), "all"}, *set) {
		fmt.Fprintln(stderr, "wrong usage: no such set, expression or argument; see --help", err)
		return 2
	}
	entries, err := specs.Read(*dir)
	if err != nil {
		diag.Render(stdout, err, false)
		return 1
	}
	if *set != "all" {
		entries = specs.Of(entries, specs.Set(*set))
	}
	entries = slices.DeleteFunc(entries, func(e specs.Entry) bool { return !expression.MatchString(e.File) })
	if len(entries) == 0 {
		fmt.Fprintln(stdout, "no configuration is meant")
		return 1
	}
	r := specs.Run{Dir: *dir, Entries: entries, TLC: *tlc, Bound: *bound, Out: stdout}
	found, wrong := r.All(ctx)
	if ctx.Err() != nil {
		return 1
	}
	if results != "" && *tlc == "" && *only == "" {
		if err := specs.Leave(results, found); err != nil {
			fmt.Fprintln(stdout, err)
			return 1
		}
	}
	if wrong > 0 {
		fmt.Fprintf(stdout, "%d of %d configurations are not what the registry says: %s\n", wrong, len(entries), specs.Summary(found))
		return 1
	}
	fmt.Fprintf(stdout, "note: %s\n", specs.Summary(found))
	return 0
}
