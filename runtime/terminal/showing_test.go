package terminal

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"podlife/runtime/pod"
	"podlife/runtime/socket"
)

// speech is a shell that says some things, and then breaks.
type speech struct {
	pod.Shell
	events []pod.ShellEvent
}

var errBroke = errors.New("broke")

func (s *speech) Next(context.Context) (pod.ShellEvent, error) {
	if len(s.events) == 0 {
		return nil, errBroke
	}
	e := s.events[0]
	s.events = s.events[1:]
	return e, nil
}

// onSocket runs f with a socket whose client reads and drops everything.
func onSocket(t *testing.T, f func(*socket.Conn[clientMessage])) {
	t.Helper()
	done := make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer close(done)
		var up websocket.Upgrader
		ws, err := up.Upgrade(w, r, nil)
		if err != nil {
			t.Error(err)
			return
		}
		ctx, cancel := context.WithCancel(t.Context())
		c := socket.New(ctx, ws, socket.DefaultTiming(), decodeMessage)
		f(c)
		c.Close(CloseExited, "it is over")
		cancel()
		c.Wait()
	}))
	defer srv.Close()
	ws, _, err := websocket.DefaultDialer.Dial("ws"+srv.URL[len("http"):], nil)
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	for err == nil {
		_, _, err = ws.ReadMessage()
	}
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Fatal("the socket did not end")
	}
}

// Where a client that was cut off from its session is let in again: at the very byte that it was sent last, and with a new picture if it was sent half of one.
func TestWhereAClientGoesOnAfterItsSessionWasCutOff(t *testing.T) {
	const epoch = 7
	whole := []pod.ShellEvent{pod.Picture{First: true, From: 100, Data: []byte("a")}, pod.Picture{Last: true, From: 100, Data: []byte("b")}}
	for name, c := range map[string]struct {
		opened pod.Opened
		events []pod.ShellEvent
		epoch  uint64
		have   uint64
	}{
		"at once, where it was":             {opened: pod.Opened{Epoch: epoch, Have: 50}, epoch: epoch, have: 50},
		"behind some output":                {opened: pod.Opened{Epoch: epoch, Have: 50}, events: []pod.ShellEvent{pod.Output{From: 50, Data: []byte("xyz")}}, epoch: epoch, have: 53},
		"at once, before its picture":       {opened: pod.Opened{Epoch: epoch, Have: 100, Reset: true}},
		"in the middle of a picture":        {opened: pod.Opened{Epoch: epoch, Have: 100, Reset: true}, events: whole[:1]},
		"behind a picture":                  {opened: pod.Opened{Epoch: epoch, Have: 100, Reset: true}, events: whole, epoch: epoch, have: 100},
		"behind a picture and some output":  {opened: pod.Opened{Epoch: epoch, Have: 100, Reset: true}, events: append(whole[:2:2], pod.Output{From: 100, Data: []byte("xyz")}), epoch: epoch, have: 103},
		"in the middle of a picture for it": {opened: pod.Opened{Epoch: epoch, Have: 50}, events: append([]pod.ShellEvent{pod.Output{From: 50, Data: []byte("x")}}, whole[0])},
	} {
		onSocket(t, func(conn *socket.Conn[clientMessage]) {
			s := &session{Conn: conn}
			shell := &opening{speech{events: c.events}, c.opened}
			out := &showing{session: s, shell: shell, typing: newTyping(shell), active: func() {}}
			if !out.begin(&pod.Attachment{Shell: shell}) {
				t.Errorf("%s: the socket is gone", name)
			}
			if err := out.run(t.Context()); !errors.Is(err, errBroke) {
				t.Errorf("%s: %v", name, err)
			}
			if epoch, have := out.sent(); epoch != c.epoch || have != c.have {
				t.Errorf("%s: byte %d of session %d, want %d of %d", name, have, epoch, c.have, c.epoch)
			}
		})
	}
}

// opening is a shell that was let into something.
type opening struct {
	speech
	opened pod.Opened
}

func (o *opening) Opened() pod.Opened { return o.opened }
