package server

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"podlife/runtime/client"
)

// What `seq 1 1000000` prints is 6,888,896 bytes; so many come here too, through so many lost connections.
const (
	resumeFloods = 108
	floodBytes   = 64 << 10 // well below what a session keeps, so that no picture is needed
	resumeDrops  = 50
)

// floodOf is what the simulated shell prints for a line that asks for a flood, its own echo and the prompt included.
func floodOf(line string) []byte {
	var b bytes.Buffer
	b.WriteString(line + "\r\n")
	for i, n := 0, floodBytes; n > 0; i++ {
		l := fmt.Sprintf("line %d\r\n", i)
		l = l[:min(n, len(l))]
		n -= len(l)
		b.WriteString(l)
	}
	b.WriteString("$ ")
	return b.Bytes()
}

// resumer reads one session over many connections. All of its output from the first live byte on is in got.
type resumer struct {
	w     *world
	term  *client.Terminal
	got   []byte
	first uint64 // the offset of got's first byte
	pics  int
}

// connect opens the terminal, at its place if it has one, and reads until it is known where the output goes on.
func (r *resumer) connect() {
	r.w.t.Helper()
	h := client.Hello{Client: "c1", Cols: 80, Rows: 24}
	if r.term != nil {
		h.Epoch, h.Have = r.term.Place()
	}
	r.term = r.w.open(h)
	again := h.Epoch != ""
	a := r.w.attached(r.term)
	if again && a.Epoch != h.Epoch {
		r.w.t.Fatalf("attached to session %s instead of %s", a.Epoch, h.Epoch)
	}
	m, _ := r.w.until(r.term, "resumed or live", func(m client.Message) bool {
		switch m.(type) {
		case client.Resumed, client.Live:
			return true
		}
		return false
	})
	switch m := m.(type) {
	case client.Live:
		r.pics++
		r.first = m.From
	case client.Resumed:
		if want := r.first + uint64(len(r.got)); m.From != want {
			r.w.t.Fatalf("resumed at %d instead of %d (first %d, got %d, said %d)", m.From, want, r.first, len(r.got), h.Have)
		}
	}
}

// read goes on until there are n bytes.
func (r *resumer) read(n int) {
	r.w.t.Helper()
	if len(r.got) >= n {
		return
	}
	r.w.until(r.term, fmt.Sprintf("byte %d", n), func(m client.Message) bool {
		switch m := m.(type) {
		case client.Output:
			r.got = append(r.got, m...)
		case client.Reset:
			r.w.t.Fatalf("reset (%s) at byte %d", m.Reason, len(r.got))
		}
		return len(r.got) >= n
	})
}

// Output arrives exactly once, however often the connection is lost in the middle of it: nothing is missing, nothing doubled, nothing out of order.
func TestOutputArrivesExactlyOnceThroughFiftyLostConnections(t *testing.T) {
	w := newWorld(t, nil)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 1))
	r := &resumer{w: w}
	r.connect()
	drops := map[int]int{} // how often in which flood
	for range resumeDrops {
		drops[rnd.IntN(resumeFloods)]++
	}
	line := fmt.Sprintf("flood %d", floodBytes)
	part := floodOf(line)
	var want []byte
	for i := range resumeFloods {
		start := len(want)
		if _, err := r.term.Write([]byte(line + "\n")); err != nil {
			t.Fatal(err)
		}
		want = append(want, part...)
		r.read(start + len(line) + 3) // the shell has the line, and the flood has begun: it is not typed again
		for range drops[i] {
			r.read(len(r.got) + rnd.IntN(1+max(0, len(want)-len(r.got))/2))
			r.term.Drop()
			r.connect()
		}
		r.read(len(want))
	}
	// The first prompt is in the picture, or in the output behind it.
	got := bytes.TrimPrefix(r.got, []byte("$ "))
	if len(got) < len(want) {
		r.read(len(r.got) + len(want) - len(got))
		got = bytes.TrimPrefix(r.got, []byte("$ "))
	}
	if !bytes.Equal(got, want) {
		at := 0
		for at < min(len(got), len(want)) && got[at] == want[at] {
			at++
		}
		t.Fatalf("of %d bytes %d came; they differ from byte %d: %.60q instead of %.60q", len(want), len(got), at, got[at:], want[at:])
	}
	if r.pics != 1 {
		t.Errorf("%d pictures, want the first alone", r.pics)
	}
	t.Logf("%d bytes through %d lost connections", len(got), resumeDrops)
}

// The server's own connection to a container's sessions can break, too: its clients keep their sockets, and go on at the byte where they were.
func TestAClientDoesNotLoseAByteToABrokenConnectionBehindTheServer(t *testing.T) {
	w := newWorld(t, nil)
	r := &resumer{w: w}
	r.connect()
	if len(r.got) < 2 {
		r.read(0)
	}
	line := fmt.Sprintf("flood %d", floodBytes)
	var want []byte
	for i := range 5 {
		start := len(r.got)
		if _, err := r.term.Write([]byte(line + "\n")); err != nil {
			t.Fatal(err)
		}
		want = append(want, floodOf(line)...)
		r.read(start + len(line) + 3 + i*1000) // some of it, and the rest while the connection is made anew
		w.engine.Unavailable(true)             // all streams are cut
		w.engine.Unavailable(false)
		m, out := w.until(r.term, "resumed", func(m client.Message) bool {
			switch m := m.(type) {
			case client.Reset:
				t.Fatalf("reset: %s", m.Reason)
			case client.Resumed:
				return true
			}
			return false
		})
		r.got = append(r.got, out...)
		if from := m.(client.Resumed).From; from != r.first+uint64(len(r.got)) {
			t.Fatalf("resumed at %d with everything up to %d there", from, r.first+uint64(len(r.got)))
		}
		for got := len(bytes.TrimPrefix(r.got, []byte("$ "))); got < len(want); got = len(bytes.TrimPrefix(r.got, []byte("$ "))) {
			r.read(len(r.got) + len(want) - got)
		}
	}
	if !bytes.Equal(bytes.TrimPrefix(r.got, []byte("$ ")), want) {
		t.Errorf("%d bytes came, and they are not the %d that were said", len(r.got), len(want))
	}
}

// What is typed while the server's connection to a session breaks and is made anew is typed all the same, in its order; of a piece that was under way, and may be lost, the client is told.
func TestWhatIsTypedWhileTheConnectionBehindTheServerBreaksIsTypedOrTold(t *testing.T) {
	w := newWorld(t, nil)
	r := &resumer{w: w}
	r.connect()
	const lines = 60
	told := map[uint64]bool{}
	var out bytes.Buffer
	take := func(m client.Message) {
		switch m := m.(type) {
		case client.Output:
			out.Write(m)
		case client.Refused:
			if m.Reason != "lost" || m.Frames == 0 {
				t.Errorf("%+v", m)
			}
			told[m.Frames] = true
		case client.State:
			t.Logf("%+v", m)
		}
	}
	for i := 1; i <= lines; i++ {
		if i%6 == 0 {
			w.engine.Unavailable(true) // all streams are cut
			w.engine.Unavailable(false)
		}
		if _, err := fmt.Fprintf(r.term, "line-%d\n", i); err != nil {
			t.Fatal(err)
		}
		if i%6 == 3 { // it is whole again
			w.until(r.term, "an answer", func(m client.Message) bool {
				take(m)
				return bytes.Contains(out.Bytes(), fmt.Appendf(nil, "said: line-%d\r\n", i))
			})
		}
	}
	w.until(r.term, "the last answer", func(m client.Message) bool {
		take(m)
		return told[lines] || bytes.Contains(out.Bytes(), fmt.Appendf(nil, "said: line-%d\r\n", lines))
	})
	last := -1
	for i := uint64(1); i <= lines; i++ {
		at := bytes.Index(out.Bytes(), fmt.Appendf(nil, "said: line-%d\r\n", i))
		switch {
		case at < 0 && !told[i]:
			t.Errorf("line %d was neither typed nor told of", i)
		case at >= 0 && at < last:
			t.Errorf("line %d was typed before the one before it", i)
		}
		last = max(last, at)
	}
	t.Logf("%d of %d lines were told of", len(told), lines)
}

// What is typed while the new connection is being made, which can take long, is kept for it.
func TestWhatIsTypedWhileTheConnectionBehindTheServerIsMadeIsTyped(t *testing.T) {
	w := newWorld(t, nil)
	r := &resumer{w: w}
	r.connect()
	release, entered := w.engine.Hold("exec", nil)
	w.engine.Unavailable(true) // all streams are cut
	w.engine.Unavailable(false)
	<-entered // the server asks for another relay
	const lines = 20
	for i := range lines {
		if _, err := fmt.Fprintf(r.term, "kept-%d\n", i); err != nil {
			t.Fatal(err)
		}
	}
	time.Sleep(200 * time.Millisecond) // until the server has read them: nothing tells when
	release()
	var out bytes.Buffer
	w.until(r.term, "the last line's answer", func(m client.Message) bool {
		switch m := m.(type) {
		case client.Output:
			out.Write(m)
		case client.Refused, client.State:
			t.Fatalf("%+v", m)
		}
		return bytes.Contains(out.Bytes(), fmt.Appendf(nil, "said: kept-%d\r\n", lines-1))
	})
	for i := range lines {
		if n := bytes.Count(out.Bytes(), fmt.Appendf(nil, "said: kept-%d\r\n", i)); n != 1 {
			t.Errorf("line %d was typed %d times", i, n)
		}
	}
}
