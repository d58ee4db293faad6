package library

import (
	"testing"

	"podlife/tla/syntax"
)

// trees parses all texts.
func trees(t *testing.T) map[string]*syntax.Module {
	t.Helper()
	all := map[string]*syntax.Module{}
	for _, name := range Names() {
		src, ok := Source(name)
		if !ok {
			t.Fatalf("%s is among the names but has no source", name)
		}
		tree, err := syntax.ParseModule(src)
		if err != nil {
			t.Fatal(err)
		}
		if tree.Name.Text != name {
			t.Errorf("the file of %s has the module %s", name, tree.Name.Text)
		}
		all[name] = tree
	}
	return all
}

// Each operator has a definition that says something or a native; a definition that says nothing mentions all parameters, so that it has the
// level of its arguments.
func TestEachOperatorCanBeEvaluated(t *testing.T) {
	for module, tree := range trees(t) {
		src, _ := Source(module)
		for _, u := range tree.Units {
			d, ok := u.(*syntax.Definition)
			if !ok || !mentionsStub(d.Body) {
				continue
			}
			if _, ok := Lookup(src, module, d.Name.Text, len(d.Params)); !ok && isStub(d.Body) {
				t.Errorf("%s!%s has neither a definition nor a native", module, d.Name.Text)
			}
			used := map[string]bool{}
			mentioned(d.Body, used)
			for _, p := range d.Params {
				if !used[p.Name.Text] {
					t.Errorf("%s!%s: the definition does not mention %s", module, d.Name.Text, p.Name.Text)
				}
			}
		}
	}
}

// mentionsStub tells whether a body is a CASE with a condition that is FALSE.
func mentionsStub(body syntax.Expr) bool {
	c, ok := body.(*syntax.Case)
	if !ok {
		return false
	}
	for _, arm := range c.Arms {
		if cond, ok := arm.Cond.(*syntax.Apply); ok && cond.Name.Text == "FALSE" {
			return true
		}
	}
	return false
}

// mentioned collects the names in the bodies of such definitions.
func mentioned(x syntax.Expr, used map[string]bool) {
	switch x := x.(type) {
	case *syntax.Case:
		for _, arm := range x.Arms {
			mentioned(arm.Cond, used)
			mentioned(arm.Value, used)
		}
	case *syntax.Tuple:
		for _, item := range x.Items {
			mentioned(item, used)
		}
	case *syntax.SetMap:
		mentioned(x.Value, used)
		for _, b := range x.Bounds {
			mentioned(b.Set, used)
		}
	case *syntax.Field:
		mentioned(x.Record, used)
	case *syntax.Apply:
		used[x.Name.Text] = true
		for _, a := range x.Args {
			mentioned(a, used)
		}
	}
}

// helpers are operators that only the text in common use has, and that TLC overrides there.
var helpers = map[key]bool{{"Bitwise", "And", 4}: true, {"Bitwise", "Or", 4}: true, {"Bitwise", "Xor", 4}: true}

// Each native is an operator of its module's text, with that many parameters.
func TestEachNativeHasItsDefinition(t *testing.T) {
	known := trees(t)
	for k := range natives() {
		if helpers[k] {
			continue
		}
		tree := known[k.module]
		if tree == nil {
			t.Errorf("there is a native of %s!%s but no text of the module", k.module, k.name)
			continue
		}
		found := false
		for _, u := range tree.Units {
			switch d := u.(type) {
			case *syntax.Definition:
				found = found || d.Name.Text == k.name && len(d.Params) == k.arity
			case *syntax.FunctionDefinition:
				found = found || d.Name.Text == k.name && k.arity == 0
			}
		}
		if !found {
			t.Errorf("there is a native of %s!%s with %d parameters, but no such definition", k.module, k.name, k.arity)
		}
	}
}

// Modules that a text mentions are in the library too.
func TestTextsNeedNothingElse(t *testing.T) {
	for module, tree := range trees(t) {
		var needs []syntax.Name
		needs = append(needs, tree.Extends...)
		for _, u := range tree.Units {
			if i, ok := u.(*syntax.Instance); ok {
				needs = append(needs, i.Module)
			}
		}
		for _, n := range needs {
			if _, ok := Source(n.Text); !ok {
				t.Errorf("%s needs %s, which is not in the library", module, n.Text)
			}
		}
	}
}

// A native that stands for one of this package's definitions is not given for another text, while those that TLC overrides are.
func TestOwnNativesAreForOwnTextsAlone(t *testing.T) {
	own, _ := Source("Functions")
	other, _ := Source("Folds")
	if _, ok := Lookup(own, "Functions", "Range", 1); !ok {
		t.Error("no native of Range for the library's Functions")
	}
	if _, ok := Lookup(other, "Functions", "Range", 1); ok {
		t.Error("a native of Range for a text that is not the library's")
	}
	if _, ok := Native("Functions", "Range", 1); ok {
		t.Error("Native gives one that is for own texts alone")
	}
	if _, ok := Native("Functions", "IsInjective", 1); !ok {
		t.Error("Native does not give one that TLC overrides")
	}
	if _, ok := Native("Naturals", "≤", 2); !ok {
		t.Error("an operator is not found by another spelling")
	}
	if _, ok := Native("Naturals", "+", 1); ok {
		t.Error("an operator is found with a wrong number of parameters")
	}
}
