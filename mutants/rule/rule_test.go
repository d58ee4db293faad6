package rule

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"podlife/mutants"
)

func TestWeigh(t *testing.T) {
	for name, c := range map[string]struct {
		shipped string
		outcome Outcome
		class   mutants.Class
	}{
		"the expected one breaks":              {mutants.ShippedPass, Outcome{Broke: []string{"B", "A"}}, mutants.KilledExpected},
		"it breaks before the host is lost":    {mutants.ShippedPass, Outcome{Broke: []string{"A"}, Err: "lost"}, mutants.KilledExpected},
		"another one breaks":                   {mutants.ShippedPass, Outcome{Broke: []string{"B"}}, mutants.KilledOther},
		"the table alone differs":              {mutants.ShippedPass, Outcome{Differs: "hi is 3"}, mutants.KilledOther},
		"nothing breaks":                       {mutants.ShippedPass, Outcome{}, mutants.Survived},
		"it cannot be followed":                {mutants.ShippedPass, Outcome{Err: "lost"}, mutants.Failed},
		"the build that ships breaks the same": {"breaks [A]", Outcome{Broke: []string{"A"}}, mutants.Failed},
	} {
		t.Run(name, func(t *testing.T) {
			r := Result{Expected: "A", Broke: []string{}, Shipped: c.shipped}
			if r.weigh(c.outcome); r.Class != c.class {
				t.Errorf("%s, want %s", r.Class, c.class)
			}
		})
	}
}

// A driver that says it is another build is not judged.
func TestAnotherBuildIsNotJudged(t *testing.T) {
	program := filepath.Join(t.TempDir(), "driver")
	if err := os.WriteFile(program, []byte("#!/bin/sh\necho '{\"build\": \"release\", \"outcomes\": [{\"scenario\": \"Send.inRing\", \"broke\": []}]}'\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := Drive(t.Context(), mutants.Build{ID: "Send.inRing", Binary: program}, "Send.inRing"); err == nil || !strings.Contains(err.Error(), "release") {
		t.Errorf("error %v", err)
	}
	if _, err := Drive(t.Context(), mutants.Build{ID: "release", Binary: program}, "Send.inWindow"); err == nil {
		t.Error("the outcome of another scenario is taken")
	}
}
