package host

import (
	"context"
	"errors"
	"net"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"podlife/runtime/host/client"
	"podlife/runtime/host/frame"
	"podlife/runtime/host/session"
)

// quiet is a process in memory that says one thing and ends when it is told to.
type quiet struct {
	said chan []byte
	once sync.Once
	end  chan struct{}
}

func (q *quiet) Read(b []byte) (int, error) {
	select {
	case text := <-q.said:
		return copy(b, text), nil
	case <-q.end:
		return 0, net.ErrClosed
	}
}
func (q *quiet) Write(b []byte) (int, error) { return len(b), nil }
func (q *quiet) Resize(_, _ uint16) error    { return nil }
func (q *quiet) Wait() session.Exit          { <-q.end; return session.Exit{Code: 9} }
func (q *quiet) Hangup()                     { q.once.Do(func() { close(q.end) }) }
func (q *quiet) Kill()                       { q.Hangup() }
func (q *quiet) Close() error                { return nil }

// inBubble runs f with a host whose processes are in memory, in a bubble: time is fake, and every goroutine has to end.
func inBubble(t *testing.T, change func(*Config), f func(t *testing.T, h *Host, c *client.Client)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		config := Config{
			Check: func(frame.Marker) frame.Reason { return "" },
			Start: func(context.Context, session.Spec) (session.PTY, error) {
				q := &quiet{said: make(chan []byte, 1), end: make(chan struct{})}
				q.said <- []byte("hello")
				return q, nil
			},
		}
		if change != nil {
			change(&config)
		}
		h := New(config)
		here, there := net.Pipe()
		h.Connect(there)
		c, err := client.Dial(t.Context(), here)
		if err != nil {
			t.Fatal(err)
		}
		f(t, h, c)
		if err := h.Stop(context.Background()); err != nil {
			t.Error(err)
		}
		c.Close()
	})
}

func open(t *testing.T, c *client.Client, o client.Open) *client.Viewer {
	t.Helper()
	v, err := c.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestWhatHasExitedIsKeptForAWhile(t *testing.T) {
	inBubble(t, func(c *Config) { c.FinishedFor = time.Minute }, func(t *testing.T, h *Host, c *client.Client) {
		old := open(t, c, client.Open{Tab: "main"}).Opened()
		if err := c.End(t.Context(), "main"); err != nil {
			t.Fatal(err)
		}
		young := open(t, c, client.Open{Tab: "main"}).Opened()
		if young.Epoch == old.Epoch || !young.Started {
			t.Errorf("%+v after %+v", young, old)
		}
		time.Sleep(59 * time.Second)
		back := open(t, c, client.Open{Tab: "main", Epoch: old.Epoch, Have: old.Hi})
		if o := back.Opened(); o.Epoch != old.Epoch || o.Running || o.Reset {
			t.Errorf("who comes back in time is told %+v", o)
		}
		time.Sleep(2 * time.Second)
		late := open(t, c, client.Open{Tab: "main", Epoch: old.Epoch, Have: old.Hi})
		if o := late.Opened(); o.Epoch != young.Epoch || !o.Running || !o.Reset {
			t.Errorf("who comes back late is told %+v", o)
		}
	})
}

func TestWhatHasExitedIsBoundedInNumberAndMemory(t *testing.T) {
	const ring = 1 << 20
	inBubble(t, func(c *Config) { c.Finished, c.Memory = 4, 5*ring }, func(t *testing.T, h *Host, c *client.Client) {
		exited := func() (n int) {
			for _, tab := range h.Tabs() {
				if tab.Exited {
					n++
				}
			}
			return n
		}
		var last uint64
		for range 10 {
			last = open(t, c, client.Open{Tab: "t"}).Opened().Epoch
			if err := c.End(t.Context(), "t"); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
		}
		if n := exited(); n != 4 {
			t.Errorf("%d are kept", n)
		}
		for _, tab := range []string{"a", "b", "c"} {
			open(t, c, client.Open{Tab: tab})
		}
		if n := exited(); n != 2 {
			t.Errorf("%d are kept when there is memory for two", n)
		}
		if o := open(t, c, client.Open{Tab: "t", Epoch: last}).Opened(); o.Epoch != last {
			t.Error("the youngest was forgotten before an older one")
		}
		open(t, c, client.Open{Tab: "d"})
		open(t, c, client.Open{Tab: "e"})
		_, err := c.Open(t.Context(), client.Open{Tab: "f"})
		var no *client.RefusedError
		if !errors.As(err, &no) || no.Reason != frame.TooManySessions {
			t.Errorf("beyond the memory: %v", err)
		}
	})
}

func TestTheListSaysWhoIsIdle(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, h *Host, c *client.Client) {
		started := time.Now()
		v := open(t, c, client.Open{Tab: "main"})
		time.Sleep(time.Minute)
		list := func() frame.Tab {
			tabs, err := c.List(t.Context())
			if err != nil || len(tabs) != 1 {
				t.Fatalf("%v, %v", tabs, err)
			}
			return tabs[0]
		}
		if tab := list(); tab.LastInput != 0 || tab.Viewers != 1 || tab.Started != uint64(started.UnixMilli()) || tab.Hi != 5 {
			t.Errorf("%+v", tab)
		}
		_ = v.Input(t.Context(), []byte("x"))
		synctest.Wait()
		typed := time.Now()
		time.Sleep(time.Minute)
		v.Close()
		synctest.Wait()
		if tab := list(); tab.LastInput != uint64(typed.UnixMilli()) || tab.Viewers != 0 {
			t.Errorf("%+v", tab)
		}
	})
}

// A start that takes long holds up nobody else, and who gives up on it leaves nothing.
func TestAStartThatTakesLongHoldsUpNobody(t *testing.T) {
	inBubble(t, func(c *Config) {
		start := c.Start
		c.Start = func(ctx context.Context, s session.Spec) (session.PTY, error) {
			if s.Tab == "slow" {
				time.Sleep(time.Minute)
			}
			return start(ctx, s)
		}
	}, func(t *testing.T, h *Host, c *client.Client) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		given := make(chan error, 1)
		go func() {
			_, err := c.Open(ctx, client.Open{Tab: "slow"})
			given <- err
		}()
		synctest.Wait()
		begun := time.Now()
		open(t, c, client.Open{Tab: "quick"})
		if d := time.Since(begun); d != 0 {
			t.Errorf("another tab waited for %s", d)
		}
		if err := <-given; !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v", err)
		}
		time.Sleep(2 * time.Minute)
		for _, tab := range h.Tabs() {
			if tab.Name == "slow" && tab.Viewers != 0 {
				t.Errorf("who gave up looks: %+v", tab)
			}
		}
	})
}

func TestAnOpenWhileTheHostStopsIsRefusedOrEnds(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, h *Host, c *client.Client) {
		v := open(t, c, client.Open{Tab: "main"})
		if err := h.Stop(context.Background()); err != nil {
			t.Error(err)
		}
		for {
			if _, err := v.Next(t.Context()); err != nil {
				var lost *client.LostError
				if !errors.As(err, &lost) {
					t.Errorf("%v", err)
				}
				break
			}
		}
		if _, err := c.Open(t.Context(), client.Open{Tab: "main"}); err == nil {
			t.Error("it opens")
		}
	})
}

// Those that have said nothing give way to new connections; those that have said hello never do.
func TestSilentConnectionsGiveWay(t *testing.T) {
	inBubble(t, func(c *Config) { c.Connections = 3 }, func(t *testing.T, h *Host, c *client.Client) {
		var silent []net.Conn
		for range 5 {
			here, there := net.Pipe()
			if !h.Connect(there) {
				t.Fatal("refused")
			}
			silent = append(silent, here)
			time.Sleep(time.Second)
		}
		synctest.Wait()
		if c.Err() != nil {
			t.Errorf("who said hello was ended: %v", c.Err())
		}
		if _, err := silent[0].Read(make([]byte, 1)); err == nil {
			t.Error("the oldest silent one is still there")
		}
		for _, s := range silent {
			s.Close()
		}
	})
}

// Whatever a server sends, the host neither panics nor leaves anything.
func FuzzConnection(f *testing.F) {
	var all []byte
	for _, m := range []frame.Message{
		&frame.Open{Request: 1, Viewer: 1, Tab: "main"}, &frame.Input{Viewer: 1, Data: []byte("x")}, &frame.Resize{Viewer: 1, Cols: 9, Rows: 9}, &frame.Ack{Viewer: 1, Offset: 1 << 60}, &frame.List{Request: 2},
		&frame.Close{Viewer: 1}, &frame.End{Request: 3, Tab: "main"}, &frame.Welcome{Version: 1},
	} {
		f.Add(frame.Append(nil, m))
		all = frame.Append(all, m)
	}
	f.Add(all)
	f.Fuzz(func(t *testing.T, b []byte) {
		inBubble(t, nil, func(t *testing.T, h *Host, _ *client.Client) {
			here, there := net.Pipe()
			h.Connect(there)
			go func() { // ends when the host closes
				r := frame.NewReader(here, frame.MaxFrame)
				for {
					if _, err := r.Next(); err != nil {
						return
					}
				}
			}()
			_, _ = here.Write(frame.Append(nil, &frame.Hello{Version: frame.Version})) // an error is the end, as any below
			_, _ = here.Write(b)
			synctest.Wait()
			here.Close()
		})
	})
}

func TestWhoFollowsStartsNothingAndIsInNoCount(t *testing.T) {
	inBubble(t, func(c *Config) { c.FinishedFor = time.Minute }, func(t *testing.T, h *Host, c *client.Client) {
		var no *client.RefusedError
		for _, epoch := range []uint64{0, 7} {
			if _, err := c.Follow(t.Context(), frame.Marker{}, epoch, 0); !errors.As(err, &no) || no.Reason != frame.NoTab {
				t.Errorf("%d: %v", epoch, err)
			}
		}
		v := open(t, c, client.Open{Tab: "main"})
		epoch := v.Opened().Epoch
		synctest.Wait()
		f, err := c.Follow(t.Context(), frame.Marker{}, epoch, 0)
		if err != nil {
			t.Fatal(err)
		}
		if o := f.Opened(); o.Reset || o.From != 0 || o.Epoch != epoch || o.Tab != "main" {
			t.Errorf("%+v", o)
		}
		if m, err := f.Next(t.Context()); err != nil || string(m.(*frame.Output).Data) != "hello" {
			t.Errorf("%v, %v", m, err)
		}
		if tabs := h.Tabs(); len(tabs) != 1 || tabs[0].Viewers != 1 {
			t.Errorf("%+v", tabs)
		}
		if err := c.End(t.Context(), "main"); err != nil {
			t.Fatal(err)
		}
		if m, err := f.Next(t.Context()); err != nil || m.(*frame.Exit).Code != 9 {
			t.Errorf("%v, %v", m, err)
		}
		// It is kept, and can be followed until it is forgotten.
		if _, err := c.Follow(t.Context(), frame.Marker{}, epoch, 5); err != nil {
			t.Error(err)
		}
		time.Sleep(2 * time.Minute)
		if _, err := c.Follow(t.Context(), frame.Marker{}, epoch, 5); !errors.As(err, &no) || no.Reason != frame.NoTab {
			t.Error(err)
		}
		if tabs := h.Tabs(); len(tabs) != 0 {
			t.Errorf("%+v", tabs)
		}
	})
}
