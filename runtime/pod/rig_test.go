package pod_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"podlife/model/podlifecycle"
	"podlife/runtime/boot"
	"podlife/runtime/container"
	"podlife/runtime/container/simprograms"
	"podlife/runtime/engine"
	"podlife/runtime/engine/simulated"
	"podlife/runtime/pod"
	"podlife/runtime/store"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("database/sql.(*DB).connectionOpener"))
}

// patience bounds every wait for something that must happen.
const patience = 10 * time.Second

// rig is one simulated machine on which servers can start, stop and crash: the engine and the database stay.
type rig struct {
	t          *testing.T
	engine     *simulated.Engine
	programs   *simprograms.Programs
	store      *flakyStore
	clock      *fakeClock
	idle       time.Duration
	termIdle   time.Duration
	maxRunning int
	userScript string
	log        *syncBuffer

	*pod.Manager
	containers *container.Containers
	shells     *lateShells
	stopWatch  func()
}

// lateShells is the world below in which a shell that is there can be kept from whoever asked for it.
type lateShells struct {
	pod.Containers
	mu   sync.Mutex // guards the next
	next *lateShell
}

type lateShell struct{ entered, released chan struct{} }

// hold keeps the next shell back until release is called. The channel is closed when it is there.
func (l *lateShells) hold() (release func(), entered <-chan struct{}) {
	h := &lateShell{make(chan struct{}), make(chan struct{})}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.next = h
	return sync.OnceFunc(func() { close(h.released) }), h.entered
}

// Shell implements pod.Containers.
func (l *lateShells) Shell(ctx context.Context, c pod.ContainerID, inc pod.Incarnation, req pod.ShellRequest) (pod.Shell, error) {
	l.mu.Lock()
	h := l.next
	l.next = nil
	l.mu.Unlock()
	s, err := l.Containers.Shell(ctx, c, inc, req)
	if h != nil {
		close(h.entered)
		<-h.released
	}
	return s, err
}

func newRig(t *testing.T) *rig {
	r := &rig{t: t, programs: simprograms.New(), clock: &fakeClock{now: time.Unix(1e9, 0)}, idle: 30 * time.Minute, userScript: "true", log: &syncBuffer{}}
	r.engine = simulated.New(simulated.Options{Lookup: r.programs.Lookup, Images: []string{"image"}})
	s, err := store.Open(context.Background(), filepath.Join(t.TempDir(), "p.db"))
	if err != nil {
		t.Fatal(err)
	}
	r.store = &flakyStore{Store: s}
	r.start()
	t.Cleanup(func() {
		r.stop()
		for _, p := range r.Pods() {
			isBehaviour(t, p)
		}
		r.engine.Close()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		for _, never := range []string{"the table refused an action", "has no explanation"} {
			if strings.Contains(r.log.String(), never) {
				t.Errorf("the log says %q", never)
			}
		}
		if t.Failed() {
			fmt.Fprintln(os.Stderr, r.log.String())
		}
	})
	return r
}

// start is a start of the server: recover, then watch.
func (r *rig) start() {
	r.t.Helper()
	log := slog.New(slog.NewTextHandler(r.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	var err error
	r.containers, err = container.New(container.Options{
		Engine: r.engine, Instance: r.store.Instance(), NamePrefix: "test", Image: "image", AgentPath: "/agent", Logger: log,
		Recipe: boot.Recipe{Packages: []string{"tmux"}, UserScript: r.userScript},
	})
	if err != nil {
		r.t.Fatal(err)
	}
	r.shells = &lateShells{Containers: r.containers}
	r.Manager = pod.NewManager(pod.Options{Containers: r.shells, Store: r.store, Clock: r.clock, Logger: log, IdleTimeout: r.idle, TerminalIdle: r.termIdle, Leases: r.store, MaxLease: 24 * time.Hour, MaxRunning: r.maxRunning})
	if err := r.Recover(r.ctx()); err != nil {
		r.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); r.Run(ctx) }()
	r.stopWatch = func() { cancel(); <-done }
}

// stop leaves containers as they are, as a crash does: nothing is stored or removed by it.
func (r *rig) stop() {
	r.stopWatch()
	r.Close()
	r.containers.Close()
}

func (r *rig) ctx() context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	r.t.Cleanup(cancel)
	return ctx
}

func (r *rig) boot(p *pod.Pod, c pod.ClientID) pod.BootResult {
	r.t.Helper()
	res, err := p.Boot(r.ctx(), c, nil)
	if err != nil {
		r.t.Fatalf("boot: %v", err)
	}
	return res
}

func (r *rig) attach(p *pod.Pod, c pod.ClientID) *pod.Attachment {
	r.t.Helper()
	a, err := p.Attach(r.ctx(), c, shellRequest())
	if err != nil {
		r.t.Fatalf("attach: %v", err)
	}
	r.t.Cleanup(func() { a.Close() })
	return a
}

// attaching is an attach under way.
type attaching struct {
	a   *pod.Attachment
	err error
}

// startAttach attaches in another goroutine.
func (r *rig) startAttach(p *pod.Pod, c pod.ClientID) <-chan attaching {
	ctx := r.ctx()
	got := make(chan attaching, 1)
	go func() {
		a, err := p.Attach(ctx, c, shellRequest())
		got <- attaching{a, err}
	}()
	return got
}

func shellRequest() pod.ShellRequest {
	return pod.ShellRequest{Attempt: fmt.Sprintf("s%d", sessionNumber()), Tab: "main", Cols: 80, Rows: 24}
}

var sessionNumber = func() func() int64 {
	var mu sync.Mutex
	var n int64
	return func() int64 { mu.Lock(); defer mu.Unlock(); n++; return n }
}()

// has counts the engine's containers, and is red when there are not exactly this many.
func (r *rig) has(want int) []engine.Container {
	r.t.Helper()
	list, err := r.engine.List(r.ctx(), nil)
	if err != nil {
		r.t.Fatal(err)
	}
	if len(list) != want {
		r.t.Fatalf("%d containers, want %d: %+v", len(list), want, list)
	}
	return list
}

// eventually waits for a condition that another goroutine brings about.
func (r *rig) eventually(what string, cond func() bool) {
	r.t.Helper()
	deadline := time.Now().Add(patience)
	for !cond() {
		if time.Now().After(deadline) {
			r.t.Fatalf("never happened: %s", what)
		}
		time.Sleep(time.Millisecond)
	}
}

func (r *rig) wait(what string, c <-chan struct{}) {
	r.t.Helper()
	select {
	case <-c:
	case <-time.After(patience):
		r.t.Fatalf("never happened: %s", what)
	}
}

// actions gives the committed actions since a sequence number, and checks every one of them against a fresh table.
func (r *rig) actions(p *pod.Pod, after int64) []string {
	r.t.Helper()
	events, _ := p.Events(after)
	var names []string
	for _, e := range events {
		names = append(names, e.Action)
	}
	return names
}

func (r *rig) sawActions(p *pod.Pod, after int64, want ...string) {
	r.t.Helper()
	if got := r.actions(p, after); !slices.Equal(got, want) {
		r.t.Errorf("actions %v, want %v", got, want)
	}
}

func (r *rig) isState(p *pod.Pod, ctr podlifecycle.Ctr, inc int) {
	r.t.Helper()
	if st := p.Status(); st.State != ctr || st.Incarnation != inc {
		r.t.Errorf("%s %d, want %s %d", st.State, st.Incarnation, ctr, inc)
	}
}

func newest(p *pod.Pod) int64 {
	_, n := p.Events(0)
	return n
}

// flakyStore is the real store, with failures on request.
type flakyStore struct {
	*store.Store
	mu   sync.Mutex // guards the following
	fail error
}

func (s *flakyStore) failWith(err error) { s.mu.Lock(); defer s.mu.Unlock(); s.fail = err }

func (s *flakyStore) failing() error { s.mu.Lock(); defer s.mu.Unlock(); return s.fail }

func (s *flakyStore) Save(ctx context.Context, r pod.Record) error {
	if err := s.failing(); err != nil {
		return err
	}
	return s.Store.Save(ctx, r)
}

func (s *flakyStore) SaveLease(ctx context.Context, id pod.ID, until time.Time) error {
	if err := s.failing(); err != nil {
		return err
	}
	return s.Store.SaveLease(ctx, id, until)
}

// fakeClock moves only when it is told to.
type fakeClock struct {
	mu     sync.Mutex // guards the following
	now    time.Time
	timers []*fakeTimer
	late   bool // timers cannot be stopped any more: each is just about to fire
}

type fakeTimer struct {
	at time.Time
	f  func()
}

func (c *fakeClock) Now() time.Time { c.mu.Lock(); defer c.mu.Unlock(); return c.now }

func (c *fakeClock) AfterFunc(d time.Duration, f func()) (stop func() bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := &fakeTimer{c.now.Add(d), f}
	c.timers = append(c.timers, t)
	return func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		i := slices.Index(c.timers, t)
		if c.late {
			return false
		}
		if i >= 0 {
			c.timers = slices.Delete(c.timers, i, i+1)
		}
		return i >= 0
	}
}

// jump moves the time without anything coming due on the way, as on a machine that was suspended; what is late then runs.
func (c *fakeClock) jump(d time.Duration) {
	c.mu.Lock()
	c.now = c.now.Add(d)
	c.mu.Unlock()
	c.advance(0)
}

// advance moves the time and runs what has come due, in this goroutine.
func (c *fakeClock) advance(d time.Duration) {
	c.mu.Lock()
	end := c.now.Add(d)
	for {
		var next *fakeTimer
		for _, t := range c.timers {
			if !t.at.After(end) && (next == nil || t.at.Before(next.at)) {
				next = t
			}
		}
		if next == nil {
			break
		}
		i := slices.Index(c.timers, next)
		c.timers = slices.Delete(c.timers, i, i+1)
		if next.at.After(c.now) {
			c.now = next.at
		}
		c.mu.Unlock()
		next.f()
		c.mu.Lock()
	}
	c.now = end
	c.mu.Unlock()
}

// syncBuffer is a log that several goroutines write.
type syncBuffer struct {
	mu  sync.Mutex // guards the following
	buf bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *syncBuffer) String() string { b.mu.Lock(); defer b.mu.Unlock(); return b.buf.String() }

var errInjected = errors.New("injected")

var _ io.Writer = (*syncBuffer)(nil)

func discard() *slog.Logger { return slog.New(slog.DiscardHandler) }
