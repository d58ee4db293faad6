package trial

import (
	"errors"

	"podlife/model/podlifecycle"
	"podlife/runtime/boot"
	"podlife/runtime/pod"
)

func idleSleeps(m *machine) error {
	if err := m.ready("c1"); err != nil {
		return err
	}
	// The boot is answered a moment before the clock of idleness starts.
	if err := eventually("the pod could be idle", func() bool { return !m.pod().Status().SleepsAt.IsZero() }); err != nil {
		return err
	}
	m.clock.advance(2 * idle)
	return m.is(podlifecycle.Asleep, 1)
}

func lateTimerTerminal(m *machine) error {
	if err := m.ready("c1"); err != nil {
		return err
	}
	m.clock.beLate()
	t, err := m.open("c1")
	if err != nil {
		return err
	}
	m.clock.advance(2 * idle)
	if closed(t.a.Ended()) {
		return errors.New("the terminal was ended")
	}
	return m.is(podlifecycle.Ready, 1)
}

func lateTimerBoot(m *machine) error {
	if err := m.ready("c1"); err != nil {
		return err
	}
	m.clock.beLate()
	if err := m.wipe(); err != nil {
		return err
	}
	release, entered := m.programs.Hold(step(boot.StepHook, 1))
	defer release()
	b := m.boot("c2")
	if err := wait("the script", entered); err != nil {
		return err
	}
	m.clock.advance(2 * idle)
	release()
	return all(func() error { return m.succeeds(b) }, func() error { return m.is(podlifecycle.Ready, 1) })
}

func containerDies(m *machine) error {
	if err := m.ready("c1"); err != nil {
		return err
	}
	t, err := m.open("c1")
	if err != nil {
		return err
	}
	if !m.engine.Kill(m.container()) {
		return errors.New("not killed")
	}
	return all(func() error { return wait("the end of the terminal", t.a.Ended()) }, func() error { return m.is(podlifecycle.Asleep, 1) })
}

func falseHint(m *machine) error {
	if err := m.ready("c1"); err != nil {
		return err
	}
	m.pod().Died(m.ctx, m.pod().Status().Container)
	return m.is(podlifecycle.Ready, 1)
}

func attachWithoutMarker(m *machine) error {
	if err := all(func() error { return m.ready("c1") }, m.wipe); err != nil {
		return err
	}
	_, err := m.open("c1")
	return err
}

func attachAsleep(m *machine) error {
	if err := all(func() error { return m.ready("c1") }, m.gone); err != nil {
		return err
	}
	return m.refused(m.attach("c1"))
}

// heldShell is a terminal of the ready pod whose shell is there and was not handed over yet.
func (m *machine) heldShell() (*terminal, *gate, error) {
	shell := m.world.hold(afterShell)
	t := m.attach("c1")
	return t, shell, wait("the shell", shell.entered)
}

func lateShell(m *machine) error {
	if err := m.ready("c1"); err != nil {
		return err
	}
	t, shell, err := m.heldShell()
	defer shell.open()
	if err != nil {
		return err
	}
	if err := all(m.gone, func() error { return m.ready("c2") }); err != nil {
		return err
	}
	shell.open()
	return m.opens(t)
}

func lateShellAgain(m *machine) error {
	if err := m.ready("c1"); err != nil {
		return err
	}
	t, shell, err := m.heldShell()
	defer shell.open()
	if err != nil {
		return err
	}
	if err := all(m.gone, func() error { return m.ready("c1") }); err != nil {
		return err
	}
	now, err := m.open("c1")
	if err != nil {
		return err
	}
	now.close()
	shell.open()
	return m.opens(t)
}

func lateShellAsleep(m *machine) error {
	if err := m.ready("c1"); err != nil {
		return err
	}
	return m.shellAfterDestroy()
}

func lateShellAgainAsleep(m *machine) error {
	if err := m.ready("c1"); err != nil {
		return err
	}
	t, err := m.open("c1")
	if err != nil {
		return err
	}
	t.close()
	return m.shellAfterDestroy()
}

// shellAfterDestroy destroys the pod between a shell and its hand-over, while the container is still there.
func (m *machine) shellAfterDestroy() error {
	t, shell, err := m.heldShell()
	defer shell.open()
	if err != nil {
		return err
	}
	remove := m.world.hold(beforeRemove)
	defer remove.open()
	d := m.destroy()
	if err := wait("the removal", remove.entered); err != nil {
		return err
	}
	shell.open()
	refused := m.refused(t)
	remove.open()
	return errors.Join(refused, m.ends(d))
}

var _ pod.Clock = (*clock)(nil)
