package dockerproxy_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"podlife/mutants/dockerproxy"
)

const patience = 5 * time.Second

// engine is a stand-in for the daemon: its exec streams say what a test sends into out.
type engine struct {
	socket string
	out    chan string // each piece is one write; closed: the stream ends
	in     chan string // all that the process was fed, when its input ended
}

func newEngine(t *testing.T) *engine {
	t.Helper()
	e := &engine{socket: filepath.Join(t.TempDir(), "daemon.sock"), out: make(chan string), in: make(chan string, 1)}
	l, err := net.Listen("unix", e.socket)
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /_ping", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "OK") })
	mux.HandleFunc("GET /v1.41/events", func(w http.ResponseWriter, _ *http.Request) {
		for piece := range e.out {
			io.WriteString(w, piece)
			w.(http.Flusher).Flush()
		}
	})
	mux.HandleFunc("POST /v1.41/containers/{id}/exec", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.WriteHeader(http.StatusCreated)
		if strings.Contains(string(body), "boot") {
			io.WriteString(w, `{"Id":"booting"}`)
			return
		}
		io.WriteString(w, `{"Id":"other"}`)
	})
	mux.HandleFunc("POST /v1.41/exec/{id}/start", func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		c, rw, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		defer c.Close()
		io.WriteString(c, "HTTP/1.1 101 UPGRADED\r\nContent-Type: application/vnd.docker.raw-stream\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n")
		go func() {
			fed, _ := io.ReadAll(rw)
			e.in <- string(fed)
		}()
		for piece := range e.out {
			io.WriteString(c, piece)
		}
	})
	srv := &http.Server{Handler: mux}
	done := make(chan struct{})
	go func() { defer close(done); srv.Serve(l) }()
	t.Cleanup(func() { srv.Close(); <-done })
	return e
}

func newProxy(t *testing.T, e *engine) *dockerproxy.Proxy {
	t.Helper()
	p, err := dockerproxy.Listen(t.TempDir(), e.socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return p
}

func dial(t *testing.T, p *dockerproxy.Proxy) *net.UnixConn {
	t.Helper()
	c, err := net.Dial("unix", strings.TrimPrefix(p.Host(), "unix://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if err := c.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	return c.(*net.UnixConn)
}

// exec makes a process and attaches to it, as Docker's client does: two requests, the second one taking the connection over.
func exec(t *testing.T, p *dockerproxy.Proxy, command string) (*net.UnixConn, *bufio.Reader) {
	t.Helper()
	c := dial(t, p)
	r := bufio.NewReader(c)
	body := fmt.Sprintf(`{"Cmd":["/podlife","agent",%q]}`, command)
	fmt.Fprintf(c, "POST /v1.41/containers/abc/exec HTTP/1.1\r\nHost: docker\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	resp, err := http.ReadResponse(r, nil)
	if err != nil {
		t.Fatal(err)
	}
	made, _ := io.ReadAll(resp.Body)
	id := strings.Split(string(made), `"`)[3]
	fmt.Fprintf(c, "POST /v1.41/exec/%s/start HTTP/1.1\r\nHost: docker\r\nConnection: Upgrade\r\nUpgrade: tcp\r\nContent-Length: 2\r\n\r\n{}", id)
	resp, err = http.ReadResponse(r, nil)
	if err != nil || resp.StatusCode != http.StatusSwitchingProtocols {
		t.Fatalf("attach: %v, %v", resp, err)
	}
	return c, r
}

func read(t *testing.T, r io.Reader, want string) {
	t.Helper()
	got := make([]byte, len(want))
	if _, err := io.ReadFull(r, got); err != nil || string(got) != want {
		t.Fatalf("read %q, error %v, want %q", got, err, want)
	}
}

func TestAnswersPassThrough(t *testing.T) {
	p := newProxy(t, newEngine(t))
	c := dial(t, p)
	r := bufio.NewReader(c)
	for range 3 { // on one connection
		io.WriteString(c, "GET /_ping HTTP/1.1\r\nHost: docker\r\n\r\n")
		resp, err := http.ReadResponse(r, nil)
		if err != nil {
			t.Fatal(err)
		}
		if body, _ := io.ReadAll(resp.Body); string(body) != "OK" {
			t.Fatalf("the answer is %q", body)
		}
	}
}

func TestEventsPassThroughWhileTheyCome(t *testing.T) {
	e := newEngine(t)
	p := newProxy(t, e)
	c := dial(t, p)
	io.WriteString(c, "GET /v1.41/events HTTP/1.1\r\nHost: docker\r\n\r\n")
	e.out <- "first"
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	read(t, resp.Body, "first") // the stream has not ended yet
	e.out <- "second"
	read(t, resp.Body, "second")
	close(e.out)
}

func TestStreamsPassThroughBothWays(t *testing.T) {
	e := newEngine(t)
	p := newProxy(t, e)
	p.HoldOutput("agent boot", "never said")
	c, r := exec(t, p, "boot")
	io.WriteString(c, "typed")
	if err := c.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	select {
	case fed := <-e.in:
		if fed != "typed" {
			t.Fatalf("the process was fed %q", fed)
		}
	case <-time.After(patience):
		t.Fatal("the end of the input did not get through")
	}
	e.out <- "said never"
	read(t, r, "said ") // the rest could be the beginning of what is to be held
	e.out <- ", or so"
	read(t, r, "never, or so")
	close(e.out)
	if rest, err := io.ReadAll(r); err != nil || len(rest) != 0 {
		t.Fatalf("after the end: %q, %v", rest, err)
	}
}

func TestHeldOutputComesAfterItsRelease(t *testing.T) {
	for name, pieces := range map[string][]string{
		"in one piece":       {"step done\n", `{"result":{"ok":true}}`},
		"in two":             {"step done\n{\"re", `sult":{"ok":true}}`},
		"behind other words": {"step done\n" + `{"result":`, `{"ok":true}}`},
	} {
		t.Run(name, func(t *testing.T) {
			e := newEngine(t)
			p := newProxy(t, e)
			h := p.HoldOutput("agent boot", `{"result"`)
			c, r := exec(t, p, "boot")
			e.out <- pieces[0]
			read(t, r, "step done\n") // so the second piece comes by itself
			e.out <- pieces[1]
			close(e.out)
			select {
			case <-h.Caught():
			case <-time.After(patience):
				t.Fatal("nothing was caught")
			}
			// Other calls are answered meanwhile.
			ping := dial(t, p)
			io.WriteString(ping, "GET /_ping HTTP/1.1\r\nHost: docker\r\n\r\n")
			if _, err := http.ReadResponse(bufio.NewReader(ping), nil); err != nil {
				t.Fatal(err)
			}
			if err := c.SetReadDeadline(time.Now().Add(50 * time.Millisecond)); err != nil {
				t.Fatal(err)
			}
			if n, err := r.Read(make([]byte, 1)); n != 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Fatalf("before the release: %d bytes, %v", n, err)
			}
			if err := c.SetReadDeadline(time.Now().Add(patience)); err != nil {
				t.Fatal(err)
			}
			h.Release()
			if rest, err := io.ReadAll(r); err != nil || string(rest) != `{"result":{"ok":true}}` {
				t.Fatalf("after the release: %q, %v", rest, err)
			}
			select {
			case <-h.Done():
				t.Fatal("done before it was taken")
			default:
			}
			c.Close()
			select {
			case <-h.Done():
			case <-time.After(patience):
				t.Fatal("taken, and not done")
			}
		})
	}
}

func TestOnlyTheNextOutputOfThatCommandIsHeld(t *testing.T) {
	e := newEngine(t)
	p := newProxy(t, e)
	h := p.HoldOutput("agent boot", `{"result"`)
	_, shell := exec(t, p, "shell")
	e.out <- `{"result" of a shell`
	read(t, shell, `{"result" of a shell`)
	close(e.out)
	select {
	case <-h.Caught():
		t.Fatal("the output of another command was held")
	default:
	}
}

func TestCloseEndsWhatIsHeld(t *testing.T) {
	e := newEngine(t)
	p := newProxy(t, e)
	h := p.HoldOutput("agent boot", `{"result"`)
	_, r := exec(t, p, "boot")
	e.out <- `{"result"`
	close(e.out)
	<-h.Caught()
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if rest, _ := io.ReadAll(r); len(rest) != 0 {
		t.Fatalf("what was held got out: %q", rest)
	}
}
