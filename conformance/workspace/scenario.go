package workspace

import (
	"errors"
	"os"

	"podlife/model/workspace"
)

// A Scenario is a path that shows what a server without a guard or rule breaks. A server that ships breaks nothing in it.
type Scenario struct {
	workspace.Constants
	Path string // as [Parse] reads it
	Then string // how it goes on, where the table has its guard
	// Forbidden is an operation that a table without the guard allows next, and no server does; "" for a rule, which a table without it shows on the path.
	Forbidden string
}

// What most paths have.
const (
	made   = "CreateWorkspace(p1) MakeVolume(p1) Made(p1) "
	booted = "Boot(p1) Look(p1) Launch(p1) Start(p1) Provision(p1) Ready(p1) "
	worked = "Attach(p1) Write(p1) "
)

// Scenarios are those of all guards and rules of Workspace, by their names, and one for each server that is wrong in another way.
func Scenarios() map[string]Scenario {
	c := workspace.Constants{Pods: 3, Foreign: []int{2}, MaxInc: 9, MaxCrashes: 3}
	rule := func(path string) Scenario { return Scenario{c, path, "", ""} }
	guard := func(path, forbidden, then string) Scenario { return Scenario{c, path, then, forbidden} }
	same := workspace.Constants{Pods: 3, MaxInc: 9, MaxCrashes: 3}
	return map[string]Scenario{
		"CreateWorkspace.stored":    rule("CreateWorkspace(p1) MakeVolume(p1) Crash Recover"),
		"CreateWorkspace.ownVolume": rule(made + "CreateWorkspace(p2) MakeVolume(p2) Made(p2)"),
		"Adopt.owner":               guard(made+"Delete(p1,true) Gone(p1)", "Adopt(p3,p1)", ""),
		"Adopt.once":                {same, made + "Delete(p1,true) Gone(p1) Adopt(p2,p1)", "", ""},
		"Made.volume":               guard("CreateWorkspace(p1) Refuse(p1)", "Made(p1)", ""),
		"Boot.there":                guard(made+booted+"Delete(p1,false) Crash Recover", "Boot(p1)", ""),
		"Access.workspace":          guard("CreateEphemeral(p1)", "Access(p1)", ""),
		"Read.wakesNothing":         rule(made + "Read(p1)"),
		"Start.ownVolume":           guard(made+booted+worked+"Stop(p1) TearDown(p1) Boot(p1) Look(p1) RemovedByHand(p1) Launch(p1)", "Start(p1)", "LaunchFails(p1)"),
		"Ready.ownDisk":             guard(made+booted+worked+"CopyMarker(p1) Stop(p1) TearDown(p1) Boot(p1) Look(p1) Launch(p1) Start(p1)", "Ready(p1)", "Provision(p1) Ready(p1) Attach(p1)"),
		"Ready.vouched":             guard(made+"Boot(p1) Look(p1) Launch(p1) Start(p1)", "Ready(p1)", "Fail(p1)"),
		"TearDown.keepsVolume":      rule(made + booted + worked + "Stop(p1) TearDown(p1) Access(p1)"),
		"Delete.stored":             rule(made + "Delete(p1,false) RemoveVolume(p1) Crash Recover"),
		"RemoveVolume.notKept":      guard(made+booted+worked+"Delete(p1,true) TearDown(p1)", "RemoveVolume(p1)", "Gone(p1)"),
		"Gone.container":            guard("CreateEphemeral(p1) Boot(p1) Launch(p1) Start(p1) Provision(p1) Ready(p1) Delete(p1,false)", "Gone(p1)", "TearDown(p1) Gone(p1)"),
		"Gone.volume":               guard(made+"Delete(p1,false) Refuse(p1)", "Gone(p1)", "RemoveVolume(p1) Gone(p1)"),
		"Gone.keeps":                rule(made + booted + worked + "Delete(p1,true) TearDown(p1) Gone(p1)"),
		"Recover.keepsVolumes":      rule(made + booted + worked + "Stop(p1) TearDown(p1) Crash Recover"),
		// A delete that a crash has cut in two goes on when it is known which containers there are.
		"Recover.deleteWaits": rule(made + booted + "Delete(p1,true) Crash Recover TearDown(p1) Gone(p1)"),
		// The volume of a home has one name, which is stored.
		"HomeVolume.derivedTwice": rule(made + booted + worked + "Delete(p1,true) TearDown(p1) Gone(p1) Adopt(p2,p1) Access(p2) Look(p2) Launch(p2) Start(p2)"),
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
	ops, err := Parse(s.Path + " " + s.Then)
	fail(err)
	dir, err := os.MkdirTemp("", "podlife-workspace-")
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
