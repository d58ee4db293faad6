package host

import (
	"context"
	"fmt"
	"net"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"podlife/runtime/host/client"
	"podlife/runtime/host/frame"
	"podlife/runtime/host/process"
	"podlife/runtime/host/session"
)

// socketed gives a client over a real socket.
func (r *rig) socketed() *client.Client {
	r.t.Helper()
	l, err := Listen(filepath.Join(r.t.TempDir(), "host.sock"))
	if err != nil {
		r.t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- r.Serve(l, nil) }()
	r.t.Cleanup(func() {
		l.Close()
		if err := <-served; err != nil {
			r.t.Error(err)
		}
	})
	conn, err := net.Dial("unix", l.Addr().String())
	if err != nil {
		r.t.Fatal(err)
	}
	c, err := client.Dial(r.ctx2(), conn)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { c.Close() })
	return c
}

// endless is a process in memory that prints for ever.
type endless struct {
	line []byte
	once sync.Once
	end  chan struct{}
}

func (e *endless) Read(b []byte) (int, error) {
	select {
	case <-e.end:
		return 0, net.ErrClosed
	default:
	}
	n := 0
	for n+len(e.line) <= len(b) {
		n += copy(b[n:], e.line)
	}
	return n, nil
}
func (e *endless) Write(b []byte) (int, error) { return len(b), nil }
func (e *endless) Resize(_, _ uint16) error    { return nil }
func (e *endless) Wait() session.Exit          { <-e.end; return session.Exit{} }
func (e *endless) Hangup()                     { e.once.Do(func() { close(e.end) }) }
func (e *endless) Kill()                       { e.Hangup() }
func (e *endless) Close() error                { return nil }

// drain takes output until there were so many bytes, acknowledging every 64 KiB, as the page does.
func (w *term) drain(bytes uint64) {
	w.t.Helper()
	at, acked := w.from, w.from
	for end := w.from + bytes; at < end; {
		m, err := w.Next(context.Background())
		if err != nil {
			w.t.Fatal(err)
		}
		switch m := m.(type) {
		case *frame.Output:
			at += uint64(len(m.Data))
		case *frame.Reset:
			at, acked = m.From, m.From
			end = at + bytes
		}
		if at-acked >= 64<<10 {
			acked = at
			w.Ack(at)
		}
	}
	w.Ack(at)
	w.from = at
}

func BenchmarkThroughput(b *testing.B) {
	const piece = 8 << 20
	text := []byte("the quick brown fox jumps over the lazy dog 0123456789\r\n")
	colored := []byte("\x1b[32m-rw-r--r--\x1b[0m 1 root \x1b[1;34mdirectory\x1b[0m\r\n")
	for name, line := range map[string][]byte{"memory/text": text, "memory/colored": colored} {
		b.Run(name, func(b *testing.B) {
			r := newRig(b, func(c *Config) {
				c.Start = func(context.Context, session.Spec) (session.PTY, error) {
					return &endless{line: line, end: make(chan struct{})}, nil
				}
			})
			w := r.open(r.socketed(), client.Open{Tab: "main"})
			b.SetBytes(piece)
			for b.Loop() {
				w.drain(piece)
			}
		})
	}
	b.Run("pty/host", func(b *testing.B) {
		r := newRig(b, nil)
		w := r.open(r.socketed(), client.Open{Tab: "main", Env: []string{"RUN=stty raw; exec yes the quick brown fox jumps over the lazy dog"}})
		b.SetBytes(piece)
		for b.Loop() {
			w.drain(piece)
		}
	})
	b.Run("pty/plain", func(b *testing.B) { // the terminal alone, to compare with
		children := process.NewChildren(false)
		s := &process.Starter{Children: children, Program: shell}
		p, err := s.Start(context.Background(), session.Spec{Cols: 80, Rows: 24, Env: []string{"RUN=stty raw; exec yes the quick brown fox jumps over the lazy dog"}})
		if err != nil {
			b.Fatal(err)
		}
		buf := make([]byte, 32<<10)
		b.SetBytes(piece)
		for b.Loop() {
			for n := 0; n < piece; {
				k, err := p.Read(buf)
				if err != nil {
					b.Fatal(err)
				}
				n += k
			}
		}
		p.Kill()
		p.Wait()
		_ = p.Close()
		children.Wait()
	})
}

// percentiles reports the median and the 99th of a hundred, in microseconds.
func percentiles(b *testing.B, name string, all []time.Duration) {
	slices.Sort(all)
	b.ReportMetric(float64(all[len(all)/2].Nanoseconds())/1e3, name+"p50-µs")
	b.ReportMetric(float64(all[len(all)*99/100].Nanoseconds())/1e3, name+"p99-µs")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkReattach opens a viewer with a picture of 256 KiB, until its last piece is there.
func BenchmarkReattach(b *testing.B) {
	r := newRig(b, nil)
	c := r.socketed()
	w := r.open(c, client.Open{Tab: "main", Env: []string{"RUN=seq 1 200000 | sed 's/.*/\x1b[3&mline & of many\x1b[m/'; sleep 3600"}})
	w.await("200000")
	var all []time.Duration
	size := 0
	for b.Loop() {
		begun := time.Now()
		again := r.open(c, client.Open{Tab: "main"})
		for last := false; !last; {
			m, err := again.Next(again.ctx)
			if err != nil {
				b.Fatal(err)
			}
			if reset, ok := m.(*frame.Reset); ok {
				last = reset.Last
				if reset.First {
					size = 0
				}
				size += len(reset.Data)
			}
		}
		all = append(all, time.Since(begun))
		again.Close()
	}
	b.ReportMetric(float64(size)/1024, "KiB")
	percentiles(b, "", all)
}

// BenchmarkEcho types a key and waits for its echo, with 500 sessions idle beside it; and the same on a terminal alone.
func BenchmarkEcho(b *testing.B) {
	r := newRig(b, func(c *Config) { c.Sessions, c.Memory, c.Viewers = 600, 600<<20, 600 })
	c := r.socketed()
	for i := range 500 {
		r.open(c, client.Open{Tab: fmt.Sprint("idle", i), Env: []string{"RUN=exec sleep 3600"}})
	}
	b.Run("host", func(b *testing.B) {
		w := r.open(c, client.Open{Tab: "main", Env: []string{"RUN=exec sleep 3600"}})
		defer w.Viewer.Close()
		w.t = b
		for w.from == 0 && w.resets == 0 && w.Opened().Reset {
			w.step()
		}
		var all []time.Duration
		for b.Loop() {
			begun, before := time.Now(), w.have()
			w.types("x")
			for w.have() == before {
				w.step()
			}
			all = append(all, time.Since(begun))
			w.from, w.got = w.have(), nil
		}
		percentiles(b, "", all)
	})
	b.Run("plain", func(b *testing.B) {
		s := &process.Starter{Children: r.children, Program: shell}
		p, err := s.Start(context.Background(), session.Spec{Cols: 80, Rows: 24, Env: []string{"RUN=exec sleep 3600"}})
		if err != nil {
			b.Fatal(err)
		}
		var all []time.Duration
		buf := make([]byte, 100)
		for b.Loop() {
			begun := time.Now()
			if _, err := p.Write([]byte("x")); err != nil {
				b.Fatal(err)
			}
			if _, err := p.Read(buf); err != nil {
				b.Fatal(err)
			}
			all = append(all, time.Since(begun))
		}
		percentiles(b, "", all)
		p.Kill()
		p.Wait()
		_ = p.Close()
	})
}
