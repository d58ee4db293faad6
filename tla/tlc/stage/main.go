// Command stage runs TLC on every configuration in a folder and compares what it finds with what is stated.
//
// It is called by scripts/tlc.sh, which finds TLC. It imports only package tla/tlc; there is one file.
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

	"podlife/tla/tlc"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var s stage
	flag.StringVar(&s.command, "command", "", "shell command that runs TLC")
	flag.StringVar(&s.dir, "dir", "tla", "folder with the specifications")
	flag.StringVar(&s.stated, "stated", "coverage.json", `JSON file whose "specs" states the counts`)
	flag.DurationVar(&s.bound, "bound", 3*time.Minute, "longest time for one configuration")
	flag.Parse()
	if err := s.run(ctx, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

type stage struct {
	command, dir, stated string
	bound                time.Duration
}

// run checks every configuration, also after one has failed, and gives an error if any did.
func (s stage) run(ctx context.Context, out io.Writer) error {
	if s.command == "" {
		return errors.New("-command is missing")
	}
	data, err := os.ReadFile(s.stated)
	if err != nil {
		return err
	}
	expected, err := tlc.ParseExpectations(data)
	if err != nil {
		return fmt.Errorf("%s: %w", s.stated, err)
	}
	unregistered, missing, err := tlc.Unmatched(s.dir, expected)
	if err != nil {
		return err
	}
	var failed []string
	for _, name := range unregistered {
		fmt.Fprintf(out, "%s: FAILED\n  %s states nothing of it\n", name, s.stated)
		failed = append(failed, name)
	}
	for _, name := range missing {
		fmt.Fprintf(out, "%s: FAILED\n  %s states it, but it is not in %s\n", name, s.stated, s.dir)
		failed = append(failed, name)
	}
	version := ""
	for _, e := range expected {
		if slices.Contains(missing, e.Config) {
			continue
		}
		got, ok := s.check(ctx, out, e)
		if !ok {
			failed = append(failed, e.Config)
		}
		if version == "" && got.Version != "" {
			version = got.Version
			fmt.Fprintln(out, " ", version)
		}
	}
	if len(failed) > 0 {
		return fmt.Errorf("TLC and %s differ on %s", s.stated, strings.Join(failed, ", "))
	}
	fmt.Fprintf(out, "TLC agrees with %s on %d configurations\n", s.stated, len(expected))
	return nil
}

// check runs one configuration and prints what was compared.
func (s stage) check(ctx context.Context, out io.Writer, e tlc.Expectation) (tlc.Outcome, bool) {
	ctx, cancel := context.WithTimeout(ctx, s.bound)
	defer cancel()
	start := time.Now()
	got, err := tlc.Run(ctx, s.command, s.dir, e.Module, e.Config)
	took := time.Since(start).Round(100 * time.Millisecond)
	if err != nil {
		fmt.Fprintf(out, "%s: FAILED after %s\n  %v\n", e.Config, took, err)
		var failed *tlc.FailedError
		if errors.As(err, &failed) && failed.Output != "" {
			fmt.Fprintln(out, indent(failed.Output))
		}
		return got, false
	}
	if diffs := e.Differences(got); len(diffs) > 0 {
		fmt.Fprintf(out, "%s: FAILED after %s\n  %s\n", e.Config, took, strings.Join(diffs, "\n  "))
		return got, false
	}
	fmt.Fprintf(out, "%s: ok: %s; compared: verdict, %d generated, %d distinct, depth %d (%s)\n",
		e.Config, got.Verdict, got.Generated, got.Distinct, got.Depth, took)
	return got, true
}

func indent(text string) string {
	return "    " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n    ")
}
