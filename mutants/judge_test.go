package mutants

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"podlife/model/podlifecycle"
)

// program is the smallest repository that a mutant can be built of. What its build prints is what the scenarios below see.
func program(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":              "module podlife\n\ngo 1.26\n",
		"cmd/podlife/main.go": "package main\n\nimport (\n\t_ \"embed\"\n\t\"fmt\"\n)\n\nvar buildID = \"release\"\n\n//go:embed script.sh\nvar script string\n\nfunc guarded() bool {\n\treturn true\n}\n\nfunc main() { fmt.Println(buildID, guarded(), script) }\n",
		// An embedded file is overlaid as well; the boot script is one.
		"cmd/podlife/script.sh": "marker last",
	} {
		name = filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

const mainFile = "cmd/podlife/main.go"

var unguard = Replace(mainFile, "return true", "return false")

// prints is a scenario that runs the program and finds broken what its output asks for.
func prints(broken map[string]string) Scenario {
	return Scenario{Name: "prints", Needs: 30 * time.Second, Run: func(ctx context.Context, b Build) (Seen, error) {
		out, err := runProgram(ctx, b)
		if err != nil {
			return Seen{}, err
		}
		said := strings.Fields(out)[0]
		if said != b.ID {
			return Seen{}, &WrongBuildError{Want: b.ID, Got: said}
		}
		seen := Seen{Detector: "read its output", Detail: out}
		for _, inv := range []string{podlifecycle.NoAttachWithoutShellSetup, podlifecycle.BootIdempotent} {
			if text := broken[inv]; text != "" && strings.Contains(out, text) {
				seen.Broke = append(seen.Broke, inv)
			}
		}
		return seen, nil
	}}
}

func runProgram(ctx context.Context, b Build) (string, error) {
	out, err := exec.CommandContext(ctx, b.Binary).Output()
	return string(out), err
}

func TestJudge(t *testing.T) {
	notices := prints(map[string]string{podlifecycle.NoAttachWithoutShellSetup: "false", podlifecycle.BootIdempotent: "marker first"})
	for name, c := range map[string]struct {
		edits    []Edit
		scenario Scenario
		shipped  string
		class    Class
		broke    []string
		detail   string
	}{
		"the expected invariant breaks": {[]Edit{unguard}, notices, ShippedPass, KilledExpected, []string{podlifecycle.NoAttachWithoutShellSetup}, "false"},
		"the expected one and another": {[]Edit{unguard, Replace("cmd/podlife/script.sh", "last", "first")}, notices, ShippedPass, KilledExpected,
			[]string{podlifecycle.NoAttachWithoutShellSetup, podlifecycle.BootIdempotent}, "marker first"},
		"only another one":   {[]Edit{Replace("cmd/podlife/script.sh", "last", "first")}, notices, ShippedPass, KilledOther, []string{podlifecycle.BootIdempotent}, "marker first"},
		"changes nothing":    {[]Edit{Replace(mainFile, "func main", "// A remark.\nfunc main")}, notices, ShippedPass, Survived, []string{}, "true"},
		"does not build":     {[]Edit{Replace(mainFile, "return true", "return 1")}, notices, ShippedPass, DoesNotBuild, []string{}, "cannot use 1"},
		"does not apply":     {[]Edit{Replace(mainFile, "return maybe", "return false")}, notices, ShippedPass, DoesNotApply, []string{}, "is there 0 times"},
		"has no edits":       {nil, notices, ShippedPass, DoesNotApply, []string{}, "changes no file"},
		"says another id":    {[]Edit{unguard, Replace(mainFile, "fmt.Println(buildID,", `fmt.Println("release",`)}, notices, ShippedPass, Failed, []string{}, `it is build "release", and "mutant-x" is to be judged`},
		"the scenario fails": {[]Edit{unguard}, Scenario{Needs: time.Minute, Run: func(context.Context, Build) (Seen, error) { return Seen{}, errors.New("no engine") }}, ShippedPass, Failed, []string{}, "no engine"},
		"takes too long":     {[]Edit{unguard}, Scenario{Needs: 10 * time.Millisecond, Run: func(ctx context.Context, _ Build) (Seen, error) { <-ctx.Done(); return Seen{}, ctx.Err() }}, ShippedPass, Timeout, []string{}, "deadline exceeded"},
		"seen after its time": {[]Edit{unguard}, Scenario{Needs: 10 * time.Millisecond, Run: func(ctx context.Context, _ Build) (Seen, error) {
			<-ctx.Done()
			return Seen{Broke: []string{podlifecycle.NoAttachWithoutShellSetup}}, nil
		}}, ShippedPass, Timeout, []string{}, "deadline exceeded"},
		"what ships fails too": {[]Edit{unguard}, notices, "breaks it too", Failed, []string{podlifecycle.NoAttachWithoutShellSetup}, "breaks it too"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := Mutant{ID: "mutant-x", Guard: "AttachReady.ready", Expected: podlifecycle.NoAttachWithoutShellSetup, Edits: c.edits, Scenario: c.scenario}
			r := Judge(t.Context(), program(t), t.TempDir(), m, c.shipped)
			if r.Class != c.class || !slices.Equal(r.Broke, c.broke) || !strings.Contains(r.Detail, c.detail) {
				t.Errorf("judged %+v\nwant class %s, broke %v, detail with %q", r, c.class, c.broke, c.detail)
			}
			if r.Class.Green() != (c.class == KilledExpected) {
				t.Errorf("%s is green: %t", r.Class, r.Class.Green())
			}
		})
	}
}

func TestJudgeShipped(t *testing.T) {
	root := program(t)
	b, err := NewSource(root).Compile(t.Context(), t.TempDir(), "release")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		scenario Scenario
		want     string
	}{
		"passes": {prints(map[string]string{podlifecycle.NoAttachWithoutShellSetup: "false"}), ShippedPass},
		"breaks": {prints(map[string]string{podlifecycle.NoAttachWithoutShellSetup: "true"}), "breaks [NoAttachWithoutShellSetup]"},
		"fails":  {Scenario{Needs: time.Second, Run: func(context.Context, Build) (Seen, error) { return Seen{}, errors.New("no engine") }}, "error: no engine"},
		"hangs":  {Scenario{Needs: time.Millisecond, Run: func(ctx context.Context, _ Build) (Seen, error) { <-ctx.Done(); return Seen{}, ctx.Err() }}, "timeout: "},
	} {
		t.Run(name, func(t *testing.T) {
			if got, _ := JudgeShipped(t.Context(), c.scenario, b); !strings.HasPrefix(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestResultsAreWrittenInTheFormThatCoverageReads(t *testing.T) {
	dir := t.TempDir()
	r := []Result{{ID: "mutant-a", Guard: "AttachReady.ready", Expected: "NoAttachWithoutShellSetup", Broke: []string{}, Class: Survived, Seconds: 1.2, Shipped: ShippedPass}}
	if err := WriteResults(dir, r); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(dir, ResultsFile))
	if err != nil {
		t.Fatal(err)
	}
	const want = `[
  {
    "id": "mutant-a",
    "guard": "AttachReady.ready",
    "expected": "NoAttachWithoutShellSetup",
    "broke": [],
    "class": "survived",
    "detector": "",
    "seconds": 1.2,
    "shipped": "pass",
    "detail": ""
  }
]
`
	if string(got) != want {
		t.Errorf("written\n%s", got)
	}
}
