package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"podlife/runtime/boot"
)

// agentDir is where agentBinary built, for TestMain to remove.
var agentDir string

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		if agentDir != "" {
			os.RemoveAll(agentDir)
		}
		os.Exit(code)
	}))
}

// shells are all shells of this machine that an image may have as /bin/sh.
func shells(t *testing.T) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	for name, argv := range map[string][]string{"dash": {"dash"}, "bash": {"bash", "--posix"}, "busybox": {"busybox", "ash"}} {
		if path, err := exec.LookPath(argv[0]); err == nil {
			found[name] = append([]string{path}, argv[1:]...)
		} else {
			t.Logf("not_run: %s is not installed", name)
		}
	}
	if len(found) == 0 {
		t.Fatal("no shell to test with")
	}
	return found
}

// box is a container's layout in a folder of the test, and a PATH that has only what the test put there: the real script and a real shell run in it.
type box struct {
	Layout
	t    *testing.T
	root string
	bin  string
}

// tools are what the script may use of a minimal image.
var tools = []string{"sh", "cat", "cp", "grep", "head", "mkdir", "mv", "readlink", "rm", "rmdir", "sed", "sleep", "sync", "tail", "touch", "git", "env", "id", "setsid", "ls"}

func newBox(t *testing.T, shell []string) *box {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	h := &box{t: t, root: root, bin: filepath.Join(root, "bin")}
	h.Layout = Layout{
		Marker: filepath.Join(root, "var/lib/podlife/marker"), RunDir: filepath.Join(root, "run"), Secrets: []string{filepath.Join(root, "shm")},
		Agent: "/no-agent", Shell: filepath.Join(root, "shell"), Home: filepath.Join(root, "home"), User: "tester",
	}
	for _, dir := range []string{h.bin, h.Home, h.Secrets[0]} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, tool := range tools {
		path, err := exec.LookPath(tool)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(path, filepath.Join(h.bin, tool)); err != nil {
			t.Fatal(err)
		}
	}
	if shell == nil {
		shell = []string{"/bin/sh"}
	}
	h.program("tmux", "exit 0")
	// A script's interpreter may not be a script for every kernel, so this one is found by its own first line.
	h.write(h.Shell, "#!/bin/sh\nexec "+strings.Join(shell, " ")+" \"$@\"\n", 0o755)
	t.Setenv("PATH", h.bin)
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	return h
}

// write makes a file. It follows no link out of the test's folder: the PATH's commands are links to the machine's own.
func (h *box) write(path, text string, mode fs.FileMode) {
	h.t.Helper()
	if real, err := filepath.EvalSymlinks(path); err == nil && !strings.HasPrefix(real, h.root+"/") {
		h.t.Fatalf("%s is %s, outside of the test's folder", path, real)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		h.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		h.t.Fatal(err)
	}
}

// program puts a command into the PATH, in the place of the link to the real one.
func (h *box) program(name, text string) {
	h.t.Helper()
	if err := os.Remove(filepath.Join(h.bin, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		h.t.Fatal(err)
	}
	h.write(filepath.Join(h.bin, name), "#!/bin/sh\n"+text+"\n", 0o755)
}

func (h *box) read(path string) string {
	h.t.Helper()
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		h.t.Fatal(err)
	}
	return string(text)
}

// git runs git for the test itself.
func (h *box) git(dir string, args ...string) {
	h.t.Helper()
	cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main"}, args...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		h.t.Fatalf("git %v: %v: %s", args, err, out)
	}
}

// repository makes one with a commit on main and another on the branch dev, and gives its path.
func (h *box) repository() string {
	h.t.Helper()
	path := filepath.Join(h.root, "srv", "example.git")
	h.write(filepath.Join(path, "hello"), "hello\n", 0o644)
	h.git(path, "init", "-q")
	h.git(path, "add", ".")
	h.git(path, "commit", "-qm", "one")
	h.git(path, "checkout", "-qb", "dev")
	h.write(filepath.Join(path, "dev"), "dev\n", 0o644)
	h.git(path, "add", ".")
	h.git(path, "commit", "-qm", "two")
	h.git(path, "checkout", "-q", "main")
	return path
}

// told is what a boot said.
type told struct {
	steps  []string // "hook done"
	log    string
	all    string // every byte of it
	result boot.Result
}

func (h *box) request(r boot.Recipe) boot.Request {
	return boot.NewRequest("alice", 7, boot.Script(), r)
}

func (h *box) boot(r boot.Recipe) told { return h.bootRequest(h.t.Context(), h.request(r)) }

func (h *box) bootRequest(ctx context.Context, r boot.Request) told {
	h.t.Helper()
	in, err := json.Marshal(r)
	if err != nil {
		h.t.Fatal(err)
	}
	var out bytes.Buffer
	code := RunBoot(ctx, h.Layout, bytes.NewReader(in), &out, false)
	got := parse(h.t, out.String())
	if (code == 0) != got.result.OK {
		h.t.Errorf("exit code %d and result %+v", code, got.result)
	}
	return got
}

func parse(t *testing.T, out string) told {
	t.Helper()
	got := told{all: out}
	for line := range strings.Lines(out) {
		var e boot.Event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		switch {
		case e.Step != "":
			got.steps = append(got.steps, e.Step+" "+e.Status)
		case e.Result != nil:
			got.result = *e.Result
		default:
			got.log += e.Log
		}
	}
	return got
}

func (got told) has(step string) bool { return slices.Contains(got.steps, step) }

// marked says whether the guard would let somebody in.
func (h *box) marked(r boot.Recipe) bool {
	return Check(OSFiles{}, h.Marker, boot.Marker{Pod: "alice", Incarnation: 7, Recipe: r.WithDefaults().Hash()}).OK
}

// lines is a writer that hands out whole lines; tests wait for one.
type lines struct {
	mu   sync.Mutex // guards the following
	text strings.Builder
	more chan struct{} // closed and made anew by each write
}

func newLines() *lines { return &lines{more: make(chan struct{})} }

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text.Write(p)
	close(l.more)
	l.more = make(chan struct{})
	return len(p), nil
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func (l *lines) wait(t *testing.T, text string) {
	t.Helper()
	late := time.After(15 * time.Second)
	for {
		l.mu.Lock()
		more, has := l.more, strings.Contains(l.text.String(), text)
		l.mu.Unlock()
		if has {
			return
		}
		select {
		case <-more:
		case <-late:
			t.Fatalf("not within 15 s: %q in %q", text, l.String())
		}
	}
}

// alive says whether a process with this in its command line runs.
func alive(t *testing.T, text string) bool {
	t.Helper()
	for _, p := range processes(t) {
		if strings.Contains(p.cmdline, text) {
			return true
		}
	}
	return false
}

type processText struct{ cmdline, environ string }

// processes reads what everybody on the machine can read of them, and their environment.
func processes(t *testing.T) []processText {
	t.Helper()
	dirs, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		t.Fatal(err)
	}
	var all []processText
	for _, dir := range dirs {
		cmdline, _ := os.ReadFile(dir + "/cmdline") // it may have ended
		environ, _ := os.ReadFile(dir + "/environ")
		all = append(all, processText{cmdline: string(cmdline), environ: string(environ)})
	}
	return all
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	deadline := time.Now().Add(15 * time.Second)
	for !ok() {
		if time.Now().After(deadline) {
			t.Fatalf("not within 15 s: %s", what)
		}
		<-time.After(10 * time.Millisecond)
	}
}

// inEveryShell runs a test once for each shell.
func inEveryShell(t *testing.T, test func(t *testing.T, h *box)) {
	t.Helper()
	for name, shell := range shells(t) {
		t.Run(name, func(t *testing.T) { test(t, newBox(t, shell)) })
	}
}

func fileURL(path string) string { return fmt.Sprintf("file://%s", path) }
