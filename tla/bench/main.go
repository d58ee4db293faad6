// Command bench runs the checker beside others on the same models, each run a fresh process, and prints a table with times, memory and their
// ratios. make bench-tla builds and calls it.
//
// It imports tla/tlc, which runs TLC, and nothing else of the project: the program is run as it was built. Read first: main.go; models.go says
// what is run, tools.go how.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"time"
)

type bench struct {
	podlife  string // the program
	spec     string // the file of PodLifecycle
	tlc      string // shell command; "" is not run
	node     string // folder for the npm package; "" is not run
	examples string // a clone of tlaplus/examples; "" is not run
	list     string // which of them
	only     *regexp.Regexp
	workers  int
	vacuity  string
	bound    time.Duration
	out      io.Writer
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	b := bench{out: os.Stdout}
	only := flag.String("only", "", "run only the models whose names match this expression")
	flag.StringVar(&b.podlife, "podlife", "bin/podlife", "the program")
	flag.StringVar(&b.spec, "spec", "tla/PodLifecycle.tla", "the specification of podlife")
	flag.StringVar(&b.tlc, "tlc", os.Getenv("TLC"), "shell command that runs TLC (default: the variable TLC); empty: without TLC")
	flag.StringVar(&b.node, "node", "", "folder in which the npm package tla-checker is installed, and is put if it is not; empty: without it")
	flag.StringVar(&b.examples, "examples", os.Getenv("TLAPLUS_EXAMPLES"), "clone of github.com/tlaplus/examples (default: the variable TLAPLUS_EXAMPLES); empty: without them")
	flag.StringVar(&b.list, "list", "tla/spec/testdata/examples.json", "which of those models are run")
	flag.IntVar(&b.workers, "workers", runtime.NumCPU(), "workers of podlife and TLC; tla-checker has one")
	flag.StringVar(&b.vacuity, "vacuity", "off", "podlife's --vacuity: off, report or gate")
	flag.DurationVar(&b.bound, "bound", 10*time.Minute, "longest time for one run")
	flag.Parse()
	err := fmt.Errorf("unknown argument %q", flag.Args())
	if flag.NArg() == 0 {
		if b.only, err = regexp.Compile(*only); err == nil {
			err = b.run(ctx)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run runs every tool on every model, and gives an error if podlife failed, or found other counts than TLC.
func (b bench) run(ctx context.Context) error {
	work, err := os.MkdirTemp("", "podlife-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	models, err := b.models(work)
	if err != nil {
		return err
	}
	tools, err := b.tools(ctx, work)
	if err != nil {
		return err
	}
	fmt.Fprintf(b.out, "%s, %d processors, %d workers, vacuity %s, bound %s\n\n", runtime.GOOS+"/"+runtime.GOARCH, runtime.NumCPU(), b.workers, b.vacuity, b.bound)
	fmt.Fprint(b.out, header)
	var failed []string
	for _, m := range models {
		var ours measured
		for i, t := range tools {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if t.skips != nil && t.skips(m) {
				continue
			}
			got := t.run(ctx, m)
			if i == 0 {
				ours = got
			}
			problem := got.problem(ours, m, t)
			fmt.Fprint(b.out, row(m.name, t.name, got, ours, problem))
			if problem != "" && t.counts {
				failed = append(failed, m.name+" ("+t.name+"): "+problem)
			}
		}
	}
	if failed != nil {
		return errors.New("not as it should be:\n  " + strings.Join(failed, "\n  "))
	}
	return nil
}

const header = "model                                    tool          generated   distinct   seconds  MB peak  distinct/s  time ×  memory ×\n"

// row is a line of the table. The ratios are to podlife's run of the same model: above 1, the tool took more.
func row(model, tool string, got, ours measured, problem string) string {
	if r := []rune(model); len(r) > 40 {
		model = "…" + string(r[len(r)-39:])
	}
	line := fmt.Sprintf("%-40s %-12s ", model, tool)
	if got.failed != "" {
		return line + got.failed + "\n"
	}
	generated := "-"
	if got.generated >= 0 {
		generated = fmt.Sprint(got.generated)
	}
	line += fmt.Sprintf("%10s %10d %9.2f %8d %11.0f", generated, got.distinct, got.seconds, got.peak/1e6, float64(got.distinct)/got.seconds)
	if ours.failed == "" && ours.seconds > 0 && ours.peak > 0 {
		line += fmt.Sprintf(" %7.2f %9.2f", got.seconds/ours.seconds, float64(got.peak)/float64(ours.peak))
	}
	if problem != "" {
		line += "  " + problem
	}
	return line + "\n"
}
