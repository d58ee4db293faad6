package workspace

import (
	"slices"

	"podlife/model"
	"podlife/model/workspace"
)

// history is what was done, as far as no look shows it.
type history struct {
	crashes int
	inc     [workspace.MostPods]int
	last    [workspace.MostPods]workspace.Record // of each pod, the last that the store had
	woken   [workspace.MostPods]workspace.Woken
	doomed  [workspace.MostPods]bool // of volumes
	byHand  [workspace.MostPods]bool
	written [workspace.MostPods]bool
}

// judge puts what is there in truth through the invariants of the table that ships, without a look at what the table would have done.
type judge struct {
	pods       int
	invariants []model.Invariant[workspace.Local]
	h          history
	broke      []string
}

func newJudge(c workspace.Constants) judge {
	c.Off = nil
	return judge{pods: c.Pods, invariants: workspace.Table(c).Invariants}
}

// done notes an operation, once it was done; before is what was there.
func (j *judge) done(w *world, o Op, before workspace.State) {
	switch string(o.Kind) {
	case workspace.Delete, string(DeleteLands):
		if home := w.madeFor(w.pods[o.P].home); home != none && !o.Keep {
			j.h.doomed[home] = true
		}
	case workspace.RemovedByHand:
		j.h.byHand[o.P] = true
	case workspace.Write:
		if home := before.Pods[o.P].Box.Home; home != 0 {
			j.h.written[home-1] = true
		}
	case workspace.Crash:
		j.h.crashes++
	}
}

// look looks, and notes what is broken. why says of each pod by what it was started, if it was.
func (j *judge) look(w *world, why func(p int) workspace.Woken) (seen, error) {
	before := j.h.inc
	out, err := w.look(j.pods, &j.h)
	if err != nil {
		return out, err
	}
	for p := range j.pods {
		if j.h.inc[p] > before[p] {
			j.h.woken[p] = why(p)
			out.s.Pods[p].Woken = j.h.woken[p]
		}
	}
	for _, inv := range j.invariants {
		if inv.Name != workspace.TypeOK && !inv.Holds(workspace.Local{State: out.s}) {
			j.note(inv.Name)
		}
	}
	if out.strays {
		j.note(workspace.NoVolumeForgotten)
	}
	return out, nil
}

func (j *judge) note(name string) {
	if !slices.Contains(j.broke, name) {
		j.broke = append(j.broke, name)
	}
}
