package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const holds = `@!@!@STARTMSG 2262:0 @!@!@
TLC2 Version 2.19
@!@!@ENDMSG 2262 @!@!@
@!@!@STARTMSG 2193:0 @!@!@
Model checking completed. No error has been found.
@!@!@ENDMSG 2193 @!@!@
@!@!@STARTMSG 2199:0 @!@!@
3 states generated, 2 distinct states found, 0 states left on queue.
@!@!@ENDMSG 2199 @!@!@
@!@!@STARTMSG 2194:0 @!@!@
The depth of the complete state graph search is 2.
@!@!@ENDMSG 2194 @!@!@
`

// runStage runs the stage with a TLC that always finds holds, on these configurations.
func runStage(t *testing.T, stated string, configs ...string) (string, error) {
	t.Helper()
	dir := t.TempDir()
	files := map[string]string{"out": holds, "M.tla": "", "stated.json": stated}
	for _, c := range configs {
		files[c] = ""
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	s := stage{command: "cat " + filepath.Join(dir, "out") + " #", dir: dir, stated: filepath.Join(dir, "stated.json"), bound: time.Minute}
	err := s.run(t.Context(), &out)
	return out.String(), err
}

const (
	right = `{"module": "M", "config": "A.cfg", "expect": "holds", "generated": 3, "distinct": 2, "depth": 2}`
	wrong = `{"module": "M", "config": "B.cfg", "expect": "holds", "generated": 3, "distinct": 3, "depth": 2}`
)

func TestTheStagePassesWhereTLCAgreesOnEveryConfiguration(t *testing.T) {
	out, err := runStage(t, `{"specs": [`+right+`]}`, "A.cfg")
	if err != nil || !strings.Contains(out, "A.cfg: ok: holds; compared: verdict, 3 generated, 2 distinct, depth 2") {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestTheStageFailsOnADifferenceAndRunsTheRest(t *testing.T) {
	out, err := runStage(t, `{"specs": [`+wrong+`,`+right+`]}`, "A.cfg", "B.cfg")
	if err == nil || !strings.Contains(err.Error(), "B.cfg") || strings.Contains(err.Error(), "A.cfg") {
		t.Errorf("error %v", err)
	}
	if !strings.Contains(out, "distinct is 2, stated 3") || !strings.Contains(out, "A.cfg: ok") {
		t.Errorf("printed\n%s", out)
	}
}

func TestTheStageFailsOnAConfigurationThatNothingIsStatedOf(t *testing.T) {
	out, err := runStage(t, `{"specs": [`+right+`]}`, "A.cfg", "C.cfg")
	if err == nil || !strings.Contains(err.Error(), "C.cfg") {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestTheStageFailsWhereAStatedConfigurationIsMissing(t *testing.T) {
	out, err := runStage(t, `{"specs": [`+right+`,`+wrong+`]}`, "A.cfg")
	if err == nil || !strings.Contains(err.Error(), "B.cfg") || !strings.Contains(out, "it is not in") {
		t.Errorf("%v\n%s", err, out)
	}
}
