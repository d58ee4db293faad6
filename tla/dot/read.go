package dot

import (
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Read reads a graph that a Writer or TLC wrote, with any of TLC's options for dot. The legend that "colorize" adds is passed over. Anything
// else that is not in that form is a *FormatError, and so are a state that is told twice and an edge of a state that is not told; an error of r
// is passed on.
func Read(r io.Reader) (*Graph, error) {
	text, err := io.ReadAll(io.LimitReader(r, MaxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("dot: %w", err)
	}
	if len(text) > MaxBytes {
		return nil, &FormatError{Problem: fmt.Sprintf("longer than %d bytes", MaxBytes)}
	}
	p := &reader{text: string(text), line: 1, told: map[int64]bool{}}
	if err := p.read(); err != nil {
		return nil, err
	}
	for i, e := range p.graph.Edges {
		for _, id := range []int64{e.From, e.To} {
			if !p.told[id] {
				return nil, &FormatError{p.edgeLines[i], fmt.Sprintf("the edge is of %d, and no line tells that state", id)}
			}
		}
	}
	return &p.graph, nil
}

type reader struct {
	text  string
	at    int
	line  int
	graph Graph
	told  map[int64]bool

	edgeLines []int
	depth     int // of braces
	opened    bool
	legend    int // the depth of the legend's brace; 0 is outside of it
}

// kinds of tokens; those of punctuation are the text itself.
type token struct {
	kind rune // 'w' word or number, 's' string, 'e' end, or the punctuation
	text string
	line int
}

func (p *reader) fail(line int, format string, args ...any) error {
	return &FormatError{line, fmt.Sprintf(format, args...)}
}

func (p *reader) read() error {
	first, err := p.next()
	if err == nil && first.text == "strict" {
		first, err = p.next()
	}
	if err != nil {
		return err
	}
	if first.text != "digraph" {
		return p.fail(first.line, "%.40q, want digraph: not a state graph", first.text)
	}
	for {
		t, err := p.next()
		if err != nil {
			return err
		}
		switch {
		case t.kind == 'e':
			if p.depth != 0 || !p.opened {
				return p.fail(t.line, "the file ends inside the graph")
			}
			return nil
		case t.kind == '{':
			p.depth++
			p.opened = true
		case t.kind == '}':
			if p.depth--; p.depth < 0 {
				return p.fail(t.line, "a brace too many")
			}
			if p.depth < p.legend {
				p.legend = 0
			}
		case t.kind == ';':
		case t.kind == 'w' || t.kind == 's':
			if err := p.statement(t); err != nil {
				return err
			}
		default:
			return p.fail(t.line, "%q does not begin a statement", t.text)
		}
	}
}

// statement reads what begins with a word: a state, an edge, or something of the drawing.
func (p *reader) statement(first token) error {
	id, err := strconv.ParseInt(first.text, 10, 64)
	isState := first.kind == 'w' && err == nil && p.legend == 0
	if p.depth == 0 && (p.opened || first.text != "DiskGraph") {
		return p.fail(first.line, "%.40q is outside the braces", first.text)
	}
	if first.text == "subgraph" {
		name, err := p.next()
		if err == nil && name.text == "cluster_legend" {
			p.legend = p.depth + 1
		}
		return err
	}
	switch {
	case p.peek("->"):
		if !isState {
			return p.fail(first.line, "an edge from %.40q, which is no state", first.text)
		}
		return p.edge(id, first.line)
	case p.peek("="):
		_, _ = p.next()
		_, err := p.next()
		return err
	case p.peek("["):
		attributes, err := p.attributes()
		if err != nil || !isState {
			return err
		}
		return p.state(id, first.line, attributes)
	}
	return nil // a state in a rank, the graph's name
}

func (p *reader) state(id int64, line int, attributes map[string]string) error {
	label, ok := attributes["label"]
	if !ok {
		return p.fail(line, "state %d has no label", id)
	}
	if p.told[id] {
		return p.fail(line, "state %d is told twice", id)
	}
	p.told[id] = true
	outside := attributes["fillcolor"] != ""
	p.graph.Nodes = append(p.graph.Nodes, Node{ID: id, Label: label, Initial: attributes["style"] == "filled" && !outside, Outside: outside})
	return nil
}

func (p *reader) edge(from int64, line int) error {
	_, _ = p.next() // the arrow
	t, err := p.next()
	if err != nil {
		return err
	}
	to, err := strconv.ParseInt(t.text, 10, 64)
	if err != nil || t.kind != 'w' {
		return p.fail(t.line, "an edge to %.40q, which is no state", t.text)
	}
	label := ""
	if p.peek("[") {
		attributes, err := p.attributes()
		if err != nil {
			return err
		}
		if attributes["style"] == "dashed" {
			return nil // TLC's "stuttering": no step of the specification's
		}
		label = attributes["label"]
	}
	p.graph.Edges = append(p.graph.Edges, Edge{from, to, label})
	p.edgeLines = append(p.edgeLines, line)
	return nil
}

// attributes reads "[name=value, ...]".
func (p *reader) attributes() (map[string]string, error) {
	_, _ = p.next() // the bracket
	found := map[string]string{}
	for {
		name, err := p.next()
		if err != nil {
			return nil, err
		}
		if name.kind == ']' {
			return found, nil
		}
		if name.kind == ',' || name.kind == ';' {
			continue
		}
		equals, err := p.next()
		if err != nil {
			return nil, err
		}
		value, err := p.next()
		if err != nil {
			return nil, err
		}
		if name.kind != 'w' || equals.kind != '=' || value.kind != 'w' && value.kind != 's' {
			return nil, p.fail(name.line, "%.40q is no attribute with a value", name.text)
		}
		found[name.text] = value.text
	}
}

func (p *reader) space() {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		if p.text[p.at] == '\n' {
			p.line++
		}
		p.at++
	}
}

// peek tells whether the next token begins with this.
func (p *reader) peek(punctuation string) bool {
	p.space()
	return strings.HasPrefix(p.text[p.at:], punctuation)
}

func (p *reader) next() (token, error) {
	p.space()
	start, line := p.at, p.line
	if start == len(p.text) {
		return token{'e', "the end", line}, nil
	}
	switch c := p.text[start]; {
	case strings.HasPrefix(p.text[start:], "->"):
		p.at += 2
		return token{'>', "->", line}, nil
	case strings.IndexByte("{}[]=;,", c) >= 0:
		p.at++
		return token{rune(c), string(c), line}, nil
	case c == '"':
		return p.quoted()
	}
	for p.at < len(p.text) && wordByte(p.text[p.at]) {
		p.at++
	}
	if p.at == start {
		return token{}, p.fail(line, "%q is not understood", p.text[start])
	}
	return token{'w', p.text[start:p.at], line}, nil
}

// wordByte is part of a word or number. TLC's legend has names with a colon in place of "!", written without quotation marks.
func wordByte(c byte) bool {
	return c == '_' || c == '-' || c == '.' || c == ':' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// quoted reads a string. A line may end inside it: TLC does not escape the line break before the name of the constraint that excluded a state.
func (p *reader) quoted() (token, error) {
	line := p.line
	var b strings.Builder
	for p.at++; p.at < len(p.text); p.at++ {
		c := p.text[p.at]
		switch {
		case c == '"':
			p.at++
			return token{'s', b.String(), line}, nil
		case c == '\\':
			if p.at++; p.at == len(p.text) {
				continue
			}
			switch e := p.text[p.at]; e {
			case 'n':
				b.WriteByte('\n')
			case '"', '\\':
				b.WriteByte(e)
			default:
				return token{}, p.fail(p.line, `"\%c" in a string is not understood`, e)
			}
		default:
			if c == '\n' {
				p.line++
			}
			b.WriteByte(c)
		}
	}
	return token{}, p.fail(line, "a string without an end")
}
