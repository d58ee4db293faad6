// Command screen prints what a check did and what it did not, on one screen, from what the check left.
//
//	go run ./conformance/report/screen --results DIR [--coverage coverage.json]
//
// scripts/check.sh ends with it. Exit codes: 0 it was printed, 1 there is nothing to print, 2 wrong usage. It imports conformance/report. There is one file to read, this one.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"podlife/conformance/report"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, out, errs io.Writer) int {
	flags := flag.NewFlagSet("screen", flag.ContinueOnError)
	flags.SetOutput(errs)
	dir := flags.String("results", "", "the folder that the check left")
	coverage := flags.String("coverage", "coverage.json", "the file that records what was checked; the source is looked for beside it")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if *dir == "" || flags.NArg() > 0 {
		fmt.Fprintln(errs, "screen: wrong usage: it takes --results DIR and no arguments")
		return 2
	}
	s, err := report.ReadScreen(context.Background(), *dir, *coverage, filepath.Dir(*coverage))
	if err == nil {
		err = s.Write(out)
	}
	if err != nil {
		fmt.Fprintln(errs, "screen:", err)
		return 1
	}
	return 0
}
