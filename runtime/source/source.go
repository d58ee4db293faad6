package source

import (
	"net"
	"net/url"
	"strconv"
	"strings"
)

// MaxURL is how long a URL may be, in bytes.
const MaxURL = 2048

// A Kind is what is at a URL.
type Kind string

// The kinds.
const (
	Git     Kind = "git"     // a repository, to be cloned
	Tarball Kind = "tarball" // a tar archive, compressed or not, to be unpacked
)

// tarballs are the ends of paths that make a URL a tarball's where nobody says what it is.
var tarballs = []string{".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".tar.zst"}

// A Source is a URL that was let through. Only Parse and ParseKind make one. It prints without its query, which may be a signature.
type Source struct {
	kind   Kind
	scheme string // https, http or ssh
	user   string // ssh alone has one
	host   host
	port   uint16
	path   string // with its slash in front; where scp is true, with or without
	query  string // without its question mark; tarballs alone have one
	scp    bool   // git@host:path, whose path is relative to the user's home directory
}

// Kind is what is there.
func (s Source) Kind() Kind { return s.kind }

// Scheme is https, http or ssh; git@host:path is ssh.
func (s Source) Scheme() string { return s.scheme }

// Host is the host's name, in lower case, or its address, without brackets.
func (s Source) Host() string { return s.host.String() }

// Port is the port, which may be the scheme's own.
func (s Source) Port() uint16 { return s.port }

// URL is the whole URL, for git or an HTTP client. It is put together anew from what was read, so that nobody reads the original again. It may hold a signature in its query: show String instead.
func (s Source) URL() string {
	if s.query == "" {
		return s.String()
	}
	return s.bare() + "?" + s.query
}

// String is the URL for people and logs: a query is left out.
func (s Source) String() string {
	if s.query == "" {
		return s.bare()
	}
	return s.bare() + "?…"
}

// GoString is String: no way to print a source shows its query.
func (s Source) GoString() string { return s.String() }

func (s Source) bare() string {
	user := ""
	if s.user != "" {
		user = s.user + "@"
	}
	if s.scp {
		return user + s.host.String() + ":" + s.path
	}
	host := s.host.String()
	if s.port != ownPort(s.scheme) {
		host = net.JoinHostPort(host, strconv.Itoa(int(s.port)))
	} else if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	return s.scheme + "://" + user + host + s.path
}

// Parse is Policy.Parse by the policy that allows public addresses only.
func Parse(raw string) (Source, error) { return Policy{}.Parse(raw) }

// Parse reads a URL, and refuses it with a *RefusedError if it may not be used. It is a tarball if its path says so (.tar, .tar.gz, .tgz and so on) and it is no ssh; else it is git.
func (p Policy) Parse(raw string) (Source, error) { return p.parse(raw, "") }

// ParseKind is Parse for those who know what is there.
func (p Policy) ParseKind(raw string, kind Kind) (Source, error) { return p.parse(raw, kind) }

func (p Policy) parse(raw string, kind Kind) (Source, error) {
	s, err := p.read(raw, kind)
	if err != nil {
		return Source{}, about(err, shown(raw))
	}
	return s, nil
}

func (p Policy) read(raw string, kind Kind) (Source, error) {
	if err := checkText(raw); err != nil {
		return Source{}, err
	}
	r, err := split(raw)
	if err != nil {
		return Source{}, err
	}
	s := Source{kind: kind, scheme: r.scheme, user: r.user, path: r.path, query: r.query, scp: r.scp}
	if kind == "" {
		s.kind = kindOf(r)
	}
	if s.scheme == "http" && !p.HTTP {
		return Source{}, refuse(ReasonScheme, "http is not encrypted and is not allowed here; use https")
	}
	if s.scheme == "ssh" && s.kind != Git {
		return Source{}, refuse(ReasonScheme, "a tarball is fetched by https, not by ssh")
	}
	if s.host, err = p.readHost(r.host); err != nil {
		return Source{}, err
	}
	if s.port, err = p.readPort(r.scheme, r.port); err != nil {
		return Source{}, err
	}
	return s, checkPath(s)
}

func kindOf(r reading) Kind {
	if r.scheme != "ssh" {
		for _, end := range tarballs {
			if strings.HasSuffix(strings.ToLower(r.path), end) {
				return Tarball
			}
		}
	}
	return Git
}

// checkText is about the characters, before anything is read: what is left is printable ASCII that no program takes out or turns into something else.
func checkText(raw string) error {
	if raw == "" || len(raw) > MaxURL {
		return refuse(ReasonLength, "a URL has 1 to %d characters, not %d", MaxURL, len(raw))
	}
	if firstNot(raw, func(c byte) bool { return c < 0x80 }) >= 0 {
		return refuse(ReasonNotASCII, "only ASCII is read here: write a host's name in its punycode form (xn--…), and other characters percent-encoded")
	}
	if i := firstNot(raw, isPrintable); i >= 0 {
		return refuse(ReasonCharacter, "the character at %d is a space or a control character", i)
	}
	if strings.ContainsAny(raw, "\\\"<>^`{|}") {
		return refuse(ReasonCharacter, "a URL has no \\ \" < > ^ ` { | }: programs differ in what they take them for")
	}
	if strings.Contains(raw, "#") {
		return refuse(ReasonForm, "what is after a # is not sent to anybody; leave it out")
	}
	if raw[0] == '-' {
		return refuse(ReasonOption, "it begins with a dash, like an option")
	}
	return nil
}

func isPrintable(c byte) bool { return c > ' ' && c < 0x7f }

// firstNot is the index of the first byte that is not as it should be, or -1.
func firstNot(s string, ok func(byte) bool) int {
	for i := range len(s) {
		if !ok(s[i]) {
			return i
		}
	}
	return -1
}

// A reading is a URL in its parts, as they were written.
type reading struct {
	scheme, user, host, port, path, query string
	scp                                   bool
}

// split takes a URL apart by hand, as git and curl do, and refuses what net/url does not read in the same way.
func split(raw string) (reading, error) {
	scheme, rest, ok := strings.Cut(raw, "://")
	if !ok {
		return splitSCP(raw)
	}
	r := reading{scheme: strings.ToLower(scheme)}
	if ownPort(r.scheme) == 0 {
		return r, refuse(ReasonScheme, "only https:// is allowed, for git also ssh:// and git@host:path")
	}
	authority, behind := rest, ""
	if i := strings.IndexAny(rest, "/?"); i >= 0 {
		authority, behind = rest[:i], rest[i:]
	}
	if strings.Contains(behind, "@") {
		return r, refuse(ReasonForm, "an @ behind the host is taken for the end of a password by some programs; write %%40")
	}
	if strings.Contains(authority, "%") {
		return r, refuse(ReasonForm, "the host's part has no percent-encoding")
	}
	var err error
	if i := strings.LastIndex(authority, "@"); i >= 0 {
		if r.user, err = readUser(r.scheme, authority[:i]); err != nil {
			return r, err
		}
		authority = authority[i+1:]
	}
	if r.host, r.port, err = splitPort(authority); err != nil {
		return r, err
	}
	r.path, r.query, ok = strings.Cut(behind, "?")
	if ok && r.query == "" {
		return r, refuse(ReasonForm, "there is nothing behind the ?")
	}
	u, err := url.Parse(raw)
	if err != nil {
		return r, refuse(ReasonForm, "this is no URL") // what url.Parse says has the URL in it
	}
	if u.Scheme != r.scheme || u.Host != authority || u.User.Username() != r.user || u.EscapedPath() != r.path || u.RawQuery != r.query {
		return r, refuse(ReasonForm, "programs differ in how they read this")
	}
	return r, nil
}

// splitSCP reads git@host:path. Whatever else has no :// is refused: a file's name, ext::, a scheme without slashes.
func splitSCP(raw string) (reading, error) {
	r := reading{scheme: "ssh", scp: true}
	user, rest, ok := strings.Cut(raw, "@")
	if !ok {
		return r, refuse(ReasonScheme, "this is neither https://host/path nor, for git, ssh://host/path or git@host:path")
	}
	var err error
	if r.user, err = readUser("ssh", user); err != nil {
		return r, err
	}
	if r.host, r.path, ok = strings.Cut(rest, ":"); !ok || strings.ContainsAny(r.host, "[]/") || strings.ContainsAny(r.path, "@?") {
		return r, refuse(ReasonForm, "this is not git@host:path; with an address or a port, write ssh://git@host:port/path")
	}
	if first, _, _ := strings.Cut(r.path, "/"); first != "" && firstNot(first, isDigit) < 0 {
		return r, refuse(ReasonForm, "a number behind the colon is a port to some programs and a folder to others; write ssh://git@host:port/path")
	}
	return r, nil
}

// readUser reads the userinfo, which ssh alone may have, and in which nothing is secret.
func readUser(scheme, info string) (string, error) {
	switch {
	case scheme != "ssh":
		return "", refuse(ReasonCredentials, "a URL with a user or a password in it is not kept; leave it out")
	case strings.ContainsAny(info, ":@"):
		return "", refuse(ReasonCredentials, "ssh takes a user's name, and no password")
	case strings.HasPrefix(info, "-"):
		return "", refuse(ReasonOption, "the user begins with a dash, like an option")
	case info == "" || len(info) > 64 || firstNot(info, func(c byte) bool { return isAlnum(c) || strings.IndexByte("._-", c) >= 0 }) >= 0:
		return "", refuse(ReasonForm, "a user's name has 1 to 64 letters, digits, dots, underscores and dashes")
	}
	return info, nil
}
