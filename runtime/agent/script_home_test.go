package agent

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"podlife/runtime/boot"
)

// nextContainer is a new container of the same home: what was on the last one's disk is not there.
func (h *box) nextContainer() {
	h.t.Helper()
	for _, gone := range []string{filepath.Join(h.root, "var"), filepath.Join(h.root, "opt"), h.RunDir} {
		if err := os.RemoveAll(gone); err != nil {
			h.t.Fatal(err)
		}
	}
}

// tree is everything below a folder: names, modes, contents.
func tree(t *testing.T, root string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		content := ""
		switch {
		case info.Mode().IsRegular():
			b, rerr := os.ReadFile(path)
			content, err = string(b), rerr
		case info.Mode()&fs.ModeSymlink != 0:
			content, err = os.Readlink(path)
		}
		all[path] = fmt.Sprintf("%v %s", info.Mode(), content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func wantSame(t *testing.T, what string, before, after map[string]string) {
	t.Helper()
	for path, was := range before {
		if after[path] != was {
			t.Errorf("%s: %s was %.200q, is %.200q", what, path, was, after[path])
		}
	}
	for path := range maps.Keys(after) {
		if _, had := before[path]; !had {
			t.Errorf("%s: %s is new", what, path)
		}
	}
}

// A home that outlives its container is the user's: the boot of the next one finds what it needs and touches nothing.
func TestABootOnTheHomeOfAnEarlierContainerChangesNothingInIt(t *testing.T) {
	inEveryShell(t, func(t *testing.T, h *box) {
		h.write(h.Home+"/.profile", "export MINE=1\n", 0o600)
		dir := h.Home + "/example"
		recipe := boot.Recipe{Repo: boot.Repo{URL: fileURL(h.repository()), Dir: dir}}
		if got := h.boot(recipe); !got.result.OK {
			t.Fatalf("%+v", got)
		}
		rc := h.Home + "/.bashrc"
		h.write(rc, "alias before=true\n"+h.read(rc)+"alias after=true", 0o644)
		h.write(dir+"/hello", "not committed\n", 0o644)
		h.write(dir+"/staged", "staged\n", 0o644)
		h.git(dir, "add", "staged")
		h.git(dir, "remote", "set-url", "origin", "file:///elsewhere")
		h.git(dir, "checkout", "-qb", "mine")
		before := tree(t, h.Home)
		for range 2 {
			h.nextContainer()
			got := h.boot(recipe)
			if !got.result.OK || got.result.Already || !h.marked(recipe) || !got.has("repository skipped") || !got.has("hook skipped") {
				t.Fatalf("%+v", got)
			}
			wantSame(t, "the next boot", before, tree(t, h.Home))
		}
		h.nextContainer()
		os.Rename(dir+"/.git/config", dir+"/.git/no-config")
		if got := h.boot(recipe); !got.result.OK || !got.has("repository skipped") {
			t.Errorf("a clone that git does not understand any more, but that was finished: %+v", got)
		}
	})
}

// The stamp of a finished clone says of what it is one. An older podlife's says only that it was finished.
func TestTheStampOfACloneDecidesWhetherItIsTheOneThatIsWanted(t *testing.T) {
	inEveryShell(t, func(t *testing.T, h *box) {
		url, dir := fileURL(h.repository()), h.Home+"/example"
		recipe := boot.Recipe{Repo: boot.Repo{URL: url, Dir: dir}}
		stamp := dir + "/.git/podlife-complete"
		boots := func(what, step string) {
			t.Helper()
			h.nextContainer()
			if got := h.boot(recipe); !got.result.OK || !got.has("repository "+step) || h.read(stamp) == "" && step == "done" {
				t.Errorf("%s: %+v, and the stamp is %q", what, got, h.read(stamp))
			}
		}
		boots("the first", "done")
		h.write(dir+"/mine", "of another", 0o644)
		h.write(stamp, "file:///srv/another.git\n", 0o644) // its remote is this one: the user may have set it to anything
		boots("a finished clone of another repository", "done")
		if h.read(dir+".before-podlife-1/mine") != "of another" {
			t.Error("somebody's work is gone")
		}
		h.write(stamp, "", 0o644)
		os.Remove(dir + "/.git/index")
		boots("an older podlife's, of this one", "skipped")
		h.git(dir, "remote", "set-url", "origin", "file:///elsewhere")
		h.write(dir+"/mine", "elsewhere", 0o644)
		boots("an older podlife's, with another remote", "done")
		if h.read(dir+".before-podlife-2/mine") != "elsewhere" {
			t.Error("somebody's work is gone")
		}
	})
}

// What a killed boot was cloning is on a home that the next container has too.
func TestACloneThatABootWasKilledInIsFinishedByTheNextOneAndNothingOfItIsLeft(t *testing.T) {
	inEveryShell(t, func(t *testing.T, h *box) {
		dir := h.Home + "/example"
		recipe := boot.Recipe{Repo: boot.Repo{URL: fileURL(h.repository()), Dir: dir}}
		real, err := os.Readlink(filepath.Join(h.bin, "git"))
		if err != nil {
			t.Fatal(err)
		}
		h.program("git", `mkdir -p `+dir+`.podlife-clone/.git/objects
kill -9 $PPID`)
		if got := h.boot(recipe); got.result.OK || got.result.Step != "repository" || h.read(dir+"/hello") != "" {
			t.Fatalf("%+v", got)
		}
		if _, err := os.Stat(dir + ".podlife-clone"); err != nil {
			t.Fatal(err)
		}
		h.program("git", `exec `+real+` "$@"`)
		const work = "/other.podlife-clone/work" // of the user's, whatever it is called
		for _, of := range []struct {
			what, step string
			recipe     boot.Recipe
		}{{"the one that is wanted", "done", recipe}, {"none is wanted", "skipped", boot.Recipe{}}, {"none", "skipped", recipe}} {
			h.nextContainer()
			h.write(h.Home+"/other.podlife-clone/.git/HEAD", "half", 0o644)
			h.write(h.Home+work, "work", 0o644)
			h.write(h.Home+"/notes.podlife-clone", "a file of the user's", 0o644)
			h.write(h.Home+"/folder.podlife-clone/mine", "no clone", 0o644)
			if got := h.boot(of.recipe); !got.result.OK || !got.has("repository "+of.step) {
				t.Fatalf("%s: %+v", of.what, got)
			}
			if _, err := os.Lstat(dir + ".podlife-clone"); err == nil {
				t.Errorf("%s: left its clone", of.what)
			}
			if h.read(dir+"/hello") != "hello\n" || h.read(h.Home+work) != "work" || h.read(h.Home+"/notes.podlife-clone") == "" || h.read(h.Home+"/folder.podlife-clone/mine") == "" {
				t.Errorf("%s: the clone, or something of the user's, is not there", of.what)
			}
		}
		if aside, _ := filepath.Glob(dir + ".before-podlife-*"); len(aside) != 0 {
			t.Errorf("moved aside: %v", aside)
		}
	})
}

// Somebody who takes the last line of podlife's block away has not given all that follows to podlife.
func TestABlockThatWasSpoiledCostsNoLineOfTheUsers(t *testing.T) {
	inEveryShell(t, func(t *testing.T, h *box) {
		rc := h.Home + "/.bashrc"
		const start, end = "# >>> podlife >>>\n", "# <<< podlife <<<\n"
		for _, text := range []string{
			"first\n" + start + "export PODLIFE_HOOK=1\nsecond\nthird\n",
			"first\n" + start + "second\n" + start + "old\n" + end + "third\n",
			"first\nsecond\n" + end + "third\n" + start,
			start + start + "old\n" + end + "first\nsecond\nthird",
			start + "old\n" + end + "first\n" + start + "older\n" + end + "second\nthird\n",
		} {
			h.write(rc, text, 0o644)
			for i := range 3 {
				h.nextContainer()
				if got := h.boot(boot.Recipe{}); !got.result.OK || got.has("hook done") != (i == 0) {
					t.Fatalf("%q, boot %d: %+v\n%s", text, i, got, h.read(rc))
				}
			}
			got := h.read(rc)
			for _, line := range []string{"first\n", "second\n", "third\n", "export PODLIFE_HOOK=1\n# <<< podlife <<<\n"} {
				if strings.Count(got, line) != 1 {
					t.Errorf("of %q there is %q, with %q %d times", text, got, line, strings.Count(got, line))
				}
			}
			if strings.Contains(got, "old") {
				t.Errorf("of %q an old block is left: %q", text, got)
			}
		}
	})
}

// A link of the home may lead to the disk of a container that is gone.
func TestALinkThatLeadsNowhereIsKept(t *testing.T) {
	inEveryShell(t, func(t *testing.T, h *box) {
		rc, opt := h.Home+"/.bashrc", filepath.Join(h.root, "opt/dotfiles/bashrc")
		for _, to := range []string{opt, "../opt/dotfiles/bashrc"} {
			os.Remove(rc)
			if err := os.Symlink(to, rc); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				h.nextContainer()
				if got := h.boot(boot.Recipe{}); !got.result.OK || !got.has("hook done") {
					t.Fatalf("%+v", got)
				}
				if got, err := os.Readlink(rc); err != nil || got != to {
					t.Errorf("the link is %q, %v", got, err)
				}
				if !strings.Contains(h.read(opt), "PODLIFE_HOOK=1") {
					t.Errorf("without the hook: %q", h.read(opt))
				}
			}
		}
	})
}

// What vouches for a container, and what is noted about its processes, is on its own disk: a home may be a volume that the next container has too.
func TestNothingThatVouchesForAContainerIsBelowItsHome(t *testing.T) {
	l := DefaultLayout()
	if os.Getuid() == 0 && l.Home != boot.HomePath {
		t.Errorf("root's home is %s, and its volume at %s", l.Home, boot.HomePath)
	}
	for _, path := range append([]string{boot.MarkerPath, boot.RunDir, boot.AgentPath, l.Marker, l.RunDir, l.Agent}, l.Secrets...) {
		for _, home := range []string{boot.HomePath, l.Home} {
			if path == home || strings.HasPrefix(path, home+"/") || strings.HasPrefix(home, path+"/") {
				t.Errorf("%s and the home %s are one in the other", path, home)
			}
		}
	}
}

// Nothing in a home has a say in the steps before the marker: a clone runs no hook of a template that is named there, and takes no setting from there.
func TestABootTakesNoSettingsFromTheHome(t *testing.T) {
	inEveryShell(t, func(t *testing.T, h *box) {
		h.write(h.Home+"/t/hooks/post-checkout", "#!/bin/sh\necho run >>"+h.Home+"/hooked\n: >\"$PODLIFE_USER_SCRIPT\"\n", 0o755)
		h.write(h.Home+"/.gitconfig", "[init]\n\ttemplateDir = "+h.Home+"/t\n[core]\n\thooksPath = "+h.Home+"/t/hooks\n[url \"file:///nowhere/\"]\n\tinsteadOf = file:///\n", 0o644)
		h.write(h.Home+"/.config/git/config", "[init]\n\ttemplateDir = "+h.Home+"/t\n", 0o644)
		dir := h.Home + "/example"
		got := h.boot(boot.Recipe{Repo: boot.Repo{URL: fileURL(h.repository()), Dir: dir}, UserScript: "echo done >" + h.Home + "/user-script-ran"})
		if !got.result.OK || h.read(dir+"/hello") != "hello\n" || h.read(h.Home+"/user-script-ran") != "done\n" {
			t.Errorf("%+v", got)
		}
		if h.read(h.Home+"/hooked") != "" {
			t.Error("a hook of the home was run")
		}
	})
}

// Whatever is in the place of a start file, the next boot goes well, and nothing of it is lost.
func TestAHomeCannotMakeItsPodUnbootable(t *testing.T) {
	inEveryShell(t, func(t *testing.T, h *box) {
		outside := t.TempDir()
		if err := os.Mkdir(outside+"/folder", 0o755); err != nil {
			t.Fatal(err)
		}
		for what, make := range map[string]func(file string) error{
			"a folder with work":                   func(file string) error { h.write(file+"/work", "work", 0o644); return nil },
			"a link to a device":                   func(file string) error { return os.Symlink("/dev/null", file) },
			"a link to a folder":                   func(file string) error { return os.Symlink(outside+"/folder", file) },
			"a link to where nothing can be":       func(file string) error { return os.Symlink("/proc/foo/bar", file) },
			"a link to a file that nobody writes":  func(file string) error { return os.Symlink("/proc/version", file) },
			"a link to itself":                     func(file string) error { return os.Symlink(file, file) },
			"what an old boot would have taken up": func(file string) error { return os.MkdirAll(file+".podlife-new", 0o755) },
			"a pipe":                               func(file string) error { return syscall.Mkfifo(file, 0o644) },
		} {
			h.nextContainer()
			bashrc := h.Home + "/.bashrc"
			if err := os.RemoveAll(bashrc); err != nil {
				t.Fatal(err)
			}
			if err := make(bashrc); err != nil {
				t.Fatal(err)
			}
			h.write(h.Home+"/.bashrc.podlife-new-1", "mine", 0o644)
			if got := h.boot(boot.Recipe{}); !got.result.OK || !strings.Contains(h.read(bashrc), "PODLIFE_HOOK=1") {
				t.Errorf("%s: %+v", what, got)
			}
			if h.read(h.Home+"/.bashrc.podlife-new-1") != "mine" {
				t.Errorf("%s: a file of the user's is gone", what)
			}
		}
		if aside, err := filepath.Glob(h.Home + "/.bashrc.before-podlife-*/work"); err != nil || len(aside) != 1 {
			t.Errorf("the work in the folder is at %v, %v", aside, err)
		}
		if info, err := os.Stat("/dev/null"); err != nil || info.Mode().IsRegular() {
			t.Fatalf("the device is %v, %v", info, err)
		}
	})
}
