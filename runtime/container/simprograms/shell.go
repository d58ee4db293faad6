package simprograms

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"

	"podlife/runtime/engine/simulated"
	"podlife/runtime/host/session"
)

// hungUp is how a shell ends whose terminal does.
var hungUp = session.Exit{Code: 129, Signal: "SIGHUP"}

// starter starts shells over a container's files.
func starter(f *simulated.Files) func(context.Context, session.Spec) (session.PTY, error) {
	return func(_ context.Context, spec session.Spec) (session.PTY, error) {
		s := &shell{size: [2]uint16{spec.Cols, spec.Rows}, done: make(chan struct{})}
		s.multiplexer, s.repo = has(f, Multiplexer) && has(f, Hook), spec.Dir != "" && has(f, spec.Dir+"/.git/HEAD")
		s.changed.L = &s.mu
		if len(spec.Argv) > 0 {
			s.say("ran: %s\r\n", strings.Join(spec.Argv, " "))
			s.end(session.Exit{Code: len(spec.Argv)})
			return s, nil
		}
		s.say("$ ")
		return s, nil
	}
}

// shell stands for the user's shell on its terminal: it echoes what is typed, as a terminal does, and knows these lines:
//
//	exit [CODE]     ends with the code
//	stty size       rows and columns
//	probe           "probe multiplexer=BOOL repo=BOOL": was there what a boot sets up when the shell began
//	flood BYTES     so many bytes of lines
//
// A program that is named in place of the shell is said after "ran: ", and ends with the number of its words.
//
// Every other line is printed once more after "you said: ". It has no goroutine: what is typed is dealt with by who types.
type shell struct {
	multiplexer, repo bool // when it began

	done chan struct{} // closed when exit is set

	mu      sync.Mutex // guards the following
	changed sync.Cond
	out     bytes.Buffer
	line    strings.Builder
	size    [2]uint16
	over    bool
	closed  bool
	exit    session.Exit
}

// Read gives output.
func (s *shell) Read(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.out.Len() == 0 && !s.over && !s.closed {
		s.changed.Wait()
	}
	if s.out.Len() == 0 {
		return 0, io.EOF
	}
	return s.out.Read(b)
}

// Write types.
func (s *shell) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range b {
		if s.over || s.closed {
			return 0, io.ErrClosedPipe
		}
		s.key(c)
	}
	return len(b), nil
}

// key takes one key. s.mu is held.
func (s *shell) key(c byte) {
	if c != '\n' && c != '\r' {
		s.line.WriteByte(c)
		s.say("%c", c)
		return
	}
	typed := s.line.String()
	words := strings.Fields(typed)
	s.line.Reset()
	s.say("\r\n")
	switch {
	case len(words) > 0 && words[0] == "exit":
		code := 0
		if len(words) > 1 {
			code, _ = strconv.Atoi(words[1]) // as much of a number as it is
		}
		s.end(session.Exit{Code: code & 255})
		return
	case typed == "stty size":
		s.say("%d %d\r\n", s.size[1], s.size[0])
	case typed == "probe":
		s.say("probe multiplexer=%v repo=%v\r\n", s.multiplexer, s.repo)
	case len(words) == 2 && words[0] == "flood":
		n, _ := strconv.Atoi(words[1])
		for i := 0; n > 0; i++ {
			line := fmt.Sprintf("line %d\r\n", i)
			line = line[:min(n, len(line))]
			n -= len(line)
			s.say("%s", line)
		}
	case typed != "":
		s.say("you said: %s\r\n", typed)
	}
	s.say("$ ")
}

// say prints. s.mu is held, or nobody else has the shell yet.
func (s *shell) say(format string, args ...any) {
	fmt.Fprintf(&s.out, format, args...)
	s.changed.Broadcast()
}

// end ends the shell, once. s.mu is held.
func (s *shell) end(exit session.Exit) {
	if s.over {
		return
	}
	s.over, s.exit = true, exit
	close(s.done)
	s.changed.Broadcast()
}

// Resize sets the terminal's size.
func (s *shell) Resize(cols, rows uint16) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.size = [2]uint16{cols, rows}
	return nil
}

// Wait gives how the shell ended.
func (s *shell) Wait() session.Exit {
	<-s.done
	return s.exit
}

// Hangup ends the shell.
func (s *shell) Hangup() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.end(hungUp)
}

// Kill ends the shell.
func (s *shell) Kill() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.end(session.Exit{Code: 137, Signal: "SIGKILL"})
}

// Close gives the terminal back.
func (s *shell) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.changed.Broadcast()
	return nil
}
