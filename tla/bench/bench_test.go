package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// fake is a program that prints text and ends with code.
func fake(t *testing.T, text string, code int) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "fake")
	script := fmt.Sprintf("#!/bin/sh\ncat <<'END'\n%s\nEND\nexit %d\n", text, code)
	if err := os.WriteFile(name, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	return name
}

const tlcFinds = `@!@!@STARTMSG 2193:0 @!@!@
Model checking completed.
@!@!@ENDMSG 2193 @!@!@
@!@!@STARTMSG 2199:0 @!@!@
2,922 states generated, 1453 distinct states found, 0 states left on queue.
@!@!@ENDMSG 2199 @!@!@`

func runBench(t *testing.T, b bench) (string, error) {
	t.Helper()
	var out bytes.Buffer
	b.spec = "../PodLifecycle.tla"
	b.out, b.workers, b.vacuity, b.bound = &out, 1, "off", time.Minute
	if b.only == nil {
		b.only = regexp.MustCompile("2/3$")
	}
	err := b.run(t.Context())
	return out.String(), err
}

func TestEachToolHasALineWithItsRatios(t *testing.T) {
	out, err := runBench(t, bench{podlife: fake(t, `{"generated": 2922, "distinct": 1453}`, 20), tlc: fake(t, tlcFinds, 0)})
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	for _, want := range []string{`(?m)^PodLifecycle 2/3 +podlife +2922 +1453 .* 1\.00 +1\.00$`, `(?m)^PodLifecycle 2/3 +TLC +2922 +1453 .*\d$`} {
		if !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("no %s in\n%s", want, out)
		}
	}
}

func TestWhatIsNotThereHasNotRun(t *testing.T) {
	out, err := runBench(t, bench{podlife: fake(t, `{"generated": 2922, "distinct": 1453}`, 0)})
	if err != nil || !strings.Contains(out, "not_run: TLC") {
		t.Errorf("%v\n%s", err, out)
	}
	if _, err := runBench(t, bench{podlife: "no/such/program"}); err == nil || !strings.Contains(err.Error(), "make build") {
		t.Errorf("without podlife: %v", err)
	}
}

func TestAnotherCountOrAFailureFailsTheBenchmark(t *testing.T) {
	for name, c := range map[string]struct {
		text, says string
		code       int
	}{
		"another count": {`{"generated": 2922, "distinct": 1452}`, "other counts than podlife", 0},
		"a violation":   {`{"generated": 2922, "distinct": 1453}`, "exit status 12", 12},
		"no JSON":       {`2922`, "not JSON", 0},
	} {
		out, err := runBench(t, bench{podlife: fake(t, c.text, c.code), tlc: fake(t, tlcFinds, 0)})
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}

func TestTheModelsOfOthersHaveKnownCounts(t *testing.T) {
	list := filepath.Join(t.TempDir(), "list.json")
	text := `{"models": [{"module": "specifications/A/M.tla", "config": "specifications/A/N.cfg", "generated": 5, "distinct": 3}]}`
	if err := os.WriteFile(list, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	b := bench{podlife: fake(t, `{"generated": 5, "distinct": 4}`, 0), examples: t.TempDir(), list: list, only: regexp.MustCompile("^A/N$")}
	out, err := runBench(t, b)
	if err == nil || !strings.Contains(out, "known are 5 generated, 3 distinct") {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestTheSmallestSizeIsTheConfigurationThatIsKept(t *testing.T) {
	kept, err := os.ReadFile("../PodLifecycle.cfg")
	if err != nil {
		t.Fatal(err)
	}
	words := func(text string) string {
		return strings.Join(strings.Fields(regexp.MustCompile(`(?m)\\\*.*$`).ReplaceAllString(text, "")), " ")
	}
	sorted := func(text string) string { // sections may stand in another order
		text = words(text)
		i := strings.Index(text, "SPECIFICATION Spec")
		return strings.TrimSpace(text[:i] + text[i+len("SPECIFICATION Spec"):])
	}
	if got, want := strings.Join(strings.Fields(sorted(podConfig(2, 3))), " "), strings.Join(strings.Fields(sorted(string(kept))), " "); got != want {
		t.Errorf("made\n%s\nkept\n%s", got, want)
	}
}

func TestLongNamesKeepTheirEnd(t *testing.T) {
	if line := row(strings.Repeat("x", 60)+"/End", "podlife", measured{failed: "stopped"}, measured{}, ""); !strings.Contains(line, "xxx/End podlife      stopped") {
		t.Error(line)
	}
}
