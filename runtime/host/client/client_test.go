package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"testing"
	"testing/synctest"

	"go.uber.org/goleak"

	"podlife/runtime/host/frame"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fake is the other side of a connection: it says what the test wants.
type fake struct {
	t *testing.T
	c net.Conn
	r *frame.Reader
}

// dial gives a client and the other side, after both hellos.
func dial(t *testing.T) (*Client, *fake) {
	t.Helper()
	here, there := net.Pipe()
	f := &fake{t, there, frame.NewReader(there, frame.MaxServerFrame)}
	greeted := make(chan struct{})
	go func() {
		f.next()
		f.say(&frame.Welcome{Version: frame.Version, Instance: "i"})
		close(greeted)
	}()
	c, err := Dial(context.Background(), here)
	if err != nil {
		t.Fatal(err)
	}
	<-greeted
	return c, f
}

func (f *fake) next() frame.Message {
	m, err := f.r.Next()
	if err != nil {
		f.t.Errorf("the other side: %v", err)
	}
	return m
}

func (f *fake) say(m frame.Message) {
	if _, err := f.c.Write(frame.Append(nil, m)); err != nil && !errors.Is(err, io.ErrClosedPipe) {
		f.t.Errorf("the other side: %v", err)
	}
}

// open opens a viewer at offset 0.
func open(t *testing.T, c *Client, f *fake) *Viewer {
	t.Helper()
	done := make(chan struct{})
	go func() {
		o := f.next().(*frame.Open)
		f.say(&frame.Opened{Request: o.Request, Viewer: o.Viewer, Epoch: 1})
		close(done)
	}()
	v, err := c.Open(context.Background(), Open{Tab: "main"})
	if err != nil {
		t.Fatal(err)
	}
	<-done
	return v
}

func TestAHostOfAnotherVersionIsATypedError(t *testing.T) {
	here, there := net.Pipe()
	go func() {
		_, _ = frame.NewReader(there, frame.MaxServerFrame).Next()
		_, _ = there.Write(frame.Append(nil, &frame.Refused{Reason: frame.BadVersion, Code: 7}))
		there.Close()
	}()
	var version *frame.VersionError
	if _, err := Dial(context.Background(), here); !errors.As(err, &version) || version.Theirs != 7 {
		t.Errorf("%v", err)
	}
}

func TestAHostThatSaysNothingIsWaitedForAsLongAsAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		here, there := net.Pipe()
		go func() { _, _ = io.Copy(io.Discard, there) }()
		ctx, cancel := context.WithTimeout(t.Context(), 5)
		defer cancel()
		if _, err := Dial(ctx, here); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v", err)
		}
	})
}

func TestWhatIsNotTakenIsJoinedAndBounded(t *testing.T) {
	c, f := dial(t)
	defer c.Close()
	v := open(t, c, f)
	for i := range uint64(200_000) { // one byte each: a queue of messages would take more than it may
		f.say(&frame.Output{Viewer: v.ID(), Offset: i, Data: []byte{byte(i)}})
	}
	at := uint64(0)
	for at < 200_000 {
		m, err := v.Next(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		out := m.(*frame.Output)
		if out.Offset != at || out.Data[0] != byte(at) || out.Data[len(out.Data)-1] != byte(at+uint64(len(out.Data))-1) {
			t.Fatalf("output at %d where %d goes on", out.Offset, at)
		}
		at += uint64(len(out.Data))
	}
	go func() {
		b := make([]byte, frame.MaxData)
		for i := range uint64(maxQueue/frame.MaxData + 2) {
			f.say(&frame.Output{Viewer: v.ID(), Offset: at + i*frame.MaxData, Data: b})
		}
	}()
	if m := f.next(); m.(*frame.Close).Viewer != v.ID() {
		t.Errorf("the host is told %+v", m)
	}
	for {
		if _, err := v.Next(context.Background()); err != nil {
			if !errors.Is(err, ErrOverrun) {
				t.Errorf("%v", err)
			}
			break
		}
	}
	if c.Err() != nil {
		t.Errorf("the connection ended with it: %v", c.Err())
	}
}

// A client of ours can be made to say the same again and again to a host that takes nothing.
func TestWhatIsSaidWithoutWaitingIsBounded(t *testing.T) {
	c, f := dial(t)
	defer c.Close()
	v := open(t, c, f)
	m := &Command{v: v, moved: make(chan struct{}, 1)}
	if err := v.Input(t.Context(), []byte("first")); err != nil { // the writer waits with this, or with what follows it
		t.Fatal(err)
	}
	for i := range uint64(100_000) {
		v.Ack(i + 1)
		v.Resize(uint16(1+i%500), uint16(1+i%300))
		m.Signal("INT")
		m.Signal(fmt.Sprint("X", i))
		m.EOF()
	}
	c.mu.Lock()
	waiting := len(c.out)
	c.mu.Unlock()
	if waiting > 16<<10 {
		t.Errorf("%d bytes wait", waiting)
	}
	m.Close()
	var ack frame.Ack
	var size frame.Resize
	signals := 0
	for {
		switch m := f.next().(type) {
		case *frame.Ack:
			ack = *m
		case *frame.Resize:
			size = *m
		case *frame.Signal:
			if m.Name == "INT" {
				signals++
			}
		case *frame.Close:
			if ack.Offset != 100_000 || size.Cols != 1+99_999%500 || size.Rows != 1+99_999%300 {
				t.Errorf("what counts in the end is %+v and %+v", ack, size)
			}
			if signals < 1 || signals > 3 { // with the first, with the second write, and behind them
				t.Errorf("%d signals came", signals)
			}
			return
		}
	}
}

func TestAConnectionThatBreaksEndsAllThatWaits(t *testing.T) {
	c, f := dial(t)
	v := open(t, c, f)
	f.say(&frame.Output{Viewer: v.ID(), Data: []byte("last")})
	asked := make(chan error, 1)
	go func() {
		_, err := c.List(context.Background())
		asked <- err
	}()
	f.next()
	f.c.Close()
	var lost *LostError
	if err := <-asked; !errors.As(err, &lost) {
		t.Errorf("a request: %v", err)
	}
	if m, err := v.Next(context.Background()); err != nil || string(m.(*frame.Output).Data) != "last" {
		t.Errorf("what came before the end: %v, %v", m, err)
	}
	if _, err := v.Next(context.Background()); !errors.As(err, &lost) {
		t.Errorf("a viewer: %v", err)
	}
	if err := v.Input(context.Background(), []byte("x")); !errors.As(err, &lost) {
		t.Errorf("input: %v", err)
	}
	c.Close()
}

func TestAnInputThatIsNotTakenWaitsAsLongAsAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, f := dial(t)
		v := open(t, c, f)
		ctx, cancel := context.WithTimeout(t.Context(), 5)
		defer cancel()
		if err := v.Input(ctx, make([]byte, 4*maxOut)); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v", err)
		}
		v.Ack(1) // does not wait
		c.Close()
	})
}

func FuzzClient(f *testing.F) {
	for _, m := range []frame.Message{&frame.Opened{Request: 1, Viewer: 1}, &frame.Refused{Viewer: 1, Reason: "x"}, &frame.Output{Viewer: 1, Data: []byte("x")}, &frame.Hello{Version: 1}, &frame.Exit{Viewer: 1}} {
		f.Add(frame.Append(nil, m))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		here, there := net.Pipe()
		go func() { _, _ = io.Copy(io.Discard, there) }()
		go func() {
			_, _ = there.Write(frame.Append(nil, &frame.Welcome{Version: frame.Version}))
			_, _ = there.Write(b)
			there.Close()
		}()
		c, err := Dial(context.Background(), here)
		if err != nil {
			return
		}
		_, _ = c.Open(context.Background(), Open{Tab: "main"})
		<-c.Done()
		c.Close()
	})
}
