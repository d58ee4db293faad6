package server

import (
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"podlife/runtime/boot"
	"podlife/runtime/client"
	"podlife/runtime/container"
	"podlife/runtime/container/simprograms"
	"podlife/runtime/engine"
	"podlife/runtime/engine/simulated"
	"podlife/runtime/pod"
	"podlife/runtime/store"
	"podlife/runtime/terminal"
	"podlife/runtime/workspace"
)

const (
	patience = 10 * time.Second
	mostPods = 3 // of one user
)

// world is a whole server on the simulated engine.
type world struct {
	t        *testing.T
	base     string
	engine   *simulated.Engine
	programs *simprograms.Programs
	pods     *pod.Manager
	homes    *homes
	catalog  *workspace.Catalogue
	server   *Server
	db       string // the database
	script   string // the boot script of the next start; "" for the one that ships
	recipe   string // what the markers of this start name
	stop     func() // the server's graceful stop, waits
}

func newWorld(t *testing.T, change func(*Options)) *world {
	t.Helper()
	return newWorldOf(t, nil, change)
}

// newWorldOf changes how pods behave, too.
func newWorldOf(t *testing.T, pods func(*pod.Options), change func(*Options)) *world {
	t.Helper()
	w := &world{t: t, programs: simprograms.New(), db: filepath.Join(t.TempDir(), "p.db")}
	w.engine = simulated.New(simulated.Options{Lookup: w.programs.Lookup, Images: []string{"image", "other"}})
	w.homes = &homes{engine: w.engine, made: map[string]pod.ID{}}
	w.serve(pods, change)
	t.Cleanup(func() {
		w.stop()
		w.engine.Close()
	})
	return w
}

// serve is a start of a server on what is there: the database and the engine.
func (w *world) serve(pods func(*pod.Options), change func(*Options)) {
	t := w.t
	t.Helper()
	st, err := store.Open(context.Background(), w.db)
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.DiscardHandler)
	containers, err := container.New(container.Options{
		Engine: w.engine, Instance: st.Instance(), NamePrefix: "t", Image: "image", AgentPath: "/agent", Logger: log, Script: w.script,
		Recipe: boot.Recipe{Packages: []string{"tmux"}, UserScript: "true"}, PodImage: func(id pod.ID) string { return w.catalog.PodImage(id) },
	})
	if err != nil {
		t.Fatal(err)
	}
	w.recipe = containers.RecipeHash()
	po := pod.Options{Containers: containers, Store: st, Leases: st, MaxLease: 24 * time.Hour, Clock: pod.SystemClock{}, Logger: log, IdleTimeout: time.Hour}
	if pods != nil {
		pods(&po)
	}
	w.pods = pod.NewManager(po)
	w.catalog = workspace.New(workspace.Options{Pods: w.pods, Store: st, Homes: w.homes, Clock: pod.SystemClock{}, Logger: log, MostPods: mostPods, Image: "image", AllowedImages: []string{"image", "other"}, Engine: containers})
	if err := w.catalog.Recover(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := w.pods.Recover(context.Background()); err != nil {
		t.Fatal(err)
	}
	o := Options{Pods: w.pods, Catalogue: w.catalog, Logger: log, Users: []User{{"me", sha256.Sum256([]byte("me"))}, {"you", sha256.Sum256([]byte("you"))}}}
	if change != nil {
		change(&o)
	}
	s := New(o)
	w.server = s
	s.around = answers(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := s.Serve(ctx, smallBuffers{l}); err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	wg.Go(func() { w.pods.Run(ctx) })
	w.base = "http://" + l.Addr().String()
	w.stop = sync.OnceFunc(func() {
		cancel()
		wg.Wait()
		w.catalog.Close()
		w.pods.Close()
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
}

// smallBuffers makes a client that does not read felt after kilobytes instead of megabytes.
type smallBuffers struct{ net.Listener }

func (l smallBuffers) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err == nil {
		err = c.(*net.TCPConn).SetWriteBuffer(4 << 10)
	}
	return c, err
}

func (w *world) client(user string) *client.Client {
	w.t.Helper()
	return w.clientOn(user, "")
}

// clientOn is a client that acts on a pod.
func (w *world) clientOn(user, pod string) *client.Client {
	w.t.Helper()
	c, err := client.New(client.Options{BaseURL: w.base, Token: user, Pod: pod})
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(c.CloseIdleConnections)
	return c
}

func (w *world) ctx() context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	w.t.Cleanup(cancel)
	return ctx
}

func (w *world) open(h client.Hello) *client.Terminal {
	w.t.Helper()
	return w.openOn(w.client("me"), h)
}

func (w *world) openOn(c *client.Client, h client.Hello) *client.Terminal {
	w.t.Helper()
	term, err := c.Terminal(w.ctx(), h)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { term.Close() })
	return term
}

// until reads messages until one satisfies cond; it gives that one and the output seen before.
func (w *world) until(term *client.Terminal, what string, cond func(client.Message) bool) (client.Message, string) {
	w.t.Helper()
	var out strings.Builder
	ctx := w.ctx()
	for {
		m, err := term.Next(ctx)
		if err != nil {
			w.t.Fatalf("waiting for %s: %v; output %q", what, err, out.String())
		}
		if b, ok := m.(client.Output); ok {
			out.Write(b)
		}
		if cond(m) {
			return m, out.String()
		}
		if c, ok := m.(client.Closed); ok {
			w.t.Fatalf("waiting for %s: closed %d %s; output %q", what, c.Code, c.Reason, out.String())
		}
	}
}

func (w *world) attached(term *client.Terminal) client.Attached {
	w.t.Helper()
	m, _ := w.until(term, "attached", func(m client.Message) bool { _, ok := m.(client.Attached); return ok })
	return m.(client.Attached)
}

func (w *world) state(term *client.Terminal, word string) client.State {
	w.t.Helper()
	m, _ := w.until(term, "state "+word, func(m client.Message) bool { s, ok := m.(client.State); return ok && s.State == word })
	return m.(client.State)
}

func (w *world) closed(term *client.Terminal) client.Closed {
	w.t.Helper()
	m, _ := w.until(term, "close", func(m client.Message) bool { _, ok := m.(client.Closed); return ok })
	return m.(client.Closed)
}

// says types a line and waits until the shell has printed want.
func (w *world) says(term *client.Terminal, line, want string) {
	w.t.Helper()
	if _, err := term.Write([]byte(line + "\n")); err != nil {
		w.t.Fatal(err)
	}
	var all strings.Builder
	w.until(term, want, func(m client.Message) bool {
		if b, ok := m.(client.Output); ok {
			all.Write(b)
		}
		return strings.Contains(all.String(), want)
	})
}

func TestTerminalBootsByItselfAndEndsInAProvisionedShell(t *testing.T) {
	w := newWorld(t, nil)
	term := w.open(client.Hello{Client: "c1", Cols: 100, Rows: 30})
	w.state(term, "booting")
	m, _ := w.until(term, "a step", func(m client.Message) bool { s, ok := m.(client.Step); return ok && s.Step == boot.StepHook })
	if m.(client.Step).Status != "started" {
		t.Errorf("%+v", m)
	}
	w.state(term, "ready")
	if a := w.attached(term); a.Incarnation != 1 {
		t.Errorf("incarnation %d", a.Incarnation)
	}
	w.says(term, "probe", "multiplexer=true")
	w.says(term, "stty size", "30 100")
}

// Bug report B37: a terminal under a destroyed container is told so, typed, and comes back on the same socket.
func TestTerminalUnderADestroyedContainerComesBackOnTheSameSocket(t *testing.T) {
	w := newWorld(t, nil)
	term := w.open(client.Hello{Client: "c1"})
	w.attached(term)
	if _, err := w.client("me").Destroy(w.ctx()); err != nil {
		t.Fatal(err)
	}
	w.state(term, "destroyed")
	if st, err := w.client("me").Status(w.ctx()); err != nil || st.State != "asleep" {
		t.Fatalf("%+v %v: it woke without being asked", st, err)
	}
	if err := term.Boot(); err != nil {
		t.Fatal(err)
	}
	w.state(term, "booting")
	if a := w.attached(term); a.Incarnation != 2 {
		t.Errorf("incarnation %d", a.Incarnation)
	}
	w.says(term, "probe", "multiplexer=true")
}

// Of a pod that is deleted nothing comes back: its terminal is told that, and not that a home stays.
func TestTheTerminalOfAPodThatIsDeletedIsToldSo(t *testing.T) {
	w := newWorld(t, nil)
	w.wants("POST", "/api/pods", `{"name":"docs","class":"workspace"}`, 201, "")
	term := w.openOn(w.clientOn("me", "docs"), client.Hello{Client: "c1"})
	w.attached(term)
	w.wants("DELETE", "/api/pods/docs", "", 200, "")
	if s := w.state(term, "failed"); s.Reason != "pod_going" || !strings.Contains(s.Message, "was deleted") || strings.Contains(s.Message, "stays") {
		t.Errorf("it is told %+v", s)
	}
}

func TestTerminalIsToldThatItsContainerDied(t *testing.T) {
	w := newWorld(t, nil)
	term := w.open(client.Hello{Client: "c1"})
	w.attached(term)
	started := time.Now()
	w.engine.Kill(engine.ID(w.pods.Pod("me").Status().Container))
	if s := w.state(term, "asleep"); s.Reason != pod.CauseLost {
		t.Errorf("%+v", s)
	}
	if d := time.Since(started); d > time.Second {
		t.Errorf("told after %s", d)
	}
}

// Bug report B43: an exit is told with its code, at once, and is not a lost connection.
func TestExitOfTheShellIsToldWithItsCode(t *testing.T) {
	w := newWorld(t, nil)
	term := w.open(client.Hello{Client: "c1"})
	w.attached(term)
	if _, err := term.Write([]byte("exit 3\n")); err != nil {
		t.Fatal(err)
	}
	m, _ := w.until(term, "exit", func(m client.Message) bool { _, ok := m.(client.Exit); return ok })
	if m.(client.Exit).Code != 3 {
		t.Errorf("%+v", m)
	}
	if c := w.closed(term); c.Code != client.CloseShellExited {
		t.Errorf("%+v", c)
	}
	w.pods.Pod("me").Status()
}

func TestFailedBootIsToldWithItsStepAndCanBeTriedAgain(t *testing.T) {
	w := newWorld(t, nil)
	w.programs.Fail(func(s simprograms.Step) bool { return s.Name == boot.StepUserScript }, 9, "boom\n")
	term := w.open(client.Hello{Client: "c1"})
	s := w.state(term, "failed")
	if s.Reason != "boot_failed" || s.Step != boot.StepUserScript || s.ExitCode != 9 || !strings.Contains(s.LogTail, "boom") {
		t.Errorf("%+v", s)
	}
	if err := term.Boot(); err != nil {
		t.Fatal(err)
	}
	w.attached(term)
	_, err := w.client("you").Boot(w.ctx(), "x", nil)
	if err != nil {
		t.Errorf("another user: %v", err)
	}
}

func TestAttachThatMayNotBootIsToldTheStateAndWakesNothing(t *testing.T) {
	w := newWorld(t, nil)
	term := w.open(client.Hello{Client: "c1", NoBoot: true})
	w.state(term, "asleep")
	if c := w.closed(term); c.Code != client.CloseNotReady {
		t.Errorf("%+v", c)
	}
	if st := w.pods.Pod("me").Status(); st.State.String() != "asleep" || st.Incarnation != 0 {
		t.Errorf("%+v", st)
	}
}

func TestTooManyTerminalsOfOneUserLeaveRoomForAnother(t *testing.T) {
	w := newWorld(t, func(o *Options) { o.Limits.TerminalsPerUser = 2 })
	for range 2 {
		w.attached(w.open(client.Hello{Client: "c1"}))
	}
	if c := w.closed(w.open(client.Hello{Client: "c1"})); c.Code != client.CloseTooMany {
		t.Errorf("%+v", c)
	}
	term, err := w.client("you").Terminal(w.ctx(), client.Hello{Client: "c1"})
	if err != nil {
		t.Fatal(err)
	}
	defer term.Close()
	w.attached(term)
}

// raw opens a socket without the client library, to say what it would not.
func (w *world) raw() *websocket.Conn {
	w.t.Helper()
	d := websocket.Dialer{Subprotocols: []string{terminal.Subprotocol}}
	ws, _, err := d.Dial(strings.Replace(w.base, "http", "ws", 1)+"/ws/terminal", http.Header{"Authorization": {"Bearer me"}})
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { ws.Close() })
	return ws
}

// closeCode reads until the socket closes.
func closeCode(ws *websocket.Conn) (int, string) {
	ws.SetReadDeadline(time.Now().Add(patience))
	for {
		if _, _, err := ws.ReadMessage(); err != nil {
			var c *websocket.CloseError
			if errors.As(err, &c) {
				return c.Code, c.Text
			}
			return 0, err.Error()
		}
	}
}

func TestHostileMessagesCloseOnlyTheirSocketAndSayWhy(t *testing.T) {
	w := newWorld(t, func(o *Options) {
		o.Timing = terminal.DefaultTiming()
		o.Timing.Hello = 200 * time.Millisecond
	})
	hello := `{"type":"hello","client":"c1","cols":80,"rows":24}`
	for name, c := range map[string]struct {
		messages []string
		binary   bool
		code     int
		says     string
	}{
		"no hello":            {code: terminal.CloseSilent, says: "no hello"},
		"bytes first":         {messages: []string{"x"}, binary: true, code: terminal.CloseBadMessage, says: "hello"},
		"not JSON":            {messages: []string{"{"}, code: terminal.CloseBadMessage, says: "JSON"},
		"two values":          {messages: []string{hello + hello}, code: terminal.CloseBadMessage, says: "JSON"},
		"unknown type":        {messages: []string{`{"type":"exec"}`}, code: terminal.CloseBadMessage, says: "unknown type"},
		"resize first":        {messages: []string{`{"type":"resize","cols":1,"rows":1}`}, code: terminal.CloseBadMessage, says: "hello"},
		"no client":           {messages: []string{`{"type":"hello"}`}, code: terminal.CloseBadMessage, says: "client"},
		"path as client":      {messages: []string{`{"type":"hello","client":"../x"}`}, code: terminal.CloseBadMessage, says: "client"},
		"path as tab":         {messages: []string{`{"type":"hello","client":"c","tab":"a/b"}`}, code: terminal.CloseBadMessage, says: "tab"},
		"second hello":        {messages: []string{hello, hello}, code: terminal.CloseBadMessage, says: "before"},
		"longer than allowed": {messages: []string{`{"type":"` + strings.Repeat("a", 70<<10) + `"}`}, code: websocket.CloseMessageTooBig},
	} {
		t.Run(name, func(t *testing.T) {
			ws := w.raw()
			kind := websocket.TextMessage
			if c.binary {
				kind = websocket.BinaryMessage
			}
			for _, m := range c.messages {
				if err := ws.WriteMessage(kind, []byte(m)); err != nil {
					t.Fatal(err)
				}
			}
			code, text := closeCode(ws)
			if code != c.code || !strings.Contains(text, c.says) {
				t.Errorf("closed with %d %q, want %d saying %q", code, text, c.code, c.says)
			}
		})
	}
	w.attached(w.open(client.Hello{Client: "c2"}))
}

func TestClientThatKeepsTypingWhileItBootsDoesNotHoldItUp(t *testing.T) {
	w := newWorld(t, nil)
	release, entered := w.programs.Hold(func(s simprograms.Step) bool { return s.Name == boot.StepUserScript })
	term := w.open(client.Hello{Client: "c1"})
	<-entered
	for range 100 {
		if _, err := term.Write([]byte("ls\n")); err != nil {
			t.Fatal(err)
		}
	}
	if err := term.Resize(120, 40); err != nil {
		t.Fatal(err)
	}
	release()
	w.attached(term)
	// What was typed may still be on its way, and a size is set beside what is typed: asked until it is there.
	var asking sync.WaitGroup
	stop := make(chan struct{})
	asking.Go(func() {
		for {
			if _, err := term.Write([]byte("stty size\n")); err != nil {
				t.Error(err)
				return
			}
			select {
			case <-stop:
				return
			case <-time.After(50 * time.Millisecond):
			}
		}
	})
	w.says(term, "", "40 120")
	close(stop)
	asking.Wait()
}

func TestStopOfTheServerClosesSocketsAsGoingAwayAndLeavesTheContainer(t *testing.T) {
	w := newWorld(t, nil)
	term := w.open(client.Hello{Client: "c1"})
	w.attached(term)
	w.stop()
	if c := w.closed(term); c.Code != client.CloseGoingAway {
		t.Errorf("%+v", c)
	}
	list, err := w.engine.List(w.ctx(), nil)
	if err != nil || len(list) != 1 || list[0].State != engine.Running {
		t.Errorf("%+v %v", list, err)
	}
}

func TestClosedSocketLeavesNoTerminalBehind(t *testing.T) {
	w := newWorld(t, nil)
	for range 10 {
		term := w.open(client.Hello{Client: "c1"})
		w.attached(term)
		term.Close()
	}
	deadline := time.Now().Add(patience)
	for w.pods.Pod("me").Status().Terminals > 0 {
		if time.Now().After(deadline) {
			t.Fatalf("%d terminals are left", w.pods.Pod("me").Status().Terminals)
		}
		time.Sleep(time.Millisecond)
	}
}

func TestBootAnswersAsJSONAndAsEvents(t *testing.T) {
	w := newWorld(t, nil)
	auth := []string{"Authorization", "Bearer me"}
	code, body := call(t, http.DefaultClient, "POST", w.base+"/api/boot", "", auth...)
	if code != 200 || !strings.Contains(body, `"incarnation":1`) {
		t.Errorf("%d %s", code, body)
	}
	var steps []string
	res, err := w.client("you").Boot(w.ctx(), "c1", func(e client.Event) { steps = append(steps, e.Step+" "+e.Status) })
	if err != nil || res.Incarnation != 1 {
		t.Errorf("%+v %v", res, err)
	}
	if all := strings.Join(steps, ","); !strings.Contains(all, "start done") || !strings.Contains(all, "marker done") {
		t.Errorf("steps: %s", all)
	}
	w.programs.Fail(nil, 5, "")
	if _, err := w.client("you").Destroy(w.ctx()); err != nil {
		t.Fatal(err)
	}
	_, err = w.client("you").Boot(w.ctx(), "c1", nil)
	var p *client.Problem
	if !errors.As(err, &p) || p.Code != client.CodeBootFailed || p.ExitCode != 5 || p.Step == "" {
		t.Errorf("%v", err)
	}
	code, body = call(t, http.DefaultClient, "GET", w.base+"/metrics", "", auth...)
	if code != 200 || !strings.Contains(body, "podlife_boot_seconds") || !strings.Contains(body, `podlife_pods{state="ready"} 1`) {
		t.Errorf("%d %.300s", code, body)
	}
}

func TestClientThatStopsReadingIsDroppedAndHoldsNothing(t *testing.T) {
	w := newWorld(t, func(o *Options) {
		o.Timing = terminal.DefaultTiming()
		o.Timing.Write = 300 * time.Millisecond
	})
	ws := w.raw()
	if err := ws.WriteMessage(websocket.TextMessage, []byte(`{"type":"hello","client":"deaf","cols":80,"rows":24}`)); err != nil {
		t.Fatal(err)
	}
	p := w.pods.Pod("me")
	deadline := time.Now().Add(patience)
	for p.Status().Terminals == 0 && time.Now().Before(deadline) {
		time.Sleep(time.Millisecond)
	}
	if err := ws.NetConn().(*net.TCPConn).SetReadBuffer(4 << 10); err != nil {
		t.Fatal(err)
	}
	// Everything typed comes back twice, and nobody reads it.
	line := []byte(strings.Repeat("a", 4<<10) + "\n")
	for p.Status().Terminals > 0 && time.Now().Before(deadline) {
		ws.SetWriteDeadline(deadline)
		if err := ws.WriteMessage(websocket.BinaryMessage, line); err != nil {
			break
		}
	}
	for p.Status().Terminals > 0 {
		if time.Now().After(deadline) {
			t.Fatal("a client that does not read keeps its terminal")
		}
		time.Sleep(time.Millisecond)
	}
}

var _ io.Closer = (*client.Terminal)(nil)

func TestARequestThatTheStopOvertakesIsNotAnsweredAsDone(t *testing.T) {
	w := newWorld(t, nil)
	if _, err := w.client("me").Boot(w.ctx(), "c1", nil); err != nil {
		t.Fatal(err)
	}
	release, entered := w.engine.Hold("remove", nil)
	defer release()
	type answer struct {
		code int
		body string
	}
	got := make(chan answer, 1)
	go func() {
		code, body := call(t, http.DefaultClient, "POST", w.base+"/api/destroy", "", "Authorization", "Bearer me")
		got <- answer{code, body}
	}()
	<-entered
	go w.stop()
	if a := <-got; a.code != 503 || !strings.Contains(a.body, `"stopping"`) {
		t.Errorf("%d %s", a.code, a.body)
	}
}

func TestClientThatTypesWhileItAttachesDoesNotHoldItUp(t *testing.T) {
	w := newWorld(t, nil)
	if _, err := w.client("me").Boot(w.ctx(), "c1", nil); err != nil {
		t.Fatal(err)
	}
	release, entered := w.engine.Hold("exec", nil) // the first terminal's connection to the container
	term := w.open(client.Hello{Client: "c1", NoBoot: true})
	<-entered
	for range 100 {
		if _, err := term.Write([]byte("ls\n")); err != nil {
			t.Fatal(err)
		}
	}
	if err := term.Resize(99, 33); err != nil {
		t.Fatal(err)
	}
	// Everything that was sent is taken while the attach goes on: the pings' answers among it.
	pong := make(chan struct{})
	ws := w.raw()
	ws.SetPongHandler(func(string) error { close(pong); return nil })
	go closeCode(ws)
	if err := ws.WriteControl(websocket.PingMessage, nil, time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	<-pong
	release()
	w.attached(term)
}

func TestBehindATLSProxyTheCookieIsSecureAndTheLinkIsHTTPS(t *testing.T) {
	s, base := start(t, func(o *Options) { o.Origins = []string{"https://pods.example"} })
	auth := []string{"Authorization", "Bearer me", "Host", "pods.example"}
	code, body := call(t, http.DefaultClient, "POST", base+"/api/login-link", "", auth...)
	if code != 200 || !strings.Contains(body, `"https://pods.example/#login=`) {
		t.Errorf("%d %s", code, body)
	}
	for host, secure := range map[string]bool{"pods.example": true, strings.TrimPrefix(base, "http://"): false} {
		r, err := http.NewRequest("POST", base+"/api/login", strings.NewReader(`{"code":"`+s.auth.newCode("me")+`"}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Host = host
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if c := resp.Cookies(); resp.StatusCode != 204 || len(c) != 1 || c[0].Secure != secure || !c[0].HttpOnly {
			t.Errorf("%s: %d %+v", host, resp.StatusCode, c)
		}
	}
}

// A window that changes between the request for a terminal and its opening has its new size in the end.
func TestASizeThatChangesWhileATerminalIsOpenedCounts(t *testing.T) {
	w := newWorld(t, nil)
	if _, err := w.client("me").Boot(w.ctx(), "c1", nil); err != nil {
		t.Fatal(err)
	}
	release, entered := w.engine.Hold("exec", nil) // the first terminal's connection to the container
	term := w.open(client.Hello{Client: "c1", Cols: 80, Rows: 24, NoBoot: true})
	<-entered
	if err := term.Resize(120, 40); err != nil {
		t.Fatal(err)
	}
	time.Sleep(100 * time.Millisecond) // for the server to hear of it before the terminal is there; if it hears later, it counts as well
	release()
	w.attached(term)
	w.says(term, "stty size\n", "40 120")
}
