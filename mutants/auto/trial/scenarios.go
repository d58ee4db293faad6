package trial

import (
	"errors"
	"fmt"

	"podlife/model/podlifecycle"
	"podlife/runtime/boot"
	"podlife/runtime/container/simprograms"
	"podlife/runtime/engine"
	"podlife/runtime/pod"
)

// The scenarios' names. The mutants name those that must notice them.
const (
	Life                 = "boot, attach, destroy, and again"
	TwoBoots             = "two tabs boot at once"
	CancelledBoot        = "a boot whose caller goes away"
	StepFails            = "a step of the script fails"
	SecondBootFails      = "a boot of a ready pod fails"
	PausedSecondBoot     = "a boot of a ready pod that is paused"
	WakeWhileRemoving    = "a boot while the container before is being removed"
	DestroyWhileLaunch   = "destroy while the container is being launched"
	LateSuccess          = "a reply that comes when the next incarnation boots"
	LateFailure          = "a failure that is told when the next incarnation is ready"
	ReplyAfterDestroy    = "a reply that comes after destroy"
	BootAfterLostBoot    = "a boot that is lost, and another tab's after it"
	IdleSleeps           = "an idle pod sleeps"
	LateTimerTerminal    = "the timer of the idle sweep fires under a terminal"
	LateTimerBoot        = "the timer of the idle sweep fires under a boot"
	ContainerDies        = "a container dies"
	FalseHint            = "a hint of a death that was none"
	AttachWithoutMarker  = "attach after the disk was wiped"
	AttachAsleep         = "attach to a pod that sleeps"
	LateShell            = "a shell that comes when the next incarnation is ready"
	LateShellAgain       = "a shell that comes when its tab is attached to the next incarnation"
	LateShellAsleep      = "a shell that comes when the pod sleeps"
	LateShellAgainAsleep = "a shell of an attached tab that comes when the pod sleeps"
	TwoUsers             = "two users"
	ForeignMarker        = "a marker of somebody else in a new container"
	CrashInScript        = "a crash while the script runs"
	CrashBlind           = "a crash while the script runs, and a start without the engine's events"
	CrashReady           = "a crash of a ready pod's server"
	CrashWhileRemoving   = "a crash while a destroyed container is being removed"
	PausedBoot           = "a start with a paused container, and a boot"
	PausedDestroy        = "a start with a paused container, and a destroy"
)

func scenarios() []Scenario {
	return []Scenario{
		{Life, life}, {TwoBoots, twoBoots}, {CancelledBoot, cancelledBoot}, {StepFails, stepFails}, {SecondBootFails, secondBootFails}, {PausedSecondBoot, pausedSecondBoot},
		{WakeWhileRemoving, wakeWhileRemoving}, {DestroyWhileLaunch, destroyWhileLaunch}, {LateSuccess, lateSuccess}, {LateFailure, lateFailure},
		{ReplyAfterDestroy, replyAfterDestroy}, {BootAfterLostBoot, bootAfterLostBoot},
		{IdleSleeps, idleSleeps}, {LateTimerTerminal, lateTimerTerminal}, {LateTimerBoot, lateTimerBoot}, {ContainerDies, containerDies}, {FalseHint, falseHint},
		{AttachWithoutMarker, attachWithoutMarker}, {AttachAsleep, attachAsleep}, {LateShell, lateShell}, {LateShellAgain, lateShellAgain},
		{LateShellAsleep, lateShellAsleep}, {LateShellAgainAsleep, lateShellAgainAsleep}, {TwoUsers, twoUsers},
		{ForeignMarker, foreignMarker}, {CrashInScript, crashInScript}, {CrashBlind, crashBlind}, {CrashReady, crashReady}, {CrashWhileRemoving, crashWhileRemoving},
		{PausedBoot, pausedBoot}, {PausedDestroy, pausedDestroy},
	}
}

// all runs steps until one fails.
func all(steps ...func() error) error {
	for _, s := range steps {
		if err := s(); err != nil {
			return err
		}
	}
	return nil
}

// step matches a step of an incarnation's script.
func step(name string, inc int) func(simprograms.Step) bool {
	return func(s simprograms.Step) bool { return s.Name == name && s.Incarnation == inc }
}

func (m *machine) container() engine.ID { return engine.ID(m.pod().Status().Container) }

// wipe takes the marker and what a shell needs.
func (m *machine) wipe() error {
	files, ok := m.engine.Files(m.container())
	if !ok {
		return errors.New("the pod has no container")
	}
	return errors.Join(files.Remove(boot.MarkerPath), files.Remove(simprograms.Hook))
}

func life(m *machine) error {
	if err := m.ready("c1"); err != nil {
		return err
	}
	t, err := m.open("c1")
	if err != nil {
		return err
	}
	t.close()
	again, err := m.open("c1")
	if err != nil {
		return err
	}
	if err := m.gone(); err != nil {
		return err
	}
	if err := wait("the end of the terminal", again.a.Ended()); err != nil {
		return err
	}
	if err := m.ready("c1"); err != nil { // the tab still believes
		return err
	}
	_, err = m.open("c1")
	return err
}

func twoBoots(m *machine) error {
	release, entered := m.programs.Hold(step(boot.StepHook, 1))
	defer release()
	one := m.boot("c1")
	if err := wait("the script", entered); err != nil {
		return err
	}
	two := m.boot("c2")
	if err := eventually("the second boot is joined", func() bool { _, n := m.pod().Events(0); return n == 2 }); err != nil {
		return err
	}
	release()
	return all(func() error { return m.succeeds(one) }, func() error { return m.succeeds(two) })
}

func cancelledBoot(m *machine) error {
	release, entered := m.programs.Hold(step(boot.StepHook, 1))
	defer release()
	one := m.boot("c1")
	if err := wait("the script", entered); err != nil {
		return err
	}
	one.cancel()
	if err := wait("the caller is gone", one.done); err != nil {
		return err
	}
	release()
	return m.is(podlifecycle.Ready, 1)
}

func stepFails(m *machine) error {
	m.programs.Fail(step(boot.StepHook, 1), 7, "")
	b := m.boot("c1")
	if err := m.answered(b); err != nil {
		return err
	}
	var failed *pod.BootError
	if !errors.As(b.err, &failed) {
		return fmt.Errorf("the boot says %w", b.err)
	}
	return m.is(podlifecycle.Asleep, 1)
}

func secondBootFails(m *machine) error {
	if err := m.ready("c1"); err != nil {
		return err
	}
	if err := m.wipe(); err != nil {
		return err
	}
	m.programs.Fail(step(boot.StepUserScript, 1), 4, "")
	b := m.boot("c2")
	if err := m.answered(b); err != nil {
		return err
	}
	if b.err == nil {
		return errors.New("a boot whose script failed was answered as if it had not")
	}
	return m.is(podlifecycle.Ready, 1)
}

func pausedSecondBoot(m *machine) error {
	if err := m.ready("c1"); err != nil {
		return err
	}
	c := m.container()
	execs := m.engine.Calls("exec")
	if !m.engine.Pause(c) {
		return errors.New("not paused")
	}
	b := m.boot("c2")
	if err := eventually("the boot tries", func() bool { return m.engine.Calls("exec") > execs }); err != nil {
		return err
	}
	m.within(func() bool { return m.pod().Status().State == podlifecycle.Asleep })
	m.engine.Unpause(c)
	if err := m.later(b.done); err != nil {
		return err
	}
	return all(func() error { return m.succeeds(b) }, func() error { return m.is(podlifecycle.Ready, 1) })
}

// later lets the time pass until something is done.
func (m *machine) later(done <-chan struct{}) error {
	return eventually("an answer", func() bool {
		if closed(done) {
			return true
		}
		m.clock.advance(1e9)
		return false
	})
}
