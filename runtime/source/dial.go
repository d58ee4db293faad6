package source

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// A Resolver looks up names; *net.Resolver is one. network is "ip".
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// Check says where a source is: its addresses, all of which the policy allows. One that it does not allow refuses the source, with a *RefusedError; so do a name without an address, one with too many, and a lookup that fails or takes too long.
// A name may mean something else a moment later: whoever connects does so through a Dialer, which judges again.
func (p Policy) Check(ctx context.Context, s Source, r Resolver) ([]netip.AddrPort, error) {
	addresses, err := p.lookUp(ctx, s.host, r)
	if err != nil {
		return nil, about(err, s.String())
	}
	var all []netip.AddrPort
	for _, a := range addresses {
		if err := p.allowed(a, s.host); err != nil {
			return nil, about(err, s.String())
		}
		all = append(all, netip.AddrPortFrom(a, s.port))
	}
	return all, nil
}

// lookUp is a host's addresses, as many as there may be, not judged.
func (p Policy) lookUp(ctx context.Context, h host, r Resolver) ([]netip.Addr, error) {
	if h.address.IsValid() {
		return []netip.Addr{h.address}, nil
	}
	limits := p.limits()
	ctx, cancel := context.WithTimeout(ctx, limits.Resolve)
	defer cancel()
	addresses, err := r.LookupNetIP(ctx, "ip", h.name)
	switch {
	case err != nil:
		return nil, &RefusedError{Reason: ReasonResolve, Text: h.name + " could not be looked up", Err: err}
	case len(addresses) == 0:
		return nil, refuse(ReasonResolve, "%s has no address", h.name)
	case len(addresses) > limits.Addresses:
		return nil, refuse(ReasonResolve, "%s has %d addresses; at most %d are looked at", h.name, len(addresses), limits.Addresses)
	}
	return addresses, nil
}

// A Dialer connects where its policy allows, and nowhere else.
type Dialer struct {
	policy   Policy
	resolver Resolver
}

// NewDialer makes a dialer. A nil resolver is the system's.
func NewDialer(p Policy, r Resolver) *Dialer {
	if r == nil {
		r = net.DefaultResolver
	}
	return &Dialer{p, r}
}

// DialContext connects by TCP to "host:port" ("[address]:port"), as net.Dialer does, at the first of the host's addresses that answers. Each address is judged when the socket is there and before it is connected: one that is refused ends it, with a
// *RefusedError (by errors.As). A host is refused by its name as Parse refuses it.
func (d *Dialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	if network != "tcp" && network != "tcp4" && network != "tcp6" {
		return nil, refuse(ReasonScheme, "only TCP is spoken here")
	}
	h, port, err := d.target(address)
	if err != nil {
		return nil, err
	}
	addresses, err := d.policy.lookUp(ctx, h, d.resolver)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, d.policy.limits().Connect)
	defer cancel()
	var failed error
	for i, a := range addresses {
		conn, err := d.connect(ctx, network, h, netip.AddrPortFrom(a.Unmap(), port), len(addresses)-i)
		var refused *RefusedError
		if err == nil || errors.As(err, &refused) || ctx.Err() != nil {
			return conn, err
		}
		failed = err
	}
	return nil, failed
}

// target reads "host:port".
func (d *Dialer) target(address string) (host, uint16, error) {
	name, port, err := net.SplitHostPort(address)
	if err != nil {
		return host{}, 0, refuse(ReasonForm, "this is not host:port")
	}
	if strings.Contains(name, ":") {
		name = "[" + name + "]"
	}
	h, err := d.policy.readHost(name)
	if err != nil {
		return host{}, 0, err
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || !d.policy.reachable(uint16(n)) {
		return host{}, 0, refuse(ReasonPort, "port %q is not allowed", port)
	}
	return h, uint16(n), nil
}

// connect tries one address, for its share of the time that is left. left is how many are to be tried, this one included.
func (d *Dialer) connect(ctx context.Context, network string, h host, to netip.AddrPort, left int) (net.Conn, error) {
	deadline, _ := ctx.Deadline()
	dialer := net.Dialer{
		Timeout: time.Until(deadline) / time.Duration(left),
		Control: func(_, address string, _ syscall.RawConn) error { return d.judge(h, address) },
	}
	return dialer.DialContext(ctx, network, to.String())
}

// judge is called with the address that a socket is about to be connected to: the one that the system was really given, after all that names and resolvers may do.
func (d *Dialer) judge(h host, address string) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return refuse(ReasonAddress, "%q is no address", address)
	}
	return about(d.policy.allowed(to.Addr(), h), net.JoinHostPort(h.String(), strconv.Itoa(int(to.Port()))))
}
