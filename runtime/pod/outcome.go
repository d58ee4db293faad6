package pod

import (
	"errors"

	"podlife/model/podruntime"
)

// errDiedMeanwhile is the reason of a boot that is lost although its script has replied.
var errDiedMeanwhile = errors.New("the container died meanwhile")

// takeOutcome takes a run's outcome, and reports false where that could not be stored and has to be tried again. One that belongs to an incarnation that has ended is dropped: nobody waits for it
// any more, and it must not complete its successor.
func (p *Pod) takeOutcome(r *run, err error) (taken bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err != nil && p.base.Err() != nil {
		// The server is stopping: the container stays as it is, for the next start to judge.
		return true
	}
	p.reply(r, err)
	if !p.current(r) { //model:guard FinishBoot.sameInc
		p.must(podruntime.DropReply, at(r.inc.Inc), "late")
		p.log.Info("dropped the late reply of a boot", "incarnation", r.inc.Inc, "now", p.state.Inc, "err", err)
		return true
	}
	//model:guard Release.clock
	//model:guard Wake.clock
	p.touch()
	var gone *GoneError
	if p.state.At(r.inc.Inc).Run == podruntime.RunGone && !errors.As(err, &gone) {
		// The container is known to have died, and that could not be stored yet: what its script said before counts for nothing.
		err = &GoneError{Err: errDiedMeanwhile}
	}
	var kept *keptError
	switch {
	case err == nil:
		p.lastFailure = ""
		p.finishBoots(r, nil)
	case errors.As(err, &kept) && kept.vouched:
		p.lastFailure = ""
		p.finishBoots(r, nil)
	case errors.As(err, &kept):
		p.lastFailure = err.Error()
		p.finishBoots(r, kept.err)
	default:
		return p.bootFailed(r, err)
	}
	p.run = nil
	p.scheduleSweep()
	return true
}

// reply brings the model's run to the reply that err stands for. p.mu is held.
func (p *Pod) reply(r *run, err error) {
	n := at(r.inc.Inc)
	var gone *GoneError
	action := podruntime.ScriptSucceeded
	switch {
	case errors.As(err, &gone), errors.Is(err, errOver):
		action = podruntime.ScriptGone
	case err != nil:
		action = podruntime.ScriptFailed
	}
	running := p.state.At(n.inc).Box.Box == podruntime.BoxRunning
	switch over := errors.Is(err, errOver); p.state.At(n.inc).Run {
	case podruntime.RunBegin:
		if over && running {
			return // an incarnation that is over, and a container that is still to be removed: dropped as it stands
		}
		action = podruntime.ScriptGone
	case podruntime.RunScript:
		switch {
		case !running:
			action = podruntime.ScriptGone // whatever it said, its container is removed already
		case over:
			action = podruntime.ScriptFailed // nobody waits for it any more, and a script ends with the connection to it
		}
	default:
		return // it never got as far as the script, or has replied
	}
	if err := p.observe(action, n, n.inc, "boot"); err != nil {
		p.log.Error("a boot's reply has no explanation", "incarnation", n.inc, "reply", action, "err", err)
	}
}

// bootFailed ends the incarnation of a run that failed, and reports false where that could not be stored. p.mu is held.
func (p *Pod) bootFailed(r *run, err error) (stored bool) {
	cause, failure := CauseBootFailed, err
	var gone *GoneError
	var failed *BootError
	var unseen *UnseenError
	switch {
	case errors.As(err, &gone):
		cause, failure = CauseLost, nil
	case errors.As(err, &failed), errors.As(err, &unseen):
	default:
		failure = &BootError{Step: "boot", Err: err}
	}
	if cause == CauseBootFailed {
		p.lastFailure = err.Error()
	}
	if err := p.fallAsleep(podruntime.BootFailed, at(r.inc.Inc), cause, failure); err != nil {
		p.log.Error("could not store that a boot failed; trying again", "incarnation", r.inc.Inc, "err", err)
		return false
	}
	return true
}
