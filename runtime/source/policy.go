package source

import (
	"cmp"
	"crypto/x509"
	"net/netip"
	"slices"
	"time"
)

// A Policy says what may be reached. The zero value is public addresses by https and, for git, ssh, at their own ports; an operator may allow more, such as a git server in a private network. It is not changed once it is in use.
type Policy struct {
	// HTTP allows plain http, to port 80.
	HTTP bool
	// Hosts are names that are allowed though they are local (git.corp.internal, or one without a dot), and whose addresses may be private: RFC 1918, unique-local, or a carrier's. Nothing else is: the name does not lead to loopback or to a cloud's metadata.
	Hosts []string
	// Prefixes are addresses that are allowed though they are not public. One counts only for a block of addresses.go that it lies in: 10.1.0.0/16 allows these private ones, 0.0.0.0/0 allows nothing, and 169.254.0.0/16 does not allow the metadata service
	// within, which 169.254.169.254/32 would.
	Prefixes []netip.Prefix
	// Ports are allowed beside 443 for https, 22 for ssh and 80 for http; for every host.
	Ports []uint16
	// Roots vouch for servers; nil are the system's.
	Roots *x509.CertPool
	// Limits bound what is done.
	Limits Limits
}

// Limits bound what is done with a source. Zero fields mean what stands beside them.
type Limits struct {
	Resolve   time.Duration // looking up a name; 5 s
	Connect   time.Duration // connecting to a host, all its addresses together; 10 s
	Header    time.Duration // from a request to the header of its response, and a TLS handshake; 20 s
	Whole     time.Duration // a tarball with its redirects, or a connection through a proxy; 10 min
	Bytes     int64         // of a tarball, or through a proxy in both directions and all its connections; 1 GiB
	Addresses int           // that a name may have; 16
	Conns     int           // to a proxy at a time; more wait; 16
}

func (p Policy) limits() Limits {
	l := p.Limits
	return Limits{
		Resolve:   cmp.Or(l.Resolve, 5*time.Second),
		Connect:   cmp.Or(l.Connect, 10*time.Second),
		Header:    cmp.Or(l.Header, 20*time.Second),
		Whole:     cmp.Or(l.Whole, 10*time.Minute),
		Bytes:     cmp.Or(l.Bytes, 1<<30),
		Addresses: cmp.Or(l.Addresses, 16),
		Conns:     cmp.Or(l.Conns, 16),
	}
}

// Allowed says whether an address may be connected to: nil, or a *RefusedError with the block that it is in.
func (p Policy) Allowed(a netip.Addr) error { return p.allowed(a, host{address: a}) }

// allowed is Allowed for an address of a host, which may be one that the operator named.
func (p Policy) allowed(a netip.Addr, of host) error {
	if !a.IsValid() || a.Zone() != "" {
		return refuse(ReasonAddress, "this is no address, or it is one of a single link")
	}
	judged := inside(a)
	i := slices.IndexFunc(blocks, func(b block) bool { return b.prefix.Contains(judged) })
	if i < 0 {
		return nil
	}
	b := blocks[i]
	if b.private && of.name != "" && p.namesHost(of.name) {
		return nil
	}
	if slices.ContainsFunc(p.Prefixes, func(x netip.Prefix) bool { return x.Contains(judged) && x.Bits() >= b.prefix.Bits() }) {
		return nil
	}
	if a != judged {
		return refuse(ReasonAddress, "%s is %s, which is not public: it is %s", a, judged, b.what)
	}
	return refuse(ReasonAddress, "%s is not public: it is %s", a, b.what)
}

// reachable tells whether the dialer may connect to a port, whatever is spoken there.
func (p Policy) reachable(port uint16) bool {
	return port == ownPort("https") || port == ownPort("ssh") || p.HTTP && port == ownPort("http") || slices.Contains(p.Ports, port)
}
