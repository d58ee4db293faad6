package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"podlife/conformance/input"
	"podlife/conformance/replay/tracefile"
	"podlife/model/podlifecycle"
	"podlife/model/podruntime"
)

// Exit codes of "podlife replay" on top of those of every command, also in its help. 12 is TLC's code for a violated invariant.
const (
	replayExitDiffers     = 10
	replayExitNoTrace     = 11
	replayExitUnprovided  = 12 // NoAttachWithoutShellSetup
	replayExitOther       = 13 // another invariant
	replayExitAwake       = 14
	replayExitRefused     = 15
	replayExitNotDrivable = 16
)

// replayFlags are the command's flags, as given.
type replayFlags struct {
	json, step            bool
	engine, image, record string // of PodRuntime
	reset                 bool   // of PodLifecycle, as the next one
	repoDir               string
}

func (m *Main) replayCommand() *cobra.Command {
	var f replayFlags
	c := &cobra.Command{
		Use:   "replay FILE",
		Short: "Play a counterexample step by step against a real server",
		Long: `Play a trace of a specification, a counterexample say, against a real server, step by
step. For each step it prints what the specification expects and what was seen.

FILE (- is standard input) is what podlife check --trace, podlife tla check --itf or
--dump-trace, or podlife trace export writes, what TLC writes with -dumpTrace json, what
another tool writes in the Informal Trace Format, what a failed test of conformance/
writes, or steps in words: StartBoot(c1) CreateContainer(1) Destroy. Which specification
it is of, its variables say.

A trace of PodRuntime, the server's own steps, is played against a server in this very
process, over an engine in memory, or with --engine docker over Docker: each step is made
to happen, and then memory, store and containers are held against the file's state. Where
the server goes another way, it says what the specification allows there and what the
server did. A counterexample of a design without a guard has to end so: the server has
the guard, and refuses the step that needs it gone.

A trace of PodLifecycle, the contract with the outside, is played against a running
server, through its API, with boots and terminals as a browser's tabs have them, and at
the end it says what is behind every attached terminal. That is found by typing into it:
is the multiplexer there, is the hook there, is the repository there? The actions of the
design with the bug are played as what a tab does: it connects its terminal. A right
server goes its own way then, boots, and ends in a provisioned shell. (A provisioned shell
has the multiplexer and the hook; with --repo-dir it also needs a clone there.)
It uses the pod of the user whose token it has, which must be asleep, because Sleep in a
trace destroys the container and its disk; --reset destroys what is there first.

Incarnations are counted from the start of the replay: the first is 1.

Exit codes, on top of those below:
  10  the server did something else than a trace of the shipped design says
  11  FILE is no trace of these specifications, or its states do not follow each other
  12  NoAttachWithoutShellSetup is broken: somebody got a shell without its setup
  13  another invariant is broken
  14  the pod is not asleep
  15  the server refuses a step of FILE, which the shipped design does not have
  16  a server cannot be brought to a step of FILE; it says why`,
		Example: `  podlife check --guarded=false --trace bug.json
  podlife replay --reset bug.json
  podlife check --model PodRuntime --off Dial.marker --trace bug.itf.json
  podlife replay bug.itf.json
  echo "StartBoot(c1) CreateContainer(1) Destroy" | podlife replay -
  podlife replay --engine docker --step --record seen.itf.json bug.itf.json
  podlife trace check seen.itf.json`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return &usageError{fmt.Errorf("replay takes one file, got %d arguments; see %s --help", len(args), cmd.CommandPath())}
			}
			return nil
		},
	}
	r := m.addPodRemote(c)
	c.Flags().BoolVar(&f.json, "json", false, "print the report as JSON")
	c.Flags().BoolVar(&f.step, "step", false, "wait for Enter before each further step; q ends it, and where the input has ended the rest is played at once")
	c.Flags().StringVar(&f.engine, "engine", engineSimulated, "PodRuntime: simulated or docker")
	c.Flags().StringVar(&f.image, "image", replayImage, "PodRuntime, with --engine docker: an `image` with tmux, git, and a repository in /srv/example.git")
	c.Flags().StringVar(&f.record, "record", "", "PodRuntime: write what happened to `FILE`, in the Informal Trace Format, for podlife trace check")
	c.Flags().StringVar(&f.repoDir, "repo-dir", "", "PodLifecycle: the `folder` of the clone that a provisioned shell must have; none is asked for without it")
	c.Flags().BoolVar(&f.reset, "reset", false, "PodLifecycle: destroy the pod's container and disk first")
	c.RunE = func(cmd *cobra.Command, args []string) error {
		if f.engine != engineSimulated && f.engine != engineDocker {
			return &usageError{&unknownNameError{what: "engine", name: f.engine, known: []string{engineSimulated, engineDocker}}}
		}
		if f.step && args[0] == "-" {
			return &usageError{errors.New("--step reads Enter from standard input, so that FILE cannot be that, too")}
		}
		outs, err := openOuts(cmd.Context(), usedFiles("what is read,", args), outFlag{"--record", f.record})
		if err != nil {
			return err
		}
		defer outs.close()
		file, err := readReplayFile(cmd, args[0])
		if err != nil {
			return err
		}
		ofOther := map[bool][]string{true: {"server", "token-file", "pod", "repo-dir", "reset"}, false: {"engine", "image", "record"}}
		for _, flag := range ofOther[file.Runtime != nil] {
			if cmd.Flags().Changed(flag) {
				return &usageError{fmt.Errorf("--%s is not for a trace of %s, which %s is", flag, specificationOf(file), args[0])}
			}
		}
		if file.Runtime != nil && f.engine != engineDocker && cmd.Flags().Changed("image") {
			return &usageError{errors.New("--image is for --engine docker: the engine in memory has no images")}
		}
		if file.Runtime != nil {
			return m.replayRuntime(cmd, f, outs["--record"], file)
		}
		return replayLifecycle(cmd, f, r, args[0], *file.Lifecycle)
	}
	return c
}

func specificationOf(f tracefile.File) string {
	if f.Runtime != nil {
		return podruntime.Name
	}
	return podlifecycle.Name
}

// readReplayFile reads the file; what is no trace has an exit code of its own, and a trace of more than can be played another.
func readReplayFile(cmd *cobra.Command, name string) (tracefile.File, error) {
	in := input.Reader(cmd.Context(), cmd.InOrStdin())
	if name != "-" {
		f, err := input.Open(cmd.Context(), name)
		if err != nil {
			return tracefile.File{}, err
		}
		defer f.Close()
		in = f
	}
	file, err := tracefile.Read(cmd.Context(), in)
	var form *tracefile.FormatError
	var step *tracefile.StepError
	var scope *tracefile.ScopeError
	switch {
	case errors.As(err, &form):
		return file, &codeError{code: replayExitNoTrace, text: printable(fmt.Sprintf("%s is no trace: %v", name, err)), err: err}
	case errors.As(err, &step):
		return file, &codeError{code: replayExitNoTrace, text: printable(fmt.Sprintf("%s is no behaviour of the specification: %v", name, err)), err: err}
	case errors.As(err, &scope):
		return file, &codeError{code: replayExitNotDrivable, text: printable(fmt.Sprintf("%s cannot be played: %v", name, err)), err: err}
	}
	return file, err
}

// errStopped is the cause of a replay that ends because somebody said so.
var errStopped = errors.New("stopped, as asked")

// pauser waits for Enter before each step but the first. Its stop is called where it is told to end.
type pauser struct {
	in   io.Reader
	out  io.Writer
	stop context.CancelCauseFunc
	over bool // nobody answers any more
}

// wait is called after a step. It reads byte by byte, so that nothing of what comes after the line is taken.
func (p *pauser) wait() {
	if p == nil || p.over {
		return
	}
	fmt.Fprint(p.out, "Enter: the next step, q: the end ")
	var line []byte
	for b := make([]byte, 1); ; {
		n, err := p.in.Read(b)
		if n > 0 && b[0] != '\n' {
			line = append(line, b[0])
		}
		if err != nil || n > 0 && b[0] == '\n' {
			p.over = err != nil
			break
		}
	}
	if len(line) > 0 && (line[0] == 'q' || line[0] == 'Q') {
		p.over = true
		p.stop(errStopped)
	}
}
