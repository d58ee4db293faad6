package spec_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"podlife/tla/checker"
	"podlife/tla/diag"
	"podlife/tla/eval"
	"podlife/tla/library"
	"podlife/tla/spec"
)

// example is a model of others, and what TLC finds.
type example struct {
	Module    string `json:"module"`
	Config    string `json:"config"`
	Generated int64  `json:"generated"`
	Distinct  int64  `json:"distinct"`
	Depth     int    `json:"depth"`
}

func examples(t *testing.T) []example {
	t.Helper()
	text, err := os.ReadFile("testdata/examples.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Models []example }
	if err := json.Unmarshal(text, &file); err != nil || len(file.Models) == 0 {
		t.Fatal("no models: ", err)
	}
	return file.Models
}

// The models are in a clone of github.com/tlaplus/examples, whose folder the variable TLAPLUS_EXAMPLES names.
func TestTheModelsOfOthersHaveTheStatesThatTLCFinds(t *testing.T) {
	root := os.Getenv("TLAPLUS_EXAMPLES")
	if root == "" {
		t.Skip("not_run: TLAPLUS_EXAMPLES is not set")
	}
	for _, x := range examples(t) {
		name := strings.TrimPrefix(strings.TrimSuffix(x.Config, ".cfg"), "specifications/")
		t.Run(strings.ReplaceAll(name, "/", "."), func(t *testing.T) {
			x.check(t, root)
		})
	}
}

// exampleBound is the longest time for one of them.
const exampleBound = 5 * time.Minute

func (x example) check(t *testing.T, root string) {
	file := filepath.Join(root, x.Module)
	// Some write files; they do so in a folder of the test's own.
	t.Chdir(t.TempDir())
	s, err := spec.Load(file, spec.Options{
		Config: filepath.Join(root, x.Config),
		Eval:   eval.Options{Files: &library.Files{Read: []string{".", filepath.Dir(file)}, Write: []string{"."}}},
	})
	if err != nil {
		var b strings.Builder
		diag.Render(&b, err, false)
		t.Fatal(b.String())
	}
	ctx, cancel := context.WithTimeout(t.Context(), exampleBound)
	defer cancel()
	opt := s.CheckerOptions()
	opt.Vacuity.Off = true
	r, err := checker.Run(ctx, s.Program, opt)
	if err != nil {
		t.Fatal(err)
	}
	// What cannot be checked of a property is named; all of these hold.
	if r.Verdict != checker.VerdictOK && r.Verdict != checker.VerdictUnsupported {
		t.Errorf("verdict %s of %q at %s: %v", r.Verdict, r.Name, r.Span, r.Err)
	}
	if r.Generated != x.Generated || r.Distinct != x.Distinct || r.Depth != x.Depth {
		t.Errorf("%d generated, %d distinct, depth %d; TLC: %d, %d, %d", r.Generated, r.Distinct, r.Depth, x.Generated, x.Distinct, x.Depth)
	}
	t.Logf("%s in %s", r.Verdict, r.Duration.Round(time.Millisecond))
}
