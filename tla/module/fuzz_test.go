package module_test

import (
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"podlife/tla/diag"
	"podlife/tla/module"
)

// FuzzLoad loads two modules, whatever they say. Either every error has a place in a text, or what comes out is fully resolved.
func FuzzLoad(f *testing.F) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		second := ""
		if len(archive.Files) > 2 {
			second = string(archive.Files[1].Data)
		}
		f.Add(string(archive.Files[0].Data), second, "Op(1) + x'")
	}
	f.Fuzz(func(t *testing.T, first, second, expr string) {
		modules := texts{"A": first, "M": second, "B": second}
		m, err := module.Load("A.tla", module.Options{Open: modules.open})
		if err != nil {
			checkErrors(t, err)
			return
		}
		if err := checkResolved(m); err != nil {
			t.Fatal(err)
		}
		for _, d := range m.Definitions() {
			module.DumpDefinition(d)
		}
		for _, name := range m.Names() {
			if _, ok := m.Lookup(name); !ok {
				t.Fatalf("%s is a name of the module and means nothing", name)
			}
		}
		if _, err := module.ParseExpr(m, diag.NewSource("<expression>", []byte(expr))); err != nil {
			checkErrors(t, err)
		}
	})
}

// checkErrors wants of each error a code, a sentence and a place.
func checkErrors(t *testing.T, err error) {
	t.Helper()
	all := diag.All(err)
	if len(all) == 0 {
		t.Fatalf("an error that is no diag.Error: %v", err)
	}
	for _, e := range all {
		if e.Code == "" || e.Message == "" || !e.Span.Known() {
			t.Fatalf("an error without code, sentence or place: %q %v", e.Code, e)
		}
	}
}
