package simprograms

import (
	"context"
	"io"
	"sync"
	"time"

	"podlife/runtime/agent"
	"podlife/runtime/boot"
	"podlife/runtime/engine"
	"podlife/runtime/engine/simulated"
	"podlife/runtime/host"
	"podlife/runtime/host/frame"
)

// running is the session host of a container that runs.
type running struct {
	ready chan struct{} // closed when the following are set
	host  *host.Host
	over  <-chan struct{} // closed when the container ends
}

// at gives the session host of a container, which may have just begun.
func (ps *Programs) at(id engine.ID) *running {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	if ps.hosts[id] == nil {
		ps.hosts[id] = &running{ready: make(chan struct{})}
	}
	return ps.hosts[id]
}

// init stands for `agent init`: the real session host, over simulated files and shells.
func (ps *Programs) init(ctx context.Context, p *simulated.Proc) int {
	h := host.New(host.Config{
		Check: func(m frame.Marker) frame.Reason {
			if v := agent.Check(files{p.Files}, boot.MarkerPath, agent.Wanted(m)); !v.OK {
				return frame.Reason(v.Reason)
			}
			return ""
		},
		Start: starter(p.Files),
		Run:   run,
		// Nothing here ignores a hangup.
		StopGrace: time.Millisecond,
	})
	r := ps.at(p.Container.ID)
	r.host, r.over = h, ctx.Done()
	close(r.ready)
	<-ctx.Done()
	ps.mu.Lock()
	delete(ps.hosts, p.Container.ID)
	ps.mu.Unlock()
	stopping, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := h.Stop(stopping); err != nil {
		panic("simprograms: a session host does not stop: " + err.Error()) // a leak of ours, and of every container from now on
	}
	return 0
}

// relay stands for `agent relay`.
func (ps *Programs) relay(ctx context.Context, p *simulated.Proc) int {
	r := ps.at(p.Container.ID)
	select {
	case <-r.ready:
	case <-ctx.Done():
		return 1
	}
	w := &wire{Reader: p.Stdin, Writer: p.Stdout, closed: make(chan struct{})}
	if !r.host.Connect(w) {
		return 1
	}
	select {
	case <-w.closed:
	case <-r.over:
	case <-ctx.Done():
	}
	return 0
}

// wire is a relay's standard input and output.
type wire struct {
	io.Reader
	io.Writer
	closing sync.Once
	closed  chan struct{}
}

func (w *wire) Close() error {
	w.closing.Do(func() { close(w.closed) })
	return nil
}
