package harness

import (
	"encoding/base64"
	"strings"
	"testing"
	"time"
)

func TestInsideIsReadWholeOrNotAtAll(t *testing.T) {
	marker := base64.StdEncoding.EncodeToString([]byte("podlife-marker 1\npod u1\nincarnation 3\nrecipe abc\nend\n"))
	all := []string{"marker=" + marker, "hook=1", "head=c0ffee", "origin=c0ffee", "missing_files=0", "interactive=yes", "multiplexer=yes", "end=yes"}
	text := func(lines []string) string {
		return "podlife-inside:" + strings.Join(lines, "\r\npodlife-inside:") + "\r\n"
	}

	i, err := parseInside("\x1b[?1049hwhatever tmux draws" + text(all))
	if err != nil || !i.Provisioned() || i.Marker != (Marker{Whole: true, Pod: "u1", Incarnation: 3, Recipe: "abc"}) {
		t.Errorf("got %+v, %v", i, err)
	}
	if _, err := parseInside(text(all[:len(all)-1])); err == nil {
		t.Error("answers without an end are taken for all of them")
	}
	for n, want := range map[string]string{
		"hook=2": "hook", "head=other": "repository", "head=": "repository", "missing_files=1": "repository",
		"interactive=no": "interactive shell with the hook", "multiplexer=no": "multiplexer", "marker=": "marker",
	} {
		i, err := parseInside(text(append(append([]string{}, all[:len(all)-1]...), n, "end=yes")))
		if err != nil || i.Provisioned() || len(i.Missing()) != 1 || i.Missing()[0] != want {
			t.Errorf("%s: missing %q, %v, want %q", n, i.Missing(), err, want)
		}
	}
}

func TestOnlyAWholeMarkerIsOne(t *testing.T) {
	whole := "podlife-marker 1\npod u1\nincarnation 3\nrecipe abc\nend\n"
	if !parseMarker(whole).Whole {
		t.Error("a whole marker is none")
	}
	for _, bad := range []string{"", whole[:len(whole)-1], whole + "\n", strings.Replace(whole, "3", "x", 1), strings.Replace(whole, "pod u1", "pod ", 1), strings.Replace(whole, "end", "", 1)} {
		if parseMarker(bad).Whole {
			t.Errorf("%q is taken for a whole marker", bad)
		}
	}
}

func TestTheClockCallsTimersInOrderAndThoseTheySet(t *testing.T) {
	c := NewClock()
	var called []string
	c.AfterFunc(3*time.Second, func() { called = append(called, "3") })
	c.AfterFunc(time.Second, func() {
		called = append(called, "1")
		c.AfterFunc(time.Second, func() { called = append(called, "2") })
	})
	stop := c.AfterFunc(2*time.Second, func() { called = append(called, "stopped") })
	if !stop() || stop() {
		t.Error("a timer can be stopped once")
	}
	before := c.Now()
	c.Advance(2 * time.Second)
	if got := strings.Join(called, " "); got != "1 2" {
		t.Errorf("called %q", got)
	}
	c.Advance(time.Hour)
	if got := strings.Join(called, " "); got != "1 2 3" || c.Now() != before.Add(time.Hour+2*time.Second) {
		t.Errorf("called %q, now %s", got, c.Now())
	}
}
