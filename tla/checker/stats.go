package checker

import (
	"sync/atomic"
	"time"

	"podlife/tla/value"
)

// Stats are a run's numbers, for those who ask while it goes on; it is safe for concurrent use. The zero value is ready.
type Stats struct {
	generated, distinct, queue, depth atomic.Int64
	started                           atomic.Int64 // in Unix nanoseconds of the run's clock
	now                               atomic.Pointer[func() time.Time]
	exit                              atomic.Bool
}

// Exit asks the run that is going on to end soon, as if it had come to its end; a run that begins later does not know of it. It is made for eval.Options.Exit.
func (s *Stats) Exit() { s.exit.Store(true) }

// Get gives a number by the name that TLCGet uses for it: "generated", "distinct", "queue", "diameter" and "duration" (whole seconds). It is nil for every other name.
func (s *Stats) Get(name string) value.Value {
	switch name {
	case "generated":
		return value.NewInt(s.generated.Load())
	case "distinct":
		return value.NewInt(s.distinct.Load())
	case "queue":
		return value.NewInt(s.queue.Load())
	case "diameter":
		return value.NewInt(s.depth.Load())
	case "duration":
		now := s.now.Load()
		if now == nil {
			return value.NewInt(0)
		}
		return value.NewInt(((*now)().UnixNano() - s.started.Load()) / int64(time.Second))
	}
	return nil
}

func (s *Stats) start(now func() time.Time) {
	s.exit.Store(false) // of a run before, or of what looked for vacuity after it
	s.started.Store(now().UnixNano())
	s.now.Store(&now)
}
