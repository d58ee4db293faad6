package faults

import (
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	"podlife/runtime/engine"
)

// ErrInjected is the cause of every failure that a Tape makes.
var ErrInjected = errors.New("injected")

// Save is the store's call, beside the engine's: create, start, exec, inspect, list, remove. Any is every call of the engine.
const (
	Save = "save"
	Any  = "any"
)

// A Fault makes one call, or all from one on, go wrong.
type Fault struct {
	Op     string      // an operation of the engine, or Save
	Nth    int         // which call of it, 1 is the first
	Kind   engine.Kind // how the engine's failure is classed; the store knows no kinds
	Lost   bool        // the call takes effect and its answer is lost, instead of not being made
	Always bool        // every later call too, until Repair
}

func (f Fault) String() string {
	s := fmt.Sprintf("%s %d", f.Op, f.Nth)
	if f.Always {
		s += " and later"
	}
	if f.Lost {
		s += ", answer lost"
	}
	if f.Kind != "" {
		s += ": " + string(f.Kind)
	}
	return s
}

// A Moment is one that can be found again: the n-th of its name in a run, such as the second "before save". The zero Moment is none.
type Moment struct {
	Name string
	Nth  int
}

func (m Moment) String() string {
	if m.Name == "" {
		return "its end"
	}
	return fmt.Sprintf("%s %d", m.Name, m.Nth)
}

// Tape counts the moments of a run over all lives of its server, and says what happens at which.
type Tape struct {
	CutAt  Moment        // where the server dies
	Faults []Fault       // what goes wrong before that
	Slow   time.Duration // every call of the engine takes this much longer, until Repair
	// Draw gives what goes wrong with the next call of an operation, besides Faults; nil is nothing. It is called from many goroutines.
	Draw func(op string) *Fault

	mu       sync.Mutex // guards the following
	moments  map[string]int
	calls    map[string]int
	repaired bool
	cut      bool
	met      int // faults that have happened
}

// moment passes one, and says whether the server dies at it.
func (t *Tape) moment(name string) (cut bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.moments == nil {
		t.moments = map[string]int{}
	}
	t.moments[name]++
	if t.CutAt != (Moment{name, t.moments[name]}) {
		return false
	}
	t.cut = true
	return true
}

// Cut says whether the server has died where it was to.
func (t *Tape) Cut() bool { t.mu.Lock(); defer t.mu.Unlock(); return t.cut }

// Moments counts them by their name.
func (t *Tape) Moments() map[string]int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return maps.Clone(t.moments)
}

// Met is how often a fault has happened.
func (t *Tape) Met() int { t.mu.Lock(); defer t.mu.Unlock(); return t.met }

// Repair ends all faults.
func (t *Tape) Repair() { t.mu.Lock(); defer t.mu.Unlock(); t.repaired = true }

// slow is how much longer a call takes.
func (t *Tape) slow() time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.repaired {
		return 0
	}
	return t.Slow
}

// fault counts a call, and gives what goes wrong with it.
func (t *Tape) fault(op string) *Fault {
	if t.Draw != nil {
		if f := t.Draw(op); f != nil {
			return f
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.calls == nil {
		t.calls = map[string]int{}
	}
	t.calls[op]++
	if op != Save {
		t.calls[Any]++
	}
	for i, f := range t.Faults {
		n := t.calls[f.Op]
		if (f.Op == op || f.Op == Any && op != Save) && (f.Nth == n || f.Always && f.Nth <= n) && !t.repaired {
			t.met++
			return &t.Faults[i]
		}
	}
	return nil
}

// err is the fault's error, of the kind that its call has.
func (f *Fault) err(subject string) error {
	if f.Op == Save {
		return fmt.Errorf("store save: no space left on device: %w", ErrInjected)
	}
	kind := f.Kind
	if kind == "" {
		kind = engine.Failed
	}
	return &engine.Error{Op: f.Op, Subject: subject, Kind: kind, Err: ErrInjected}
}
