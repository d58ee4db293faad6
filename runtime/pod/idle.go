package pod

import (
	"time"

	"podlife/model/podruntime"
)

// DefaultIdleWarning is how long before an idle sleep those are warned who have a terminal open.
const DefaultIdleWarning = time.Minute

// touch is activity: the idle clock restarts. p.mu is held.
func (p *Pod) touch() {
	p.lastActivity = p.o.Clock.Now()
	p.scheduleSweep()
}

// holds names what keeps the pod awake now. p.mu is held.
func (p *Pod) holds() []string {
	var h []string
	if p.run != nil {
		h = append(h, "boot")
	}
	n := p.terminals()
	if n > 0 {
		h = append(h, "terminal")
	}
	if len(p.attachments) > n {
		h = append(h, "exec")
	}
	if p.leased() && p.state.Awake() {
		h = append(h, "lease")
	}
	return h
}

// terminals counts the attachments that are terminals. p.mu is held.
func (p *Pod) terminals() (n int) {
	for a := range p.attachments {
		if a.Shell != nil {
			n++
		}
	}
	return n
}

// idleAt is when the idle sweep will act if nothing happens; zero when it will not, whatever the clock says. A terminal holds the pod for as long as it is open, or where there is a limit, until so long after something was typed or
// printed last, and never without having been warned. p.mu is held.
func (p *Pod) idleAt() time.Time {
	if p.closed || p.idleTimeout() <= 0 || !p.state.Awake() {
		return time.Time{}
	}
	if p.run != nil { //model:guard Sweep.noHold
		return time.Time{}
	}
	at := p.lastActivity.Add(p.idleTimeout()) //model:guard Sweep.idle
	later := func(t time.Time) {
		if t.After(at) {
			at = t
		}
	}
	later(p.lease) //model:guard Sweep.lease
	for a := range p.attachments {
		if a.Shell == nil || p.o.TerminalIdle <= 0 { //model:guard Sweep.noHold
			return time.Time{}
		}
		later(time.Unix(0, a.active.Load()).Add(p.o.TerminalIdle))
	}
	if len(p.attachments) > 0 && !p.warned.IsZero() {
		later(p.warned.Add(p.o.IdleWarning))
	}
	return at
}

// scheduleSweep sets the one timer of the idle sweep to the earliest moment at which there may be something to do: to warn, or to sleep. p.mu is held.
func (p *Pod) scheduleSweep() {
	if p.stopSweep != nil {
		p.stopSweep()
		p.stopSweep = nil
	}
	at := p.idleAt()
	if at.IsZero() {
		return
	}
	if len(p.attachments) > 0 && p.warned.IsZero() {
		at = at.Add(-p.o.IdleWarning)
	}
	p.stopSweep = p.o.Clock.AfterFunc(max(at.Sub(p.o.Clock.Now()), 0), p.sweep)
}

// sweep looks again, inside the actor, at the moment it acts.
func (p *Pod) sweep() {
	p.mu.Lock()
	defer p.mu.Unlock()
	now, at := p.o.Clock.Now(), p.idleAt()
	switch {
	case at.IsZero():
		return
	case len(p.attachments) > 0 && p.warned.IsZero() && !now.Before(at.Add(-p.o.IdleWarning)):
		p.warned = now
		p.warning.Store(true)
		p.news()
		p.scheduleSweep()
	case now.Before(at):
		p.scheduleSweep()
	default:
		p.idleSleep()
	}
}

// takeBack takes back what was warned of. p.mu is held.
func (p *Pod) takeBack() {
	if p.warned.IsZero() {
		return
	}
	p.warned = time.Time{}
	p.warning.Store(false)
	p.news()
}

// idleSleep puts the pod to sleep: the terminals that were warned are detached first (action Detach), so that nobody is attached to what sleeps, and learn what became of it. p.mu is held.
func (p *Pod) idleSleep() {
	var released []*Attachment
	for a := range p.attachments {
		released = append(released, a)
		p.detach(a, CauseIdle)
	}
	p.takeBack()
	why := Ended{Cause: CauseIdle, HomeStays: p.homeStays}
	if err := p.fallAsleep(podruntime.IdleSleep, subject{}, CauseIdle, nil); err != nil {
		p.log.Error("the idle pod could not be put to sleep; trying again", "err", err)
		p.stopSweep = p.o.Clock.AfterFunc(retryPause, p.sweep)
		why.Cause = CauseReleased
	}
	for _, a := range released {
		a.end(why)
	}
}
