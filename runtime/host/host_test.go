package host

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"podlife/runtime/host/client"
	"podlife/runtime/host/frame"
	"podlife/runtime/host/process"
	"podlife/runtime/host/session"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience is how long what takes a few milliseconds, and must not take 200, may take here: the machine may be busy with other tests.
const patience = time.Second

// rig is a host with real shells, which is stopped, and all of whose processes have ended, when the test does.
type rig struct {
	*Host
	t        testing.TB
	children *process.Children
	starts   atomic.Int32
	marker   atomic.Pointer[frame.Reason]
}

func newRig(t testing.TB, change func(*Config)) *rig {
	r := &rig{t: t, children: process.NewChildren(false)}
	starter := &process.Starter{Children: r.children, Program: shell}
	c := Config{
		Check: func(frame.Marker) frame.Reason {
			if reason := r.marker.Load(); reason != nil {
				return *reason
			}
			return ""
		},
		Start: func(ctx context.Context, s session.Spec) (session.PTY, error) {
			r.starts.Add(1)
			return starter.Start(ctx, s)
		},
	}
	if change != nil {
		change(&c)
	}
	r.Host = New(c)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := r.Stop(ctx); err != nil {
			t.Errorf("stop: %v", err)
		}
		r.children.Wait()
	})
	return r
}

// shell is what a tab runs here: sh, or the command in the variable RUN.
func shell(s session.Spec) (process.Program, error) {
	p := process.Program{Path: "/bin/sh", Args: []string{"sh", "-i"}, Env: append([]string{"PS1=$ ", "PATH=" + os.Getenv("PATH"), "TERM=xterm"}, s.Env...), Dirs: []string{s.Dir, "/"}}
	for _, v := range s.Env {
		if run, ok := strings.CutPrefix(v, "RUN="); ok {
			p.Args = []string{"sh", "-c", run}
		}
		if path, ok := strings.CutPrefix(v, "SHELL="); ok {
			p.Path = path
		}
	}
	return p, nil
}

// dial gives a connection to the host, closed at the test's end.
func (r *rig) dial() *client.Client {
	r.t.Helper()
	here, there := net.Pipe()
	if !r.Connect(there) {
		r.t.Fatal("not connected")
	}
	c, err := client.Dial(r.ctx2(), here)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { c.Close() })
	return c
}

func (r *rig) ctx2() context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	r.t.Cleanup(cancel)
	return ctx
}

// term is a terminal that notes what it is told.
type term struct {
	*client.Viewer
	t       testing.TB
	ctx     context.Context
	from    uint64
	got     []byte // since the last reset
	picture []byte
	resets  int
	exit    *frame.Exit
	refused []frame.Reason
	silent  bool // acknowledges nothing
}

func (r *rig) open(c *client.Client, o client.Open) *term {
	r.t.Helper()
	ctx := r.ctx2()
	v, err := c.Open(ctx, o)
	if err != nil {
		r.t.Fatal(err)
	}
	return &term{Viewer: v, t: r.t, ctx: ctx, from: v.Opened().From}
}

// step takes one message.
func (w *term) step() {
	w.t.Helper()
	m, err := w.Next(w.ctx)
	if err != nil {
		w.t.Fatalf("%v; it shows %q", err, w.got[max(0, len(w.got)-200):])
	}
	switch m := m.(type) {
	case *frame.Output:
		if m.Offset != w.have() {
			w.t.Fatalf("output from %d on, with everything up to %d there", m.Offset, w.have())
		}
		w.got = append(w.got, m.Data...)
		if !w.silent {
			w.Ack(w.have())
		}
	case *frame.Reset:
		if m.First {
			w.resets++
			w.picture = nil
		}
		w.picture = append(w.picture, m.Data...)
		w.from, w.got = m.From, nil
	case *frame.Exit:
		w.exit = m
	case *frame.Refused:
		w.refused = append(w.refused, m.Reason)
	}
}

func (w *term) have() uint64 { return w.from + uint64(len(w.got)) }

// await takes messages until it shows the text, in its picture or behind it.
func (w *term) await(text string) {
	w.t.Helper()
	for !bytes.Contains(w.got, []byte(text)) && !bytes.Contains(w.picture, []byte(text)) {
		w.step()
	}
}

func (w *term) awaitExit() *frame.Exit {
	w.t.Helper()
	for w.exit == nil {
		w.step()
	}
	return w.exit
}

func (w *term) types(text string) {
	w.t.Helper()
	if err := w.Input(w.ctx, []byte(text)); err != nil {
		w.t.Fatal(err)
	}
}

func TestTheFirstCommandSeesTheSizeAndTheEnvironment(t *testing.T) {
	r := newRig(t, nil)
	c := r.dial()
	for i := range 20 { // bug reports B52 and B64
		w := r.open(c, client.Open{Tab: fmt.Sprint("t", i), Cols: 93, Rows: 31, Dir: "/usr", Env: []string{"RUN=stty size; pwd; echo $MINE", "MINE=x y"}})
		w.awaitExit()
		if all := string(w.picture) + string(w.got); !strings.Contains(all, "31 93\r\n/usr\r\nx y\r\n") {
			t.Errorf("it shows %q", all)
		}
	}
}

func TestExitCodesAndSignals(t *testing.T) {
	r := newRig(t, nil)
	c := r.dial()
	for run, want := range map[string]frame.Exit{"exit 0": {}, "exit 3": {Code: 3}, "kill -9 $$": {Code: 137, Signal: "SIGKILL"}, "kill -TERM $$": {Code: 143, Signal: "SIGTERM"}} {
		w := r.open(c, client.Open{Tab: "t", Env: []string{"RUN=echo last; " + run}})
		got := w.awaitExit()
		if got.Code != want.Code || got.Signal != want.Signal || !bytes.Contains(append(w.picture, w.got...), []byte("last")) {
			t.Errorf("%q: %+v", run, got)
		}
		w.Close()
		if err := c.End(w.ctx, "t"); err != nil {
			t.Error(err)
		}
	}
}

// Bug report B55.
func TestAShellThatIsNotThereAndOneThatCannotBeRunAreToldApart(t *testing.T) {
	r := newRig(t, nil)
	c := r.dial()
	for path, code := range map[string]int{"/bin/no-such-shell": 127, "/etc/passwd": 126} {
		_, err := c.Open(r.ctx2(), client.Open{Tab: "t", Env: []string{"SHELL=" + path}})
		var no *client.RefusedError
		if !errors.As(err, &no) || no.Reason != frame.NoShell || no.Code != code {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestManyOpensOfOneTabStartOneProcess(t *testing.T) {
	r := newRig(t, nil)
	clients := []*client.Client{r.dial(), r.dial(), r.dial()}
	var all sync.WaitGroup
	var started atomic.Int32
	epochs := sync.Map{}
	for i := range 100 {
		all.Go(func() {
			v, err := clients[i%3].Open(r.Host.ctx, client.Open{Tab: "main", Cols: 80, Rows: 24})
			if err != nil {
				t.Error(err)
				return
			}
			epochs.Store(v.Opened().Epoch, true)
			if v.Opened().Started {
				started.Add(1)
			}
		})
	}
	all.Wait()
	different := 0
	epochs.Range(func(any, any) bool { different++; return true })
	if r.starts.Load() != 1 || started.Load() != 1 || different != 1 {
		t.Errorf("%d processes, %d were told that they started it, %d epochs", r.starts.Load(), started.Load(), different)
	}
}

func TestNothingIsOpenedWithoutTheMarker(t *testing.T) {
	r := newRig(t, nil)
	c := r.dial()
	w := r.open(c, client.Open{Tab: "main"})
	missing := frame.Reason("marker_missing")
	r.marker.Store(&missing)
	for _, tab := range []string{"main", "new"} { // also where a session runs
		_, err := c.Open(w.ctx, client.Open{Tab: tab, Want: frame.Marker{Pod: "u", Incarnation: 1, Recipe: "r"}})
		var no *client.RefusedError
		if !errors.As(err, &no) || no.Reason != missing {
			t.Errorf("%s: %v", tab, err)
		}
	}
	if r.starts.Load() != 1 {
		t.Errorf("%d processes were started", r.starts.Load())
	}
}

// Bug report B45: all that was counted arrives exactly once, however often the connection breaks.
func TestEveryLineArrivesOnceThroughManyDisconnects(t *testing.T) {
	r := newRig(t, nil)
	const lines, disconnects = 1_000_000, 50
	total := 0 // bytes: digits and line ends
	for n, first := 1, 1; first <= lines; n, first = n+1, first*10 {
		total += (min(first*10-1, lines) - first + 1) * (n + 2)
	}
	c := r.dial()
	w := r.open(c, client.Open{Tab: "main", Env: []string{fmt.Sprintf("RUN=stty -echo; read go; seq 1 %d", lines)}})
	w.types("\n")
	var all []byte
	from, done := w.Opened().From, 0
	if w.Opened().Reset {
		w.step()
	}
	for i := 0; w.exit == nil; i++ {
		if done < disconnects && len(all)+len(w.got) > done*total/disconnects {
			done++
			all = append(all, w.got...)
			have, epoch := w.have(), w.Opened().Epoch
			c.Close()
			c = r.dial()
			w = r.open(c, client.Open{Tab: "main", Epoch: epoch, Have: have})
			if w.Opened().Reset || w.Opened().From != have {
				t.Fatalf("%+v for %d", w.Opened(), have)
			}
		}
		w.step()
	}
	all = append(all, w.got...)
	if done != disconnects || w.exit.At-from != uint64(len(all)) {
		t.Errorf("%d disconnects, %d bytes of %d", done, len(all), w.exit.At-from)
	}
	next := 1
	for line := range bytes.Lines(all) {
		text := strings.TrimRight(string(line), "\r\n")
		if text == "" && next == 1 {
			continue // the echo of the key that started it
		}
		if text != fmt.Sprint(next) {
			t.Fatalf("line %q where %d belongs", text, next)
		}
		next++
	}
	if next != lines+1 {
		t.Errorf("%d lines arrived", next-1)
	}
}

// Bug report B49: what never ends is as fast as who looks, and stops when it is told to.
func TestAnInterruptStopsEndlessOutput(t *testing.T) {
	r := newRig(t, nil)
	w := r.open(r.dial(), client.Open{Tab: "main", Cols: 80, Rows: 24})
	w.await("$ ")
	w.types("yes\r")
	for len(w.got) < 2<<20 {
		w.step()
	}
	begun, before := time.Now(), w.have()
	w.types("\x03")
	for !bytes.HasSuffix(w.got, []byte("$ ")) {
		w.step()
	}
	if d := time.Since(begun); d > patience || w.have()-before > 700<<10 {
		t.Errorf("it went on for %s and %d bytes", d, w.have()-before)
	}
	t.Logf("it went on for %s and %d bytes", time.Since(begun), w.have()-before)
}

func TestAProgramWaitsForTheOnlyViewer(t *testing.T) {
	r := newRig(t, nil)
	c := r.dial()
	w := r.open(c, client.Open{Tab: "main", Env: []string{"RUN=yes"}})
	w.silent = true
	for len(w.got) < 512<<10 {
		w.step()
	}
	limit := w.Opened().From + 512<<10 + 64<<10
	var hi uint64
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for changed := time.Now(); time.Since(changed) < 300*time.Millisecond && hi <= limit; <-tick.C { // there is nothing to be told by that it waits
		tabs, err := c.List(w.ctx)
		if err != nil || len(tabs) != 1 {
			t.Fatalf("%v, %v", tabs, err)
		}
		if tabs[0].Hi != hi {
			hi, changed = tabs[0].Hi, time.Now()
		}
	}
	if hi > limit {
		t.Errorf("%d bytes were read for a viewer that acknowledges none", hi)
	}
}

func TestAClosedTabOpensAnewUnderAnotherEpoch(t *testing.T) {
	r := newRig(t, nil)
	c := r.dial()
	seen := map[uint64]bool{}
	for range 10 {
		w := r.open(c, client.Open{Tab: "main"})
		if seen[w.Opened().Epoch] {
			t.Fatal("an epoch is used twice")
		}
		seen[w.Opened().Epoch] = true
		if err := c.End(w.ctx, "main"); err != nil {
			t.Fatal(err)
		}
		w.awaitExit()
		back := r.open(c, client.Open{Tab: "main", Epoch: w.Opened().Epoch, Have: w.have()})
		if back.Opened().Reset || back.Opened().Running || back.awaitExit().At != w.exit.At {
			t.Errorf("who comes back is told %+v", back.Opened())
		}
	}
}

// Bug report B42.
func TestOneTabsEndLeavesTheOthers(t *testing.T) {
	r := newRig(t, nil)
	c := r.dial()
	var open []*term
	for _, tab := range []string{"a", "b", "c"} {
		open = append(open, r.open(c, client.Open{Tab: tab}))
	}
	if err := c.End(open[1].ctx, "b"); err != nil {
		t.Fatal(err)
	}
	open[1].awaitExit()
	for _, w := range []*term{open[0], open[2]} {
		w.types("echo st''ill here\r")
		w.await("still here")
	}
}

func TestStopHangsUpAndIsQuick(t *testing.T) {
	r := newRig(t, nil)
	c := r.dial()
	for i := range 5 {
		run := "RUN=sleep 600"
		if i == 0 {
			run = "RUN=trap '' HUP TERM; echo deaf; while :; do sleep 600; done"
		}
		w := r.open(c, client.Open{Tab: fmt.Sprint("t", i), Env: []string{run}})
		if i == 0 {
			w.await("deaf")
		}
	}
	begun := time.Now()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if err := r.Stop(ctx); err != nil {
		t.Fatal(err)
	}
	if d := time.Since(begun); d > patience {
		t.Errorf("it took %s", d)
	}
	t.Logf("it took %s", time.Since(begun))
	r.children.Wait()
}

// troubled is a listener that cannot accept for a while.
type troubled struct {
	net.Listener
	errs atomic.Int32 // that it still gives
}

var errTooMany = errors.New("too many files are open")

func (l *troubled) Accept() (net.Conn, error) {
	if l.errs.Add(-1) >= 0 {
		return nil, errTooMany
	}
	return l.Listener.Accept()
}

// A host that cannot accept for a while has sessions to keep; it goes on as soon as it can, and ends when it is stopped.
func TestAHostThatCannotAcceptGoesOn(t *testing.T) {
	r := newRig(t, nil)
	real, err := Listen(filepath.Join(t.TempDir(), "host.sock"))
	if err != nil {
		t.Fatal(err)
	}
	l := &troubled{Listener: real}
	l.errs.Store(3)
	served := make(chan error, 1)
	go func() { served <- r.Serve(l, nil) }()
	conn, err := net.Dial("unix", real.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	c, err := client.Dial(r.ctx2(), conn)
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
	real.Close()
	if err := <-served; err != nil {
		t.Errorf("a closed listener: %v", err)
	}
	l.errs.Store(1 << 30)
	go func() { served <- r.Serve(l, nil) }()
	time.Sleep(10 * time.Millisecond)
	if err := r.Stop(r.ctx2()); err != nil {
		t.Error(err)
	}
	if err := <-served; !errors.Is(err, errTooMany) {
		t.Errorf("stopped: %v", err)
	}
}
