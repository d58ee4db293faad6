package execution

import (
	"context"
	"errors"
	"sync"
	"time"

	"podlife/runtime/pod"
)

// pieceSize is the largest piece of output in one message, in bytes.
const pieceSize = 32 << 10

// confirmTimeout bounds the look at a container whose program has just ended.
const confirmTimeout = 5 * time.Second

// input is what the client sent for the program, and what became of it.
type input struct {
	mu      sync.Mutex // guards the following
	waiting [][]byte
	sent    uint64 // bytes that came
	taken   uint64 // of them
	eof     bool
	changed chan struct{}
}

func newInput() *input { return &input{changed: make(chan struct{}, 1)} }

// add takes a piece. False for more than the window, and behind the end.
func (i *input) add(b []byte) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.eof || i.sent+uint64(len(b))-i.taken > Window {
		return false
	}
	i.waiting = append(i.waiting, b)
	i.sent += uint64(len(b))
	i.wake()
	return true
}

func (i *input) end() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.eof = true
	i.wake()
}

func (i *input) wake() {
	select {
	case i.changed <- struct{}{}:
	default:
	}
}

// next waits for a piece; nil is the end of the input.
func (i *input) next(ctx context.Context) (b []byte, ok bool) {
	for {
		i.mu.Lock()
		switch {
		case len(i.waiting) > 0:
			b = i.waiting[0]
			i.waiting = i.waiting[1:]
			i.mu.Unlock()
			return b, true
		case i.eof:
			i.mu.Unlock()
			return nil, true
		}
		i.mu.Unlock()
		select {
		case <-i.changed:
		case <-ctx.Done():
			return nil, false
		}
	}
}

func (i *input) took(n int) (all uint64) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.taken += uint64(n)
	return i.taken
}

// feed is the helper that hands the input to the program. A program that reads no more takes everything: nobody is to wait for that.
func (s *session) feed(ctx context.Context, i *input, m pod.Command) {
	deaf := false
	for {
		b, ok := i.next(ctx)
		switch {
		case !ok:
			return
		case b == nil:
			m.EOF()
			return
		case !deaf:
			deaf = m.Input(ctx, b) != nil
		}
		if !s.Say(&serverMessage{Type: "taken", Have: i.took(len(b))}) {
			return
		}
	}
}

// tell is the helper that tells what the program says, to its end.
func (s *session) tell(ctx context.Context, m pod.Command) (*pod.Exit, error) {
	for {
		event, err := m.Next(ctx)
		if err != nil {
			return nil, err
		}
		ok := true
		switch e := event.(type) {
		case pod.Output:
			ok = s.output(stdout, e.Data)
		case pod.Errors:
			ok = s.output(stderr, e.Data)
		case pod.Exit:
			return &e, nil
		}
		if !ok {
			return nil, s.Gone().Err()
		}
	}
}

func (s *session) output(stream byte, b []byte) bool {
	for len(b) > 0 {
		n := min(len(b), pieceSize)
		if !s.Bytes(append([]byte{stream}, b[:n]...)) {
			return false
		}
		b = b[n:]
	}
	return true
}

// ending is how a program ended, or why that is not known.
type ending struct {
	exit *pod.Exit
	err  error
}

// closing is how a socket is to be closed; the zero value is for one that has gone.
type closing struct {
	code   int
	reason string
}

// attached carries the streams until the program, the incarnation or the socket ends. What became of it is said first, then the hold on the pod is given up, and only then the socket is closed.
func (s *session) attached(a *pod.Attachment) {
	ctx, stop := context.WithCancel(s.Gone())
	var helpers sync.WaitGroup
	in := newInput()
	ended := make(chan ending, 1) // sent by the output helper at its end
	s.Say(&serverMessage{Type: "started", Incarnation: a.Incarnation.Inc})
	helpers.Go(func() {
		exit, err := s.tell(ctx, a.Command)
		ended <- ending{exit, err}
	})
	helpers.Go(func() { s.feed(ctx, in, a.Command) })
	how := s.relay(ctx, a, in, ended)
	stop()
	if err := a.Close(); err != nil {
		s.log.Warn("could not leave a program", "err", err)
	}
	helpers.Wait()
	if how.code != 0 {
		s.Finish(how.code, how.reason)
	}
}

// relay handles what the client says, until something ends.
func (s *session) relay(ctx context.Context, a *pod.Attachment, in *input, ended <-chan ending) closing {
	for {
		select {
		case <-a.Ended():
			return s.over(a)
		case e := <-ended:
			return s.ended(ctx, a, e)
		case m, ok := <-s.In():
			switch {
			case !ok:
				return closing{}
			case m.Control == nil:
				if len(m.Data) > 0 && !in.add(m.Data) {
					return closing{CloseBadMessage, "more input than may be sent before it is taken, or input behind its end"}
				}
			case m.Control.Type == "ack":
				a.Command.Ack(m.Control.Have)
			case m.Control.Type == "eof":
				in.end()
			case m.Control.Type == "signal":
				a.Command.Signal(m.Control.Signal)
			default:
				return closing{CloseBadMessage, "run was said before"}
			}
		case <-s.Gone().Done():
			return closing{}
		}
	}
}

// ended tells an exit from a container that died under its program, and both from a connection that broke.
func (s *session) ended(ctx context.Context, a *pod.Attachment, e ending) closing {
	ctx, cancel := context.WithTimeout(ctx, confirmTimeout)
	defer cancel()
	if e.err != nil || e.exit.Signal != "" { // a program that was killed may have been killed with its container
		a.Confirm(ctx)
	}
	select {
	case <-a.Ended():
		return s.over(a)
	default:
	}
	if s.Gone().Err() != nil {
		return closing{}
	}
	if e.err == nil {
		s.Say(&serverMessage{Type: "exit", Code: &e.exit.Code, Signal: e.exit.Signal})
		return closing{CloseEnded, "the program ended"}
	}
	var lost *pod.LostError
	if !errors.As(e.err, &lost) {
		s.log.Warn("a program cannot be followed any more", "err", e.err)
	}
	return s.lost("program_lost", "The connection to the program was lost, which ended it: "+e.err.Error())
}

// over says that the incarnation is over, and the program with it.
func (s *session) over(a *pod.Attachment) closing {
	return s.lost("container_gone", a.Why().Sentence())
}

func (s *session) lost(reason, message string) closing {
	s.Say(&serverMessage{Type: "lost", Reason: reason, Message: message})
	return closing{CloseRefused, "the program is over"}
}
