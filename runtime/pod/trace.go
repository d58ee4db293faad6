package pod

import (
	"time"
)

// Event is one committed action of the specification. Seq is given under the actor's lock at the moment of commit, so the order of Seq within a pod is the order of effects.
type Event struct {
	Seq         int64     `json:"seq"` // 1 is the first since the server started; without gaps within a pod
	Time        time.Time `json:"time"`
	Pod         ID        `json:"pod"`
	Action      string    `json:"action"`         // the specification's name
	Args        []string  `json:"args,omitempty"` // the client, for a client's action
	Incarnation int       `json:"incarnation"`    // after the action
	Cause       string    `json:"cause"`          // why the server took it: a word, stable enough to count by
}

// traceSize is how many of the newest events a pod keeps in memory.
const traceSize = 1000

// trace keeps the newest events.
type trace struct {
	events []Event // oldest first, at most traceSize
	seq    int64
}

func (t *trace) add(e Event) Event {
	t.seq++
	e.Seq = t.seq
	if len(t.events) == traceSize {
		copy(t.events, t.events[1:])
		t.events = t.events[:traceSize-1]
	}
	t.events = append(t.events, e)
	return e
}

// after gives the kept events with a greater Seq, oldest first.
func (t *trace) after(seq int64) []Event {
	for i, e := range t.events {
		if e.Seq > seq {
			return append([]Event(nil), t.events[i:]...)
		}
	}
	return nil
}
