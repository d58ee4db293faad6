package pod_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	pl "podlife/model/podlifecycle"
	"podlife/runtime/pod"
)

// newIdleRig has terminals that hold their pod for an hour after the last key.
func newIdleRig(t *testing.T) *rig {
	r := newRig(t)
	r.stop()
	r.termIdle = time.Hour
	r.start()
	return r
}

// changed waits until something about an attachment may have changed, and gives it.
func (r *rig) changed(a *pod.Attachment) pod.About {
	r.t.Helper()
	r.wait("something about the attachment changes", a.Changed())
	return a.About()
}

// quiet wants that nothing was warned of, and nothing has ended.
func (r *rig) quiet(a *pod.Attachment) {
	r.t.Helper()
	time.Sleep(20 * time.Millisecond)
	select {
	case <-a.Changed():
		if now := a.About(); !now.SleepsAt.IsZero() {
			r.t.Errorf("it was warned: %+v", now)
		}
	case <-a.Ended():
		r.t.Errorf("it ended: %+v", a.Why())
	default:
	}
}

func TestATerminalWithoutALimitHoldsThePodForEver(t *testing.T) {
	r := newRig(t)
	p := r.Pod("u")
	r.boot(p, "c1")
	a := r.attach(p, "c1")
	for range 30 {
		r.clock.advance(time.Hour)
	}
	r.quiet(a)
	r.isState(p, pl.Ready, 1)
	if s := p.Status(); !s.SleepsAt.IsZero() || !slices.Equal(s.KeptAwakeBy, []string{"terminal"}) {
		t.Errorf("%+v", s)
	}
}

func TestAnIdleTerminalIsWarnedAndThenThePodSleeps(t *testing.T) {
	r := newIdleRig(t)
	p := r.Pod("u")
	r.boot(p, "c1")
	before := newest(p)
	a := r.attach(p, "c1")
	if now := r.changed(a); now.Viewers != 1 || !now.SleepsAt.IsZero() {
		t.Errorf("%+v", now)
	}
	begun := r.clock.Now()
	if s := p.Status(); !s.SleepsAt.Equal(begun.Add(time.Hour)) || !slices.Equal(s.KeptAwakeBy, []string{"terminal"}) {
		t.Errorf("%+v", s)
	}
	r.clock.advance(58 * time.Minute)
	r.quiet(a)
	r.clock.advance(time.Minute)
	if now := r.changed(a); !now.SleepsAt.Equal(begun.Add(time.Hour)) {
		t.Errorf("%+v, begun %v", now, begun)
	}
	r.isState(p, pl.Ready, 1)
	r.clock.advance(time.Minute)
	r.wait("the attachment ends", a.Ended())
	if a.Why().Cause != pod.CauseIdle {
		t.Errorf("%+v", a.Why())
	}
	r.isState(p, pl.Asleep, 1)
	r.sawActions(p, before, pl.AttachReady, pl.Sleep, pl.Reconnect)
	if err := a.Close(); err != nil {
		t.Error(err)
	}
}

// Bug report B35: the rule is explicit, whoever watches is warned, and a key keeps the pod.
func TestAKeyTakesTheWarningBack(t *testing.T) {
	r := newIdleRig(t)
	p := r.Pod("u")
	r.boot(p, "c1")
	r.boot(p, "c2")
	a, b := r.attach(p, "c1"), r.attach(p, "c2")
	r.changed(a)
	r.clock.advance(59 * time.Minute)
	if now := r.changed(a); now.SleepsAt.IsZero() || now.Viewers != 2 {
		t.Fatalf("%+v", now)
	}
	r.clock.advance(30 * time.Second)
	b.Active() // the other one's key
	if now := r.changed(a); !now.SleepsAt.IsZero() {
		t.Errorf("%+v", now)
	}
	r.clock.advance(58 * time.Minute)
	r.quiet(a)
	r.isState(p, pl.Ready, 1)
	r.clock.advance(time.Minute)
	if now := r.changed(a); !now.SleepsAt.Equal(r.clock.Now().Add(time.Minute)) {
		t.Errorf("warned again: %+v at %v", now, r.clock.Now())
	}
}

// A machine that slept finds its clock far behind the moment: nobody loses a container unwarned.
func TestNobodySleepsUnwarned(t *testing.T) {
	r := newIdleRig(t)
	p := r.Pod("u")
	r.boot(p, "c1")
	a := r.attach(p, "c1")
	r.changed(a)
	r.clock.jump(10 * time.Hour)
	if now := r.changed(a); !now.SleepsAt.Equal(r.clock.Now().Add(time.Minute)) {
		t.Errorf("%+v at %v", now, r.clock.Now())
	}
	r.isState(p, pl.Ready, 1)
	a.Active()
	r.changed(a)
	r.clock.advance(50 * time.Minute)
	r.quiet(a)
	r.isState(p, pl.Ready, 1)
}

func TestASleepThatCannotBeStoredLetsIdleTerminalsAttachAgain(t *testing.T) {
	r := newIdleRig(t)
	p := r.Pod("u")
	r.boot(p, "c1")
	a := r.attach(p, "c1")
	r.changed(a)
	r.clock.advance(59 * time.Minute)
	r.changed(a)
	r.store.failWith(errors.New("full"))
	r.clock.advance(time.Minute)
	r.wait("the attachment ends", a.Ended())
	if a.Why().Cause != pod.CauseReleased {
		t.Errorf("%+v", a.Why())
	}
	r.isState(p, pl.Ready, 1)
	r.store.failWith(nil)
	r.attach(p, "c1")
	r.isState(p, pl.Ready, 1)
}

// A lease takes back a warning that it makes untrue, and no other; behind its end whoever watches is warned again.
func TestALeaseTakesAWarningBackThatItMakesUntrue(t *testing.T) {
	r := newIdleRig(t)
	p := r.Pod("u")
	r.boot(p, "c1")
	a := r.attach(p, "c1")
	r.changed(a)
	r.clock.advance(59 * time.Minute)
	due := r.changed(a).SleepsAt
	r.clock.advance(30 * time.Second)
	r.extend(p, 10*time.Second, 10*time.Second)
	r.stillDue(a, due)
	r.extend(p, time.Hour, time.Hour)
	if now := r.changed(a); !now.SleepsAt.IsZero() {
		t.Errorf("%+v", now)
	}
	r.clock.advance(59 * time.Minute)
	if now := r.changed(a); !now.SleepsAt.Equal(r.clock.Now().Add(time.Minute)) {
		t.Errorf("warned again: %+v at %v", now, r.clock.Now())
	}
	r.clock.advance(time.Minute)
	r.isState(p, pl.Asleep, 1)
}

// stillDue wants that what was warned of is still so, and that the pod sleeps then.
func (r *rig) stillDue(a *pod.Attachment, due time.Time) {
	r.t.Helper()
	if now := a.About(); !now.SleepsAt.Equal(due) {
		r.t.Errorf("warned of %s, and now %+v", due, now)
	}
	if s := r.Pod("u").Status(); !s.SleepsAt.Equal(due) {
		r.t.Errorf("warned of %s, and it sleeps at %s", due, s.SleepsAt)
	}
}
