package dot

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A Writer writes a graph as it is found. It keeps the IDs of nodes with a Level, and nothing else.
//
// An error of the underlying writer is kept and returned by Close; nothing is written after it.
type Writer struct {
	w      *bufio.Writer
	levels map[int][]int64
	err    error
}

// NewWriter begins a graph. Close ends it.
func NewWriter(w io.Writer) *Writer {
	d := &Writer{w: bufio.NewWriter(w), levels: map[int][]int64{}}
	d.put("strict digraph DiskGraph {\nnode [shape=box,style=rounded]\nnodesep=0.35;\nsubgraph cluster_graph {\ncolor=\"white\";\n")
	return d
}

// Node writes a state. Every state has to be written once.
func (d *Writer) Node(n Node) {
	label := quote(n.Label)
	if n.Level > 0 {
		d.levels[n.Level] = append(d.levels[n.Level], n.ID)
	}
	d.put(strconv.FormatInt(n.ID, 10), ` [label="`, label, `"`)
	switch {
	case n.Initial && n.Outside:
		d.fail(fmt.Errorf("dot: node %d is both initial and outside: the form cannot tell", n.ID))
	case n.Initial:
		d.put(",style = filled]\n")
	case n.Outside:
		d.put(`,tooltip="`, label, "\",style = filled, fillcolor=lightyellow];\n")
	default:
		d.put(`,tooltip="`, label, "\"];\n")
	}
}

// Edge writes a step.
func (d *Writer) Edge(e Edge) {
	d.put(strconv.FormatInt(e.From, 10), " -> ", strconv.FormatInt(e.To, 10), ` [label="`, quote(e.Label), "\",color=\"black\",fontcolor=\"black\"];\n")
}

// Close ends the graph. It does not close the underlying writer.
func (d *Writer) Close() error {
	for _, level := range slices.Sorted(maps.Keys(d.levels)) {
		d.put("{rank = same; ")
		for _, id := range d.levels[level] {
			d.put(strconv.FormatInt(id, 10), ";")
		}
		d.put("}\n")
	}
	d.put("}\n}\n")
	if d.err == nil {
		d.err = d.w.Flush()
	}
	return d.err
}

func (d *Writer) put(parts ...string) {
	for _, p := range parts {
		if d.err == nil {
			_, d.err = d.w.WriteString(p)
		}
	}
}

func (d *Writer) fail(err error) {
	if d.err == nil {
		d.err = err
	}
}

// quote is what stands between the quotation marks. What a terminal could take for a command, or Graphviz not for text, becomes text: ESC is written
// as a backslash and "x1b", which a string of TLA+ cannot have otherwise. A carriage return as an escape of the form itself would be alignment.
func quote(s string) string {
	var b strings.Builder
	for i, size := 0, 0; i < len(s); i += size {
		var r rune
		r, size = utf8.DecodeRuneInString(s[i:])
		switch {
		case r == '\\' || r == '"':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\\x%02x`, s[i])
		case strconv.IsPrint(r):
			b.WriteRune(r)
		default:
			b.WriteString(`\` + strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		}
	}
	return b.String()
}
