package tab

import (
	"strings"
	"testing"
)

func TestAProbeReadsTheAnswerAndNeverItsOwnEcho(t *testing.T) {
	p := &Prober{}
	line, answer := p.question()
	if _, answered := answer(Text([]byte(line))); answered {
		t.Fatal("the echo of the question is taken for the answer")
	}
	screen := "\x1b]0;title\x07\x1b[H\x1b[2Jroot@u1:~# " + strings.TrimSuffix(line, "\r") + "\r\n\x1b[32mPROBE-1[/usr/bin/tmux|1|c0ff\x1b[0m\r\nee]\r\nroot@u1:~# "
	s, answered := answer(Text([]byte(screen)))
	if !answered || s != (Shell{Multiplexer: "/usr/bin/tmux", Hook: true, Head: "c0ffee"}) {
		t.Fatalf("got %+v, %v", s, answered)
	}
	if !s.Provisioned("c0ffee") || !s.Provisioned("") || s.Provisioned("other") {
		t.Error("the commit decides wrongly")
	}
	_, second := p.question()
	if _, answered := second(Text([]byte(screen))); answered {
		t.Error("an old answer is taken for that of a new question")
	}
}

func TestABareShellIsNotProvisioned(t *testing.T) {
	_, answer := (&Prober{}).question()
	for text, missing := range map[string]string{"PROBE-1[|1|c0ffee]": "no multiplexer", "PROBE-1[c1|0|c0ffee]": "no hook", "PROBE-1[c1||c0ffee]": "no hook", "PROBE-1[c1|1|]": "no repository"} {
		if s, answered := answer(text); !answered || s.Provisioned("") || !strings.Contains(s.String(), missing) {
			t.Errorf("%s: %v, %s", text, answered, s)
		}
	}
}

func TestAServerWithoutARepositoryIsNotBlamedForItsAbsence(t *testing.T) {
	s := Shell{Multiplexer: "main", Hook: true}
	if s.Provisioned("") {
		t.Error("a clone was asked for and is not there")
	}
	s.NoRepo = true
	if !s.Provisioned("") {
		t.Error("no clone was asked for")
	}
	s.Hook = false
	if s.Provisioned("") {
		t.Error("the hook is not there")
	}
}
