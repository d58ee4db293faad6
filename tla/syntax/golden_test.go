package syntax

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"podlife/tla/diag"
)

var update = flag.Bool("update", false, "write what the parser gives into testdata, to be read and compared with git")

// A snippet is one entry of a file in testdata:
//
//	### what it shows
//	the text
//	---
//	what becomes of it
type snippet struct{ title, text, want string }

func readSnippets(t testing.TB, file string) []snippet {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	var out []snippet
	for _, entry := range strings.Split("\n"+string(content), "\n### ")[1:] {
		title, rest, _ := strings.Cut(entry, "\n")
		text, want, _ := strings.Cut(rest, "\n---\n")
		out = append(out, snippet{title, strings.TrimRight(text, "\n"), strings.TrimRight(want, "\n")})
	}
	if len(out) == 0 {
		t.Fatalf("%s has no entries", file)
	}
	return out
}

// golden compares what becomes of each entry of a file with what the file says.
func golden(t *testing.T, file string, result func(text string) string) {
	snippets := readSnippets(t, file)
	seen := map[string]bool{}
	for i, s := range snippets {
		if seen[s.title] {
			t.Fatalf("%s has two entries %q", file, s.title)
		}
		seen[s.title] = true
		t.Run(strings.ReplaceAll(s.title, "/", "|"), func(t *testing.T) {
			got := strings.TrimRight(result(s.text), "\n")
			if *update {
				snippets[i].want = got
			} else if got != s.want {
				t.Errorf("of\n%s\ncame\n%s\nwant\n%s", s.text, got, s.want)
			}
		})
	}
	if *update {
		var b strings.Builder
		for _, s := range snippets {
			b.WriteString("### " + s.title + "\n" + s.text + "\n---\n" + s.want + "\n\n")
		}
		if err := os.WriteFile(filepath.Join("testdata", file), []byte(strings.TrimRight(b.String(), "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func rendered(err error) string {
	var b strings.Builder
	diag.Render(&b, err, false)
	return b.String()
}

// source makes the text of an entry a source. Its errors are at lines and columns of the entry.
func source(text string) *diag.Source { return diag.NewSource("t.tla", []byte(text)) }

func TestExpressions(t *testing.T) {
	golden(t, "expressions.txt", func(text string) string {
		e, err := ParseExpr(source(text))
		if err != nil {
			return rendered(err)
		}
		return dump(e) + "\n" + Print(e)
	})
}

func TestModules(t *testing.T) {
	golden(t, "modules.txt", func(text string) string {
		m, err := ParseModule(source(text))
		if err != nil {
			return rendered(err)
		}
		return dumpModule(m)
	})
}

func TestErrorsInExpressions(t *testing.T) {
	golden(t, "expression-errors.txt", func(text string) string {
		e, err := ParseExpr(source(text))
		if err == nil {
			return "no error: " + dump(e)
		}
		return rendered(err)
	})
}

func TestErrorsInModules(t *testing.T) {
	golden(t, "module-errors.txt", func(text string) string {
		m, err := ParseModule(source(text))
		if err == nil {
			return "no error: " + dumpModule(m)
		}
		return rendered(err)
	})
}

// TestPrintedExpressionsReadAsTheyWere holds for all that testdata has.
func TestPrintedExpressionsReadAsTheyWere(t *testing.T) {
	for _, s := range readSnippets(t, "expressions.txt") {
		e, err := ParseExpr(source(s.text))
		if err == nil {
			checkRoundTrip(t, e)
		}
	}
	for _, s := range readSnippets(t, "modules.txt") {
		m, err := ParseModule(source(s.text))
		if err != nil {
			continue
		}
		for _, u := range m.Units {
			for _, e := range unitExprs(u) {
				if !isOperatorArgument(e) {
					checkRoundTrip(t, e)
				}
			}
		}
	}
}

// checkRoundTrip prints an expression, reads it, and compares. Printing what was read must give the same text again.
func checkRoundTrip(t testing.TB, e Expr) {
	t.Helper()
	text := Print(e)
	again, err := ParseExpr(diag.NewSource("printed", []byte(text)))
	if err != nil {
		t.Errorf("%s\nwas printed as\n%s\nwhich does not read:\n%s", dumpForm(e), text, rendered(err))
		return
	}
	if was, is := dumpForm(e), dumpForm(again); was != is {
		t.Errorf("%s\nwas printed as\n%s\nand read as\n%s", was, text, is)
	}
	if second := Print(again); second != text {
		t.Errorf("%s\nwas read and printed as\n%s", text, second)
	}
}
