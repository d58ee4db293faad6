package host

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"podlife/runtime/host/client"
	"podlife/runtime/host/frame"
	"podlife/runtime/host/session"
)

func TestWhenOutputStreams(t *testing.T) {
	var p pace
	now := time.Now()
	told := func(n int, after time.Duration) bool {
		now = now.Add(after)
		return p.streams(n, now)
	}
	for range 7 {
		if told(4<<10, 0) {
			t.Error("28 KiB at once, which is a large screenful, are gathered")
		}
	}
	if !told(4<<10, 0) || !told(4<<10, 100*time.Microsecond) {
		t.Error("40 MB/s do not stream")
	}
	if told(1, 20*time.Millisecond) {
		t.Error("a key's echo, 20 ms after a stream, is gathered")
	}
	for range 1000 {
		if told(2<<10, time.Millisecond) {
			t.Fatal("2 MB/s stream")
		}
	}
	for range 40 {
		told(16<<10, time.Microsecond)
	}
	if told(1, 16*time.Millisecond) {
		t.Error("how long a stream was makes a difference afterwards")
	}
	if told(1, 100000*time.Hour) || told(1, -time.Hour) {
		t.Error("a clock that jumps makes a stream")
	}
}

// Eight pieces that come within a millisecond are told in one, and all of them, also what comes last; the first ones are told as they come.
func TestOutputThatStreamsIsToldInLargePieces(t *testing.T) {
	const pieces, size = 1000, 4 << 10
	inBubble(t, func(c *Config) {
		c.Start = func(context.Context, session.Spec) (session.PTY, error) {
			q := &quiet{said: make(chan []byte), end: make(chan struct{})}
			go func() {
				time.Sleep(time.Second)
				for range pieces {
					time.Sleep(time.Millisecond / 8)
					q.said <- make([]byte, size)
				}
				q.Hangup()
			}()
			return q, nil
		}
	}, func(t *testing.T, _ *Host, c *client.Client) {
		v := open(t, c, client.Open{Tab: "main"})
		began := time.Now().Add(time.Second)
		var messages, first, bytes int
		for {
			m, err := v.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if _, ok := m.(*frame.Exit); ok {
				break
			}
			o, ok := m.(*frame.Output)
			if !ok {
				continue
			}
			if time.Since(began) < 500*time.Microsecond {
				first++
			}
			messages++
			bytes += len(o.Data)
			v.Ack(o.Offset + uint64(len(o.Data)))
		}
		if bytes != pieces*size {
			t.Errorf("%d bytes of %d", bytes, pieces*size)
		}
		// Two a millisecond at the most, as a full message is followed at once by what has come meanwhile, and the first ones.
		if messages > pieces/4+40 {
			t.Errorf("%d messages for %d pieces", messages, pieces)
		}
		if first != 3 {
			t.Errorf("%d messages in the first half of a millisecond, in which 3 pieces came", first)
		}
		if took := time.Since(began); took > pieces*time.Millisecond/8+2*streamRest {
			t.Errorf("it took %s", took)
		}
	})
}

// One who looks at a quiet tab does not wait for a noisy one on the same connection.
func TestAStreamDelaysNobodyElse(t *testing.T) {
	inBubble(t, func(c *Config) {
		c.Start = func(_ context.Context, s session.Spec) (session.PTY, error) {
			q := &quiet{said: make(chan []byte), end: make(chan struct{})}
			if s.Tab == "quiet" {
				return &echoing{quiet: q}, nil
			}
			go func() {
				every := time.NewTicker(time.Millisecond / 8)
				defer every.Stop()
				for {
					select {
					case <-every.C:
					case <-q.end:
						return
					}
					select {
					case q.said <- make([]byte, 4<<10):
					case <-q.end:
						return
					}
				}
			}()
			return q, nil
		}
	}, func(t *testing.T, _ *Host, c *client.Client) {
		noisy := open(t, c, client.Open{Tab: "noisy"})
		var told atomic.Int64
		leave, cancel := context.WithCancel(t.Context())
		left := make(chan struct{})
		go func() {
			defer close(left)
			for {
				m, err := noisy.Next(leave)
				if err != nil {
					return
				}
				if o, ok := m.(*frame.Output); ok {
					told.Add(1)
					noisy.Ack(o.Offset + uint64(len(o.Data)))
				}
			}
		}()
		v := open(t, c, client.Open{Tab: "quiet"})
		for i := range 20 {
			time.Sleep(10*time.Millisecond + time.Duration(i)*50*time.Microsecond)
			began := time.Now()
			if err := v.Input(t.Context(), []byte("x")); err != nil {
				t.Fatal(err)
			}
			for {
				m, err := v.Next(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				if _, ok := m.(*frame.Output); ok {
					break
				}
			}
			if d := time.Since(began); d > 0 { // time stands still while anybody has something to do
				t.Errorf("an echo took %s", d)
			}
		}
		cancel()
		<-left
		synctest.Wait()
		if told.Load() == 0 {
			t.Error("the noisy tab said nothing")
		}
	})
}

// echoing prints what is typed.
type echoing struct{ *quiet }

func (e *echoing) Write(b []byte) (int, error) {
	select {
	case e.said <- append([]byte(nil), b...):
		return len(b), nil
	case <-e.end:
		return 0, context.Canceled
	}
}
