// Command run judges the mutants of the runtime on the simulated engine, and prints what became of each.
//
//	go run ./mutants/auto/run [--only REGEXP] [--results DIR]
//	go run ./mutants/auto/run --apart [--only REGEXP]           what holds when the table or the code beside it is lost alone
//
// It is started in the root of the repository. The results go into a folder: mutants-runtime.json, and mutation.json in the form that viewers of mutation tests read; the folder is PODLIFE_RESULTS, or
// without it and --results nowhere. It imports mutants/auto and podruntime. Exit codes: 0 every mutant is green; 1 one is not, or the build that ships breaks something, or too few mutants break
// NoAttachWithoutShellSetup; 2 wrong usage, or nothing could be judged. Read this file first; ../auto.go has the rest.
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

	"podlife/model/podruntime"
	"podlife/mutants/auto"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Getenv("PODLIFE_RESULTS"), os.Stdout, os.Stderr))
}

func run(ctx context.Context, args []string, results string, out, errs io.Writer) int {
	flags := flag.NewFlagSet("run", flag.ContinueOnError)
	flags.SetOutput(errs)
	only := flags.String("only", "", "judge only the mutants whose id matches this expression")
	apart := flags.Bool("apart", false, "judge each switch of the table, and the code beside it, for itself; nothing of that is red")
	dir := flags.String("results", results, "the folder for the results; default $PODLIFE_RESULTS")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	pattern, err := regexp.Compile(*only)
	if err != nil || flags.NArg() > 0 {
		fmt.Fprintln(errs, "run: wrong usage:", err, flags.Args())
		return 2
	}
	all := auto.Catalogue()
	if *apart {
		all = auto.Apart()
	}
	all = slices.DeleteFunc(all, func(m auto.Mutant) bool { return !pattern.MatchString(m.ID) })
	if len(all) == 0 {
		fmt.Fprintf(errs, "run: no mutant matches %q\n", *only)
		return 2
	}
	start := time.Now()
	x, err := auto.Run(ctx, ".", all)
	if err != nil {
		fmt.Fprintln(errs, "run:", err)
		return 2
	}
	fmt.Fprint(out, auto.Table(x.Results))
	fmt.Fprintf(out, "%d mutants in %.0f s; the build that ships went through %d scenarios\n", len(all), time.Since(start).Seconds(), len(x.Shipped))
	if *apart {
		return 0
	}
	return verdict(x, *only == "", *dir, out, errs)
}

// verdict writes the results, and says what is red.
func verdict(x auto.Matrix, whole bool, dir string, out, errs io.Writer) int {
	code := 0
	if dir != "" {
		if err := auto.Write(dir, ".", x.Results); err != nil {
			fmt.Fprintln(errs, "run:", err)
			code = 1
		}
	}
	for _, line := range x.Red() {
		fmt.Fprintln(out, "failed: "+line)
		code = 1
	}
	if n := x.Bare(); whole {
		fmt.Fprintf(out, "note: %d mutants, %d of them break %s\n", len(x.Results), n, podruntime.NoAttachWithoutShellSetup)
		if n < auto.Needed {
			fmt.Fprintf(out, "failed: %d must\n", auto.Needed)
			code = 1
		}
	}
	return code
}
