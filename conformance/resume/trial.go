package resume

import (
	"errors"
	"fmt"
)

// Outcome is what became of a host in a scenario, whatever the host is like.
type Outcome struct {
	Scenario string   `json:"scenario"`
	Broke    []string `json:"broke"`   // the invariants that were broken in truth; never null
	Differs  string   `json:"differs"` // the first difference between host and table, empty for none
	Err      string   `json:"err"`     // why it was not followed to the end, empty where it was
}

// Try takes a host through a scenario, inside a bubble of testing/synctest, and at its end has every page take what has come. A host that ships breaks nothing and differs in nothing.
func Try(name string) Outcome {
	o := Outcome{Scenario: name, Broke: []string{}}
	s, ok := Scenarios()[name]
	if !ok {
		o.Err = "there is no such scenario"
		return o
	}
	r, err := Start(s.Constants, s.Viewers, nil)
	if err != nil {
		o.Err = err.Error()
		return o
	}
	defer r.Close()
	for _, op := range s.path() {
		if err := o.note(r.Do(op)); err != nil {
			o.Err = err.Error()
			break
		}
	}
	if err := r.takeAll(); err != nil && o.Err == "" {
		o.Err = err.Error()
	}
	o.Broke = append(o.Broke, r.Broke()...)
	return o
}

// note takes what is a finding; what it gives is none.
func (o *Outcome) note(err error) error {
	var differs *Difference
	var broken *BrokenError
	switch {
	case errors.As(err, &differs):
		if o.Differs == "" {
			o.Differs = err.Error()
		}
		return nil
	case errors.As(err, &broken): // Broke has it
		return nil
	}
	return err
}

// takeAll has every page take what has come, frame by frame.
func (r *Run) takeAll() error {
	host, _, err := r.world.hostNow()
	if err != nil {
		return fmt.Errorf("at the end: %w", err)
	}
	for i, p := range r.world.pages {
		for len(p.Wire) > 0 {
			if err := r.world.receive(r.shadow.table, i); err != nil {
				return fmt.Errorf("at the end: %w", err)
			}
			r.judge.look(r.world, host, r.shadow)
		}
	}
	return nil
}
