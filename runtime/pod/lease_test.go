package pod_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	pl "podlife/model/podlifecycle"
	"podlife/runtime/pod"
)

// extend gives the pod a lease of so long from now, and wants one until then.
func (r *rig) extend(p *pod.Pod, d, want time.Duration) {
	r.t.Helper()
	until, err := p.Extend(r.ctx(), d)
	if err != nil || !until.Equal(r.clock.Now().Add(want)) {
		r.t.Errorf("a lease of %s: until %s (%v), want %s from now, %s", d, until, err, want, r.clock.Now())
	}
}

func TestTheIdleSweepWaitsForTheEndOfALease(t *testing.T) {
	r := newRig(t)
	p := r.Pod("u")
	r.boot(p, "c1")
	r.extend(p, 8*time.Hour, 8*time.Hour)
	if s := p.Status(); !s.SleepsAt.Equal(r.clock.Now().Add(8*time.Hour)) || !slices.Equal(s.KeptAwakeBy, []string{"lease"}) {
		t.Errorf("%+v", s)
	}
	r.clock.advance(8*time.Hour - time.Second)
	r.isState(p, pl.Ready, 1)
	r.clock.advance(time.Second)
	r.isState(p, pl.Asleep, 1)
	if s := p.Status(); !s.LeaseUntil.IsZero() || len(s.KeptAwakeBy) > 0 {
		t.Errorf("after its end: %+v", s)
	}
}

// What is due because of use is due then, also when the lease has run out before.
func TestALeaseThatIsShorterThanTheIdleTimeoutTakesNothingAway(t *testing.T) {
	r := newRig(t)
	p := r.Pod("u")
	r.boot(p, "c1")
	r.extend(p, time.Minute, time.Minute)
	r.clock.advance(r.idle - time.Second)
	r.isState(p, pl.Ready, 1)
	r.clock.advance(time.Second)
	r.isState(p, pl.Asleep, 1)
}

func TestTheLaterOfTwoLeasesHolds(t *testing.T) {
	r := newRig(t)
	p := r.Pod("u")
	r.boot(p, "c1")
	r.extend(p, 8*time.Hour, 8*time.Hour)
	r.extend(p, time.Hour, 8*time.Hour)
	r.clock.advance(6 * time.Hour)
	r.isState(p, pl.Ready, 1)
	r.extend(p, time.Hour, 2*time.Hour)
	r.extend(p, 3*time.Hour, 3*time.Hour)
	r.clock.advance(2*time.Hour + time.Minute)
	r.isState(p, pl.Ready, 1)
	r.clock.advance(time.Hour)
	r.isState(p, pl.Asleep, 1)
}

func TestALeaseOfASleepingPodWakesNothingAndHoldsTheNextIncarnations(t *testing.T) {
	r := newRig(t)
	p := r.Pod("u")
	r.extend(p, 8*time.Hour, 8*time.Hour)
	r.isState(p, pl.Asleep, 0)
	r.has(0)
	r.boot(p, "c1")
	if err := p.Destroy(r.ctx()); err != nil {
		t.Fatal(err)
	}
	r.isState(p, pl.Asleep, 1)
	r.boot(p, "c1")
	r.clock.advance(7 * time.Hour)
	r.isState(p, pl.Ready, 2)
	r.clock.advance(2 * time.Hour)
	r.isState(p, pl.Asleep, 2)
}

func TestALeaseHoldsThePodAfterARestart(t *testing.T) {
	r := newRig(t)
	r.boot(r.Pod("u"), "c1")
	r.boot(r.Pod("v"), "c1")
	r.extend(r.Pod("u"), 8*time.Hour, 8*time.Hour)
	r.stop()
	r.start()
	r.clock.advance(7 * time.Hour)
	r.isState(r.Pod("u"), pl.Ready, 1)
	r.isState(r.Pod("v"), pl.Asleep, 1)
	r.extend(r.Pod("u"), time.Minute, time.Hour)
	r.clock.advance(time.Hour)
	r.isState(r.Pod("u"), pl.Asleep, 1)
}

func TestALeaseTakesTheWarningBack(t *testing.T) {
	r := newIdleRig(t)
	p := r.Pod("u")
	r.boot(p, "c1")
	a := r.attach(p, "c1")
	r.changed(a)
	r.clock.advance(59 * time.Minute)
	if now := r.changed(a); now.SleepsAt.IsZero() {
		t.Fatalf("%+v", now)
	}
	r.extend(p, 8*time.Hour, 8*time.Hour)
	if now := r.changed(a); !now.SleepsAt.IsZero() {
		t.Errorf("%+v", now)
	}
	r.clock.advance(8*time.Hour - 2*time.Minute)
	r.quiet(a)
	r.clock.advance(time.Minute)
	if now := r.changed(a); !now.SleepsAt.Equal(r.clock.Now().Add(time.Minute)) {
		t.Errorf("before its end: %+v at %v", now, r.clock.Now())
	}
	r.clock.advance(time.Minute)
	r.wait("the attachment ends", a.Ended())
	r.isState(p, pl.Asleep, 1)
}

func TestALeaseThatCannotBeStoredHoldsNothing(t *testing.T) {
	r := newRig(t)
	p := r.Pod("u")
	r.boot(p, "c1")
	r.extend(p, time.Hour, time.Hour)
	r.store.failWith(errInjected)
	var unstored *pod.StoreError
	if until, err := p.Extend(r.ctx(), 2*time.Hour); !errors.As(err, &unstored) || !errors.Is(err, errInjected) || !until.Equal(r.clock.Now().Add(time.Hour)) {
		t.Errorf("until %s, %v", until, err)
	}
	r.store.failWith(nil)
	r.clock.advance(time.Hour)
	r.isState(p, pl.Asleep, 1)
}

func TestWhatIsNoLeaseIsRefused(t *testing.T) {
	r := newRig(t)
	p := r.Pod("u")
	for _, d := range []time.Duration{-1 << 63, -time.Hour, 0, 24*time.Hour + 1, 1<<63 - 1} {
		var bad *pod.LeaseError
		if _, err := p.Extend(r.ctx(), d); !errors.As(err, &bad) || bad.For != d || bad.Max != 24*time.Hour {
			t.Errorf("%s: %v", d, err)
		}
	}
	r.extend(p, 24*time.Hour, 24*time.Hour)
}

// The store keeps milliseconds, and a lease is never shorter than what was asked for.
func TestALeaseIsNoShorterThanWhatWasAskedFor(t *testing.T) {
	r := newRig(t)
	p := r.Pod("u")
	r.clock.advance(1500 * time.Microsecond)
	for _, d := range []time.Duration{1, time.Microsecond, time.Millisecond, time.Millisecond + 1, time.Second} {
		until, err := p.Extend(r.ctx(), d)
		if over := until.Sub(r.clock.Now().Add(d)); err != nil || over < 0 || over >= time.Millisecond {
			t.Errorf("%s: %s too long, %v", d, over, err)
		}
	}
}

func TestAServerThatStopsGivesNoLease(t *testing.T) {
	r := newRig(t)
	p := r.Pod("u")
	r.Close()
	if _, err := p.Extend(r.ctx(), time.Hour); !errors.Is(err, pod.ErrClosed) {
		t.Errorf("%v", err)
	}
}
