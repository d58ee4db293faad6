package pod

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"podlife/model/podlifecycle"
	"podlife/model/podruntime"
)

// maxRepairs is how often one attach runs the script again when the marker of a ready container is gone.
const maxRepairs = 2

// maxMoves is how often one attach looks again because the incarnation that it had looked at was over before its shell was there.
const maxMoves = 4

// errMoved says that the incarnation of a shell is over, and that the client may attach to the one that is there now.
var errMoved = errors.New("the container is another one by now")

// errUnvouched says that the marker that a shell was checked against is known to be gone by now.
var errUnvouched = errors.New("the container's marker does not vouch for it any more")

// markerMissing is the guard's word for a container without a marker.
const markerMissing = "marker_missing"

// Attachment is one terminal on a session, or one program without a terminal, in one incarnation.
type Attachment struct {
	Shell       Shell   // of Attach
	Command     Command // of Run
	Incarnation Incarnation
	Recorded    bool // the session is recorded, by whoever uses the pod

	pod       *Pod
	client    ClientID
	container ContainerID
	ended     chan struct{} // closed by the actor when the incarnation ends
	why       Ended         // written before ended is closed
	changed   chan struct{} // has an element when About may have changed
	active    atomic.Int64  // when something was typed or printed last, by the pod's clock, in nanoseconds since 1970
}

// About is what else there is to know about an attachment.
type About struct {
	Viewers  int       // terminals on the same session, this one too
	Closed   bool      // somebody has asked for the session's end
	SleepsAt time.Time // set once it was warned of: when the pod is put to sleep if nothing is typed or printed; zero when that is off
}

// Changed has an element when About may say something else.
func (a *Attachment) Changed() <-chan struct{} { return a.changed }

// About gives what else there is to know.
func (a *Attachment) About() About {
	p := a.pod
	p.mu.Lock()
	defer p.mu.Unlock()
	about := About{}
	if a.Shell == nil {
		return about
	}
	epoch := a.Shell.Opened().Epoch
	_, about.Closed = p.closedTabs[epoch]
	for other := range p.attachments {
		if other.Shell != nil && other.Shell.Opened().Epoch == epoch {
			about.Viewers++
		}
	}
	if !p.warned.IsZero() {
		about.SleepsAt = p.idleAt()
	}
	return about
}

// Active says that somebody works in it: something was typed, or its programs printed something. It takes back what was warned of.
func (a *Attachment) Active() {
	p := a.pod
	if p.o.TerminalIdle <= 0 {
		return // it holds the pod for as long as it is open
	}
	a.active.Store(p.o.Clock.Now().UnixNano())
	if !p.warning.Load() {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.takeBack()
	p.scheduleSweep()
}

// news tells everybody who is attached that About may say something else. p.mu is held.
func (p *Pod) news() {
	for a := range p.attachments {
		select {
		case a.changed <- struct{}{}:
		default:
		}
	}
}

// Ended is closed when the incarnation under the shell has ended; Why then says how.
func (a *Attachment) Ended() <-chan struct{} { return a.ended }

// Why gives the cause; call it only after Ended is closed.
func (a *Attachment) Why() Ended { return a.why }

// Confirm looks whether the container still lives, for a terminal whose shell has just ended; if it does not, Ended is closed when Confirm returns.
func (a *Attachment) Confirm(ctx context.Context) { a.pod.Died(ctx, a.container) }

// Close lets the terminal leave its session, which lives on, and gives up the hold on the pod; the idle clock restarts now. Safe to call twice.
func (a *Attachment) Close() error {
	p := a.pod
	p.mu.Lock()
	if _, held := p.attachments[a]; held {
		p.detach(a, "closed")
		p.news()
		p.touch() //model:guard Release.clock
	}
	p.mu.Unlock()
	return a.leave()
}

// detach takes an attachment's hold on the pod away (action Detach, for the last one of its client). p.mu is held.
func (p *Pod) detach(a *Attachment, cause string) {
	delete(p.attachments, a)
	if t := p.tabs[a.client]; t != nil {
		t.open--
		if t.open == 0 && t.model.Term.At == podruntime.AtOpen {
			p.must(podruntime.Detach, of(a.client), cause)
		}
	}
}

// leave gives up what was let in, whether or not it was handed over.
func (a *Attachment) leave() error {
	if a.Command != nil {
		return a.Command.Close()
	}
	return a.Shell.Close()
}

// end is called by the actor with p.mu held.
func (a *Attachment) end(why Ended) {
	a.why = why
	close(a.ended)
}

// attempt is one attach under way. Its address tells it from others; its name is for logs and tests.
type attempt struct{ name string }

// Attach starts a guarded shell for the client (actions Probe, Dial, and AttachReady or AttachAgain), or refuses with *NotReadyError (action AttachGuarded, or nothing for a client that has not
// booted). It never wakes the pod: the shell is started in exactly the container of the incarnation that was looked at, by a process that checks the marker inside it, and the attachment counts only
// if that incarnation is still the current one afterwards.
func (p *Pod) Attach(ctx context.Context, c ClientID, req ShellRequest) (*Attachment, error) {
	return p.enter(ctx, c, req.Attempt, func(container ContainerID, inc Incarnation, attempt string) (*Attachment, error) {
		req.Attempt = attempt
		shell, err := p.o.Containers.Shell(ctx, container, inc, req)
		return &Attachment{Shell: shell}, err
	})
}

// enter is Attach for whatever is let into a container; let starts it there.
func (p *Pod) enter(ctx context.Context, c ClientID, name string, let func(ContainerID, Incarnation, string) (*Attachment, error)) (*Attachment, error) {
	me := &attempt{name: name}
	for try, repairs := 0, 0; ; try++ {
		attempt := me.name
		if try > 0 {
			attempt = fmt.Sprintf("%s-%d", me.name, try)
		}
		container, inc, err := p.probe(c, me)
		if err != nil {
			return nil, err
		}
		a, err := let(container, inc, attempt)
		if err == nil {
			a, err = p.attached(c, me, container, inc, a)
			if !errors.Is(err, errMoved) && !errors.Is(err, errUnvouched) {
				return a, err
			}
		} else {
			p.giveUp(c, me)
		}
		var unprovisioned *NotProvisionedError
		switch {
		case errors.Is(err, errMoved):
			if try >= maxMoves {
				return nil, err
			}
		case errors.Is(err, errUnvouched):
			if repairs++; repairs > maxRepairs {
				return nil, fmt.Errorf("incarnation %d: %w", inc.Inc, &NotProvisionedError{Reason: markerMissing})
			}
			if err := p.awaitRun(ctx); err != nil {
				return nil, err
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

// probe is the first half of the guard: which container may this client attach to? What it says is checked again when the shell has been started. Of several terminals that one client opens at
// once, the model has the one that comes first; what the others find is checked like it, by the same statements.
func (p *Pod) probe(c ClientID, me *attempt) (ContainerID, Incarnation, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return "", Incarnation{}, ErrClosed
	}
	t, err := p.tabOf(c)
	if err != nil {
		return "", Incarnation{}, err
	}
	if p.mayAttach(t) {
		if p.enabled(podruntime.Probe, of(c)) {
			p.must(podruntime.Probe, of(c), "attach")
			t.attempt = me
		}
		return p.container, Incarnation{Pod: p.id, Inc: p.state.Inc}, nil
	}
	return "", Incarnation{}, p.notReady(c, t)
}

// mayAttach says whether a client has booted, and the pod is ready. p.mu is held.
func (p *Pod) mayAttach(t *tab) bool {
	return p.state.Ctr == podruntime.Ready && (t.model.Phase == podlifecycle.Believes || t.model.Phase == podlifecycle.Attached)
}

// notReady refuses an attach, and sends a client that believes back through its boot. p.mu is held.
func (p *Pod) notReady(c ClientID, t *tab) error {
	if p.enabled(podruntime.AttachGuarded, of(c)) {
		p.refuseAttach(c, t, "attach")
	}
	outside := p.state.Outside(p.outside)
	return &NotReadyError{State: outside.Ctr, Incarnation: outside.Inc}
}

// refuseAttach is AttachGuarded. p.mu is held.
func (p *Pod) refuseAttach(c ClientID, t *tab, cause string) {
	p.must(podruntime.AttachGuarded, of(c), cause)
	t.attempt = nil
}

// giveUp is the end of an attempt that got no shell (action DialFails).
func (p *Pod) giveUp(c ClientID, me *attempt) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dialFails(c, me)
}

// dialFails takes the model's terminal away, if it is that of this attempt. p.mu is held.
func (p *Pod) dialFails(c ClientID, me *attempt) {
	t := p.tabs[c]
	if t == nil || t.attempt != me {
		return
	}
	t.attempt = nil
	if t.model.Term.At == podruntime.AtProbed {
		p.must(podruntime.DialFails, of(c), "attach")
	}
}

// attached hands over what was let in, if the incarnation that was probed is still the current one.
func (p *Pod) attached(c ClientID, me *attempt, container ContainerID, inc Incarnation, a *Attachment) (*Attachment, error) {
	p.mu.Lock()
	t, err := p.handOver(c, me, container, inc)
	if err != nil {
		p.dialFails(c, me)
		p.mu.Unlock()
		return nil, errors.Join(err, a.leaveQuietly())
	}
	a.Incarnation, a.pod, a.client, a.container, a.ended, a.changed = inc, p, c, container, make(chan struct{}), make(chan struct{}, 1)
	a.active.Store(p.o.Clock.Now().UnixNano())
	p.attachments[a] = struct{}{}
	t.open++
	p.takeBack()
	p.news()
	p.touch()
	p.mu.Unlock()
	return a, nil
}

// leaveQuietly gives up what nobody was given; its container is usually gone, so only a failure that is not that is worth a word.
func (a *Attachment) leaveQuietly() error {
	var gone *GoneError
	if err := a.leave(); err != nil && !errors.As(err, &gone) {
		return err
	}
	return nil
}

// handOver asks the pod again, and opens the client's terminal in the model. p.mu is held.
func (p *Pod) handOver(c ClientID, me *attempt, container ContainerID, inc Incarnation) (*tab, error) {
	if p.closed {
		return nil, ErrClosed
	}
	t, err := p.tabOf(c)
	if err != nil {
		return nil, err
	}
	if !p.mayAttach(t) {
		return nil, p.notReady(c, t)
	}
	if p.container != container || p.state.Inc != inc.Inc { //model:guard AttachReady.sameInc
		return nil, errMoved
	}
	if t.model.Term.At == podruntime.AtOpen {
		return t, nil // another terminal of it is open
	}
	if t.model.Term.At == podruntime.AtProbed && t.model.Term.Inc != p.state.Inc {
		p.dialFails(c, t.attempt) // of an attempt that is too late, and will find out
	}
	if t.model.Term.At == podruntime.AtNone {
		p.must(podruntime.Probe, of(c), "attach")
	}
	if err := p.commit(podruntime.Dial, of(c), "attach"); err != nil {
		// The shell was started before somebody else found that the marker is gone: it is not handed over, and the next look says what is the case.
		p.log.Info("a shell was not handed over: what it was checked against is gone", "client", string(c), "incarnation", inc.Inc, "err", err)
		return nil, errUnvouched
	}
	action := podruntime.AttachReady
	if t.model.Phase == podlifecycle.Attached {
		action = podruntime.AttachAgain
	}
	if err := p.commit(action, of(c), "attach"); err != nil {
		return nil, err
	}
	t.attempt = nil
	return t, nil
}

// repair runs the script again in a ready container whose marker does not vouch for it any more (action Repair). Ready stays ready, and nobody is attached meanwhile.
func (p *Pod) repair(ctx context.Context, inc Incarnation) error {
	p.mu.Lock()
	if p.state.Ctr != podruntime.Ready || p.state.Inc != inc.Inc {
		p.mu.Unlock()
		return nil // the next probe says what is the case
	}
	if p.run == nil {
		if err := p.observe(podruntime.Repair, subject{}, inc.Inc, "attach"); err != nil {
			p.mu.Unlock()
			return err
		}
		p.startRun()
	}
	p.mu.Unlock()
	return p.awaitRun(ctx)
}

// awaitRun waits for the run that is under way, if there is one, to be over.
func (p *Pod) awaitRun(ctx context.Context) error {
	p.mu.Lock()
	r := p.run
	p.mu.Unlock()
	if r == nil {
		return nil
	}
	select {
	case <-r.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-p.base.Done():
		return ErrClosed
	}
}
