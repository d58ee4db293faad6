package browser

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/gorilla/websocket"
)

// fakeShell is one session: what it has printed, by byte offset, and who looks at it. The fake's mu guards it, and frames are sent under it, so that all viewers see
// the same order.
type fakeShell struct {
	tab     string
	epoch   string
	output  strings.Builder
	input   strings.Builder // all that was typed or pasted
	line    strings.Builder
	viewers []*fakeSocket
	cols    float64
	rows    float64
	slow    int  // so many pieces of a paste are refused before one is taken
	refused int  // of the piece that comes now
	silent  bool // echoes nothing
	fixed   bool // another window decides the size
}

// attach puts a viewer to the session of its tab, and makes one where there is none: it goes on where the page is, or shows a picture of everything.
func (f *fake) attach(s *fakeSocket, hello message) {
	f.mu.Lock()
	defer f.mu.Unlock()
	tab, _ := hello["tab"].(string)
	shell := f.shell(tab)
	if shell == nil {
		f.epochs++
		shell = &fakeShell{tab: tab, epoch: fmt.Sprintf("%016x", f.epochs)}
		shell.cols, _ = hello["cols"].(float64)
		shell.rows, _ = hello["rows"].(float64)
		shell.output.WriteString("\x1b[2mpodlife: a fake shell\x1b[0m\r\n" + prompt)
		f.shells = append(f.shells, shell)
		f.happened("AttachReady", "attach")
	}
	shell.viewers = append(shell.viewers, s)
	s.say(message{"type": "attached", "incarnation": f.incarnation, "tab": tab, "epoch": shell.epoch, "cols": shell.cols, "rows": shell.rows, "read_only": false, "recorded": f.recorded, "viewers": len(shell.viewers)})
	have, known := hello["have"].(float64)
	if hello["epoch"] == shell.epoch && known && int(have) <= shell.output.Len() {
		f.resumes++
		s.say(message{"type": "resumed", "from": have})
		s.bytes(shell.output.String()[int(have):])
		return
	}
	f.pictures++
	s.say(message{"type": "reset", "reason": "new"})
	s.bytes("\x1bc" + shell.output.String())
	s.say(message{"type": "live", "from": shell.output.Len()})
}

// shell gives the session of a tab; the caller holds mu.
func (f *fake) shell(tab string) *fakeShell {
	for _, shell := range f.shells {
		if shell.tab == tab {
			return shell
		}
	}
	return nil
}

// print is output of a tab's shell.
func (f *fake) print(tab, text string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.printTo(f.shell(tab), text)
}

func (f *fake) printTo(shell *fakeShell, text string) {
	shell.output.WriteString(text)
	for _, s := range shell.viewers {
		s.bytes(text)
	}
}

// typed gives all that has arrived at a tab's shell.
func (f *fake) typed(tab string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.shell(tab).input.String()
}

func (f *fake) detach(s *fakeSocket) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, shell := range f.shells {
		shell.viewers = slices.DeleteFunc(shell.viewers, func(other *fakeSocket) bool { return other == s })
	}
	f.sockets = slices.DeleteFunc(f.sockets, func(other *fakeSocket) bool { return other == s })
}

func (f *fake) of(s *fakeSocket) *fakeShell {
	for _, shell := range f.shells {
		if slices.Contains(shell.viewers, s) {
			return shell
		}
	}
	return nil
}

// read is what a terminal sends: control, and bytes for its shell.
func (f *fake) read(s *fakeSocket, hello message) {
	for {
		kind, data, err := s.conn.ReadMessage()
		if err != nil {
			return
		}
		if kind == websocket.TextMessage {
			var m message
			if json.Unmarshal(data, &m) == nil {
				f.control(s, hello, m)
			}
			continue
		}
		s.frames++
		if f.take(s, string(data)) {
			return
		}
	}
}

func (f *fake) control(s *fakeSocket, hello, m message) {
	switch m["type"] {
	case "boot":
		f.bootOn(s, hello)
	case "ack":
		f.mu.Lock()
		defer f.mu.Unlock()
		f.acks = append(f.acks, m["have"].(float64))
	case "stay":
		f.mu.Lock()
		f.stays++
		f.mu.Unlock()
		f.sayAll(message{"type": "idle"})
	case "resize":
		f.mu.Lock()
		defer f.mu.Unlock()
		if shell := f.of(s); shell != nil && !shell.fixed {
			shell.cols, shell.rows = m["cols"].(float64), m["rows"].(float64)
			for _, viewer := range shell.viewers {
				viewer.say(message{"type": "size", "cols": shell.cols, "rows": shell.rows})
			}
		}
	}
}

// take is the shell: it echoes, knows "exit 3", and answers everything else with a prompt. It reports whether it has ended.
func (f *fake) take(s *fakeSocket, data string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	shell := f.of(s)
	if shell == nil {
		return false
	}
	if len(data) >= 4096 {
		if shell.refused < shell.slow {
			shell.refused++
			s.say(message{"type": "refused", "reason": "input_full", "frames": s.frames})
			return false
		}
		shell.refused = 0
		s.say(message{"type": "taken", "frames": s.frames})
	}
	shell.input.WriteString(data)
	if shell.silent {
		return false
	}
	for _, b := range []byte(data) {
		if b != '\r' {
			shell.line.WriteByte(b)
			continue
		}
		if shell.line.String() == "exit 3" {
			f.printTo(shell, "\r\nlogout\r\n")
			f.end(shell, func(viewer *fakeSocket) {
				viewer.say(message{"type": "exit", "code": 3})
				viewer.close(4000)
			})
			return true
		}
		shell.line.Reset()
	}
	// Control bytes are shown, so that a test sees exactly what arrived.
	f.printTo(shell, strings.NewReplacer("\r", "\r\n"+prompt, "\x1b", "<ESC>").Replace(data))
	return false
}

func (f *fake) end(shell *fakeShell, tell func(*fakeSocket)) {
	f.shells = slices.DeleteFunc(f.shells, func(other *fakeShell) bool { return other == shell })
	for _, viewer := range shell.viewers {
		tell(viewer)
	}
}

func (f *fake) listTabs(w http.ResponseWriter, _ *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	tabs := []message{}
	for _, shell := range f.shells {
		tabs = append(tabs, message{"name": shell.tab, "title": "", "command": "bash", "viewers": len(shell.viewers), "cols": shell.cols, "rows": shell.rows})
	}
	answer(w, message{"tabs": tabs})
}

func (f *fake) closeTab(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	shell := f.shell(r.PathValue("name"))
	if shell == nil {
		refuse(w, http.StatusNotFound, "There is no terminal of that name.")
		return
	}
	f.end(shell, func(viewer *fakeSocket) { viewer.close(4410) })
	w.WriteHeader(http.StatusNoContent)
}

func (f *fake) renameTab(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var body struct{ Rename string }
	shell := f.shell(r.PathValue("name"))
	switch err := json.NewDecoder(r.Body).Decode(&body); {
	case err != nil:
		w.WriteHeader(http.StatusBadRequest)
	case shell == nil:
		refuse(w, http.StatusNotFound, "There is no terminal of that name.")
	case f.shell(body.Rename) != nil:
		refuse(w, http.StatusConflict, "There is a terminal of that name.")
	default:
		shell.tab = body.Rename
		w.WriteHeader(http.StatusNoContent)
	}
}

func refuse(w http.ResponseWriter, status int, detail string) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(message{"status": status, "detail": detail}) // a page that went away is the page's business
}
