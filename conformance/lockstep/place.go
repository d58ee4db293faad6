package lockstep

import (
	"podlife/model/podlifecycle"
	"podlife/model/podruntime"
)

// Place is where a path has come: a state of the specification, and what the state does not say of the server. It can be compared; the zero Place is the start.
type Place struct {
	State podruntime.State
	// taking says that the server is between a FinishBoot and the EndRun, which it takes under one lock.
	taking bool
	// other has a bit for each incarnation in which a script runs that was begun under an earlier recipe.
	other uint8
	// unvouched says that the server knows that the marker of the ready container is not its own.
	unvouched bool
}

// With is the place with another state of which the same is true, such as the one with its tabs in another order.
func (p Place) With(s podruntime.State) Place {
	p.State = s
	return p
}

// Next is the place after a step; after is the state to which the table's effect leads.
func (p Place) Next(step Step, after podruntime.State) Place {
	before := p.State
	p.State = after
	bit := uint8(1) << step.Inc
	switch step.Action {
	case podruntime.FinishBoot, podruntime.EndRun:
		p.taking = step.Action == podruntime.FinishBoot
		if before.Pod().At(step.Inc).Run == podruntime.RunOK {
			p.unvouched = false
		}
	case podruntime.Repair:
		p.unvouched = true
	case podruntime.RecoverReady:
		pod := after.Pod()
		p.unvouched = pod.At(pod.Inc).Box.Marker == podruntime.MarkerEarlier
	case podruntime.Crash, podruntime.CrashOtherRecipe:
		p.unvouched = false
		if step.Action == podruntime.CrashOtherRecipe {
			for _, i := range after.Pod().Incs {
				if i.Box.Script == podruntime.ScriptOn {
					p.other |= 1 << i.N
				}
			}
		}
	case podruntime.BeginScript, podruntime.TearDown, podruntime.ContainerDies, podruntime.ScriptFails:
		p.other &^= bit
	case podruntime.Destroy, podruntime.IdleSleep, podruntime.ContainerLost, podruntime.BootFailed:
		p.unvouched = false
	}
	return p
}

// AtRest says whether the server can be held here: it is in none of its critical sections.
func (p Place) AtRest(tabs int) bool { return !p.taking && !falling(p.State, tabs) }

// falling says that the pod has just fallen asleep, and not every tab has been told.
func falling(s podruntime.State, tabs int) bool {
	pod := s.Pod()
	for i := range tabs {
		switch c := s.Tab(i); {
		case c.Phase == podlifecycle.Booting && !pod.Current(c.BootInc), c.Phase == podlifecycle.Attached && !pod.Current(c.AttInc):
			return true
		}
	}
	return false
}

// Drivable says whether the server can be brought to take a step that the table enables here, with nothing in between, and if not, why.
func (p Place) Drivable(tabs int, step Step) (Reason, bool) {
	switch taking, falls := p.taking, falling(p.State, tabs); {
	case taking && step.Action != podruntime.FinishBoot && step.Action != podruntime.EndRun,
		falls && step.Action != podruntime.Reconnect && step.Action != podruntime.BootLost:
		return InSection, false
	case taking || falls:
		return "", true
	}
	pod := p.State.Pod()
	inc := pod.At(step.Inc)
	switch step.Action {
	case podruntime.LaunchFails:
		return unless(inc.Run == podruntime.RunCreate, NothingLaunched)
	case podruntime.CreateContainer, podruntime.BeginScript:
		return unless(!pod.Current(step.Inc), Over)
	case podruntime.ScriptSkips, podruntime.ScriptWorks, podruntime.ScriptMarks:
		return unless(p.other&(1<<step.Inc) != 0, OtherScript)
	case podruntime.ContainerLost:
		box := pod.At(pod.Inc).Box.Box
		return unless(box == podruntime.BoxNone || box == podruntime.BoxCreated, NothingToSee)
	case podruntime.AttachReady, podruntime.AttachAgain:
		return unless(p.unvouched, NotVouched)
	case podruntime.Repair:
		return unless(attacher(p.State, tabs) < 0, NobodyAttaches)
	}
	return "", true
}

func unless(not bool, r Reason) (Reason, bool) {
	if not {
		return r, false
	}
	return "", true
}

// attacher is the index of a tab that the server lets attach, one with a terminal if there is one: another of its terminals commits no Probe. -1 is none.
func attacher(s podruntime.State, tabs int) int {
	found := -1
	for i := range tabs {
		c := s.Tab(i)
		if c.Phase != podlifecycle.Believes && c.Phase != podlifecycle.Attached {
			continue
		}
		if c.Term.At != podruntime.AtNone {
			return i
		}
		if found < 0 {
			found = i
		}
	}
	return found
}

// tabIndex is the index of a tab's name, -1 for none.
func tabIndex(client string) int {
	for i := range podruntime.MaxTabs {
		if podlifecycle.ClientName(i) == client {
			return i
		}
	}
	return -1
}
