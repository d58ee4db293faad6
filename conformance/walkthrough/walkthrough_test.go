package walkthrough

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const (
	root = "../.."
	page = "docs/lifecycle-change.md"
)

// A block is a fenced part of the page that does something: a patch (diff) or commands that make files (bash).
type block struct {
	section string // "1" for one below "## 1. ..."
	nth     int    // of its section, from 1
	kind    string
	text    string
}

func (b block) String() string {
	return fmt.Sprintf("block %d of section %s (%s)", b.nth, b.section, b.kind)
}

// A look is a test that the page calls red or green after a block.
type look struct {
	section string
	nth     int
	pkg     string
	run     string
	red     string // what a red one says; "" is green
}

// looks are in the order of the page. Tests that count guards or states are left out: those counts change with every change.
func looks() []look {
	const (
		switches  = "TestSwitchesAreThoseOfTheSpecification"
		registry  = "TestTheRegistryIsWhole"
		explained = "TestABehaviourOfTheSpecificationIsExplained"
		crash     = "TestACrashAtEveryMomentIsSurvived"
		mutant    = "TestEverySwitchHasAMutant"
	)
	return []look{
		{"1", 1, "model/podruntime", switches, "the table has the switches"},
		{"1", 1, "conformance/specs", registry, "PodRuntime.tla can switch Stop.noRun off, but configs/PodRuntime/off/Stop.noRun.cfg is not in the registry"},
		{"2", 1, "conformance/specs", registry, ""},
		{"3", 1, "model/podruntime", switches, ""},
		{"3", 1, "model/explain", explained, "NoSleepUnderAttach violated"},
		{"3", 2, "model/explain", explained, ""},
		{"4", 1, "runtime/pod", "TestStop", "Stop is not enabled: false guards: noTerminal"},
		{"4", 2, "runtime/pod", "TestStop", ""},
		{"4", 2, "conformance/faults", crash, "no scenario has the server cut off at Stop"},
		{"5", 1, "conformance/faults", crash, ""},
		{"5", 1, "mutants/auto", mutant, "no mutant is without Stop.noTerminal"},
		{"6", 1, "mutants/auto", mutant, ""},
	}
}

func TestTheWalkThroughCanBeWalked(t *testing.T) {
	copied := t.TempDir()
	copyTo(t, copied)
	blocks := read(t)
	done := 0
	for _, b := range blocks {
		do(t, copied, b)
		for _, l := range looks() {
			if l.section == b.section && l.nth == b.nth {
				l.check(t, copied)
				done++
			}
		}
	}
	if done != len(looks()) {
		t.Errorf("%d of %d looks were taken: the page has other sections than this test", done, len(looks()))
	}
}

// read gives the page's blocks in order.
func read(t *testing.T) []block {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, page))
	if err != nil {
		t.Fatal(err)
	}
	var blocks []block
	var now *block
	section, nth := "", 0
	for line := range strings.Lines(string(data)) {
		switch {
		case now != nil && strings.TrimSpace(line) == "```":
			if now.kind == "diff" || now.kind == "bash" {
				nth++
				now.nth = nth
				blocks = append(blocks, *now)
			}
			now = nil
		case now != nil:
			now.text += line
		case strings.HasPrefix(line, "```"):
			now = &block{section: section, kind: strings.TrimSpace(line[3:])}
		case strings.HasPrefix(line, "## "):
			section, _, _ = strings.Cut(line[3:], ".")
			nth = 0
		}
	}
	if len(blocks) == 0 {
		t.Fatalf("%s has no patches", page)
	}
	return blocks
}

// copyTo copies what git knows of the repository, and what it would: the work as it is.
func copyTo(t *testing.T, dir string) {
	t.Helper()
	list, err := command(root, nil, "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	if err != nil {
		t.Fatalf("git ls-files: %v\n%s", err, list)
	}
	copied := 0
	for name := range strings.SplitSeq(strings.TrimRight(list, "\x00"), "\x00") {
		data, err := os.ReadFile(filepath.Join(root, name))
		if os.IsNotExist(err) {
			continue // removed, and not yet told to git
		}
		if err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, data, 0o644); err != nil {
			t.Fatal(err)
		}
		copied++
	}
	if copied < 100 {
		t.Fatalf("only %d files were copied", copied)
	}
}

// do carries a block out.
func do(t *testing.T, dir string, b block) {
	t.Helper()
	name, args := "git", []string{"apply", "-"}
	if b.kind == "bash" {
		name, args = "bash", []string{"-euo", "pipefail", "-s"}
	}
	if out, err := command(dir, []byte(b.text), name, args...); err != nil {
		t.Fatalf("%s of %s cannot be carried out: %v\n%s", b, page, err, out)
	}
}

// check runs the test and compares what became of it.
func (l look) check(t *testing.T, dir string) {
	t.Helper()
	out, err := command(dir, nil, "go", "test", "-trimpath", "-count=1", "-v", "-run", "^"+l.run, "./"+l.pkg)
	at := fmt.Sprintf("after block %d of section %s, %s of %s", l.nth, l.section, l.run, l.pkg)
	switch {
	case l.red == "" && (err != nil || !strings.Contains(out, "--- PASS: "+l.run)):
		t.Errorf("%s is not green: %v\n%s", at, err, end(out))
	case l.red != "" && err == nil:
		t.Errorf("%s is green, and the page says that it is red", at)
	case l.red != "" && !strings.Contains(out, l.red):
		t.Errorf("%s does not say %q:\n%s", at, l.red, end(out))
	}
}

// end is enough of an output to see what is wrong.
func end(out string) string {
	if len(out) > 3000 {
		return "…" + out[len(out)-3000:]
	}
	return out
}

// command runs a program in a folder. It is nobody's repository there: git must not look further up.
func command(dir string, stdin []byte, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Stdin = dir, bytes.NewReader(stdin)
	if dir != root {
		cmd.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir), "PODLIFE_RESULTS=")
	}
	out, err := cmd.CombinedOutput()
	return string(out), err
}
