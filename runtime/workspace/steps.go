package workspace

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"podlife/model"
	"podlife/model/workspace"
	"podlife/runtime/pod"
)

// Each step is taken in a state of the table that has this one pod, as number self, with its volume, and, for an adoption, the kept volume, as number foreign where it is somebody else's.
const (
	self      = 0
	other     = 1
	foreign   = 2
	unbounded = math.MaxInt
)

// local is the pod as the table has it. What its compute does is PodRuntime's: here it is asleep or not.
func (e *entry) local(status pod.Status) workspace.Local {
	var l workspace.Local
	p := &l.Pods[self]
	p.Life, p.Rec = e.rec.Life, workspace.Record{Life: e.rec.Life, Keep: e.rec.Keep, Inc: status.Incarnation}
	if e.rec.Home != "" {
		p.Rec.Home = self + 1
	}
	p.Vol = e.vol
	if awake(status) {
		p.State = workspace.IsReady
		p.Box = workspace.Box{Up: true, Inc: status.Incarnation, Home: p.Rec.Home}
	}
	l.P, l.V, l.Keep = self, self, e.rec.Keep
	return l
}

// takes says whether the table has this step; a refusal is an error of the guards that say no.
func (c *Catalogue) takes(action string, l workspace.Local) (workspace.Local, error) {
	after, err := c.table.Take(action, l)
	if err != nil {
		return l, fmt.Errorf("workspace: %w", err)
	}
	return after, nil
}

// refusedBy says whether it is this guard that has refused a step.
func refusedBy(err error, guard string) bool {
	var refused *model.NotEnabledError
	return errors.As(err, &refused) && slices.Contains(refused.FalseGuards, guard)
}
