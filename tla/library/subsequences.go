package library

import (
	"strings"

	"podlife/tla/value"
)

// subsequences is what SequencesExt has on prefixes, suffixes and parts of sequences. A word is a sequence or, as in TLC, a string.
func subsequences(t table) {
	const module = "SequencesExt"
	t.fixed(module, "IsPrefix", 2, func(_ *Env, args []value.Value) value.Value {
		s, u := words("IsPrefix", args[0], args[1])
		return value.Bool(startsWith(u, s))
	})
	t.own(module, "IsSuffix", 2, func(_ *Env, args []value.Value) value.Value {
		s, u := sequence("IsSuffix", "first", args[0]), sequence("IsSuffix", "second", args[1])
		return value.Bool(startsWith(reversed(u), reversed(s)))
	})
	t.own(module, "Prefixes", 1, func(env *Env, args []value.Value) value.Value {
		s := sequence("Prefixes", "first", args[0])
		all := make([]value.Value, len(s)+1)
		for n := range all {
			all[n] = value.NewTuple(s[:n:n])
		}
		return env.Work.NewSet(all)
	})
	t.fixed(module, "Suffixes", 1, func(env *Env, args []value.Value) value.Value {
		s := sequence("Suffixes", "first", args[0])
		all := make([]value.Value, len(s)+1)
		for n := range all {
			all[n] = value.NewTuple(s[len(s)-n:])
		}
		return env.Work.NewSet(all)
	})
	t.fixed(module, "LongestCommonPrefix", 1, longestCommonPrefix)
	t.own(module, "SubSeqs", 1, func(env *Env, args []value.Value) value.Value {
		s := sequence("SubSeqs", "first", args[0])
		n := value.NewInt(int64(len(s)))
		limit("SubSeqs", value.Mul(n, n))
		all := []value.Value{value.EmptyTuple()}
		for i := range s {
			for j := i + 1; j <= len(s); j++ {
				all = append(all, value.NewTuple(s[i:j:j]))
			}
		}
		return env.Work.NewSet(all)
	})
	t.fixed(module, "AllSubSeqs", 1, func(env *Env, args []value.Value) value.Value {
		s := sequence("AllSubSeqs", "first", args[0])
		limit("AllSubSeqs", value.Pow(value.NewInt(2), value.NewInt(int64(len(s)))))
		var all []value.Value
		for k := range len(s) + 1 {
			combinations(len(s), k, func(chosen []int) {
				part := make([]value.Value, k)
				for i, j := range chosen {
					part[i] = s[j]
				}
				all = append(all, value.NewTuple(part))
			})
		}
		return env.Work.NewSet(all)
	})
	t.own(module, "IndexFirstSubSeq", 2, func(_ *Env, args []value.Value) value.Value {
		s, u := sequence("IndexFirstSubSeq", "first", args[0]), sequence("IndexFirstSubSeq", "second", args[1])
		at := indexOf(u, s)
		if at < 0 {
			value.Raise(value.CodeDomain, "IndexFirstSubSeq: %s is not in %s", show(args[0]), show(args[1]))
		}
		return value.NewInt(int64(at) + 1)
	})
	// TLC computes the next two itself for strings alone, and by the definition for sequences; that means the same.
	t.fixed(module, "ReplaceFirstSubSeq", 3, func(_ *Env, args []value.Value) value.Value {
		const op = "ReplaceFirstSubSeq"
		if r, s, u, ok := threeTexts(op, args); ok {
			return value.NewString(strings.Replace(u, s, r, 1))
		}
		r, s, u := sequence(op, "first", args[0]), sequence(op, "second", args[1]), sequence(op, "third", args[2])
		at := indexOf(u, s)
		if at < 0 {
			return args[2]
		}
		return joined(u[:at], r, u[at+len(s):])
	})
	t.fixed(module, "ReplaceAllSubSeqs", 3, func(_ *Env, args []value.Value) value.Value {
		const op = "ReplaceAllSubSeqs"
		if r, s, u, ok := threeTexts(op, args); ok {
			return replaceInText(r, s, u)
		}
		r, s, u := sequence(op, "first", args[0]), sequence(op, "second", args[1]), sequence(op, "third", args[2])
		return replaceAllIn(r, s, u)
	})
}

// words gives two sequences of elements or two of characters.
func words(op string, a, b value.Value) (s, u []value.Value) {
	_, aText := a.(*value.Str)
	_, bText := b.(*value.Str)
	if aText && bText {
		return characters(text(op, "first", a)), characters(text(op, "second", b))
	}
	return sequence(op, "first", a), sequence(op, "second", b)
}

// characters are the code points of a string, as strings.
func characters(s string) []value.Value {
	var all []value.Value
	for _, r := range s {
		all = append(all, value.NewString(string(r)))
	}
	return all
}

// threeTexts gives the arguments if all are strings.
func threeTexts(op string, args []value.Value) (r, s, u string, ok bool) {
	for _, a := range args {
		if _, ok := a.(*value.Str); !ok {
			return "", "", "", false
		}
	}
	return text(op, "first", args[0]), text(op, "second", args[1]), text(op, "third", args[2]), true
}

// startsWith tells whether s begins with prefix.
func startsWith(s, prefix []value.Value) bool {
	if len(prefix) > len(s) {
		return false
	}
	for i, e := range prefix {
		if !value.Equal(e, s[i]) {
			return false
		}
	}
	return true
}

// indexOf is the first place of u at which s begins, or -1.
func indexOf(u, s []value.Value) int {
	for i := 0; i+len(s) <= len(u); i++ {
		if startsWith(u[i:], s) {
			return i
		}
	}
	return -1
}

// replaceInText is ReplaceAllSubSeqs for strings: an empty s is before each character, and r alone takes the place of an empty string.
func replaceInText(r, s, u string) value.Value {
	if s != "" {
		return value.NewString(strings.ReplaceAll(u, s, r))
	}
	if u == "" {
		return value.NewString(r)
	}
	var out strings.Builder
	for _, c := range u {
		out.WriteString(r)
		out.WriteRune(c)
	}
	return value.NewString(out.String())
}

func replaceAllIn(r, s, u []value.Value) value.Value {
	var out []value.Value
	if len(s) == 0 {
		if len(u) == 0 {
			return value.NewTuple(r)
		}
		if len(r) == 0 {
			return value.NewTuple(u)
		}
		for _, e := range u {
			out = append(append(out, r...), e)
		}
		return value.NewTuple(out)
	}
	for {
		at := indexOf(u, s)
		if at < 0 {
			return joined(out, u)
		}
		out = append(append(out, u[:at]...), r...)
		u = u[at+len(s):]
	}
}

// longestCommonPrefix is that of a set of sequences, or of strings, that is not empty.
func longestCommonPrefix(env *Env, args []value.Value) value.Value {
	const op = "LongestCommonPrefix"
	elems := setOf(op, "first", args[0])
	if len(elems) == 0 {
		value.Raise(CodeEmpty, "%s of the empty set", op)
	}
	_, isText := elems[0].(*value.Str)
	var prefix []value.Value
	for i, e := range elems {
		var s []value.Value
		if isText {
			s = characters(text(op, "first", e))
		} else {
			s = sequence(op, "first", e)
		}
		if i == 0 {
			prefix = s
			continue
		}
		n := 0
		for n < min(len(prefix), len(s)) && env.Work.Equal(prefix[n], s[n]) {
			n++
		}
		prefix = prefix[:n:n]
	}
	if !isText {
		return value.NewTuple(prefix)
	}
	var out strings.Builder
	for _, c := range prefix {
		out.WriteString(c.(*value.Str).Text())
	}
	return value.NewString(out.String())
}
