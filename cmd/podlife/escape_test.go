package main

import (
	"strings"
	"testing"
	"time"
)

func TestShellPausesLongerAndLonger(t *testing.T) {
	for n, high := range []time.Duration{250 * time.Millisecond, 500 * time.Millisecond, time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second, 15 * time.Second, 15 * time.Second} {
		seen := map[bool]bool{}
		for range 200 {
			d := jitter(n)
			if d < 250*time.Millisecond || d > high {
				t.Fatalf("attempt %d: %s, want 250ms to %s", n, d, high)
			}
			seen[d > (high+250*time.Millisecond)/2] = true
		}
		if n > 0 && len(seen) != 2 {
			t.Errorf("attempt %d: all in one half, no jitter", n)
		}
	}
	if d := jitter(1 << 30); d > 15*time.Second {
		t.Errorf("attempt 2^30: %s", d)
	}
}

func TestEscapeOnlyAtALineStart(t *testing.T) {
	for _, c := range []struct {
		in   []string // pieces as they are read
		send string
		did  escapeWish
	}{
		{[]string{"~."}, "", escapeLeave}, {[]string{"~", "."}, "", escapeLeave}, {[]string{"a~."}, "a~.", escapeNone}, {[]string{"a\r~.b"}, "a\r", escapeLeave}, {[]string{"a\n", "~", "."}, "a\n", escapeLeave},
		{[]string{"~~."}, "~.", escapeNone}, {[]string{"~", "~", "x"}, "~x", escapeNone}, {[]string{"~x"}, "~x", escapeNone}, {[]string{"~x~."}, "~x~.", escapeNone}, {[]string{"~?"}, "", escapeHelp},
		{[]string{"~?~."}, "", escapeLeave}, {[]string{"~\r~."}, "~\r", escapeLeave}, {[]string{"\x03~."}, "\x03~.", escapeNone},
	} {
		e := escape{key: '~', lineStart: true}
		send, did := "", escapeNone
		for _, piece := range c.in {
			s, d := e.filter([]byte(piece))
			send, did = send+string(s), max(did, d)
		}
		if send != c.send || did != c.did {
			t.Errorf("%q: sent %q, wish %d; want %q, %d", c.in, send, did, c.send, c.did)
		}
	}
	e := escape{key: -1, lineStart: true}
	if send, did := e.filter([]byte("~.\xff.")); string(send) != "~.\xff." || did != escapeNone {
		t.Errorf("with none: sent %q, wish %d", send, did)
	}
}

func TestEscapeKeyIsRead(t *testing.T) {
	for in, want := range map[string]int{"~": '~', "^]": 0x1d, "^a": 1, "none": -1, "x": 'x'} {
		if got, err := parseEscape(in); got != want || err != nil {
			t.Errorf("%q: %d, %v", in, got, err)
		}
	}
	for _, in := range []string{"", "ab", "^1", "^M", "^j", ".", "?", " ", "\xff", "ü"} {
		if got, err := parseEscape(in); err == nil {
			t.Errorf("%q was accepted as %d", in, got)
		}
	}
	if n := (&escape{key: 0x1d}).name(); n != "^]" {
		t.Errorf("name %q", n)
	}
}

func TestModesAreTakenBackHoweverTheOutputIsCut(t *testing.T) {
	for in, want := range map[string]string{
		"plain \x1b[31mred\x1b[0m":                 "",
		"\x1b[?1049h\x1b[?25l":                     "\x1b[?25h\x1b[?1049l\x1b[0m",
		"\x1b[?1000;1006hx\x1b[?1006l":             "\x1b[?1000l\x1b[0m",
		"\x1b[?1049h\x1b[?25l\x1b[?25h\x1b[?1049l": "",
		"\x1b[?7l\x1b[?2004h":                      "\x1b[?7h\x1b[?2004l\x1b[0m",
		"\x1b=\x1b[2;10r\x1b[>4;1m\x1b[5 q":        "\x1b7\x1b[r\x1b8\x1b>\x1b[>4m\x1b[0 q\x1b[0m",
		"\x1b=\x1b>\x1b[2;10r\x1b[r\x1b[0 q":       "",
		"\x1b]0;\x1b[?1049htitle\x07":              "\x1b[?1049l\x1b[0m", // a terminal ends the string at ESC, too
		"\x1b]0;title [?1049h\x07":                 "",
		"\x1b]0;cut":                               "\x18\x1b[0m",
		"\x1b[?104":                                "\x18\x1b[0m",
		"\x1b[?99999h\x1b[?12h":                    "",
	} {
		whole, single := &modes{}, &modes{}
		whole.see([]byte(in))
		for _, b := range []byte(in) {
			single.see([]byte{b})
		}
		a, b := whole.reset(), single.reset()
		if a != want || b != want {
			t.Errorf("%q: in one piece %q, byte by byte %q, want %q", in, a, b, want)
		}
		if again := whole.reset(); again != "" {
			t.Errorf("%q: a second time %q", in, again)
		}
	}
}

func TestForeignTextIsHarmless(t *testing.T) {
	for in, want := range map[string]string{"a\tb\n": "a\tb\n", "\x1b[2J": `\x1b[2J`, "\r\n": "\n", "\r": `\r`, "ü😀": "ü😀", "\x9b1m": `\ufffd1m`, "\u202e": `\u202e`, "it's": "it's", "\x00": `\x00`} {
		if got := printable(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	if strings.Contains(printable("\u009b"), "\u009b") {
		t.Error("a C1 control passes")
	}
}
