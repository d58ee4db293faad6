package library

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// format puts texts into a template as Java's String.format does for %s: %s is the next argument, %2$s the second, %<s the one before again, %-8s and %8s
// pad, %.3s cuts, %S is in capitals, %n ends the line, %% is a percent sign. Every other conversion is an error.
func format(template string, args []string) (string, error) {
	var out strings.Builder
	next, last := 0, -1
	for {
		before, rest, found := strings.Cut(template, "%")
		out.WriteString(before)
		if !found {
			return out.String(), nil
		}
		s, used, err := parseSpecifier(rest)
		if err != nil {
			return "", err
		}
		template = rest[used:]
		switch s.conversion {
		case 'n':
			out.WriteString("\n")
			continue
		case '%':
			out.WriteString(s.pad("%"))
			continue
		}
		at := s.arg
		switch at {
		case argNext:
			at = next
			next++
		case argLast:
			at = last
		}
		if at < 0 || at >= len(args) {
			return "", fmt.Errorf("the template's %%%s has no argument: there are %d", rest[:used], len(args))
		}
		last = at
		arg := args[at]
		if s.precision >= 0 && utf8.RuneCountInString(arg) > s.precision {
			arg = string([]rune(arg)[:s.precision])
		}
		if s.conversion == 'S' {
			arg = strings.ToUpper(arg)
		}
		out.WriteString(s.pad(arg))
	}
}

// Which argument a specifier takes, where it names none by number.
const (
	argNext = -1
	argLast = -2
)

// maxWidth bounds width and precision.
const maxWidth = 10_000

type specifier struct {
	arg        int // from 0, or argNext or argLast
	left       bool
	width      int
	precision  int // -1: none
	conversion byte
}

// parseSpecifier reads what follows a percent sign and says how many bytes that is.
func parseSpecifier(s string) (spec specifier, used int, err error) {
	spec = specifier{arg: argNext, precision: -1}
	i := 0
	number := func() (n int, ok bool) {
		start := i
		for i < len(s) && s[i] >= '0' && s[i] <= '9' {
			i++
		}
		n, err := strconv.Atoi(s[start:i])
		return n, err == nil && n <= maxWidth
	}
	bad := func() error {
		end := min(len(s), i+1)
		return fmt.Errorf("the template has %%%s, which is not among %%s, %%1$s, %%-8s, %%.3s, %%S, %%n and %%%%", s[:end])
	}
	if strings.HasPrefix(s, "<") {
		spec.arg, i = argLast, 1
	} else if n, ok := number(); ok && i < len(s) && s[i] == '$' && n > 0 {
		spec.arg = n - 1
		i++
	} else {
		i = 0
	}
	if i < len(s) && s[i] == '-' {
		spec.left = true
		i++
	}
	if i < len(s) && s[i] >= '1' && s[i] <= '9' {
		n, ok := number()
		if !ok {
			return spec, i, bad()
		}
		spec.width = n
	}
	if i < len(s) && s[i] == '.' {
		i++
		n, ok := number()
		if !ok {
			return spec, i, bad()
		}
		spec.precision = n
	}
	if i >= len(s) || !strings.Contains("sSn%", s[i:i+1]) || spec.left && spec.width == 0 {
		return spec, i, bad()
	}
	spec.conversion = s[i]
	return spec, i + 1, nil
}

func (s specifier) pad(text string) string {
	missing := max(0, s.width-utf8.RuneCountInString(text))
	if s.left {
		return text + strings.Repeat(" ", missing)
	}
	return strings.Repeat(" ", missing) + text
}
