package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"time"

	"podlife/runtime/client"
)

// shell is one run of the shell command: terminals one after the other, on one local terminal. Only run's goroutine touches it.
type shell struct {
	m           *Main
	remote      *remote
	dial        func(ctx context.Context, cols, rows int) (*client.Terminal, error)
	out, notes  io.Writer
	in          <-chan []byte // what is typed; closed at the end of the input
	tty         *tty
	modes       *modes
	escape      escape
	progress    *progress
	delay       func(attempt int) time.Duration
	interactive bool
	readOnly    bool // nothing is typed
	mustStart   bool // the session has to begin with this terminal: it was told what to run

	attempt     int          // how often in a row it did not work
	attached    int          // the incarnation attached to last, 0 before the first
	lost        bool         // since the last attach, something was said about a lost connection
	recorded    string       // the session of which it was said that it is recorded
	refusedKeys bool         // since the last attach, it was said that keys are not sent
	cols, rows  int          // as told to the server
	place       client.Place // what the local terminal shows
	inputEnded  bool
}

// errLeft is the person's own wish to go.
var errLeft = errors.New("left")

// jitter is full jitter between 0.25 s and 15 s, its bound doubling with each attempt.
func jitter(attempt int) time.Duration {
	const low, high = 250 * time.Millisecond, 15 * time.Second
	bound := min(high, low<<min(attempt, 10))
	return low + rand.N(bound-low+1)
}

// run goes on until the shell exits, the person leaves, or something happens that trying again cannot mend.
func (s *shell) run(ctx context.Context) error {
	err := s.once(ctx)
	for errors.Is(err, errAgain) {
		if err = s.pause(ctx); err == nil {
			err = s.once(ctx)
		}
	}
	if errors.Is(err, errLeft) {
		s.backToText()
		s.note("left; the session goes on, and " + s.remote.again("shell") + " comes back to it")
		return nil
	}
	return err
}

// errAgain asks for another connection after a pause.
var errAgain = errors.New("again")

// once makes one connection and serves it to its end.
func (s *shell) once(ctx context.Context) error {
	t, err := s.connect(ctx)
	if err != nil {
		return err
	}
	defer t.Close()
	return s.serve(ctx, t)
}

// connect dials, and listens to the keyboard meanwhile. At the first try every failure is final; later only a refusal is.
func (s *shell) connect(ctx context.Context) (*client.Terminal, error) {
	type answer struct {
		t   *client.Terminal
		err error
	}
	done := make(chan answer, 1)
	dialing, cancel := context.WithCancel(ctx)
	defer cancel()
	s.cols, s.rows = s.tty.size()
	go func() {
		defer s.m.restoreOnPanic()
		t, err := s.dial(dialing, s.cols, s.rows)
		done <- answer{t, err}
	}()
	var left error
	for {
		select {
		case a := <-done:
			switch {
			case left != nil:
				if a.t != nil {
					a.t.Close()
				}
				return nil, left
			case a.err != nil:
				return nil, s.dialFailed(a.err)
			}
			return a.t, nil
		case b, ok := <-s.keyboard():
			if left = s.idleKeys(b, ok); left != nil {
				cancel() // and wait for the dial to end
			}
		}
	}
}

func (s *shell) dialFailed(err error) error {
	var p *client.Problem
	switch {
	case s.attached == 0 && s.attempt == 0, errors.As(err, &p) && p.Status < http.StatusInternalServerError && p.Status != http.StatusTooManyRequests:
		return s.remote.explain(err)
	}
	return errAgain
}

// keyboard gives what is typed, but nothing of an input that is not a person before a shell is there to take it.
func (s *shell) keyboard() <-chan []byte {
	if s.interactive && !s.inputEnded {
		return s.in
	}
	return nil
}

// idleKeys looks at keys while no shell takes them: only the wish to leave counts, everything else is refused visibly.
func (s *shell) idleKeys(b []byte, ok bool) error {
	if !ok {
		s.inputEnded = true
		return errLeft // the terminal is gone
	}
	if _, left := s.filter(b); left {
		return errLeft
	}
	for _, c := range b {
		if c == 3 {
			return errLeft
		}
	}
	if !s.refusedKeys {
		s.refusedKeys = true
		s.note("no shell is attached: keys are not sent (Ctrl-C leaves)")
	}
	writeAll(s.notes, "\a")
	return nil
}

// filter takes the escape sequences out of what is typed.
func (s *shell) filter(b []byte) (send []byte, left bool) {
	send, did := s.escape.filter(b)
	if did == escapeHelp {
		s.note(s.escape.help())
	}
	return send, did == escapeLeave
}

// pause waits before the next try, and listens to the keyboard meanwhile.
func (s *shell) pause(ctx context.Context) error {
	s.attempt++
	d := s.delay(s.attempt)
	if s.attempt > 1 || d >= time.Second {
		s.note(fmt.Sprintf("next try in %.1f s (Ctrl-C leaves)", d.Seconds()))
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
			return nil
		case b, ok := <-s.keyboard():
			if err := s.idleKeys(b, ok); err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// note says something in podlife's own name.
func (s *shell) note(text string) { fmt.Fprintf(s.notes, "[podlife: %s]\n", printable(text)) }

// backToText leaves whatever full-screen state the lost shell had set, so that a note can be read.
func (s *shell) backToText() {
	if s.interactive {
		writeAll(s.out, s.modes.reset())
	}
}
