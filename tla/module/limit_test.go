package module_test

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"podlife/tla/diag"
	"podlife/tla/module"
)

// limited loads A and wants the one error that a limit gives.
func limited(t *testing.T, open func(string) (*diag.Source, error), says string) {
	t.Helper()
	_, err := module.Load("A.tla", module.WithMaxCopies(module.Options{Open: open}, 50_000))
	all := diag.All(err)
	if len(all) == 0 || all[len(all)-1].Code != module.CodeLimit || !strings.Contains(all[len(all)-1].Message, says) {
		t.Errorf("the error is %v, want the limit %q", err, says)
	}
}

// Instances of instances, each of which mentions the last one's definition twice, double the size each time.
func TestInstancesThatGrowWithoutEndAreCutOff(t *testing.T) {
	limited(t, func(name string) (*diag.Source, error) {
		var n int
		if name == "A" {
			name = "M60"
		}
		if _, err := fmt.Sscanf(name, "M%d", &n); err != nil {
			return nil, fmt.Errorf("%s: %w", name, fs.ErrNotExist)
		}
		body := "VARIABLE x\nOp == x"
		if n > 0 {
			body = fmt.Sprintf("VARIABLE x\nI == INSTANCE M%d WITH x <- <<x, x>>\nOp == I!Op", n-1)
		}
		if n == 60 {
			name = "A"
		}
		return diag.NewSource(name, []byte(text(name, body))), nil
	}, "more than 50000 expressions")
}

func TestModulesWithoutEndAreCutOff(t *testing.T) {
	n := 0
	limited(t, func(name string) (*diag.Source, error) {
		n++
		return diag.NewSource(name, []byte(text(name, fmt.Sprintf("EXTENDS M%d", n)))), nil
	}, "more than 2000 modules")
}

// Each definition calls the one before, so the levels of the last need those of all.
func TestALongChainOfDefinitionsIsNoProblem(t *testing.T) {
	var body strings.Builder
	body.WriteString("VARIABLE x\nOp0 == x\n")
	for i := range 5000 {
		fmt.Fprintf(&body, "Op%d == Op%d\n", i+1, i)
	}
	m := load(t, texts{"A": text("A", "VARIABLE y\nJ == INSTANCE M WITH x <- y\nUse == J!Op5000"), "M": text("M", body.String())}, "A")
	if d, ok := m.Lookup("J!Op5000"); !ok || d.Definition.Level != module.LevelState {
		t.Error("the last of the chain is not a state expression")
	}
}
