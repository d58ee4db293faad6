package client

import (
	"context"
	"net/http"
	"time"
)

// Lease keeps a pod awake, whenever it is, until a moment.
type Lease struct {
	Until    time.Time  `json:"lease_until"`
	SleepsAt *time.Time `json:"sleeps_at"`        // as in Status
	Longer   bool       `json:"longer,omitempty"` // it lasts longer than what was asked for: a lease never gets shorter
}

// Extend keeps the caller's pod awake for so long from now, and gives the lease that it has then. It wakes nothing. A *Problem with code bad_lease or no_leases.
func (c *Client) Extend(ctx context.Context, d time.Duration) (Lease, error) {
	var l Lease
	if err := c.call(ctx, "extend", http.MethodPost, c.at("/api/extend"), map[string]string{"for": d.String()}, &l); err != nil {
		return Lease{}, err
	}
	if l.Until.IsZero() {
		return Lease{}, &ProtocolError{Op: "extend", Detail: "no lease_until in it"}
	}
	return l, nil
}
