package library

import (
	"unicode/utf8"

	"podlife/tla/value"
)

// sequences is the module Sequences. As in TLC, a string is a sequence of characters to Len, Tail, SubSeq and \o, and to no other operator. A
// character is a code point.
func sequences(t table) {
	t.fixed("Sequences", "Seq", 1, func(_ *Env, args []value.Value) value.Value {
		if args[0].Kind() != value.KindSet {
			wrong("Seq", "first", "a set", args[0])
		}
		return value.Sequences(args[0])
	})
	t.fixed("Sequences", "Len", 1, length)
	t.fixed("Sequences", `\o`, 2, func(_ *Env, args []value.Value) value.Value { return concat(args[0], args[1]) })
	t.fixed("Sequences", "Append", 2, func(_ *Env, args []value.Value) value.Value {
		return appended(sequence("Append", "first", args[0]), args[1])
	})
	t.fixed("Sequences", "Head", 1, func(_ *Env, args []value.Value) value.Value {
		return notEmpty("Head", sequence("Head", "first", args[0]))[0]
	})
	t.fixed("Sequences", "Tail", 1, tail)
	t.fixed("Sequences", "SubSeq", 3, func(_ *Env, args []value.Value) value.Value { return subSeq(args[0], args[1], args[2]) })
	t.fixed("Sequences", "SelectSeq", 2, selectSeq)
}

// notEmpty raises for an empty sequence.
func notEmpty(op string, elems []value.Value) []value.Value {
	if len(elems) == 0 {
		value.Raise(CodeEmpty, "%s of the empty sequence", op)
	}
	return elems
}

func length(_ *Env, args []value.Value) value.Value {
	switch s := args[0].(type) {
	case *value.Tuple:
		return value.NewInt(int64(s.Len()))
	case *value.Str:
		return value.NewInt(int64(utf8.RuneCountInString(s.Text())))
	}
	return value.NewInt(int64(len(sequence("Len", "first", args[0]))))
}

// maxText is the length of a string in bytes above which \o raises instead of using up the machine.
const maxText = 1 << 26

func concat(a, b value.Value) value.Value {
	if s, ok := a.(*value.Str); ok {
		t := text(`\o`, "second", b)
		if len(s.Text())+len(t) > maxText {
			value.Raise(value.CodeTooLarge, "a string of more than %d bytes", maxText)
		}
		return value.NewString(s.Text() + t)
	}
	s, t := sequence(`\o`, "first", a), sequence(`\o`, "second", b)
	switch {
	case len(s) == 0:
		return value.NewTuple(t)
	case len(t) == 0:
		return value.NewTuple(s)
	}
	return joined(s, t)
}

// joined makes one sequence of several.
func joined(parts ...[]value.Value) value.Value {
	n := 0
	for _, p := range parts {
		n += len(p)
	}
	if n > value.MaxElements {
		value.Raise(value.CodeTooLarge, "a sequence of more than %d elements", value.MaxElements)
	}
	all := make([]value.Value, 0, n)
	for _, p := range parts {
		all = append(all, p...)
	}
	return value.NewTuple(all)
}

func appended(s []value.Value, e value.Value) value.Value {
	all := make([]value.Value, len(s)+1)
	copy(all, s)
	all[len(s)] = e
	return value.NewTuple(all)
}

func tail(_ *Env, args []value.Value) value.Value {
	if s, ok := args[0].(*value.Str); ok {
		if s.Text() == "" {
			value.Raise(CodeEmpty, "Tail of the empty string")
		}
		_, size := utf8.DecodeRuneInString(s.Text())
		return value.NewString(s.Text()[size:])
	}
	return value.NewTuple(notEmpty("Tail", sequence("Tail", "first", args[0]))[1:])
}

// subSeq is the elements from m to n, the empty sequence when m is above n; otherwise both have to be positions of s.
func subSeq(s, m, n value.Value) value.Value {
	str, isText := s.(*value.Str)
	var elems []value.Value
	var chars []rune
	if !isText {
		elems = sequence("SubSeq", "first", s)
	}
	integer("SubSeq", "second", m)
	integer("SubSeq", "third", n)
	if value.Less(n, m) {
		if isText {
			return value.NewString("")
		}
		return value.EmptyTuple()
	}
	size := len(elems)
	if isText {
		chars = []rune(str.Text())
		size = len(chars)
	}
	from, to := position("SubSeq", "second", m, size, s), position("SubSeq", "third", n, size, s)
	if isText {
		return value.NewString(string(chars[from-1 : to]))
	}
	if from == 1 && to == size {
		return value.NewTuple(elems)
	}
	return joined(elems[from-1 : to])
}

// position gives an argument that has to be one of the positions 1..size of s.
func position(op, which string, v value.Value, size int, s value.Value) int {
	n, ok := integer(op, which, v)
	if !ok || n < 1 || n > int64(size) {
		value.Raise(value.CodeDomain, "the %s argument of %s is %s, which is not among the positions 1..%d of %s", which, op, show(v), size, show(s))
	}
	return int(n)
}

func selectSeq(_ *Env, args []value.Value) value.Value {
	elems := sequence("SelectSeq", "first", args[0])
	if len(elems) == 0 {
		return value.EmptyTuple()
	}
	passes := predicate("SelectSeq", "second", args[1])
	var selected []value.Value
	for _, e := range elems {
		if passes(e) {
			selected = append(selected, e)
		}
	}
	return value.NewTuple(selected)
}
