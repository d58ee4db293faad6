package library

import (
	"bytes"
	"testing"

	"podlife/tla/value"
)

// A JSON text is a value or an error, and a value that is one is the same after it was written and read again.
func FuzzJSON(f *testing.F) {
	for _, s := range []string{`{"a":[1,-2,true,"x"],"b":{}}`, "1e3", "null", `"\ud800"`, "[[[[]]]]", `{"a":1,"a":2}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := parseJSON(data)
		if err != nil {
			return
		}
		again, err := parseJSON(appendJSON(nil, v, 0))
		if err != nil || !value.Equal(v, again) {
			t.Errorf("%v is read back as %v, error %v", v, again, err)
		}
	})
}

// A file of TLC's is a value or an error, and a value that can be written is the same when it is read again.
func FuzzTLCFile(f *testing.F) {
	f.Add([]byte("\x07\x00\x02\x00\x01\x01\x00\x00\x00\x05"))
	f.Add([]byte("\x04\xff\xff\xff\xff\x03\x00\x00\x00\x00\xff\xff\xff\xff\x00\x00\x00\x01a\x1a\x00\x01"))
	f.Add([]byte("\x09\x00\x01\x02\x00\x01\x05\x00\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := decodeTLC(data, false)
		if err != nil {
			return
		}
		var out []byte
		if value.Catch(func() { out = encodeTLC(value.Normalize(v), false) }) != nil {
			return // an interval that is too large to be written out, a set of values that cannot be compared
		}
		again, err := decodeTLC(out, false)
		if err != nil || !bytes.Equal(out, encodeTLC(value.Normalize(again), false)) {
			t.Errorf("%v is read back as %v, error %v", v, again, err)
		}
	})
}

// A template is filled or refused.
func FuzzFormat(f *testing.F) {
	f.Add("%1$-5.2s%%%n", "abc")
	f.Add("%<s", "")
	f.Fuzz(func(t *testing.T, template, arg string) {
		if out, err := format(template, []string{arg, arg}); err == nil && len(out) > (len(template)+1)*(len(arg)+maxWidth) {
			t.Errorf("%q gives %d bytes", template, len(out))
		}
	})
}
