package source

import "net/netip"

// A block is a range of addresses that is not the public Internet's.
type block struct {
	prefix  netip.Prefix
	what    string // completes "it is …"
	private bool   // a named host may be in it: somebody's own network
}

func refused(prefix, what string) block { return block{netip.MustParsePrefix(prefix), what, false} }

func privateUse(prefix, what string) block { return block{netip.MustParsePrefix(prefix), what, true} }

// blocks is what is refused: the special-purpose registries of IANA (iana-ipv4-special-registry and iana-ipv6-special-registry), with multicast, all of IPv6 that is not global unicast, and the addresses at which clouds hand out credentials. The first that
// contains an address decides, so a narrower one stands before one that contains it. An address with an IPv4 address in it (::ffff:0:0/96 of RFC 4291 §2.5.5.2, 64:ff9b::/96 of RFC 6052) is judged by that, and has no line.
// Some blocks of the registries are reachable from everywhere (192.0.0.9/32, 192.31.196.0/24); nobody's files are there, and they are refused too.
var blocks = []block{
	refused("169.254.169.254/32", "a cloud's metadata service"),
	refused("100.100.100.200/32", "a cloud's metadata service"),
	refused("168.63.129.16/32", "a cloud's own service to its machines"),
	refused("fd00:ec2::254/128", "a cloud's metadata service"),
	refused("fd20:ce::254/128", "a cloud's metadata service"),

	refused("255.255.255.255/32", "the limited broadcast address (RFC 8190, RFC 919 §7)"),
	refused("0.0.0.0/8", "this network (RFC 791 §3.2)"),
	privateUse("10.0.0.0/8", "private (RFC 1918)"),
	privateUse("100.64.0.0/10", "shared address space behind a carrier's NAT (RFC 6598)"),
	refused("127.0.0.0/8", "loopback (RFC 1122 §3.2.1.3)"),
	refused("169.254.0.0/16", "link-local (RFC 3927)"),
	privateUse("172.16.0.0/12", "private (RFC 1918)"),
	refused("192.0.0.0/24", "for IETF protocol assignments (RFC 6890 §2.1)"),
	refused("192.0.2.0/24", "for documentation (RFC 5737)"),
	refused("192.31.196.0/24", "for AS112 (RFC 7535)"),
	refused("192.52.193.0/24", "for automatic multicast tunneling (RFC 7450)"),
	refused("192.88.99.0/24", "for 6to4 relays (RFC 7526)"),
	privateUse("192.168.0.0/16", "private (RFC 1918)"),
	refused("192.175.48.0/24", "for AS112 (RFC 7534)"),
	refused("198.18.0.0/15", "for benchmarking (RFC 2544)"),
	refused("198.51.100.0/24", "for documentation (RFC 5737)"),
	refused("203.0.113.0/24", "for documentation (RFC 5737)"),
	refused("224.0.0.0/4", "multicast (RFC 5771)"),
	refused("240.0.0.0/4", "reserved (RFC 1112 §4)"),

	refused("::1/128", "loopback (RFC 4291 §2.5.3)"),
	refused("::/128", "unspecified (RFC 4291 §2.5.2)"),
	refused("::/96", "IPv4-compatible (RFC 4291 §2.5.5.1)"),
	refused("::ffff:0:0:0/96", "IPv4-translated (RFC 2765 §2.1)"),
	refused("64:ff9b:1::/48", "for translation within a network (RFC 8215)"),
	refused("100::/64", "discard-only (RFC 6666)"),
	refused("100:0:0:1::/64", "a dummy (RFC 9780)"),
	refused("2001::/32", "Teredo (RFC 4380)"),
	refused("2001:2::/48", "for benchmarking (RFC 5180)"),
	refused("2001:10::/28", "ORCHID (RFC 4843)"),
	refused("2001:20::/28", "ORCHIDv2 (RFC 7343)"),
	refused("2001:30::/28", "for drones' identities (RFC 9374)"),
	refused("2001::/23", "for IETF protocol assignments (RFC 2928); with 2001:1::/32, 2001:3::/32 (RFC 7450) and 2001:4:112::/48 (RFC 7535)"),
	refused("2001:db8::/32", "for documentation (RFC 3849)"),
	refused("2002::/16", "6to4 (RFC 3056)"),
	refused("2620:4f:8000::/48", "for AS112 (RFC 7534)"),
	refused("3fff::/20", "for documentation (RFC 9637)"),
	refused("5f00::/16", "for segment routing (RFC 9602)"),
	privateUse("fc00::/7", "unique-local (RFC 4193)"),
	refused("fe80::/10", "link-local (RFC 4291 §2.5.6)"),
	refused("fec0::/10", "site-local (RFC 3879)"),
	refused("ff00::/8", "multicast (RFC 4291 §2.7)"),

	// Global unicast is 2000::/3 (RFC 4291 §2.4, as far as IANA assigns it); these three are the rest.
	refused("::/3", "not global unicast (RFC 4291 §2.4)"),
	refused("4000::/2", "not global unicast (RFC 4291 §2.4)"),
	refused("8000::/1", "not global unicast (RFC 4291 §2.4)"),
}

// translated is where a network's gateway translates to IPv4 (RFC 6052): the last four bytes are the address that is reached.
var translated = netip.MustParsePrefix("64:ff9b::/96")

// inside is the IPv4 address that is reached by an IPv6 address, or the address itself.
func inside(a netip.Addr) netip.Addr {
	a = a.Unmap()
	if translated.Contains(a) {
		b := a.As16()
		return netip.AddrFrom4([4]byte(b[12:]))
	}
	return a
}
