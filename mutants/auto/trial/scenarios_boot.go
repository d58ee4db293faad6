package trial

import (
	"podlife/model/podlifecycle"
	"podlife/runtime/boot"
	"podlife/runtime/pod"
)

// containers is how many there are.
func (m *machine) containers() int {
	list, err := m.look()
	if err != nil {
		return -1
	}
	return len(list)
}

func wakeWhileRemoving(m *machine) error {
	if err := m.ready("c1"); err != nil {
		return err
	}
	remove := m.world.hold(beforeRemove)
	defer remove.open()
	d := m.destroy()
	if err := wait("the removal", remove.entered); err != nil {
		return err
	}
	m.within(func() bool { return closed(d.done) })
	b := m.boot("c1")
	m.within(func() bool { return m.containers() > 1 })
	remove.open()
	return all(func() error { return m.succeeds(b) }, func() error { return m.ends(d) }, func() error { return m.is(podlifecycle.Ready, 2) })
}

func destroyWhileLaunch(m *machine) error {
	begin, launched := m.world.hold(beforeLaunch), m.world.hold(afterLaunch)
	defer launched.open()
	defer begin.open()
	b := m.boot("c1")
	if err := wait("the launch", begin.entered); err != nil {
		return err
	}
	d := m.destroy()
	if err := m.answered(b); err != nil {
		return err
	}
	m.within(func() bool { return closed(d.done) })
	begin.open()
	if err := all(func() error { return wait("the launch", launched.entered) }, m.judge.glance); err != nil {
		return err
	}
	launched.open()
	return all(func() error { return m.ends(d) }, func() error { return m.is(podlifecycle.Asleep, 1) })
}

func lateSuccess(m *machine) error {
	reply, remove := m.world.hold(afterBoot), m.world.hold(beforeRemove)
	defer reply.open()
	defer remove.open()
	one := m.boot("c1")
	if err := wait("the reply", reply.entered); err != nil {
		return err
	}
	d := m.destroy()
	if err := wait("the removal", remove.entered); err != nil {
		return err
	}
	two := m.boot("c2")
	if err := m.is(podlifecycle.Provisioning, 2); err != nil {
		return err
	}
	reply.open()
	m.within(func() bool { return closed(two.done) })
	remove.open()
	return all(func() error { return m.answered(one) }, func() error { return m.ends(d) }, func() error { return m.succeeds(two) })
}

func lateFailure(m *machine) error {
	reply := m.world.hold(afterBoot)
	defer reply.open()
	m.programs.Fail(step(boot.StepHook, 1), 7, "")
	one := m.boot("c1")
	if err := wait("the reply", reply.entered); err != nil {
		return err
	}
	if err := all(m.gone, func() error { return m.answered(one) }, func() error { return m.ready("c2") }); err != nil {
		return err
	}
	_, before := m.pod().Steps(0)
	reply.open()
	if err := eventually("the reply is taken", func() bool { _, n := m.pod().Steps(0); return n > before }); err != nil {
		return err
	}
	m.within(func() bool { return m.pod().Status().State != podlifecycle.Ready })
	return m.is(podlifecycle.Ready, 2)
}

func replyAfterDestroy(m *machine) error {
	reply, remove := m.world.hold(afterBoot), m.world.hold(beforeRemove)
	defer reply.open()
	defer remove.open()
	one := m.boot("c1")
	if err := wait("the reply", reply.entered); err != nil {
		return err
	}
	d := m.destroy()
	if err := wait("the removal", remove.entered); err != nil {
		return err
	}
	reply.open()
	m.within(func() bool { return m.pod().Status().State != podlifecycle.Asleep })
	remove.open()
	return all(func() error { return m.answered(one) }, func() error { return m.ends(d) }, func() error { return m.is(podlifecycle.Asleep, 1) })
}

func bootAfterLostBoot(m *machine) error {
	release, entered := m.programs.Hold(step(boot.StepHook, 1))
	defer release()
	one := m.boot("c1")
	if err := wait("the script", entered); err != nil {
		return err
	}
	return all(m.gone, func() error { return m.ready("c2") }, func() error { return m.answered(one) })
}

func foreignMarker(m *machine) error {
	launch := m.world.hold(afterLaunch)
	defer launch.open()
	b := m.boot("c1")
	if err := wait("the launch", launch.entered); err != nil {
		return err
	}
	containers, err := m.look()
	if err != nil {
		return err
	}
	for _, c := range containers {
		files, _ := m.engine.Files(c.id)
		other := boot.Marker{Pod: "other", Incarnation: 7, Recipe: m.recipe.WithDefaults().Hash()}
		if err := files.Write(boot.MarkerPath, other.Format()); err != nil {
			return err
		}
	}
	launch.open()
	if err := m.succeeds(b); err != nil {
		return err
	}
	_, err = m.open("c1")
	return err
}

// midScript boots until the script is in the middle of its steps.
func (m *machine) midScript() error {
	_, entered := m.programs.Hold(step(boot.StepHook, 1))
	m.boot("c1")
	return wait("the script", entered)
}

func crashInScript(m *machine) error {
	if err := all(m.midScript, m.crash, m.start, func() error { return m.ready("c1") }); err != nil {
		return err
	}
	_, err := m.open("c1")
	return err
}

// crashBlind leaves it to the start alone to remove what it finds: the watch of the engine would do it too, some time.
func crashBlind(m *machine) error {
	return all(m.midScript, m.crash, m.startBlind)
}

func crashReady(m *machine) error {
	if err := all(func() error { return m.ready("c1") }, m.crash, m.start, func() error { return m.is(podlifecycle.Ready, 1) }, func() error { return m.ready("c1") }); err != nil {
		return err
	}
	_, err := m.open("c1")
	return err
}

func crashWhileRemoving(m *machine) error {
	if err := m.ready("c1"); err != nil {
		return err
	}
	remove := m.world.hold(beforeRemove)
	defer remove.open()
	m.destroy()
	if err := wait("the removal", remove.entered); err != nil {
		return err
	}
	return all(m.crash, m.start, func() error { return m.is(podlifecycle.Asleep, 1) })
}

// startPaused is a start of the server that finds a container which it cannot look into.
func (m *machine) startPaused() (unpause func(), err error) {
	if err := m.ready("c1"); err != nil {
		return nil, err
	}
	c := m.container()
	m.engine.Pause(c)
	return func() { m.engine.Unpause(c) }, all(m.crash, m.start)
}

func pausedBoot(m *machine) error {
	unpause, err := m.startPaused()
	if err != nil {
		return err
	}
	b := m.boot("c1")
	m.within(func() bool { return closed(b.done) })
	unpause()
	return all(func() error { return m.later(b.done) }, func() error { return m.succeeds(b) }, func() error { return m.is(podlifecycle.Ready, 1) })
}

func pausedDestroy(m *machine) error {
	unpause, err := m.startPaused()
	if err != nil {
		return err
	}
	d := m.destroy()
	if m.within(func() bool { return closed(d.done) }) {
		if err := m.ready("c1"); err != nil { // whoever was told that it is gone wakes it anew
			return err
		}
	}
	unpause()
	return all(func() error { return m.later(d.done) }, func() error { return m.ends(d) }, func() error { return m.is(podlifecycle.Asleep, 1) })
}

func twoUsers(m *machine) error {
	for _, id := range []pod.ID{"u", "v"} {
		if err := m.succeeds(m.bootOf(id, pod.ClientID("c-"+string(id)))); err != nil {
			return err
		}
		if err := m.opens(m.attachOf(id, pod.ClientID("c-"+string(id)))); err != nil {
			return err
		}
	}
	return nil
}
