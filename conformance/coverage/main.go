// Command coverage writes and verifies coverage.json: what was checked, on what, with which result. It is reviewed in every pull request, so a change that loses a check shows as a changed line.
//
//	go run ./conformance/coverage write  [--results DIR]   from the results of a run; without any, it makes the run first (needs Docker)
//	go run ./conformance/coverage verify [--results DIR]   recomputes what can be, compares exactly, and holds the run's results against the minima
//
// The results are the JSON files that the tests of conformance and mutants, and conformance/specs/run, write into the folder PODLIFE_RESULTS.
// Exit codes: 0 fine, 1 something is stale, missing or below its minimum, 2 wrong usage.
//
// It imports model, tla, conformance/mirror, conformance/paths, conformance/specs, mutants and mutants/guards. Read this file first, then schema.go, which is the file's form; static.go has what is computed from the source alone, results.go what a run leaves,
// verify.go the verdict.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

const usage = `usage: coverage write|verify [--results DIR] [--root DIR]
  write    write coverage.json from a run's results; without a folder of results, make the run first (Docker and minutes)
  verify   compare coverage.json with the source and with a run's results
`

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("coverage", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() { fmt.Fprint(stderr, usage); flags.PrintDefaults() }
	results := flags.String("results", os.Getenv("PODLIFE_RESULTS"), "the folder of the run's results; default $PODLIFE_RESULTS")
	root := flags.String("root", ".", "the repository's root")
	if len(args) == 0 {
		flags.Usage()
		return 2
	}
	if err := flags.Parse(args[1:]); err != nil || flags.NArg() > 0 {
		if flags.NArg() > 0 {
			flags.Usage()
		}
		return 2
	}
	var err error
	switch args[0] {
	case "write":
		err = write(ctx, *root, *results, stdout, stderr)
	case "verify":
		err = verify(ctx, *root, *results, stdout)
	case "-h", "--help", "help":
		flags.Usage()
		return 0
	default:
		flags.Usage()
		return 2
	}
	if err != nil {
		fmt.Fprintln(stdout, err)
		return 1
	}
	return 0
}

// write computes, reads, checks, and only then replaces the file: one that states a failure, or less than the minima, is not written.
func write(ctx context.Context, root, results string, stdout, stderr io.Writer) error {
	if results == "" {
		dir, err := os.MkdirTemp("", "podlife-results-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		if err := makeRun(ctx, root, dir, stdout, stderr); err != nil {
			return fmt.Errorf("the run failed, so there is nothing to write: %w", err)
		}
		results = dir
	}
	f, err := static(ctx, root)
	if err != nil {
		return err
	}
	r, err := readResults(results)
	if err != nil {
		return err
	}
	f.take(r)
	if problems := f.belowMinima(); len(problems) > 0 {
		return errors.Join(append(problems, errors.New("coverage.json was not written"))...)
	}
	if err := f.save(filepath.Join(root, FileName)); err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%s written\n%s", FileName, f.summary())
	return nil
}

// makeRun runs what leaves results.
func makeRun(ctx context.Context, root, dir string, stdout, stderr io.Writer) error {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	for _, args := range [][]string{
		{"run", "./conformance/specs/run"},
		{"test", "-v", "-count=1", "-p=1", "-timeout=30m", "./conformance/...", "./mutants/..."},
	} {
		cmd := exec.CommandContext(ctx, "go", args...)
		cmd.Dir, cmd.Stdout, cmd.Stderr = root, stdout, stderr
		cmd.Env = append(os.Environ(), "PODLIFE_TEST_DOCKER=1", "PODLIFE_RESULTS="+abs)
		if err := cmd.Run(); err != nil {
			return err
		}
	}
	return nil
}
