package server

import (
	"bytes"
	"encoding/json"
	"strings"
)

// repeatedKey gives the first key that an object of the text has more than once, however deep it is. The fields of a body are the same in any case, as they are to whoever decodes it; those of the objects in it
// are its caller's own, and differ by their case. Text that is no JSON has none: its decoding says what is wrong.
func repeatedKey(text []byte) (key string, twice bool) {
	d := json.NewDecoder(bytes.NewReader(text))
	return repeatedIn(d, 0)
}

// deepest is how deep a body is looked through; none that is taken is deeper.
const deepest = 8

// repeatedIn looks through the next value.
func repeatedIn(d *json.Decoder, depth int) (key string, twice bool) {
	token, err := d.Token()
	open, nested := token.(json.Delim)
	if err != nil || !nested || depth > deepest {
		return "", false
	}
	seen := map[string]bool{}
	for d.More() {
		if open == '{' {
			token, err := d.Token()
			name, ok := token.(string)
			if err != nil || !ok {
				return "", false
			}
			same := name
			if depth == 0 {
				same = strings.ToLower(strings.ToUpper(name)) // as encoding/json has it, of more than ASCII too
			}
			if seen[same] {
				return name, true
			}
			seen[same] = true
		}
		if key, twice := repeatedIn(d, depth+1); twice {
			return key, true
		}
	}
	_, _ = d.Token() // what closes it
	return "", false
}
