package vt

import (
	"fmt"
	"strings"
	"testing"
)

// told gives what a parser tells of a stream, in words.
func told(in string) string {
	var p Parser
	var all []string
	p.Feed([]byte(in), func(q *Sequence) {
		text := fmt.Sprintf("%d-%d ", q.From, q.To)
		switch q.Kind {
		case Control:
			text += fmt.Sprintf("control %02x", q.Control())
		case Escape:
			text += "esc " + q.Name()
		case CSI:
			text += "csi " + q.Name()
			for i := range q.Params.Len() {
				text += fmt.Sprintf(" %d%v", q.Params.At(i), q.Params.Sub(i))
			}
		case OSC:
			n, data, ok := q.Osc()
			text += fmt.Sprintf("osc %d %q %t", n, data, ok)
		case DCS:
			text += fmt.Sprintf("dcs %s %q", q.Name(), q.Data())
		case Other:
			text += fmt.Sprintf("string %c %q", q.Intro(), q.Data())
		}
		if q.Aborted {
			text += " aborted"
		}
		if q.ByEscape {
			text += " by esc"
		}
		all = append(all, strings.ReplaceAll(text, "[]", ""))
	})
	if !p.Safe() {
		all = append(all, "open")
	}
	return strings.Join(all, "; ")
}

func TestSequences(t *testing.T) {
	for in, want := range map[string]string{
		"text ✓ 漢":                 "",
		"a\r\nb":                   "1-2 control 0d; 2-3 control 0a",
		"\x1b7\x1b(0":              "0-2 esc 7; 2-5 esc (0",
		"x\x1b[m":                  "1-4 csi m 0",
		"\x1b[?25;;7h":             "0-9 csi ?h 25 0 7",
		"\x1b[38:2::1:2:3;4m":      "0-16 csi m 38[2 -1 1 2 3] 4",
		"\x1b[?2026$p":             "0-9 csi ?$p 2026",
		"\x1b[5\n;6r":              "3-4 control 0a; 0-7 csi r 5 6",
		"\x1b[99999999999n":        "0-14 csi n 2147483647",
		"\x1b[3?4h":                "", // no such sequence: ignored to its end
		"\x1b[ 5q":                 "", // nor this
		"\x1b[1é2m":                "", // given up, and the rest is text
		"\x1b[1\x1b[2m":            "3-7 csi m 2",
		"\x1b[1\x182m":             "3-4 control 18",
		"\u009b1m":                 "0-4 csi m 1",
		"\x9b1m":                   "", // no UTF-8: it does not exist
		"\x1b]2;title ✜\x07":       "0-14 osc 2 \"title ✜\" true",
		"\x1b]0;a\x1b\\":           "0-5 osc 0 \"a\" true by esc; 5-7 esc \\",
		"\x1b]2;a\u009c":           "0-7 osc 2 \"a\" true",
		"\x1b]x\x07":               "0-4 osc 0 \"\" false",
		"\x1b]2;a\x18":             "0-6 osc 2 \"a\" true aborted; 5-6 control 18",
		"\x1bP1;2$qm\x1b\\":        "0-8 dcs $q \"m\" by esc; 8-10 esc \\",
		"\x1b_Gi=1;x\x1b\\":        "0-8 string _ \"Gi=1;x\" by esc; 8-10 esc \\",
		"\xe2\x9c\x05":             "0-3 control 05",
		"\x1b]2;half":              "open",
		"\xe2\x9c":                 "open",
		"\x1b":                     "open",
		"\xf4\x90\x80\x80\xc0\x80": "", // beyond what there is, and overlong
	} {
		if got := told(in); got != want {
			t.Errorf("%q\n got %s\nwant %s", in, got, want)
		}
	}
}

func TestALongStringIsBounded(t *testing.T) {
	var p Parser
	p.Feed([]byte("\x1b]52;c;"+strings.Repeat("x", 10*MaxData)+"\x07"), func(q *Sequence) {
		if len(q.Data()) > MaxData || q.Whole() {
			t.Errorf("%d bytes are kept, whole: %t", len(q.Data()), q.Whole())
		}
	})
	if cap(p.seq.data) > 2*MaxData {
		t.Errorf("%d bytes are held", cap(p.seq.data))
	}
}
