package lockstep

import (
	"context"
	"errors"
	"fmt"

	"podlife/model/podlifecycle"
	"podlife/runtime/pod"
)

// call is one call of the server under way. What it was answered is guarded by hub.mu.
type call struct {
	ctx    context.Context
	cancel context.CancelFunc
	done   chan struct{} // closed when it was answered
	over   bool          // it was answered
	err    error
	given  bool // the path has given it up
}

func newCall() call {
	ctx, cancel := context.WithCancel(context.Background())
	return call{ctx: ctx, cancel: cancel, done: make(chan struct{})}
}

// answer is what the goroutine of the call does last.
func (c *call) answer(h *hub, err error) {
	c.cancel()
	h.change(func() { c.over, c.err = true, err })
	close(c.done)
}

// giveUp is a caller who leaves.
func (c *call) giveUp() {
	c.given = true
	c.cancel()
}

type bootCall struct {
	call
	client string
	inc    int
}

func (r *runner) boot(client string) *bootCall {
	b := &bootCall{call: newCall(), client: client}
	p := r.life.pod
	go func() {
		result, err := p.Boot(b.ctx, pod.ClientID(client), nil)
		b.inc = result.Incarnation
		b.answer(r.hub, err)
	}()
	return b
}

type destroyCall struct {
	call
	last int // the newest incarnation that it is about
}

func (r *runner) destroy() *destroyCall {
	d := &destroyCall{call: newCall()}
	p := r.life.pod
	go func() { d.answer(r.hub, p.Destroy(d.ctx)) }()
	return d
}

type attachCall struct {
	call
	client  string
	session string
	a       *pod.Attachment
}

func (r *runner) attach(client string) *attachCall {
	r.sessions++
	a := &attachCall{call: newCall(), client: client, session: fmt.Sprintf("s%d-%s", r.sessions, r.setup.Prefix)}
	req := pod.ShellRequest{Attempt: a.session, Tab: "main", Cols: 80, Rows: 24}
	p := r.life.pod
	go func() {
		attachment, err := p.Attach(a.ctx, pod.ClientID(client), req)
		r.hub.look(func() { a.a = attachment })
		a.answer(r.hub, err)
	}()
	r.attaches = append(r.attaches, a)
	return a
}

// in wants the terminal that was handed over to be in the container of incarnation n.
func (a *attachCall) in(n int) error {
	where := 0
	if s, ok := a.a.Shell.(*located); ok {
		where = s.n
	}
	if where != n || a.a.Incarnation.Inc != n {
		return differs("the terminal of "+a.client, fmt.Sprintf("in incarnation %d", n), fmt.Sprintf("its shell in the container of %d, and it is said to be in %d", where, a.a.Incarnation.Inc))
	}
	return nil
}

// answered waits for a call's answer.
func (r *runner) answered(ctx context.Context, what string, c *call) error {
	return r.await(ctx, "the answer of "+what, func() bool { return c.over })
}

// leaves gives a call up, and waits for its end; what it is told must be that.
func (r *runner) leaves(ctx context.Context, what string, c *call) error {
	c.giveUp()
	if err := r.answered(ctx, what, c); err != nil {
		return err
	}
	if !errors.Is(c.err, context.Canceled) {
		return differs("the answer of "+what+", which was given up", "its context's error", answerOf(c.err))
	}
	return nil
}

func answerOf(err error) string {
	if err == nil {
		return "success"
	}
	var notReady *pod.NotReadyError
	if errors.As(err, &notReady) {
		return fmt.Sprintf("%T: %s %d", err, notReady.State, notReady.Incarnation)
	}
	return fmt.Sprintf("%T: %v", err, err)
}

// refusedAs wants a refusal of an attach that says what the pod is.
func refusedAs(what string, err error, is podlifecycle.Pod) error {
	var notReady *pod.NotReadyError
	if !errors.As(err, &notReady) || notReady.State != is.Ctr || notReady.Incarnation != is.Inc {
		return differs("the answer of "+what, fmt.Sprintf("%T: %s %d", notReady, is.Ctr, is.Inc), answerOf(err))
	}
	return nil
}

func differs(what, expected, seen string) error {
	return &Difference{Lines: []Line{{what, expected, seen}}}
}
