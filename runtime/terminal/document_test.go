package terminal

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// document is a section of docs/protocol.md: the text from its heading to the next.
func document(t *testing.T, heading string) string {
	t.Helper()
	b, err := os.ReadFile("../../docs/protocol.md")
	if err != nil {
		t.Fatal(err)
	}
	_, s, ok := strings.Cut(string(b), "\n## "+heading+"\n")
	if !ok {
		t.Fatalf("docs/protocol.md has no section %q", heading)
	}
	s, _, _ = strings.Cut(s, "\n## ")
	return s
}

var (
	rowPattern  = regexp.MustCompile("(?m)^\\| `?([a-z0-9_]+)`? \\|.*$")
	wordPattern = regexp.MustCompile("`([a-z_]+)`")
)

// rows gives a table's first column, with the words in backquotes of each row's last column.
func rows(s string) map[string][]string {
	all := map[string][]string{}
	for _, m := range rowPattern.FindAllStringSubmatch(s, -1) {
		cells := strings.Split(strings.TrimSuffix(m[0], "|"), "|")
		var words []string
		for _, w := range wordPattern.FindAllStringSubmatch(cells[len(cells)-1], -1) {
			words = append(words, w[1])
		}
		all[m[1]] = words
	}
	return all
}

// said gives the literals that the package's code has in one place of it.
func said(t *testing.T, pick func(ast.Node) []ast.Expr) []string {
	t.Helper()
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			for _, e := range pick(n) {
				if l, ok := e.(*ast.BasicLit); ok && l.Kind == token.STRING {
					s, _ := strconv.Unquote(l.Value) // the parser took it
					found[s] = true
				}
			}
			return true
		})
	}
	return slices.Sorted(maps.Keys(found))
}

func fieldsOf(v any) []string {
	var names []string
	for f := range reflect.TypeOf(v).Fields() {
		if n, _, _ := strings.Cut(f.Tag.Get("json"), ","); n != "type" {
			names = append(names, n)
		}
	}
	return names
}

func equal(t *testing.T, what string, document, code []string) {
	t.Helper()
	slices.Sort(document)
	slices.Sort(code)
	document, code = slices.Compact(document), slices.Compact(code)
	for _, w := range document {
		if !slices.Contains(code, w) {
			t.Errorf("%s: docs/protocol.md has %q, and the code does not", what, w)
		}
	}
	for _, w := range code {
		if !slices.Contains(document, w) {
			t.Errorf("%s: the code has %q, and docs/protocol.md does not", what, w)
		}
	}
}

func TestTheDocumentListsWhatAClientMaySay(t *testing.T) {
	table := rows(document(t, "From the client"))
	delete(table, "message")
	delete(table, "binary")
	code := said(t, func(n ast.Node) []ast.Expr {
		if f, ok := n.(*ast.FuncDecl); ok && f.Name.Name == "decodeMessage" {
			var all []ast.Expr
			ast.Inspect(f, func(n ast.Node) bool {
				if c, ok := n.(*ast.CaseClause); ok {
					all = append(all, c.List...)
				}
				return true
			})
			return all
		}
		return nil
	})
	equal(t, "messages of a client", slices.Collect(maps.Keys(table)), code)
	for name := range table {
		if _, err := decodeMessage([]byte(`{"type":"` + name + `","have":0}`)); err != nil {
			t.Errorf("%s is refused: %v", name, err)
		}
	}
	var fields []string
	for _, words := range table {
		fields = append(fields, words...)
	}
	fields = slices.DeleteFunc(fields, func(w string) bool { return w == "main" }) // a value
	equal(t, "fields of a client's messages", fields, fieldsOf(clientMessage{}))
}

func TestTheDocumentListsWhatTheServerSays(t *testing.T) {
	text := document(t, "From the server")
	first, _, _ := strings.Cut(strings.TrimSpace(text), "\n\n")
	table := rows(first)
	delete(table, "message")
	delete(table, "binary")
	code := said(t, func(n ast.Node) []ast.Expr {
		l, ok := n.(*ast.CompositeLit)
		if !ok {
			return nil
		}
		if id, ok := l.Type.(*ast.Ident); !ok || id.Name != "serverMessage" {
			return nil
		}
		for _, e := range l.Elts {
			if kv, ok := e.(*ast.KeyValueExpr); ok && kv.Key.(*ast.Ident).Name == "Type" {
				return []ast.Expr{kv.Value}
			}
		}
		return nil
	})
	equal(t, "messages of the server", slices.Collect(maps.Keys(table)), code)
	for _, f := range fieldsOf(serverMessage{}) {
		if !strings.Contains(text, "`"+f+"`") {
			t.Errorf("the code has the field %q, and docs/protocol.md does not", f)
		}
	}
}

func TestTheDocumentHasOurVersionAndCloseCodes(t *testing.T) {
	b, err := os.ReadFile("../../docs/protocol.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(b), "subprotocol `"+Subprotocol+"`") {
		t.Errorf("docs/protocol.md does not name %s", Subprotocol)
	}
	codes := rows(document(t, "Close codes"))
	for _, c := range []int{CloseExited, CloseBadMessage, CloseSilent, CloseNotReady, CloseTabClosed} {
		if _, ok := codes[strconv.Itoa(c)]; !ok {
			t.Errorf("the code has the close code %d, and docs/protocol.md does not", c)
		}
	}
}
