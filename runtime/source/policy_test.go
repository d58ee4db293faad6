package source

import (
	"net/netip"
	"testing"
)

func TestWhatIsNotPublicIsRefused(t *testing.T) {
	for _, a := range []string{
		"0.0.0.0", "0.255.255.255", "10.0.0.0", "10.255.255.255", "100.64.0.0", "100.127.255.255", "100.100.100.200", "127.0.0.1", "127.255.255.255", "168.63.129.16",
		"169.254.0.1", "169.254.169.254", "172.16.0.0", "172.31.255.255", "192.0.0.0", "192.0.0.9", "192.0.0.192", "192.0.2.1", "192.31.196.1", "192.52.193.1", "192.88.99.1",
		"192.168.0.0", "192.168.255.255", "192.175.48.1", "198.18.0.0", "198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255",
		"::", "::1", "::2", "::127.0.0.1", "::8.8.8.8", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::ffff:0:8.8.8.8", "64:ff9b::a00:1", "64:ff9b::7f00:1", "64:ff9b:1::808:808", "100::1", "100:0:0:1::1",
		"2001::1", "2001:1::1", "2001:2::1", "2001:3::1", "2001:4:112::1", "2001:10::1", "2001:20::1", "2001:30::1", "2001:1ff::1", "2001:db8::1", "2002:808:808::1", "2620:4f:8000::1", "3fff::1",
		"4000::1", "5f00::1", "fc00::1", "fd00:ec2::254", "fd20:ce::254", "fdff::1", "fe00::1", "fe80::1", "febf::1", "fec0::1", "ff02::1", "ff0e::1", "fe80::1%eth0", "2606:4700::1111%eth0",
	} {
		if err := (Policy{}).Allowed(netip.MustParseAddr(a)); reasonOf(err) != ReasonAddress {
			t.Errorf("%s: %v", a, err)
		}
	}
	if err := (Policy{}).Allowed(netip.Addr{}); err == nil {
		t.Error("no address at all was allowed")
	}
}

func TestWhatIsPublicIsAllowed(t *testing.T) {
	for _, a := range []string{
		"1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0", "140.82.121.4", "168.63.129.17", "169.253.255.255", "172.15.255.255", "172.32.0.0",
		"192.0.1.0", "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0", "223.255.255.255", "::ffff:8.8.8.8", "64:ff9b::808:808", "2001:200::1", "2001:4860:4860::8888", "2606:4700::1111", "2a00::1", "3ffe::1",
	} {
		if err := (Policy{}).Allowed(netip.MustParseAddr(a)); err != nil {
			t.Error(err)
		}
	}
}

func TestANarrowerBlockIsLookedAtBeforeAWiderOne(t *testing.T) {
	for i, wide := range blocks {
		for _, narrow := range blocks[i+1:] {
			if wide.prefix.Overlaps(narrow.prefix) && wide.prefix.Bits() <= narrow.prefix.Bits() {
				t.Errorf("%s is never looked at: %s comes before it", narrow.prefix, wide.prefix)
			}
		}
		if wide.prefix != wide.prefix.Masked() {
			t.Errorf("%s is not the beginning of its block", wide.prefix)
		}
	}
}

func TestAnOperatorsPrefixAllowsNoMoreThanTheBlockItLiesIn(t *testing.T) {
	for _, c := range []struct {
		prefix, address string
		allowed         bool
	}{
		{"10.1.0.0/16", "10.1.2.3", true},
		{"10.1.0.0/16", "10.2.0.1", false},
		{"10.1.0.0/16", "::ffff:10.1.2.3", true},
		{"10.0.0.0/8", "64:ff9b::10.1.2.3", true},
		{"127.0.0.1/32", "127.0.0.1", true},
		{"127.0.0.1/32", "127.0.0.2", false},
		{"0.0.0.0/0", "10.1.2.3", false},
		{"0.0.0.0/0", "127.0.0.1", false},
		{"::/0", "::1", false},
		{"100.64.0.0/10", "100.64.0.1", true},
		{"100.64.0.0/10", "100.100.100.200", false},
		{"169.254.0.0/16", "169.254.1.1", true},
		{"169.254.0.0/16", "169.254.169.254", false},
		{"169.254.169.254/32", "169.254.169.254", true},
		{"fd00::/8", "fd12::1", true},
		{"fd00::/8", "fd00:ec2::254", false},
		{"10.0.0.0/8", "8.8.8.8", true},
	} {
		p := Policy{Prefixes: []netip.Prefix{netip.MustParsePrefix(c.prefix)}}
		if err := p.Allowed(netip.MustParseAddr(c.address)); (err == nil) != c.allowed {
			t.Errorf("with %s, %s: %v", c.prefix, c.address, err)
		}
	}
}

func TestWhatAnOperatorAllowsIsLetThrough(t *testing.T) {
	p := Policy{HTTP: true, Hosts: []string{"Gitea", "git.corp.internal"}, Ports: []uint16{8443, 2222}, Prefixes: []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16")}}
	for _, raw := range []string{
		"http://good.example/x.git", "https://gitea/x.git", "git@git.corp.internal:x.git", "https://GIT.corp.internal:8443/x.git", "ssh://git@good.example:2222/x.git", "https://10.1.2.3/x.git", "https://[::ffff:10.1.2.3]/x.git",
	} {
		if _, err := Parse(raw); err == nil {
			t.Errorf("%s needs no operator", raw)
		}
		if _, err := p.Parse(raw); err != nil {
			t.Error(err)
		}
	}
	for raw, reason := range map[string]Reason{
		"https://other.corp.internal/x.git":   ReasonLocalName,
		"https://a.gitea/x.tar.gz?x=1#":       ReasonForm,
		"https://good.example:8444/x.git":     ReasonPort,
		"https://10.2.0.1/x.git":              ReasonAddress,
		"https://u:p@git.corp.internal/x.git": ReasonCredentials,
	} {
		if _, err := p.Parse(raw); reasonOf(err) != reason {
			t.Errorf("%s: %v", raw, err)
		}
	}
}
