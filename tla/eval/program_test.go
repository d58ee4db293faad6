package eval

import (
	"context"
	"io/fs"
	"testing"

	"podlife/tla/diag"
	"podlife/tla/module"
)

func compiled(t *testing.T, text string) (*module.Module, *Program) {
	t.Helper()
	open := func(name string) (*diag.Source, error) {
		if name != "T" {
			return nil, fs.ErrNotExist
		}
		return diag.NewSource("T.tla", []byte("---- MODULE T ----\n"+text+"\n====\n")), nil
	}
	m, err := module.Load("T.tla", module.Options{Open: open})
	if err != nil {
		t.Fatal(err)
	}
	p, err := Compile(m, nil, Options{ExpressionsOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	return m, p
}

func TestADefinitionThatIsEvaluatedByNameIsCompiledOnce(t *testing.T) {
	m, p := compiled(t, "EXTENDS TLCExt, Integers\nValue == 1 + 2\nUse == \\A i \\in 1..9 : TLCEvalDefinition(\"Value\") = 3")
	x, err := module.ParseExpr(m, diag.NewSource("x", []byte("Use")))
	if err != nil {
		t.Fatal(err)
	}
	e := p.NewEvaluator(context.Background())
	for range 3 {
		if v, err := e.EvalExpr(x, nil, nil); err != nil || v.String() != "TRUE" {
			t.Fatal(v, err)
		}
	}
	if n := len(p.expressions); n != 2 {
		t.Errorf("%d expressions were compiled, not the two that there are", n)
	}
}

func TestAProgramForgetsAClosedEvaluator(t *testing.T) {
	_, p := compiled(t, "A == 1")
	one, two := p.NewEvaluator(context.Background()), p.NewEvaluator(context.Background())
	two.CopyRegisters(one)
	two.Close()
	if n := len(p.workerRegisters()); n != 1 {
		t.Errorf("%d evaluators are known, not 1", n)
	}
	one.Close()
	if n := len(p.workerRegisters()); n != 0 {
		t.Errorf("%d evaluators are known, none is left", n)
	}
}
