package main

import (
	"errors"
	"strings"
	"testing"
)

func TestWordsThatCannotBeSent(t *testing.T) {
	for name, c := range map[string]struct {
		words []string
		says  string // empty: they can
	}{
		"none":                        {},
		"some":                        {words: []string{"ls", "-l", "café\n"}},
		"no UTF-8":                    {words: []string{"cat", "a\xff"}, says: `"a\xff" is not UTF-8`},
		"too many":                    {words: []string{strings.Repeat("a", 61<<10)}, says: "are allowed"},
		"too many when they are sent": {words: []string{strings.Repeat("\x01", 11<<10)}, says: "are allowed"},
	} {
		err := wellFormed(c.words...)
		var usage *usageError
		if c.says == "" && err != nil || c.says != "" && (!errors.As(err, &usage) || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
