package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const demoCast = `{"version":3,"term":{"cols":200,"rows":50},"timestamp":1504467315,"title":"pod local, tab main"}
[0.010,"o","one\r\n\u001b[c\u001b[?1049h\u001b[?1000h"]
[0.010,"r","90x30"]
[0.010,"i","never played"]
[0.010,"o","two €"]
`

func castFile(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "demo.cast")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestACastIsPlayedAndTheTerminalIsLeftInOrder(t *testing.T) {
	p := sitAt(t, &Main{}, "replay-cast", castFile(t, demoCast+"[0.001,\"x\",\"0\"]\n"))
	p.sees("a terminal of 200 × 50, and this one has 100 × 30")
	p.sees("one\r\n")
	if asked := p.sees("\x1b[?1049h"); strings.Contains(asked, "\x1b[c") {
		t.Errorf("the terminal is asked who it is: %q", asked)
	}
	if typed := p.sees("two €"); strings.Contains(typed, "never") {
		t.Errorf("what was typed is played: %q", typed)
	}
	p.sees("\x1b[?1000l\x1b[?1049l\x1b[0m\r\n")
	p.ends(0)
}

func TestCtrlCEndsACastAndLeavesTheTerminalInOrder(t *testing.T) {
	for _, key := range []string{"\x03", "q"} {
		p := sitAt(t, &Main{}, "replay-cast", castFile(t, demoCast+"[3600,\"o\",\"never\"]\n"))
		p.sees("two €")
		p.types(key)
		p.sees("\x1b[?1049l\x1b[0m\r\n")
		p.ends(130)
	}
	for typed, want := range map[string]bool{"\x03": true, "x\x03": true, "q": true, "x": false, "": false, "\x1bP1$r0q\x1b\\": false} {
		if endsCast([]byte(typed)) != want {
			t.Errorf("%q: %v", typed, !want)
		}
	}
}

func TestTheSpeedAndTheLimitOfACastAreKept(t *testing.T) {
	for _, c := range []struct {
		pace pace
		want time.Duration // of 1 s and 10 s, with one of 3 s between
	}{
		{pace{speed: 1}, 10 * time.Second}, {pace{speed: 4}, 2500 * time.Millisecond}, {pace{speed: 0.5}, 20 * time.Second}, {pace{speed: 1, limit: 2 * time.Second}, 5 * time.Second},
		{pace{speed: 2, limit: 500 * time.Millisecond}, 750 * time.Millisecond},
	} {
		p := c.pace
		p.next(time.Second)
		p.next(3 * time.Second)
		if got := p.next(10 * time.Second); got != c.want {
			t.Errorf("%+v: %v, want %v", c.pace, got, c.want)
		}
	}
	begin := time.Now()
	out, errOut, code := (&Main{}).run(t, "", "replay-cast", "--idle-limit", "0.001", castFile(t, demoCast+"[3600,\"o\",\"late\"]\n[3600,\"o\",\"cut"))
	if code != 0 || !strings.HasSuffix(out, "two €late") || !strings.Contains(errOut, "cut off here") || time.Since(begin) > time.Minute {
		t.Errorf("exit %d after %v: %q, %s", code, time.Since(begin), out, errOut)
	}
}

func TestACastIsDescribedAsJSON(t *testing.T) {
	out, errOut, code := (&Main{}).run(t, demoCast+"[3600,\"x\",\"3\"]\n[0,\"o\"", "replay-cast", "--json", "-")
	var got castSummary
	if err := json.Unmarshal([]byte(out), &got); err != nil || code != 0 || errOut != "" {
		t.Fatalf("exit %d: %q, %s, %v", code, out, errOut, err)
	}
	at := time.Unix(1504467315, 0).UTC()
	if got.Recorded == nil || !got.Recorded.Equal(at) || got.Exit == nil || *got.Exit != "3" {
		t.Errorf("%s", out)
	}
	got.Recorded, got.Exit = nil, nil
	if want := (castSummary{Version: 3, Title: "pod local, tab main", Cols: 200, Rows: 50, Duration: 3600.04, Events: 5, Output: 31, CutOff: true}); got != want {
		t.Errorf("%+v\nwant %+v", got, want)
	}
}

func TestWhatIsNoCastIsRefusedWithItsLine(t *testing.T) {
	bad := castFile(t, demoCast+"{}\n")
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{bad}, exitFailed, bad + ":6: no event"},
		{[]string{"--json", bad}, exitFailed, bad + ":6: no event"},
		{[]string{castFile(t, "hello\n")}, exitFailed, ":1: no header of an asciicast file: it is not JSON"},
		{[]string{filepath.Join(t.TempDir(), "none")}, exitFailed, "no such file"},
		{[]string{}, exitUsage, "takes one file, got 0"}, {[]string{bad, bad}, exitUsage, "takes one file, got 2"},
		{[]string{"--speed", "0", bad}, exitUsage, "--speed 0"}, {[]string{"--speed", "fast", bad}, exitUsage, "podlife: --speed \"fast\": a number is wanted; see podlife replay-cast --help\n"}, {[]string{"--speed", "NaN", bad}, exitUsage, "--speed NaN"}, {[]string{"--idle-limit", "-1", bad}, exitUsage, "--idle-limit -1"},
	} {
		out, errOut, code := (&Main{}).run(t, "", append([]string{"replay-cast"}, c.args...)...)
		if code != c.code || !strings.Contains(errOut, c.want) || strings.Contains(strings.Join(c.args, " "), "--json") && out != "" {
			t.Errorf("%q: exit %d, %q, %s", c.args, code, out, errOut)
		}
	}
}
