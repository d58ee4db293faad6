package pod_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"podlife/model/podruntime"
	"podlife/runtime/engine"
	"podlife/runtime/pod"
)

// PodRuntime.TearDown: what a launch has left, because it could not be removed then, is removed before anything else is said or made.
func TestWhatAFailedLaunchCouldNotRemoveIsRemoved(t *testing.T) {
	r := newRig(t)
	p := r.Pod("u")
	r.engine.FailNext("start", errInjected)
	r.engine.FailNext("remove", errInjected)
	if _, err := p.Boot(r.ctx(), "c1", nil); !errors.Is(err, errInjected) {
		t.Errorf("boot: %v", err)
	}
	if err := p.Destroy(r.ctx()); err != nil {
		t.Error(err)
	}
	r.has(0)
}

// Nobody waits any more for the script of an incarnation that has ended, also where nothing can be seen or removed of it yet.
func TestAScriptOutOfSightIsDroppedWithItsIncarnation(t *testing.T) {
	r := newRig(t)
	p := r.Pod("u")
	_, entered := r.programs.Hold(userScriptOf(1))
	lost := make(chan error, 1)
	go func() { _, err := p.Boot(context.Background(), "c1", nil); lost <- err }()
	r.wait("the script runs", entered)
	r.engine.Unavailable(true)
	destroyed := make(chan error, 1)
	go func() { destroyed <- p.Destroy(context.Background()) }()
	if err := <-lost; !errors.Is(err, pod.ErrBootLost) {
		t.Errorf("boot: %v", err)
	}
	r.eventually("the reply is dropped", func() bool {
		r.clock.advance(time.Second)
		names := actionsOf(p)
		return names[len(names)-1] == podruntime.DropReply
	})
	r.engine.Unavailable(false)
	if err := waitFor(r, "the destroy answers", destroyed); err != nil {
		t.Error(err)
	}
	r.has(0)
}

// What a boot has to say counts for nothing once its container is known to have died, also while that cannot be stored.
func TestABootWhoseContainerHasDiedIsLostWhateverItSays(t *testing.T) {
	r := newRig(t)
	p := r.Pod("u")
	r.boot(p, "c1")
	r.engine.FailNext("exec", errInjected) // the boot's
	release, entered := r.engine.Hold("exec", nil)
	answer := make(chan error, 1)
	go func() { _, err := p.Boot(context.Background(), "c2", nil); answer <- err }()
	r.wait("the look at the marker", entered)
	r.store.failWith(errInjected)
	r.engine.Kill(engine.ID(p.Status().Container))
	r.eventually("the death is known", func() bool { return strings.Contains(r.log.String(), "could not store that the container is lost") })
	release()
	r.eventually("the boot's end is known", func() bool { return strings.Contains(r.log.String(), "could not store that a boot failed") })
	r.store.failWith(nil)
	if err := waitFor(r, "the boot answers", answer); !errors.Is(err, pod.ErrBootLost) {
		t.Errorf("boot: %v", err)
	}
}
