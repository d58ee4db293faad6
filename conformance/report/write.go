package report

import (
	_ "embed"
	"fmt"
	"html"
	"html/template"
	"io"
	"strings"
)

//go:embed page.html
var pageHTML string

//go:embed page.css
var pageCSS string

//go:embed page.js
var pageJS string

// Write writes the page: one HTML file that asks nobody for anything. All text in it is escaped by the template; the picture, which is a page of its own with a script, is kept in a frame that may do
// nothing else.
func (p Page) Write(w io.Writer) error {
	t, err := template.New("page").Funcs(template.FuncMap{
		"n":     Thousands,
		"count": count,
		"css":   func() template.CSS { return template.CSS(pageCSS) },
		"js":    func() template.JS { return template.JS(pageJS) },
		"frame": func(text string) template.HTMLAttr {
			return template.HTMLAttr(`srcdoc="` + html.EscapeString(text) + `"`)
		},
		"join":      strings.Join,
		"dots":      func(name string) []string { return strings.Split(name, ".") },
		"class":     classWords,
		"seconds":   func(s float64) string { return fmt.Sprintf("%.1f", s) },
		"add":       func(a, b int) int { return a + b },
		"line":      func(y, line int) int { return y + 17 + 16*line },
		"nodeWidth": func() int { return nodeWidth }, "nodeHeight": func() int { return nodeHeight },
	}).Parse(pageHTML)
	if err != nil {
		return err
	}
	return t.Execute(w, p)
}

// At gives, for each lane, the value that this frame has there.
func (f Frame) At(lane int) Value { return f.Values[lane] }

// Count is how often the engine with this index took the edge.
func (e Edge) Count(engine int) int { return e.Counts[engine] }
