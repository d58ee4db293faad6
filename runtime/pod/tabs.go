package pod

import (
	"context"
	"errors"

	"podlife/model/podruntime"
)

// Tabs gives the sessions in the pod's container; none where it is not ready. It wakes nothing, and does not count as activity.
func (p *Pod) Tabs(ctx context.Context) ([]Tab, error) {
	container, ready := p.readyContainer()
	if !ready {
		return nil, nil
	}
	tabs, err := p.o.Containers.Tabs(ctx, container)
	var gone *GoneError
	if errors.As(err, &gone) {
		return nil, nil
	}
	return tabs, err
}

// EndTab ends a session: its terminal is hung up, and what does not heed that is killed. It returns when the session is gone. ErrNoTab if none of that name runs.
func (p *Pod) EndTab(ctx context.Context, name string) error {
	container, ready := p.readyContainer()
	if !ready {
		return ErrNoTab
	}
	tabs, err := p.Tabs(ctx)
	if err != nil {
		return err
	}
	for _, t := range tabs {
		if t.Name == name && !t.Exited {
			p.tabCloses(container, t.Epoch)
			return p.o.Containers.EndTab(ctx, container, name)
		}
	}
	return ErrNoTab
}

// Follow opens a session of an incarnation for somebody who only follows it, as a recording does, from the offset have on. It is no attachment: it holds the pod in no way, and nobody is told of it. *GoneError once the
// incarnation is over, ErrNoTab where it has no such session, and the errors of Containers.Shell.
func (p *Pod) Follow(ctx context.Context, inc Incarnation, epoch, have uint64) (Shell, error) {
	p.mu.Lock()
	container, current := p.container, p.state.Inc == inc.Inc
	p.mu.Unlock()
	if container == "" || !current {
		return nil, &GoneError{Err: errors.New("its incarnation is over")}
	}
	return p.o.Containers.Shell(ctx, container, inc, ShellRequest{Attempt: "recording", Epoch: epoch, Have: have, Follow: true})
}

// tabCloses notes that a session's end was asked for, so that its terminals can say that it was no exit of its own.
func (p *Pod) tabCloses(container ContainerID, epoch uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.container != container {
		return
	}
	if p.closedTabs == nil {
		p.closedTabs = map[uint64]struct{}{}
	}
	p.closedTabs[epoch] = struct{}{}
}

// RenameTab gives a session another name; its terminals stay. ErrNoTab or ErrTabTaken.
func (p *Pod) RenameTab(ctx context.Context, name, to string) error {
	container, ready := p.readyContainer()
	if !ready {
		return ErrNoTab
	}
	return p.o.Containers.RenameTab(ctx, container, name, to)
}

// What can be wrong with the name of a session.
var (
	ErrNoTab    = errors.New("no session of that name runs")
	ErrTabTaken = errors.New("another session has that name")
)

// readyContainer gives the container of a pod that is ready.
func (p *Pod) readyContainer() (ContainerID, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.container, p.state.Ctr == podruntime.Ready && p.container != ""
}
