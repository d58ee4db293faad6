package workspace

import (
	"fmt"

	"podlife/model"
	"podlife/model/workspace"
)

// Place is where the table is, and what else has to be known to say what the server can be brought to do there.
type Place struct {
	workspace.State
	Looked [workspace.MostPods]bool // the launch that is asked for has seen that its home is there
	Awake  [workspace.MostPods]bool // the store has it as awake: PodRuntime's record, which the table does not have
}

// design is the table and its constants.
type design struct {
	c     workspace.Constants
	table model.Table[workspace.Local]
}

func newDesign(c workspace.Constants) design { return design{c, workspace.Table(c)} }

// local is what an operation is in the table.
func (o Op) local(s workspace.State) workspace.Local {
	l := workspace.Local{State: s, P: max(o.P, 0), V: max(o.V, 0), Keep: o.Keep}
	if string(o.Kind) == workspace.RemovedByHand {
		l.P, l.V = 0, o.P
	}
	return l
}

func (d design) enabled(s workspace.State, o Op, action string) bool {
	a, err := d.table.Action(action)
	return err == nil && a.Enabled(o.local(s))
}

// Step is an action that was taken, from one state to another.
type Step struct {
	Action        string
	Op            Op
	Before, After workspace.State
}

// do takes an operation in the table, and says which actions that was.
func (d design) do(at Place, o Op) (Place, []Step, error) {
	var steps []Step
	take := func(action string, o Op) error {
		after, err := d.table.Take(action, o.local(at.State))
		if err != nil {
			return fmt.Errorf("the table refuses it: %w", err)
		}
		steps = append(steps, Step{action, o, at.State, after.State})
		at.State = after.State
		return nil
	}
	for _, action := range o.actions() {
		if err := take(action, o); err != nil {
			return at, steps, err
		}
	}
	switch string(o.Kind) {
	case string(Look):
		at.Looked[o.P] = true
	case workspace.Boot, workspace.Access:
		at.Awake[o.P], at.Looked[o.P] = true, false
	case workspace.Stop, workspace.Delete, workspace.LaunchFails, string(Fail), string(Die), string(DeleteLands):
		at.Awake[o.P] = false
		if pod := at.Pods[o.P]; pod.Flight == workspace.Asked && pod.Box.Up { // a launch that waits for what is left is given up at once
			if err := take(workspace.LaunchFails, o); err != nil {
				return at, steps, err
			}
		}
	case workspace.Recover:
		for p := range d.c.Pods {
			// A stop that was stored, and a container of an earlier start, are PodRuntime's: what the table takes for ready there, the server stops at once.
			box := at.Pods[p].Box
			adopted := at.Awake[p] && box.Inc == at.Pods[p].Rec.Inc
			if at.Pods[p].State == workspace.IsReady && !adopted {
				if err := take(workspace.Stop, Op{Kind: Kind(workspace.Stop), P: p, V: none}); err != nil {
					return at, steps, err
				}
			}
			at.Awake[p] = at.Pods[p].State == workspace.IsReady
		}
	}
	for p := range d.c.Pods { // what does not matter any more
		pod := at.Pods[p]
		at.Looked[p] = at.Looked[p] && pod.Flight == workspace.Asked
		at.Awake[p] = at.Awake[p] && (pod.Flight != workspace.NoFlight || pod.Box.Up)
	}
	return at, steps, nil
}

// actions are those that an operation is.
func (o Op) actions() []string {
	switch o.Kind {
	case Look, Refuse:
		return nil
	case Fail, Die:
		return []string{workspace.Stop}
	case DeleteLands:
		return []string{workspace.MakeVolume, workspace.Delete}
	}
	return []string{string(o.Kind)}
}

// possible gives what the server can be brought to do. All that the table allows is among it, but for what [design.outOfReach] names.
func (d design) possible(at Place) []Op {
	var all []Op
	add := func(o Op) {
		for _, action := range o.actions()[:min(1, len(o.actions()))] {
			if !d.enabled(at.State, o, action) || d.outOfReach(at, o) != "" {
				return
			}
		}
		all = append(all, o)
	}
	for p := range d.c.Pods {
		for _, a := range d.table.Actions {
			o := Op{Kind: Kind(a.Name), P: p, V: none}
			switch {
			case len(a.Params) == 0:
			case a.Name == workspace.Adopt:
				for v := range d.c.Pods {
					o.V = v
					add(o)
				}
			case a.Name == workspace.Delete:
				add(o)
				o.Keep = true
				add(o)
			default:
				add(o)
			}
		}
		pod := at.Pods[p]
		home := d.home(at.State, p)
		asked := !at.Down && pod.Flight == workspace.Asked && !pod.Box.Up
		if asked && pod.Rec.HasHome() && !at.Looked[p] && home.Ours {
			add(Op{Kind: Look, P: p, V: none})
		}
		going := pod.Life == workspace.Going && pod.Flight == workspace.NoFlight && pod.Rec.HasHome() && !pod.Rec.Keep && home.There
		left := d.enabled(at.State, Op{P: p}, workspace.TearDown)
		if left || going && !pod.Box.Up || pod.Life == workspace.Making {
			add(Op{Kind: Refuse, P: p, V: none})
		}
		if runs := pod.Box.Up && pod.Box.Inc == pod.Rec.Inc && pod.Flight == workspace.NoFlight; runs {
			add(Op{Kind: Die, P: p, V: none})
			if pod.State == workspace.Starting && !pod.Box.Setup {
				add(Op{Kind: Fail, P: p, V: none})
			}
		}
		if pod.Life == workspace.Making {
			add(Op{Kind: DeleteLands, P: p, V: none})
		}
	}
	add(Op{Kind: Kind(workspace.Crash), P: none, V: none})
	add(Op{Kind: Kind(workspace.Recover), P: none, V: none})
	return all
}

// home is the volume of a pod's home; of a pod without one, none.
func (d design) home(s workspace.State, p int) workspace.Volume {
	if !s.Pods[p].Rec.HasHome() {
		return workspace.Volume{}
	}
	return s.Pods[s.Pods[p].Rec.Volume()].Vol
}

// Why the server cannot be brought to take what the table allows.
const (
	launchLooks = "a launch looks for its home first, and makes no container without it"
	launchWaits = "a launch waits for the container that is left, and nothing of it can fail"
	scriptOver  = "the boot script has come to its end"
	deleteWaits = "a delete waits for the launch before it removes the volume"
)

// outOfReach says why the server cannot be brought to take what the table allows; "" where it can.
func (d design) outOfReach(at Place, o Op) string {
	if o.P == none {
		return ""
	}
	pod := at.Pods[o.P]
	home := d.home(at.State, o.P)
	switch string(o.Kind) {
	case workspace.Launch:
		if pod.Rec.HasHome() && !at.Looked[o.P] && !(home.There && home.Ours) {
			return launchLooks
		}
	case workspace.LaunchFails:
		if pod.Flight == workspace.Asked && pod.Box.Up {
			return launchWaits
		}
	case workspace.Provision:
		if pod.Box.Setup {
			return scriptOver
		}
	case workspace.RemoveVolume:
		if pod.Flight != workspace.NoFlight {
			return deleteWaits
		}
	}
	return ""
}
