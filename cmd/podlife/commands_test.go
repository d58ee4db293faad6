package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"podlife/runtime/client"
)

func TestBootTellsStepsOnStandardErrorAndTheResultOnOutput(t *testing.T) {
	f := newFakeServer(t)
	f.mux.HandleFunc("POST /api/boot", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		event(w, "step", map[string]any{"step": "packages", "status": "started"})
		event(w, "log", map[string]any{"data": "Reading lists\x1b[2J"})
		event(w, "step", map[string]any{"step": "packages", "status": "done", "detail": "2 installed"})
		event(w, "step", map[string]any{"step": "repository", "status": "skipped", "detail": "not configured"})
		event(w, "result", map[string]any{"pod": "me", "state": "ready", "incarnation": 4})
	})
	m := f.main(t)
	out, errOut, code := m.run(t, "", "boot")
	if code != 0 || out != "me is ready (incarnation 4)\n" {
		t.Errorf("exit %d, output %q", code, out)
	}
	steps := regexp.MustCompile(`[0-9.]+ s`).ReplaceAllString(errOut, "N s")
	if want := "  packages ...\n  packages done after N s: 2 installed\n  repository skipped: not configured\n"; steps != want {
		t.Errorf("progress %q, want %q", steps, want)
	}
	if _, errOut, _ := m.run(t, "", "boot", "--verbose"); !strings.Contains(errOut, "...\nReading lists\\x1b[2J\n  packages done") {
		t.Errorf("verbose: %q", errOut)
	}
	if out, _, code := m.run(t, "", "boot", "--json"); code != 0 || out != `{"pod":"me","state":"ready","incarnation":4}`+"\n" {
		t.Errorf("json: exit %d, %q", code, out)
	}
}

func TestAnInterruptedBootSaysSoAndNothingElse(t *testing.T) {
	f := newFakeServer(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	f.mux.HandleFunc("POST /api/boot", func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // only then does the server notice that its client is gone
		cancel(&signalError{syscall.SIGINT})
		<-r.Context().Done()
	})
	var out, errOut bytes.Buffer
	if code := f.main(t).Run(ctx, []string{"boot"}, nil, &out, &errOut); code != 130 || errOut.String() != "podlife: interrupt\n" {
		t.Errorf("exit %d, %q", code, errOut.String())
	}
}

func TestAFailedBootNamesItsStepAndShowsTheEndOfItsOutput(t *testing.T) {
	f := newFakeServer(t)
	f.mux.HandleFunc("POST /api/boot", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		event(w, "error", map[string]any{"status": 502, "code": "boot_failed", "step": "packages", "exit_code": 100, "log_tail": "E: one\nE: two\n", "detail": "d"})
	})
	m := f.main(t)
	out, errOut, code := m.run(t, "", "boot")
	if want := "the end of its output:\n    E: one\n    E: two\npodlife: the boot failed in step packages with exit code 100\n"; errOut != want || code != 3 || out != "" {
		t.Errorf("exit %d, output %q, errors %q, want %q", code, out, errOut, want)
	}
	out, _, code = m.run(t, "", "boot", "--json")
	var p client.Problem
	if err := json.Unmarshal([]byte(out), &p); err != nil || p.Code != "boot_failed" || p.Step != "packages" || p.ExitCode != 100 || code != 3 {
		t.Errorf("json: exit %d, %q, %v", code, out, err)
	}
}

func TestRefusalsHaveTheirExitCodes(t *testing.T) {
	for _, c := range []struct {
		status int
		code   string
		exit   int
	}{{401, "unauthenticated", 4}, {403, "forbidden_origin", 4}, {429, "too_many_boots", 6}, {503, "engine_unavailable", 7}, {409, "boot_lost", 1}, {500, "internal", 1}} {
		f := newFakeServer(t)
		f.mux.HandleFunc("POST /api/destroy", func(w http.ResponseWriter, r *http.Request) {
			answer(w, c.status, "application/problem+json", map[string]any{"status": c.status, "code": c.code, "detail": "the\x1b detail"})
		})
		_, errOut, code := f.main(t).run(t, "", "destroy", "--yes")
		if code != c.exit || strings.Contains(errOut, "\x1b") || strings.Count(errOut, "\n") != 1 {
			t.Errorf("%s: exit %d, want %d; %q", c.code, code, c.exit, errOut)
		}
	}
}

func TestAnotherProgramIsNotTakenForAServer(t *testing.T) {
	f := newFakeServer(t)
	f.mux.HandleFunc("GET /api/status", func(w http.ResponseWriter, r *http.Request) { answer(w, 200, "text/html", "hello") })
	m := f.main(t)
	for _, command := range []string{"status", "login-link"} { // another content type; no such path
		if _, errOut, code := m.run(t, "", command); code != 1 || !strings.Contains(errOut, "is not a podlife server") {
			t.Errorf("%s: exit %d, %q", command, code, errOut)
		}
	}
}

func TestAnAnswerThatIsCutOffIsAConnectionError(t *testing.T) {
	f := newFakeServer(t)
	f.mux.HandleFunc("POST /api/destroy", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	if _, errOut, code := f.main(t).run(t, "", "destroy", "--yes"); code != 5 || !strings.Contains(errOut, "the outcome is unknown") {
		t.Errorf("exit %d, %q", code, errOut)
	}
}

func TestDestroyAsksNobodyWhereNobodyIs(t *testing.T) {
	f := newFakeServer(t)
	f.mux.HandleFunc("POST /api/destroy", func(w http.ResponseWriter, r *http.Request) {
		t.Error("it was destroyed without a yes")
	})
	if _, _, code := f.main(t).run(t, "y\n", "destroy"); code != 2 {
		t.Errorf("exit %d, want 2", code)
	}
}

func TestStatusIsReadByPeopleAndPrograms(t *testing.T) {
	f := newFakeServer(t)
	f.mux.HandleFunc("GET /api/status", func(w http.ResponseWriter, r *http.Request) {
		answer(w, 200, "application/json", map[string]any{"pod": "me", "state": "ready", "incarnation": 2, "since": time.Now().Add(-90 * time.Minute), "kept_awake_by": []string{"terminal"}, "terminals": 1, "last_error": "boot \x1b"})
	})
	m := f.main(t)
	out, _, code := m.run(t, "", "status")
	for _, want := range []string{"pod           me\n", "state         ready for 1 h 30 min, since ", "incarnation   2\n", "terminals     1\n", "kept awake by terminal\n", `last error    boot \x1b` + "\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if strings.Contains(out, "sleeps") || code != 0 {
		t.Errorf("exit %d\n%s", code, out)
	}
	var s client.Status
	if out, _, _ := m.run(t, "", "status", "--json"); json.Unmarshal([]byte(out), &s) != nil || s.State != "ready" || s.Incarnation != 2 {
		t.Errorf("json: %s", out)
	}
}

func TestStatusSaysWhenAPodWillSleep(t *testing.T) {
	now := time.Date(2024, 5, 6, 7, 8, 9, 0, time.Local)
	at := now.Add(42 * time.Second)
	var b strings.Builder
	if err := printStatus(&b, client.Status{State: "ready", SleepsAt: &at}, now); err != nil || !strings.Contains(b.String(), "sleeps        in 42 s, at 07:08:51, if nobody uses it\n") {
		t.Errorf("%v\n%s", err, b.String())
	}
}

func TestLoginLinkIsAloneOnItsLine(t *testing.T) {
	f := newFakeServer(t)
	f.mux.HandleFunc("POST /api/login-link", func(w http.ResponseWriter, r *http.Request) {
		answer(w, 200, "application/json", map[string]any{"url": "http://127.0.0.1:7500/#login=x&y"})
	})
	m := f.main(t)
	if out, errOut, code := m.run(t, "", "login-link"); out != "http://127.0.0.1:7500/#login=x&y\n" || errOut != "" || code != 0 {
		t.Errorf("exit %d, %q, %q", code, out, errOut)
	}
	if out, _, _ := m.run(t, "", "login-link", "--json"); out != `{"url":"http://127.0.0.1:7500/#login=x&y"}`+"\n" {
		t.Errorf("json: %q", out)
	}
}

func TestTwoServersNeverShareAFolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "b")
	first, err := openDataDir(path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = openDataDir(path)
	if err == nil || !strings.Contains(err.Error(), "another podlife serve (process ") || !strings.Contains(err.Error(), "--data-dir") {
		t.Errorf("the second one: %v", err)
	}
	if err := first.announce("http://x"); err != nil {
		t.Fatal(err)
	}
	first.close()
	if _, err := os.Stat(filepath.Join(path, "address")); !os.IsNotExist(err) {
		t.Errorf("the address stays behind: %v", err)
	}
	again, err := openDataDir(path)
	if err != nil {
		t.Fatalf("after the first has ended: %v", err)
	}
	again.close()
}

func TestTheDataFolderIsOursAloneAndItsTokenStays(t *testing.T) {
	path := t.TempDir()
	if err := os.Chmod(path, 0o755); err != nil {
		t.Fatal(err)
	}
	d, err := openDataDir(path)
	if err != nil {
		t.Fatal(err)
	}
	defer d.close()
	token, err := d.token()
	if err != nil || !regexp.MustCompile(`^[0-9a-f]{64}$`).MatchString(token) {
		t.Fatalf("token %q, %v", token, err)
	}
	if again, err := d.token(); again != token || err != nil {
		t.Errorf("the second time %q, %v", again, err)
	}
	for name, want := range map[string]os.FileMode{"": 0o700, "token": 0o600, "lock": 0o600} {
		info, err := os.Stat(filepath.Join(path, name))
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%q: mode %v, %v, want %v", name, info.Mode(), err, want)
		}
	}
	if err := os.Chmod(filepath.Join(path, "token"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := d.token(); err == nil || !strings.Contains(err.Error(), "remove the file to get a new one") {
		t.Errorf("a token that others could read: %v", err)
	}
}

// A folder that is somebody else's is not taken over: neither closed to its users, nor written through links.
func TestAForeignFolderIsNoDataFolder(t *testing.T) {
	shared := t.TempDir()
	if err := errors.Join(os.Chmod(shared, 0o1777), os.WriteFile(filepath.Join(shared, "theirs"), nil, 0o644)); err != nil {
		t.Fatal(err)
	}
	if _, err := openDataDir(shared); err == nil || !strings.Contains(err.Error(), "--data-dir") {
		t.Errorf("got %v", err)
	}
	if info, err := os.Stat(shared); err != nil || info.Mode().Perm() != 0o777 {
		t.Errorf("the folder's mode is %v, %v", info.Mode(), err)
	}
	own, target := t.TempDir(), filepath.Join(t.TempDir(), "target")
	if err := errors.Join(os.WriteFile(target, []byte("precious"), 0o600), os.Symlink(target, filepath.Join(own, "lock")), os.Chmod(own, 0o700)); err != nil {
		t.Fatal(err)
	}
	if _, err := openDataDir(own); err == nil {
		t.Error("a lock that is a link was taken")
	}
	if b, err := os.ReadFile(target); err != nil || string(b) != "precious" {
		t.Errorf("the link's target is %q, %v", b, err)
	}
}

// Whoever looks reads which image runs, and in words that the next start uses another one.
func TestStatusSaysWhichImageRuns(t *testing.T) {
	runs := &client.RunningImage{Reference: "golang:1.24", ID: "sha256:0123456789abcdef"}
	for want, images := range map[string]client.PodImages{
		"image         golang:1.24\n":                                           {Image: "golang:1.24"},
		"image         golang:1.24 (sha256:0123456789ab)\n":                     {Image: "golang:1.24", Running: runs},
		"(sha256:0123456789ab); outdated: the next start uses debian:12\n":      {Image: "debian:12", Running: runs, Outdated: true},
		"outdated: the next start uses another image, to which this reference ": {Image: "golang:1.24", Running: runs, Outdated: true},
	} {
		var b strings.Builder
		if err := printStatus(&b, client.Status{State: "ready", PodImages: images}, time.Now()); err != nil || !strings.Contains(b.String(), want) {
			t.Errorf("%v, no %q in\n%s", err, want, b.String())
		}
	}
}

func TestCreateSendsTheImageAndARefusalNamesWhatIsAllowed(t *testing.T) {
	f := newFakePods(t)
	m := f.main(t)
	if _, errOut, code := m.run(t, "", "create", "web", "--image", "golang:1.24"); code != 0 || f.pods["web"]["image"] != "golang:1.24" {
		t.Errorf("exit %d, %q, %v", code, errOut, f.pods["web"])
	}
	f.mux.HandleFunc("PATCH /api/pods/{name}", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, 403, "application/problem+json", map[string]any{"status": 403, "code": "image_not_allowed", "detail": "these are: a, b", "allowed": []string{"a", "b"}})
	})
	out, errOut, code := m.run(t, "", "set", "web", "--image", "evil", "--json")
	var p client.Problem
	if err := json.Unmarshal([]byte(out), &p); err != nil || code != 4 || !strings.Contains(errOut, "these are: a, b") || len(p.Allowed) != 2 {
		t.Errorf("exit %d, %s, %s, %v", code, out, errOut, err)
	}
}
