package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"sync"
	"time"

	"podlife/runtime/host/frame"
	"podlife/runtime/host/session"
)

var tabPattern = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// refusal is an error that the other side is told of.
type refusal struct {
	reason frame.Reason
	code   int
	detail string
}

func (r *refusal) Error() string { return string(r.reason) + ": " + r.detail }

// tabs are the sessions: one for each name that runs, and those that have exited, by their epoch.
type tabs struct {
	ctx    context.Context
	config Config

	mu       sync.Mutex // guards the following
	running  map[string]*slot
	finished map[uint64]*kept
	stopping bool
	watchers sync.WaitGroup // one for each session, until it is forgotten
}

// slot is a name's session, or its start that somebody has begun.
type slot struct {
	ready   chan struct{} // closed when session or err is set
	session *session.Session
	err     error
	freed   chan struct{} // closed when the name is free again
}

// kept is a session that has exited.
type kept struct {
	session *session.Session
	at      time.Time
	forget  context.CancelFunc
}

func newTabs(ctx context.Context, c Config) *tabs {
	return &tabs{ctx: ctx, config: c, running: map[string]*slot{}, finished: map[uint64]*kept{}}
}

// find gives the session for an Open: that of its epoch if it is still kept, else the name's, which is started if there is none. However many ask for a name at the same moment, one start answers all.
func (t *tabs) find(ctx context.Context, o *frame.Open) (s *session.Session, started bool, err error) {
	for {
		t.mu.Lock()
		if k := t.finished[o.Epoch]; k != nil {
			t.mu.Unlock()
			return k.session, false, nil
		}
		if t.stopping {
			t.mu.Unlock()
			return nil, false, &refusal{reason: frame.Stopping}
		}
		p := t.known(o)
		if p == nil {
			p, err = t.reserve(o.Tab)
			t.mu.Unlock()
			if err != nil {
				return nil, false, err
			}
			t.start(o, p)
			return p.session, true, p.err
		}
		t.mu.Unlock()
		select {
		case <-p.ready:
		case <-ctx.Done():
			return nil, false, ctx.Err()
		}
		if p.err != nil {
			return nil, false, p.err
		}
		select {
		case <-p.session.Gone():
			if p.session.Epoch != o.Epoch { // who does not know it has nothing to learn from a session that is ending
				select {
				case <-p.freed:
					continue
				case <-ctx.Done():
					return nil, false, ctx.Err()
				}
			}
		default:
		}
		return p.session, false, nil
	}
}

// known gives the session that the other side knows, by whatever name it goes now, and else the one that has the name. t.mu is held.
func (t *tabs) known(o *frame.Open) *slot {
	for _, p := range t.running {
		select {
		case <-p.ready:
			if o.Epoch != 0 && p.session != nil && p.session.Epoch == o.Epoch {
				return p
			}
		default:
		}
	}
	return t.running[o.Tab]
}

// of gives the session of an epoch, one that runs or that is kept; nil if there is none.
func (t *tabs) of(epoch uint64) *session.Session {
	t.mu.Lock()
	defer t.mu.Unlock()
	if k := t.finished[epoch]; k != nil {
		return k.session
	}
	if p := t.known(&frame.Open{Epoch: epoch}); p != nil {
		return p.session
	}
	return nil
}

// rename gives a session another name.
func (t *tabs) rename(ctx context.Context, tab, to string) error {
	t.mu.Lock()
	p := t.running[tab]
	t.mu.Unlock()
	if p == nil {
		return &refusal{reason: frame.NoTab, detail: "no session of that name runs"}
	}
	select {
	case <-p.ready:
	case <-ctx.Done():
		return ctx.Err()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.running[tab] != p || p.session == nil:
		return &refusal{reason: frame.NoTab, detail: "no session of that name runs"}
	case tab == to:
		return nil
	case t.running[to] != nil:
		return &refusal{reason: frame.NameTaken, detail: "another session has that name"}
	}
	delete(t.running, tab)
	t.running[to] = p
	p.session.Rename(to)
	return nil
}

// reserve takes a name, and memory for its output. What has exited gives way, the oldest first.
func (t *tabs) reserve(tab string) (*slot, error) {
	if len(t.running) >= t.config.Sessions {
		return nil, &refusal{reason: frame.TooManySessions, detail: fmt.Sprintf("%d sessions run, and no more may", len(t.running))}
	}
	for (len(t.running)+len(t.finished)+1)*t.config.Session.Ring > t.config.Memory {
		if !t.dropOldest() {
			return nil, &refusal{reason: frame.TooManySessions, detail: fmt.Sprintf("no memory is left for the output of one more session than %d", len(t.running))}
		}
	}
	p := &slot{ready: make(chan struct{}), freed: make(chan struct{})}
	t.running[tab] = p
	return p, nil
}

func (t *tabs) dropOldest() bool {
	var oldest *kept
	for _, k := range t.finished {
		if oldest == nil || k.at.Before(oldest.at) {
			oldest = k
		}
	}
	if oldest == nil {
		return false
	}
	delete(t.finished, oldest.session.Epoch)
	oldest.forget()
	return true
}

// start starts the process for a name that was taken. It is not given up when who asked has gone: others may wait for it.
func (t *tabs) start(o *frame.Open, p *slot) {
	defer close(p.ready)
	spec := session.Spec{Tab: o.Tab, Cols: cmp.Or(min(o.Cols, 1000), 80), Rows: cmp.Or(min(o.Rows, 1000), 24), Dir: o.Dir, Env: o.Env, Argv: o.Argv}
	pty, err := t.config.Start(t.ctx, spec)
	t.mu.Lock()
	defer t.mu.Unlock()
	if err == nil && t.stopping {
		pty.Kill()
		_ = pty.Close()
		t.watchers.Go(func() { pty.Wait() })
		err = &refusal{reason: frame.Stopping}
	}
	if err != nil {
		p.err = told(err)
		delete(t.running, o.Tab)
		close(p.freed)
		return
	}
	p.session = session.New(spec, t.config.Epoch(), pty, t.config.Session)
	t.watchers.Go(func() { t.watch(p) })
}

// told gives an error as the other side is told of it.
func told(err error) error {
	var r *refusal
	var shell interface{ ShellCode() int }
	switch {
	case errors.As(err, &r):
		return r
	case errors.As(err, &shell):
		return &refusal{reason: frame.NoShell, code: shell.ShellCode(), detail: err.Error()}
	}
	return &refusal{reason: frame.Failed, detail: err.Error()}
}

// watch keeps a session until it has exited, and then for those who were away, within bounds.
func (t *tabs) watch(p *slot) {
	s := p.session
	<-s.Done()
	ctx, forget := context.WithTimeout(t.ctx, t.config.FinishedFor)
	defer forget()
	t.mu.Lock()
	delete(t.running, s.Tab())
	close(p.freed)
	if !t.stopping {
		t.finished[s.Epoch] = &kept{s, time.Now(), forget}
		for len(t.finished) > t.config.Finished {
			t.dropOldest()
		}
	}
	t.mu.Unlock()
	<-ctx.Done()
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.finished, s.Epoch)
}

// end ends a name's session, and returns when the name is free again.
func (t *tabs) end(ctx context.Context, tab string) error {
	t.mu.Lock()
	p := t.running[tab]
	t.mu.Unlock()
	if p == nil {
		return nil
	}
	select {
	case <-p.ready:
	case <-ctx.Done():
		return ctx.Err()
	}
	if p.err != nil {
		return nil
	}
	if err := p.session.End(ctx); err != nil {
		return err
	}
	select {
	case <-p.freed:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (t *tabs) list() []frame.Tab {
	t.mu.Lock()
	var all []*session.Session
	for _, p := range t.running {
		select {
		case <-p.ready:
			if p.session != nil {
				all = append(all, p.session)
			}
		default:
		}
	}
	for _, k := range t.finished {
		all = append(all, k.session)
	}
	t.mu.Unlock()
	list := make([]frame.Tab, 0, len(all))
	for _, s := range all {
		list = append(list, s.Info())
	}
	slices.SortFunc(list, func(a, b frame.Tab) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Started, b.Started))
	})
	return list
}

// stop ends all sessions, at the same time.
func (t *tabs) stop(ctx context.Context, grace time.Duration) error {
	t.mu.Lock()
	t.stopping = true
	slots := make([]*slot, 0, len(t.running))
	for _, p := range t.running {
		slots = append(slots, p)
	}
	t.mu.Unlock()
	errs := make(chan error, len(slots))
	for _, p := range slots {
		go func() { // is waited for below
			<-p.ready
			if p.err != nil {
				errs <- nil
				return
			}
			errs <- p.session.EndWithin(ctx, grace)
		}()
	}
	var err error
	for range slots {
		err = errors.Join(err, <-errs)
	}
	return err
}

// wait returns when every session has ended.
func (t *tabs) wait() { t.watchers.Wait() }
