package terminal

import (
	"context"
	"errors"
	"sync"
	"time"

	"podlife/runtime/pod"
)

// pieceSize is the largest piece of output in one message, in bytes.
const pieceSize = 32 << 10

// confirmTimeout bounds the look at a container whose shell has just ended.
const confirmTimeout = 5 * time.Second

// maxLosses is how often in a row the connection to a session may break, without any output in between, before the client is told.
const maxLosses = 3

// size is the client's window as last heard.
type size struct{ cols, rows uint16 }

// update takes a client's numbers and reports whether anything changed.
func (z *size) update(cols, rows int) bool {
	before := *z
	z.cols, z.rows = clampSize(cols, z.cols), clampSize(rows, z.rows)
	return *z != before
}

// next is what a session does after an attachment: nothing when it ends with it.
type next func() bool

func over() bool { return false }

// attached carries bytes until the shell, the incarnation or the socket ends. What became of it is said first, then the terminal leaves, and only then the session waits for its client again. It reports
// whether the session goes on.
func (s *session) attached(a *pod.Attachment) bool {
	ctx, stop := context.WithCancel(s.Gone())
	var helpers sync.WaitGroup
	in, lost := s.typingOn(a.Shell)
	out := &showing{session: s, shell: a.Shell, typing: in, active: a.Active}
	s.told = pod.About{Viewers: 1} // what a client takes for granted
	ended := make(chan error, 1)   // sent by the output helper at its end
	if out.begin(a) && s.sayLost(lost) {
		helpers.Go(func() { ended <- out.run(ctx) })
		helpers.Go(func() { in.run(ctx, s) })
		then := s.relay(ctx, a, in, out, ended)
		stop()
		if err := a.Close(); err != nil {
			var gone *pod.GoneError
			if !errors.As(err, &gone) {
				s.log.Warn("could not leave a session", "client", s.hello.Client, "err", err)
			}
		}
		helpers.Wait()
		s.hello.Epoch, s.hello.Have = out.sent() // for the next attachment
		if s.kept != nil {
			s.kept = &kept{in, out.epoch}
		}
		return then()
	}
	stop()
	_ = a.Close() // the socket is gone, and with it who would be told
	return false
}

// kept is what a client types while the connection to its session is made anew, of which it is not told; nil: it was told that there is no shell.
type kept struct {
	typing *typing
	epoch  uint64 // of the session that it is for
}

// typingOn gives what carries the client's keys to a terminal, with what was kept for that session, and the numbers of what is lost.
func (s *session) typingOn(sh pod.Shell) (in *typing, lost []uint64) {
	k := s.kept
	s.kept = nil
	if k == nil {
		return newTyping(sh), nil
	}
	return k.typing, k.typing.rebind(sh, k.epoch == sh.Opened().Epoch)
}

// sayLost tells the client of pieces of its input that did not come to its session, or of which that is not known.
func (s *session) sayLost(frames []uint64) bool {
	for _, frame := range frames {
		if !s.Say(&serverMessage{Type: "refused", Reason: "lost", Frames: frame}) {
			return false
		}
	}
	return true
}

// again attaches once more, and keeps what the client types meanwhile.
func (s *session) again() next {
	s.kept = &kept{}
	return func() bool { return true }
}

// relay handles what the client says and what ends an attachment.
func (s *session) relay(ctx context.Context, a *pod.Attachment, in *typing, out *showing, ended <-chan error) next {
	for {
		select {
		case <-a.Ended():
			return s.incarnationEnded(a.Why())
		case err := <-ended:
			return s.shellEnded(ctx, a, out, err)
		case <-a.Changed():
			s.about(a.About())
		case m, ok := <-s.In():
			switch {
			case !ok:
				return over
			case m.Control == nil:
				s.frames++
				a.Active()
				if !in.add(m.Data, s.frames) {
					s.Finish(CloseBadMessage, tooManyWait)
					return over
				}
			case m.Control.Type == "stay":
				a.Active()
			case m.Control.Type == "ack":
				a.Shell.Ack(*m.Control.Have)
			case m.Control.Type == "resize":
				if s.size.update(m.Control.Cols, m.Control.Rows) {
					a.Shell.Resize(s.size.cols, s.size.rows)
				}
			case m.Control.Type == "hello":
				s.Finish(CloseBadMessage, "hello was said before")
				return over
			}
		case <-s.Gone().Done():
			return over
		}
	}
}

// about says what has changed around an attachment.
func (s *session) about(now pod.About) {
	if now.Viewers != s.told.Viewers {
		s.Say(&serverMessage{Type: "viewers", Count: now.Viewers})
	}
	if !now.SleepsAt.Equal(s.told.SleepsAt) {
		m := &serverMessage{Type: "idle"}
		if !now.SleepsAt.IsZero() {
			m.Message = "nothing was typed or printed for long"
			m.SleepsAt, m.Seconds = now.SleepsAt.UTC().Format(time.RFC3339), max(1, int(time.Until(now.SleepsAt).Round(time.Second).Seconds()))
		}
		s.Say(m)
	}
	s.told = now
}

// incarnationEnded says what became of the container; the socket stays open.
func (s *session) incarnationEnded(why pod.Ended) next {
	if why.Cause == pod.CauseReleased {
		return s.again() // nothing has become of it
	}
	m := &serverMessage{Type: "state", State: "asleep", Reason: why.Cause, Message: why.Sentence()}
	switch {
	case why.Deleted:
		m.State, m.Reason = "failed", "pod_going"
	case why.Cause == pod.CauseDestroy:
		m.State = "destroyed"
	case why.Cause == pod.CauseBootFailed && why.Failure != nil:
		failed := s.failedMessage(why.Failure)
		m = &failed
	}
	s.Say(m)
	return s.awaitBoot
}

// shellEnded tells an exit from a container that died under its shell, and both from a connection that broke: then the terminal attaches anew, and goes on where it was.
func (s *session) shellEnded(ctx context.Context, a *pod.Attachment, out *showing, err error) next {
	ctx, cancel := context.WithTimeout(ctx, confirmTimeout)
	defer cancel()
	a.Confirm(ctx)
	select {
	case <-a.Ended():
		return s.incarnationEnded(a.Why())
	default:
	}
	if s.Gone().Err() != nil {
		return over
	}
	if err == nil && a.About().Closed {
		return func() bool {
			s.Finish(CloseTabClosed, "somebody closed this tab")
			return false
		}
	}
	if err == nil {
		code := out.exit.Code
		s.Say(&serverMessage{Type: "exit", Code: &code, Signal: out.exit.Signal})
		return func() bool {
			s.Finish(CloseExited, "the shell exited")
			return false
		}
	}
	var lost *pod.LostError
	if out.progress {
		s.losses = 0
	}
	if s.losses++; errors.As(err, &lost) && s.losses <= maxLosses {
		s.log.Info("the connection to a session broke, and is made anew", "client", s.hello.Client, "err", err)
		return s.again()
	}
	s.losses = 0
	s.log.Warn("a session cannot be followed any more", "err", err)
	s.Say(&serverMessage{Type: "state", State: "failed", Incarnation: a.Incarnation.Inc, Reason: "shell_lost", Message: "The connection to the shell was lost: " + err.Error()})
	return s.awaitBoot
}
