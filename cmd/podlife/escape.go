package main

import (
	"fmt"
	"unicode/utf8"
)

// escape finds ~. and ~? at the beginning of a line in what is typed, as ssh does.
type escape struct {
	key       int // the byte, or -1 for none
	lineStart bool
	held      bool // the key was typed at a line's start, and waits for what follows
}

// What a piece of typing asked for.
type escapeWish int

const (
	escapeNone escapeWish = iota
	escapeHelp
	escapeLeave
)

// parseEscape reads --escape.
func parseEscape(s string) (int, error) {
	switch {
	case s == "none":
		return -1, nil
	case len(s) == 1 && s[0] > ' ' && s[0] < 0x7f && s != "." && s != "?":
		return int(s[0]), nil
	case len(s) == 2 && s[0] == '^' && s[1]&^0x20 >= '@' && s[1]&^0x20 <= '_':
		if c := int(s[1] &^ 0x20 & 0x1f); c != '\r' && c != '\n' {
			return c, nil
		}
	}
	return 0, fmt.Errorf("--escape %.20q: a character, ^X for Ctrl-X, or none are allowed", s)
}

// filter gives what is to be sent. After a wish to leave, the rest of b is dropped.
func (e *escape) filter(b []byte) (send []byte, did escapeWish) {
	send = make([]byte, 0, len(b)+1)
	for _, c := range b {
		held := e.held
		e.held = false
		switch {
		case held && c == '.':
			return send, escapeLeave
		case held && c == '?':
			did = escapeHelp
			continue // still at the line's start
		case held && int(c) == e.key:
			send = append(send, c) // typed twice: once
		case e.lineStart && int(c) == e.key:
			e.held = true
			continue
		case held:
			send = append(send, byte(e.key), c)
		default:
			send = append(send, c)
		}
		e.lineStart = c == '\r' || c == '\n'
	}
	return send, did
}

func (e *escape) name() string {
	if e.key < utf8.RuneSelf && e.key > ' ' {
		return string(rune(e.key))
	}
	return "^" + string(rune(e.key|0x40))
}

func (e *escape) help() string {
	n := e.name()
	return fmt.Sprintf("at the beginning of a line: %s. leaves (the session goes on), %s%s types %s, %s? shows this", n, n, n, n, n)
}
