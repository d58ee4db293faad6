package source

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// A Reason is a stable word for why something is refused, for programs; the text of the error is for people.
type Reason string

// The reasons.
const (
	ReasonLength      Reason = "length"      // empty, or too long
	ReasonCharacter   Reason = "character"   // a character that no URL has, or that programs read differently
	ReasonNotASCII    Reason = "not-ascii"   // a character beyond ASCII, in the host or elsewhere
	ReasonForm        Reason = "form"        // no URL of a known form, or one with two readings
	ReasonScheme      Reason = "scheme"      // a scheme that is not on the list
	ReasonCredentials Reason = "credentials" // a password, or a user name where none belongs
	ReasonOption      Reason = "option"      // a dash where git or ssh could take it for an option
	ReasonHost        Reason = "host"        // no name of a host
	ReasonNumber      Reason = "number"      // a number for a host, in another form than 192.0.2.1 or [2001:db8::1]
	ReasonLocalName   Reason = "local-name"  // a name that means this machine or its own network
	ReasonAddress     Reason = "address"     // an address that the policy refuses
	ReasonPort        Reason = "port"        // no port, or one that the policy does not allow
	ReasonPath        Reason = "path"        // no path, or one with two readings
	ReasonBranch      Reason = "branch"      // no name of a branch
	ReasonResolve     Reason = "resolve"     // the name has no address, too many, or they could not be had
	ReasonRedirect    Reason = "redirect"    // too many redirects, or one from https to http
	ReasonMethod      Reason = "method"      // a request of a kind that is not made here
)

// RefusedError says that something may not be used as a source, and why.
type RefusedError struct {
	URL    string // what it is about, without user, password and query; empty if it cannot be shown without risk
	Reason Reason
	Text   string // a sentence for the user, without anything secret
	Err    error  // what failed below, if anything did
}

func (e *RefusedError) Error() string {
	s := e.Text
	if e.URL != "" {
		s = e.URL + ": " + s
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

func (e *RefusedError) Unwrap() error { return e.Err }

// refuse is a refusal of something whose URL is not known where it is judged; about adds it.
func refuse(reason Reason, format string, args ...any) error {
	return &RefusedError{Reason: reason, Text: fmt.Sprintf(format, args...)}
}

// about says what a refusal is about, if it does not say so yet.
func about(err error, shown string) error {
	var r *RefusedError
	if !errors.As(err, &r) || r.URL != "" {
		return err
	}
	named := *r
	named.URL = shown
	return &named
}

// shown is as much of a URL that was refused as can be shown: scheme, host and path, of one that has a known scheme, and in which whatever might be a password is where net/url finds a userinfo. A URL is refused because it is read in more ways than one: where
// the password ends is then anybody's guess, and nothing is shown.
func shown(raw string) string {
	if len(raw) > MaxURL || firstNot(raw, isPrintable) >= 0 || strings.ContainsAny(raw, `\"<>`) {
		return ""
	}
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" {
		return ""
	}
	switch u.Scheme {
	case "https", "http", "ssh", "git", "file", "ftp", "ftps", "rsync":
	default:
		return ""
	}
	if strings.Contains(u.Host+u.EscapedPath()+u.RawQuery+u.EscapedFragment(), "@") {
		return ""
	}
	return u.Scheme + "://" + u.Host + u.EscapedPath()
}
