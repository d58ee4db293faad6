// Soak drives many pods with random operations and random faults for as long as it is told, and says what it has found: `make soak`.
//
// On the simulated engine it has the server's packages in its own process, cuts the server off and starts it again every few seconds, and looks at every committed step (package faults). On Docker it
// has the real program as a process, in the build that notes every step (package failpoint), ends that with kill -9, and looks at it from outside. It imports anything of the project. Read this file first, then simulated.go and docker.go.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"time"
)

// Options say what to do.
type Options struct {
	Engine   string
	Duration time.Duration
	Pods     int
	Seed     uint64
	Binary   string // the program for Docker; "" builds one
}

// Exit codes.
const (
	exitOK        = 0
	exitViolation = 1
	exitUsage     = 2
	exitNotRun    = 3
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, out, errs io.Writer) int {
	var o Options
	var asJSON string
	f := flag.NewFlagSet("soak", flag.ContinueOnError)
	f.SetOutput(errs)
	f.StringVar(&o.Engine, "engine", "simulated", "simulated or docker")
	f.DurationVar(&o.Duration, "duration", 30*time.Minute, "how long")
	f.IntVar(&o.Pods, "pods", 20, "how many pods, 1 to 200")
	f.Uint64Var(&o.Seed, "seed", rand.Uint64(), "of the operations and faults; the order in which they meet is the machine's")
	f.StringVar(&o.Binary, "binary", "", "docker: the program to run; built when empty")
	f.StringVar(&asJSON, "json", "", "write the report as JSON to this file")
	if err := f.Parse(args); err != nil {
		return exitUsage
	}
	soak, known := map[string]func(context.Context, Options, *Tally) error{"simulated": soakSimulated, "docker": soakDocker}[o.Engine]
	if !known || o.Pods < 1 || o.Pods > 200 || o.Duration <= 0 || f.NArg() > 0 {
		fmt.Fprintln(errs, "soak: want -engine simulated or docker, 1 to 200 pods, a positive duration and nothing else")
		return exitUsage
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	fmt.Fprintf(errs, "soak: %d pods on the %s engine for %s, seed %d\n", o.Pods, o.Engine, o.Duration, o.Seed)
	tally := NewTally(o)
	if err := soak(ctx, o, tally); err != nil {
		fmt.Fprintln(errs, "soak: not run to its end:", err)
		tally.fail("not run to its end: %v", err)
	}
	r := tally.Report()
	r.Table(out)
	if asJSON != "" {
		if err := writeJSON(asJSON, r); err != nil {
			fmt.Fprintln(errs, "soak:", err)
			return exitNotRun
		}
	}
	if r.code() == exitNotRun {
		fmt.Fprintln(errs, "soak: not a single round came to its end; nothing was checked")
	}
	return r.code()
}

// code is the exit code that a report deserves.
func (r Report) code() int {
	switch {
	case r.ViolationCount > 0 || len(r.Leaks) > 0:
		return exitViolation
	case r.Rounds == 0:
		return exitNotRun
	}
	return exitOK
}

func writeJSON(path string, r Report) error {
	b, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(b, '\n'), 0o644)
}
