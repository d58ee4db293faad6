package module_test

import (
	"fmt"
	"io/fs"
	"slices"
	"sync"
	"testing"

	"podlife/tla/diag"
	"podlife/tla/module"
)

// texts are modules by name, for Options.Open.
type texts map[string]string

func (t texts) open(name string) (*diag.Source, error) {
	text, ok := t[name]
	if !ok {
		return nil, fmt.Errorf("%s: %w", name, fs.ErrNotExist)
	}
	return diag.NewSource(name+".tla", []byte(text)), nil
}

func load(t *testing.T, modules texts, root string) *module.Module {
	t.Helper()
	m, err := module.Load(root+".tla", module.Options{Open: modules.open})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestAModuleHasWhatItDeclares(t *testing.T) {
	m := load(t, texts{"A": "---- MODULE A ----\nCONSTANT N\nVARIABLE x\nOp(a) == a = x\n===="}, "A")
	if len(m.Constants) != 1 || len(m.Variables) != 1 || len(m.Defs) != 1 {
		t.Errorf("A has %d constants, %d variables and %d definitions; want one of each", len(m.Constants), len(m.Variables), len(m.Defs))
	}
}

// What Lookup and ParseExpr make is kept in the module, so the race detector has something to see here.
func TestLookupAndParseExprMayBeUsedByManyAtOnce(t *testing.T) {
	m := load(t, texts{
		"A": "---- MODULE A ----\nVARIABLE x\nI(p) == INSTANCE M WITH y <- x, c <- p\n====",
		"M": "---- MODULE M ----\nCONSTANT c\nVARIABLE y\nOp(a) == <<a, c, y>>\nOther == Op(1)\n====",
	}, "A")
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			if s, ok := m.Lookup("I!Other"); !ok || s.Definition.Level != module.LevelState {
				t.Error("I!Other is no state expression")
			}
			text := fmt.Sprintf("I(%d)!Op(x')", i)
			e, err := module.ParseExpr(m, diag.NewSource("<expression>", []byte(text)))
			if err != nil || e.ExprLevel() != module.LevelAction {
				t.Errorf("%s: %v", text, err)
			}
		})
	}
	group.Wait()
}

func TestWalkGoesThroughEverythingFromTheOutside(t *testing.T) {
	m := load(t, texts{"A": `---- MODULE A ----
VARIABLE x
F(a) == a
Op(a, G(_)) == LET b == x IN [a EXCEPT ![F(1)] = {q \in {b} : G(q)}] = IF a THEN CASE x -> [k |-> "s"].k ELSE \A r : lab(r) :: [x']_x
====`}, "A")
	op, _ := m.Lookup("Op")
	var all, outer []string
	module.Walk(op.Definition.Body, func(e module.Expr) bool {
		all = append(all, module.Dump(e))
		return true
	})
	module.Walk(op.Definition.Body, func(e module.Expr) bool {
		outer = append(outer, module.Dump(e))
		_, let := e.(*module.Let)
		return let
	})
	if len(all) != 25 || !slices.Contains(all, `"s"`) || !slices.Contains(all, "(G q)") || !slices.Contains(all, "(box (' x) x)") {
		t.Errorf("Walk visits %d: %q", len(all), all)
	}
	if len(outer) != 3 {
		t.Errorf("Walk does not stop where it is told to: %q", outer)
	}
}

func TestACopyLeadsBackToItsText(t *testing.T) {
	m := load(t, texts{
		"A": "---- MODULE A ----\nVARIABLE x\nI == INSTANCE M WITH y <- x\n====",
		"M": "---- MODULE M ----\nVARIABLE y\nJ == INSTANCE N WITH z <- y\n====",
		"N": "---- MODULE N ----\nVARIABLE z\nOp == z\n====",
	}, "A")
	s, ok := m.Lookup("I!J!Op")
	if !ok {
		t.Fatal("there is no I!J!Op")
	}
	d := s.Definition
	if d.Name != "I!J!Op" || d.Module != "N" || d.Origin.Name != "J!Op" || d.Source().Name != "Op" || d.Source().Module != "N" {
		t.Errorf("%s of %s comes from %s and in the end from %s of %s", d.Name, d.Module, d.Origin.Name, d.Source().Name, d.Source().Module)
	}
}

func TestWhatASubstitutionDoesNotChangeIsNotCopied(t *testing.T) {
	m := load(t, texts{
		"A":    "---- MODULE A ----\nEXTENDS Base\nI == INSTANCE M\nJ == INSTANCE M WITH x <- 1\n====",
		"M":    "---- MODULE M ----\nEXTENDS Base, Naturals\nOp == x + 1\nPlain == 1 + 2\n====",
		"Base": "---- MODULE Base ----\nVARIABLE x\nShared == x\n====",
	}, "A")
	for name, copied := range map[string]bool{"I!Shared": false, "I!Op": false, "I!Plain": false, "J!Shared": true, "J!Op": true, "J!Plain": false} {
		if s, ok := m.Lookup(name); !ok || (s.Definition.Origin != nil) != copied {
			t.Errorf("%s is %v, copied: want %v", name, s.Definition, copied)
		}
	}
}
