package client_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/gorilla/websocket"

	"podlife/runtime/client"
)

var hello = client.Hello{Client: "c1", Tab: "work", Cols: 100, Rows: 30}

func open(t *testing.T, f *fake, h client.Hello) *client.Terminal {
	t.Helper()
	term, err := f.client(t).Terminal(t.Context(), h)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { term.Close() })
	return term
}

// next gets a message or fails the test after ten seconds.
func next(t *testing.T, term *client.Terminal) client.Message {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	m, err := term.Next(ctx)
	if err != nil {
		t.Fatalf("next: %v", err)
	}
	return m
}

func TestTerminalHandsOverEveryMessageTypedAndInOrder(t *testing.T) {
	f := newFake(t)
	var said map[string]any
	f.terminal(t, func(p *peer) {
		said = p.control()
		p.text(map[string]any{"type": "state", "state": "booting", "incarnation": 1, "future": true})
		p.text(map[string]any{"type": "step", "step": "hook", "status": "done", "detail": "written"})
		p.text(map[string]any{"type": "log", "data": "<b>"})
		p.text(map[string]any{"type": "state", "state": "ready", "incarnation": 1})
		p.text(map[string]any{"type": "attached", "incarnation": 1, "recorded": true})
		_ = p.WriteMessage(websocket.BinaryMessage, []byte{0xff, 0x00, 0xc3}) // no UTF-8
		p.text(map[string]any{"type": "exit", "code": 3})
		p.close(4000, "the shell exited")
		p.read()
	})
	term := open(t, f, hello)
	want := []client.Message{
		client.State{State: "booting", Incarnation: 1}, client.Step{Step: "hook", Status: "done", Detail: "written"}, client.Log{Data: "<b>"},
		client.State{State: "ready", Incarnation: 1}, client.Attached{Incarnation: 1, Recorded: true}, client.Output{0xff, 0x00, 0xc3}, client.Exit{Code: 3}, client.Closed{Code: 4000, Reason: "the shell exited"},
	}
	for _, w := range want {
		if d := cmp.Diff(w, next(t, term)); d != "" {
			t.Fatalf("(-want +got):\n%s", d)
		}
	}
	if m, err := term.Next(t.Context()); err != io.EOF {
		t.Errorf("after Closed: %v, %v, want io.EOF", m, err)
	}
	if d := cmp.Diff(map[string]any{"type": "hello", "client": "c1", "tab": "work", "cols": 100.0, "rows": 30.0, "boot": true}, said); d != "" {
		t.Errorf("hello (-want +got):\n%s", d)
	}
}

func TestTerminalFailedCarriesStepCodeAndLog(t *testing.T) {
	f := newFake(t)
	f.terminal(t, func(p *peer) {
		if p.control()["boot"] != false {
			t.Error("hello with NoBoot did not say boot: false")
		}
		p.text(map[string]any{"type": "state", "state": "failed", "incarnation": 2, "reason": "boot_failed", "message": "m", "step": "packages", "exit_code": 100, "log_tail": "E:\n"})
		p.read()
	})
	h := hello
	h.NoBoot = true
	want := client.State{State: "failed", Incarnation: 2, Reason: "boot_failed", Message: "m", Step: "packages", ExitCode: 100, LogTail: "E:\n"}
	if d := cmp.Diff(client.Message(want), next(t, open(t, f, h))); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestTerminalPasteArrivesInPiecesInOrder(t *testing.T) {
	f := newFake(t)
	paste := make([]byte, 100_000)
	for i := range paste {
		paste[i] = byte(i * 7)
	}
	got := make(chan []byte, 1)
	f.terminal(t, func(p *peer) {
		p.control()
		var all []byte
		for len(all) < len(paste) {
			kind, b, ok := p.read()
			if !ok || kind != websocket.BinaryMessage || len(b) > client.MaxPaste {
				t.Errorf("kind %d, %d bytes, ok %v", kind, len(b), ok)
				break
			}
			all = append(all, b...)
		}
		got <- all
	})
	term := open(t, f, hello)
	if n, err := term.Write(paste); n != len(paste) || err != nil {
		t.Fatalf("wrote %d, %v", n, err)
	}
	if !bytes.Equal(<-got, paste) {
		t.Error("the paste arrived changed")
	}
}

// B66: data, resize, boot and pongs at once must never write concurrently; gorilla panics on it and the race detector sees it.
func TestTerminalWritersMayBeMany(t *testing.T) {
	f := newFake(t)
	const writers, each = 8, 50
	seen := make(chan map[string]int, 1)
	f.terminal(t, func(p *peer) {
		p.control()
		n := map[string]int{}
		p.SetPongHandler(func(string) error { n["pong"]++; return nil })
		for n["bytes"]+n["text"] < 2*writers*each || n["pong"] == 0 {
			if n["bytes"]%20 == 0 {
				_ = p.WriteControl(websocket.PingMessage, nil, time.Now().Add(time.Second))
			}
			kind, _, ok := p.read()
			if !ok {
				break
			}
			if kind == websocket.BinaryMessage {
				n["bytes"]++
			} else {
				n["text"]++
			}
		}
		seen <- maps.Clone(n)
		for _, _, ok := p.read(); ok; _, _, ok = p.read() { // the test may still be writing
		}
	})
	term := open(t, f, hello)
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			for range each {
				if _, err := term.Write([]byte("x")); err != nil {
					t.Errorf("write: %v", err)
				}
				if err := term.Resize(80, 24); err != nil {
					t.Errorf("resize: %v", err)
				}
			}
		})
	}
	wg.Wait()
	// The fake needs one more message to notice a pong that came last.
	for {
		select {
		case n := <-seen:
			if n["bytes"] < writers*each || n["text"] < writers*each || n["pong"] == 0 {
				t.Errorf("arrived: %v", n)
			}
			return
		default:
			if _, err := term.Write([]byte("x")); err != nil {
				t.Fatalf("write: %v", err)
			}
		}
	}
}

func TestTerminalNextGivesUpWithItsContextAndGoesOn(t *testing.T) {
	f := newFake(t)
	goOn := make(chan struct{})
	f.terminal(t, func(p *peer) {
		p.control()
		<-goOn
		p.text(map[string]any{"type": "attached", "incarnation": 1})
		p.read()
	})
	term := open(t, f, hello)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := term.Next(ctx); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v, want context.Canceled", err)
	}
	close(goOn)
	if m := next(t, term); m != (client.Attached{Incarnation: 1}) {
		t.Errorf("got %#v", m)
	}
}

func TestTerminalGivesUpConnectingWithItsContext(t *testing.T) {
	f := newFake(t)
	ctx, cancel := context.WithCancel(t.Context())
	f.mux.HandleFunc("GET /ws/terminal", func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done() // never answers
	})
	began := time.Now()
	_, err := f.client(t).Terminal(ctx, hello)
	var cut *client.Interrupted
	if !errors.Is(err, context.Canceled) || !errors.As(err, &cut) {
		t.Errorf("got %T %v, want Interrupted by context.Canceled", err, err)
	}
	if took := time.Since(began); took > 10*time.Second { // a handshake is given 15 s
		t.Errorf("it took %s", took)
	}
}

func TestTerminalUnknownTypeClosesWith4400OnBothSides(t *testing.T) {
	f := newFake(t)
	code := make(chan int, 1)
	f.terminal(t, func(p *peer) {
		p.control()
		p.text(map[string]any{"type": strings.Repeat("😀", 300)})
		_, _, err := p.ReadMessage()
		var ce *websocket.CloseError
		if errors.As(err, &ce) {
			code <- ce.Code
		} else {
			t.Errorf("fake server: %v", err)
			code <- 0
		}
	})
	term := open(t, f, hello)
	if c, ok := next(t, term).(client.Closed); !ok || c.Code != client.CloseBadMessage {
		t.Errorf("got %#v, want Closed 4400", c)
	}
	if c := <-code; c != client.CloseBadMessage {
		t.Errorf("the server was told %d, want 4400", c)
	}
}

func TestTerminalMessageAboveTheBoundClosesIt(t *testing.T) {
	f := newFake(t)
	f.terminal(t, func(p *peer) {
		p.control()
		_ = p.WriteMessage(websocket.BinaryMessage, make([]byte, client.MaxMessage+1))
		p.read()
	})
	if c, ok := next(t, open(t, f, hello)).(client.Closed); !ok || !errors.Is(c.Err, websocket.ErrReadLimit) {
		t.Errorf("got %#v, want Closed by the read limit", c)
	}
}

func TestTerminalLostConnectionIs1006(t *testing.T) {
	f := newFake(t)
	f.terminal(t, func(p *peer) { p.control(); p.NetConn().Close() })
	if c, ok := next(t, open(t, f, hello)).(client.Closed); !ok || c.Code != client.CloseLost || c.Err == nil {
		t.Errorf("got %#v, want Closed 1006 with its cause", c)
	}
}

func TestTerminalCloseEndsAReadLoopThatNobodyListensTo(t *testing.T) {
	f := newFake(t)
	code := make(chan int, 1)
	f.terminal(t, func(p *peer) {
		p.control()
		p.text(map[string]any{"type": "attached"}) // never taken by the test
		_, _, err := p.ReadMessage()
		if ce := new(websocket.CloseError); errors.As(err, &ce) {
			code <- ce.Code
		} else {
			code <- 0
		}
	})
	term := open(t, f, hello)
	closed := make(chan struct{})
	go func() { defer close(closed); term.Close(); term.Close() }()
	select {
	case <-closed:
	case <-time.After(10 * time.Second):
		t.Fatal("Close hangs")
	}
	if c := <-code; c != websocket.CloseNormalClosure {
		t.Errorf("the server was told %d, want 1000", c)
	}
}
