package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"podlife/runtime/client"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestBootTellsProgressInOrderAndThenTheResult(t *testing.T) {
	f := newFake(t)
	f.stream(": a comment\n\n", sse("step", map[string]any{"step": "packages", "status": "started"}), sse("log", map[string]any{"data": "one\ntwo\n"}),
		sse("step", map[string]any{"step": "packages", "status": "done", "detail": "2 installed"}), sse("news", map[string]any{"of": "a later version"}),
		sse("result", map[string]any{"pod": "me", "state": "ready", "incarnation": 3}))
	var got []client.Event
	r, err := f.client(t).Boot(t.Context(), "tab1", func(e client.Event) { got = append(got, e) })
	if err != nil {
		t.Fatal(err)
	}
	want := []client.Event{{Step: "packages", Status: "started"}, {Log: "one\ntwo\n"}, {Step: "packages", Status: "done", Detail: "2 installed"}}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("progress (-want +got):\n%s", d)
	}
	if want := (client.Result{Pod: "me", State: "ready", Incarnation: 3}); r != want {
		t.Errorf("result %+v, want %+v", r, want)
	}
}

func TestBootSendsItsClientName(t *testing.T) {
	f := newFake(t)
	var body, accept string
	f.mux.HandleFunc("POST /api/boot", func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		body, accept = string(b), r.Header.Get("Accept")
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, sse("result", map[string]any{"state": "ready"}))
	})
	if _, err := f.client(t).Boot(t.Context(), "tab-7", nil); err != nil {
		t.Fatal(err)
	}
	if body != `{"client":"tab-7"}` || accept != "text/event-stream" {
		t.Errorf("the server saw body %q, Accept %q", body, accept)
	}
}

func TestBootFailedIsTypedInTheStreamAndBeforeIt(t *testing.T) {
	p := map[string]any{"status": 502, "code": "boot_failed", "title": "boot failed", "detail": "step repository failed", "step": "repository", "exit_code": 128, "log_tail": "fatal: no such repo\n"}
	want := client.Problem{Op: "boot", Status: 502, Code: "boot_failed", Title: "boot failed", Detail: "step repository failed", Step: "repository", ExitCode: 128, LogTail: "fatal: no such repo\n"}
	for name, serve := range map[string]func(f *fake){
		"in the stream": func(f *fake) { f.stream(sse("step", map[string]any{"step": "repository"}), sse("error", p)) },
		"before it": func(f *fake) {
			f.mux.HandleFunc("POST /api/boot", func(w http.ResponseWriter, r *http.Request) { problem(w, p) })
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t)
			serve(f)
			_, err := f.client(t).Boot(t.Context(), "c", nil)
			var got *client.Problem
			if !errors.As(err, &got) {
				t.Fatalf("got %T %v, want a Problem", err, err)
			}
			if d := cmp.Diff(want, *got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

func TestBootCutOffIsInterruptedNotFailed(t *testing.T) {
	f := newFake(t)
	f.stream(sse("step", map[string]any{"step": "packages", "status": "started"}))
	_, err := f.client(t).Boot(t.Context(), "c", nil)
	var cut *client.Interrupted
	if !errors.As(err, &cut) {
		t.Fatalf("got %T %v, want Interrupted", err, err)
	}
}

func TestBootEndsWithItsContext(t *testing.T) {
	f := newFake(t)
	ctx, cancel := context.WithCancel(t.Context())
	f.mux.HandleFunc("POST /api/boot", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, sse("log", map[string]any{"data": "x"}))
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	_, err := f.client(t).Boot(ctx, "c", func(client.Event) { cancel() })
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v, want context.Canceled in the chain", err)
	}
}

func TestBootRefusesAnEventWithoutBound(t *testing.T) {
	f := newFake(t)
	f.mux.HandleFunc("POST /api/boot", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for range 1000 { // a thousand data lines of one event: 1 MB
			if _, err := fmt.Fprintf(w, "data: %s\n", strings.Repeat("x", 1000)); err != nil {
				return
			}
		}
	})
	_, err := f.client(t).Boot(t.Context(), "c", nil)
	var pe *client.ProtocolError
	if !errors.As(err, &pe) {
		t.Fatalf("got %T %v, want ProtocolError", err, err)
	}
}

func TestWrongTokenIsAProblem(t *testing.T) {
	f := newFake(t)
	_, err := f.as(t, "wrong").Status(t.Context())
	var p *client.Problem
	if !errors.As(err, &p) || p.Status != 401 || client.CodeOf(err) != client.CodeUnauthenticated {
		t.Fatalf("got %T %v, want 401 unauthenticated", err, err)
	}
	_, err = f.as(t, "wrong").Terminal(t.Context(), client.Hello{Client: "c", Cols: 80, Rows: 24})
	if !errors.As(err, &p) || p.Status != 401 || client.CodeOf(err) != client.CodeUnauthenticated {
		t.Fatalf("terminal: got %T %v, want 401 unauthenticated", err, err)
	}
}

func TestNoServerIsUnreachable(t *testing.T) {
	s := httptest.NewServer(http.NotFoundHandler())
	s.Close() // its port refuses from now on
	c, err := client.New(client.Options{BaseURL: s.URL})
	if err != nil {
		t.Fatal(err)
	}
	var u *client.Unreachable
	if _, err := c.Status(t.Context()); !errors.As(err, &u) {
		t.Errorf("status: got %T %v, want Unreachable", err, err)
	}
	if _, err := c.Boot(t.Context(), "c", nil); !errors.As(err, &u) {
		t.Errorf("boot: got %T %v, want Unreachable", err, err)
	}
	if _, err := c.Terminal(t.Context(), client.Hello{Client: "c", Cols: 80, Rows: 24}); !errors.As(err, &u) {
		t.Errorf("terminal: got %T %v, want Unreachable", err, err)
	}
}

func TestAServerThatDiesDuringACallIsInterrupted(t *testing.T) {
	f := newFake(t)
	f.mux.HandleFunc("POST /api/destroy", func(w http.ResponseWriter, r *http.Request) { panic(http.ErrAbortHandler) })
	_, err := f.client(t).Destroy(t.Context())
	var cut *client.Interrupted
	if !errors.As(err, &cut) {
		t.Fatalf("got %T %v, want Interrupted: the destroy may have happened", err, err)
	}
}

func TestStatusDestroyEventsAndLoginLinkDecode(t *testing.T) {
	f := newFake(t)
	answer := func(body string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, body)
		}
	}
	f.mux.HandleFunc("GET /api/status", answer(`{"pod":"me","state":"ready","incarnation":2,"since":"2024-05-06T07:08:09Z","kept_awake_by":["terminal main"],"sleeps_at":null,"terminals":1,"last_error":null}`))
	f.mux.HandleFunc("POST /api/destroy", answer(`{"pod":"me","state":"asleep","incarnation":2}`))
	f.mux.HandleFunc("POST /api/login-link", answer(`{"url":"http://127.0.0.1:7500/#login=abc"}`))
	var query string
	f.mux.HandleFunc("GET /api/events", func(w http.ResponseWriter, r *http.Request) {
		query = r.URL.RawQuery
		answer(`{"events":[{"seq":8,"time":"2024-05-06T07:08:09Z","pod":"me","action":"Sleep","args":["c1"],"incarnation":2,"cause":"destroy"}],"next":8}`)(w, r)
	})
	c := f.client(t)
	s, err := c.Status(t.Context())
	if err != nil || s.State != "ready" || s.Incarnation != 2 || s.Terminals != 1 || s.SleepsAt != nil || !s.Since.Equal(time.Date(2024, 5, 6, 7, 8, 9, 0, time.UTC)) {
		t.Errorf("status %+v, %v", s, err)
	}
	if r, err := c.Destroy(t.Context()); err != nil || r.State != "asleep" {
		t.Errorf("destroy %+v, %v", r, err)
	}
	if u, err := c.LoginLink(t.Context()); err != nil || u != "http://127.0.0.1:7500/#login=abc" {
		t.Errorf("login link %q, %v", u, err)
	}
	f.mux.HandleFunc("GET /api/steps", func(w http.ResponseWriter, r *http.Request) {
		query = r.URL.RawQuery
		answer(`{"steps":[{"seq":9,"time":"2024-05-06T07:08:09Z","pod":"me","action":"FinishBoot","client":"c1","n":2,"outside":"FinishBoot","incarnation":2,"cause":"boot_done"}],"next":9}`)(w, r)
	})
	steps, err := c.Steps(t.Context(), 8)
	want := client.CommittedStep{Seq: 9, Time: s.Since, Pod: "me", Action: "FinishBoot", Client: "c1", Inc: 2, Outside: "FinishBoot", Incarnation: 2, Cause: "boot_done"}
	if err != nil || len(steps.Steps) != 1 || steps.Steps[0] != want || steps.Next != 9 || query != "after=8" {
		t.Errorf("steps %+v, %v, query %q", steps, err, query)
	}
	p, err := c.Events(t.Context(), 7)
	if err != nil || len(p.Events) != 1 || p.Events[0].Action != "Sleep" || p.Events[0].Seq != 8 || p.Next != 8 || query != "after=7" {
		t.Errorf("events %+v, %v, query %q", p, err, query)
	}
}

func TestAnAnswerWithoutBoundIsRefused(t *testing.T) {
	f := newFake(t)
	written := make(chan int, 1)
	f.mux.HandleFunc("GET /api/status", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		n, mib := 0, strings.Repeat(" ", 1<<20)
		for n < 100 {
			if _, err := io.WriteString(w, mib); err != nil {
				break
			}
			n++
		}
		written <- n
	})
	_, err := f.client(t).Status(t.Context())
	var pe *client.ProtocolError
	if !errors.As(err, &pe) || !strings.Contains(pe.Detail, "more than") {
		t.Fatalf("got %T %v, want ProtocolError about the size", err, err)
	}
	if n := <-written; n >= 100 {
		t.Errorf("the client took all of %d MiB", n)
	}
}

func TestARedirectIsNotFollowed(t *testing.T) {
	f := newFake(t)
	f.mux.HandleFunc("GET /api/status", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/elsewhere", http.StatusFound) })
	f.mux.HandleFunc("GET /elsewhere", func(w http.ResponseWriter, r *http.Request) { t.Error("the redirect was followed") })
	_, err := f.client(t).Status(t.Context())
	var p *client.Problem
	if !errors.As(err, &p) || p.Status != http.StatusFound {
		t.Fatalf("got %T %v, want a Problem with status 302", err, err)
	}
}

func TestNewRefusesAddressesThatCannotWork(t *testing.T) {
	for _, bad := range []string{"", "127.0.0.1:7500", "ftp://host", "http://", "http://u:p@host", "http://host/path", "http://host?q=1"} {
		if _, err := client.New(client.Options{BaseURL: bad}); err == nil {
			t.Errorf("%q was accepted", bad)
		} else if strings.Contains(err.Error(), "u:p") {
			t.Errorf("%q: the error shows the password: %v", bad, err)
		}
	}
	if _, err := client.New(client.Options{BaseURL: "http://host:1/", Token: "a\nb"}); err == nil {
		t.Error("a token with a line break was accepted")
	}
	if c, err := client.New(client.Options{BaseURL: "http://host:1/"}); err != nil || c.BaseURL() != "http://host:1" {
		t.Errorf("got %v, %v", c, err)
	}
}
