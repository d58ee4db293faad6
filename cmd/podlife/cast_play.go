package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"syscall"
	"time"

	hostmodes "podlife/runtime/host/modes"
	"podlife/runtime/recording/cast"
)

// answerTime is how long a terminal may take to answer to something that was played: what comes until then is not left to whoever reads the terminal next.
const answerTime = 100 * time.Millisecond

// pace says when the events of a recording are due.
type pace struct {
	speed float64
	limit time.Duration // of the wait between two events; 0 is none

	last, due time.Duration
}

// next gives when an event is due, since the beginning.
func (p *pace) next(at time.Duration) time.Duration {
	wait := at - p.last
	p.last = at
	if p.limit > 0 {
		wait = min(wait, p.limit)
	}
	p.due += time.Duration(float64(wait) / p.speed)
	return p.due
}

// castPlayer plays one recording on the local terminal.
type castPlayer struct {
	out, notes io.Writer
	keys       <-chan []byte // nil where nobody can type
	pace       pace
	begin      time.Time
	modes      modes
}

func (p *castPlayer) note(text string) { fmt.Fprintf(p.notes, "[podlife: %s]\n", printable(text)) }

// play plays until the recording or the context ends, or a key ends it. That a file is cut off is no failure: a server that was killed leaves one.
func (p *castPlayer) play(ctx context.Context, d *cast.Decoder) error {
	for {
		e, err := d.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, io.ErrUnexpectedEOF):
			p.note("the recording was cut off here")
			return nil
		case err != nil:
			return err
		}
		if err := p.wait(ctx, p.pace.next(e.At)); err != nil {
			return err
		}
		if e.Code != cast.Output {
			continue
		}
		b := hostmodes.Clean([]byte(e.Data))
		p.modes.see(b)
		if _, err := p.out.Write(b); err != nil {
			return fmt.Errorf("write to the terminal: %w", err)
		}
	}
}

// wait waits until an event is due, and hears the keys meanwhile.
func (p *castPlayer) wait(ctx context.Context, due time.Duration) error {
	timer := time.NewTimer(time.Until(p.begin.Add(due)))
	defer timer.Stop()
	for {
		select {
		case b, ok := <-p.keys:
			if !ok {
				p.keys = nil
			}
			if endsCast(b) {
				return &codeError{code: exitSignal + int(syscall.SIGINT)}
			}
		case <-timer.C:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// endsCast says whether what was typed ends the playing: Ctrl-C, or q alone, since an answer of the terminal may have one in it.
func endsCast(b []byte) bool { return bytes.IndexByte(b, 3) >= 0 || string(b) == "q" }

// settle takes what the terminal still answers.
func (p *castPlayer) settle() {
	timer := time.NewTimer(answerTime)
	defer timer.Stop()
	for {
		select {
		case _, ok := <-p.keys:
			if !ok {
				return
			}
		case <-timer.C:
			return
		}
	}
}
