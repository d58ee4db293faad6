package mutants

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const sample = `package p

type T struct{}

func (t *T) check(a bool) error {
	if !a { //model:guard FinishBoot.sameInc
		return nil
	}
	return nil
}
`

func sampleSource(t *testing.T) *Source {
	t.Helper()
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "p.go"), []byte(sample), 0o600); err != nil {
		t.Fatal(err)
	}
	return NewSource(root)
}

func TestEditsChangeWhatTheySay(t *testing.T) {
	for name, c := range map[string]struct {
		edit Edit
		want string
	}{
		"remove a guard": {RemoveGuard("p.go", "FinishBoot", "sameInc"), strings.Replace(sample, "if !a { //model:guard FinishBoot.sameInc\n\t\treturn nil\n\t}", "", 1)},
		"replace":        {Replace("p.go", "if !a {", "if a {"), strings.Replace(sample, "!a", "a", 1)},
		"begin":          {Begin("p.go", "T", "check", "\tprintln()"), strings.Replace(sample, "error {\n", "error {\n\tprintln()\n\n", 1)},
	} {
		t.Run(name, func(t *testing.T) {
			s := sampleSource(t)
			if err := s.Apply([]Edit{c.edit}); err != nil {
				t.Fatal(err)
			}
			if got := string(s.changed["p.go"]); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
			if kept, err := os.ReadFile(filepath.Join(s.root, "p.go")); err != nil || string(kept) != sample {
				t.Errorf("the source itself was changed: %v", err)
			}
		})
	}
	t.Run("one after the other", func(t *testing.T) {
		s := sampleSource(t)
		if err := s.Apply([]Edit{Add("q.go", "package p\n"), Replace("p.go", "type T struct{}", "type T struct{ n int }"), Replace("p.go", "n int", "m int")}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(s.changed["p.go"]), "struct{ m int }") || string(s.changed["q.go"]) != "package p\n" {
			t.Errorf("changed: %q", s.changed)
		}
	})
}

func TestEditsThatFindNoPlaceDoNotApply(t *testing.T) {
	for name, edit := range map[string]Edit{
		"a guard that no statement carries": RemoveGuard("p.go", "AttachReady", "ready"),
		"a guard that does not exist":       RemoveGuard("p.go", "AttachReady", "sameInc"),
		"no such text":                      Replace("p.go", "if b {", "if a {"),
		"text that is there twice":          Replace("p.go", "return nil", "return"),
		"no change":                         Replace("p.go", "if !a {", "if !a {"),
		"no such file":                      Replace("r.go", "a", "b"),
		"no such method":                    Begin("p.go", "T", "verify", "println()"),
		"a method of another type":          Begin("p.go", "U", "check", "println()"),
		"a file that is there":              Add("p.go", "package p\n"),
		"an empty file":                     Add("q.go", "\n"),
	} {
		t.Run(name, func(t *testing.T) {
			s := sampleSource(t)
			err := s.Apply([]Edit{edit})
			var notApplied *NotAppliedError
			if !errors.As(err, &notApplied) || classOf(err) != DoesNotApply {
				t.Errorf("error %v, class %s", err, classOf(err))
			}
			if len(s.changed) != 0 {
				t.Errorf("changed all the same: %q", s.changed)
			}
		})
	}
}

// TestCatalogueApplies needs no Docker: it says at once which change of the source a mutant has to follow.
func TestCatalogueApplies(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range append(Catalogue(), Control()) {
		if err := NewSource("..").Apply(m.Edits); err != nil {
			t.Errorf("%s: %v", m.ID, err)
		}
		if seen[m.ID] || m.ID == "" || m.Guard == "" || m.Expected == "" || m.About == "" || m.Scenario.Run == nil || m.Scenario.Needs == 0 {
			t.Errorf("%+v is twice there, or lacks something", m)
		}
		seen[m.ID] = true
	}
}

func TestCoverIsRefused(t *testing.T) {
	if _, err := environment([]string{"GOFLAGS=-race -cover"}); !errors.Is(err, errCover) {
		t.Errorf("error %v", err)
	}
	env, err := environment([]string{"CGO_ENABLED=1", "GOFLAGS=-trimpath", "A=b"})
	if err != nil || strings.Join(env, " ") != "GOFLAGS=-trimpath A=b CGO_ENABLED=0" {
		t.Errorf("environment %v, error %v", env, err)
	}
}
