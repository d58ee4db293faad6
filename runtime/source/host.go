package source

import (
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// maxHost is how long a host's name may be, in bytes (RFC 1035 §2.3.4, as text).
const maxHost = 253

// A host is a name, in lower case, or an address.
type host struct {
	name    string
	address netip.Addr
}

func (h host) String() string {
	if h.name == "" && h.address.IsValid() {
		return h.address.String()
	}
	return h.name
}

// localNames mean this machine, its network or its cloud by convention, with all that is below them, or have no meaning in public. What they resolve to would be refused too: this says so before anybody is asked.
var localNames = []string{
	"localhost",     // RFC 6761 §6.3
	"local",         // RFC 6762 §3
	"internal",      // reserved by ICANN for private use (2024); metadata.google.internal, instance-data.ec2.internal
	"home.arpa",     // RFC 8375
	"invalid",       // RFC 6761 §6.4
	"test",          // RFC 6761 §6.2
	"onion",         // RFC 7686
	"alt",           // RFC 9476
	"localdomain",   // localhost.localdomain, in many a hosts file
	"intranet",      // RFC 6762 appendix G, like the next four: names that private networks use
	"private",       //
	"corp",          //
	"home",          //
	"lan",           //
	"svc",           // a service's name inside a cluster
	"metadata.goog", // another name of metadata.google.internal
}

// readHost reads a host as it is in a URL. An address must be one that the policy allows; what a name means is for Check and the dialer.
func (p Policy) readHost(raw string) (host, error) {
	if inside, ok := strings.CutPrefix(raw, "["); ok {
		inside, ok = strings.CutSuffix(inside, "]")
		a, err := netip.ParseAddr(inside)
		if !ok || err != nil || !a.Is6() || a.Zone() != "" {
			return host{}, refuse(ReasonHost, "what is in brackets is no IPv6 address, or it has a zone")
		}
		return host{address: a}, p.Allowed(a)
	}
	name := strings.ToLower(raw)
	if isNumber(name) {
		a, err := netip.ParseAddr(name) // four decimal numbers without leading zeros: nobody reads that differently
		if err != nil {
			return host{}, refuse(ReasonNumber, "programs read this host as a number and differ in which; write the address as four decimal numbers")
		}
		return host{address: a}, p.Allowed(a)
	}
	if err := checkName(name); err != nil {
		return host{}, err
	}
	if p.namesHost(name) {
		return host{name: name}, nil
	}
	return host{name: name}, checkPublicName(name)
}

// namesHost tells whether the operator named this host.
func (p Policy) namesHost(name string) bool {
	return slices.ContainsFunc(p.Hosts, func(h string) bool { return strings.EqualFold(h, name) })
}

// isNumber tells whether a resolver would take the host for a number: inet_aton, which getaddrinfo, git and curl use, reads one to four of them, decimal, octal or hexadecimal. In all of these forms the part behind the last dot is a number, and in no name that there is.
func isNumber(name string) bool {
	last := name[strings.LastIndexByte(strings.TrimRight(name, "."), '.')+1:]
	last = strings.TrimRight(last, ".")
	if hex, ok := strings.CutPrefix(last, "0x"); ok {
		return firstNot(hex, func(c byte) bool { return isDigit(c) || 'a' <= c && c <= 'f' }) < 0
	}
	return last != "" && firstNot(last, isDigit) < 0
}

func checkName(name string) error {
	switch {
	case name == "":
		return refuse(ReasonHost, "the host is missing")
	case len(name) > maxHost:
		return refuse(ReasonHost, "a host's name has at most %d characters", maxHost)
	case name[0] == '-':
		return refuse(ReasonOption, "the host begins with a dash, like an option")
	case strings.HasSuffix(name, "."):
		return refuse(ReasonHost, "write the host without the dot at its end")
	}
	for label := range strings.SplitSeq(name, ".") {
		ok := len(label) >= 1 && len(label) <= 63 && label[0] != '-' && label[len(label)-1] != '-'
		if !ok || firstNot(label, func(c byte) bool { return isAlnum(c) || c == '-' }) >= 0 {
			return refuse(ReasonHost, "a host's name is made of letters, digits and dashes, with single dots between")
		}
	}
	return nil
}

func checkPublicName(name string) error {
	for _, local := range localNames {
		if name == local || strings.HasSuffix(name, "."+local) {
			return refuse(ReasonLocalName, "%s is a name of this machine or of a private network", name)
		}
	}
	if !strings.Contains(name, ".") {
		return refuse(ReasonLocalName, "a name without a dot is looked up in the server's own network")
	}
	return nil
}

// splitPort takes host and port apart. The port is "" where there is none.
func splitPort(authority string) (name, port string, err error) {
	end := strings.IndexByte(authority, ':')
	if strings.HasPrefix(authority, "[") {
		end = strings.IndexByte(authority, ']') + 1
		if end == 0 {
			return "", "", refuse(ReasonHost, "the bracket of the host is not closed")
		}
		if end == len(authority) {
			return authority, "", nil
		}
	}
	if end < 0 {
		return authority, "", nil
	}
	name, port = authority[:end], authority[end:]
	if port, ok := strings.CutPrefix(port, ":"); ok && port != "" {
		return name, port, nil
	}
	return "", "", refuse(ReasonPort, "the colon behind the host is not followed by a port")
}

// ownPort is the port that a scheme means; 0 is no scheme of ours.
func ownPort(scheme string) uint16 {
	switch scheme {
	case "https":
		return 443
	case "http":
		return 80
	case "ssh":
		return 22
	}
	return 0
}

func (p Policy) readPort(scheme, raw string) (uint16, error) {
	if raw == "" {
		return ownPort(scheme), nil
	}
	n, err := strconv.ParseUint(raw, 10, 16)
	if err != nil || n == 0 || raw[0] == '0' || raw[0] == '+' {
		return 0, refuse(ReasonPort, "a port is a number from 1 to 65535, without zeros in front")
	}
	if port := uint16(n); port == ownPort(scheme) || slices.Contains(p.Ports, port) {
		return port, nil
	}
	return 0, refuse(ReasonPort, "port %d is not allowed for %s; the operator can allow it", n, scheme)
}
