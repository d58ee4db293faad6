package guards_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"podlife/mutants/guards"
)

func known() guards.Known {
	return guards.KnownTable(guards.Runtime())
}

func source(body string) []byte {
	return []byte("package p\n\nfunc f(a, b bool) int {\n" + body + "\n\treturn 0\n}\n")
}

func TestAnnotatedStatementsAreFound(t *testing.T) {
	for name, c := range map[string]struct {
		body  string
		line  int
		begin string
	}{
		"on its line":                 {"\tif a { //model:guard FinishBoot.sameInc\n\t\treturn 1\n\t}", 4, "if a"},
		"above it":                    {"\t//model:guard FinishBoot.sameInc\n\tif a {\n\t\treturn 1\n\t}", 5, "if a"},
		"above it, with more to say":  {"\t// Why.\n\t//model:guard FinishBoot.sameInc\n\t// And more.\n\tif a {\n\t\treturn 1\n\t}", 7, "if a"},
		"the outermost of a line":     {"\tif x := a; x { //model:guard FinishBoot.sameInc\n\t\treturn 1\n\t}", 4, "if x"},
		"a case":                      {"\tswitch {\n\tcase a: //model:guard FinishBoot.sameInc\n\t\treturn 1\n\t}", 5, "case a"},
		"inside of a function's body": {"\tg := func() {\n\t\t//model:guard FinishBoot.sameInc\n\t\tif a {\n\t\t}\n\t}\n\tg()", 6, "if a"},
	} {
		t.Run(name, func(t *testing.T) {
			src := source(c.body)
			found, err := guards.InFile("runtime/x.go", src, known())
			if err != nil || len(found) != 1 {
				t.Fatalf("found %v, error %v", found, err)
			}
			s := found[0]
			if s.Action != "FinishBoot" || s.Guard != "sameInc" || s.Line != c.line || s.File != "runtime/x.go" {
				t.Errorf("found %+v, want line %d", s, c.line)
			}
			if text := string(src[s.Start:s.End]); !strings.HasPrefix(text, c.begin) || strings.HasPrefix(c.begin, "if") && !strings.HasSuffix(text, "}") {
				t.Errorf("the statement is %q", text)
			}
		})
	}
}

func TestWrongAnnotationsAreErrors(t *testing.T) {
	for name, c := range map[string]struct{ file, body, problem string }{
		"no name":                {"x.go", "\tif a { //model:guard\n\t}", "not of the form"},
		"space after slashes":    {"x.go", "\tif a { // model:guard FinishBoot.sameInc\n\t}", "not of the form"},
		"another directive":      {"x.go", "\tif a { //model:gaurd FinishBoot.sameInc\n\t}", "not of the form"},
		"block comment":          {"x.go", "\tif a { /*model:guard FinishBoot.sameInc*/\n\t}", "not of the form"},
		"no guard's name":        {"x.go", "\tif a { //model:guard FinishBoot\n\t}", "not the name of a guard"},
		"something behind it":    {"x.go", "\tif a { //model:guard FinishBoot.sameInc because\n\t}", "not the name of a guard"},
		"no such action":         {"x.go", "\tif a { //model:guard EndBoot.sameInc\n\t}", "no action EndBoot"},
		"no such guard":          {"x.go", "\tif a { //model:guard FinishBoot.otherInc\n\t}", "no guard otherInc"},
		"an empty line below it": {"x.go", "\t//model:guard FinishBoot.sameInc\n\n\tif a {\n\t}", "on no statement"},
		"at the end of a block":  {"x.go", "\tif a {\n\t\t//model:guard FinishBoot.sameInc\n\t}", "on no statement"},
		"in a test":              {"x_test.go", "\tif a { //model:guard FinishBoot.sameInc\n\t}", "a test is not"},
	} {
		t.Run(name, func(t *testing.T) {
			found, err := guards.InFile(c.file, source(c.body), known())
			if err == nil || !strings.Contains(err.Error(), c.problem) || !strings.HasPrefix(err.Error(), c.file+":") {
				t.Errorf("error %v, want one at %s with %q", err, c.file, c.problem)
			}
			if len(found) != 0 {
				t.Errorf("taken for a guard all the same: %+v", found)
			}
		})
	}
	t.Run("on a declaration", func(t *testing.T) {
		_, err := guards.InFile("x.go", []byte("package p\n\n//model:guard FinishBoot.sameInc\nfunc f() {}\n"), known())
		if err == nil || !strings.Contains(err.Error(), "on no statement") {
			t.Errorf("error %v", err)
		}
	})
	t.Run("in a text that only looks like one", func(t *testing.T) {
		found, err := guards.InFile("x.go", []byte("package p\n\nconst s = \"//model:guard FinishBoot.sameInc\"\n"), known())
		if err != nil || len(found) != 0 {
			t.Errorf("found %v, error %v", found, err)
		}
	})
}

func TestHashIsOfTheStatementAlone(t *testing.T) {
	hash := func(body string) string {
		t.Helper()
		found, err := guards.InFile("x.go", source(body), known())
		if err != nil || len(found) != 1 {
			t.Fatalf("found %v, error %v", found, err)
		}
		return found[0].Hash
	}
	one := hash("\tif a && !b { //model:guard FinishBoot.sameInc\n\t\treturn 1\n\t}")
	for name, same := range map[string]string{
		"layout":       "\t\tif   a&&!b { //model:guard FinishBoot.sameInc\n\n\n\t\t\treturn  1\n\t\t}",
		"comments":     "\t// Other words.\n\t//model:guard FinishBoot.sameInc\n\tif a && !b { // and here\n\t\t// and here\n\t\treturn 1\n\t}",
		"place":        "\tif b {\n\t\treturn 2\n\t}\n\tif a && !b { //model:guard FinishBoot.sameInc\n\t\treturn 1\n\t}",
		"another name": "\tif a && !b { //model:guard AttachReady.ready\n\t\treturn 1\n\t}",
	} {
		if hash(same) != one {
			t.Errorf("%s changes the hash", name)
		}
	}
	for name, other := range map[string]string{
		"condition": "\tif a && b { //model:guard FinishBoot.sameInc\n\t\treturn 1\n\t}",
		"effect":    "\tif a && !b { //model:guard FinishBoot.sameInc\n\t\treturn 2\n\t}",
	} {
		if hash(other) == one {
			t.Errorf("another %s has the same hash", name)
		}
	}
}

const actor = `package pod

func newPod() *Pod { return &Pod{table: podruntime.Table(podruntime.Constants{MaxInc: 9})} }

func (p *Pod) commit(action string, c string) error {
	local := p.local(c)
	next, err := p.table.Take(action, local)
	if err != nil {
		return err
	}
	outside, err := p.contract.Action(local, next)
	if err != nil {
		return err
	}
	p.state = next.Pod
	p.tabs[c].model = next.Client
	return nil
}

func (p *Pod) recover() { p.state = Local{} }
`

func TestTableEnforcesOnlyWhereTheActorAsksIt(t *testing.T) {
	check := func(t *testing.T, src string) error {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "actor.go"), []byte(src), 0o600); err != nil {
			t.Fatal(err)
		}
		return guards.Enforced(dir)
	}
	if err := check(t, actor); err != nil {
		t.Fatalf("the right actor: %v", err)
	}
	for name, c := range map[string]struct{ old, new, problem string }{
		"the table is not asked":            {"next, err := p.table.Take(action, local)", "next, err := local, error(nil)", "does not ask the table"},
		"another action is asked for":       {"Take(action, local)", "Take(\"Sleep\", local)", "does not ask the table"},
		"its refusal is not heeded":         {"\tif err != nil {\n\t\treturn err\n\t}\n", "", "goes on when it refuses"},
		"its refusal is logged and no more": {"\t\treturn err\n", "\t\tprintln(err)\n", "goes on when it refuses"},
		"state is set before it is asked":   {"\tnext, err :=", "\tp.state = local.Pod\n\tnext, err :=", "does not ask the table"},
		"another function sets the state":   {"func (p *Pod) recover", "func (p *Pod) wake() { p.state.Ctr = Fresh }\n\nfunc (p *Pod) recover", "wake assigns to state"},
		"another function sets a tab":       {"func (p *Pod) recover", "func (p *Pod) f() { p.tabs[c].model.Phase = 3 }\n\nfunc (p *Pod) recover", "f assigns to model"},
		"another function counts":           {"func (p *Pod) recover", "func (p *Pod) f() { p.state.Inc++ }\n\nfunc (p *Pod) recover", "f changes state"},
		"a pointer to the state gets out":   {"func (p *Pod) recover", "func (p *Pod) f() *S { return &p.state }\n\nfunc (p *Pod) recover", "takes the address of state"},
		"a guard is switched off":           {"MaxInc: 9", "MaxInc: 9, Off: off", "not visibly made"},
		"the contract is not asked":         {"outside, err := p.contract.Action(local, next)", "outside, err := \"\", error(nil)", "does not ask the contract"},
		"there is no commit":                {"commit(", "take(", "0 methods named commit"},
	} {
		t.Run(name, func(t *testing.T) {
			src := strings.Replace(actor, c.old, c.new, 1)
			if src == actor {
				t.Fatal("the test changes nothing")
			}
			if err := check(t, src); err == nil || !strings.Contains(err.Error(), c.problem) {
				t.Errorf("error %v, want %q", err, c.problem)
			}
		})
	}
}

// TestEveryGuardIsEnforced is the check of the repository itself.
func TestEveryGuardIsEnforced(t *testing.T) {
	all, err := guards.All(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	var carried []string
	for _, g := range all {
		t.Logf("%-32s by %s %v", g.Action+"."+g.Guard, g.By, g.Statements)
		if g.By == guards.ByStatement {
			carried = append(carried, g.Action+"."+g.Guard)
		}
	}
	// What the table cannot see: what is inside of the container, which incarnation a late reply belongs to, which container a shell is in, and whether a launch has come to its end.
	for _, want := range []string{"Dial.marker", "FinishBoot.sameInc", "AttachReady.sameInc", "TearDown.launched"} {
		if !slices.Contains(carried, want) {
			t.Errorf("no statement carries %s", want)
		}
	}
}

func TestGuardThatNothingEnforcesIsAnError(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "runtime", "pod")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	src := strings.Replace(actor, "\tif err != nil {\n\t\treturn err\n\t}\n", "\tif p.state.Inc == 1 { //model:guard FinishBoot.sameInc\n\t\treturn err\n\t}\n", 1)
	if err := os.WriteFile(filepath.Join(dir, "actor.go"), []byte(src), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := guards.All(root)
	if err == nil || !strings.Contains(err.Error(), "guard StartBoot.idle of PodRuntime: no statement carries it, and the actor does not enforce it") {
		t.Errorf("error %v", err)
	}
	if err != nil && strings.Contains(err.Error(), "guard FinishBoot.sameInc of PodRuntime:") {
		t.Errorf("the guard that a statement carries is reported too: %v", err)
	}
}

// Every guard and rule of IdleRule is carried by a statement, or there is a word on why by none.
func TestEveryGuardOfIdleRuleIsEnforced(t *testing.T) {
	all, err := guards.IdleRule(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	carried := 0
	for _, g := range all {
		t.Logf("%-20s by %s %v", g.Action+"."+g.Guard, g.By, g.Statements)
		if g.By == guards.ByStatement {
			carried++
		}
	}
	if len(all) != 12 || carried != 10 {
		t.Errorf("%d guards and rules, of which statements carry %d; want 12 and 10", len(all), carried)
	}
}

// Every guard and rule of Workspace is carried by a statement, or there is a word on why by none.
func TestEveryGuardAndRuleOfWorkspaceIsEnforced(t *testing.T) {
	all, err := guards.Workspace(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	carried := 0
	for _, g := range all {
		t.Logf("%-26s by %s %v", g.Action+"."+g.Guard, g.By, g.Statements)
		if g.By == guards.ByStatement {
			carried++
		}
	}
	if len(all) != 18 || carried != 14 {
		t.Errorf("%d guards and rules, of which statements carry %d; want 18 and 14", len(all), carried)
	}
}

func TestGuardOfIdleRuleThatNoStatementCarriesIsAnError(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "runtime", "pod")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for body, problems := range map[string][]string{
		"\tif a { //model:guard Sweep.lease\n\t}":      {"guard Sweep.idle of IdleRule"},
		"\tif a { //model:guard Sleep.keepsLease\n\t}": {"guard Sleep.keepsLease of IdleRule", "guard Sweep.lease of IdleRule"},
		"\tif a { //model:guard Sweep.awoken\n\t}":     {"action Sweep has no guard awoken"},
	} {
		if err := os.WriteFile(filepath.Join(dir, "x.go"), source(body), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := guards.IdleRule(root)
		for _, want := range problems {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%q: error %v, want %q", body, err, want)
			}
		}
		if err != nil && strings.Contains(body, "Sweep.lease") && strings.Contains(err.Error(), "guard Sweep.lease of IdleRule") {
			t.Errorf("the guard that a statement carries is reported too: %v", err)
		}
	}
}
