package browser

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"podlife/runtime/server/web"
)

const (
	fakeCookie = "podlife_fake"
	fakeCode   = "right-code"
	prompt     = "\x1b[1;32mdev@pod\x1b[0m:\x1b[1;34m~/project\x1b[0m$ "
)

// message is any text frame.
type message map[string]any

// fake is a server that speaks the protocol and has no pods: the test says what happens. It serves the real page.
type fake struct {
	URL string

	// boot runs for each boot that a page asks for, and tells it how it goes. It returns whether a shell follows.
	boot func(s *fakeSocket, incarnation int) bool

	mu          sync.Mutex // guards the following
	sockets     []*fakeSocket
	hellos      []message
	boots       int
	incarnation int
	provisioned bool
	down        bool // refuse every socket
}

// fakeSocket is one open terminal.
type fakeSocket struct {
	conn *websocket.Conn
	mu   sync.Mutex // one writer at a time
}

func newFake(t *testing.T) *fake {
	t.Helper()
	f := &fake{boot: func(s *fakeSocket, incarnation int) bool {
		s.steps(incarnation)
		return true
	}}
	mux := http.NewServeMux()
	mux.Handle("/", web.Handler())
	mux.HandleFunc("POST /api/login", f.login)
	mux.HandleFunc("GET /api/status", f.signedIn(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("{}")) }))
	mux.HandleFunc("POST /api/destroy", f.signedIn(f.destroy))
	mux.HandleFunc("GET /ws/terminal", f.signedIn(f.terminal))
	server := httptest.NewServer(mux)
	f.URL = server.URL
	t.Cleanup(func() {
		f.dropAll(websocket.CloseGoingAway)
		server.Close()
	})
	return f
}

func (f *fake) login(w http.ResponseWriter, r *http.Request) {
	var request struct{ Code string }
	if json.NewDecoder(r.Body).Decode(&request) != nil || request.Code != fakeCode {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	http.SetCookie(w, &http.Cookie{Name: fakeCookie, Value: "1", Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
	w.WriteHeader(http.StatusNoContent)
}

func (f *fake) signedIn(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if _, err := r.Cookie(fakeCookie); errors.Is(err, http.ErrNoCookie) {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		next(w, r)
	}
}

func (f *fake) destroy(w http.ResponseWriter, _ *http.Request) {
	f.lose("destroyed", "reset")
	_, _ = w.Write([]byte(`{"state":"asleep"}`))
}

// lose ends the pod and tells every terminal.
func (f *fake) lose(state, reason string) {
	f.mu.Lock()
	f.provisioned = false
	incarnation := f.incarnation
	sockets := append([]*fakeSocket(nil), f.sockets...)
	f.mu.Unlock()
	for _, s := range sockets {
		s.say(message{"type": "state", "state": state, "incarnation": incarnation, "reason": reason})
	}
}

// dropAll closes every terminal, as a network or a restart does.
func (f *fake) dropAll(code int) {
	f.mu.Lock()
	sockets := f.sockets
	f.sockets = nil
	f.mu.Unlock()
	for _, s := range sockets {
		s.close(code)
	}
}

func (f *fake) setDown(down bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.down = down
}

// counts gives the sockets that said hello, and the boots.
func (f *fake) counts() (hellos, boots int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.hellos), f.boots
}

func (f *fake) lastHello() message {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.hellos[len(f.hellos)-1]
}

func (f *fake) terminal(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	down := f.down
	f.mu.Unlock()
	if down {
		http.Error(w, "down", http.StatusServiceUnavailable)
		return
	}
	upgrader := websocket.Upgrader{Subprotocols: []string{"podlife.v1"}}
	conn, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return
	}
	s := &fakeSocket{conn: conn}
	defer conn.Close()
	var hello message
	if err := conn.ReadJSON(&hello); err != nil || hello["type"] != "hello" || conn.Subprotocol() != "podlife.v1" {
		s.close(4400)
		return
	}
	f.mu.Lock()
	f.sockets = append(f.sockets, s)
	f.hellos = append(f.hellos, hello)
	provisioned, incarnation := f.provisioned, f.incarnation
	f.mu.Unlock()
	switch {
	case provisioned:
		s.attach(incarnation)
	case hello["boot"] == false:
		s.say(message{"type": "state", "state": "asleep", "incarnation": incarnation})
		s.close(4409)
		return
	default:
		f.bootOn(s)
	}
	f.read(s)
}

func (f *fake) bootOn(s *fakeSocket) {
	f.mu.Lock()
	f.boots++
	f.incarnation++
	incarnation := f.incarnation
	f.mu.Unlock()
	if !f.boot(s, incarnation) {
		return
	}
	f.mu.Lock()
	f.provisioned = true
	f.mu.Unlock()
	s.say(message{"type": "state", "state": "ready", "incarnation": incarnation})
	s.attach(incarnation)
}

// read is the shell: it echoes, knows "exit 3", and answers everything else with a prompt.
func (f *fake) read(s *fakeSocket) {
	var line strings.Builder
	for {
		kind, data, err := s.conn.ReadMessage()
		if err != nil {
			return
		}
		if kind == websocket.TextMessage {
			var m message
			if json.Unmarshal(data, &m) == nil && m["type"] == "boot" {
				f.bootOn(s)
			}
			continue
		}
		for _, b := range data {
			if b != '\r' {
				line.WriteByte(b)
				continue
			}
			if line.String() == "exit 3" {
				s.output("\r\nlogout\r\n")
				s.say(message{"type": "exit", "code": 3})
				s.close(4000)
				return
			}
			line.Reset()
		}
		// Control bytes are shown, so that a test sees exactly what arrived.
		s.output(strings.NewReplacer("\r", "\r\n"+prompt, "\x1b", "<ESC>").Replace(string(data)))
	}
}

func (s *fakeSocket) say(m message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = s.conn.WriteJSON(m) // a page that went away is the page's business
}

func (s *fakeSocket) output(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = s.conn.WriteMessage(websocket.BinaryMessage, []byte(text))
}

func (s *fakeSocket) close(code int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = s.conn.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, ""), time.Now().Add(time.Second))
	_ = s.conn.Close()
}

func (s *fakeSocket) attach(incarnation int) {
	s.say(message{"type": "attached", "incarnation": incarnation})
	s.output("\x1b[2mpodlife: a fake shell\x1b[0m\r\n" + prompt)
}

func (s *fakeSocket) step(name, status, detail string) {
	s.say(message{"type": "step", "step": name, "status": status, "detail": detail})
}

// steps tells of a boot in which all goes well.
func (s *fakeSocket) steps(incarnation int) {
	s.say(message{"type": "state", "state": "booting", "incarnation": incarnation})
	s.step("packages", "started", "")
	s.say(message{"type": "log", "data": "Reading package lists...\r\nSetting up tmux (3.3a-3) ...\r\n\x1b[32mdone\x1b[0m\n"})
	s.step("packages", "done", "tmux, git")
	s.step("clone", "started", "")
	s.say(message{"type": "log", "data": "Cloning into '/root/project'...\n"})
	s.step("clone", "done", "main at 4f2c81e")
	s.step("shell", "started", "")
	s.step("shell", "done", "")
	s.step("user-script", "skipped", "none is configured")
}
