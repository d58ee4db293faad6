package lockstep

import (
	"podlife/model/podlifecycle"
	"podlife/model/podruntime"
)

// What the server does without a stop is one group only where the path has it so. Where it has not, the waiting is done by the path in the server's place: see waits and stays.

// follows says whether the path's next step comes with the last of a group by itself.
func (r *runner) follows(g *group) bool {
	next := g.last() + 1
	if next >= len(r.path) {
		return false
	}
	last, step, place := r.path[g.last()], r.path[next], g.after()
	p := place.State.Pod()
	enabled := func() bool {
		_, err := r.effect(place.State, step)
		_, drivable := place.Drivable(r.tabs, step)
		return err == nil && drivable
	}
	switch last.Action {
	case podruntime.TearDown:
		return step.Action == podruntime.CreateContainer && r.eager[step.Inc] && enabled() || step.Action == podruntime.DestroyAnswered && r.waiting() && enabled()
	case podruntime.DialFails:
		return len(g.steps) == 1 && enabled() && (step.Action == podruntime.Repair && r.unmarked(g, last.Client) || step.Action == podruntime.ContainerLost && r.findsOut(g, last.Client))
	case podruntime.EndRun:
		return step.Action == podruntime.Probe && r.repaired[step.Client] != nil && enabled()
	case podruntime.ContainerLost, podruntime.BootLost, podruntime.Reconnect:
		return g.first().Action == podruntime.DialFails && step == Step{podruntime.AttachGuarded, g.first().Client, 0}
	case podruntime.AttachMoved:
		return len(g.steps) == 1 && step.Action == podruntime.Probe && step.Client == last.Client && enabled()
	case podruntime.AttachGuarded:
		return len(g.steps) == 1 && step.Action == podruntime.StartBoot && step.Client == last.Client && p.Ctr != podruntime.Ready && enabled()
	}
	return false
}

// unmarked says that a dial fails since the marker does not vouch, in the container of now.
func (r *runner) unmarked(g *group, client string) bool {
	s := g.before.State
	t, p := s.Tab(tabIndex(client)).Term, s.Pod()
	box := p.At(t.Inc).Box
	return p.Ctr == podruntime.Ready && t.Inc == p.Inc && box.Box == podruntime.BoxRunning && box.Marker != podruntime.MarkerOwn
}

// findsOut says that a dial fails since the container has died, of which the server makes the loss at once, and the refusal of the attach; and that the path has both.
func (r *runner) findsOut(g *group, client string) bool {
	s := g.before.State
	t, p := s.Tab(tabIndex(client)).Term, s.Pod()
	if !p.Current(t.Inc) || p.At(t.Inc).Box.Box != podruntime.BoxDead {
		return false
	}
	for _, step := range r.path[g.last()+2:] {
		switch step.Action {
		case podruntime.BootLost, podruntime.Reconnect:
		default:
			return step == Step{podruntime.AttachGuarded, client, 0}
		}
	}
	return false
}

// comesBack says whether an attach that has begun a repair can be left to wait for its end: the path has the run of incarnation n answered, and the tab look again at once.
func (r *runner) comesBack(g *group, client string, n int) (may bool) {
	ended := false
	r.forward(g, func(came Step, s podruntime.State, next Step) bool {
		ended = ended || came == Step{podruntime.EndRun, "", n}
		switch {
		case ended:
			_, err := r.effect(s, next)
			may = err == nil && next.Action == podruntime.Probe && next.Client == client
			return true
		}
		return !s.Pod().Current(n) || came == Step{podruntime.DropReply, "", n}
	})
	return may
}

// waiting says whether a call of destroy waits for the removal.
func (r *runner) waiting() bool {
	for _, d := range r.destroys {
		if !d.given && !d.over {
			return true
		}
	}
	return false
}

// forward walks the rest of the path from behind a group, and stops where found says so, or at a crash. came is the step that led to a state, and next the one that the path has there: the zero Step
// at its end.
func (r *runner) forward(g *group, found func(came Step, s podruntime.State, next Step) (stop bool)) {
	s, came := g.after().State, r.path[g.last()]
	for _, next := range r.path[g.last()+1:] {
		if found(came, s, next) || next.Action == podruntime.Crash || next.Action == podruntime.CrashOtherRecipe {
			return
		}
		after, err := r.effect(s, next)
		if err != nil {
			return
		}
		s, came = after, next
	}
	found(came, s, Step{})
}

// waits says whether a run that has just begun can be left to wait in the server for the removal of other containers: where that is over, the path has it make its own at once, or its incarnation is
// over.
func (r *runner) waits(g *group, n int) (may bool) {
	create := Step{podruntime.CreateContainer, "", n}
	if _, err := r.effect(g.after().State, create); err == nil {
		return false
	}
	may = true
	r.forward(g, func(_ Step, s podruntime.State, step Step) bool {
		p := s.Pod()
		if !p.Current(n) {
			return true
		}
		if _, err := r.effect(s, create); err == nil {
			may = step == create
			return true
		}
		return false
	})
	return may
}

// stays says whether a call of destroy can be left to wait for its answer: the path has it answered as soon as it can be.
func (r *runner) stays(g *group) (may bool) {
	last := g.after().State.Pod().Inc
	may = true
	r.forward(g, func(came Step, s podruntime.State, step Step) bool {
		p := s.Pod()
		if !removedUpTo(p, last) || !wakes(came) {
			return false
		}
		may = p.Ctr != podruntime.Asleep || p.Settled == p.Inc || step.Action == podruntime.DestroyAnswered
		return true
	})
	return may
}

// removedUpTo says whether a call of destroy that is about the incarnations up to last is answered.
func removedUpTo(p podruntime.Pod, last int) bool {
	for _, i := range p.Incs {
		if (i.N <= last || !p.Awake()) && i.Tear != podruntime.TearNone {
			return false
		}
	}
	return true
}

// wakes says whether the server looks, after a step, whether what its calls wait for has come.
func wakes(s Step) bool {
	switch s.Action {
	case podruntime.TearDown, podruntime.Destroy, podruntime.IdleSleep, podruntime.ContainerLost, podruntime.BootFailed:
		return true
	}
	return false
}

// booted says whether a tab's phase is one in which the server lets it attach.
func booted(c podruntime.Client) bool {
	return c.Phase == podlifecycle.Believes || c.Phase == podlifecycle.Attached
}
