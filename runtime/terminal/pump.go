package terminal

import (
	"context"
	"errors"
	"sync"
	"time"

	"podlife/runtime/pod"
)

// readSize is the largest piece of output in one message.
const readSize = 32 << 10

// confirmTimeout bounds the look at a container whose shell has just ended.
const confirmTimeout = 5 * time.Second

// size is the terminal's size as last heard.
type size struct {
	mu         sync.Mutex // guards the following
	cols, rows uint16
}

func (z *size) set(cols, rows uint16) {
	z.mu.Lock()
	defer z.mu.Unlock()
	z.cols, z.rows = cols, rows
}

// update takes a client's numbers and reports whether anything changed.
func (z *size) update(cols, rows int) bool {
	z.mu.Lock()
	defer z.mu.Unlock()
	c, r := clampSize(cols, z.cols), clampSize(rows, z.rows)
	changed := c != z.cols || r != z.rows
	z.cols, z.rows = c, r
	return changed
}

func (z *size) get() (cols, rows uint16) {
	z.mu.Lock()
	defer z.mu.Unlock()
	return z.cols, z.rows
}

// maxQueued is how many bytes of keys wait for a shell that does not read its input; a client that sends more waits with them.
const maxQueued = 1 << 20

// next is what a session does after an attachment: nothing when it ends with it.
type next func() bool

func over() bool { return false }

// attached carries bytes until the shell, the incarnation or the socket ends. What became of it is said first, then everything that belongs to the attachment is ended, and only then the session waits
// for its client again. It reports whether the session goes on.
func (s *session) attached(a *pod.Attachment) bool {
	s.say(serverMessage{Type: "attached", Incarnation: a.Incarnation.Inc})
	ctx, stop := context.WithCancel(s.gone)
	var helpers sync.WaitGroup
	keys := make(chan []byte, 4)      // sent by this goroutine, received by the input helper
	resized := make(chan struct{}, 1) // likewise, by the resize helper
	output := make(chan struct{})     // closed by the output helper when the shell's output has ended
	helpers.Go(func() { s.output(a.Shell, output) })
	helpers.Go(func() { s.input(ctx, a.Shell, keys) })
	helpers.Go(func() { s.resizes(ctx, a.Shell, resized) })
	then := s.relay(ctx, a, keys, resized, output)
	stop()
	if err := a.Close(); err != nil { // ends the shell's process, which unblocks the helpers
		var gone *pod.GoneError
		if !errors.As(err, &gone) {
			s.log.Warn("could not end a shell", "client", s.hello.Client, "err", err)
		}
	}
	helpers.Wait()
	return then()
}

// relay handles what the client says and what ends an attachment.
func (s *session) relay(ctx context.Context, a *pod.Attachment, keys chan<- []byte, resized chan<- struct{}, output <-chan struct{}) next {
	var queue [][]byte // keys that the input helper has not taken yet
	queued := 0
	for {
		in, takes, first := s.in, chan<- []byte(nil), []byte(nil)
		if queued >= maxQueued {
			in = nil
		}
		if len(queue) > 0 {
			takes, first = keys, queue[0]
		}
		select {
		case <-a.Ended():
			return s.incarnationEnded(a.Why())
		case <-output:
			return s.shellEnded(ctx, a)
		case takes <- first:
			queue, queued = queue[1:], queued-len(first)
		case m, ok := <-in:
			switch {
			case !ok:
				return over
			case m.control == nil:
				if len(m.data) > 0 {
					queue, queued = append(queue, m.data), queued+len(m.data)
				}
			case m.control.Type == "resize":
				if s.size.update(m.control.Cols, m.control.Rows) {
					select {
					case resized <- struct{}{}:
					default:
					}
				}
			case m.control.Type == "hello":
				s.finish(CloseBadMessage, "hello was said before")
				return over
			}
		case <-s.gone.Done():
			return over
		}
	}
}

// incarnationEnded says typed what became of the container; the socket stays open.
func (s *session) incarnationEnded(why pod.Ended) next {
	m := serverMessage{Type: "state", State: "asleep", Reason: why.Cause}
	switch why.Cause {
	case pod.CauseDestroy:
		m.State, m.Message = "destroyed", "The container and its disk were destroyed."
	case pod.CauseIdle:
		m.Message = "The container went to sleep because it was idle; its disk is gone."
	case pod.CauseBootFailed:
		if why.Failure != nil {
			m = s.failedMessage(why.Failure)
		}
	default:
		m.Message = "The container ended by itself; its disk is gone."
	}
	s.say(m)
	return s.awaitBoot
}

// shellEnded tells an exit from a container that died under its shell.
func (s *session) shellEnded(ctx context.Context, a *pod.Attachment) next {
	ctx, cancel := context.WithTimeout(ctx, confirmTimeout)
	defer cancel()
	code, err := a.Shell.Wait(ctx)
	a.Confirm(ctx)
	select {
	case <-a.Ended():
		return s.incarnationEnded(a.Why())
	default:
	}
	if s.gone.Err() != nil {
		return over
	}
	if err != nil {
		s.log.Warn("the shell ended and its exit code cannot be known", "err", err)
		s.say(serverMessage{Type: "state", State: "failed", Incarnation: a.Incarnation.Inc, Reason: "shell_lost", Message: "The connection to the shell was lost: " + err.Error()})
		return s.awaitBoot
	}
	s.say(serverMessage{Type: "exit", Code: &code})
	return func() bool {
		s.finish(CloseExited, "the shell exited")
		return false
	}
}

// output is the helper that carries the shell's output. It ends with the shell, or when the attachment is closed.
func (s *session) output(sh pod.Shell, ended chan<- struct{}) {
	defer close(ended)
	for {
		buf := make([]byte, readSize)
		n, err := sh.Read(buf)
		if n > 0 && !s.send(outbound{binary: buf[:n]}) {
			return
		}
		if err != nil {
			return
		}
	}
}

// input is the helper that carries keys, apart from output and from the socket's reader, so that a paste into a shell that does not read blocks neither.
func (s *session) input(ctx context.Context, sh pod.Shell, keys <-chan []byte) {
	for {
		select {
		case data := <-keys:
			for len(data) > 0 {
				n, err := sh.Write(data)
				if err != nil {
					return
				}
				data = data[n:]
			}
		case <-ctx.Done():
			return
		}
	}
}

// resizes is the helper that sets the size, the latest one heard. A shell that is gone has no size: its end is told elsewhere.
func (s *session) resizes(ctx context.Context, sh pod.Shell, resized <-chan struct{}) {
	for {
		select {
		case <-resized:
			cols, rows := s.size.get()
			if err := sh.Resize(ctx, cols, rows); err != nil && ctx.Err() == nil {
				s.log.Debug("could not resize", "err", err)
			}
		case <-ctx.Done():
			return
		}
	}
}
