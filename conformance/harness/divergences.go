package harness

import (
	"errors"
	"fmt"
	"sync"

	"podlife/model/explain"
	"podlife/runtime/monitor"
	"podlife/runtime/pod"
)

// monitorQueue has room for what a busy test does before the monitor gets its turn.
const monitorQueue = 1 << 15

// divergences are what a monitor found.
type divergences struct {
	mu  sync.Mutex // guards the following
	all []error
}

func (d *divergences) add(id pod.ID, a explain.Answer) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.all = append(d.all, &monitor.DivergedError{Pod: id, Answer: a})
}

// err is nil where every step was looked at, and is one of the specification.
func (d *divergences) err(m *monitor.Monitor) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, _, missed := m.Counts(); missed > 0 {
		return errors.Join(append(d.all, fmt.Errorf("the monitor missed %d steps", missed))...)
	}
	return errors.Join(d.all...)
}
