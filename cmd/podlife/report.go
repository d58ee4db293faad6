package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"podlife/conformance/report"
	"podlife/model/podruntime"
)

func (m *Main) reportCommand() *cobra.Command {
	var out string
	var in report.Inputs
	c := &cobra.Command{
		Use:   "report",
		Short: "Write a page of what was checked: coverage.json and the last check, for people",
		Long: `Write one HTML page of what was checked: verdicts of the specifications, the state graph
with the edges that the live system took, what each mutant broke, every guard, and a
counterexample to step through. The page stands for itself: it can be opened from the
disk, sent and printed, and asks nobody for anything.

It shows what coverage.json records and what the last check left. What is in neither
did not run, and the page says so. Nothing is checked by making it; only the example of
a counterexample is searched for, by exploring tla/PodRuntime.tla's table without a guard.`,
		Example: `  podlife report                                        # report.html, of this folder
  podlife report --out - > report.html
  podlife report --counterexample bug.json              # of podlife check --trace, TLC or ITF
  podlife report --off AttachGuarded.notReady           # another example`,
		Args: noArgs,
	}
	c.Flags().StringVar(&out, "out", "report.html", "write the page to `FILE`; - is standard output")
	c.Flags().StringVar(&in.Coverage, "coverage", "coverage.json", "the `file` that records what was checked; the source is looked for beside it")
	c.Flags().StringVar(&in.Results, "results", filepath.Join("bin", "check"), "the `folder` that the last check left")
	c.Flags().StringVar(&in.Mutants, "mutants", filepath.Join("bin", "mutants"), "the `folder` that make mutants-runtime left, where the check left no such results")
	c.Flags().StringVar(&in.Counterexample, "counterexample", "", "show the behaviour in this `FILE`")
	c.Flags().StringVar(&in.Off, "off", report.ExampleOff, "without --counterexample: the `guard` of PodRuntime that the example is found without")
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		in.Root = filepath.Dir(in.Coverage)
		file := outFlag{"--out", out}
		if out == "-" {
			file.name = ""
		}
		outs, err := openOuts(cmd.Context(), usedFiles("what is read,", []string{in.Coverage, in.Counterexample}), file)
		if err != nil {
			return err
		}
		defer outs.close()
		page, err := report.Build(cmd.Context(), in)
		var unknown *podruntime.SwitchError
		switch {
		case errors.As(err, &unknown):
			return &usageError{err}
		case err != nil:
			return err
		}
		if out == "-" {
			return page.Write(cmd.OutOrStdout())
		}
		if err := outs["--out"].write(func(w io.Writer) error { return page.Write(w) }); err != nil {
			return err
		}
		_, err = fmt.Fprintln(cmd.OutOrStdout(), out)
		return err
	}
	return c
}
