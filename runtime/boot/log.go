package boot

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"
)

// TailSize is how much of a log's end is kept for the error that a boot may end in, in bytes.
const TailSize = 4 << 10

// Tail keeps the last TailSize bytes of what is written to it. The zero value is ready; it is not for concurrent use.
type Tail struct {
	ring [TailSize]byte
	n    int // bytes ever written
}

// WriteString adds to the tail.
func (t *Tail) WriteString(s string) {
	if skip := len(s) - TailSize; skip > 0 {
		t.n += skip
		s = s[skip:]
	}
	for len(s) > 0 {
		k := copy(t.ring[t.n%TailSize:], s)
		t.n += k
		s = s[k:]
	}
}

// String gives the tail as valid UTF-8 of at most TailSize bytes.
func (t *Tail) String() string {
	if t.n <= TailSize {
		return cutUTF8(string(t.ring[:t.n]))
	}
	at := t.n % TailSize
	s := string(t.ring[at:]) + string(t.ring[:at])
	// The cut may have gone through a rune.
	for i := 0; i < utf8.UTFMax && len(s) > 0 && !utf8.RuneStart(s[0]); i++ {
		s = s[1:]
	}
	return cutUTF8(s)
}

// cutUTF8 replaces what is not UTF-8 by one byte each, so that nothing grows.
func cutUTF8(s string) string { return strings.ToValidUTF8(s, "?") }

// Texts turns a stream of bytes into pieces of valid UTF-8 of at most MaxLog bytes, not splitting runes where reads did. The zero value is ready.
type Texts struct {
	rest []byte // the beginning of a rune that was cut
}

// Next gives the pieces that p completes.
func (t *Texts) Next(p []byte) []string {
	b := append(t.rest, p...)
	keep := incompleteEnd(b)
	pieces := split(strings.ToValidUTF8(string(b[:len(b)-keep]), "\uFFFD"))
	t.rest = append([]byte(nil), b[len(b)-keep:]...)
	return pieces
}

// End gives what is left.
func (t *Texts) End() []string {
	pieces := split(strings.ToValidUTF8(string(t.rest), "\uFFFD"))
	t.rest = nil
	return pieces
}

// incompleteEnd gives how many bytes at the end of b are the beginning of a rune that may still be completed.
func incompleteEnd(b []byte) int {
	for i := 1; i < utf8.UTFMax && i <= len(b); i++ {
		if tail := b[len(b)-i:]; utf8.RuneStart(tail[0]) {
			if utf8.FullRune(tail) {
				return 0
			}
			return i
		}
	}
	return 0
}

func split(s string) []string {
	var pieces []string
	for len(s) > MaxLog {
		at := MaxLog
		for !utf8.RuneStart(s[at]) {
			at--
		}
		pieces = append(pieces, s[:at])
		s = s[at:]
	}
	if s != "" {
		pieces = append(pieces, s)
	}
	return pieces
}

// Scrubber replaces secrets in a stream, also where they lie across two pieces of it. It holds back only bytes that may be the beginning of a secret.
type Scrubber struct {
	secrets [][]byte
	held    []byte
}

// NewScrubber makes one; empty secrets are left out.
func NewScrubber(secrets ...string) *Scrubber {
	s := &Scrubber{}
	for _, secret := range secrets {
		if secret != "" {
			s.secrets = append(s.secrets, []byte(secret))
		}
	}
	slices.SortFunc(s.secrets, func(a, b []byte) int { return len(b) - len(a) }) // one may contain another
	return s
}

// Next gives what can be told after p came, with every secret replaced by ***.
func (s *Scrubber) Next(p []byte) []byte {
	b := append(s.held, p...)
	for _, secret := range s.secrets {
		b = bytes.ReplaceAll(b, secret, []byte("***"))
	}
	hold := 0
	for _, secret := range s.secrets {
		for n := min(len(secret)-1, len(b)); n > hold; n-- {
			if bytes.HasSuffix(b, secret[:n]) {
				hold = n
			}
		}
	}
	s.held = append([]byte(nil), b[len(b)-hold:]...)
	return b[:len(b)-hold]
}

// End gives what was held back.
func (s *Scrubber) End() []byte {
	b := s.held
	s.held = nil
	return b
}
