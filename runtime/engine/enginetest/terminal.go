package enginetest

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"podlife/runtime/engine"
)

func terminalClaims() []claim {
	return []claim{
		{"a terminal has the size that resize gave it, and each later one", resize},
		{"a size outside 1 to 1000, or a process without a terminal, cannot be resized", resizeInvalid},
		{"Ctrl-P comes back at once and Ctrl-P Ctrl-Q does not cut the session (B57)", detachKeys},
		{"every byte passes a raw terminal unchanged", rawBytes},
		{"a terminal's input cannot be half closed; byte 0x04 ends it", endOfTransmission},
	}
}

func resize(t *testing.T, s *subject) {
	p := s.exec(t, s.running(t), engine.ExecSpec{Command: s.Size, TTY: true})
	o := &output{p: p}
	for _, size := range [][2]uint16{{132, 43}, {1, 1}, {1000, 1000}, {80, 24}} {
		if err := p.Resize(s.context(t), size[0], size[1]); err != nil {
			t.Fatalf("resize: %v", err)
		}
		if _, err := io.WriteString(p, "\n"); err != nil {
			t.Fatalf("write: %v", err)
		}
		want := fmt.Sprintf("size %d %d\r\n", size[1], size[0])
		o.got = nil
		o.until(t, want, func(got string) bool { return strings.Contains(got, "size ") && strings.HasSuffix(got, "\r\n") })
		if !strings.HasSuffix(string(o.got), want) {
			t.Errorf("got %q, want %q", o.got, want)
		}
	}
}

func resizeInvalid(t *testing.T, s *subject) {
	id := s.running(t)
	terminal, plain := s.exec(t, id, engine.ExecSpec{Command: s.Size, TTY: true}), s.exec(t, id, engine.ExecSpec{Command: s.Echo})
	for _, size := range [][2]uint16{{0, 24}, {80, 0}, {1001, 24}, {80, 1001}} {
		wantKind(t, fmt.Sprint("resize to ", size), terminal.Resize(s.context(t), size[0], size[1]), engine.Invalid)
	}
	wantKind(t, "resize without a terminal", plain.Resize(s.context(t), 80, 24), engine.Invalid)
}

// raw gives a process on a terminal that gives back every byte.
func (s *subject) raw(t *testing.T) (engine.Process, *output) {
	t.Helper()
	p := s.exec(t, s.running(t), engine.ExecSpec{Command: s.RawEcho, TTY: true})
	o := &output{p: p}
	o.until(t, "ready", func(got string) bool { return strings.Contains(got, "ready") })
	o.got = nil
	return p, o
}

func detachKeys(t *testing.T, s *subject) {
	p, o := s.raw(t)
	for i, keys := range []string{"\x10", "\x11", "\x10\x11", "a\x10", "\x10\x10", "end"} {
		o.got = nil
		begin := time.Now()
		if _, err := io.WriteString(p, keys); err != nil {
			t.Fatalf("write %d: %v", i, err)
		}
		o.until(t, fmt.Sprintf("%q", keys), func(got string) bool { return len(got) >= len(keys) })
		if string(o.got) != keys {
			t.Errorf("sent %q, got %q", keys, o.got)
		}
		if took := time.Since(begin); took > time.Second {
			t.Errorf("%q took %v to come back", keys, took)
		}
	}
}

func rawBytes(t *testing.T, s *subject) {
	p, o := s.raw(t)
	var all []byte
	for b := range 256 {
		all = append(all, byte(b))
	}
	all = append(all, "\xff\xfe end"...)
	if _, err := p.Write(all); err != nil {
		t.Fatalf("write: %v", err)
	}
	o.until(t, "all bytes", func(got string) bool { return len(got) >= len(all) })
	if string(o.got) != string(all) {
		t.Errorf("got %q, want %q", o.got, all)
	}
}

func endOfTransmission(t *testing.T, s *subject) {
	p := s.exec(t, s.running(t), engine.ExecSpec{Command: s.Size, TTY: true})
	wantKind(t, "closewrite", p.CloseWrite(), engine.Invalid)
	if _, err := p.Write([]byte{4}); err != nil {
		t.Fatalf("write: %v", err)
	}
	readAll(t, p)
	if code, err := p.Wait(s.context(t)); code != 0 || err != nil {
		t.Errorf("wait = %d, %v, want 0", code, err)
	}
}
