package specs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"podlife/tla/diag"
)

const shipped = "../../tla"

// small is a folder with a specification of a counter, in the places of the project's own: Act.low keeps it below 3.
func small(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	spec := "EXTENDS Naturals\nCONSTANTS Off\nVARIABLE x\nvars == x\nGuard(name, c) == name \\notin Off => c\n" +
		"\\* \"Not.this\": a comment\nTypeOK == x \\in 0..9\nInit == x = 0\nAct ==\n  /\\ Guard(\"Act.low\", x < 3)\n" +
		"  /\\ x < 5  (* vacuous-ok: what is left where low is off *)\n  /\\ x' = x + 1\n" +
		"Spec == Init /\\ [][Act]_vars\nFair == Spec /\\ WF_vars(Act)\nLow == x > 0 => x <= 3\nEnds == <>(x = 3)\n"
	head := "SPECIFICATION Spec\nCHECK_DEADLOCK FALSE\nINVARIANT TypeOK\n"
	for name, text := range map[string]string{
		"PodRuntime.tla":                     "---- MODULE PodRuntime ----\n" + spec + "====\n",
		"PodRuntimeWitness.tla":              "---- MODULE PodRuntimeWitness ----\nEXTENDS PodRuntime\nTwo == x = 2\nNeverTwo == ~Two\n====\n",
		"configs/PodRuntime/holds/all.cfg":   head + "CONSTANT Off = {}\nINVARIANT Low\n",
		"configs/PodRuntime/off/Act.low.cfg": head + "CONSTANT Off = {\"Act.low\"}\nINVARIANT Low\n",
		"configs/PodRuntime/reach/Two.cfg":   head + "CONSTANT Off = {}\nINVARIANT NeverTwo\n",
		"configs/PodRuntime/live/ends.cfg":   strings.Replace(head, "Spec", "Fair", 1) + "CONSTANT Off = {}\nPROPERTY Ends\n",
		"configs/registry.txt": "configs/PodRuntime/holds/all.cfg PodRuntime pr holds states=4 distinct=4 depth=4\n" +
			"configs/PodRuntime/off/Act.low.cfg PodRuntime pr violates Low states=5 distinct=5 depth=5 length=5\n" +
			"configs/PodRuntime/reach/Two.cfg PodRuntimeWitness pr reaches Two states=3 distinct=3 depth=3 length=3\n" +
			"configs/PodRuntime/live/ends.cfg PodRuntime nightly unsupported states=4 distinct=4 depth=4\n",
	} {
		put(t, filepath.Join(dir, name), text)
	}
	return dir
}

func put(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// change replaces text in a file; it must be there.
func change(t *testing.T, name, old, replacement string) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), old) {
		t.Fatalf("%s does not have %q: the test changes nothing", name, old)
	}
	put(t, name, strings.Replace(string(text), old, replacement, 1))
}

func TestTheRegistryIsWhole(t *testing.T) {
	entries, err := Read(shipped)
	if err != nil {
		for _, e := range diag.All(err) {
			t.Error(e)
		}
		t.Fatal(err)
	}
	if len(Of(entries, PR))+len(Of(entries, Nightly)) != len(Of(entries, "")) || len(Of(entries, Nightly)) == 0 {
		t.Errorf("%d entries, %d of pr, %d of nightly", len(entries), len(Of(entries, PR)), len(Of(entries, Nightly)))
	}
}

func TestTheSwitchesArePodRuntimesGuardsAndRules(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(shipped, "PodRuntime.tla"))
	if err != nil {
		t.Fatal(err)
	}
	names, err := Switches(diag.NewSource("PodRuntime.tla", text))
	if err != nil || len(names) != 41 {
		t.Fatalf("%d names, want 41; error %v", len(names), err)
	}
	for _, name := range []string{"StartBoot.known", "Dial.neverWakes", "RecoverAsleep.removesAll", "Destroy.stored"} { // of Guard, Rule, Rule in a quantifier, an argument
		if !slices.Contains(names, name) {
			t.Errorf("%s is not among %q", name, names)
		}
	}
}

func TestWhatDoesNotBelongTogetherIsNamed(t *testing.T) {
	if _, err := Read(small(t)); err != nil {
		t.Fatalf("as it is: %v", diag.All(err))
	}
	const off, registry = "configs/PodRuntime/off/Act.low.cfg", RegistryFile
	remove := func(name string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			if err := os.Remove(filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	edit := func(name, old, replacement string) func(*testing.T, string) {
		return func(t *testing.T, dir string) { change(t, filepath.Join(dir, name), old, replacement) }
	}
	for name, c := range map[string]struct {
		breaks func(t *testing.T, dir string)
		want   string
	}{
		"a configuration without a line": {func(t *testing.T, dir string) { put(t, filepath.Join(dir, "configs/More.cfg"), "INIT Init\n") },
			"configs/More.cfg is not in the registry"},
		"one beside the specifications": {func(t *testing.T, dir string) { put(t, filepath.Join(dir, "More.cfg"), "INIT Init\n") },
			"More.cfg is not in the registry"},
		"a line without its file":    {remove(off), "There is no configs/PodRuntime/off/Act.low.cfg"},
		"a module that is not there": {edit(registry, "all.cfg PodRuntime", "all.cfg PodRuntimes"), "There is no module PodRuntimes"},
		"a guard without a configuration": {edit("PodRuntime.tla", "x < 5", `Guard("Act.more", x < 5)`),
			"PodRuntime.tla can switch Act.more off, but configs/PodRuntime/off/Act.more.cfg is not in the registry"},
		"a configuration without a guard": {edit("PodRuntime.tla", `"Act.low"`, `"Act.lower"`), "There is no Act.low for configs/PodRuntime/off/Act.low.cfg"},
		"a hazard without a configuration": {edit("PodRuntimeWitness.tla", "====\n", "NeverThree == x # 3\n====\n"),
			"PodRuntimeWitness.tla has NeverThree, but configs/PodRuntime/reach/Three.cfg is not in the registry"},
		"another guard than its name says":   {edit(off, `{"Act.low"}`, `{}`), `the constant Off is {}, and not {"Act.low"}`},
		"a guard off where the design ships": {edit("configs/PodRuntime/holds/all.cfg", `{}`, `{"Act.low"}`), `the constant Off is {"Act.low"}, and not {}`},
		"what is to break is not asked for":  {edit(off, "INVARIANT Low", ""), off + " does not ask for Low"},
		"something that would break first":   {edit(off, "INVARIANT Low", "INVARIANT Low\nINVARIANT Lower"), off + " asks for Lower besides Low and TypeOK"},
		"a guard whose loss breaks nothing": {edit(registry, "violates Low states=5 distinct=5 depth=5 length=5", "holds states=5 distinct=5 depth=5"),
			"A configuration in configs/PodRuntime/off violates something"},
		"another hazard than the file's": {edit(registry, "reaches Two", "reaches Tow"), "configs/PodRuntime/reach/Two.cfg reaches Tow"},
		"a configuration that is none":   {edit(off, "INVARIANT Low", "INVARIENT Low"), off + ":"},
		"no registry":                    {remove(registry), "the registry of the configurations: open"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := small(t)
			c.breaks(t, dir)
			_, err := Read(dir)
			if err == nil {
				t.Fatal("nothing is wrong")
			}
			said := err.Error()
			for _, e := range diag.All(err) {
				said += "\n" + e.Error()
			}
			if !strings.Contains(said, c.want) {
				t.Errorf("got %s; want %s", said, c.want)
			}
		})
	}
}

// runAll checks a folder's configurations and gives what was printed.
func runAll(t *testing.T, dir, command string) (out string, results []Result, wrong int) {
	t.Helper()
	entries, err := Read(dir)
	if err != nil {
		t.Fatal(diag.All(err))
	}
	var text bytes.Buffer
	r := Run{Dir: dir, Entries: entries, TLC: command, Bound: time.Minute, Out: &text}
	results, wrong = r.All(t.Context())
	return text.String(), results, wrong
}

func TestWhatComesOutAsRegisteredPasses(t *testing.T) {
	out, results, wrong := runAll(t, small(t), "")
	if wrong != 0 || strings.Contains(out, "WRONG") || strings.Count(out, "ok ") != 4 {
		t.Errorf("%d are wrong:\n%s", wrong, out)
	}
	if got := Summary(results); got != "1 hold, 1 violate as named, 1 are reached, 1 unsupported" {
		t.Error(got)
	}
	if r := results[0]; r.Fired["Act"] != 3 || r.Antecedents["Low"] != 3 {
		t.Errorf("counted %+v, want 3 steps and 3 times x > 0", r)
	}
}

func TestWhatDoesNotComeOutAsRegisteredIsWrong(t *testing.T) {
	for name, c := range map[string]struct{ file, old, replacement, want string }{
		"a number":              {RegistryFile, "states=4 distinct=4 depth=4", "states=4 distinct=3 depth=4", "if that was meant: configs/PodRuntime/holds/all.cfg PodRuntime pr holds states=4 distinct=4 depth=4"},
		"a length":              {RegistryFile, "length=5", "length=4", "length=5, and the registry says"},
		"a verdict":             {"PodRuntime.tla", "x > 0 => x <= 3", "x > 0 => x <= 2", `the verdict is "violates Low", and the registry says "holds"`},
		"a guard without use":   {"PodRuntime.tla", "x < 5", "x < 3", `the verdict is "holds", and the registry says "violates Low"`},
		"a hazard out of reach": {"PodRuntimeWitness.tla", "x = 2", "x = 7", `the verdict is "holds", and the registry says "reaches Two"`},
		"another violation":     {"PodRuntime.tla", "0..9", "0..3", `the verdict is "violates TypeOK", and the registry says "violates Low"`},
		"something vacuous":     {"PodRuntime.tla", "x > 0 => x <= 3", "x > 8 => x <= 3", "vacuous: "},
		"what is not evaluated": {"PodRuntime.tla", "x \\in 0..9", "x[1] = 2", "evaluation-error: "},
		"what is not read":      {"PodRuntime.tla", "TypeOK == ", "TypeOK == (", "configs/PodRuntime/holds/all.cfg: "},
	} {
		t.Run(name, func(t *testing.T) {
			dir := small(t)
			if name == "what is not read" { // what the registry is held against is read as well
				entries, err := Read(dir)
				if err != nil {
					t.Fatal(err)
				}
				change(t, filepath.Join(dir, c.file), c.old, c.replacement)
				if _, err := entries[0].Check(t.Context(), dir); err == nil || !strings.HasPrefix(err.Error(), c.want) {
					t.Errorf("error %v, want %s", err, c.want)
				}
				return
			}
			change(t, filepath.Join(dir, c.file), c.old, c.replacement)
			out, _, wrong := runAll(t, dir, "")
			if wrong == 0 || !strings.Contains(out, c.want) {
				t.Errorf("%d are wrong; it does not say %q:\n%s", wrong, c.want, out)
			}
		})
	}
}

// fakeTLC is a command that prints this verdict and these counts whatever it is given.
func fakeTLC(t *testing.T, verdict string, states, distinct, depth int) string {
	t.Helper()
	say := func(code, severity int, text string) string {
		return fmt.Sprintf("@!@!@STARTMSG %d:%d @!@!@\n%s\n@!@!@ENDMSG %d @!@!@\n", code, severity, text, code)
	}
	message, exit := say(2193, 0, "Model checking completed. No error has been found."), 0
	if verdict != "" {
		message, exit = say(2110, 1, "Invariant "+verdict+" is violated."), 12
	}
	out := filepath.Join(t.TempDir(), "out")
	put(t, out, message+say(2199, 0, fmt.Sprintf("%d states generated, %d distinct states found, 0 states left on queue.", states, distinct))+
		say(2194, 0, fmt.Sprintf("The depth of the complete state graph search is %d.", depth)))
	return fmt.Sprintf("sh -c 'cat %s; exit %d' tlc", out, exit)
}

func TestTLCIsHeldAgainstTheSameRegistry(t *testing.T) {
	dir := small(t)
	for name, c := range map[string]struct {
		command string
		want    []string // what is right
	}{
		"it holds with these counts": {fakeTLC(t, "", 4, 4, 4), []string{"holds/all.cfg", "live/ends.cfg"}},
		"it holds with others":       {fakeTLC(t, "", 4, 3, 4), nil},
		"the guard matters":          {fakeTLC(t, "Low", 9, 9, 9), []string{"off/Act.low.cfg"}}, // where it stops is TLC's affair
		"the hazard is there":        {fakeTLC(t, "NeverTwo", 3, 3, 3), []string{"reach/Two.cfg"}},
		"there is no verdict":        {"true", nil},
	} {
		out, _, wrong := runAll(t, dir, c.command)
		if right := strings.Count(out, "ok "); right != len(c.want) || wrong != 4-right {
			t.Errorf("%s: %d are wrong:\n%s", name, wrong, out)
		}
		for _, file := range c.want {
			if !strings.Contains(out, "ok    configs/PodRuntime/"+file) {
				t.Errorf("%s: %s is not right:\n%s", name, file, out)
			}
		}
	}
}

func TestOnlyWhatIsRightIsLeftForTheCoverage(t *testing.T) {
	dir, results := small(t), t.TempDir()
	change(t, filepath.Join(dir, RegistryFile), "depth=5", "depth=6")
	_, found, wrong := runAll(t, dir, "")
	if err := Leave(filepath.Join(results, "new"), found); err != nil || wrong != 1 {
		t.Fatalf("%d are wrong, error %v", wrong, err)
	}
	data, err := os.ReadFile(filepath.Join(results, "new", ResultsFile))
	if err != nil {
		t.Fatal(err)
	}
	var left []Result
	if err := json.Unmarshal(data, &left); err != nil || len(left) != 3 || left[0].Fired["Act"] != 3 {
		t.Errorf("left %+v, error %v", left, err)
	}
}
