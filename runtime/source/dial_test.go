package source

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// answers is a resolver that gives its answers in turn, and the last one from then on.
type answers struct {
	mu    sync.Mutex
	lists [][]string
}

func (r *answers) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []netip.Addr
	for _, a := range r.lists[0] {
		all = append(all, netip.MustParseAddr(a))
	}
	if len(r.lists) > 1 {
		r.lists = r.lists[1:]
	}
	return all, nil
}

// names is a resolver that knows some names.
type names map[string]string

func (r names) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	a, err := netip.ParseAddr(r[host])
	return []netip.Addr{a}, err
}

// A trap is a listener that counts who comes.
type trap struct {
	net.Listener
	came atomic.Int64
}

func (l *trap) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err == nil {
		l.came.Add(1)
	}
	return c, err
}

func newTrap(t *testing.T, address string) *trap {
	t.Helper()
	l, err := net.Listen("tcp4", address)
	if err != nil {
		t.Fatal(err)
	}
	return &trap{Listener: l}
}

// site is a good and a forbidden HTTPS server at the same port, one of 127.0.0.1 and one of 127.0.0.2, and a policy that allows the first alone. Both have a certificate for *.example.com.
type site struct {
	good, bad string // host:port
	trap      *trap
	policy    Policy
	resolver  names
}

func newSite(t *testing.T, h http.Handler) *site {
	t.Helper()
	good := httptest.NewUnstartedServer(h)
	good.StartTLS()
	t.Cleanup(good.Close)
	at := netip.MustParseAddrPort(good.Listener.Addr().String())
	port := good.Listener.Addr().String()[len("127.0.0.1"):]
	s := &site{
		good: "good.example.com" + port, bad: "evil.example.com" + port,
		trap:     newTrap(t, "127.0.0.2"+port),
		resolver: names{"good.example.com": "127.0.0.1", "evil.example.com": "127.0.0.2"},
	}
	bad := httptest.NewUnstartedServer(h)
	bad.Listener.Close()
	bad.Listener = s.trap
	bad.StartTLS()
	t.Cleanup(bad.Close)
	roots := x509.NewCertPool()
	roots.AddCert(good.Certificate())
	s.policy = Policy{Prefixes: []netip.Prefix{netip.PrefixFrom(at.Addr(), 32)}, Ports: []uint16{at.Port()}, Roots: roots}
	return s
}

// neverSeen fails if anybody came to the forbidden server, and shows that it could have been reached.
func (s *site) neverSeen(t *testing.T) {
	t.Helper()
	if n := s.trap.came.Load(); n != 0 {
		t.Errorf("the forbidden server saw %d connections", n)
	}
	c, err := tls.Dial("tcp", s.trap.Addr().String(), &tls.Config{RootCAs: s.policy.Roots, ServerName: "evil.example.com"})
	if err != nil {
		t.Fatalf("the forbidden server was not there, so that nothing was shown: %v", err)
	}
	c.Close()
	if s.trap.came.Load() != 1 {
		t.Error("the forbidden server does not count")
	}
}

func TestCheckWantsEveryAddressToBeAllowed(t *testing.T) {
	var many []string
	for range 17 {
		many = append(many, "8.8.8.8")
	}
	s, err := Parse("https://good.example/x.git")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		answer []string
		reason Reason
	}{
		{"public", []string{"8.8.8.8", "2606:4700::1111"}, ""},
		{"private", []string{"10.0.0.1"}, ReasonAddress},
		{"private among public", []string{"8.8.8.8", "2606:4700::1111", "169.254.169.254"}, ReasonAddress},
		{"mapped", []string{"::ffff:127.0.0.1"}, ReasonAddress},
		{"none", nil, ReasonResolve},
		{"too many", many, ReasonResolve},
	} {
		got, err := Policy{}.Check(t.Context(), s, &answers{lists: [][]string{c.answer}})
		if reasonOf(err) != c.reason || err == nil && (len(got) != len(c.answer) || got[0].Port() != 443) {
			t.Errorf("%s: %v, %v", c.name, got, err)
		}
	}
}

func TestCheckAsksNobodyAboutAnAddress(t *testing.T) {
	s, err := Parse("ssh://git@8.8.8.8/x.git")
	if err != nil {
		t.Fatal(err)
	}
	got, err := Policy{}.Check(t.Context(), s, nil)
	if err != nil || len(got) != 1 || got[0] != netip.MustParseAddrPort("8.8.8.8:22") {
		t.Errorf("%v, %v", got, err)
	}
}

// stuck is a resolver that never answers.
type stuck struct{}

func (stuck) LookupNetIP(ctx context.Context, _, _ string) ([]netip.Addr, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func TestCheckWaitsNoLongerThanTheLimit(t *testing.T) {
	s, err := Parse("https://good.example/x.git")
	if err != nil {
		t.Fatal(err)
	}
	_, err = Policy{Limits: Limits{Resolve: time.Millisecond}}.Check(t.Context(), s, stuck{})
	if reasonOf(err) != ReasonResolve || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
}

func TestANamedHostIsAtAPrivateAddressAndNoOther(t *testing.T) {
	p := Policy{Hosts: []string{"git.corp.internal"}}
	s, err := p.Parse("https://git.corp.internal/x.git")
	if err != nil {
		t.Fatal(err)
	}
	for a, allowed := range map[string]bool{"10.1.2.3": true, "fd12::1": true, "8.8.8.8": true, "127.0.0.1": false, "169.254.169.254": false, "100.100.100.200": false, "fd00:ec2::254": false} {
		if _, err := p.Check(t.Context(), s, &answers{lists: [][]string{{a}}}); (err == nil) != allowed {
			t.Errorf("%s: %v", a, err)
		}
	}
	other, err := p.Parse("https://other.example/x.git")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Check(t.Context(), other, &answers{lists: [][]string{{"10.1.2.3"}}}); reasonOf(err) != ReasonAddress {
		t.Errorf("another host may be there too: %v", err)
	}
}

func TestANameThatMeansAnotherAddressAfterTheCheckReachesNobody(t *testing.T) {
	forbidden := newTrap(t, "127.0.0.1:0")
	defer forbidden.Close()
	to := netip.MustParseAddrPort(forbidden.Addr().String())
	p := Policy{Ports: []uint16{to.Port()}}
	s, err := p.Parse("https://good.example:" + to.String()[len("127.0.0.1:"):] + "/x.git")
	if err != nil {
		t.Fatal(err)
	}
	for _, second := range []string{"127.0.0.1", "::ffff:127.0.0.1"} {
		rebinding := &answers{lists: [][]string{{"8.8.8.8"}, {second}}}
		if _, err := p.Check(t.Context(), s, rebinding); err != nil {
			t.Fatal(err)
		}
		conn, err := NewDialer(p, rebinding).DialContext(t.Context(), "tcp", net.JoinHostPort(s.Host(), to.String()[len("127.0.0.1:"):]))
		if conn != nil {
			conn.Close()
		}
		if reasonOf(err) != ReasonAddress {
			t.Errorf("%s: %v", second, err)
		}
		var fromSocket *net.OpError
		if !errors.As(err, &fromSocket) {
			t.Errorf("%s: it was not refused at the socket: %v", second, err)
		}
	}
	seen := make(chan net.Conn, 1)
	go func() {
		c, _ := forbidden.Accept()
		seen <- c
	}()
	own, err := net.Dial("tcp", forbidden.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer own.Close()
	first := <-seen // whoever had come before would be here in its place
	defer first.Close()
	if first.RemoteAddr().String() != own.LocalAddr().String() {
		t.Error("the dialer came to the forbidden listener")
	}
}

func TestADialerRefusesByNameAndPortToo(t *testing.T) {
	d := NewDialer(Policy{}, names{"good.example": "8.8.8.8"})
	for address, reason := range map[string]Reason{
		"localhost:443":     ReasonLocalName,
		"2130706433:443":    ReasonNumber,
		"127.1:443":         ReasonNumber,
		"[::1]:443":         ReasonAddress,
		"good.example:25":   ReasonPort,
		"good.example:80":   ReasonPort,
		"good.example":      ReasonForm,
		"[fe80::1%lo]:443":  ReasonHost,
		"good.example:http": ReasonPort,
	} {
		if _, err := d.DialContext(t.Context(), "tcp", address); reasonOf(err) != reason {
			t.Errorf("%s: %v", address, err)
		}
	}
	if _, err := d.DialContext(t.Context(), "udp", "good.example:443"); err == nil {
		t.Error("it speaks UDP")
	}
}
