package main

import (
	"strconv"
	"strings"
)

// printable makes foreign text harmless on a terminal: control characters are shown as escapes, but for line breaks and tabs.
func printable(s string) string {
	clean := func(r rune) bool { return r == '\n' || r == '\t' || strconv.IsPrint(r) && r != '\uFFFD' }
	if strings.IndexFunc(s, func(r rune) bool { return !clean(r) }) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range strings.ReplaceAll(s, "\r\n", "\n") {
		if clean(r) {
			b.WriteRune(r)
		} else {
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		}
	}
	return b.String()
}

// cell makes foreign text harmless in one field of one line: as printable, without line breaks and tabs.
func cell(s string) string {
	return strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(printable(s))
}

// indent puts spaces before every line and makes sure that the last one ends.
func indent(s string) string {
	s = strings.TrimRight(s, "\n")
	if s == "" {
		return ""
	}
	return "    " + strings.ReplaceAll(s, "\n", "\n    ") + "\n"
}
