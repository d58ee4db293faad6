package tlc

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// say is a message as TLC prints it in tool mode.
func say(code, severity int, text string) string {
	return fmt.Sprintf("@!@!@STARTMSG %d:%d @!@!@\n%s\n@!@!@ENDMSG %d @!@!@\n", code, severity, text, code)
}

var (
	version = say(2262, 0, "TLC2 Version 2.19 of 08 August 2024")
	success = say(2193, 0, "Model checking completed. No error has been found.")
	depth   = say(2194, 0, "The depth of the complete state graph search is 20.")
	counts  = say(2199, 0, "2,922 states generated, 1453 distinct states found, 1 states left on queue.")
	broken  = say(2110, 1, "Invariant NoAttachWithoutShellSetup is violated.")
	behind  = say(2121, 1, "The behavior up to this point is:")
	state   = say(2217, 4, "1: <Initial predicate>\n/\\ ctr = \"asleep\"")
	odd     = say(9999, 1, "Something else went wrong.")
)

func TestAResultIsReadWithItsCounts(t *testing.T) {
	for name, c := range map[string]struct {
		out     string
		verdict Verdict
		name    string
		exit    int
	}{
		"holds":              {"noise\n" + version + "more noise\n" + success + counts + depth, VerdictOK, "", 0},
		"violated":           {version + broken + behind + state + counts + depth, VerdictInvariant, "NoAttachWithoutShellSetup", 12},
		"violated initially": {version + say(2107, 1, "Invariant I is violated by the initial state:\n/\\ x = 1") + counts + depth, VerdictInvariant, "I", 12},
		"with \\r":           {strings.ReplaceAll(version+success+counts+depth, "\n", "\r\n"), VerdictOK, "", 0},
	} {
		r, problem := understand([]byte(c.out), c.exit)
		if problem != "" {
			t.Errorf("%s: %s", name, problem)
			continue
		}
		if r.Version != "TLC2 Version 2.19 of 08 August 2024" || r.Verdict != c.verdict || r.Name != c.name || !r.Counted ||
			r.Generated != 2922 || r.Distinct != 1453 || r.Queue != 1 || r.Depth != 20 {
			t.Errorf("%s: %+v; want %+v", name, r, c)
		}
	}
}

func TestNothingIsTakenForAPassThatIsNone(t *testing.T) {
	for name, c := range map[string]struct {
		out, says string
		exit      int
	}{
		"nothing":            {"", "no output in tool mode", 0},
		"only noise":         {"2922 states generated\n", "no output in tool mode", 0},
		"no verdict":         {version + counts + depth, "neither success nor an error", 0},
		"no counts":          {version + success + depth, "success, but no counts", 0},
		"cut off":            {version + success + counts + depth[:30], "ends inside message 2194", 0},
		"an error, then not": {version + odd + success + counts + depth, "both success and an error", 0},
		"both":               {version + success + broken + counts + depth, "both", 12},
		"counts with a word": {success + say(2199, 0, "many states generated") + depth, "counts that are not understood", 0},
		"another exit code":  {version + success + counts + depth, "exit code 99 does not fit the verdict ok", 99},
		"another ending":     {strings.Replace(success, "ENDMSG 2193", "ENDMSG 2194", 1), "message 2193 ends with", 0},
	} {
		if _, problem := understand([]byte(c.out), c.exit); !strings.Contains(problem, c.says) {
			t.Errorf("%s: %q; want %q", name, problem, c.says)
		}
	}
}

// fakeTLC is a command that prints out, tells its arguments and its folder in a file, and exits with code.
func fakeTLC(t *testing.T, out string, code int) (command, told string) {
	t.Helper()
	dir := t.TempDir()
	told = filepath.Join(dir, "told")
	if err := os.WriteFile(filepath.Join(dir, "out"), []byte(out), 0o600); err != nil {
		t.Fatal(err)
	}
	script := fmt.Sprintf("echo \"$@\" >%[1]s/told; ls >>%[1]s/told; cat %[1]s/out; exit %[2]d\n", dir, code)
	if err := os.WriteFile(filepath.Join(dir, "tlc"), []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	return "sh " + filepath.Join(dir, "tlc"), told
}

func specDir(t *testing.T, configs ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range append(configs, "M.tla", "README.md") {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestCheckGivesTLCTheConfigurationInACopyOfTheFolder(t *testing.T) {
	command, told := fakeTLC(t, version+broken+counts+depth, 12)
	got, err := Check(t.Context(), Request{Command: command, Dir: specDir(t, "M.cfg"), Module: "M", Config: "M.cfg"})
	if err != nil || got.Verdict != VerdictInvariant || got.Name != "NoAttachWithoutShellSetup" {
		t.Fatalf("%+v, %v", got, err)
	}
	text, err := os.ReadFile(told)
	if want := "-tool -workers 1 -config M.cfg M.tla\nM.cfg\nM.tla\n"; err != nil || string(text) != want {
		t.Errorf("TLC was told %q, %v; want %q", text, err, want)
	}
}

func TestCheckNamesWhyThereIsNoVerdict(t *testing.T) {
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	odder, _ := fakeTLC(t, version+success+counts+depth, 99)
	for name, c := range map[string]struct {
		ctx           context.Context
		command, says string
	}{
		"no such command":    {t.Context(), "no-such-command-here", "no output in tool mode"},
		"an odd exit code":   {t.Context(), odder, "exit code 99 does not fit"},
		"stopped by context": {stopped, odder, "stopped"},
	} {
		_, err := Check(c.ctx, Request{Command: c.command, Dir: specDir(t, "M.cfg"), Module: "M", Config: "M.cfg"})
		var failed *FailedError
		if !errors.As(err, &failed) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", name, err, c.says)
		}
	}
}
