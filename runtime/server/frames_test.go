package server

import (
	"bytes"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"podlife/runtime/client"
	"podlife/runtime/terminal"
)

func asClose(err error, to **websocket.CloseError) bool { return errors.As(err, to) }

// frames cuts a fuzzer's bytes into frames: a byte for the kind, one for the length, and so many of what follows.
func frames(b []byte) (kinds []int, data [][]byte) {
	for len(b) >= 2 && len(kinds) < 64 {
		n := min(int(b[1]), len(b)-2)
		kind := websocket.TextMessage
		if b[0]&1 == 1 {
			kind = websocket.BinaryMessage
		}
		kinds, data, b = append(kinds, kind), append(data, b[2:2+n]), b[2+n:]
	}
	return kinds, data
}

func textFrames(messages ...string) (b []byte) {
	for _, m := range messages {
		b = append(append(b, 0, byte(len(m))), m...)
	}
	return b
}

// Whatever frames a client sends, with a hello in front or without: the socket closes with a code of the protocol, or still answers; and the server serves the next one.
func FuzzClientFrames(f *testing.F) {
	const hello = `{"type":"hello","client":"f","tab":"f","cols":80,"rows":24}`
	for _, m := range []string{
		`{"type":"ack","have":0}`, `{"type":"ack","have":9007199254740991}`, `{"type":"ack","have":9007199254740992}`, `{"type":"ack","have":-1}`, `{"type":"ack"}`, `{"type":"resize","cols":1e9,"rows":-1}`,
		`{"type":"boot"}`, hello, `{"type":"hello","client":"f","epoch":"0000000000000001","have":5}`, `{"type":"hello","client":"f","epoch":"x","have":5}`, `{"type":"hello","client":"f","have":5}`,
		`{"type":"hello","client":"f","read_only":true}`, `{"type":"hello","client":"f","boot":false}`, `{"type":"no"}`, `null`, "\xff", ``,
	} {
		f.Add(true, textFrames(m))
		f.Add(false, textFrames(m, m))
	}
	f.Add(true, append([]byte{1, 7}, "exit 3\n"...))
	f.Add(true, append(textFrames(`{"type":"ack","have":1}`), 1, 3, 'a', 'b', '\n'))
	f.Fuzz(func(t *testing.T, greet bool, b []byte) {
		w := newWorld(t, func(o *Options) { o.Timing = terminal.DefaultTiming(); o.Timing.Hello = 200 * time.Millisecond })
		d := websocket.Dialer{Subprotocols: []string{terminal.Subprotocol}}
		ws, _, err := d.Dial(strings.Replace(w.base, "http", "ws", 1)+"/ws/terminal", http.Header{"Authorization": {"Bearer me"}})
		if err != nil {
			t.Fatalf("the server lets nobody in any more: %v", err)
		}
		defer ws.Close()
		if greet {
			_ = ws.WriteMessage(websocket.TextMessage, []byte(hello))
			ws.SetReadDeadline(time.Now().Add(patience))
			for said := ""; !strings.Contains(said, `"attached"`); { // what follows reaches a session
				_, b, err := ws.ReadMessage()
				if err != nil {
					t.Fatalf("never attached: %v", err)
				}
				said = string(b)
			}
		}
		kinds, data := frames(b)
		var typed []byte
		for i := range kinds {
			if kinds[i] == websocket.BinaryMessage {
				typed = append(typed, data[i]...)
			}
		}
		if bytes.Contains(typed, []byte("flood")) {
			t.Skip("nobody acknowledges here, so that the output would stop before the answer")
		}
		for i := range kinds {
			_ = ws.WriteMessage(kinds[i], data[i])
		}
		answered := errors.New("it answers")
		if greet { // the session deals with one message after the other: what answers the last has dealt with all
			_ = ws.WriteMessage(websocket.BinaryMessage, []byte("\nthere?\n"))
		} else { // nobody is attached, or nobody knows when
			ws.SetPongHandler(func(string) error { return answered })
			_ = ws.WriteControl(websocket.PingMessage, nil, time.Now().Add(patience))
		}
		ws.SetReadDeadline(time.Now().Add(patience))
		var out []byte
		for err = nil; err == nil; {
			var b []byte
			var kind int
			if kind, b, err = ws.ReadMessage(); kind == websocket.BinaryMessage {
				out = append(out, b...)
			}
			if bytes.Contains(out, []byte("you said: there?")) {
				err = answered
			}
		}
		var closed *websocket.CloseError
		switch {
		case errors.Is(err, answered):
		case errors.As(err, &closed):
			switch closed.Code {
			case client.CloseShellExited, client.CloseBadMessage, client.CloseNoHello, client.CloseNotReady, client.CloseTooMany:
			default:
				t.Errorf("closed with %d %s", closed.Code, closed.Text)
			}
		default:
			t.Errorf("it neither answers nor closes: %v", err)
		}
		w.attached(w.open(client.Hello{Client: "next", Tab: "next"}))
	})
}
