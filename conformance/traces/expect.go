package traces

import (
	"fmt"

	"podlife/model"
	"podlife/model/podlifecycle"
	"podlife/runtime/pod"
)

// Answer is how an operation that somebody waits for has to end.
type Answer int

// The values of Answer.
const (
	Nothing  Answer = iota // nobody waits for anything
	Pending                // it does not end now: a boot waits for the gate
	Booted                 // the boot is answered: ready, in the incarnation of Step.After
	Shell                  // the terminal shows a shell of the incarnation of Step.After
	Refused                // the terminal is told the state and closed with 4409
	Asleep                 // the destroy is answered: asleep
	Conflict               // not an operation that can be carried out here
)

// Step is one operation with all that has to come of it.
type Step struct {
	Op     Op
	Groups [][]Commit // the actions that the server commits: one group after the other, inside a group in any order
	Tried  *Commit    // the action that the table does not enable here and that the operation asks for nevertheless; nil if it asks for none
	Answer Answer
	After  Model
}

// Commits counts the actions.
func (s Step) Commits() int {
	n := 0
	for _, g := range s.Groups {
		n += len(g)
	}
	return n
}

// expecting builds a Step.
type expecting struct {
	table model.Table[podlifecycle.Local]
	Step
}

// Expect says what an operation does in a state; false where it cannot be carried out there. What the actions do is asked of the table and of nothing else.
func Expect(t model.Table[podlifecycle.Local], m Model, o Op) (Step, bool) {
	e := &expecting{table: t, Step: Step{Op: o, After: m.clone()}}
	switch o.Kind {
	case Boot:
		e.boot(o.Tab, "boot")
		if e.Answer == Nothing {
			e.Answer = Pending
		}
	case Attach:
		e.attach(o.Tab)
	case Connect:
		e.connect(o.Tab)
	case Drop:
		e.drop(o.Tab)
	case Gate:
		e.gate()
	case Destroy:
		e.sleep(pod.CauseDestroy)
		e.Answer = Asleep
	case Kill, Remove:
		if e.After.Pod.Ctr == podlifecycle.Asleep {
			return Step{}, false
		}
		e.sleep(pod.CauseLost)
	case Idle:
		e.idle()
	case Wipe:
		if e.After.Pod.Ctr != podlifecycle.Ready || e.After.Wiped {
			return Step{}, false
		}
		e.After.Wiped = true
	}
	return e.Step, e.Answer != Conflict
}

func (e *expecting) tab(i int) *Tab { return &e.After.Tabs[i] }

func (e *expecting) enabled(action string, tab int) bool {
	a, err := e.table.Action(action)
	if err != nil {
		panic(err) // a name that the table does not have is a mistake in this file
	}
	return a.Enabled(e.After.local(tab))
}

// commit expects one action in a group of its own. That the table enables it is known from before.
func (e *expecting) commit(action string, tab int, cause string) {
	e.commitAll([]Commit{{action, tab, cause}})
}

func (e *expecting) commitAll(group []Commit) {
	if len(group) == 0 {
		return
	}
	for _, c := range group {
		if err := e.After.take(e.table, c); err != nil {
			panic(fmt.Sprintf("expected %s in %s: %v", c, e.After, err)) // likewise
		}
	}
	e.Groups = append(e.Groups, group)
}

func (e *expecting) try(action string, tab int) { e.Tried = &Commit{Action: action, Tab: tab} }

// boot is a tab's boot, by HTTP or on its socket. Afterwards the tab is booting, or it believes and rightly so.
func (e *expecting) boot(tab int, refusedBy string) {
	if e.tab(tab).Phase == podlifecycle.Believes && e.After.Pod.Ctr != podlifecycle.Ready {
		// It boots without having been refused before: the server takes the refusal first.
		e.commit(podlifecycle.AttachGuarded, tab, refusedBy)
	}
	if !e.enabled(podlifecycle.StartBoot, tab) {
		e.try(podlifecycle.StartBoot, tab)
		if e.tab(tab).Phase != podlifecycle.Booting {
			e.Answer = Booted
		}
		return
	}
	ready := e.After.Pod.Ctr == podlifecycle.Ready
	e.commit(podlifecycle.StartBoot, tab, "boot")
	if ready {
		// The gate of this incarnation is open, so the script ends at once, whether it has something to do or not.
		e.commit(podlifecycle.FinishBoot, tab, "boot_done")
		e.After.Wiped = false
		e.Answer = Booted
	}
}

// attach connects a terminal that is refused where it has to be.
func (e *expecting) attach(tab int) {
	t := e.tab(tab)
	if t.Socket == OnBoot {
		e.Answer = Conflict // the page has one terminal, and this one is on its way
		return
	}
	e.Answer = Refused
	switch {
	case t.Phase == podlifecycle.Attached:
		e.shell(tab) // once more into the same incarnation: nothing happens in the specification
	case e.enabled(podlifecycle.AttachReady, tab):
		e.commit(podlifecycle.AttachReady, tab, "attach")
		e.shell(tab)
	case e.enabled(podlifecycle.AttachGuarded, tab):
		e.commit(podlifecycle.AttachGuarded, tab, "attach")
		t.Socket = NoSocket
	default:
		e.try(podlifecycle.AttachReady, tab)
		t.Socket = NoSocket
	}
}

// shell gives the tab a shell. The guard of a wiped container sends it through the script first.
func (e *expecting) shell(tab int) {
	e.After.Wiped = false
	e.tab(tab).Socket = OnShell
	e.Answer = Shell
}

// connect connects a terminal as the page does, or says "boot" on the one that was told that the pod sleeps.
func (e *expecting) connect(tab int) {
	t := e.tab(tab)
	refusedBy := "attach"
	switch t.Socket {
	case OnShell, OnBoot:
		e.Answer = Conflict
		return
	case OnWord:
		refusedBy = "boot" // it asks for a boot at once
	}
	if t.Phase == podlifecycle.Attached {
		e.shell(tab)
		return
	}
	if !e.enabled(podlifecycle.AttachReady, tab) {
		e.boot(tab, refusedBy)
		if e.Answer == Nothing {
			t.Socket, e.Answer = OnBoot, Pending
			return
		}
	}
	e.commit(podlifecycle.AttachReady, tab, "attach")
	e.Tried = nil
	e.shell(tab)
}

func (e *expecting) drop(tab int) {
	if e.tab(tab).Socket != OnShell {
		e.Answer = Conflict
		return
	}
	e.tab(tab).Socket = NoSocket
}

// gate lets the one run of the script finish: every booting tab has booted, and the terminals on their way attach.
func (e *expecting) gate() {
	var finish, attach []Commit
	for i := range e.After.Tabs {
		if e.enabled(podlifecycle.FinishBoot, i) {
			finish = append(finish, Commit{podlifecycle.FinishBoot, i, "boot_done"})
			if e.tab(i).Socket == OnBoot {
				attach = append(attach, Commit{podlifecycle.AttachReady, i, "attach"})
			}
		}
	}
	if finish == nil {
		e.Answer = Conflict
		return
	}
	e.commitAll(finish)
	e.commitAll(attach)
	for _, c := range attach {
		e.tab(c.Tab).Socket = OnShell
	}
}

// sleep ends the incarnation, if there is one: attached tabs lose their terminals, booting ones their boot.
func (e *expecting) sleep(cause string) {
	if !e.enabled(podlifecycle.Sleep, NoTab) {
		e.try(podlifecycle.Sleep, NoTab)
		return
	}
	e.commit(podlifecycle.Sleep, NoTab, cause)
	var lost []Commit
	for i := range e.After.Tabs {
		for _, action := range []string{podlifecycle.Reconnect, podlifecycle.BootLost} {
			if e.enabled(action, i) {
				lost = append(lost, Commit{action, i, cause})
			}
		}
		if s := &e.tab(i).Socket; *s != NoSocket {
			*s = OnWord
		}
	}
	e.commitAll(lost)
	e.After.Wiped = false
}

// idle lets the idle timeout pass: whatever is held awake stays awake.
func (e *expecting) idle() {
	held := e.After.terminals() > 0
	for _, t := range e.After.Tabs {
		held = held || t.Phase == podlifecycle.Booting
	}
	if !held {
		e.sleep(pod.CauseIdle)
	}
}
