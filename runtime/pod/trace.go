package pod

import (
	"time"
)

// Event is what the outside sees of a committed step: an action of PodLifecycle. Seq is given under the actor's lock at the moment of commit, so the order of Seq within a pod is the order of effects.
type Event struct {
	Seq         int64     `json:"seq"` // 1 is the first since the server started; without gaps within a pod
	Time        time.Time `json:"time"`
	Pod         ID        `json:"pod"`
	Action      string    `json:"action"`         // the specification's name
	Args        []string  `json:"args,omitempty"` // the client, for a client's action
	Incarnation int       `json:"incarnation"`    // after the action
	Cause       string    `json:"cause"`          // why the server took it: a word, stable enough to count by
}

// Step is one committed action of PodRuntime, which the server runs by. Seq counts steps as that of Event counts events.
type Step struct {
	Seq         int64     `json:"seq"`
	Time        time.Time `json:"time"`
	Pod         ID        `json:"pod"`
	Action      string    `json:"action"`            // the specification's name
	Client      ClientID  `json:"client,omitempty"`  // its parameter c
	Inc         int       `json:"n,omitempty"`       // its parameter n
	Outside     string    `json:"outside,omitempty"` // the action of PodLifecycle that the outside sees; empty when it sees nothing
	Incarnation int       `json:"incarnation"`       // the pod's, after the action
	Cause       string    `json:"cause"`             // "observed" where the world has done it, and the server has found out
}

// ringSize is how many of the newest events, and steps, a pod keeps in memory.
const ringSize = 1000

// ring keeps the newest of what is numbered.
type ring[T any] struct {
	kept []T // oldest first, at most ringSize, numbered without gaps up to seq
	seq  int64
}

// number gives the next number; the element that carries it must be added at once.
func (r *ring[T]) number() int64 {
	r.seq++
	return r.seq
}

func (r *ring[T]) add(e T) {
	if len(r.kept) == ringSize {
		copy(r.kept, r.kept[1:])
		r.kept = r.kept[:ringSize-1]
	}
	r.kept = append(r.kept, e)
}

// after gives what is kept with a greater number, oldest first.
func (r *ring[T]) after(seq int64) []T {
	first := r.seq - int64(len(r.kept)) // the number before that of the oldest
	from := min(max(seq-first, 0), int64(len(r.kept)))
	return append([]T(nil), r.kept[from:]...)
}

// Events gives what the outside saw after a sequence number, oldest first, and the newest sequence number. Only the newest 1,000 are kept.
func (p *Pod) Events(after int64) (events []Event, newest int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.events.after(after), p.events.seq
}

// Steps is Events for the committed steps.
func (p *Pod) Steps(after int64) (steps []Step, newest int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.steps.after(after), p.steps.seq
}
