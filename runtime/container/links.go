package container

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"podlife/runtime/boot"
	"podlife/runtime/engine"
	"podlife/runtime/host/client"
	"podlife/runtime/pod"
)

// dialTime is how long a container's session host may take to answer.
const dialTime = 10 * time.Second

// links are the connections to the containers' session hosts, one for each container at most, made when one is needed first. The zero value has none.
type links struct {
	mu     sync.Mutex // guards the following
	closed bool
	of     map[pod.ContainerID]*link
}

// link is a connection, or its making.
type link struct {
	over   context.Context // ends when the link is not wanted any more
	end    context.CancelFunc
	ready  chan struct{} // closed when the following are set
	client *client.Client
	err    error
}

// sessions gives the connection to a container's session host. Whoever comes while it is made waits for the same. *pod.GoneError, *pod.UnseenError or *ShellError.
func (c *Containers) sessions(ctx context.Context, id pod.ContainerID) (*client.Client, error) {
	for {
		l, mine, err := c.links.take(id)
		if err != nil {
			return nil, err
		}
		if mine {
			dialing, done := context.WithCancel(ctx)
			stop := context.AfterFunc(l.over, done)
			l.client, l.err = c.dial(dialing, id)
			stop()
			done()
			if l.err != nil {
				c.links.drop(id, l)
			}
			close(l.ready)
			if l.over.Err() != nil {
				l.close()
			}
			return l.client, l.err
		}
		select {
		case <-l.ready:
		case <-ctx.Done():
			return nil, &pod.UnseenError{Err: ctx.Err()}
		}
		switch {
		case l.err != nil && ctx.Err() == nil:
			continue // somebody else's time may have been over
		case l.err != nil:
			return nil, l.err
		case l.client.Err() != nil:
			c.links.drop(id, l)
			continue
		}
		return l.client, nil
	}
}

// take gives the link of a container; mine says that the caller has to make it.
func (s *links) take(id pod.ContainerID) (l *link, mine bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, false, &ShellError{Reason: reasonNoHost, Err: errors.New("the server is stopping")}
	}
	if l := s.of[id]; l != nil {
		return l, false, nil
	}
	if s.of == nil {
		s.of = map[pod.ContainerID]*link{}
	}
	l = &link{ready: make(chan struct{})}
	l.over, l.end = context.WithCancel(context.Background())
	s.of[id] = l
	return l, true, nil
}

// drop forgets a link, if it is still the container's.
func (s *links) drop(id pod.ContainerID, l *link) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.of[id] == l {
		delete(s.of, id)
		l.end()
	}
}

// end closes a container's link.
func (s *links) end(id pod.ContainerID) {
	s.mu.Lock()
	l := s.of[id]
	delete(s.of, id)
	s.mu.Unlock()
	if l != nil {
		l.close()
	}
}

// close ends a link. One that is being made is closed by who makes it.
func (l *link) close() {
	l.end()
	select {
	case <-l.ready:
		if l.client != nil {
			_ = l.client.Close()
		}
	default:
	}
}

// close ends all links, and lets no new one be made.
func (s *links) close() {
	s.mu.Lock()
	s.closed = true
	all := s.of
	s.of = nil
	s.mu.Unlock()
	for _, l := range all {
		l.close()
	}
}

// dial is dialOnce, again where the engine did not start the relay in a container that lives, or where somebody inside has ended it.
func (c *Containers) dial(ctx context.Context, id pod.ContainerID) (*client.Client, error) {
	for try := 1; ; try++ {
		host, err := c.dialOnce(ctx, id)
		var refused *ShellError
		var broke *client.LostError
		if !errors.As(err, &refused) || refused.Reason != reasonNoHost || refused.ExitCode != exitNotRun && !errors.As(err, &broke) || try == startTries {
			return host, err
		}
		c.log.Warn("the relay did not come to the session host; trying again", "container", id, "err", err)
		select {
		case <-time.After(startPause):
		case <-ctx.Done():
			return nil, err
		}
	}
}

// dialOnce starts a relay in the container and says hello to the host through it. The context bounds the hello alone.
func (c *Containers) dialOnce(ctx context.Context, id pod.ContainerID) (*client.Client, error) {
	starting, cancel := context.WithTimeout(ctx, dialTime)
	defer cancel()
	// The engine ends a process's streams with the context that started it, and the relay is to outlive this call.
	living, release := context.WithCancel(context.WithoutCancel(ctx))
	unbind := context.AfterFunc(starting, release)
	p, err := c.o.Engine.Exec(living, engine.ID(id), engine.ExecSpec{Command: []string{boot.AgentPath, "agent", "relay"}})
	if err != nil {
		unbind()
		release()
		if starting.Err() != nil {
			return nil, &pod.UnseenError{Err: fmt.Errorf("container %s: relay: %w", id, starting.Err())}
		}
		return nil, c.why(ctx, id, err)
	}
	r := &relay{Process: p, release: release}
	host, err := client.Dial(starting, r)
	if !unbind() && err == nil {
		host.Close()
		err = starting.Err()
	}
	if err != nil {
		r.Close()
		return nil, c.noHost(ctx, starting, id, p, err)
	}
	return host, nil
}

// relay is the process that carries a connection. Its end is the connection's.
type relay struct {
	engine.Process
	release context.CancelFunc
}

// Close ends the relay: it sees the end of its input.
func (r *relay) Close() error {
	r.release()
	return r.Process.Close()
}

// noHost says why no session host answered: the container is gone, or the agent cannot be run in it.
func (c *Containers) noHost(ctx, starting context.Context, id pod.ContainerID, p engine.Process, err error) error {
	if starting.Err() != nil {
		return &pod.UnseenError{Err: fmt.Errorf("container %s: the session host did not answer: %w", id, starting.Err())}
	}
	if gone := c.lost(ctx, id, err); gone != nil {
		return gone
	}
	bound, cancel := context.WithTimeout(ctx, goneTime) // what goes on has no exit code
	defer cancel()
	code, werr := p.Wait(bound)
	if unseen(werr) && bound.Err() == nil {
		return typed(werr)
	}
	return &ShellError{Reason: reasonNoHost, ExitCode: code, Err: fmt.Errorf("%w; the relay said %.500q", err, p.Stderr())}
}

// lost says what the end of a connection means: a *pod.GoneError when it is the container's, a *pod.UnseenError when that cannot be seen, nil when the container lives.
func (c *Containers) lost(ctx context.Context, id pod.ContainerID, err error) error {
	ctx, cancel := context.WithTimeout(ctx, 2*goneTime)
	defer cancel()
	// The engine may tell of the process before it knows of the container.
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	deadline := time.Now().Add(goneTime)
	for {
		state, lerr := c.look(ctx, id)
		switch {
		case lerr != nil:
			return lerr
		case state == engine.Paused:
			return &pod.UnseenError{Err: fmt.Errorf("the container is paused: %w", err)}
		case time.Now().After(deadline):
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return &pod.UnseenError{Err: ctx.Err()}
		}
	}
}
