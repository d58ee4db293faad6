package session

import "podlife/runtime/host/modes"

// cutEvery is how much output lies between two places at which the stream may be cut, in bytes, at least.
const cutEvery = 16 << 10

// cut is a place in the output at which a replay may begin, and the terminal's state there.
type cut struct {
	at    uint64
	state modes.State
}

// keepCut notes a place to cut now and then, and forgets those that have left the ring.
func (s *Session) keepCut() {
	if at, state, ok := s.modes.Safe(); ok && (len(s.cuts) == 0 || at-s.cuts[len(s.cuts)-1].at >= cutEvery) {
		s.cuts = append(s.cuts, cut{at, state})
	}
	gone := 0
	for gone < len(s.cuts) && s.cuts[gone].at < s.ring.Lo() {
		gone++
	}
	s.cuts = append(s.cuts[:0], s.cuts[gone:]...)
}

// resumes says whether somebody who has the output of that epoch up to have can be given exactly what is missing: lo <= have <= hi.
func (s *Session) resumes(epoch, have uint64) bool {
	//model:guard Resume.resumable
	return epoch == s.Epoch && s.ring.Lo() <= have && have <= s.ring.Hi()
}

// picture gives what takes a terminal in any state to where the session is now, made of the output from start on. Where the ring has no place to cut, since all of it is within one sequence, it is made of
// the state alone.
func (s *Session) picture() (start uint64, b []byte) {
	hi, now := s.ring.Hi(), s.modes.State()
	for i, c := range s.cuts {
		last := i == len(s.cuts)-1
		if c.at < s.ring.Lo() || hi-c.at > uint64(s.config.Replay) && !last {
			continue
		}
		history, _ := s.ring.Range(c.at)
		return c.at, modes.Replay(c.state, history, now)
	}
	return hi, modes.Replay(now, nil, now)
}
