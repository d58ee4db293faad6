package host

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"podlife/runtime/host/client"
	"podlife/runtime/host/frame"
)

// Bug report B66: data, resizes, closes, ends and new connections at once, and a shutdown in the middle of it. Whatever happens, each viewer's bytes are a contiguous piece of the output, and nothing is left.
func TestAStormOfEverything(t *testing.T) {
	r := newRig(t, func(c *Config) {
		c.Session.Ring, c.Session.Window, c.Session.GoOn = 64<<10, 32<<10, 8<<10
		c.Sessions, c.Memory, c.Connections = 6, 10*64<<10, 100
	})
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	var done counters
	var all sync.WaitGroup
	const workers = 24
	for n := range workers {
		all.Go(func() { storm(ctx, t, r, rand.New(rand.NewPCG(7, uint64(n))), &done) })
	}
	for done.opens.Load() < 300 || done.outputs.Load() < 2000 || done.ends.Load() < 20 || done.exits.Load() < 5 {
		if ctx.Err() != nil {
			t.Errorf("too little was done: %s", &done)
			break
		}
		time.Sleep(10 * time.Millisecond) // until enough has happened; there is no one thing to wait for
	}
	stopping, stopped := context.WithTimeout(context.Background(), 10*time.Second)
	defer stopped()
	if err := r.Stop(stopping); err != nil {
		t.Errorf("stop in the middle: %v", err)
	}
	cancel()
	all.Wait()
	t.Logf("done: %s", &done)
}

// counters count what was done.
type counters struct{ connections, opens, refused, outputs, resets, exits, ends, resumes atomic.Int64 }

func (c *counters) String() string {
	return fmt.Sprintf("%d connections, %d opens (%d resumed), %d refused, %d outputs, %d resets, %d exits, %d ends",
		c.connections.Load(), c.opens.Load(), c.resumes.Load(), c.refused.Load(), c.outputs.Load(), c.resets.Load(), c.exits.Load(), c.ends.Load())
}

// storm connects again and again, until the host or the context ends.
func storm(ctx context.Context, t *testing.T, r *rig, chance *rand.Rand, done *counters) {
	for ctx.Err() == nil {
		here, there := net.Pipe()
		if !r.Connect(there) {
			here.Close()
			return
		}
		c, err := client.Dial(ctx, here)
		if err != nil {
			continue // the host is stopping, which Connect says next
		}
		done.connections.Add(1)
		var viewers sync.WaitGroup
		for range 1 + chance.IntN(4) {
			mine := rand.New(rand.NewPCG(chance.Uint64(), 1))
			viewers.Go(func() { view(ctx, t, c, mine, done) })
		}
		viewers.Wait()
		c.Close()
	}
}

// view opens a tab, looks for a while in one of several ways, and leaves; sometimes it comes back with what it has.
func view(ctx context.Context, t *testing.T, c *client.Client, chance *rand.Rand, done *counters) {
	var epoch, have uint64
	for range 1 + chance.IntN(3) {
		run := []string{"RUN=yes", "RUN=seq 1 20000; exit 4", "RUN=cat", "A=b"}[chance.IntN(4)]
		o := client.Open{Tab: fmt.Sprint("t", chance.IntN(5)), Cols: uint16(chance.IntN(200)), Rows: uint16(chance.IntN(60)), Env: []string{run}, Epoch: epoch, Have: have, ReadOnly: chance.IntN(5) == 0}
		v, err := c.Open(ctx, o)
		if err != nil {
			done.refused.Add(1)
			return
		}
		done.opens.Add(1)
		at := v.Opened().From
		if !v.Opened().Reset {
			done.resumes.Add(1)
			if v.Opened().Epoch != epoch || at != have {
				t.Errorf("resumed at %d of epoch %x, with %d of %x", at, v.Opened().Epoch, have, epoch)
			}
		}
		for range chance.IntN(120) {
			switch chance.IntN(12) {
			case 0:
				v.Resize(uint16(chance.IntN(1200)), uint16(chance.IntN(100)))
			case 1:
				_ = v.Input(ctx, bytes.Repeat([]byte("x\r"), chance.IntN(200))) // an error is the end, which Next says
			case 2:
				_ = v.Input(ctx, []byte("\x03"))
			case 3:
				if chance.IntN(8) == 0 {
					done.ends.Add(1)
					_ = c.End(ctx, o.Tab)
				}
			}
			short, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
			m, err := v.Next(short)
			cancel()
			if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
				continue
			}
			if err != nil {
				return
			}
			switch m := m.(type) {
			case *frame.Output:
				done.outputs.Add(1)
				if m.Offset != at {
					t.Errorf("output at %d where %d goes on", m.Offset, at)
				}
				at += uint64(len(m.Data))
				if chance.IntN(3) > 0 {
					v.Ack(at)
				}
			case *frame.Reset:
				if m.First {
					done.resets.Add(1)
				}
				at = m.From
			case *frame.Exit:
				done.exits.Add(1)
				if m.At != at {
					t.Errorf("exit at %d, the output ends at %d", m.At, at)
				}
			}
		}
		epoch, have = v.Opened().Epoch, at
		v.Close()
	}
}

// One that takes nothing holds up no other on the same connection.
func TestAViewerThatTakesNothingHoldsUpNoOther(t *testing.T) {
	r := newRig(t, nil)
	c := r.dial()
	stuck := r.open(c, client.Open{Tab: "busy", Env: []string{"RUN=yes"}}) // nobody calls its Next, nor acknowledges
	w := r.open(c, client.Open{Tab: "main"})
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for full := false; !full; <-tick.C { // until a window's worth waits for it
		tabs, err := c.List(w.ctx)
		if err != nil {
			t.Fatal(err)
		}
		for _, tab := range tabs {
			full = full || tab.Name == "busy" && tab.Hi >= 512<<10
		}
	}
	for i := range 20 {
		w.types(fmt.Sprintf("echo a''nswer%d\r", i))
		w.await(fmt.Sprintf("answer%d", i))
	}
	_ = stuck
}

// A connection whose other side reads nothing, or says nothing, holds up no other connection.
func TestAConnectionThatReadsNothingHoldsUpNoOther(t *testing.T) {
	r := newRig(t, nil)
	deaf, there := net.Pipe()
	defer deaf.Close()
	if !r.Connect(there) {
		t.Fatal("not connected")
	}
	var taken atomic.Int64
	go func() { // ends when the pipe is closed
		b := frame.Append(nil, &frame.Hello{Version: frame.Version})
		for i := uint32(1); ; i++ {
			if _, err := deaf.Write(b); err != nil {
				return
			}
			taken.Add(1)
			b = frame.Append(nil, &frame.List{Request: i})
		}
	}()
	w := r.open(r.dial(), client.Open{Tab: "main"})
	w.types("echo a''nswer\r")
	w.await("answer")
	// Nor are its requests taken for ever, each with an answer that waits.
	const most = maxControl + 2*frame.MaxData/9 // what is buffered of requests, besides
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	last := int64(-1)
	for changed := time.Now(); time.Since(changed) < 200*time.Millisecond && last <= most; <-tick.C {
		if n := taken.Load(); n != last {
			last, changed = n, time.Now()
		}
	}
	if last > most {
		t.Errorf("%d requests were taken of who reads no answer", last)
	}
}

func TestAnotherVersionIsRefusedInWords(t *testing.T) {
	r := newRig(t, nil)
	here, there := net.Pipe()
	defer here.Close()
	if !r.Connect(there) {
		t.Fatal("not connected")
	}
	if _, err := here.Write(frame.Append(nil, &frame.Hello{Version: 9})); err != nil {
		t.Fatal(err)
	}
	m, err := frame.NewReader(here, frame.MaxFrame).Next()
	if no, ok := m.(*frame.Refused); err != nil || !ok || no.Reason != frame.BadVersion || no.Code != frame.Version {
		t.Errorf("%+v, %v", m, err)
	}
	if _, err := here.Read(make([]byte, 1)); err == nil {
		t.Error("the connection stays open")
	}
}

func TestWhatIsNoRequestIsRefused(t *testing.T) {
	r := newRig(t, func(c *Config) { c.Viewers, c.Sessions = 3, 2 })
	c := r.dial()
	for _, o := range []client.Open{{Tab: ""}, {Tab: "../x"}, {Tab: "a\x00"}, {Tab: "ä"}, {Tab: string(bytes.Repeat([]byte("a"), 65))}, {Tab: "a", Env: []string{"no"}}, {Tab: "a", Env: []string{"A=\x00"}}, {Tab: "a", Dir: "\x00"}} {
		_, err := c.Open(r.ctx2(), o)
		var no *client.RefusedError
		if !errors.As(err, &no) || no.Reason != frame.BadRequest {
			t.Errorf("%+v: %v", o, err)
		}
	}
	r.open(c, client.Open{Tab: "a"})
	r.open(c, client.Open{Tab: "b"})
	for tab, want := range map[string]frame.Reason{"c": frame.TooManySessions} {
		_, err := c.Open(r.ctx2(), client.Open{Tab: tab})
		var no *client.RefusedError
		if !errors.As(err, &no) || no.Reason != want {
			t.Errorf("%s: %v", tab, err)
		}
	}
	last := r.open(c, client.Open{Tab: "a"})
	_, err := c.Open(r.ctx2(), client.Open{Tab: "a"})
	var no *client.RefusedError
	if !errors.As(err, &no) || no.Reason != frame.TooManyViewers {
		t.Errorf("a fourth viewer: %v", err)
	}
	last.Close()
	r.open(c, client.Open{Tab: "a"}) // its place is free again
}
