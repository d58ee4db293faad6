package source

import (
	"net/netip"
	"net/url"
	"strings"
	"testing"
)

// browserHost reads a host as browsers do (the WHATWG's URL standard), which is the reading that differs most from RFC 3986: tabs and ends of lines are nothing, a backslash is a slash, any number of slashes begins the authority.
func browserHost(raw string) string {
	raw = strings.TrimFunc(raw, func(r rune) bool { return r <= ' ' })
	raw = strings.NewReplacer("\t", "", "\n", "", "\r", "", `\`, "/").Replace(raw)
	_, rest, _ := strings.Cut(raw, ":")
	rest = strings.TrimLeft(rest, "/")
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		rest = rest[:i]
	}
	rest = rest[strings.LastIndex(rest, "@")+1:]
	if i := strings.LastIndex(rest, ":"); i > strings.LastIndex(rest, "]") {
		rest = rest[:i]
	}
	if plain, err := url.PathUnescape(rest); err == nil {
		rest = plain
	}
	return strings.ToLower(strings.Trim(rest, "[]"))
}

// scpHost reads git@host:path as git does: up to the first colon, and ssh takes the user off at the last @.
func scpHost(raw string) string {
	to, _, _ := strings.Cut(raw, ":")
	return strings.ToLower(to[strings.LastIndex(to, "@")+1:])
}

// sameHost compares names as they are and addresses by value.
func sameHost(a, b string) bool {
	x, errX := netip.ParseAddr(a)
	y, errY := netip.ParseAddr(b)
	if errX == nil && errY == nil {
		return x == y
	}
	return errX != nil && errY != nil && a == b
}

// FuzzEveryReadingOfAURLFindsTheSameHost claims of whatever is let through: net/url, another reading, and a second Parse find the same host in it, it prints no password and no query, and nothing in it is an option.
func FuzzEveryReadingOfAURLFindsTheSameHost(f *testing.F) {
	for _, list := range hostiles() {
		for _, h := range list {
			f.Add(h.raw)
		}
	}
	for _, g := range good {
		f.Add(g.raw)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		s, err := Parse(raw)
		if err != nil {
			return
		}
		again, err := Parse(s.URL())
		if err != nil || again != s {
			t.Errorf("%q is handed on as %q, which is read as %v: %v", raw, s.URL(), again, err)
		}
		if strings.HasPrefix(s.URL(), "-") || strings.HasPrefix(s.Host(), "-") || strings.HasPrefix(s.user, "-") {
			t.Errorf("%q has an option in it", raw)
		}
		for _, text := range []string{raw, s.URL()} {
			if s.scp {
				if got := scpHost(text); got != s.Host() {
					t.Errorf("%q: git reads %q, not %q", text, got, s.Host())
				}
				continue
			}
			u, err := url.Parse(text)
			if err != nil {
				t.Fatalf("%q was let through, and net/url refuses it: %v", text, err)
			}
			if !sameHost(strings.ToLower(u.Hostname()), s.Host()) || !sameHost(browserHost(text), s.Host()) {
				t.Errorf("%q: net/url reads %q, a browser %q, and Parse %q", text, u.Hostname(), browserHost(text), s.Host())
			}
			if _, password := u.User.Password(); password || s.scheme != "ssh" && u.User != nil {
				t.Errorf("%q has a password", text)
			}
			if u.RawQuery != "" && strings.Contains(s.String(), "?"+u.RawQuery) {
				t.Errorf("%q prints its query", text)
			}
		}
	})
}
