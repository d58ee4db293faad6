package linear

// This file makes histories: tabs that boot, attach and destroy at once against a running server, and the record of what each asked, when, and what it was answered. It judges nothing; model.go
// says what an answer may be, and check.go asks porcupine.

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/anishathalye/porcupine"

	"podlife/conformance/harness"
	"podlife/conformance/tab"
	"podlife/runtime/client"
)

// API is what a tab does, as far as a history sees it. A test may put something wrong in between.
type API interface {
	Boot(ctx context.Context, client string) (client.Result, error)
	Destroy(ctx context.Context) (client.Result, error)
	Terminal(ctx context.Context, client string) (*tab.Socket, tab.Seen, error)
}

// user is the real thing.
type user struct{ harness.User }

// Tabs gives a user's API.
func Tabs(u harness.User) API { return user{u} }

func (u user) Boot(ctx context.Context, c string) (client.Result, error) {
	return u.Client.Boot(ctx, c, nil)
}
func (u user) Destroy(ctx context.Context) (client.Result, error) { return u.Client.Destroy(ctx) }

// Terminal opens a terminal with boot:false and waits until it is decided.
func (u user) Terminal(ctx context.Context, c string) (*tab.Socket, tab.Seen, error) {
	s, err := tab.Open(ctx, u.Client, client.Hello{Client: c, Tab: c, Cols: 80, Rows: 24, NoBoot: true})
	if err != nil {
		return nil, tab.Seen{}, err
	}
	seen, err := s.AwaitDecision(ctx)
	if err != nil {
		s.Close()
		return nil, seen, err
	}
	return s, seen, nil
}

// Drive says what tabs do.
type Drive struct {
	Pod        string
	API        API
	Operations int           // of each tab
	Patience   time.Duration // for one operation; after it its outcome is unknown
	Seed       uint64
}

// recorder is a history that grows.
type recorder struct {
	began time.Time

	mu  sync.Mutex // guards the following
	ops []porcupine.Operation
}

func (r *recorder) now() int64 { return int64(time.Since(r.began)) }

// add notes an operation that is over now, or never, as far as anybody knows.
func (r *recorder) add(thread int, in Input, out Output, call int64) {
	ret := r.now()
	if out.Word == Unknown {
		ret = math.MaxInt64
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ops = append(r.ops, porcupine.Operation{ClientId: thread, Input: in, Call: call, Output: out, Return: ret})
}

// Run lets Clients tabs boot, attach and destroy at once, and gives the history.
func (d Drive) Run(ctx context.Context) []porcupine.Operation {
	r := &recorder{began: time.Now()}
	var tabs sync.WaitGroup
	for c := range Clients {
		tabs.Go(func() { d.tab(ctx, r, c) })
	}
	tabs.Wait()
	return r.ops
}

// tab is one tab's life. Two of eight may destroy.
func (d Drive) tab(ctx context.Context, r *recorder, c int) {
	random := rand.New(rand.NewPCG(d.Seed, uint64(c)))
	var sock *tab.Socket
	leave := func() {
		if sock != nil {
			sock.Close()
			sock = nil
		}
	}
	defer leave()
	for range d.Operations {
		n := random.IntN(100)
		bounded, cancel := context.WithTimeout(ctx, d.Patience)
		switch {
		case c < 2 && n < 40:
			d.destroy(bounded, r, c)
		case n < 55:
			d.boot(bounded, r, c)
		default:
			leave()
			sock = d.attach(bounded, r, c)
		}
		cancel()
	}
}

// threads 2c and 2c+1 are those of a tab: the two halves of a boot stand side by side in the picture.
func (d Drive) boot(ctx context.Context, r *recorder, c int) {
	call := r.now()
	got, err := d.API.Boot(ctx, name(c))
	out := Output{Word: Ready, Inc: got.Incarnation}
	switch {
	case err == nil:
	case client.CodeOf(err) == client.CodeBootLost:
		out = Output{Word: Lost}
	default:
		out = failed(err)
	}
	began := Output{Word: Began}
	if out.Word == Unknown {
		began.Word = Unknown
	}
	r.add(2*c, Input{d.Pod, c, StartBoot}, began, call)
	r.add(2*c+1, Input{d.Pod, c, EndBoot}, out, call)
}

func (d Drive) destroy(ctx context.Context, r *recorder, c int) {
	call := r.now()
	got, err := d.API.Destroy(ctx)
	out := Output{Word: Asleep, Inc: got.Incarnation}
	if err != nil {
		out = failed(err)
	}
	r.add(2*c, Input{d.Pod, c, Destroy}, out, call)
}

func (d Drive) attach(ctx context.Context, r *recorder, c int) *tab.Socket {
	call := r.now()
	s, seen, err := d.API.Terminal(ctx, name(c))
	var out Output
	switch {
	case err != nil:
		out = failed(err)
	case seen.Attached > 0:
		out = Output{Word: Attached, Inc: seen.Attached}
	case seen.Closed != nil && seen.Closed.Code == client.CloseNotReady:
		out = Output{Word: Refused}
	default:
		out = Output{Word: Failed, Detail: seen.Last().Reason + " " + seen.Last().Message}
	}
	r.add(2*c, Input{d.Pod, c, Attach}, out, call)
	return s
}

// failed tells an answer that nobody expects from no answer at all.
func failed(err error) Output {
	var problem *client.Problem
	if errors.As(err, &problem) {
		return Output{Word: Failed, Detail: problem.Error()}
	}
	return Output{Word: Unknown, Detail: err.Error()}
}

func name(c int) string { return fmt.Sprintf("c%d", c+1) }
