package pod_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	pl "podlife/model/podlifecycle"
	"podlife/model/podruntime"
	"podlife/runtime/boot"
	"podlife/runtime/container/simprograms"
	"podlife/runtime/engine"
	"podlife/runtime/pod"
)

func TestAFailedBootOfAReadyPodWhoseMarkerVouchesLosesNothing(t *testing.T) {
	r := newRig(t)
	p := r.Pod("u")
	r.boot(p, "c1")
	a := r.attach(p, "c1")
	r.engine.FailNext("exec", errInjected) // the boot's; the look at the marker after it succeeds
	if got := r.boot(p, "c2"); got.Incarnation != 1 {
		t.Errorf("incarnation %d", got.Incarnation)
	}
	r.isState(p, pl.Ready, 1)
	select {
	case <-a.Ended():
		t.Error("somebody else's terminal ended")
	default:
	}
	failed, succeeded := 0, 0
	for _, action := range actionsOf(p) {
		switch action {
		case podruntime.ScriptFailed:
			failed++
		case podruntime.ScriptSucceeded:
			succeeded++
		}
	}
	if failed != 1 || succeeded != 1 { // the first boot's; the second one's script did not run
		t.Errorf("%d scripts are said to have failed and %d to have succeeded", failed, succeeded)
	}
}

func TestAFailedBootOfAReadyPodThatCannotBeLookedIntoIsToldAndLosesNothing(t *testing.T) {
	r := newRig(t)
	p := r.Pod("u")
	r.boot(p, "c1")
	r.engine.FailNext("exec", errInjected) // the boot's
	r.engine.FailNext("exec", errInjected) // and that of the look at the marker
	if _, err := p.Boot(r.ctx(), "c2", nil); !errors.Is(err, errInjected) {
		t.Errorf("got %v", err)
	}
	r.isState(p, pl.Ready, 1)
	if p.Status().LastFailure == "" {
		t.Error("status does not tell of it")
	}
	r.attach(p, "c1")
}

func TestAReadyPodThatCannotBeProvisionedAgainIsKeptAndNobodyIsLetIn(t *testing.T) {
	r := newRig(t)
	p := r.Pod("u")
	r.boot(p, "c1")
	files, _ := r.engine.Files(engine.ID(p.Status().Container))
	if err := files.Remove(boot.MarkerPath); err != nil {
		t.Fatal(err)
	}
	for range 3 { // the boot's, and those of the repairs by which the attach tries to help itself
		r.programs.Fail(func(s simprograms.Step) bool { return s.Name == boot.StepUserScript }, 4, "")
	}
	var failed *pod.BootError
	if _, err := p.Boot(r.ctx(), "c2", nil); !errors.As(err, &failed) || failed.ExitCode != 4 {
		t.Errorf("got %v", err)
	}
	r.isState(p, pl.Ready, 1)
	var unprovisioned *pod.NotProvisionedError
	if _, err := p.Attach(r.ctx(), "c2", shellRequest()); !errors.As(err, &unprovisioned) {
		t.Errorf("attach: %v", err)
	}
	r.isState(p, pl.Ready, 1)
	r.boot(p, "c3") // the script goes well again
	r.attach(p, "c2")
}

// A changed recipe does not wipe what its users have: the next boot runs the new script in place.
func TestARestartWithAnotherRecipeKeepsTheContainer(t *testing.T) {
	r := newRig(t)
	r.boot(r.Pod("u"), "c1")
	c := r.Pod("u").Status().Container
	r.stop()
	r.userScript = "another"
	r.start()
	p := r.Pod("u")
	r.isState(p, pl.Ready, 1) // provisioned it is; who may enter, the marker says
	r.boot(p, "c1")
	r.isState(p, pl.Ready, 1)
	if got := p.Status().Container; got != c {
		t.Errorf("container %s, want %s", got, c)
	}
	r.attach(p, "c1")
}

// waitFor lets the fake time pass until an answer is there.
func waitFor[T any](r *rig, what string, answer <-chan T) (got T) {
	r.t.Helper()
	r.eventually(what, func() bool {
		r.clock.advance(time.Second)
		select {
		case got = <-answer:
			return true
		default:
			return false
		}
	})
	return got
}

func TestABootThatFindsNoEngineWaitsForIt(t *testing.T) {
	r := newRig(t)
	p := r.Pod("u")
	r.engine.Unavailable(true)
	done := make(chan error, 1)
	go func() { _, err := p.Boot(context.Background(), "c1", nil); done <- err }()
	r.eventually("the launch was tried", func() bool { return r.engine.Calls("create") >= 1 })
	r.isState(p, pl.Provisioning, 1)
	r.engine.Unavailable(false)
	if err := waitFor(r, "the boot answers", done); err != nil {
		t.Error(err)
	}
	r.isState(p, pl.Ready, 1)
	r.has(1)
}

func TestABootThatNeverFindsItsEngineSaysSo(t *testing.T) {
	r := newRig(t)
	p := r.Pod("u")
	r.engine.Unavailable(true)
	defer r.engine.Unavailable(false)
	done := make(chan error, 1)
	go func() { _, err := p.Boot(context.Background(), "c1", nil); done <- err }()
	var unseen *pod.UnseenError
	if err := waitFor(r, "the boot answers", done); !errors.As(err, &unseen) {
		t.Errorf("got %v, which does not say that the engine could not be seen", err)
	}
	r.isState(p, pl.Asleep, 1)
}

// PodRuntime.Destroy.stored: a crash after a sleep that is not stored would bring back what its owner has destroyed. So what cannot be stored does not happen.
func TestASleepThatCannotBeStoredDoesNotHappen(t *testing.T) {
	r := newRig(t)
	p := r.Pod("u")
	r.boot(p, "c1")
	a := r.attach(p, "c1")
	r.store.failWith(errInjected)
	if err := p.Destroy(r.ctx()); !errors.Is(err, errInjected) {
		t.Errorf("destroy: %v", err)
	}
	r.isState(p, pl.Ready, 1)
	r.has(1)
	select {
	case <-a.Ended():
		t.Error("the terminal was ended")
	default:
	}
	r.store.failWith(nil)
	if err := p.Destroy(r.ctx()); err != nil {
		t.Error(err)
	}
	r.has(0)
}

// The same for what the world decides: it is taken as soon as it can be stored.
func TestALossThatCannotBeStoredIsTakenLater(t *testing.T) {
	r := newRig(t)
	p := r.Pod("u")
	r.boot(p, "c1")
	r.store.failWith(errInjected)
	if !r.engine.Kill(engine.ID(p.Status().Container)) {
		t.Fatal("not killed")
	}
	r.eventually("the loss was seen", func() bool { return strings.Contains(r.log.String(), "could not store that the container is lost") })
	r.isState(p, pl.Ready, 1)
	r.store.failWith(nil)
	r.eventually("the pod sleeps", func() bool { r.clock.advance(time.Second); return p.Status().State == pl.Asleep })
	r.eventually("the container is removed", func() bool { l, _ := r.engine.List(r.ctx(), nil); return len(l) == 0 })
}

func TestAFailedBootThatCannotBeStoredIsAnsweredLater(t *testing.T) {
	r := newRig(t)
	p := r.Pod("u")
	release, entered := r.programs.Hold(func(s simprograms.Step) bool { return s.Name == boot.StepUserScript })
	r.programs.Fail(func(s simprograms.Step) bool { return s.Name == boot.StepUserScript }, 3, "")
	done := make(chan error, 1)
	go func() { _, err := p.Boot(context.Background(), "c1", nil); done <- err }()
	r.wait("the boot is under way", entered)
	r.store.failWith(errInjected)
	release()
	r.eventually("the failure was seen", func() bool { return strings.Contains(r.log.String(), "could not store that a boot failed") })
	r.isState(p, pl.Provisioning, 1)
	r.store.failWith(nil)
	var failed *pod.BootError
	if err := waitFor(r, "the boot answers", done); !errors.As(err, &failed) {
		t.Errorf("got %v", err)
	}
	r.eventually("the container is removed", func() bool { l, _ := r.engine.List(r.ctx(), nil); return len(l) == 0 })
}

// PodRuntime.DestroyAnswered.removed and CreateContainer.alone: what a restart found and removes is no different from what a sleep removes.
func TestAfterARestartDestroyAndTheNextContainerWaitForWhatIsStillRemoved(t *testing.T) {
	r := newRig(t)
	hold, entered := r.programs.Hold(func(s simprograms.Step) bool { return s.Pod == "u" })
	defer hold()
	go r.Pod("u").Boot(context.Background(), "c1", nil)
	r.wait("the boot is under way", entered)
	r.stop()
	release, removing := r.engine.Hold("remove", nil)
	r.start()
	p := r.Pod("u")
	r.isState(p, pl.Asleep, 1)
	r.wait("the removal of what was half made", removing)
	creates := r.engine.Calls("create")
	destroyed, booted := make(chan error, 1), make(chan error, 1)
	go func() { destroyed <- p.Destroy(context.Background()) }()
	select {
	case err := <-destroyed:
		t.Errorf("destroy answered (%v) while the container was there", err)
	case <-time.After(50 * time.Millisecond): // time for what should not be
	}
	go func() { _, err := p.Boot(context.Background(), "c1", nil); booted <- err }()
	r.eventually("the pod wakes", func() bool { return p.Status().State == pl.Provisioning })
	time.Sleep(20 * time.Millisecond) // time for what should not be
	if n := r.engine.Calls("create"); n != creates {
		t.Errorf("%d containers were begun while the one before was there", n-creates)
	}
	release()
	if err := <-destroyed; err != nil {
		t.Error(err)
	}
	if err := <-booted; err != nil {
		t.Error(err)
	}
	r.has(1)
}

func TestTwoSocketsOfOneClientAcrossASleepBothEndInTheNewIncarnation(t *testing.T) {
	r := newRig(t)
	p := r.Pod("u")
	r.boot(p, "c1")
	release, entered := r.shells.hold()
	got := r.startAttach(p, "c1")
	r.wait("the first socket's shell was started", entered)
	if err := p.Destroy(r.ctx()); err != nil {
		t.Fatal(err)
	}
	r.boot(p, "c1")
	r.attach(p, "c1")
	release()
	first := <-got
	if first.err != nil {
		t.Fatal(first.err)
	}
	defer first.a.Close()
	if first.a.Incarnation.Inc != 2 {
		t.Errorf("incarnation %d", first.a.Incarnation.Inc)
	}
}

// The timer of the idle sweep fires in the same moment as somebody attaches, or does something.
func TestTheIdleSweepLooksAgainAtTheMomentItActs(t *testing.T) {
	r := newRig(t)
	p := r.Pod("u")
	r.boot(p, "c1")
	r.clock.mu.Lock()
	r.clock.late = true
	r.clock.mu.Unlock()
	a := r.attach(p, "c1")
	r.clock.advance(2 * r.idle)
	r.isState(p, pl.Ready, 1)
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	r.clock.advance(r.idle / 2)
	r.boot(p, "c2")
	r.clock.advance(r.idle * 3 / 4) // longer than idle since the close, not since the boot
	r.isState(p, pl.Ready, 1)
	r.clock.advance(r.idle)
	r.isState(p, pl.Asleep, 1)
}

func TestTheNextContainerIsMadeOnlyWhenTheOneBeforeIsGone(t *testing.T) {
	r := newRig(t)
	p := r.Pod("u")
	r.boot(p, "c1")
	release, entered := r.engine.Hold("remove", nil)
	destroyed := make(chan error, 1)
	go func() { destroyed <- p.Destroy(context.Background()) }()
	r.wait("the removal", entered)
	creates := r.engine.Calls("create")
	booted := make(chan error, 1)
	go func() { _, err := p.Boot(context.Background(), "c1", nil); booted <- err }()
	r.eventually("the pod wakes", func() bool { return p.Status().State == pl.Provisioning })
	time.Sleep(20 * time.Millisecond) // time for a launch that should not be
	if n := r.engine.Calls("create"); n != creates {
		t.Errorf("%d containers were begun while the one before was there", n-creates)
	}
	release()
	for _, c := range []<-chan error{destroyed, booted} {
		if err := <-c; err != nil {
			t.Error(err)
		}
	}
	r.has(1)
}

// While it is paused nothing is known of it: it is not asleep, and not ready.
func TestARestartKeepsAPausedContainer(t *testing.T) {
	r := newRig(t)
	p := r.Pod("u")
	r.boot(p, "c1")
	c := engine.ID(p.Status().Container)
	if !r.engine.Pause(c) {
		t.Fatal("not paused")
	}
	r.stop()
	r.start()
	p = r.Pod("u")
	r.isState(p, pl.Provisioning, 1) // not known to be ready
	r.has(1)
	done := make(chan error, 1)
	go func() { _, err := p.Boot(context.Background(), "c1", nil); done <- err }()
	if !p.Status().Recovering {
		t.Error("what cannot be looked into is known")
	}
	r.engine.Unpause(c)
	if err := waitFor(r, "the boot answers", done); err != nil {
		t.Error(err)
	}
	r.isState(p, pl.Ready, 1)
	if got := engine.ID(p.Status().Container); got != c {
		t.Errorf("container %s, want %s", got, c)
	}
}
