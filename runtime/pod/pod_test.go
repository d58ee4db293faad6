package pod_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	pl "podlife/model/podlifecycle"
	"podlife/runtime/boot"
	"podlife/runtime/container/simprograms"
	"podlife/runtime/engine"
	"podlife/runtime/pod"
)

func userScriptOf(inc int) func(simprograms.Step) bool {
	return func(s simprograms.Step) bool { return s.Name == boot.StepUserScript && s.Incarnation == inc }
}

func TestBootAttachSleepAndBackAgain(t *testing.T) {
	r := newRig(t)
	p := r.Pod("u")
	if got := r.boot(p, "c1"); got.Incarnation != 1 {
		t.Errorf("incarnation %d", got.Incarnation)
	}
	a := r.attach(p, "c1")
	r.sawActions(p, 0, pl.StartBoot, pl.FinishBoot, pl.AttachReady)
	if err := p.Destroy(r.ctx()); err != nil {
		t.Fatal(err)
	}
	r.wait("the attachment ends", a.Ended())
	if a.Why().Cause != pod.CauseDestroy {
		t.Errorf("cause %q", a.Why().Cause)
	}
	r.has(0)
	r.sawActions(p, 3, pl.Sleep, pl.Reconnect)
	// The tab still believes. Its attach is refused, and wakes nothing.
	_, err := p.Attach(r.ctx(), "c1", shellRequest())
	var notReady *pod.NotReadyError
	if !errors.As(err, &notReady) || notReady.State != pl.Asleep {
		t.Fatalf("attach to an asleep pod: %v", err)
	}
	r.has(0)
	r.sawActions(p, 5, pl.AttachGuarded)
	if got := r.boot(p, "c1"); got.Incarnation != 2 {
		t.Errorf("incarnation %d", got.Incarnation)
	}
	r.attach(p, "c1")
	r.isState(p, pl.Ready, 2)
}

func TestAttachOfAClientThatNeverBootedIsRefused(t *testing.T) {
	r := newRig(t)
	p := r.Pod("u")
	r.boot(p, "c1")
	_, err := p.Attach(r.ctx(), "stranger", shellRequest())
	var notReady *pod.NotReadyError
	if !errors.As(err, &notReady) {
		t.Fatalf("got %v", err)
	}
}

// Bug report B5: concurrent boots of one user give one container and the same incarnation to all.
func TestConcurrentBootsShareOneWakeAndOneRun(t *testing.T) {
	r := newRig(t)
	p := r.Pod("u")
	release, entered := r.programs.Hold(userScriptOf(1))
	results := make(chan int, 20)
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			res, err := p.Boot(r.ctx(), pod.ClientID(fmt.Sprintf("c%d", i)), nil)
			if err != nil {
				t.Error(err)
			}
			results <- res.Incarnation
		})
	}
	r.wait("the script runs", entered)
	r.eventually("all 20 boot", func() bool { return newest(p) == 20 })
	release()
	wg.Wait()
	close(results)
	for inc := range results {
		if inc != 1 {
			t.Errorf("incarnation %d", inc)
		}
	}
	c := r.has(1)[0]
	files, _ := r.engine.Files(c.ID)
	if runs, err := files.Read(simprograms.UserRuns); err != nil || len(runs) != 1 {
		t.Errorf("the script ran %d times, %v", len(runs), err)
	}
}

// Bug report B26: a failing step names itself, keeps its code and its log, and leaves nothing behind; the next boot is a new incarnation.
func TestFailedStepIsNamedAndLeavesNothing(t *testing.T) {
	r := newRig(t)
	p := r.Pod("u")
	r.programs.Fail(userScriptOf(1), 7, "no such tool\n")
	_, err := p.Boot(r.ctx(), "c1", nil)
	var failed *pod.BootError
	if !errors.As(err, &failed) || failed.Step != boot.StepUserScript || failed.ExitCode != 7 || !strings.Contains(failed.LogTail, "no such tool") {
		t.Fatalf("got %#v", err)
	}
	r.isState(p, pl.Asleep, 1)
	r.sawActions(p, 0, pl.StartBoot, pl.Sleep, pl.BootLost)
	r.eventually("the container is removed", func() bool { l, _ := r.engine.List(r.ctx(), nil); return len(l) == 0 })
	if p.Status().LastFailure == "" {
		t.Error("status does not say that the last boot failed")
	}
	if got := r.boot(p, "c1"); got.Incarnation != 2 {
		t.Errorf("incarnation %d", got.Incarnation)
	}
}

// Bug reports B6 and B7: a failed start leaves no corpse, and no pod that says it runs.
func TestFailedStartLeavesNothing(t *testing.T) {
	for _, op := range []string{"create", "start"} {
		t.Run(op, func(t *testing.T) {
			r := newRig(t)
			p := r.Pod("u")
			r.engine.FailNext(op, errInjected)
			_, err := p.Boot(r.ctx(), "c1", nil)
			var failed *pod.BootError
			if !errors.As(err, &failed) || failed.Step != "start" {
				t.Fatalf("got %v", err)
			}
			r.has(0)
			r.isState(p, pl.Asleep, 1)
			r.boot(p, "c1")
			r.isState(p, pl.Ready, 2)
		})
	}
}

func TestLateReplyOfABootCompletesNothing(t *testing.T) {
	r := newRig(t)
	p := r.Pod("u")
	// The reply of the first boot is on its way while the pod is destroyed and boots again.
	release1, entered1 := r.programs.Hold(userScriptOf(1))
	lost := make(chan error, 1)
	go func() { _, err := p.Boot(r.ctx(), "c1", nil); lost <- err }()
	r.wait("the first script runs", entered1)
	release2, entered2 := r.programs.Hold(userScriptOf(2))
	if err := p.Destroy(r.ctx()); err != nil {
		t.Fatal(err)
	}
	if err := <-lost; !errors.Is(err, pod.ErrBootLost) {
		t.Errorf("the first boot: %v", err)
	}
	second := make(chan error, 1)
	go func() { _, err := p.Boot(r.ctx(), "c2", nil); second <- err }()
	r.wait("the second script runs", entered2)
	release1()
	r.isState(p, pl.Provisioning, 2)
	release2()
	if err := <-second; err != nil {
		t.Error(err)
	}
	r.has(1)
}

// Destroy wins over a wake in flight: what the launch brings back late is removed.
func TestDestroyWhileLaunchingLeavesNothingBehind(t *testing.T) {
	for _, op := range []string{"create", "start"} {
		for _, hold := range []string{"before", "after"} {
			t.Run(op+" "+hold, func(t *testing.T) {
				r := newRig(t)
				p := r.Pod("u")
				holdCall := r.engine.Hold
				if hold == "after" {
					holdCall = r.engine.HoldAfter
				}
				release, entered := holdCall(op, nil)
				lost := make(chan error, 1)
				go func() { _, err := p.Boot(r.ctx(), "c1", nil); lost <- err }()
				r.wait(op, entered)
				destroyed := make(chan error, 1)
				go func() { destroyed <- p.Destroy(r.ctx()) }()
				if err := <-lost; !errors.Is(err, pod.ErrBootLost) {
					t.Errorf("boot: %v", err)
				}
				select {
				case err := <-destroyed:
					t.Fatalf("destroy answered (%v) while a container was being made", err)
				default:
				}
				release()
				if err := <-destroyed; err != nil {
					t.Error(err)
				}
				r.has(0)
				r.isState(p, pl.Asleep, 1)
			})
		}
	}
}

// Bug report B3: concurrent destroys all succeed, with one teardown.
func TestConcurrentDestroysJoin(t *testing.T) {
	r := newRig(t)
	p := r.Pod("u")
	r.boot(p, "c1")
	before := newest(p)
	var wg sync.WaitGroup
	for range 10 {
		wg.Go(func() {
			if err := p.Destroy(r.ctx()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	r.sawActions(p, before, pl.Sleep)
	r.has(0)
}

// Bug report B1: destroy and boot in a row, without a pause.
func TestDestroyThenBootManyTimes(t *testing.T) {
	r := newRig(t)
	p := r.Pod("u")
	for i := 1; i <= 200; i++ {
		if got := r.boot(p, "c1"); got.Incarnation != i {
			t.Fatalf("incarnation %d, want %d", got.Incarnation, i)
		}
		if err := p.Destroy(r.ctx()); err != nil {
			t.Fatal(err)
		}
	}
	r.has(0)
}

func TestRemovalThatFailsIsTriedAgain(t *testing.T) {
	r := newRig(t)
	p := r.Pod("u")
	r.boot(p, "c1")
	r.engine.FailNext("remove", errInjected)
	done := make(chan error, 1)
	go func() { done <- p.Destroy(r.ctx()) }()
	r.eventually("the first removal failed", func() bool { return r.engine.Calls("remove") >= 1 })
	r.has(1)
	r.eventually("destroy answers", func() bool {
		r.clock.advance(time.Second)
		select {
		case err := <-done:
			if err != nil {
				t.Error(err)
			}
			return true
		default:
			return false
		}
	})
	r.has(0)
}

// Bug report B56: a container that ends by itself is a Sleep, told to whoever is attached.
func TestContainerThatDiesIsASleep(t *testing.T) {
	r := newRig(t)
	p := r.Pod("u")
	r.boot(p, "c1")
	a := r.attach(p, "c1")
	r.engine.Kill(engine.ID(p.Status().Container))
	r.wait("the attachment ends", a.Ended())
	if a.Why().Cause != pod.CauseLost {
		t.Errorf("cause %q", a.Why().Cause)
	}
	r.isState(p, pl.Asleep, 1)
	r.eventually("its corpse is removed", func() bool { l, _ := r.engine.List(r.ctx(), nil); return len(l) == 0 })
}

func TestAnEngineThatCannotBeSeenEndsNothing(t *testing.T) {
	r := newRig(t)
	p := r.Pod("u")
	r.boot(p, "c1")
	c := p.Status().Container
	r.engine.Unavailable(true)
	p.Died(r.ctx(), c)
	r.isState(p, pl.Ready, 1)
	var unseen *pod.UnseenError
	if _, err := p.Attach(r.ctx(), "c1", shellRequest()); !errors.As(err, &unseen) {
		t.Errorf("attach: %v", err)
	}
	r.isState(p, pl.Ready, 1)
	// A boot of the ready pod waits for the engine instead of giving the container up.
	done := make(chan error, 1)
	go func() { _, err := p.Boot(r.ctx(), "c2", nil); done <- err }()
	r.eventually("the boot tried", func() bool { return r.engine.Calls("exec") >= 3 })
	r.engine.Unavailable(false)
	r.eventually("the boot answers", func() bool {
		r.clock.advance(time.Second)
		select {
		case err := <-done:
			if err != nil {
				t.Error(err)
			}
			return true
		default:
			return false
		}
	})
	r.isState(p, pl.Ready, 1)
	r.attach(p, "c2")
}

// The engine told of a death once, and was away when it was asked about it: nobody tells a second time.
func TestAHintThatCouldNotBeLookedIntoIsKept(t *testing.T) {
	r := newRig(t)
	p := r.Pod("u")
	r.boot(p, "c1")
	a := r.attach(p, "c1") // so that it does not sleep for being idle
	c := p.Status().Container
	r.stopWatch() // nothing but the one hint
	r.engine.Unavailable(true)
	p.Died(r.ctx(), c)
	p.Died(r.ctx(), c)
	r.engine.Kill(engine.ID(c))
	r.clock.advance(time.Second)
	r.isState(p, pl.Ready, 1)
	r.engine.Unavailable(false)
	r.eventually("the pod sleeps", func() bool { r.clock.advance(time.Second); return p.Status().State == pl.Asleep })
	r.wait("the attachment ends", a.Ended())
	if a.Why().Cause != pod.CauseLost {
		t.Errorf("cause %q", a.Why().Cause)
	}
}

func TestMarkerThatIsGoneIsRepairedBeforeAnybodyIsLetIn(t *testing.T) {
	r := newRig(t)
	p := r.Pod("u")
	r.boot(p, "c1")
	files, _ := r.engine.Files(engine.ID(p.Status().Container))
	for _, f := range []string{boot.MarkerPath, simprograms.Hook} {
		if err := files.Remove(f); err != nil {
			t.Fatal(err)
		}
	}
	before := newest(p)
	r.attach(p, "c1")
	for _, f := range []string{boot.MarkerPath, simprograms.Hook} {
		if _, err := files.Read(f); err != nil {
			t.Errorf("attached without %s: %v", f, err)
		}
	}
	r.sawActions(p, before, pl.AttachReady)
}

// A shell that was checked before the marker went is not handed over once that is known, and its client gets one that is set up.
func TestAShellThatWasCheckedBeforeTheMarkerWentIsNotHandedOut(t *testing.T) {
	r := newRig(t)
	p := r.Pod("u")
	r.boot(p, "c1")
	release, entered := r.shells.hold()
	first := r.startAttach(p, "c1")
	r.wait("the shell was started", entered)
	r.boot(p, "c2") // and has checked the marker meanwhile
	files, _ := r.engine.Files(engine.ID(p.Status().Container))
	if err := files.Remove(boot.MarkerPath); err != nil {
		t.Fatal(err)
	}
	free, at := r.programs.Hold(func(simprograms.Step) bool { return true })
	second := r.startAttach(p, "c2")
	r.wait("the repair", at)
	release()
	select {
	case got := <-first:
		t.Errorf("attached to %+v, error %v, while nothing vouches for the container", got.a, got.err)
	case <-time.After(50 * time.Millisecond):
	}
	free()
	for _, got := range []attaching{<-first, <-second} {
		if got.err != nil {
			t.Errorf("after the repair: %v", got.err)
		}
	}
}

func TestSleepBetweenProbeAndShellIsNoAttach(t *testing.T) {
	r := newRig(t)
	p := r.Pod("u")
	r.boot(p, "c1")
	release, entered := r.shells.hold()
	got := r.startAttach(p, "c1")
	r.wait("the shell is being started", entered)
	if err := p.Destroy(r.ctx()); err != nil {
		t.Fatal(err)
	}
	release()
	var notReady *pod.NotReadyError
	if g := <-got; !errors.As(g.err, &notReady) {
		t.Errorf("got %v", g.err)
	}
	r.has(0)
	r.isState(p, pl.Asleep, 1)
}

func TestShellThatStartedInAnEarlierIncarnationIsNotHandedOut(t *testing.T) {
	r := newRig(t)
	p := r.Pod("u")
	r.boot(p, "c1")
	release, entered := r.shells.hold()
	got := r.startAttach(p, "c1")
	r.wait("the shell was started", entered)
	if err := p.Destroy(r.ctx()); err != nil {
		t.Fatal(err)
	}
	r.boot(p, "c2")
	release()
	// The client still believes and the pod is ready, so it gets a shell: one of the incarnation that there is.
	g := <-got
	if g.err != nil || g.a.Incarnation.Inc != 2 {
		t.Fatalf("attached to %+v, error %v, want a shell of incarnation 2", g.a, g.err)
	}
	if err := g.a.Close(); err != nil {
		t.Error(err)
	}
	r.isState(p, pl.Ready, 2)
}

func TestIdlePodSleepsAndAHeldOneDoesNot(t *testing.T) {
	r := newRig(t)
	p := r.Pod("u")
	r.boot(p, "c1")
	a := r.attach(p, "c1")
	r.clock.advance(10 * r.idle)
	r.isState(p, pl.Ready, 1)
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	r.clock.advance(r.idle - time.Second)
	r.isState(p, pl.Ready, 1)
	r.clock.advance(2 * time.Second)
	r.isState(p, pl.Asleep, 1)
	if events, _ := p.Events(0); events[len(events)-1].Cause != pod.CauseIdle {
		t.Errorf("cause %q", events[len(events)-1].Cause)
	}
}

// Bug report B30: looking never keeps a pod awake.
func TestReadingTheStatusIsNoActivity(t *testing.T) {
	r := newRig(t)
	p := r.Pod("u")
	r.boot(p, "c1")
	for range 35 {
		r.clock.advance(time.Minute)
		p.Status()
		p.Events(0)
	}
	r.isState(p, pl.Asleep, 1)
}

func TestReadsNeverWake(t *testing.T) {
	r := newRig(t)
	p := r.Pod("u")
	p.Status()
	p.Events(0)
	if _, err := p.Attach(r.ctx(), "c1", shellRequest()); err == nil {
		t.Error("attached to nothing")
	}
	r.isState(p, pl.Asleep, 0)
	r.has(0)
}

func TestNumberIsStoredBeforeTheContainerExists(t *testing.T) {
	r := newRig(t)
	p := r.Pod("u")
	r.store.failWith(errInjected)
	if _, err := p.Boot(r.ctx(), "c1", nil); !errors.Is(err, errInjected) {
		t.Fatalf("got %v", err)
	}
	r.has(0)
	r.isState(p, pl.Asleep, 0)
	r.sawActions(p, 0)
	r.store.failWith(nil)
	release, entered := r.engine.Hold("create", nil)
	defer release()
	go func() { p.Boot(context.Background(), "c1", nil) }()
	r.wait("create", entered)
	records, err := r.store.Load(r.ctx())
	if err != nil || len(records) != 1 || records[0].Inc != 1 || !records[0].Awake {
		t.Errorf("%+v, %v", records, err)
	}
}

func TestRestartAdoptsWhatIsReadyAndRemovesTheRest(t *testing.T) {
	r := newRig(t)
	r.boot(r.Pod("ready"), "c1")
	r.boot(r.Pod("wiped"), "c1")
	release, entered := r.programs.Hold(func(s simprograms.Step) bool { return s.Pod == "half" })
	defer release()
	go r.Pod("half").Boot(context.Background(), "c1", nil)
	r.wait("half is booting", entered)
	ready := r.Pod("ready").Status().Container
	files, _ := r.engine.Files(engine.ID(r.Pod("wiped").Status().Container))
	if err := files.Remove(boot.MarkerPath); err != nil {
		t.Fatal(err)
	}
	foreign, err := r.engine.Create(r.ctx(), engine.Spec{Name: "foreign", Image: "image", Network: "none", Command: []string{boot.AgentPath, "agent", "init"}, Labels: map[string]string{"podlife.instance": "another"}})
	if err != nil {
		t.Fatal(err)
	}
	orphan, err := r.containers.Launch(r.ctx(), pod.Incarnation{Pod: "nobody", Inc: 4})
	if err != nil {
		t.Fatal(err)
	}
	r.stop()
	r.start()
	r.isState(r.Pod("ready"), pl.Ready, 1)
	r.isState(r.Pod("wiped"), pl.Asleep, 1)
	r.isState(r.Pod("half"), pl.Asleep, 1)
	if got := r.Pod("ready").Status().Container; got != ready {
		t.Errorf("adopted %q, want %q", got, ready)
	}
	r.eventually("only the adopted and the foreign container are left", func() bool {
		l, _ := r.engine.List(r.ctx(), nil)
		return len(l) == 2
	})
	if _, err := r.engine.Inspect(r.ctx(), foreign); err != nil {
		t.Errorf("the foreign container: %v", err)
	}
	if _, err := r.engine.Inspect(r.ctx(), engine.ID(orphan)); engine.KindOf(err) != engine.NotFound {
		t.Errorf("the orphan: %v", err)
	}
	if got := r.boot(r.Pod("half"), "c1"); got.Incarnation != 2 {
		t.Errorf("half: incarnation %d", got.Incarnation)
	}
}

func TestRestartWithoutAnEngineConcludesNothing(t *testing.T) {
	r := newRig(t)
	r.boot(r.Pod("u"), "c1")
	r.stop()
	r.engine.Unavailable(true)
	m := pod.NewManager(pod.Options{Containers: r.containers, Store: r.store, Clock: r.clock, Logger: discard(), IdleTimeout: r.idle})
	if err := m.Recover(r.ctx()); err == nil {
		t.Error("recovered from an engine that cannot be asked")
	}
	m.Close()
	r.engine.Unavailable(false)
	r.start()
	r.isState(r.Pod("u"), pl.Ready, 1)
}

func TestSlowListenerHoldsUpNobody(t *testing.T) {
	r := newRig(t)
	p := r.Pod("u")
	stuck, unstick := make(chan struct{}), make(chan struct{})
	var once sync.Once
	done := make(chan error, 1)
	go func() {
		_, err := p.Boot(context.Background(), "slow", func(pod.Progress) { once.Do(func() { close(stuck) }); <-unstick })
		done <- err
	}()
	r.wait("the slow one is stuck", stuck)
	r.boot(p, "quick")
	close(unstick)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestLateJoinerHearsTheBootFromItsBeginning(t *testing.T) {
	r := newRig(t)
	p := r.Pod("u")
	release, entered := r.programs.Hold(userScriptOf(1))
	go p.Boot(context.Background(), "c1", nil)
	r.wait("the script runs", entered)
	var steps []string
	first := make(chan struct{})
	var once sync.Once
	done := make(chan error, 1)
	go func() {
		_, err := p.Boot(r.ctx(), "c2", func(pr pod.Progress) {
			if pr.Step != "" {
				steps = append(steps, pr.Step+" "+string(pr.Status))
			}
			once.Do(func() { close(first) })
		})
		done <- err
	}()
	r.wait("the second one hears", first)
	release()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	all := strings.Join(steps, ", ")
	for _, want := range []string{"start started", "start done", "user_script started", "user_script done", "marker done"} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is missing in %s", want, all)
		}
	}
}

func TestClientsAreForgottenAtTheBoundButNotTheOnesInUse(t *testing.T) {
	r := newRig(t)
	p := r.Pod("u")
	r.boot(p, "keeper")
	r.attach(p, "keeper")
	for i := range 600 {
		r.boot(p, pod.ClientID(fmt.Sprintf("c%d", i)))
		r.clock.advance(time.Millisecond)
	}
	before := newest(p)
	r.attach(p, "keeper") // attached before, and still: no action
	r.sawActions(p, before)
	if _, err := p.Attach(r.ctx(), "c0", shellRequest()); err == nil {
		t.Error("a forgotten client still counts as booted")
	}
}
