package library

import "testing"

func TestFormat(t *testing.T) {
	args := []string{"abc", "de"}
	for template, want := range map[string]string{
		"":             "",
		"%s-%s":        "abc-de",
		"%2$s%1$s%2$s": "deabcde",
		"%s%1$s%s":     "abcabcde",
		"%s%<s":        "abcabc",
		"[%5s]":        "[  abc]",
		"[%-5s]":       "[abc  ]",
		"[%2$-5.1s]":   "[d    ]",
		"%S%n%%":       "ABC\n%",
		"100%% of %s":  "100% of abc",
		"%.2s|%.9s":    "ab|de",
	} {
		if got, err := format(template, args); err != nil || got != want {
			t.Errorf("%q gives %q, error %v; want %q", template, got, err, want)
		}
	}
	for _, template := range []string{"%", "%d", "%3$s", "%s%s%s", "%<s", "%0$s", "%-s", "%5", "%.s", "%99999999s", "%x", "%1$", "%#s"} {
		if got, err := format(template, args); err == nil {
			t.Errorf("%q gives %q and no error", template, got)
		}
	}
}
