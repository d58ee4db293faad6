package pod

import (
	"context"
	"errors"
	"fmt"

	"podlife/model/podlifecycle"
)

// maxRepairs is how often one attach runs the script again when the marker of a ready container is gone.
const maxRepairs = 2

// maxMoves is how often one attach looks again because the incarnation that it had looked at was over before its shell was there.
const maxMoves = 4

// errMoved says that the incarnation of a shell is over, and that the client may attach to the one that is there now.
var errMoved = errors.New("the container is another one by now")

// Attachment is one terminal's shell in one incarnation.
type Attachment struct {
	Shell       Shell
	Incarnation Incarnation

	pod       *Pod
	client    ClientID
	container ContainerID
	ended     chan struct{} // closed by the actor when the incarnation ends
	why       Ended         // written before ended is closed
}

// Ended is closed when the incarnation under the shell has ended; Why then says how.
func (a *Attachment) Ended() <-chan struct{} { return a.ended }

// Why gives the cause; call it only after Ended is closed.
func (a *Attachment) Why() Ended { return a.why }

// Confirm looks whether the container still lives, for a terminal whose shell has just ended; if it does not, Ended is closed when Confirm returns.
func (a *Attachment) Confirm(ctx context.Context) { a.pod.Died(ctx, a.container) }

// Close ends the shell and gives up the hold on the pod; the idle clock restarts now. Safe to call twice.
func (a *Attachment) Close() error {
	p := a.pod
	p.mu.Lock()
	if _, held := p.attachments[a]; held {
		delete(p.attachments, a)
		p.touch()
	}
	p.mu.Unlock()
	return a.Shell.Close()
}

// end is called by the actor with p.mu held.
func (a *Attachment) end(why Ended) {
	a.why = why
	close(a.ended)
}

// Attach starts a guarded shell for the client (action AttachReady), or refuses with *NotReadyError (action AttachGuarded, or nothing for a client that has not booted). It never wakes the pod:
// the shell is started in exactly the container of the incarnation that was looked at, by a process that checks the marker inside it, and the attachment counts only if that incarnation is still
// the current one afterwards.
func (p *Pod) Attach(ctx context.Context, c ClientID, req ShellRequest) (*Attachment, error) {
	session := req.Session
	for try, repairs := 0, 0; ; try++ {
		if try > 0 {
			req.Session = fmt.Sprintf("%s-%d", session, try) // the one before is ended for ever
		}
		container, inc, err := p.probe(c)
		if err != nil {
			return nil, err
		}
		shell, err := p.o.Containers.Shell(ctx, container, inc, req)
		var unprovisioned *NotProvisionedError
		switch {
		case err == nil:
			a, err := p.attached(c, container, inc, shell)
			if !errors.Is(err, errMoved) || try >= maxMoves {
				return a, err
			}
		case errors.As(err, &unprovisioned):
			p.log.Warn("the marker of a ready container does not vouch for it", "incarnation", inc.Inc, "reason", unprovisioned.Reason)
			if repairs++; repairs > maxRepairs {
				return nil, fmt.Errorf("incarnation %d: %w", inc.Inc, err)
			}
			if err := p.repair(ctx, inc); err != nil {
				return nil, err
			}
		default:
			// Whatever was said last: when the container has died, or its incarnation is over, that was the reason, and the next look says what is the case now.
			p.Died(ctx, container)
			if try >= maxMoves || ctx.Err() != nil || p.has(container) {
				return nil, err
			}
		}
	}
}

// has says whether this is the container of the current incarnation.
func (p *Pod) has(c ContainerID) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.container == c
}

// probe is the table's half of the guard: which container may this client attach to? What it says is checked again when the shell has been started.
func (p *Pod) probe(c ClientID) (ContainerID, Incarnation, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return "", Incarnation{}, ErrClosed
	}
	t, err := p.tabOf(c)
	if err != nil {
		return "", Incarnation{}, err
	}
	again := t.model.Phase == podlifecycle.Attached // to the current incarnation: when that ends, the client no longer counts as attached
	if again || p.enabled(podlifecycle.AttachReady, c) {
		return p.container, Incarnation{Pod: p.id, Inc: p.state.Inc}, nil
	}
	if p.enabled(podlifecycle.AttachGuarded, c) {
		p.must(podlifecycle.AttachGuarded, c, "attach")
	}
	return "", Incarnation{}, &NotReadyError{State: p.state.Ctr}
}

// attached commits the attach, if the incarnation that was probed is still the current one.
func (p *Pod) attached(c ClientID, container ContainerID, inc Incarnation, shell Shell) (*Attachment, error) {
	p.mu.Lock()
	err := p.commitAttach(c, container, inc)
	if err != nil {
		p.mu.Unlock()
		return nil, errors.Join(err, closeQuietly(shell))
	}
	a := &Attachment{Shell: shell, Incarnation: inc, pod: p, client: c, container: container, ended: make(chan struct{})}
	p.attachments[a] = struct{}{}
	p.touch()
	p.mu.Unlock()
	return a, nil
}

// closeQuietly ends a shell that nobody was given; its container is usually gone, so only a failure that is not that is worth a word.
func closeQuietly(s Shell) error {
	var gone *GoneError
	if err := s.Close(); err != nil && !errors.As(err, &gone) {
		return err
	}
	return nil
}

// commitAttach is AttachReady, or a repeated attach of a client that is attached, which changes nothing. p.mu is held.
func (p *Pod) commitAttach(c ClientID, container ContainerID, inc Incarnation) error {
	if p.closed {
		return ErrClosed
	}
	t, err := p.tabOf(c)
	if err != nil {
		return err
	}
	same := p.container == container && p.state.Inc == inc.Inc
	if t.model.Phase == podlifecycle.Attached { // to the current incarnation, perhaps by another socket meanwhile
		if same {
			return nil
		}
		return errMoved
	}
	if same {
		if p.enabled(podlifecycle.AttachReady, c) {
			return p.commit(podlifecycle.AttachReady, c, "attach")
		}
	}
	if p.enabled(podlifecycle.AttachReady, c) {
		return errMoved
	}
	if p.enabled(podlifecycle.AttachGuarded, c) {
		p.must(podlifecycle.AttachGuarded, c, "attach")
	}
	return &NotReadyError{State: p.state.Ctr}
}

// repair runs the script again in a ready container whose marker does not vouch for it any more. In the specification nothing happens: ready stays ready, and nobody is attached meanwhile.
func (p *Pod) repair(ctx context.Context, inc Incarnation) error {
	p.mu.Lock()
	if p.state.Ctr != podlifecycle.Ready || p.state.Inc != inc.Inc {
		p.mu.Unlock()
		return nil // the next probe says what is the case
	}
	if p.run == nil {
		p.startRun()
	}
	r := p.run
	done := r.done
	p.mu.Unlock()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-p.base.Done():
		return ErrClosed
	}
}
