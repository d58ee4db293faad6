package recording

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"podlife/runtime/pod"
	"podlife/runtime/recording/cast"
)

const (
	// flushEvery is how long what was said may wait to be written.
	flushEvery = time.Second
	// bufferSize is how much of a file waits to be written at most, in bytes.
	bufferSize = 64 << 10
	// term is what TERM is in a session.
	term = "xterm-256color"
	// gapLabel is the marker of a place where output is missing.
	gapLabel = "some output is missing here; the picture of the terminal behind it follows"
)

// How often in a row a session that still may be there is asked for in vain, and how long at most in between.
const (
	maxTries = 20
	maxPause = 5 * time.Second
)

// session is what is to be recorded.
type session struct {
	pod    pod.ID
	tab    string
	epoch  uint64
	follow func(ctx context.Context, have uint64) (pod.Shell, error)
}

func (s *session) epochText() string { return fmt.Sprintf("%016x", s.epoch) }

// recording is a session's. It belongs to one goroutine.
type recording struct {
	session
	files Files
	limit int64
	log   *slog.Logger

	name    string
	file    io.WriteCloser // nil before the session was first seen
	out     *bufio.Writer
	cast    *cast.Encoder
	begin   time.Time
	flushed time.Time // last
	have    uint64    // up to which offset the file has the session's output
	drawn   bool      // the file has something to go on from: a picture from now on is for a gap
	tries   int       // in vain, in a row
}

// end is why a recording is over.
type end int

const (
	endServer  end = iota // the recorder was closed; the session goes on
	endSession            // the session is
	endFull               // the file has reached its bound
)

// run records until the session or the recorder ends, or the file is full. The connection to the session may break meanwhile.
func (r *recording) run(ctx context.Context) (end, error) {
	why, err := r.follows(ctx)
	if errors.Is(err, cast.ErrFull) {
		r.log.Warn("a recording has reached its bound, and ends", "file", r.name, "bytes", r.limit)
		why, err = endFull, nil
	}
	if r.file != nil {
		err = errors.Join(err, r.out.Flush(), r.file.Close())
	}
	return why, err
}

// follows opens the session as often as it takes.
func (r *recording) follows(ctx context.Context) (end, error) {
	for {
		over, err := r.once(ctx)
		var gone *pod.GoneError
		var broken *writeError
		switch {
		case over, errors.As(err, &gone), errors.Is(err, pod.ErrNoTab):
			return endSession, nil
		case errors.As(err, &broken):
			return endServer, broken.err
		case ctx.Err() != nil:
			return endServer, nil
		}
		if r.tries++; r.tries > maxTries {
			return endServer, fmt.Errorf("the session cannot be followed: %w", err)
		}
		r.log.Debug("a recording's connection to its session broke", "err", err)
		timer := time.NewTimer(min(maxPause, 50*time.Millisecond<<min(r.tries, 10)))
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return endServer, nil
		}
	}
}

// writeError says that the file cannot be written.
type writeError struct{ err error }

func (e *writeError) Error() string { return e.err.Error() }

// once opens the session and writes what it says. True when that was all of it.
func (r *recording) once(ctx context.Context) (over bool, err error) {
	shell, err := r.follow(ctx, r.have)
	if err != nil {
		return false, err
	}
	defer func() { _ = shell.Close() }() // nobody is to be told
	if r.file == nil {
		if err := r.create(shell.Opened()); err != nil {
			return false, &writeError{err}
		}
	}
	for {
		event, err := r.next(ctx, shell)
		if err != nil {
			return false, err
		}
		if over, err = r.write(shell, event); err != nil {
			return false, &writeError{err}
		}
		if over {
			return true, nil
		}
		r.tries = 0
	}
}

// create makes the file.
func (r *recording) create(o pod.Opened) error {
	r.begin = time.Now()
	r.flushed = r.begin
	r.name = fileName(r.session, r.begin)
	f, err := r.files.Create(r.name)
	if err != nil {
		return err
	}
	r.file, r.out = f, bufio.NewWriterSize(f, bufferSize)
	r.log.Info("a session is recorded", "file", r.name)
	r.cast, err = cast.NewEncoder(r.out, cast.Header{Cols: int(o.Cols), Rows: int(o.Rows), Term: term, Title: fmt.Sprintf("pod %s, tab %s", r.pod, r.tab), Time: r.begin}, r.limit)
	return err
}

// next waits for what the session says next, and has what it said before written meanwhile.
func (r *recording) next(ctx context.Context, shell pod.Shell) (pod.ShellEvent, error) {
	if r.out.Buffered() > 0 {
		due := r.flushed.Add(flushEvery)
		soon, cancel := context.WithDeadline(ctx, due)
		event, err := shell.Next(soon)
		cancel()
		late := errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil
		if err != nil && !late || err == nil && time.Now().Before(due) {
			return event, err
		}
		r.flushed = time.Now()
		if err := r.out.Flush(); err != nil {
			return nil, &writeError{err}
		}
		if !late {
			return event, nil
		}
	}
	return shell.Next(ctx)
}

// write writes what the session says, and then says so. True for its exit.
func (r *recording) write(shell pod.Shell, event pod.ShellEvent) (over bool, err error) {
	at := time.Since(r.begin)
	switch e := event.(type) {
	case pod.Output:
		if err = r.cast.Output(at, e.Data); err == nil {
			r.have, r.drawn = e.From+uint64(len(e.Data)), true
			shell.Ack(r.have)
		}
	case pod.Picture:
		err = r.picture(at, e)
	case pod.Size:
		err = r.cast.Resize(at, int(e.Cols), int(e.Rows))
	case pod.Exit:
		return true, r.cast.Exit(at, e.Code)
	}
	return false, err
}

// picture writes a piece of a picture, which is output that begins with a reset of the terminal.
func (r *recording) picture(at time.Duration, p pod.Picture) error {
	if p.First {
		if err := r.cast.Cut(at); err != nil {
			return err
		}
		if r.drawn {
			if err := r.cast.Marker(at, gapLabel); err != nil {
				return err
			}
		}
	}
	r.drawn = true
	if err := r.cast.Output(at, p.Data); err != nil {
		return err
	}
	if p.Last {
		r.have = p.From
	}
	return nil
}
