package pod

import (
	"podlife/model/podruntime"
)

// touch is activity: the idle clock restarts. p.mu is held.
func (p *Pod) touch() {
	p.lastActivity = p.o.Clock.Now()
	p.scheduleSweep()
}

// holds names what keeps the pod awake now, whatever the clock says. p.mu is held.
func (p *Pod) holds() []string {
	var h []string
	if p.run != nil {
		h = append(h, "boot")
	}
	if len(p.attachments) > 0 {
		h = append(h, "terminal")
	}
	return h
}

// scheduleSweep sets the one timer of the idle sweep to the earliest moment at which the pod could be idle. p.mu is held.
func (p *Pod) scheduleSweep() {
	if p.stopSweep != nil {
		p.stopSweep()
		p.stopSweep = nil
	}
	if p.closed || p.o.IdleTimeout <= 0 || !p.state.Awake() || len(p.holds()) > 0 {
		return
	}
	d := p.lastActivity.Add(p.o.IdleTimeout).Sub(p.o.Clock.Now())
	p.stopSweep = p.o.Clock.AfterFunc(max(d, 0), p.sweep)
}

// sweep looks again, inside the actor, at the moment it acts.
func (p *Pod) sweep() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || !p.enabled(podruntime.IdleSleep, subject{}) {
		return
	}
	if p.o.Clock.Now().Before(p.lastActivity.Add(p.o.IdleTimeout)) {
		p.scheduleSweep()
		return
	}
	if err := p.fallAsleep(podruntime.IdleSleep, subject{}, CauseIdle, nil); err != nil {
		p.log.Error("could not store that the idle pod sleeps; trying again", "err", err)
		p.stopSweep = p.o.Clock.AfterFunc(retryPause, p.sweep)
	}
}
