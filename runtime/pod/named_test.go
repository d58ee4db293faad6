package pod_test

import (
	"errors"
	"strings"
	"testing"

	"podlife/runtime/pod"
)

// Nobody is told that something is gone which stays, or the other way round.
func TestHowAnIncarnationEndedIsSaidAsItIs(t *testing.T) {
	for _, cause := range []string{pod.CauseDestroy, pod.CauseIdle, pod.CauseLost, pod.CauseBootFailed} {
		wiped, kept := pod.Ended{Cause: cause}.Sentence(), pod.Ended{Cause: cause, HomeStays: true}.Sentence()
		if !strings.Contains(wiped, "disk") || strings.Contains(wiped, "home") || !strings.Contains(kept, "home stays") || strings.Contains(kept, "disk") {
			t.Errorf("%s: %q, and with a home that stays %q", cause, wiped, kept)
		}
	}
}

// Of a pod that was deleted no home stays that anybody could start again.
func TestThatAPodWasDeletedIsSaidAsItIs(t *testing.T) {
	for stays, says := range map[bool]string{true: "volume", false: "gone"} {
		for _, cause := range []string{pod.CauseDestroy, pod.CauseLost, pod.CauseIdle} {
			if s := (pod.Ended{Cause: cause, Deleted: true, HomeStays: stays}).Sentence(); !strings.Contains(s, "deleted") || strings.Contains(s, "home stays") || !strings.Contains(s, says) {
				t.Errorf("%s, %v: %q", cause, stays, s)
			}
		}
	}
	r := newRig(t)
	p := r.Pod("u")
	p.KeepsHome()
	r.boot(p, "c1")
	a := r.attach(p, "c1")
	p.Deleted(false)
	if err := p.Destroy(r.ctx()); err != nil {
		t.Fatal(err)
	}
	r.wait("the attachment ends", a.Ended())
	if why := a.Why(); !why.Deleted || why.HomeStays {
		t.Errorf("it ended as %+v", why)
	}
}

// A pod whose boots are refused says why, and boots when they are not any more; what is awake stays so.
func TestBootsAreRefusedWhileSomebodySaysSo(t *testing.T) {
	r := newRig(t)
	p := r.Pod("u")
	p.KeepsHome()
	why := errors.New("not now")
	p.RefuseBoots(why)
	if _, err := p.Boot(r.ctx(), "c1", nil); !errors.Is(err, why) {
		t.Errorf("a boot: %v", err)
	}
	r.has(0)
	p.RefuseBoots(nil)
	r.boot(p, "c1")
	a := r.attach(p, "c1")
	p.RefuseBoots(why)
	r.has(1)
	if err := p.Destroy(r.ctx()); err != nil {
		t.Fatal(err)
	}
	r.wait("the attachment ends", a.Ended())
	if !a.Why().HomeStays || !p.Status().HomeStays {
		t.Errorf("it ended as %+v, in %+v", a.Why(), p.Status())
	}
}
