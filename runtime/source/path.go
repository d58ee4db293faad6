package source

import (
	"net/url"
	"strings"
)

// checkPath is about path and query. No program connects elsewhere because of them; but they must not become an option, a line of a protocol, or another path on the way.
func checkPath(s Source) error {
	path := strings.TrimPrefix(s.path, "/")
	if path == "" {
		return refuse(ReasonPath, "the path is missing")
	}
	segments := strings.Split(path, "/")
	for i, segment := range segments {
		if err := checkSegment(s, segment, i == len(segments)-1); err != nil {
			return err
		}
	}
	last := segments[len(segments)-1]
	if last == "" {
		last = segments[len(segments)-2] // only the last may be empty, and it is not alone
	}
	if begins(segments[0]) || begins(last) {
		return refuse(ReasonOption, "the path, or its last part, begins with a dash, like an option")
	}
	return checkQuery(s)
}

// begins tells whether the segment begins with a dash, once it is decoded.
func begins(segment string) bool {
	plain, _ := url.PathUnescape(segment) // was checked
	return strings.HasPrefix(plain, "-")
}

func checkSegment(s Source, segment string, last bool) error {
	if segment == "" {
		if last {
			return nil
		}
		return refuse(ReasonPath, "there are two slashes in the path, with nothing between")
	}
	allowed := "-._~+=,"
	if s.scheme != "ssh" {
		allowed += "%" // ssh's paths are decoded by git in one form of URL and not in the other
	}
	if s.kind == Tarball {
		allowed += "!$&'()*;:"
	}
	if firstNot(segment, func(c byte) bool { return isAlnum(c) || strings.IndexByte(allowed, c) >= 0 }) >= 0 {
		return refuse(ReasonPath, "the path has a character that is neither a letter, a digit nor one of %s", allowed)
	}
	plain, err := url.PathUnescape(segment)
	switch {
	case err != nil:
		return refuse(ReasonPath, "a percent sign in the path is not followed by two hexadecimal digits")
	case firstNot(plain, func(c byte) bool { return c >= ' ' && c != 0x7f && c != '\\' }) >= 0:
		return refuse(ReasonCharacter, "the path has a control character or a backslash, percent-encoded")
	case plain == "." || plain == "..":
		return refuse(ReasonPath, "a path with . or .. is made into another by some programs; write the one that is meant")
	}
	return nil
}

func checkQuery(s Source) error {
	if s.query == "" {
		return nil
	}
	if s.kind == Git {
		return refuse(ReasonForm, "the URL of a repository has no query")
	}
	plain, err := url.QueryUnescape(s.query)
	if err != nil {
		return refuse(ReasonForm, "a percent sign in the query is not followed by two hexadecimal digits")
	}
	if firstNot(plain, func(c byte) bool { return c >= ' ' && c != 0x7f }) >= 0 {
		return refuse(ReasonCharacter, "the query has a control character, percent-encoded")
	}
	return nil
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isAlnum(c byte) bool { return isDigit(c) || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
