package pod

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// TooManyRunningError is the refusal of a boot that would start one more pod of a user than may run at one time. Nothing has changed.
type TooManyRunningError struct {
	Most    int      // how many of one user may run at one time; at least 1
	Running []string // the names of those that run, in order: stopping one of them makes room
}

// Error names the limit, and what could be stopped.
func (e *TooManyRunningError) Error() string {
	return fmt.Sprintf("%d is the most pods that one user may have running at one time, and these run: %s; stop one of them first", e.Most, strings.Join(e.Running, ", "))
}

// belonging is whose a pod is, and what they call it.
type belonging struct{ owner, name string }

// running is which pods of a server are awake, and whose. What it counts is about several pods, so it has a lock of its own, which is taken last: under that of a pod, and nothing else is taken under it.
type running struct {
	mu    sync.Mutex // guards the following
	awake map[ID]belonging
}

// take counts a pod as awake that is about to wake, unless its owner has as many awake as may be; 0 most is no bound. *TooManyRunningError.
func (r *running) take(id ID, of belonging, most int) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	var others []string
	for other, b := range r.awake {
		if other != id && b.owner == of.owner {
			others = append(others, b.name)
		}
	}
	if most > 0 && len(others) >= most {
		slices.Sort(others)
		return &TooManyRunningError{Most: most, Running: others}
	}
	r.awake[id] = of
	return nil
}

// set counts a pod as awake, or not.
func (r *running) set(id ID, of belonging, awake bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if awake {
		r.awake[id] = of
		return
	}
	delete(r.awake, id)
}
