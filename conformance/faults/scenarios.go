package faults

import (
	"time"

	"podlife/runtime/boot"
	"podlife/runtime/engine"
	"podlife/runtime/pod"
)

// A Scenario is what users and the world do to one pod, in an order that its holds make fixed.
type Scenario struct {
	Name   string
	Faults []Fault // that belong to it
	Run    func(d *Driver)
}

// Scenarios together make the server commit every action that it has: TestEveryActionIsCut says so.
func Scenarios() []Scenario {
	all := append(boots(), failures()...)
	all = append(all, sleeps()...)
	all = append(all, terminals()...)
	return append(all, restarts()...)
}

func ready(d *Driver) {
	d.Boot("c1")
	d.Attach("c1")
}

func boots() []Scenario {
	all := []Scenario{
		{Name: "boot and terminal", Run: func(d *Driver) { ready(d); d.Close("c1") }},
		{Name: "second boot of a ready pod", Run: func(d *Driver) { ready(d); d.Boot("c2"); d.Attach("c2") }},
		{Name: "two tabs boot at once", Run: func(d *Driver) {
			free, held := d.HoldStep(boot.StepUserScript)
			d.Go(func() { d.Boot("c1") })
			held()
			d.Go(func() { d.Boot("c2") })
			d.Sleep(pace)
			free()
			d.Wait()
			d.Attach("c1")
			d.Attach("c2")
			d.Attach("c2")
			d.Close("c1")
			d.Attach("c1")
		}},
		{Name: "boot after a sleep", Run: func(d *Driver) {
			ready(d)
			d.Destroy()
			d.Attach("c1", errAny)
			ready(d)
		}},
		{Name: "a tab that believes boots an asleep pod", Run: func(d *Driver) { ready(d); d.Destroy(); d.Boot("c1"); d.Attach("c1") }},
	}
	for _, step := range boot.Steps() {
		all = append(all, Scenario{Name: "in the step " + step, Run: func(d *Driver) {
			free, held := d.HoldStep(step)
			d.Go(func() { d.Boot("c1") })
			held()
			d.Moment("in the step " + step)
			free()
			d.Wait()
			d.Attach("c1")
		}})
	}
	return all
}

func failures() []Scenario {
	return []Scenario{
		{Name: "the script fails", Run: func(d *Driver) {
			d.FailStep(boot.StepHook)
			d.Boot("c1", errAny)
			d.Sleep(pace)
			ready(d)
		}},
		{Name: "the script takes too long", Run: func(d *Driver) {
			free, held := d.HoldStep(boot.StepPackages)
			d.Go(func() { d.Boot("c1", errAny) })
			held()
			d.Sleep(BootTimeout + pace)
			d.Wait()
			free()
			ready(d)
		}},
		{Name: "the launch fails", Faults: []Fault{{Op: "start", Nth: 1}}, Run: func(d *Driver) {
			d.Boot("c1", errAny)
			d.Sleep(pace)
			ready(d)
		}},
		{Name: "the engine is away for the launch", Faults: []Fault{{Op: "create", Nth: 1, Kind: engine.Unavailable, Lost: true}}, Run: ready},
		{Name: "the container dies under the script", Run: func(d *Driver) {
			_, held := d.HoldStep(boot.StepRepository)
			d.Go(func() { d.Boot("c1", pod.ErrBootLost) })
			held()
			d.Kill()
			d.Wait()
			d.Sleep(pace)
			ready(d)
		}},
		{Name: "the container of a ready pod dies while its boot fails, and that cannot be stored", Faults: []Fault{{Op: "exec", Nth: 2}, {Op: Save, Nth: 2}}, Run: func(d *Driver) {
			d.Boot("c1")
			free, held := d.Hold("exec") // the look at the marker after the boot has failed
			d.Go(func() { d.Boot("c2", pod.ErrBootLost) })
			held()
			d.Kill()
			d.Sleep(pace / 6)
			free()
			d.Wait()
			d.Sleep(pace)
			ready(d)
		}},
		{Name: "a failed boot that cannot be stored", Faults: []Fault{{Op: Save, Nth: 2}}, Run: func(d *Driver) {
			d.FailStep(boot.StepUserScript)
			d.Boot("c1", errAny)
			d.Sleep(pace)
			ready(d)
		}},
	}
}

func sleeps() []Scenario {
	return []Scenario{
		{Name: "destroy under a terminal", Run: func(d *Driver) { ready(d); d.Destroy() }},
		{Name: "destroy during create", Run: destroyDuring("create")},
		{Name: "destroy during start", Run: destroyDuring("start")},
		{Name: "destroy during the script", Run: func(d *Driver) {
			free, held := d.HoldStep(boot.StepUserScript)
			d.Go(func() { d.Boot("c1", pod.ErrBootLost) })
			held()
			d.Destroy()
			free()
			d.Wait()
			d.Destroy()
			ready(d)
		}},
		{Name: "boot while the one before is removed", Run: func(d *Driver) {
			ready(d)
			free, held := d.Hold("remove")
			d.Go(func() { d.Destroy() })
			held()
			d.Go(func() { d.Boot("c2") })
			d.Sleep(pace)
			free()
			d.Wait()
			d.Attach("c2")
		}},
		{Name: "idle", Run: func(d *Driver) {
			ready(d)
			d.Close("c1")
			d.Sleep(IdleTimeout + pace)
			d.Boot("c1")
		}},
		{Name: "idle, and it cannot be stored", Faults: []Fault{{Op: Save, Nth: 2}}, Run: func(d *Driver) {
			ready(d)
			d.Close("c1")
			d.Sleep(IdleTimeout + pace)
		}},
		{Name: "the container is killed", Run: func(d *Driver) {
			ready(d)
			d.Kill()
			d.Sleep(pace)
			d.Attach("c1", errAny)
			ready(d)
		}},
		{Name: "the container is removed, and that cannot be stored", Faults: []Fault{{Op: Save, Nth: 2}}, Run: func(d *Driver) {
			ready(d)
			d.Each(func(id engine.ID) { _ = d.M.Engine.Remove(d.life.Wire.ctx, id) })
			d.Sleep(pace)
			ready(d)
		}},
		{Name: "a removal fails", Faults: []Fault{{Op: "remove", Nth: 1}}, Run: func(d *Driver) { ready(d); d.Destroy(); ready(d) }},
	}
}

func destroyDuring(op string) func(*Driver) {
	return func(d *Driver) {
		free, held := d.Hold(op)
		d.Go(func() { d.Boot("c1", pod.ErrBootLost) })
		held()
		d.Go(func() { d.Destroy() })
		d.Sleep(pace)
		free()
		d.Wait()
		ready(d)
	}
}

func terminals() []Scenario {
	return []Scenario{
		{Name: "the marker is removed", Run: func(d *Driver) {
			ready(d)
			d.Unmark()
			d.Attach("c1")
			d.Close("c1")
			d.Unmark()
			d.Attach("c1")
		}},
		{Name: "the container dies between probe and shell", Run: func(d *Driver) {
			d.Boot("c1")
			free, held := d.Hold("exec")
			d.Go(func() { d.Attach("c1", errAny) })
			held()
			d.Kill()
			free()
			d.Wait()
			ready(d)
		}},
		{Name: "a destroy and a boot between probe and shell", Run: func(d *Driver) {
			d.Boot("c1")
			free, held := d.Hold("exec")
			d.Go(func() { d.Attach("c1", errAny) })
			held()
			d.Destroy()
			free()
			d.Wait()
			d.Boot("c2")
			d.Attach("c2")
		}},
		{Name: "no shell", Faults: []Fault{{Op: "exec", Nth: 2}}, Run: func(d *Driver) {
			d.Boot("c1")
			d.Attach("c1", errAny)
			d.Attach("c1")
		}},
		{Name: "a paused container", Run: func(d *Driver) {
			ready(d)
			d.Each(func(id engine.ID) { d.M.Engine.Pause(id) })
			d.Attach("c1", errAny)
			d.Each(func(id engine.ID) { d.M.Engine.Unpause(id) })
			d.Attach("c1")
		}},
	}
}

func restarts() []Scenario {
	return []Scenario{
		{Name: "restart of a ready pod", Run: func(d *Driver) { ready(d); d.Restart(false); ready(d) }},
		{Name: "restart with another recipe", Run: func(d *Driver) { ready(d); d.Restart(true); d.Boot("c1"); d.Attach("c1") }},
		{Name: "restart of an asleep pod", Run: func(d *Driver) { ready(d); d.Destroy(); d.Restart(false); ready(d) }},
		{Name: "restart during the script", Run: func(d *Driver) {
			_, held := d.HoldStep(boot.StepHook)
			d.Go(func() { d.Boot("c1", errAny) })
			held()
			d.Restart(false)
			d.Wait()
			d.Sleep(pace)
			ready(d)
		}},
		{Name: "restart with a paused container", Run: func(d *Driver) {
			ready(d)
			d.Each(func(id engine.ID) { d.M.Engine.Pause(id) })
			d.Restart(false)
			d.Sleep(pace)
			d.Each(func(id engine.ID) { d.M.Engine.Unpause(id) })
			d.Sleep(pace)
			ready(d)
		}},
		{Name: "the container dies while there is no server", Run: func(d *Driver) {
			ready(d)
			if d.over() {
				return
			}
			d.crash()
			for _, id := range d.M.Containers(d.Pod) {
				d.M.Engine.Kill(id)
			}
			d.revive(false)
			ready(d)
		}},
	}
}

// settle is how long a scenario's end is left alone before it is judged.
const settle = 5 * time.Second
