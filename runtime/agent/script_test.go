package agent

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"podlife/runtime/boot"
)

func TestABootProvisionsAndTheNextDoesNothing(t *testing.T) {
	inEveryShell(t, func(t *testing.T, h *box) {
		recipe := boot.Recipe{Repo: boot.Repo{URL: fileURL(h.repository()), Dir: filepath.Join(h.root, "code/example")}, UserScript: "pwd; echo run >>runs"}
		got := h.boot(recipe)
		want := "packages started,packages skipped,repository started,repository done,hook started,hook done,user_script started,user_script done,marker started,marker done"
		if s := strings.Join(got.steps, ","); s != want || !got.result.OK || got.result.Already {
			t.Fatalf("%s\n%+v\n%s", s, got.result, got.log)
		}
		if !strings.Contains(got.log, recipe.Repo.Dir+"\n") || h.read(recipe.Repo.Dir+"/hello") != "hello\n" {
			t.Errorf("not in a clone: %s", got.log)
		}
		if !h.marked(recipe) {
			t.Errorf("the marker is %q", h.read(h.Marker))
		}
		again := h.boot(recipe)
		if len(again.steps) != 0 || !again.result.OK || !again.result.Already || h.read(recipe.Repo.Dir+"/runs") != "run\n" {
			t.Errorf("the second boot: %+v", again)
		}
	})
}

// A file that is nearly the marker is none, and does not stop the boot either.
func TestAWrongMarkerIsReplaced(t *testing.T) {
	inEveryShell(t, func(t *testing.T, h *box) {
		recipe := boot.Recipe{}
		h.boot(recipe)
		good := h.read(h.Marker)
		for _, bad := range []string{
			"", good + "\n", good[:len(good)-1], strings.Replace(good, "alice", "al\x00ice", 1), strings.Replace(good, "incarnation 7", "incarnation 6", 1), strings.Repeat("x", 100000),
		} {
			h.write(h.Marker, bad, 0o644)
			if got := h.boot(recipe); !got.result.OK || !h.marked(recipe) {
				t.Errorf("after %.60q: %+v", bad, got)
			}
		}
		if err := os.Remove(h.Marker); err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir(h.Marker, 0o755); err != nil {
			t.Fatal(err)
		}
		if got := h.boot(recipe); !got.result.OK || !h.marked(recipe) {
			t.Errorf("after a folder: %+v", got)
		}
	})
}

// B26: a failing step ends the boot, and later ones never run. The failing command is in the middle of its step.
func TestAFailingStepEndsTheBoot(t *testing.T) {
	inEveryShell(t, func(t *testing.T, h *box) {
		os.Remove(filepath.Join(h.bin, "tmux"))
		h.program("dpkg", "exit 0")
		h.program("apt-get", `case $* in *update*) echo no network; exit 100;; *) touch `+h.root+`/installed;; esac`)
		got := h.boot(boot.Recipe{})
		if got.result.OK || got.result.Step != "packages" || got.result.ExitCode != 100 || !got.has("packages failed") || !strings.Contains(got.log, "no network") {
			t.Errorf("%+v", got)
		}
		if got.has("hook started") || h.read(h.Home+"/.bashrc") != "" || h.marked(boot.Recipe{}) {
			t.Errorf("a later step ran: %v", got.steps)
		}
		if _, err := os.Stat(h.root + "/installed"); err == nil {
			t.Error("the step went on after its failing command")
		}
	})
}

func TestMissingPackagesAreInstalledWithWhatTheImageHas(t *testing.T) {
	managers := map[string]string{
		"apt-get": "-q -y -o Acquire::Retries=3 -o DPkg::Use-Pty=0 -o DPkg::Lock::Timeout=60 install --no-install-recommends -- ripgrep tmux",
		"apk":     "add --no-cache -- ripgrep tmux",
		"dnf":     "-y install -- ripgrep tmux",
	}
	for manager, want := range managers {
		t.Run(manager, func(t *testing.T) {
			h := newBox(t, nil)
			os.Remove(filepath.Join(h.bin, "tmux"))
			h.program("dpkg", "echo dpkg $* >>"+h.root+"/calls")
			h.program(manager, `echo "$*" >>`+h.root+`/calls
case $* in *ripgrep*) for c in rg tmux; do printf '#!/bin/sh\n' >`+h.bin+`/$c; /bin/chmod +x `+h.bin+`/$c; done;; esac`)
			recipe := boot.Recipe{Packages: []string{"rg=ripgrep", "sed"}} // sed is there
			if got := h.boot(recipe); !got.result.OK || !got.has("packages done") {
				t.Fatalf("%+v", got)
			}
			calls := h.read(h.root + "/calls")
			if !strings.Contains(calls, want+"\n") {
				t.Errorf("called %s", calls)
			}
			if manager == "apt-get" && !strings.HasPrefix(calls, "dpkg --configure -a\n-q -o Acquire::Retries=3 update\n") {
				t.Errorf("called %s", calls)
			}
			if got := h.boot(recipe); !got.result.Already {
				t.Errorf("%+v", got)
			}
		})
	}
}

func TestPackagesThatCannotBeHadAreNamed(t *testing.T) {
	h := newBox(t, nil)
	recipe := boot.Recipe{Packages: []string{"frobnicate"}}
	if got := h.boot(recipe); got.result.Step != "packages" || got.result.ExitCode != 69 || !strings.Contains(got.log, "frobnicate") || !strings.Contains(got.log, "apt-get") {
		t.Errorf("without a package manager: %+v", got)
	}
	h.program("apk", "exit 0")
	if got := h.boot(recipe); got.result.Step != "packages" || got.result.ExitCode != 69 || !strings.Contains(got.log, "command=package") {
		t.Errorf("with a package that lacks the command: %+v", got)
	}
}

func TestAnHTTPSRepositoryNeedsNoMoreCertificatesThanThereAre(t *testing.T) {
	for _, file := range []string{"/etc/ssl/certs/ca-certificates.crt", "/etc/ssl/cert.pem", "/etc/pki/tls/certs/ca-bundle.crt"} {
		if info, err := os.Stat(file); err == nil && info.Size() > 0 {
			h := newBox(t, nil)
			h.program("git", "exit 1")
			if got := h.boot(boot.Recipe{Repo: boot.Repo{URL: "https://example.org/a/b", Dir: h.root + "/code/b"}}); !got.has("packages skipped") {
				t.Errorf("with certificates: %+v", got)
			}
			return
		}
	}
	t.Skip("not_run: this machine has no certificates")
}

func TestARepositoryIsClonedOnceAndWhole(t *testing.T) {
	inEveryShell(t, func(t *testing.T, h *box) {
		source := h.repository()
		dir := filepath.Join(h.root, "code", "my repo")
		recipe := boot.Recipe{Repo: boot.Repo{URL: fileURL(source), Dir: dir}}
		aside := dir + ".before-podlife-"
		boots := func(what, step string) {
			t.Helper()
			os.RemoveAll(h.Marker)
			got := h.boot(recipe)
			if !got.result.OK || !got.has("repository "+step) {
				t.Fatalf("%s: %+v", what, got)
			}
			if h.read(dir+"/hello") != "hello\n" {
				t.Fatalf("%s: no clone", what)
			}
			if _, err := os.Stat(dir + ".podlife-clone"); err == nil {
				t.Errorf("%s: a half-made clone is left", what)
			}
		}
		h.write(dir+".podlife-clone/.git/junk", "", 0o644)
		boots("a half-made clone of ours", "done")
		h.write(dir+"/mine", "work", 0o644)
		boots("a clone that somebody works in", "skipped")
		if h.read(dir+"/mine") != "work" {
			t.Error("somebody's work is gone")
		}
		os.RemoveAll(dir)
		h.git(h.root, "clone", "-q", recipe.Repo.URL, dir)
		boots("a clone that was in the image", "skipped")
		os.Remove(dir + "/.git/index")
		boots("a clone without a checkout", "done")
		os.Remove(dir + "/.git/podlife-complete")
		h.write(dir+"/.git/index.lock", "", 0o644)
		boots("a clone that is being checked out", "done")
		os.RemoveAll(dir)
		h.git(h.root, "init", "-q", dir)
		h.git(dir, "remote", "add", "origin", recipe.Repo.URL)
		boots("a clone that never fetched", "done")
		h.git(dir, "remote", "set-url", "origin", "file:///elsewhere")
		os.Remove(dir + "/.git/podlife-complete")
		h.write(dir+"/mine", "more work", 0o644)
		boots("somebody else's clone", "done")
		os.RemoveAll(dir)
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		boots("an empty folder", "done")
		os.RemoveAll(dir)
		h.write(dir, "a file", 0o644)
		boots("a file", "done")
		kept := ""
		for _, n := range []string{"1", "2", "3", "4"} {
			kept += h.read(aside + n + "/mine")
		}
		if kept != "more work" || h.read(aside+"5") != "a file" {
			t.Errorf("what was in the way is not kept: %q, %q", kept, h.read(aside+"5"))
		}
	})
}

func TestABranchIsCheckedOutAndAMissingOneFails(t *testing.T) {
	h := newBox(t, nil)
	recipe := boot.Recipe{Repo: boot.Repo{URL: fileURL(h.repository()), Dir: h.root + "/code/x", Branch: "dev"}}
	if got := h.boot(recipe); !got.result.OK || h.read(recipe.Repo.Dir+"/dev") != "dev\n" {
		t.Errorf("%+v", got)
	}
	recipe.Repo.Branch, recipe.Repo.Dir = "nowhere", h.root+"/code/y"
	if got := h.boot(recipe); got.result.Step != "repository" || got.result.ExitCode != 128 || !strings.Contains(got.log, "nowhere") {
		t.Errorf("%+v", got)
	}
	if _, err := os.Stat(recipe.Repo.Dir); err == nil {
		t.Error("a failed clone left its folder")
	}
}

func TestTheHookIsWrittenOnceAndKeepsEverythingElse(t *testing.T) {
	inEveryShell(t, func(t *testing.T, h *box) {
		rc, profile := h.Home+"/.bashrc", h.Home+"/.bash_profile"
		real := h.root + "/dotfiles/bashrc"
		h.write(real, "alias x=y", 0o600) // without a line end, behind a link, for one's own eyes
		if err := os.Symlink(real, rc); err != nil {
			t.Fatal(err)
		}
		h.write(profile, "# reads no .bashrc\nexport A=1\n", 0o644)
		for i := range 4 {
			os.RemoveAll(h.Marker)
			if i == 2 { // an older podlife's hook
				h.write(real, strings.Replace(h.read(real), "PODLIFE_HOOK=1", "OTHER=1", 1), 0o600)
			}
			if got := h.boot(boot.Recipe{}); !got.result.OK || got.has("hook done") != (i%2 == 0) {
				t.Fatalf("%+v", got)
			}
		}
		text := h.read(real)
		if !strings.HasPrefix(text, "alias x=y\n# >>> podlife >>>\n") || strings.Count(text, ">>> podlife >>>") != 1 || !strings.Contains(text, "\nexport PODLIFE_HOOK=1\n") {
			t.Errorf(".bashrc is %s", text)
		}
		if info, err := os.Lstat(rc); err != nil || info.Mode()&os.ModeSymlink == 0 {
			t.Error("the link was replaced")
		}
		if info, err := os.Stat(real); err != nil || info.Mode().Perm() != 0o600 {
			t.Error("the mode was changed")
		}
		login := h.read(profile)
		if strings.Count(login, ">>> podlife >>>") != 1 || !strings.HasPrefix(login, "# reads no .bashrc\nexport A=1\n") {
			t.Errorf(".bash_profile is %s", login)
		}
		if h.read(h.Home+"/.profile") != "" {
			t.Error("a file was made that no shell reads")
		}
	})
}

func TestALoginFileThatReadsBashrcIsLeftAlone(t *testing.T) {
	h := newBox(t, nil)
	text := "if [ -f ~/.bashrc ]; then\n  . ~/.bashrc\nfi\n"
	h.write(h.Home+"/.profile", text, 0o644)
	if got := h.boot(boot.Recipe{}); !got.result.OK || h.read(h.Home+"/.profile") != text {
		t.Errorf("%+v\n%s", got, h.read(h.Home+"/.profile"))
	}
}

func TestAFailingUserScriptKeepsItsCode(t *testing.T) {
	inEveryShell(t, func(t *testing.T, h *box) {
		got := h.boot(boot.Recipe{UserScript: "echo out; echo err >&2; exit 9"})
		if got.result.Step != "user_script" || got.result.ExitCode != 9 || !strings.Contains(got.log, "out\nerr\n") || h.read(h.Marker) != "" {
			t.Errorf("%+v", got)
		}
		got = h.boot(boot.Recipe{UserScript: "kill -9 $$"})
		if got.result.Step != "user_script" || got.result.ExitCode != 137 {
			t.Errorf("killed: %+v", got)
		}
	})
}

// What a program prints is log, whatever it looks like, and the steps' own descriptor is closed to it.
func TestNoProgramCanForgeAStep(t *testing.T) {
	inEveryShell(t, func(t *testing.T, h *box) {
		got := h.boot(boot.Recipe{UserScript: `echo "step marker done"
printf '{"step":"marker","status":"done"}\n{"result":{"ok":true}}\n'
(echo "step packages failed 1" >&3) 2>/dev/null
exit 5`})
		if got.result.OK || got.result.ExitCode != 5 || got.has("marker done") || got.has("packages failed") {
			t.Errorf("%+v", got)
		}
	})
}
