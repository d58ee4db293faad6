package idlerule

import (
	"errors"
	"os"

	"podlife/model/idlerule"
)

// A Scenario is a path that shows what a server without a guard or rule breaks. A server that ships breaks nothing in it.
type Scenario struct {
	idlerule.Constants
	Path string // as [Parse] reads it
}

// Scenarios are those of all guards and rules of IdleRule, by their names.
func Scenarios() map[string]Scenario {
	c := idlerule.Constants{MaxTime: 60, Idle: 2, MaxLease: 4, MaxHolds: 3, MaxCrashes: 3}
	path := func(path string) Scenario { return Scenario{c, path} }
	return map[string]Scenario{
		"Wake.clock":          path("Tick Tick Tick Wake"),
		"Touch.clock":         path("Wake Tick Tick Touch Tick Tick Sweep"),
		"Release.clock":       path("Wake HoldTerminal Extend(1) Tick Tick Tick Release(0) Tick Tick Sweep WakeSlowly Tick Tick Tick Release(0) Tick"),
		"Extend.forward":      path("Wake Extend(4) Extend(1) Tick Tick"),
		"Extend.stored":       path("Wake Extend(4) Crash Recover"),
		"Extend.wakesNothing": path("Extend(2) Tick Wake Destroy Extend(1)"),
		"Sweep.idle":          path("Wake Tick Tick Sweep"),
		"Sweep.lease":         path("Wake Extend(4) Tick Tick Tick Tick Sweep"),
		"Sweep.noHold":        path("Wake HoldTerminal Tick Tick Tick Release(0) Tick Tick Sweep"),
		"Sleep.keepsLease":    path("Wake Extend(4) Destroy Wake Tick Lose Wake Tick Tick Tick Sweep"),
		"Recover.lease":       path("Wake Extend(4) Tick Tick Crash Tick Recover Tick Tick Sweep"),
		"Recover.clock":       path("Wake HoldTerminal Tick Tick Tick Crash Tick Recover Tick Tick Sweep"),
	}
}

// Outcome is what became of a server in a scenario, whatever the server is like.
type Outcome struct {
	Scenario string   `json:"scenario"`
	Broke    []string `json:"broke"`   // the invariants that were broken in truth; never null
	Differs  string   `json:"differs"` // the first difference between server and table, empty for none
	Err      string   `json:"err"`     // why it was not followed to the end, empty where it was
}

// Try takes a server through a scenario, inside a bubble of testing/synctest. A server that ships breaks nothing and differs in nothing.
func Try(name string) (o Outcome) {
	o = Outcome{Scenario: name, Broke: []string{}}
	fail := func(err error) {
		if err != nil && o.Err == "" {
			o.Err = err.Error()
		}
	}
	s, ok := Scenarios()[name]
	if !ok {
		o.Err = "there is no such scenario"
		return o
	}
	ops, err := Parse(s.Path)
	fail(err)
	dir, err := os.MkdirTemp("", "podlife-idle-")
	fail(err)
	defer func() { fail(os.RemoveAll(dir)) }()
	r, err := Start(s.Constants, dir, nil)
	if fail(err); err != nil {
		return o
	}
	defer func() { fail(r.Close()) }()
	for _, op := range ops {
		err := r.Do(op)
		var differs *Difference
		var broken *BrokenError
		switch {
		case errors.As(err, &differs):
			if o.Differs == "" {
				o.Differs = err.Error()
			}
			continue
		case errors.As(err, &broken): // Broke has it
			continue
		}
		if fail(err); err != nil {
			break
		}
	}
	o.Broke = append(o.Broke, r.Broke()...)
	return o
}
