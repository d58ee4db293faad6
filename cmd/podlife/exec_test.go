package main

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

// execServer is a fake that has programs: each that is asked for is the next of its talks.
func execServer(t *testing.T, talks ...func(*fakeTerminal)) (f *fakeServer, boots *int) {
	t.Helper()
	f, boots = newFakeServer(t), new(int)
	f.mux.HandleFunc("GET /api/status", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, 200, "application/json", map[string]any{"pod": "local", "state": "ready", "incarnation": 1, "kept_awake_by": []string{}})
	})
	f.mux.HandleFunc("POST /api/boot", func(w http.ResponseWriter, _ *http.Request) {
		f.mu.Lock()
		*boots++
		f.mu.Unlock()
		w.Header().Set("Content-Type", "text/event-stream")
		event(w, "step", map[string]any{"step": "start", "status": "done"})
		event(w, "result", map[string]any{"pod": "local", "state": "ready", "incarnation": 1})
	})
	next := 0
	f.mux.HandleFunc("GET /ws/exec", func(w http.ResponseWriter, r *http.Request) {
		c, err := (&websocket.Upgrader{Subprotocols: []string{"podlife.exec.v1"}}).Upgrade(w, r, nil)
		if err != nil {
			t.Errorf("upgrade: %v", err)
			return
		}
		defer c.Close()
		_ = c.SetReadDeadline(time.Now().Add(20 * time.Second))
		ft := &fakeTerminal{Conn: c, t: t}
		ft.hello = ft.control()
		f.mu.Lock()
		talk := talks[min(next, len(talks)-1)]
		next++
		f.mu.Unlock()
		talk(ft)
	})
	return f, boots
}

func ends(code int, reason string) func(*fakeTerminal) {
	return func(c *fakeTerminal) { c.end(code, reason) }
}

func TestHowAProgramEnds(t *testing.T) {
	started := func(c *fakeTerminal) { c.say(map[string]any{"type": "started", "incarnation": 1}) }
	refused := func(m map[string]any) func(*fakeTerminal) {
		return func(c *fakeTerminal) { m["type"] = "refused"; c.say(m); c.end(4409, "no program was started") }
	}
	for what, c := range map[string]struct {
		talk         func(*fakeTerminal)
		code         int
		stdout, says string
	}{
		"by itself": {func(c *fakeTerminal) {
			started(c)
			c.print("\x01out\n")
			c.print("\x02err\n")
			c.say(map[string]any{"type": "exit", "code": 3})
			c.end(4000, "")
		}, 3, "out\n", "err\n"},
		"by a signal": {func(c *fakeTerminal) {
			started(c)
			c.say(map[string]any{"type": "exit", "code": 137, "signal": "SIGKILL"})
			c.end(4000, "")
		}, 137, "", ""},
		"there is none":            {refused(map[string]any{"reason": "no_command", "code": 127, "message": "nonesuch: not found"}), 127, "", "podlife: nonesuch: not found\n"},
		"the guard refuses":        {refused(map[string]any{"reason": "not_provisioned", "message": "no marker"}), 1, "", "podlife: no program was started: no marker\n"},
		"the pod is being deleted": {refused(map[string]any{"reason": "pod_going", "message": "going"}), 9, "", "going"},
		"the engine is away":       {refused(map[string]any{"reason": "engine_unavailable", "message": "away"}), 7, "", "away"},
		"hostile words":            {refused(map[string]any{"reason": "internal", "message": "\x1b[31mred"}), 1, "", `\x1b[31mred`},
		"with its container": {func(c *fakeTerminal) {
			started(c)
			c.say(map[string]any{"type": "lost", "reason": "container_gone", "message": "it is gone"})
			c.end(4409, "")
		}, 1, "", "it is gone"},
		"too many":              {ends(4429, "too many"), 6, "", "too many programs"},
		"the server stops":      {func(c *fakeTerminal) { started(c); c.end(1001, "") }, 5, "", "stopping"},
		"the connection breaks": {func(c *fakeTerminal) { started(c); c.print("\x01half"); c.Close() }, 5, "half", "the connection broke"},
		"a strange message":     {func(c *fakeTerminal) { c.say(map[string]any{"type": "what"}); _, _, _ = c.ReadMessage() }, 1, "", "bad message"},
	} {
		t.Run(what, func(t *testing.T) {
			f, _ := execServer(t, c.talk)
			out, errOut, code := f.main(t).run(t, "", "exec", "--", "x")
			if code != c.code || out != c.stdout || !strings.Contains(errOut, c.says) || strings.ContainsRune(errOut, 0x1b) {
				t.Errorf("exit %d, %q, %q", code, out, errOut)
			}
		})
	}
}

// A pod that fell asleep between its boot and the program is booted again, a few times.
func TestAProgramThatFindsThePodAsleepBootsItAgain(t *testing.T) {
	asleep := func(c *fakeTerminal) {
		c.say(map[string]any{"type": "refused", "reason": "not_ready", "message": "it sleeps"})
		c.end(4409, "")
	}
	done := func(c *fakeTerminal) {
		c.say(map[string]any{"type": "started", "incarnation": 2})
		c.say(map[string]any{"type": "exit", "code": 0})
		c.end(4000, "")
	}
	f, boots := execServer(t, asleep, done)
	if _, errOut, code := f.main(t).run(t, "", "exec", "--", "x"); code != 0 || *boots != 2 {
		t.Errorf("exit %d after %d boots, %q", code, *boots, errOut)
	}
	f, boots = execServer(t, asleep)
	if _, errOut, code := f.main(t).run(t, "", "exec", "--", "x"); code != 1 || *boots != maxProgramBoots || !strings.Contains(errOut, "it sleeps") {
		t.Errorf("exit %d after %d boots, %q", code, *boots, errOut)
	}
}

func TestWhatAProgramIsAskedFor(t *testing.T) {
	asked := make(chan map[string]any, 1)
	f, _ := execServer(t, func(c *fakeTerminal) {
		c.say(map[string]any{"type": "started", "incarnation": 1})
		for m := (map[string]any{}); m["type"] != "eof"; m = c.control() {
		}
		c.hello["typed"] = string(c.typed)
		asked <- c.hello
		c.say(map[string]any{"type": "taken", "have": len(c.typed)})
		c.say(map[string]any{"type": "exit", "code": 0})
		c.end(4000, "")
	})
	_, errOut, code := f.main(t).run(t, "some input", "exec", "--dir", "/tmp", "-e", "A=1", "sh", "-c", "--verbose", "--", "x")
	m := <-asked
	argv, _ := m["argv"].([]any)
	if code != 0 || len(argv) != 5 || argv[0] != "sh" || argv[3] != "--" || m["dir"] != "/tmp" || m["env"].(map[string]any)["A"] != "1" || m["typed"] != "some input" || m["client"] == "" {
		t.Errorf("exit %d, %v, %q", code, m, errOut)
	}
}
