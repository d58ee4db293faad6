package corpus

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

const (
	mutantsFile = "testdata/mutants.txt"
	// mutantTimeout bounds one mutant: compiling the packages behind the file that is changed, and running the corpus.
	mutantTimeout = 3 * time.Minute
)

// A mutant is a mistake in one file of the packages beside this one.
type mutant struct {
	name     string // what is wrong
	file     string // relative to the folder tla
	old, new string
}

func readMutants(t testing.TB) []mutant {
	t.Helper()
	data, err := os.ReadFile(mutantsFile)
	if err != nil {
		t.Fatal(err)
	}
	var all []mutant
	for line := range strings.Lines(string(data)) {
		name, isName := strings.CutPrefix(line, "== ")
		old, isOld := strings.CutPrefix(line, "- ")
		added, isNew := strings.CutPrefix(line, "+ ")
		switch {
		case isName:
			all = append(all, mutant{name: strings.TrimSpace(name)})
		case strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#"):
		case len(all) == 0:
			t.Fatalf("%s: %q before the first mutant", mutantsFile, line)
		case isOld:
			all[len(all)-1].old += old
		case isNew:
			all[len(all)-1].new += added
		case all[len(all)-1].file == "":
			all[len(all)-1].file = strings.TrimSpace(line)
		default:
			t.Fatalf("%s: %s: %q?", mutantsFile, all[len(all)-1].name, line)
		}
	}
	return all
}

// apply gives the file with the mistake.
func (m mutant) apply() (string, error) {
	data, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(m.file)))
	if err != nil {
		return "", err
	}
	if n := strings.Count("\n"+string(data), "\n"+m.old); m.old == "" || n != 1 {
		return "", fmt.Errorf("%s has these lines %d times, want once:\n%s", m.file, n, m.old)
	}
	return strings.TrimPrefix(strings.Replace("\n"+string(data), "\n"+m.old, "\n"+m.new, 1), "\n"), nil
}

// The mutants are of the source as it is now. This is cheap, and so always checked.
func TestEachMutantApplies(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range readMutants(t) {
		if _, err := m.apply(); err != nil {
			t.Errorf("%s: %v", m.name, err)
		}
		if seen[m.name] || m.new == m.old {
			t.Errorf("%s: twice, or changes nothing", m.name)
		}
		seen[m.name] = true
	}
}

// The classes of what becomes of a mutant. Only the first is as it has to be.
const (
	mutantKilled   = "killed"
	mutantSurvived = "SURVIVED"
	mutantInvalid  = "DOES NOT COMPILE"
	mutantTimedOut = "TIMEOUT"
	mutantCrashed  = "CRASHED" // without a test that fails by name
)

// A test of the corpus fails, by name, on each mutant. What does not compile, or never ends, is no such failure.
func TestMutants(t *testing.T) {
	if os.Getenv("PODLIFE_TLA_MUTANTS") == "" {
		t.Skip("not_run: PODLIFE_TLA_MUTANTS is not set")
	}
	class, before, out := runCorpus(t, "")
	if class != mutantSurvived && class != mutantKilled {
		t.Fatalf("without a mutant: %s\n%s", class, out)
	}
	if len(before) > 0 {
		t.Errorf("without a mutant, these fail, and kill none: %s", strings.Join(before, ", "))
	}
	var table strings.Builder
	count := map[string]int{}
	for _, m := range readMutants(t) {
		t.Run(m.name, func(t *testing.T) {
			text, err := m.apply()
			if err != nil {
				t.Fatal(err)
			}
			start := time.Now()
			class, failed, out := runCorpus(t, overlay(t, m.file, text))
			failed = slices.DeleteFunc(failed, func(name string) bool { return slices.Contains(before, name) })
			if class == mutantKilled && len(failed) == 0 {
				class = mutantSurvived
			}
			count[class]++
			by := ""
			if len(failed) > 0 {
				by = fmt.Sprintf("%d tests, as %s", len(failed), failed[0])
			}
			fmt.Fprintf(&table, "%-17s %-20s %5.1f s  %-60s %s\n", class, m.file, time.Since(start).Seconds(), m.name, by)
			if class != mutantKilled {
				t.Errorf("%s\n%s", class, out)
			}
		})
	}
	t.Logf("%v\n%s", count, table.String())
}

// overlay writes what "go test -overlay" reads.
func overlay(t *testing.T, file, text string) string {
	t.Helper()
	dir := t.TempDir()
	original, err := filepath.Abs(filepath.Join("..", filepath.FromSlash(file)))
	if err != nil {
		t.Fatal(err)
	}
	changed := filepath.Join(dir, "mutant.go")
	list, err := json.Marshal(map[string]map[string]string{"Replace": {original: changed}})
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{changed: []byte(text), filepath.Join(dir, "overlay.json"): list} {
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "overlay.json")
}

var failedTest = regexp.MustCompile(`(?m)^ *--- FAIL: (\S+)`)

// runCorpus runs the tests of the corpus, and gives the innermost that failed.
func runCorpus(t *testing.T, overlayFile string) (class string, failed []string, out string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), mutantTimeout)
	defer cancel()
	args := []string{"test", "-count=1", "-vet=off", "-ldflags=-s -w", "-timeout=60s", "-run=^(TestModels|TestExpressions)$"}
	if overlayFile != "" {
		args = append(args, "-overlay="+overlayFile)
	}
	cmd := exec.CommandContext(ctx, "go", append(args, ".")...)
	// The mutant's own tests are neither of TLC nor of mutants.
	cmd.Env = append(os.Environ(), "PODLIFE_TLA_MUTANTS=", "TLC=")
	cmd.WaitDelay = 10 * time.Second
	data, err := cmd.CombinedOutput()
	out = string(data)
	for _, name := range failedTest.FindAllStringSubmatch(out, -1) {
		failed = append(failed, name[1])
	}
	failed = slices.DeleteFunc(failed, func(name string) bool {
		return slices.ContainsFunc(failed, func(other string) bool { return strings.HasPrefix(other, name+"/") })
	})
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil || strings.Contains(out, "panic: test timed out"):
		return mutantTimedOut, nil, out
	case err == nil:
		return mutantSurvived, nil, out
	case !errors.As(err, &exit):
		t.Fatal(err)
	case strings.Contains(out, "[build failed]") || strings.Contains(out, "[setup failed]"):
		return mutantInvalid, nil, out
	case len(failed) == 0:
		return mutantCrashed, nil, out
	}
	return mutantKilled, failed, out
}
