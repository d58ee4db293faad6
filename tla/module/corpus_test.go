package module_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"podlife/tla/diag"
	"podlife/tla/module"
)

var update = flag.Bool("update", false, "write what the package gives into the corpus")

// TestCorpus holds the package against testdata/*.txtar. Each has modules, of which the first is loaded, and then a file "want" with what it
// becomes or what is wrong with it. A line "lookup: I!Op ..." of the comment adds definitions of instances to what is shown, and a line "expr: ..."
// an expression in the module's scope.
func TestCorpus(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no corpus: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			last := len(archive.Files) - 1
			if archive.Files[last].Name != "want" {
				archive.Files = append(archive.Files, txtar.File{Name: "want"})
				last++
			}
			got := show(archive)
			if *update {
				archive.Files[last].Data = []byte(got)
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(archive.Files[last].Data), got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", file, diff)
			}
		})
	}
}

// show gives what becomes of an archive's first module, as text.
func show(archive *txtar.Archive) string {
	modules := texts{}
	for _, f := range archive.Files {
		if name, ok := strings.CutSuffix(f.Name, ".tla"); ok {
			modules[name] = string(f.Data)
		}
	}
	m, err := module.Load(archive.Files[0].Name, module.Options{Open: modules.open})
	if err != nil {
		return showErrors(err)
	}
	var out strings.Builder
	if err := checkResolved(m); err != nil {
		fmt.Fprintf(&out, "NOT RESOLVED: %v\n", err)
	}
	for _, w := range m.Warnings {
		fmt.Fprintf(&out, "warning: %s\n", w)
	}
	for _, d := range m.Definitions() {
		fmt.Fprintln(&out, module.DumpDefinition(d))
		if reason := m.Vacuous[d]; reason != "" {
			fmt.Fprintf(&out, "  vacuous-ok: %s\n", reason)
		}
	}
	for _, d := range made(m) {
		fmt.Fprintf(&out, "made: %s\n", module.DumpDefinition(d))
	}
	for _, a := range m.Assumes {
		fmt.Fprintf(&out, "(assume %s)\n", module.Dump(a.Body))
	}
	for _, a := range m.InstanceAssumes {
		fmt.Fprintf(&out, "(instance-assume %s)\n", module.Dump(a.Body))
	}
	for _, a := range m.Theorems {
		fmt.Fprintf(&out, "(theorem %s)\n", module.Dump(a.Body))
	}
	for line := range strings.Lines(string(archive.Comment)) {
		if names, ok := strings.CutPrefix(line, "lookup: "); ok {
			for _, name := range strings.Fields(names) {
				out.WriteString(showSymbol(m, name))
			}
		}
		if text, ok := strings.CutPrefix(line, "expr: "); ok {
			e, err := module.ParseExpr(m, diag.NewSource("<expression>", []byte(text)))
			if err != nil {
				out.WriteString(showErrors(err))
				continue
			}
			fmt.Fprintf(&out, "expr %s %s\n", e.ExprLevel(), module.Dump(e))
		}
	}
	return out.String()
}

// made are the definitions that m's own ones lead to and that no name of m's names: copies, and parts of definitions.
func made(m *module.Module) []*module.Definition {
	seen := map[*module.Definition]bool{}
	for _, d := range append(append([]*module.Definition(nil), m.Defs...), m.Definitions()...) {
		seen[d] = true
	}
	var out []*module.Definition
	var visit func(e module.Expr) bool
	visit = func(e module.Expr) bool {
		var d *module.Definition
		switch e := e.(type) {
		case *module.Call:
			d = e.Definition
		case *module.OperatorRef:
			d = e.Definition
		}
		if d != nil && !d.Let && !seen[d] {
			seen[d] = true
			out = append(out, d)
			module.Walk(d.Body, visit)
		}
		return true
	}
	for _, d := range m.Definitions() {
		module.Walk(d.Body, visit)
	}
	return out
}

func showSymbol(m *module.Module, name string) string {
	s, ok := m.Lookup(name)
	switch {
	case !ok:
		return fmt.Sprintf("lookup %s: nothing\n", name)
	case s.Constant != nil:
		return fmt.Sprintf("lookup %s: constant of %s\n", name, s.Constant.Module)
	case s.Variable != nil:
		return fmt.Sprintf("lookup %s: variable of %s\n", name, s.Variable.Module)
	}
	return module.DumpDefinition(s.Definition) + "\n"
}

func showErrors(err error) string {
	var out strings.Builder
	for _, e := range diag.All(err) {
		fmt.Fprintf(&out, "error[%s] %s\n", e.Code, e)
		for _, n := range e.Notes {
			fmt.Fprintf(&out, "  note %s: %s\n", n.Span, n.Message)
		}
		if e.Help != "" {
			fmt.Fprintf(&out, "  help: %s\n", e.Help)
		}
	}
	return out.String()
}
