package server

import (
	"net/http"
	"strings"
	"time"
)

// leaseAnswer is the lease that a pod has now. Longer says that it lasts longer than what was asked for: a lease never gets shorter.
type leaseAnswer struct {
	LeaseUntil time.Time  `json:"lease_until"`
	SleepsAt   *time.Time `json:"sleeps_at"`
	Longer     bool       `json:"longer,omitempty"`
}

// extend keeps the caller's pod awake for a time, once it is. It wakes nothing.
func (s *Server) extend(w http.ResponseWriter, r *http.Request, p usersPod) {
	var body struct {
		For string `json:"for"`
	}
	if err := decode(w, r, &body); err != nil {
		s.fail(w, err)
		return
	}
	d, err := time.ParseDuration(body.For)
	if err != nil {
		d = 0 // is refused as what is no lease, where there are any
	}
	until, err := p.Extend(r.Context(), d)
	if err != nil {
		s.fail(w, s.stoppingOr(err))
		return
	}
	longer := until.After(s.o.Now().Add(d + time.Millisecond)) // one that has just been given ends before: its end is rounded up to a millisecond
	s.reply(w, leaseAnswer{LeaseUntil: until, SleepsAt: whenSet(p.Status().SleepsAt), Longer: longer})
}

// whenSet is a moment that may be none.
func whenSet(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// shortly writes a time span without its zero units: 24h, not 24h0m0s.
func shortly(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
