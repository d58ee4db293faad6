package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"podlife/runtime/client"
)

// dockerSays runs the engine's own command line, and gives what it prints.
func dockerSays(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.Command("docker", args...).CombinedOutput()
	if err != nil {
		t.Fatalf("docker %q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// otherImage makes the base image once more, with what a boot wants where there is no network, under this reference; it gives the image's ID.
func otherImage(t *testing.T, reference string) string {
	t.Helper()
	id := dockerSays(t, "create", "--network", "none", "podlife/base:bookworm", "true")
	defer dockerSays(t, "rm", "-f", id)
	stub := filepath.Join(t.TempDir(), "tmux")
	if err := os.WriteFile(stub, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"tmux", "git", "only-here"} {
		dockerSays(t, "cp", stub, id+":/usr/local/bin/"+command)
	}
	return dockerSays(t, "commit", id, reference)
}

// imagesRig is a server on Docker, and the pod web on it, a workspace.
type imagesRig struct {
	t *testing.T
	m *Main
}

func (r imagesRig) does(args ...string) string {
	r.t.Helper()
	out, errOut, code := r.m.run(r.t, "", args...)
	if code != 0 {
		r.t.Fatalf("podlife %q: exit %d, %s%s", args, code, out, errOut)
	}
	return out
}

// looks wants the same of the status, for programs and in words, and of the list. Where a tag leads is looked up every few seconds.
func (r imagesRig) looks(reference, id string, outdated bool) {
	r.t.Helper()
	var s client.Status
	for deadline := time.Now().Add(15 * time.Second); ; time.Sleep(200 * time.Millisecond) { // polling another process
		if err := json.Unmarshal([]byte(r.does("status", "web", "--json")), &s); err != nil {
			r.t.Fatal(err)
		}
		if s.Outdated == outdated && s.Running != nil || time.Now().After(deadline) {
			break
		}
	}
	var all []client.Pod
	if err := json.Unmarshal([]byte(r.does("ls", "--class", "workspace", "--json")), &all); err != nil || len(all) != 1 {
		r.t.Fatalf("%v, %+v", err, all)
	}
	for _, i := range []client.PodImages{s.PodImages, all[0].PodImages} {
		if i.Running == nil || i.Running.Reference != reference || i.Running.ID != id || i.Outdated != outdated {
			r.t.Errorf("it runs %+v, outdated %v; want %s %s, outdated %v", i.Running, i.Outdated, reference, id, outdated)
		}
	}
	if words := r.does("status", "web"); strings.Contains(words, "outdated") != outdated {
		r.t.Errorf("outdated %v is told as %s", outdated, words)
	}
}

func (r imagesRig) again() {
	r.t.Helper()
	r.does("stop", "web")
	r.does("start", "web")
}

// A workspace is given another image, by its setting and by a tag that is moved: its home is kept, and what it runs is told as it is.
func TestAWorkspacesImageIsChangedOnDockerAndItsHomeIsKept(t *testing.T) {
	if os.Getenv("PODLIFE_TEST_DOCKER") != "1" {
		t.Skip("not_run: needs Docker; set PODLIFE_TEST_DOCKER=1")
	}
	repository := fmt.Sprintf("podlife/image-test-%d", os.Getpid())
	moving, other := repository+":moving", repository+":other"
	stock := dockerSays(t, "image", "inspect", "--format", "{{.Id}}", "podlife/test:bookworm")
	otherID := otherImage(t, other)
	dockerSays(t, "tag", "podlife/test:bookworm", moving)
	t.Cleanup(func() { dockerSays(t, "rmi", moving, other) })
	pinned := repository + "@" + otherID

	p := &program{
		t: t, binary: filepath.Join(t.TempDir(), "podlife"), dir: filepath.Join(t.TempDir(), "data"), out: filepath.Join(t.TempDir(), "out"),
		extra: []string{"--default-class", "workspace", "--images", "podlife/test:bookworm," + moving + "," + other + "," + pinned},
	}
	build := exec.Command("go", "build", "-o", p.binary, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, wrong := range []string{"podlife/no-such-image:never", repository + "@sha256:" + strings.Repeat("0", 64), "podlife/base@" + stock} {
		out, err := exec.Command(p.binary, append(p.args(), "--images", wrong)...).CombinedOutput()
		if exit, ok := err.(*exec.ExitError); !ok || exit.ExitCode() != exitEngine || !strings.Contains(string(out), wrong) {
			t.Errorf("with %s it ended with %v\n%s", wrong, err, out)
		}
	}
	p.start()
	t.Cleanup(func() {
		if p.cmd.ProcessState != nil {
			return
		}
		remove := exec.Command(p.binary, "rm", "web", "--yes") // the test has failed, and leaves nothing
		remove.Env = append(os.Environ(), "PODLIFE_DATA_DIR="+p.dir)
		if out, err := remove.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		_ = p.cmd.Process.Kill()
		<-p.ended
	})
	r := imagesRig{t, &Main{Environ: []string{"PODLIFE_DATA_DIR=" + p.dir}}}
	r.does("create", "web", "--start", "--image", moving)
	r.does("exec", "--pod", "web", "--", "sh", "-c", "echo work >/root/work")
	r.looks(moving, stock, false)

	r.does("set", "web", "--image", other)
	r.looks(moving, stock, true)
	r.again()
	r.looks(other, otherID, false)
	if out := r.does("exec", "--pod", "web", "--", "sh", "-c", "cat /root/work && command -v only-here"); out != "work\n/usr/local/bin/only-here\n" {
		t.Errorf("after the change it says %q", out)
	}

	r.does("set", "web", "--image", moving)
	r.again()
	r.looks(moving, stock, false)
	dockerSays(t, "tag", other, moving)
	r.looks(moving, stock, true)
	r.again()
	r.looks(moving, otherID, false)

	dockerSays(t, "tag", "podlife/test:bookworm", other)
	r.does("set", "web", "--image", pinned)
	r.looks(moving, otherID, false) // it is the same image
	r.again()
	r.looks(pinned, otherID, false)
	if out := r.does("exec", "--pod", "web", "--", "cat", "/root/work"); out != "work\n" {
		t.Errorf("at the end its home has %q", out)
	}
	if _, errOut, code := r.m.run(t, "", "set", "web", "--image", "debian"); code != exitRefused || !strings.Contains(errOut, moving) {
		t.Errorf("an image that is not allowed: exit %d, %s", code, errOut)
	}
	r.does("rm", "web", "--yes")
	if code := p.stop(syscall.SIGTERM); code != 0 {
		t.Errorf("SIGTERM: exit %d\n%s", code, p.said())
	}
}
