package simprograms

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"

	"podlife/runtime/host/command"
	"podlife/runtime/host/session"
)

// noProgram is a program that does not exist.
type noProgram struct{ name string }

func (e *noProgram) Error() string  { return fmt.Sprintf("%q: not found", e.name) }
func (e *noProgram) ShellCode() int { return 127 }

// ended are the numbers of the signals that end a program here.
var ended = map[string]int{"SIGHUP": 1, "SIGINT": 2, "SIGQUIT": 3, "SIGKILL": 9, "SIGUSR1": 10, "SIGUSR2": 12, "SIGTERM": 15}

// run starts a program without a terminal. There are these:
//
//	echo WORD...    prints the words on standard output
//	warn WORD...    prints them on standard error
//	cat             prints its input
//	env             prints what was set for it
//	exit CODE       ends with the code
//	drip BYTES      prints so many bytes one by one, on both outputs in turn
//	sleep           ends by a signal
func run(_ context.Context, spec command.Spec) (command.Process, error) {
	p := &process{done: make(chan struct{})}
	p.in, p.feed = io.Pipe()
	p.out, p.stdout = io.Pipe()
	p.errs, p.stderr = io.Pipe()
	words := strings.Join(spec.Argv[1:], " ") + "\n"
	var do func() int
	switch name := spec.Argv[0]; name {
	case "echo":
		do = func() int { _, _ = io.WriteString(p.stdout, words); return 0 }
	case "warn":
		do = func() int { _, _ = io.WriteString(p.stderr, words); return 0 }
	case "cat":
		do = func() int { _, _ = io.Copy(p.stdout, p.in); return 0 }
	case "env":
		do = func() int { _, _ = io.WriteString(p.stdout, strings.Join(spec.Env, "\n")+"\n"); return 0 }
	case "exit":
		do = func() int {
			code, _ := strconv.Atoi(strings.TrimSpace(words)) // as much of a number as it is
			return code & 255
		}
	case "drip":
		do = func() int {
			n, _ := strconv.Atoi(strings.TrimSpace(words))
			for i := range n {
				_, _ = []io.Writer{p.stdout, p.stderr}[i%2].Write([]byte{byte('a' + i%26)})
			}
			return 0
		}
	case "sleep":
		do = func() int { <-p.done; return 0 }
	default:
		return nil, &noProgram{name}
	}
	go func() { // ends with the program: its pipes are closed
		code := do()
		p.end(session.Exit{Code: code})
	}()
	return p, nil
}

// process is one of them.
type process struct {
	in, out, errs        *io.PipeReader
	feed, stdout, stderr *io.PipeWriter
	once                 sync.Once
	exit                 session.Exit
	done                 chan struct{} // closed when exit is set
}

func (p *process) end(exit session.Exit) {
	p.once.Do(func() {
		p.exit = exit
		close(p.done)
		_ = p.stdout.Close() // what was written was read: a pipe here has no room
		_ = p.stderr.Close()
		_ = p.in.CloseWithError(io.ErrClosedPipe)
	})
}

// Stdin is what it reads.
func (p *process) Stdin() io.WriteCloser { return p.feed }

// Stdout is what it writes.
func (p *process) Stdout() io.Reader { return p.out }

// Stderr is what it complains of.
func (p *process) Stderr() io.Reader { return p.errs }

// Signal ends it.
func (p *process) Signal(name string) {
	if n := ended[name]; n > 0 {
		p.end(session.Exit{Code: 128 + n, Signal: name})
	}
}

// Kill ends it.
func (p *process) Kill() { p.Signal("SIGKILL") }

// Wait gives how it ended.
func (p *process) Wait() session.Exit {
	<-p.done
	return p.exit
}

// Close gives its pipes back.
func (p *process) Close() {
	_ = p.out.Close()
	_ = p.errs.Close()
	_ = p.feed.Close()
}
