package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"podlife/runtime/boot"
)

func TestALongLogArrivesWhole(t *testing.T) {
	h := newBox(t, nil)
	got := h.boot(boot.Recipe{UserScript: "i=0; line=$(head -c 999 /dev/zero | sed 's/./x/g'); while [ $i -lt 1000 ]; do echo \"$line\"; i=$((i+1)); done; printf 'ü\\377end'"})
	if !got.result.OK || len(got.log) < 1000 || !strings.HasSuffix(got.log, "ü\uFFFDend") {
		t.Errorf("%d bytes of log, ending in %q, %+v", len(got.log), got.log[max(0, len(got.log)-10):], got.result)
	}
}

// A program that the user's script left running keeps the pipes; the boot does not wait for it.
func TestABootDoesNotWaitForWhatItLeavesRunning(t *testing.T) {
	h := newBox(t, nil)
	begun := time.Now()
	got := h.boot(boot.Recipe{UserScript: "sleep 71 & echo started"})
	if !got.result.OK || !strings.Contains(got.log, "started") || time.Since(begun) > 10*time.Second {
		t.Errorf("%+v after %s", got, time.Since(begun))
	}
}

// cut begins a boot that waits in its user script, cuts it, and gives what it said.
func (h *box) cut(script string, ready string, cut func(stdin *io.PipeWriter, cancel func())) told {
	h.t.Helper()
	r, w := io.Pipe()
	ctx, cancel := context.WithCancel(h.t.Context())
	defer cancel()
	out, done := newLines(), make(chan int, 1)
	go func() { done <- RunBoot(ctx, h.Layout, r, out, true) }()
	if err := json.NewEncoder(w).Encode(h.request(boot.Recipe{UserScript: script})); err != nil {
		h.t.Fatal(err)
	}
	out.wait(h.t, ready)
	cut(w, cancel)
	<-done
	w.Close()
	return parse(h.t, out.String())
}

func TestABootWhoseServerIsGoneEnds(t *testing.T) {
	inEveryShell(t, func(t *testing.T, h *box) {
		got := h.cut("echo ready; sleep 72", "ready", func(w *io.PipeWriter, _ func()) { w.Close() })
		if got.result.OK || got.result.Step != "user_script" || got.result.ExitCode == 0 {
			t.Errorf("%+v", got)
		}
		eventually(t, "nothing of it is left", func() bool { return !alive(t, "sleep\x0072") && !alive(t, h.RunDir) })
		if h.read(h.Marker) != "" {
			t.Error("it left a marker")
		}
	})
}

func TestAScriptThatIgnoresBeingToldToEndIsKilled(t *testing.T) {
	h := newBox(t, nil)
	got := h.cut("trap '' TERM; echo ready; sleep 73; sleep 73; sleep 73", "ready", func(_ *io.PipeWriter, cancel func()) { cancel() })
	if got.result.OK || got.result.Step != "user_script" {
		t.Errorf("%+v", got)
	}
	eventually(t, "nothing of it is left", func() bool { return !alive(t, "sleep\x0073") && !alive(t, h.RunDir) })
}

// The shell that runs the script may ignore it too.
func TestAShellThatIgnoresBeingToldToEndIsKilled(t *testing.T) {
	h := newBox(t, nil)
	h.program("stubborn", "trap '' TERM\necho ready\nwhile :; do sleep 0.0781; done")
	h.Shell = h.bin + "/stubborn"
	got := h.cut("true", "ready", func(_ *io.PipeWriter, cancel func()) { cancel() })
	if got.result.OK || got.result.ExitCode != 137 {
		t.Errorf("%+v", got)
	}
}

// B23: the marker is written after everything that it vouches for.
func TestABootThatWasCutRunsAgain(t *testing.T) {
	h := newBox(t, nil)
	script := "echo run >>$HOME/runs; echo ready; [ -e $HOME/go-on ] || sleep 74"
	h.cut(script, "ready", func(_ *io.PipeWriter, cancel func()) { cancel() })
	h.write(h.Home+"/go-on", "", 0o644)
	if got := h.boot(boot.Recipe{UserScript: script}); !got.result.OK || got.result.Already || h.read(h.Home+"/runs") != "run\nrun\n" {
		t.Errorf("%+v, runs %q", got, h.read(h.Home+"/runs"))
	}
}

func TestTwoBootsOfOneContainerRunOneAfterTheOther(t *testing.T) {
	h := newBox(t, nil)
	h.write(h.Shell, "#!/bin/sh\necho started >>"+h.root+"/shells\nexec /bin/sh \"$@\"\n", 0o755)
	script := "echo run >>$HOME/runs; echo ready; while [ ! -e $HOME/go-on ]; do sleep 0.05; done"
	var second chan told
	first := h.cut(script, "ready", func(*io.PipeWriter, func()) {
		second = make(chan told, 1)
		go func() { second <- h.boot(boot.Recipe{UserScript: script}) }()
		h.write(h.Home+"/go-on", "", 0o644)
	})
	if got := <-second; !first.result.OK || !got.result.Already || h.read(h.Home+"/runs") != "run\n" {
		t.Errorf("%+v\n%+v", first, got)
	}
	if shells := h.read(h.root + "/shells"); shells != "started\n" {
		t.Errorf("the one that waited started a script: %q", shells)
	}
}

// A re-boot of a provisioned container must not fail for want of disk, so it uses none: its folder cannot be made here.
func TestABootWithNothingToDoWritesNothing(t *testing.T) {
	h := newBox(t, nil)
	r := h.request(boot.Recipe{Repo: boot.Repo{URL: fileURL(h.repository()), Dir: h.root + "/code"}})
	if got := h.bootRequest(t.Context(), r); !got.result.OK || got.result.Already {
		t.Fatalf("%+v", got)
	}
	if err := os.RemoveAll(h.RunDir); err != nil {
		t.Fatal(err)
	}
	h.write(h.RunDir, "no folder", 0o644)
	if got := h.bootRequest(t.Context(), r); !got.result.OK || !got.result.Already || len(got.steps) != 0 || got.log != "" {
		t.Errorf("%+v", got)
	}
	// And where there is something to do it is a failure that says why.
	r.Incarnation++
	if got := h.bootRequest(t.Context(), r); got.result.OK || got.result.Detail == "" {
		t.Errorf("%+v", got)
	}
}

func TestAnImageWithoutAShellIsATypedFailure(t *testing.T) {
	h := newBox(t, nil)
	h.Shell = h.root + "/none"
	if got := h.boot(boot.Recipe{}); got.result.Step != "shell" || got.result.ExitCode != 127 || got.result.Detail == "" {
		t.Errorf("%+v", got)
	}
	h.write(h.Shell, "#!/bin/sh\n", 0o644)
	if got := h.boot(boot.Recipe{}); got.result.Step != "shell" || got.result.ExitCode != 126 {
		t.Errorf("%+v", got)
	}
}

// A container keeps the agent that it was started with, and a server that was updated asks it for its own script.
func TestABootRunsTheScriptThatItIsGiven(t *testing.T) {
	h := newBox(t, nil)
	witness := filepath.Join(h.Home, "by-the-next-version")
	old, updated := h.request(boot.Recipe{}), boot.NewRequest("alice", 7, strings.Replace(boot.Script(), "set -eu\n", "set -eu\n: >"+witness+"\n", 1), boot.Recipe{})
	marks := func(r boot.Request) boot.Reason {
		return Check(OSFiles{}, h.Marker, boot.Marker{Pod: r.Pod, Incarnation: r.Incarnation, Recipe: r.RecipeHash}).Reason
	}
	if got := h.bootRequest(t.Context(), old); !got.result.OK || marks(old) != "" || marks(updated) != boot.OtherRecipe {
		t.Fatalf("%+v; the marker is %q to the old one, and %q to the updated one", got.result, marks(old), marks(updated))
	}
	if got := h.bootRequest(t.Context(), updated); !got.result.OK || got.result.Already || marks(updated) != "" || marks(old) != boot.OtherRecipe {
		t.Fatalf("%+v; the marker is %q to the old one, and %q to the updated one", got.result, marks(old), marks(updated))
	}
	if _, err := os.Stat(witness); err != nil {
		t.Errorf("its text was not run: %v", err)
	}
	if got := h.bootRequest(t.Context(), updated); !got.result.Already {
		t.Errorf("the same again: %+v", got.result)
	}
}

func TestAScriptThatPrintsNothingFinishes(t *testing.T) {
	h := newBox(t, nil)
	got := h.bootRequest(t.Context(), boot.NewRequest("alice", 7, "exec >/dev/null 2>&1\n"+boot.Script(), boot.Recipe{}))
	if !got.result.OK || got.log != "" || !got.has("marker done") {
		t.Errorf("%+v, %s", got.result, got.all)
	}
}

func TestRequestsAreBoundedAndStrict(t *testing.T) {
	h := newBox(t, nil)
	good, err := json.Marshal(h.request(boot.Recipe{}))
	if err != nil {
		t.Fatal(err)
	}
	with := func(change func(r *boot.Request)) string {
		r := h.request(boot.Recipe{})
		change(&r)
		b, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	for name, in := range map[string]string{
		"nothing": "", "no JSON": "hello", "cut": string(good[:len(good)-1]), "unknown field": `{"extra":1,` + string(good[1:]),
		"too long":      `{"pod":"` + strings.Repeat("a", boot.MaxRequest+100) + `"}`,
		"bad pod":       with(func(r *boot.Request) { r.Pod = "../x" }),
		"bad recipe":    with(func(r *boot.Request) { r.Recipe.Packages = []string{"-y"} }),
		"no script":     with(func(r *boot.Request) { r.Script = "" }),
		"a long script": with(func(r *boot.Request) { r.Script = strings.Repeat("#", 64<<10+1) }),
		"no hash":       with(func(r *boot.Request) { r.RecipeHash = "" }),
		"no text":       with(func(r *boot.Request) { r.Script = "a\x00b" }),
	} {
		var out bytes.Buffer
		code := RunBoot(t.Context(), h.Layout, strings.NewReader(in), &out, false)
		if got := parse(t, out.String()); code != 1 || got.result.OK || got.result.Step != "request" || got.result.Detail == "" || len(got.steps) != 0 {
			t.Errorf("%s: %d, %.300s", name, code, out.String())
		}
	}
	if _, err := os.Stat(h.RunDir); err == nil {
		t.Error("a refused request did something")
	}
}

func TestTheScriptsEnvironmentIsTheContainersWithoutOurOwn(t *testing.T) {
	h := newBox(t, nil)
	t.Setenv("PODLIFE_TAB", "other")
	t.Setenv("FROM_IMAGE", "yes")
	got := h.boot(boot.Recipe{UserScript: "env"})
	for _, want := range []string{"FROM_IMAGE=yes\n", "HOME=" + h.Home + "\n", "PODLIFE_POD=alice\n"} {
		if !strings.Contains(got.log, want) {
			t.Errorf("%q is not in %s", want, got.log)
		}
	}
	if strings.Contains(got.log, "PODLIFE_TAB") {
		t.Error("a variable of ours came from outside")
	}
}
