package eval

import (
	"bytes"

	"podlife/tla/diag"
	"podlife/tla/module"
	"podlife/tla/value"
)

// TLC orders strings and model values by when it meets them first, and its order of sets, on which CHOOSE and the order of the search depend, comes from
// that. It reads the configuration first, then the names in the root module and in the modules that it needs, and then the strings, beginning with the module that
// needs no other. The order is of the whole process (see value.DeclareStrings): a test of several specifications does better without.

// DeclareConfigNames takes over TLC's order of the names and strings of a configuration. It has to be called before that is parsed.
func DeclareConfigNames(cfg *diag.Source) {
	names, _ := namesOf(cfg.Text, true)
	value.DeclareStrings(names...)
}

// DeclareModuleNames takes over TLC's order of the names and strings of a module and all that it needs. It has to be called before Compile.
func DeclareModuleNames(m *module.Module) {
	read := m.Sources()
	for _, s := range read {
		names, _ := namesOf(s.Text, false)
		value.DeclareStrings(names...)
	}
	for _, s := range inOrderOfNeed(m, read) {
		_, strings := namesOf(s.Text, false)
		value.DeclareStrings(strings...)
	}
}

// inOrderOfNeed puts the texts of modules after those that they extend. Of one that is only instantiated all that is known is that the root needs it.
func inOrderOfNeed(root *module.Module, read []*diag.Source) []*diag.Source {
	var order []*diag.Source
	done := map[*diag.Source]bool{}
	put := func(s *diag.Source) {
		if s != nil && !done[s] {
			done[s] = true
			order = append(order, s)
		}
	}
	visited := map[*module.Module]bool{}
	var visit func(m *module.Module)
	visit = func(m *module.Module) {
		if visited[m] {
			return
		}
		visited[m] = true
		for _, e := range m.Extends {
			visit(e)
		}
		if m == root {
			for _, s := range read {
				if s != m.Span.Source {
					put(s)
				}
			}
		}
		put(m.Span.Source)
	}
	visit(root)
	return order
}

// namesOf lists the identifiers and the strings of a text outside of comments, each where it stands first, or with both in one list. In a module, what stands
// before its head is left out.
func namesOf(text []byte, both bool) (names, strings []string) {
	if i := bytes.Index(text, []byte("MODULE")); i >= 0 && bytes.Contains(text[:i], []byte("----")) {
		text = text[bytes.LastIndex(text[:i], []byte("----")):]
	}
	type entry struct {
		list *[]string
		name string
	}
	seen := map[entry]bool{}
	put := func(list *[]string, name string) {
		if e := (entry{list, name}); !seen[e] {
			seen[e] = true
			*list = append(*list, name)
		}
	}
	literals := &strings
	if both {
		literals = &names
	}
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case bytes.HasPrefix(text[i:], []byte(`\*`)):
			i = endOfLine(text, i)
		case bytes.HasPrefix(text[i:], []byte("(*")):
			i = endOfComment(text, i)
		case c == '"':
			var s []byte
			for i++; i < len(text) && text[i] != '"' && text[i] != '\n'; i++ {
				if text[i] == '\\' && i+1 < len(text) {
					i++
					s = append(s, unescaped(text[i]))
					continue
				}
				s = append(s, text[i])
			}
			i++
			put(literals, string(s))
		case isLetter(c) || c >= '0' && c <= '9':
			start, letters := i, false
			for ; i < len(text) && (isLetter(text[i]) || text[i] >= '0' && text[i] <= '9'); i++ {
				letters = letters || isLetter(text[i])
			}
			if letters {
				put(&names, string(text[start:i]))
			}
		case c == '\\':
			// An operator such as \in is no identifier.
			for i++; i < len(text) && isLetter(text[i]); i++ {
			}
		default:
			i++
		}
	}
	return names, strings
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' }

func unescaped(c byte) byte {
	switch c {
	case 'n':
		return '\n'
	case 't':
		return '\t'
	case 'r':
		return '\r'
	case 'f':
		return '\f'
	}
	return c
}

func endOfLine(text []byte, i int) int {
	if n := bytes.IndexByte(text[i:], '\n'); n >= 0 {
		return i + n
	}
	return len(text)
}

func endOfComment(text []byte, i int) int {
	depth := 0
	for i < len(text) {
		switch {
		case bytes.HasPrefix(text[i:], []byte("(*")):
			depth++
			i += 2
		case bytes.HasPrefix(text[i:], []byte("*)")):
			depth--
			i += 2
			if depth == 0 {
				return i
			}
		default:
			i++
		}
	}
	return i
}
