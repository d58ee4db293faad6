package agent

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"podlife/runtime/boot"
)

const token = "tok-5f1c+/ü-secret"

// agentBinary builds the agent once for all tests of this run.
var agentBinary = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "podlife-agent-")
	if err != nil {
		return "", err
	}
	agentDir = dir
	path := filepath.Join(dir, "podlife")
	cmd := exec.Command("go", "build", "-buildvcs=false", "-o", path, "podlife/runtime/agent/testagent")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the agent: %w: %s", err, out)
	}
	return path, nil
})

// gitServer serves the folder over HTTP to whoever has the credentials; seen is called in the middle of each clone, while git waits for the answer.
func gitServer(t *testing.T, root string, seen func(r *http.Request)) *httptest.Server {
	t.Helper()
	execPath, err := exec.Command("git", "--exec-path").Output()
	if err != nil {
		t.Fatal(err)
	}
	backend := &cgi.Handler{
		Path: filepath.Join(strings.TrimSpace(string(execPath)), "git-http-backend"),
		Env:  []string{"GIT_PROJECT_ROOT=" + root, "GIT_HTTP_EXPORT_ALL=1"},
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, pass, _ := r.BasicAuth(); user != "alice" || pass != token {
			w.Header().Set("WWW-Authenticate", `Basic realm="git"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		seen(r)
		backend.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server
}

func newSecretHost(t *testing.T) *box {
	t.Helper()
	binary, err := agentBinary()
	if err != nil {
		t.Fatal(err)
	}
	h := newBox(t, nil)
	h.Agent = binary
	return h
}

// holds says which file under the folder has the token in it.
func holds(t *testing.T, folder string) (found []string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		if bytes.Contains(text, []byte(token)) {
			found = append(found, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestATokenClonesAndIsSeenByNobody(t *testing.T) {
	h := newSecretHost(t)
	h.repository()
	var mu sync.Mutex // guards what the server's goroutines see
	looks, secrets, modes := 0, []string(nil), ""
	server := gitServer(t, filepath.Join(h.root, "srv"), func(*http.Request) {
		mu.Lock()
		defer mu.Unlock()
		looks++
		for _, p := range processes(t) {
			if strings.Contains(p.cmdline, token) || strings.Contains(p.environ, token) {
				t.Errorf("a process has the token: %q %q", p.cmdline, p.environ)
			}
			if strings.Contains(p.cmdline, "git") && strings.Contains(p.environ, h.root) {
				for _, kv := range strings.Split(p.environ, "\x00") {
					if strings.HasPrefix(kv, "GIT_ASKPASS=") || strings.HasPrefix(kv, "GIT_TERMINAL_PROMPT=") {
						modes += kv + "\n"
					}
				}
			}
		}
		secrets = append(secrets, holds(t, h.root)...)
		for _, path := range secrets {
			file, ferr := os.Stat(path)
			dir, derr := os.Stat(filepath.Dir(path))
			if ferr != nil || derr != nil || file.Mode().Perm() != 0o600 || dir.Mode().Perm() != 0o700 {
				t.Errorf("%s: %v %v", path, file.Mode(), dir.Mode())
			}
		}
	})
	r := h.request(boot.Recipe{
		Repo:       boot.Repo{URL: server.URL + "/example.git", Dir: h.root + "/code/example"},
		UserScript: "ls " + h.Secrets[0] + " | sed 's/^/left: /'; cat .git/config",
	})
	r.Username, r.Token = "alice", token
	got := h.bootRequest(t.Context(), r)
	if !got.result.OK || h.read(r.Recipe.Repo.Dir+"/hello") != "hello\n" {
		t.Fatalf("%+v", got)
	}
	mu.Lock()
	defer mu.Unlock()
	if looks == 0 || len(secrets) == 0 {
		t.Errorf("looked %d times and found the secret in %v: the test has seen nothing", looks, secrets)
	}
	if !strings.Contains(modes, "GIT_ASKPASS="+h.RunDir) || !strings.Contains(modes, "GIT_TERMINAL_PROMPT=0") {
		t.Errorf("git's environment: %q", modes)
	}
	if strings.Contains(got.all, token) || strings.Contains(got.log, "left: ") {
		t.Errorf("after the clone: %s", got.log)
	}
	if left := holds(t, h.root); len(left) != 0 {
		t.Errorf("the token is left in %v", left)
	}
}

// A server may say the token back to us in its error.
func TestATokenIsScrubbedFromTheLogAndRemovedAfterAFailure(t *testing.T) {
	h := newSecretHost(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, pass, ok := r.BasicAuth(); ok {
			w.Header().Set("Content-Type", "text/plain; charset=utf-8")
			w.WriteHeader(http.StatusForbidden)
			fmt.Fprintf(w, "you are not welcome with %s, %s\n", pass, r.Header.Get("Authorization"))
			return
		}
		w.Header().Set("WWW-Authenticate", `Basic realm="git"`)
		w.WriteHeader(http.StatusUnauthorized)
	}))
	defer server.Close()
	r := h.request(boot.Recipe{Repo: boot.Repo{URL: server.URL + "/example.git", Dir: h.root + "/code/example"}})
	r.Token = token
	got := h.bootRequest(t.Context(), r)
	if got.result.OK || got.result.Step != "repository" || !strings.Contains(got.log, "not welcome with ***, Basic ***") || strings.Contains(got.all, token) {
		t.Errorf("%+v", got)
	}
	if left := holds(t, h.root); len(left) != 0 {
		t.Errorf("the token is left in %v", left)
	}
	if left, _ := filepath.Glob(h.Secrets[0] + "/*"); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}

// A repository's host may send git to another; that one is told nothing.
func TestATokenGoesToNoOtherHost(t *testing.T) {
	h := newSecretHost(t)
	var mu sync.Mutex // guards asked and got
	asked, got := 0, ""
	thief := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		asked++
		got += r.Header.Get("Authorization")
		w.Header().Set("WWW-Authenticate", `Basic realm="git"`)
		w.WriteHeader(http.StatusUnauthorized)
	}))
	defer thief.Close()
	server := httptest.NewServer(http.RedirectHandler(thief.URL+"/example.git/info/refs?service=git-upload-pack", http.StatusFound))
	defer server.Close()
	r := h.request(boot.Recipe{Repo: boot.Repo{URL: server.URL + "/example.git", Dir: h.root + "/code/example"}})
	r.Token = token
	result := h.bootRequest(t.Context(), r)
	mu.Lock()
	defer mu.Unlock()
	if result.result.OK || asked == 0 || got != "" {
		t.Errorf("asked %d times, got %q, %+v", asked, got, result)
	}
}

func TestAWrongTokenFailsAtOnceWithoutAPrompt(t *testing.T) {
	h := newSecretHost(t)
	h.repository()
	server := gitServer(t, filepath.Join(h.root, "srv"), func(*http.Request) {})
	for _, tok := range []string{"wrong-token-of-mine", ""} {
		r := h.request(boot.Recipe{Repo: boot.Repo{URL: server.URL + "/example.git", Dir: h.root + "/code/example"}})
		r.Token = tok
		begun := time.Now()
		got := h.bootRequest(t.Context(), r)
		if got.result.OK || got.result.Step != "repository" || got.result.ExitCode != 128 || time.Since(begun) > 20*time.Second {
			t.Errorf("%q: %+v after %s", tok, got, time.Since(begun))
		}
	}
}

// What a boot that was killed left of a secret is gone before the next one does anything.
func TestASecretThatAKilledBootLeftIsRemoved(t *testing.T) {
	h := newBox(t, nil)
	h.write(filepath.Join(h.Secrets[0], secretPrefix+"1", "token"), token, 0o600)
	if got := h.boot(boot.Recipe{}); !got.result.OK || len(holds(t, h.root)) != 0 {
		t.Errorf("%+v, %v", got, holds(t, h.root))
	}
}

func TestAskpassAnswersGitAndNobodyElse(t *testing.T) {
	h := newBox(t, nil)
	s, err := putSecret(h.Layout, "", token, "https://example.org:8443/a/b.git")
	if err != nil {
		t.Fatal(err)
	}
	for question, want := range map[string]string{
		"Username for 'https://example.org:8443': ":            defaultUser + "\n",
		"Password for 'https://alice@example.org:8443': ":      token + "\n",
		"Password for 'https://example.org:8443/a/b.git': ":    token + "\n",
		"Password for 'https://alice@example.org': ":           "",
		"Password for 'http://alice@example.org:8443': ":       "",
		"Password for 'https://example.org:8443@evil.test/': ": "",
		"Password for 'https://evil.test/example.org:8443': ":  "",
		"Are you sure you want to continue connecting?":        "",
		"Password: ": "",
		"":           "",
	} {
		var out bytes.Buffer
		err := Askpass(s.dir, question, &out)
		if out.String() != want || (err == nil) != (want != "") || err != nil && strings.Contains(err.Error(), token) {
			t.Errorf("%q: %q, %v", question, out.String(), err)
		}
	}
	s.forget()
	if err := Askpass(s.dir, "Password for 'https://example.org:8443': ", &bytes.Buffer{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("after it was forgotten: %v", err)
	}
}
