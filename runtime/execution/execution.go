// Package execution carries the streams of a program without a terminal between a client's WebSocket and a pod, as docs/exec-protocol.md says: what comes out is told apart, what goes in is held back where the program does not read, and the
// program lives no longer than the socket.
//
// It imports runtime/pod, for what it asks of a pod, and runtime/socket, and nothing else of the project. Read this file first; message.go has the messages, stream.go a program that runs.
package execution

import (
	"context"
	"errors"
	"log/slog"

	"github.com/gorilla/websocket"

	"podlife/runtime/pod"
	"podlife/runtime/socket"
)

// Pod is what an execution needs of a pod; *pod.Pod is one.
type Pod interface {
	Run(ctx context.Context, c pod.ClientID, req pod.CommandRequest) (*pod.Attachment, error)
}

// session is one socket's life.
type session struct {
	*socket.Conn[clientMessage]
	pod Pod
	log *slog.Logger
}

// Serve speaks the protocol on an upgraded socket until it ends, and returns when nothing of it is left. The context's end closes the socket, and ends the program.
func Serve(ctx context.Context, ws *websocket.Conn, p Pod, t socket.Timing, log *slog.Logger) {
	c := socket.New(ctx, ws, t, decodeMessage)
	defer c.Wait()
	s := &session{Conn: c, pod: p, log: log}
	if run, ok := s.readRun(t); ok {
		s.run(run)
	}
}

// readRun waits for the first message.
func (s *session) readRun(t socket.Timing) (run clientMessage, ok bool) {
	ctx, cancel := context.WithTimeout(s.Gone(), t.Hello)
	defer cancel()
	select {
	case m, ok := <-s.In():
		if !ok {
			return run, false
		}
		if m.Control == nil || m.Control.Type != "run" {
			s.Finish(CloseBadMessage, "the first message must be run")
			return run, false
		}
		return *m.Control, true
	case <-ctx.Done():
		s.Finish(CloseSilent, "no run")
		return run, false
	}
}

// run lets the program in, or says why not. It wakes nothing itself; what its Pod does is the Pod's business.
func (s *session) run(r clientMessage) {
	req := pod.CommandRequest{Argv: r.Argv, Dir: r.Dir}
	for name, value := range r.Env {
		req.Env = append(req.Env, name+"="+value)
	}
	a, err := s.start(pod.ClientID(r.Client), req)
	switch {
	case s.Gone().Err() != nil:
		if err == nil {
			_ = a.Close() // there is nobody whom its end could be told
		}
	case err != nil:
		s.refuse(err)
	default:
		s.attached(a)
	}
}

// start waits for the program and listens to the client meanwhile, who has nothing to say yet.
func (s *session) start(c pod.ClientID, req pod.CommandRequest) (*pod.Attachment, error) {
	type answer struct {
		a   *pod.Attachment
		err error
	}
	done := make(chan answer, 1)
	go func() { // ends at the latest with the socket
		a, err := s.pod.Run(s.Gone(), c, req)
		done <- answer{a, err}
	}()
	in := s.In()
	for {
		select {
		case got := <-done:
			return got.a, got.err
		case _, ok := <-in:
			in = nil
			if ok {
				s.Close(CloseBadMessage, "nothing may be said between run and started")
			}
		}
	}
}

// hostError is a no of a container's session host: a word for why, and of a program that cannot be run the code that a shell would give, 126 or 127.
type hostError interface {
	Word() string
	ShellCode() int
}

// RefusedError is a refusal with a reason in the words of docs/exec-protocol.md, from a Pod that does something before it runs a program.
type RefusedError struct {
	Reason  string
	Message string // a sentence for people
}

// Error gives the sentence.
func (e *RefusedError) Error() string { return e.Message }

// refuse says why no program runs, and closes.
func (s *session) refuse(err error) {
	m := &serverMessage{Type: "refused", Reason: "internal", Message: err.Error()}
	var notReady *pod.NotReadyError
	var unprovisioned *pod.NotProvisionedError
	var unseen *pod.UnseenError
	var host hostError
	var refused *RefusedError
	switch {
	case errors.As(err, &refused):
		m.Reason, m.Message = refused.Reason, refused.Message
	case errors.As(err, &notReady):
		m.Reason, m.Incarnation = "not_ready", notReady.Incarnation
	case errors.As(err, &unprovisioned):
		m.Reason = unprovisioned.Reason
	case errors.As(err, &unseen):
		m.Reason, m.Message = "engine_unavailable", "The container engine cannot be reached; try again later."
	case errors.Is(err, pod.ErrTooManyClients):
		m.Reason = "too_many_clients"
	case errors.As(err, &host):
		switch host.Word() {
		case "no_command":
			code := host.ShellCode()
			m.Reason, m.Code = "no_command", &code
		case "too_many_sessions":
			m.Reason = "too_many_programs"
		case "too_many_viewers":
			m.Reason = "too_many_clients"
		case "no_host":
			m.Reason = "no_host"
		}
	}
	if m.Reason == "internal" {
		s.log.Warn("a program could not be started", "err", err)
	}
	s.Say(m)
	s.Finish(CloseRefused, "no program was started")
}
