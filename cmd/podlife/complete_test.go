package main

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// completed gives what the shell is told when Tab is pressed behind these words, without the last line, which says how to go on.
func completed(t *testing.T, m *Main, words ...string) []string {
	t.Helper()
	out, errOut, code := m.run(t, "", append([]string{"__complete"}, words...)...)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if code != 0 || !strings.HasPrefix(lines[len(lines)-1], ":") {
		t.Errorf("%q: exit %d, %q, %q", words, code, out, errOut)
	}
	return lines[:len(lines)-1]
}

func TestTheShellCompletesWhatTheServerHas(t *testing.T) {
	f := newFakePods(t)
	for _, name := range []string{"web", "website", "api"} {
		f.add(name, classEphemeral, nil)
	}
	f.pods["odd"] = map[string]any{"name": "$(reboot)"}
	f.volumes["kept-1"], f.volumes["-rf"] = "old", "old"
	m := f.main(t)
	names := []string{"api", "default", "web", "website"}
	for _, c := range []struct {
		words string
		want  []string
	}{
		{"rm ", names}, {"start we", []string{"web", "website"}}, {"stop ", names}, {"status ", names}, {"events ", names}, {"rm web ", nil},
		{"shell --pod ", names}, {"exec --pod web", []string{"web", "website"}}, {"tabs close --pod a", []string{"api"}}, {"cp --pod ", names}, {"trace check --pod ", names},
		{"create x --class ", classes()}, {"ls --class w", []string{classWorkspace}}, {"ls --state ", podStates()}, {"ls --sort ", podSorts()},
		{"create x --adopt-volume ", []string{"kept-1"}}, {"volumes rm ", []string{"kept-1"}},
		{"create x --image ", []string{"podlife/base:1", "golang:1.24"}}, {"set web --image g", []string{"golang:1.24"}},
	} {
		if got := completed(t, m, strings.Split(c.words, " ")...); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.words, got, c.want)
		}
	}
}

// Whoever presses Tab waits for a second at most, and reads no error.
func TestAServerThatDoesNotAnswerCompletesNothing(t *testing.T) {
	f := newFakeServer(t)
	f.mux.HandleFunc("GET /api/pods", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	began := time.Now()
	if got := completed(t, f.main(t), "rm", ""); len(got) > 0 || time.Since(began) > 10*time.Second {
		t.Errorf("%q after %v", got, time.Since(began))
	}
	gone := f.main(t)
	f.Close()
	for _, m := range []*Main{gone, {Environ: []string{"PODLIFE_DATA_DIR=" + t.TempDir()}}} {
		out, errOut, code := m.run(t, "", "__complete", "shell", "--pod", "")
		if code != 0 || out != ":4\n" || strings.Contains(errOut, "podlife:") {
			t.Errorf("exit %d, %q, %q", code, out, errOut)
		}
	}
}
