// Package terminal carries bytes between a browser's WebSocket and a shell, as docs/protocol.md says: a refused attach goes back through boot on the same socket, and everything that is not
// terminal bytes is a typed message.
//
// It imports runtime/pod, for what it asks of a pod, runtime/socket, and the words of model/podlifecycle, and nothing else of the project. Read this file first; message.go the messages, pump.go an attachment, showing.go what goes to the client and typing.go what comes from it.
package terminal

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"log/slog"

	"github.com/gorilla/websocket"

	"podlife/model/podlifecycle"
	"podlife/runtime/pod"
	"podlife/runtime/socket"
)

// Timing bounds a terminal's socket. The zero value is not usable: see DefaultTiming.
type Timing struct {
	socket.Timing
	MaxBoots int // how often one socket may go back through boot without having been attached in between
}

// DefaultTiming is what the protocol document says.
func DefaultTiming() Timing { return Timing{socket.DefaultTiming(), 5} }

// Pod is what a terminal needs of a pod; *pod.Pod is one.
type Pod interface {
	Boot(ctx context.Context, c pod.ClientID, progress func(pod.Progress)) (pod.BootResult, error)
	Attach(ctx context.Context, c pod.ClientID, req pod.ShellRequest) (*pod.Attachment, error)
	Status() pod.Status
}

// RefusedError is a boot that was refused for a reason of docs/protocol.md, by a Pod that knows more of itself than the lifecycle.
type RefusedError struct {
	Reason string
	Err    error
}

// Error gives the cause.
func (e *RefusedError) Error() string { return e.Err.Error() }

// Unwrap gives the cause.
func (e *RefusedError) Unwrap() error { return e.Err }

// session is one socket's life.
type session struct {
	*socket.Conn[clientMessage]
	timing Timing
	pod    Pod
	log    *slog.Logger
	hello  hello
	size   size
	frames uint64    // binary messages of the client so far
	losses int       // of the connection to the container's sessions, in a row
	boots  int       // since the last attach or the last time the client asked for one
	told   pod.About // what it was told of its attachment
	asked  bool      // the client has said boot since it was attached last, which it may also when its hello wanted none
	kept   *kept     // what is typed while the connection to the session is made anew
	first  bool      // the next round begins with a boot, because the client has just said so
}

// Serve speaks the protocol on an upgraded socket until it ends, and returns when nothing of it is left. The context's end closes the socket. page says that the client is a browser's page, which may not name what a session runs: a link
// to it must never run a command.
func Serve(ctx context.Context, ws *websocket.Conn, p Pod, t Timing, page bool, log *slog.Logger) {
	c := socket.New(ctx, ws, t.Timing, decodeMessage)
	defer c.Wait()
	s := &session{Conn: c, timing: t, pod: p, log: log}
	if !s.readHello() {
		return
	}
	if page && len(s.hello.Argv) > 0 {
		s.Finish(CloseBadMessage, "a page may not name a program")
		return
	}
	s.size = size{s.hello.Cols, s.hello.Rows}
	for s.attach() {
	}
}

// readHello waits for the first message.
func (s *session) readHello() bool {
	ctx, cancel := context.WithTimeout(s.Gone(), s.timing.Hello)
	defer cancel()
	select {
	case m, ok := <-s.In():
		if !ok {
			return false
		}
		if m.Control == nil {
			s.Finish(CloseBadMessage, "the first message must be hello")
			return false
		}
		h, err := parseHello(*m.Control)
		if err != nil {
			s.Finish(CloseBadMessage, err.Error())
			return false
		}
		s.hello = h
		return true
	case <-ctx.Done():
		s.Finish(CloseSilent, "no hello")
		return false
	}
}

// attach is one round: attach, or be told the state, or go back through boot. It reports whether there is another.
func (s *session) attach() bool {
	if s.first {
		s.first = false
		return s.boot()
	}
	req := pod.ShellRequest{
		Attempt: newAttempt(), Tab: s.hello.Tab, Cols: s.size.cols, Rows: s.size.rows, Epoch: s.hello.Epoch, Have: s.hello.Have, ReadOnly: s.hello.ReadOnly, Argv: s.hello.Argv,
	}
	a, err := listening(s, func() (*pod.Attachment, error) { return s.pod.Attach(s.Gone(), pod.ClientID(s.hello.Client), req) })
	var notReady *pod.NotReadyError
	switch {
	case err == nil:
		s.boots, s.asked = 0, false
		if s.size != (size{req.Cols, req.Rows}) { // the window changed meanwhile
			a.Shell.Resize(s.size.cols, s.size.rows)
		}
		return s.attached(a)
	case s.Gone().Err() != nil:
		return false
	}
	if !s.forget() {
		return false
	}
	switch {
	case errors.As(err, &notReady):
		if s.hello.Boot || s.asked {
			return s.boot()
		}
		s.Say(&serverMessage{Type: "state", State: stateWord(notReady.State), Incarnation: notReady.Incarnation, Reason: "not_ready", Message: notReady.Error()})
		s.Finish(CloseNotReady, notReady.Error())
		return false
	default:
		s.log.Warn("attach failed", "err", err)
		m := &serverMessage{Type: "state", State: "failed", Reason: reasonOf(err), Message: "The terminal could not be opened: " + err.Error()}
		var coded interface{ ShellCode() int }
		if m.Reason == "no_shell" && errors.As(err, &coded) {
			m.ExitCode = coded.ShellCode()
		}
		s.Say(m)
		return s.awaitBoot()
	}
}

// forget tells the client that what it typed while its terminal was attached anew is lost: there is no shell to type it into.
func (s *session) forget() bool {
	k := s.kept
	s.kept = nil
	return k == nil || s.sayLost(k.typing.rebind(nil, false))
}

// stateWord is a pod's state in the protocol's words.
func stateWord(state podlifecycle.Ctr) string {
	switch word := state.String(); word {
	case "provisioning", "fresh":
		return "booting"
	default:
		return word
	}
}

func reasonOf(err error) string {
	var unprovisioned *pod.NotProvisionedError
	var failed *pod.BootError
	var unseen *pod.UnseenError
	var unstored *pod.StoreError
	var refused *RefusedError
	switch {
	case errors.As(err, &unprovisioned):
		return unprovisioned.Reason
	case errors.As(err, &failed):
		return "boot_failed"
	case errors.As(err, &unseen):
		return "engine_unavailable"
	case errors.As(err, &unstored):
		return "store_unavailable"
	case errors.Is(err, pod.ErrRecovering):
		return "recovering"
	case errors.As(err, &refused):
		return refused.Reason
	default:
		return "no_shell"
	}
}

// boot goes back through boot on this socket, telling its progress.
func (s *session) boot() bool {
	s.boots++
	if s.boots > s.timing.MaxBoots {
		s.Say(&serverMessage{Type: "state", State: "failed", Reason: "boot_loop", Message: "The container does not stay: it was booted several times and was gone again before the terminal could attach."})
		s.boots = 0
		return s.awaitBoot()
	}
	s.Say(&serverMessage{Type: "state", State: "booting"}) // of which incarnation is known once the boot has begun
	named := false
	res, err := listening(s, func() (pod.BootResult, error) {
		return s.pod.Boot(s.Gone(), pod.ClientID(s.hello.Client), func(p pod.Progress) {
			if !named {
				named = true
				s.Say(&serverMessage{Type: "state", State: "booting", Incarnation: s.pod.Status().Incarnation})
			}
			s.progress(p)
		})
	})
	var unseen *pod.UnseenError
	var unstored *pod.StoreError
	var failed *pod.BootError
	var refused *RefusedError
	switch {
	case err == nil:
		s.Say(&serverMessage{Type: "state", State: "ready", Incarnation: res.Incarnation})
		return true
	case s.Gone().Err() != nil:
		return false
	case errors.As(err, &failed):
		s.Say(s.failedMessage(failed))
	case errors.As(err, &unseen):
		s.Say(&serverMessage{Type: "state", State: "failed", Incarnation: s.pod.Status().Incarnation, Reason: "engine_unavailable", Message: "The container engine cannot be reached; try again later."})
	case errors.Is(err, pod.ErrBootLost):
		s.Say(&serverMessage{Type: "state", State: "asleep", Reason: "boot_lost", Message: "The container was put to sleep while it booted."})
	case errors.As(err, &unstored), errors.Is(err, pod.ErrRecovering), errors.As(err, &refused):
		s.log.Warn("boot failed", "err", err)
		s.Say(&serverMessage{Type: "state", State: "failed", Incarnation: s.pod.Status().Incarnation, Reason: reasonOf(err), Message: err.Error()})
	default:
		s.log.Warn("boot failed", "err", err)
		s.Say(&serverMessage{Type: "state", State: "failed", Reason: "internal", Message: "The boot could not be started: " + err.Error()})
	}
	return s.awaitBoot()
}

// listening does something that may take long and listens to the client meanwhile: its window may change, and a reader that nobody empties would miss the pongs. Keys typed meanwhile go nowhere:
// there is no shell yet; but where the client believes that there is one they are kept.
func listening[T any](s *session, do func() (T, error)) (T, error) {
	type answer struct {
		res T
		err error
	}
	done := make(chan answer, 1)
	go func() {
		res, err := do()
		done <- answer{res, err}
	}()
	in := s.In()
	for {
		select {
		case a := <-done:
			return a.res, a.err
		case m, ok := <-in:
			switch {
			case !ok:
				in = nil // the socket is gone, which ends the context of what is done
			case m.Control == nil:
				s.frames++
				if s.kept != nil && !s.kept.typing.add(m.Data, s.frames) {
					s.Finish(CloseBadMessage, tooManyWait)
				}
			case m.Control.Type == "resize":
				s.size.update(m.Control.Cols, m.Control.Rows)
			case m.Control.Type == "hello":
				s.Finish(CloseBadMessage, "hello was said before")
			}
		}
	}
}

const tooManyWait = "too many messages wait for the program to read"

func (s *session) failedMessage(f *pod.BootError) serverMessage {
	return serverMessage{Type: "state", State: "failed", Incarnation: s.pod.Status().Incarnation, Reason: "boot_failed", Message: f.Error(), Step: f.Step, ExitCode: f.ExitCode, LogTail: f.LogTail}
}

// progress hands a boot's progress to the client; a client that does not take it is gone after the write deadline.
func (s *session) progress(p pod.Progress) {
	if p.Step != "" {
		s.Say(&serverMessage{Type: "step", Step: p.Step, Status: string(p.Status), Detail: p.Detail})
		return
	}
	s.Say(&serverMessage{Type: "log", Data: p.Log})
}

// awaitBoot waits on the open socket until the client asks for a boot.
func (s *session) awaitBoot() bool {
	for m := range s.In() {
		if m.Control == nil {
			s.frames++
			continue // keys for a shell that is gone
		}
		switch m.Control.Type {
		case "boot":
			s.boots, s.asked, s.first = 0, true, true
			return true
		case "resize":
			s.size.update(m.Control.Cols, m.Control.Rows)
		case "hello":
			s.Finish(CloseBadMessage, "hello was said before")
			return false
		}
	}
	return false
}

func newAttempt() string {
	b := make([]byte, 12)
	rand.Read(b)
	return hex.EncodeToString(b)
}
