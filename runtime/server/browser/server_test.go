package browser

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"podlife/runtime/engine"
	"podlife/runtime/engine/docker"
)

// testImage has tmux, git and an example repository in it, so that a boot needs no network.
const testImage = "podlife/test:bookworm"

// bootWait is how long a container on a busy machine may take from nothing to a shell.
const bootWait = 2 * time.Minute

// buildProgram builds the real podlife, with the page in it.
func buildProgram(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "podlife")
	build := exec.Command("go", "build", "-o", path, "podlife/cmd/podlife")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build podlife: %v: %s", err, out)
	}
	return path
}

// server is a real podlife with Docker, in a folder of its own.
type server struct {
	t         *testing.T
	program   string
	data      string
	URL       string
	loginPath string // works once
}

// startServer runs `podlife serve` until the test ends; then its container goes too.
func startServer(t *testing.T, program string, arguments ...string) *server {
	t.Helper()
	dir := t.TempDir()
	s := &server{t: t, program: program, data: filepath.Join(dir, "data")}
	serve := exec.Command(program, append([]string{
		"serve", "--listen", "127.0.0.1:0", "--data-dir", s.data, "--name-prefix", "podlife-browser", "--image", testImage, "--network", "none",
	}, arguments...)...)
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	serve.Stderr = log
	output, err := serve.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := serve.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if s.URL != "" {
			s.cli(context.Background(), "destroy", "--yes")
		}
		if err := serve.Process.Signal(syscall.SIGTERM); err != nil {
			t.Errorf("stop the server: %v", err)
		}
		if err := serve.Wait(); err != nil {
			t.Errorf("the server ended badly: %v", err)
		}
		if text, err := os.ReadFile(log.Name()); err == nil && t.Failed() {
			t.Logf("the server's log:\n%s", text)
		}
		log.Close()
	})
	lines := bufio.NewScanner(output)
	for lines.Scan() {
		if link := regexp.MustCompile(`^\s*(http://[^/]+)(/#login=\S+)$`).FindStringSubmatch(lines.Text()); link != nil {
			s.URL, s.loginPath = link[1], link[2]
			break
		}
	}
	if s.URL == "" {
		t.Fatalf("the server printed no login link: %v", lines.Err())
	}
	go func() { _, _ = io.Copy(io.Discard, output) }() // ends with the server
	return s
}

// cli runs a podlife command against this server.
func (s *server) cli(ctx context.Context, command ...string) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(ctx, bootWait)
	defer cancel()
	run := exec.CommandContext(ctx, s.program, append(command, "--server", s.URL, "--token-file", filepath.Join(s.data, "token"))...)
	if out, err := run.CombinedOutput(); err != nil {
		s.t.Errorf("podlife %s: %v: %s", strings.Join(command, " "), err, out)
	}
}

// removeBehind removes a container behind the server's back.
func removeBehind(t *testing.T, id string) {
	t.Helper()
	if id == "" {
		t.Fatal("no container to remove")
	}
	e, err := docker.New(docker.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	ctx, cancel := context.WithTimeout(t.Context(), wait)
	defer cancel()
	if err := e.Remove(ctx, engine.ID(id)); err != nil {
		t.Fatal(err)
	}
}
