package server

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"podlife/runtime/client"
	"podlife/runtime/engine"
	"podlife/runtime/execution"
	"podlife/runtime/terminal"
)

// exec boots, and asks for a program.
func (w *world) exec(r client.ExecRequest) *client.Exec {
	w.t.Helper()
	c := w.client("me")
	if r.Client == "" {
		r.Client = "prog"
		if _, err := c.Boot(w.ctx(), r.Client, nil); err != nil {
			w.t.Fatal(err)
		}
	}
	e, err := c.Exec(w.ctx(), r)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { e.Close() })
	return e
}

// ran is what a program did, as its messages say.
type ran struct {
	started        bool
	stdout, stderr string
	exit           *client.Exit
	denied         *client.Denied
	lost           *client.Lost
	closed         client.Closed
}

// follow reads a program's messages to the end of the socket; at tells of each.
func (w *world) follow(e *client.Exec, at func(client.Message)) (r ran) {
	w.t.Helper()
	ctx := w.ctx()
	for {
		m, err := e.Next(ctx)
		if errors.Is(err, io.EOF) {
			return r
		}
		if err != nil {
			w.t.Fatalf("%v after %+v", err, r)
		}
		switch m := m.(type) {
		case client.Started:
			r.started = m.Incarnation > 0
		case client.Stdout:
			r.stdout += string(m)
		case client.Stderr:
			r.stderr += string(m)
		case client.Exit:
			r.exit = &m
		case client.Denied:
			r.denied = &m
		case client.Lost:
			r.lost = &m
		case client.Closed:
			r.closed = m
		default:
			w.t.Errorf("a %T", m)
		}
		if at != nil {
			at(m)
		}
	}
}

func TestAProgramsStreamsAndExitCode(t *testing.T) {
	w := newWorld(t, nil)
	for _, c := range []struct {
		argv           []string
		stdout, stderr string
		code           int
	}{
		{[]string{"echo", "one", "two"}, "one two\n", "", 0},
		{[]string{"warn", "x"}, "", "x\n", 0},
		{[]string{"exit", "7"}, "", "", 7},
	} {
		r := w.follow(w.exec(client.ExecRequest{Argv: c.argv}), nil)
		if !r.started || r.stdout != c.stdout || r.stderr != c.stderr || r.exit == nil || r.exit.Code != c.code || r.closed.Code != execution.CloseEnded {
			t.Errorf("%v: %+v", c.argv, r)
		}
	}
	r := w.follow(w.exec(client.ExecRequest{Argv: []string{"env"}, Env: map[string]string{"A": "1", "B": "two words"}}), nil)
	if lines := strings.Fields(r.stdout); !slices.Contains(lines, "A=1") || !strings.Contains(r.stdout, "B=two words\n") {
		t.Errorf("%+v", r)
	}
	if s := w.pods.Pod("me").Status(); s.Terminals != 0 || len(s.KeptAwakeBy) != 0 {
		t.Errorf("afterwards %+v", s)
	}
}

// What goes in comes out, whole and in order, with more of it than any buffer on the way has; and then the end of it.
func TestAProgramsInputIsFlowControlled(t *testing.T) {
	w := newWorld(t, nil)
	e := w.exec(client.ExecRequest{Argv: []string{"cat"}})
	sent := make([]byte, 3<<20)
	if _, err := rand.Read(sent); err != nil {
		t.Fatal(err)
	}
	fed := make(chan error, 1)
	var got bytes.Buffer
	r := w.follow(e, func(m client.Message) {
		switch m := m.(type) {
		case client.Started:
			go func() {
				_, err := e.Write(sent)
				fed <- errors.Join(err, e.CloseWrite())
			}()
		case client.Stdout:
			got.Write(m)
		}
	})
	if err := <-fed; err != nil || r.exit == nil || r.exit.Code != 0 || !bytes.Equal(got.Bytes(), sent) {
		t.Errorf("fed: %v, %+v, %d of %d bytes", err, r.exit, got.Len(), len(sent))
	}
}

// A program that reads nothing takes no more than the windows on the way.
func TestAProgramThatDoesNotReadHoldsItsInputBack(t *testing.T) {
	w := newWorld(t, nil)
	e := w.exec(client.ExecRequest{Argv: []string{"sleep"}})
	written := make(chan int, 1)
	r := w.follow(e, func(m client.Message) {
		if _, ok := m.(client.Started); ok {
			go func() {
				n, _ := e.Write(make([]byte, 8<<20)) // how it fails is for the program's end to say
				written <- n
			}()
			time.AfterFunc(300*time.Millisecond, func() { _ = e.Signal("SIGTERM") })
		}
	})
	if n := <-written; n > 2<<20 || r.exit == nil || r.exit.Code != 143 || r.exit.Signal != "SIGTERM" {
		t.Errorf("%d bytes were taken; %+v", n, r)
	}
}

func TestAProgramHoldsThePodAndEndsWithItsSocket(t *testing.T) {
	w := newWorld(t, nil)
	e := w.exec(client.ExecRequest{Argv: []string{"sleep"}})
	if m, err := e.Next(w.ctx()); err != nil || !reflect.DeepEqual(m, client.Started{Incarnation: 1}) {
		t.Fatalf("%v, %v", m, err)
	}
	p := w.pods.Pod("me")
	if s := p.Status(); !slices.Equal(s.KeptAwakeBy, []string{"exec"}) || s.Terminals != 0 || !s.SleepsAt.IsZero() {
		t.Errorf("%+v", s)
	}
	e.Drop()
	w.eventually("the hold is given up", func() bool { return len(p.Status().KeptAwakeBy) == 0 })
}

func TestAProgramWhoseContainerEndsIsLost(t *testing.T) {
	for what, end := range map[string]func(*world){
		"destroyed": func(w *world) {
			if err := w.pods.Pod("me").Destroy(w.ctx()); err != nil {
				w.t.Error(err)
			}
		},
		"killed": func(w *world) { w.engine.Kill(engine.ID(w.pods.Pod("me").Status().Container)) },
	} {
		t.Run(what, func(t *testing.T) {
			w := newWorld(t, nil)
			r := w.follow(w.exec(client.ExecRequest{Argv: []string{"sleep"}}), func(m client.Message) {
				if _, ok := m.(client.Started); ok {
					end(w)
				}
			})
			if r.exit != nil || r.lost == nil || r.lost.Reason != "container_gone" || r.closed.Code != execution.CloseRefused {
				t.Errorf("%+v", r)
			}
		})
	}
}

func TestWhyNoProgramRuns(t *testing.T) {
	w := newWorld(t, nil)
	r := w.follow(w.exec(client.ExecRequest{Argv: []string{"nonesuch"}}), nil)
	if r.started || r.denied == nil || r.denied.Reason != "no_command" || r.denied.Code != 127 || !strings.Contains(r.denied.Message, "nonesuch") || r.closed.Code != execution.CloseRefused {
		t.Errorf("%+v", r)
	}
	// It never boots: not for a client that has not, and not a pod that sleeps.
	for _, client := range []string{"stranger", "prog"} {
		if client == "prog" {
			if err := w.pods.Pod("me").Destroy(w.ctx()); err != nil {
				t.Fatal(err)
			}
		}
		r := w.follow(w.exec(clientRequest(client)), nil)
		if r.started || r.denied == nil || r.denied.Reason != "not_ready" {
			t.Errorf("%s: %+v", client, r)
		}
	}
	if s := w.pods.Pod("me").Status(); s.Incarnation != 1 || s.State.String() != "asleep" {
		t.Errorf("%+v", s)
	}
}

func clientRequest(name string) client.ExecRequest {
	return client.ExecRequest{Client: name, Argv: []string{"echo"}}
}

func TestWhatAClientOfAProgramMayNotSay(t *testing.T) {
	w := newWorld(t, func(o *Options) { o.Timing = terminal.DefaultTiming(); o.Timing.Hello = 300 * time.Millisecond })
	if _, err := w.client("me").Boot(w.ctx(), "c", nil); err != nil {
		t.Fatal(err)
	}
	const run = `{"type":"run","client":"c","argv":["sleep"]}`
	many := fmt.Sprintf(`{"type":"run","client":"c","argv":["echo"%s]}`, strings.Repeat(`,"x"`, 1024))
	for what, said := range map[string][]string{
		"bytes first":          {"\x00x"},
		"no object":            {`[1]`},
		"another type":         {`{"type":"hello","client":"c"}`},
		"eof first":            {`{"type":"eof"}`},
		"no argv":              {`{"type":"run","client":"c"}`},
		"an empty name":        {`{"type":"run","client":"c","argv":[""]}`},
		"a zero byte":          {`{"type":"run","client":"c","argv":["echo","a\u0000b"]}`},
		"no client":            {`{"type":"run","argv":["echo"]}`},
		"a strange client":     {`{"type":"run","client":"a b","argv":["echo"]}`},
		"a relative folder":    {`{"type":"run","client":"c","argv":["echo"],"dir":"x"}`},
		"a strange variable":   {`{"type":"run","client":"c","argv":["echo"],"env":{"A=B":"x"}}`},
		"many words":           {many},
		"run twice":            {run, run},
		"a strange signal":     {run, `{"type":"signal","signal":"SIGSTOP"}`},
		"more than the window": slices.Concat([]string{run}, slices.Repeat([]string{"\x00" + strings.Repeat("x", 60<<10)}, 40)),
		"input after its end":  {run, `{"type":"eof"}`, "\x00x"},
	} {
		t.Run(what, func(t *testing.T) {
			ws := w.rawExec("me")
			for i, m := range said {
				kind := websocket.TextMessage
				if b, isBytes := strings.CutPrefix(m, "\x00"); isBytes {
					kind, m = websocket.BinaryMessage, b
				}
				if err := ws.WriteMessage(kind, []byte(m)); err != nil {
					break // it is closed already
				}
				if i == 0 && len(said) > 1 {
					if _, b, err := ws.ReadMessage(); err != nil || !bytes.Contains(b, []byte("started")) {
						t.Fatalf("%s, %v", b, err)
					}
				}
			}
			if code, reason := closeCode(ws); code != execution.CloseBadMessage || reason == "" {
				t.Errorf("closed with %d %q", code, reason)
			}
		})
	}
	w.eventually("nothing holds the pod", func() bool { return len(w.pods.Pod("me").Status().KeptAwakeBy) == 0 })
	t.Run("nothing", func(t *testing.T) {
		if code, _ := closeCode(w.rawExec("me")); code != execution.CloseSilent {
			t.Errorf("closed with %d", code)
		}
	})
	t.Run("too many", func(t *testing.T) {
		for range 8 {
			// A client is told of the end of its socket before the server has counted it out.
			w.eventually("a program runs", func() bool {
				ws := w.rawExec("me")
				if ws.WriteMessage(websocket.TextMessage, []byte(run)) != nil {
					return false
				}
				_, b, err := ws.ReadMessage()
				return err == nil && bytes.Contains(b, []byte("started"))
			})
		}
		if code, _ := closeCode(w.rawExec("me")); code != closeTooManyTerminals {
			t.Errorf("closed with %d", code)
		}
	})
}

func (w *world) rawExec(user string) *websocket.Conn {
	w.t.Helper()
	d := websocket.Dialer{Subprotocols: []string{execution.Subprotocol}}
	ws, _, err := d.Dial(strings.Replace(w.base, "http", "ws", 1)+"/ws/exec", http.Header{"Authorization": {"Bearer " + user}})
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { ws.Close() })
	return ws
}

func TestAForeignPageRunsNothing(t *testing.T) {
	w := newWorld(t, nil)
	d := websocket.Dialer{Subprotocols: []string{execution.Subprotocol}}
	for _, h := range []http.Header{
		{"Authorization": {"Bearer me"}, "Origin": {"https://evil.example"}}, {"Cookie": {"podlife_session=x"}}, {},
	} {
		_, resp, err := d.DialContext(context.Background(), strings.Replace(w.base, "http", "ws", 1)+"/ws/exec", h)
		if err == nil || resp == nil || resp.StatusCode != 403 && resp.StatusCode != 401 {
			t.Errorf("%v: %v, %v", h, resp, err)
		}
	}
}

func (w *world) eventually(what string, cond func() bool) {
	w.t.Helper()
	for deadline := time.Now().Add(patience); !cond(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			w.t.Fatalf("never happened: %s", what)
		}
	}
}

// Who does not read for long, as a pager does not, answers pings all the same, and misses nothing; and a program that writes byte by byte is no reason to end it.
func TestAProgramWaitsForWhoDoesNotRead(t *testing.T) {
	w := newWorld(t, func(o *Options) {
		o.Timing = terminal.DefaultTiming()
		o.Timing.Ping, o.Timing.Silence, o.Timing.Write = 200*time.Millisecond, 2*time.Second, 2*time.Second
	})
	const bytes = 40_000
	for _, argv := range [][]string{{"drip", fmt.Sprint(bytes)}, {"echo", strings.Repeat("x", bytes)}} {
		first := true
		r := w.follow(w.exec(client.ExecRequest{Argv: argv}), func(client.Message) {
			if first {
				first = false
				time.Sleep(4500 * time.Millisecond)
			}
		})
		if n := len(r.stdout) + len(r.stderr); n != bytes && n != bytes+1 || r.exit == nil || r.exit.Code != 0 {
			t.Errorf("%s: %d bytes, %+v, %+v, %+v", argv[0], n, r.exit, r.lost, r.closed)
		}
	}
}
