package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// follows runs trace export --follow against a server whose answers, one for each call, have the steps with these numbers; it is interrupted after the
// last. It gives the numbers that were written and those after which was asked.
func follows(t *testing.T, answers ...[]int) (written []int, asked []string, errOut string, code int) {
	t.Helper()
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	f := newFakeServer(t)
	f.mux.HandleFunc("GET /api/steps", func(w http.ResponseWriter, r *http.Request) {
		if len(answers) == 0 {
			interrupt()
			<-r.Context().Done()
			return
		}
		asked = append(asked, r.URL.Query().Get("after"))
		steps, next := []json.RawMessage{}, 0
		for _, seq := range answers[0] {
			if next = max(seq, -seq); seq > 0 { // a negative number only says how far the server is
				steps = append(steps, json.RawMessage(fmt.Sprintf(`{"seq":%d,"pod":"me","action":"Destroy","incarnation":1}`, seq)))
			}
		}
		answers = answers[1:]
		answer(w, 200, "application/json", map[string]any{"steps": steps, "next": next})
	})
	m := f.main(t)
	m.every = time.Millisecond
	var out, stderr bytes.Buffer
	code = m.Run(ctx, []string{"trace", "export", "--pod", "--format", "steps", "--follow"}, strings.NewReader(""), &out, &stderr)
	for line := range strings.Lines(out.String()) {
		var step struct{ Seq int }
		if err := json.Unmarshal([]byte(line), &step); err != nil {
			t.Fatal(err)
		}
		written = append(written, step.Seq)
	}
	return written, asked, stderr.String(), code
}

func TestTraceExportFollowsTheServer(t *testing.T) {
	written, asked, errOut, code := follows(t, []int{1, 2}, []int{-2}, []int{3})
	if code != exitOK || errOut != "" || !slices.Equal(written, []int{1, 2, 3}) || !slices.Equal(asked, []string{"0", "2", "2"}) {
		t.Errorf("exit %d, %s: wrote %v, asked after %v", code, errOut, written, asked)
	}
}

func TestTraceExportFollowsIntoTheNextLifeOfTheServer(t *testing.T) {
	written, asked, errOut, code := follows(t, []int{1, 2, 3}, []int{-1}, []int{1}, []int{2})
	if code != exitOK || !slices.Equal(written, []int{1, 2, 3, 1, 2}) || !slices.Equal(asked, []string{"0", "3", "0", "1"}) {
		t.Errorf("exit %d, %s: wrote %v, asked after %v", code, errOut, written, asked)
	}
}

func TestTraceExportEndsWhereTheServerHasDroppedSteps(t *testing.T) {
	written, _, errOut, code := follows(t, []int{1, 2}, []int{7, 8})
	if code != traceExitUnknown || !slices.Equal(written, []int{1, 2}) || !strings.Contains(errOut, "dropped the steps from 3 to 6") {
		t.Errorf("exit %d, %s: wrote %v", code, errOut, written)
	}
	for _, args := range [][]string{{"--pod", "--follow"}, {"--pod", "--follow", "--format", "steps", "--out", "x"}, {"--follow", "--format", "steps", "file"}} {
		if _, errOut, code := (&Main{}).run(t, "", append([]string{"trace", "export"}, args...)...); code != exitUsage || !strings.Contains(errOut, "--follow is for") {
			t.Errorf("%v: exit %d, %s", args, code, errOut)
		}
	}
}

func TestTraceCheckSaysWhatToDoAboutDroppedSteps(t *testing.T) {
	f := newFakeServer(t)
	f.mux.HandleFunc("GET /api/steps", func(w http.ResponseWriter, _ *http.Request) {
		step := json.RawMessage(`{"seq":235,"pod":"me","action":"Destroy","incarnation":1}`)
		answer(w, 200, "application/json", map[string]any{"steps": []json.RawMessage{step}, "next": 235})
	})
	out, errOut, code := f.main(t).run(t, "", "trace", "check", "--pod")
	if code != traceExitUnknown || !strings.Contains(out, "unknown after 0 of 1 step: the trace begins with step 235") || !strings.Contains(errOut, "--follow > steps.jsonl") {
		t.Errorf("exit %d\n%s%s", code, out, errOut)
	}
}

func TestTraceCheckCountsInWords(t *testing.T) {
	first := strings.SplitAfter(bootSteps, "\n")[0]
	for want, text := range map[string]string{
		"explained: the one step is a behaviour of PodRuntime\n":                          first,
		"mismatch: the first of 2 steps is a behaviour of PodRuntime, step 2 is not\n":    first + `{"pod":"me","action":"EndRun","n":1}`,
		"mismatch: the first 2 of 3 steps are a behaviour of PodRuntime, step 3 is not\n": strings.Join(strings.SplitAfter(bootSteps, "\n")[:2], "") + `{"pod":"me","action":"EndRun","n":1}`,
		"the pod can then be in 1 state:\n":                                               first + `{"pod":"me","action":"EndRun","n":1}`,
		"mismatch: nothing is a behaviour of PodRuntime, step 1 is not\n":                 `{"pod":"me","action":"EndRun","n":1}`,
		"explained: the empty trace is a behaviour of PodRuntime\n":                       "",
		"explained: all 8 steps are a behaviour of PodRuntime\n":                          bootSteps,
	} {
		if out, errOut, _ := (&Main{}).run(t, text, "trace", "check", "-"); !strings.Contains(out, want) {
			t.Errorf("%q is missing in\n%s%s", want, out, errOut)
		}
	}
}
