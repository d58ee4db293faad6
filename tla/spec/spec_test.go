package spec_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"podlife/tla/checker"
	"podlife/tla/dot"
	"podlife/tla/itf"
	"podlife/tla/spec"
	"podlife/tla/tlc"
	"podlife/tla/tlcjson"
)

const counter = `---- MODULE Counter ----
EXTENDS Naturals, Sequences, TLC
CONSTANTS C, D, Most
VARIABLES x, log
Init == x = 0 /\ log = <<>>
Add(c, n) ==
    /\ x < Most
    /\ x' = x + n
    /\ log' = Append(log, <<c, {n}, [q \in {n} |-> TRUE]>>)
Reset == x >= Most /\ x' = 0 /\ log' = <<>>
Next == (\E c \in {C, D}, n \in 1..2 : Add(c, n)) \/ Reset \/ (x = 9 /\ UNCHANGED <<x, log>>)
Low == x < 2
High == x > 90 => x = 91 \* vacuous-ok: it never gets there
Highest == x > 90 => x = 91
Small == x < 3
====
`

const constants = "CONSTANTS C = C\nD = D\nMost = 3\n"

// folder puts files into a folder.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func load(t *testing.T, config string) *spec.Spec {
	t.Helper()
	dir := folder(t, map[string]string{"Counter.tla": counter, "Counter.cfg": constants + config})
	s, err := spec.Load(filepath.Join(dir, "Counter.tla"), spec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func run(t *testing.T, s *spec.Spec, opt checker.Options) *checker.Result {
	t.Helper()
	r, err := checker.Run(t.Context(), s.Program, opt)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestTheConfigurationIsFoundWhereItIsSaid(t *testing.T) {
	dir := folder(t, map[string]string{"Counter.tla": counter, "Counter.cfg": constants + "INIT Init\nNEXT Next\n",
		"Other.cfg": constants + "INIT Init\nNEXT Reset\n", "in/Third.cfg": constants + "INIT Init\nNEXT Reset\nINVARIANT Low\n"})
	t.Chdir(dir)
	for config, want := range map[string]string{"": "Counter.cfg", "Other.cfg": "Other.cfg", "in/Third.cfg": "in/Third.cfg", filepath.Join(dir, "Other.cfg"): filepath.Join(dir, "Other.cfg")} {
		s, err := spec.Load("Counter.tla", spec.Options{Config: config})
		if err != nil || s.Config.Source.Name != want {
			t.Errorf("%q: %v, %v", config, s, err)
		}
	}
	t.Chdir(t.TempDir())
	if s, err := spec.Load(filepath.Join(dir, "Counter.tla"), spec.Options{Config: "Other.cfg"}); err != nil || s.Config.Source.Name != filepath.Join(dir, "Other.cfg") {
		t.Errorf("beside the specification: %v, %v", s, err)
	}
}

func TestAnErrorSaysInWhichPartItIs(t *testing.T) {
	dir := folder(t, map[string]string{
		"Counter.tla": counter, "Counter.cfg": "INIT Init\nNEXT Next\n", "Word.cfg": "INITT Init\n", "Large.cfg": strings.Repeat("\n", 2<<20),
		"Broken.tla": "---- MODULE Broken ----\nA == B\n====\n", "Broken.cfg": "", "User.tla": "---- MODULE User ----\nEXTENDS Lib\n====\n", "User.cfg": "",
		"lib/Lib.tla": "---- MODULE Lib ----\n====\n",
	})
	for name, c := range map[string]struct {
		file string
		opt  spec.Options
		part spec.Part
		says string
	}{
		"a module's error":         {"Broken.tla", spec.Options{}, spec.PartSpecification, "B is not"},
		"no such file":             {"Nothing.tla", spec.Options{}, spec.PartSpecification, "Nothing"},
		"a module that is missing": {"User.tla", spec.Options{}, spec.PartSpecification, "Lib"},
		"no such configuration":    {"Counter.tla", spec.Options{Config: "None.cfg"}, spec.PartConfiguration, "there is no configuration None.cfg"},
		"an unknown word":          {"Counter.tla", spec.Options{Config: "Word.cfg"}, spec.PartConfiguration, "INITT"},
		"a folder":                 {"Counter.tla", spec.Options{Config: dir}, spec.PartConfiguration, "directory"},
		"too large":                {"Counter.tla", spec.Options{Config: "Large.cfg"}, spec.PartConfiguration, "more than"},
		"constants without values": {"Counter.tla", spec.Options{}, spec.PartConfiguration, "C"},
	} {
		_, err := spec.Load(filepath.Join(dir, c.file), c.opt)
		var loading *spec.LoadError
		if !errors.As(err, &loading) || loading.Part != c.part || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want an error of the %s that says %q", name, err, c.part, c.says)
		}
	}
	if _, err := spec.Load(filepath.Join(dir, "User.tla"), spec.Options{Path: []string{filepath.Join(dir, "lib")}}); err != nil {
		t.Errorf("with the folder of the module: %v", err)
	}
}

func TestTheConfigurationDecidesOnDeadlocks(t *testing.T) {
	if opt := load(t, "INIT Init\nNEXT Next\n").CheckerOptions(); opt.NoDeadlock {
		t.Error("deadlocks are errors unless the configuration says something else")
	}
	if opt := load(t, "INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\n").CheckerOptions(); !opt.NoDeadlock {
		t.Error("CHECK_DEADLOCK FALSE was ignored")
	}
}

func TestACommentAcceptsWhatHoldsVacuously(t *testing.T) {
	for invariant, accepted := range map[string]string{"High": "it never gets there", "Highest": ""} {
		s := load(t, "INIT Init\nNEXT Next\nINVARIANT "+invariant)
		r := run(t, s, s.CheckerOptions())
		found := false
		for _, f := range r.Findings {
			if f.Kind == checker.FindingAntecedent && f.Definition == invariant {
				found = true
				if f.Accepted != accepted {
					t.Errorf("%s: accepted because %q, want %q", invariant, f.Accepted, accepted)
				}
			}
		}
		if !found {
			t.Errorf("%s: not found among %+v", invariant, r.Findings)
		}
	}
}

func TestACounterexampleHasItsActionsPlacesAndConstants(t *testing.T) {
	s := load(t, "INIT Init\nNEXT Next\nINVARIANT Low")
	r := run(t, s, s.CheckerOptions())
	tr := s.Trace(r.Trace, r.Name)
	if tr.Violates != "Low" || len(tr.States) != 2 || tr.States[0].Action != "" {
		t.Fatalf("%+v", tr)
	}
	last := tr.States[1]
	if want := (itf.Location{Module: "Counter", BeginLine: 6, BeginColumn: 1, EndLine: 9, EndColumn: 59}); last.Action != "Add" || last.Location != want {
		t.Errorf("%s at %+v, want %+v", last.Action, last.Location, want)
	}
	if len(last.Args) != 2 || last.Args[0].Name != "c" || last.Args[0].Value.String() != "C" || last.Args[1].Value.String() != "2" {
		t.Errorf("arguments %v", last.Args)
	}
	if len(tr.Params) != 3 || tr.Params[2].Name != "Most" || tr.Params[2].Value.String() != "3" {
		t.Errorf("constants %v", tr.Params)
	}
	var b bytes.Buffer
	if err := errors.Join(itf.Write(&b, tr), tlcjson.Write(&b, tr)); err != nil {
		t.Error(err)
	}
	if empty := s.Trace(nil, ""); len(empty.Params) > 0 || itf.Write(&b, empty) != nil {
		t.Errorf("without a counterexample: %+v", empty)
	}
}

// graphOf is the graph of a specification through the form of its file.
func graphOf(t *testing.T, s *spec.Spec) (*tlc.Graph, *checker.Result) {
	t.Helper()
	var b bytes.Buffer
	out := dot.NewWriter(&b)
	opt := s.CheckerOptions()
	opt.Graph, opt.Vacuity.Off = s.NewDotSink(out), true
	r := run(t, s, opt)
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	d, err := dot.Read(&b)
	if err != nil {
		t.Fatal(err)
	}
	g, err := tlc.GraphOf(d)
	if err != nil {
		t.Fatal(err)
	}
	return g, r
}

func TestTheGraphHasEachStateAndEachGeneratedStep(t *testing.T) {
	g, r := graphOf(t, load(t, "INIT Init\nNEXT Next\n"))
	steps := 0
	for _, n := range g.Steps {
		steps += n
	}
	if int64(len(g.States)) != r.Distinct || len(g.Initial) != 1 || int64(steps) != r.Generated-1 {
		t.Errorf("%d states, %d steps; %d distinct, %d generated", len(g.States), steps, r.Distinct, r.Generated)
	}
	from, to := "/\\ log = <<>>\n/\\ x = 0\n", "/\\ log = <<<<D, {2}, (2 :> TRUE)>>>>\n/\\ x = 2\n"
	if g.Steps[tlc.Step{From: from, Action: "Add(D, 2)", To: to}] != 1 {
		t.Errorf("no step Add(D, 2) in %+v", g.Steps)
	}
}

// The same graph as TLC's, state by state and step by step; TLC is the command in the environment variable TLC.
func TestTheGraphIsThatOfTLC(t *testing.T) {
	command := os.Getenv("TLC")
	if command == "" {
		t.Skip("not_run: TLC is not set")
	}
	type model struct{ dir, module, config string }
	dir := folder(t, map[string]string{"Counter.tla": counter, "All.cfg": constants + "INIT Init\nNEXT Next\n", "Cut.cfg": constants + "INIT Init\nNEXT Next\nCONSTRAINT Small\n"})
	for _, m := range []model{
		{dir, "Counter", "All.cfg"}, {dir, "Counter", "Cut.cfg"},
		{"..", "PodLifecycle", "PodLifecycle.cfg"}, {"..", "PodLifecycle", "PodLifecycleUnguardedBoot.cfg"},
	} {
		s, err := spec.Load(filepath.Join(m.dir, m.module+".tla"), spec.Options{Config: filepath.Join(m.dir, m.config)})
		if err != nil {
			t.Fatal(err)
		}
		ours, result := graphOf(t, s)
		r, err := tlc.Check(t.Context(), tlc.Request{Command: command, Dir: m.dir, Module: m.module, Config: m.config, Graph: true})
		if err != nil {
			t.Fatal(err)
		}
		theirs, err := tlc.GraphOf(r.Graph)
		if err != nil {
			t.Fatal(err)
		}
		if diffs := ours.Differences(theirs, "podlife", "TLC"); diffs != nil {
			t.Errorf("%s: %s", m.config, strings.Join(diffs, "\n"))
		}
		if int64(r.Generated) != result.Generated || int64(r.Distinct) != result.Distinct || r.Depth != result.Depth {
			t.Errorf("%s: %d, %d, %d; TLC %d, %d, %d", m.config, result.Generated, result.Distinct, result.Depth, r.Generated, r.Distinct, r.Depth)
		}
	}
}
