// Package tlc runs TLC, the reference model checker of TLA+, as a second opinion, and understands what it says: verdicts, counts, counterexamples,
// coverage, and the whole labelled state graph.
//
// It imports value, itf and dot (the forms that it reads) and nothing of this module outside the folder tla. Read run.go first: [Check] runs a
// configuration and gives a [Result]. message.go, codes.go and result.go read the output, parse.go the states in it; graph.go compares graphs.
package tlc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"podlife/tla/dot"
)

// A Request is a model for TLC, and what to find out.
type Request struct {
	Command string   // shell command that runs TLC; its arguments are appended
	Dir     string   // the folder of the specification
	Module  string   // the name of the module, without ".tla"
	Config  string   // the configuration's file in Dir
	Path    []string // further folders with modules; a module of Dir, or of an earlier folder, goes first

	Workers    int           // 0 is 1, with which depth and counterexample are exact
	NoDeadlock bool          // a state without a successor is no error
	Coverage   bool          // for Result.Coverage
	Graph      bool          // for Result.Graph; for models that are not large
	DumpTrace  bool          // for Result.DumpedTrace; not known to TLC before 1.8
	Arguments  []string      // further arguments of TLC, before the module
	Timeout    time.Duration // 0 is none besides the context's
}

// stopGrace is how long TLC may take to die when it is told to stop.
const stopGrace = 5 * time.Second

// maxOutput bounds what is kept of TLC's output: a specification that prints without end must not fill the memory.
const maxOutput = 64 << 20

// Files of the working copy that TLC is told to write.
const (
	graphFile = "podlife-graph.dot"
	traceFile = "podlife-trace.json"
)

// FailedError says that there is no result: TLC could not be started or was stopped, or its output is not understood. An error in the
// specification is a result.
type FailedError struct {
	Config string
	Reason string
	Output string // all that TLC printed
	Cause  error  // may be nil; context.Canceled or context.DeadlineExceeded where it was stopped
}

func (e *FailedError) Error() string {
	msg := fmt.Sprintf("%s: TLC gave no verdict: %s", e.Config, e.Reason)
	if e.Cause != nil {
		msg += ": " + e.Cause.Error()
	}
	return msg
}

func (e *FailedError) Unwrap() error { return e.Cause }

// Check runs TLC on a copy of the specification's folder, because TLC writes files beside it. The error is a *FailedError.
func Check(ctx context.Context, req Request) (*Result, error) {
	var out []byte
	fail := func(reason string, cause error) (*Result, error) {
		return nil, &FailedError{Config: req.Config, Reason: reason, Output: string(out), Cause: cause}
	}
	work, err := os.MkdirTemp("", "podlife-tlc-")
	if err != nil {
		return fail("no folder to work in", err)
	}
	defer os.RemoveAll(work)
	for _, dir := range append([]string{req.Dir}, req.Path...) {
		if err := copySpecifications(dir, work); err != nil {
			return fail("the specification cannot be copied", err)
		}
	}
	if req.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, req.Timeout)
		defer cancel()
	}
	cmd := req.command(ctx)
	cmd.Dir = work
	cmd.WaitDelay = stopGrace
	printed := &limited{most: maxOutput}
	cmd.Stdout, cmd.Stderr = printed, printed
	start := time.Now()
	err = cmd.Run()
	took := time.Since(start)
	out = printed.Bytes()
	if ctx.Err() != nil {
		return fail("stopped", ctx.Err())
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return fail("cannot be run", err)
	}
	if printed.cut {
		return fail(fmt.Sprintf("it printed more than %d bytes", maxOutput), nil)
	}
	r, problem := understand(out, cmd.ProcessState.ExitCode())
	if problem != "" {
		return fail(problem, err)
	}
	r.Duration, r.PeakMemory = took, PeakMemory(cmd.ProcessState)
	if err := r.addFiles(req, work); err != nil {
		return fail("a file that TLC should have written", err)
	}
	return r, nil
}

// command is the process. The names are arguments of the shell, not part of what it parses.
func (req Request) command(ctx context.Context) *exec.Cmd {
	args := []string{"-tool", "-workers", strconv.Itoa(max(req.Workers, 1))}
	if req.NoDeadlock {
		args = append(args, "-deadlock") // TLC's flag turns the check off
	}
	if req.Coverage {
		args = append(args, "-coverage", "60")
	}
	if req.Graph {
		args = append(args, "-dump", "dot,actionlabels", graphFile)
	}
	if req.DumpTrace {
		args = append(args, "-dumpTrace", "json", traceFile)
	}
	args = append(args, req.Arguments...)
	args = append(args, "-config", req.Config, req.Module+".tla")
	return exec.CommandContext(ctx, "sh", append([]string{"-c", "exec " + req.Command + ` "$@"`, "tlc"}, args...)...)
}

// addFiles reads what TLC wrote beside its output.
func (r *Result) addFiles(req Request, work string) error {
	if req.DumpTrace && len(r.Trace) > 0 {
		text, err := os.ReadFile(filepath.Join(work, traceFile))
		if err != nil {
			return err
		}
		r.DumpedTrace = text
	}
	if !req.Graph || !r.Counted || r.Generated == 0 {
		return nil
	}
	f, err := os.Open(filepath.Join(work, graphFile))
	if err != nil {
		return err
	}
	defer f.Close()
	r.Graph, err = dot.Read(f)
	return err
}

// copySpecifications copies what a specification may be made of or read, without folders inside; what is there already stays.
func copySpecifications(from, to string) error {
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, e := range entries {
		switch strings.ToLower(filepath.Ext(e.Name())) {
		case ".tla", ".cfg", ".json", ".ndjson", ".csv", ".txt":
		default:
			continue
		}
		target := filepath.Join(to, e.Name())
		if _, err := os.Lstat(target); err == nil || !e.Type().IsRegular() && e.Type()&os.ModeSymlink == 0 {
			continue
		}
		text, err := os.ReadFile(filepath.Join(from, e.Name()))
		if err != nil {
			return err
		}
		if err := os.WriteFile(target, text, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// limited keeps the beginning of what is written to it.
type limited struct {
	bytes.Buffer
	most int
	cut  bool
}

func (l *limited) Write(p []byte) (int, error) {
	if l.Len()+len(p) > l.most {
		l.cut = true
		return len(p), nil
	}
	return l.Buffer.Write(p)
}

// PeakMemory is how many bytes of memory a process that has ended had at most, or 0 where the system does not tell.
func PeakMemory(p *os.ProcessState) int64 {
	usage, ok := p.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return usage.Maxrss
	}
	return usage.Maxrss * 1024
}
