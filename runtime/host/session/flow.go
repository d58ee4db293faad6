package session

// mayRead says whether output may be read: nobody looks (who only follows does not), or at least one viewer keeps up. So a program that never stops is as fast as the fastest of those who look, and an interrupt takes effect at once;
// who is slower falls out of the ring and holds nobody up.
func (s *Session) mayRead() bool {
	if s.ended || s.looking() == 0 {
		return true
	}
	for v := range s.viewers {
		if v.follows {
			continue
		}
		if !v.behind {
			return true
		}
	}
	return false
}

// looking is how many look. Who only follows does not count.
func (s *Session) looking() int {
	n := 0
	for v := range s.viewers {
		if !v.follows {
			n++
		}
	}
	return n
}

// stall notes who does not keep up with the output any more.
func (s *Session) stall() {
	hi := s.ring.Hi()
	for v := range s.viewers {
		if hi-v.acked >= uint64(s.config.Window) {
			v.behind = true
		}
	}
}

// Ack says that the viewer has dealt with the output up to an offset. What it was never sent it cannot have dealt with: such an offset counts as all that it was sent.
func (v *Viewer) Ack(offset uint64) {
	s := v.session
	s.mu.Lock()
	defer s.mu.Unlock()
	v.acked = max(v.acked, min(offset, v.sent))
	s.relax(v)
}

// relax lets go on who has come near enough again.
func (s *Session) relax(v *Viewer) {
	goOn := uint64(s.config.GoOn)
	if v.full && v.sent-v.acked <= goOn {
		v.full = false
		v.wake()
	}
	if v.behind && s.ring.Hi()-v.acked <= goOn {
		v.behind = false
		s.readable.Broadcast()
	}
}

// wakeAll tells every viewer that there may be something for it.
func (s *Session) wakeAll() {
	for v := range s.viewers {
		v.wake()
	}
}
