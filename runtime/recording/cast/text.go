package cast

import "unicode/utf8"

// text makes text of bytes that come in pieces. A rune that is split between two pieces is held back until it is whole; each byte that belongs to none becomes U+FFFD.
type text struct{ held []byte }

// add gives the text of what was held back and b, as far as it is whole.
func (t *text) add(b []byte) string {
	all := append(t.held, b...)
	whole := len(all) - partial(all)
	s := valid(all[:whole])
	t.held = append([]byte(nil), all[whole:]...)
	return s
}

// end gives what is held back, which will not be whole any more.
func (t *text) end() string {
	s := valid(t.held)
	t.held = nil
	return s
}

// partial is how many bytes at the end of b are the beginning of a rune.
func partial(b []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(b); n++ {
		if last := b[len(b)-n:]; utf8.RuneStart(last[0]) {
			if utf8.FullRune(last) {
				return 0
			}
			return n
		}
	}
	return 0
}

// valid gives b with U+FFFD for each byte that belongs to no rune.
func valid(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	return string([]rune(string(b)))
}
