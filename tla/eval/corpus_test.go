package eval_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"podlife/tla/config"
	"podlife/tla/diag"
	"podlife/tla/eval"
	"podlife/tla/module"
	"podlife/tla/value"
)

var update = flag.Bool("update", false, "write what comes out into testdata")

// A step of a case: "-- command argument" and the lines after it, which are what is expected.
type step struct {
	command, arg string
	want         []string
}

// A testCase is "== name", the body of a module M, and steps. "-- also N" is the body of another module N; "-- cfg" is the configuration.
type testCase struct {
	name  string
	body  []string
	steps []step
}

func readCases(t testing.TB, file string) []testCase {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var cases []testCase
	for _, line := range strings.Split(strings.TrimRight(string(text), "\n"), "\n") {
		if name, ok := strings.CutPrefix(line, "== "); ok {
			cases = append(cases, testCase{name: name})
			continue
		}
		if len(cases) == 0 {
			if line != "" && !strings.HasPrefix(line, "#") {
				t.Fatalf("%s: %q before the first case", file, line)
			}
			continue
		}
		c := &cases[len(cases)-1]
		if rest, ok := strings.CutPrefix(line, "-- "); ok {
			command, arg, _ := strings.Cut(rest, " ")
			c.steps = append(c.steps, step{command: command, arg: arg})
			continue
		}
		if n := len(c.steps); n > 0 {
			c.steps[n-1].want = append(c.steps[n-1].want, line)
		} else {
			c.body = append(c.body, line)
		}
	}
	return cases
}

func (c *testCase) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "== %s\n", c.name)
	for _, l := range c.body {
		fmt.Fprintln(&b, l)
	}
	for _, s := range c.steps {
		fmt.Fprintln(&b, strings.TrimRight("-- "+s.command+" "+s.arg, " "))
		for _, l := range s.want {
			fmt.Fprintln(&b, l)
		}
	}
	return b.String()
}

func TestCorpus(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no test data", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			head, _, _ := strings.Cut(readFile(t, file), "== ")
			cases := readCases(t, file)
			var out strings.Builder
			out.WriteString(head)
			for i := range cases {
				c := &cases[i]
				t.Run(c.name, func(t *testing.T) { runCase(t, c) })
				out.WriteString(c.String())
			}
			if *update {
				if err := os.WriteFile(file, []byte(out.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

func readFile(t testing.TB, file string) string {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// loaded is a case's module, ready to be evaluated.
type loaded struct {
	m *module.Module
	p *eval.Program
	e *eval.Evaluator
}

// moduleText puts head and foot around a body. A body that has them is left as it is.
func moduleText(name string, body []string) []byte {
	return []byte("---- MODULE " + name + " ----\n" + strings.Join(body, "\n") + "\n====\n")
}

func load(c *testCase, opt eval.Options) (loaded, error) {
	texts := map[string][]byte{"M": moduleText("M", c.body)}
	var cfg []string
	for _, s := range c.steps {
		switch s.command {
		case "also":
			texts[s.arg] = moduleText(s.arg, s.want)
		case "cfg":
			cfg = s.want
		}
	}
	m, err := module.Load("M", module.Options{Open: func(name string) (*diag.Source, error) {
		if text, ok := texts[name]; ok {
			return diag.NewSource(name, text), nil
		}
		return nil, os.ErrNotExist
	}})
	if err != nil {
		return loaded{}, err
	}
	parsed, err := config.Parse(diag.NewSource("cfg", []byte(strings.Join(cfg, "\n"))))
	if err != nil {
		return loaded{}, err
	}
	p, err := eval.Compile(m, parsed, opt)
	if err != nil {
		return loaded{}, err
	}
	return loaded{m, p, p.NewEvaluator(context.Background())}, nil
}

func runCase(t *testing.T, c *testCase) {
	l, err := load(c, eval.Options{Coverage: strings.Contains(c.name, "coverage")})
	for i := range c.steps {
		s := &c.steps[i]
		var got []string
		switch {
		case s.command == "also" || s.command == "cfg":
			continue
		case s.command == "compile":
			got = showError(err)
		case err != nil:
			t.Fatal(strings.Join(showError(err), "\n"))
		default:
			got = l.run(s)
		}
		if *update {
			s.want = got
			continue
		}
		want := s.want
		for len(want) > 0 && want[len(want)-1] == "" {
			want = want[:len(want)-1]
		}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("%s %s\ngot:\n%s\nwant:\n%s", s.command, s.arg, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

// run carries out a step and gives what comes out.
func (l loaded) run(s *step) []string {
	switch s.command {
	case "eval":
		v, err := l.eval(s.arg, nil, nil)
		if err != nil {
			return showError(err)
		}
		return []string{v.String()}
	case "step": // state ; next state ; expression
		parts := strings.SplitN(s.arg, " ; ", 3)
		from, to := l.state(parts[0]), l.state(parts[1])
		v, err := l.eval(parts[2], from, to)
		if err != nil {
			return showError(err)
		}
		return []string{v.String()}
	case "init":
		var out []string
		err := l.e.Initial(func(s eval.State) bool {
			out = append(out, l.p.StateValue(s).String())
			return true
		})
		return append(out, showError(err)...)
	case "next":
		var out []string
		err := l.e.Successors(l.state(s.arg), func(st eval.Step) bool {
			out = append(out, actionText(st)+" "+l.p.StateValue(st.Next).String())
			return true
		})
		return append(out, showError(err)...)
	case "count":
		return l.count()
	case "actions":
		var out []string
		for _, a := range l.p.Actions() {
			var names []string
			for _, k := range a.Conjuncts {
				mark := ""
				if k.Primed {
					mark = "'"
				}
				names = append(names, k.Name+mark)
			}
			out = append(out, fmt.Sprintf("%s(%s): %s", a.Name, strings.Join(a.Params, ", "), strings.Join(names, " ")))
		}
		return out
	case "holds":
		return l.holds(s.arg)
	case "properties":
		return l.properties()
	case "symmetry":
		perms, err := l.e.Symmetry()
		return append([]string{fmt.Sprintf("%d permutations beside the identity", len(perms))}, showError(err)...)
	case "view":
		v, has, err := l.e.View(l.state(s.arg))
		if err != nil {
			return showError(err)
		}
		return []string{fmt.Sprint(has, " ", v)}
	case "assume":
		rs, err := l.e.Assumptions()
		var out []string
		for _, r := range rs {
			out = append(out, fmt.Sprintf("%s %v", r.Name, r.True))
		}
		return append(out, showError(err)...)
	case "coverage":
		return l.coverage()
	}
	return []string{"no such command: " + s.command}
}

func actionText(st eval.Step) string {
	if len(st.Args) == 0 {
		return st.Action.Name
	}
	var args []string
	for _, a := range st.Args {
		if a == nil {
			args = append(args, "?")
			continue
		}
		args = append(args, a.String())
	}
	return st.Action.Name + "(" + strings.Join(args, ", ") + ")"
}

func (l loaded) eval(text string, s, t eval.State) (value.Value, error) {
	x, err := module.ParseExpr(l.m, diag.NewSource("expr", []byte(text)))
	if err != nil {
		return nil, err
	}
	v, err := l.e.EvalExpr(x, s, t)
	if err != nil {
		return nil, err
	}
	// A lazy value is printed as far as it can be: normalised, if it is finite.
	value.Catch(func() { v = value.Normalize(v) })
	return v, nil
}

// state makes a state of a record.
func (l loaded) state(text string) eval.State {
	if text == "" {
		return eval.State{}
	}
	v, err := l.eval(text, nil, nil)
	if err != nil {
		panic(err)
	}
	r, ok := v.(*value.Record)
	if !ok {
		panic("not a record: " + text)
	}
	vars := map[string]value.Value{}
	for i, name := range r.Shape().Names() {
		vars[name] = r.At(i)
	}
	s, err := l.p.StateOf(vars)
	if err != nil {
		panic(err)
	}
	return s
}

// count searches all states.
func (l loaded) count() []string {
	generated := 0
	seen := map[string]bool{}
	var queue []eval.State
	put := func(s eval.State) {
		generated++
		key := l.p.StateValue(s).String()
		if !seen[key] {
			seen[key] = true
			queue = append(queue, s)
		}
	}
	err := l.e.Initial(func(s eval.State) bool {
		put(s)
		return true
	})
	for len(queue) > 0 && err == nil && len(seen) < 100_000 {
		s := queue[0]
		queue = queue[1:]
		err = l.e.Successors(s, func(st eval.Step) bool {
			put(st.Next)
			return true
		})
	}
	generated += int(l.e.Intermediate())
	return append([]string{fmt.Sprintf("%d generated, %d distinct", generated, len(seen))}, showError(err)...)
}

// holds evaluates invariants, constraints and the parts of properties: "state" or "state ; next state".
func (l loaded) holds(arg string) []string {
	from, to, step := strings.Cut(arg, " ; ")
	s := l.state(from)
	var t eval.State
	if step {
		t = l.state(to)
	}
	var out []string
	show := func(kind string, p *eval.Predicate, holds bool, err error) {
		if err != nil {
			out = append(out, kind+" "+p.Name+": "+strings.Join(showError(err), "; "))
			return
		}
		out = append(out, fmt.Sprintf("%s %s: %v", kind, p.Name, holds))
	}
	each := func(kind string, ps []*eval.Predicate, steps bool) {
		for _, p := range ps {
			switch {
			case steps && t != nil:
				holds, err := l.e.HoldsStep(p, s, t)
				show(kind, p, holds, err)
			case !steps && t == nil:
				holds, err := l.e.Holds(p, s)
				show(kind, p, holds, err)
			}
		}
	}
	each("invariant", l.p.Invariants(), false)
	each("constraint", l.p.Constraints(), false)
	each("action constraint", l.p.ActionConstraints(), true)
	for _, pr := range l.p.Properties() {
		each("initial", pr.Initial, false)
		each("always", pr.Always, false)
		each("step", pr.Step, true)
	}
	return out
}

func (l loaded) properties() []string {
	var out []string
	for _, pr := range l.p.Properties() {
		for _, p := range pr.Initial {
			out = append(out, pr.Name+" initial "+p.Name)
		}
		for _, p := range pr.Always {
			out = append(out, pr.Name+" always "+p.Name)
		}
		for _, p := range pr.Step {
			out = append(out, pr.Name+" step "+p.Name)
		}
		for _, u := range pr.Unsupported {
			out = append(out, pr.Name+" unsupported "+u.Text)
		}
	}
	for _, u := range l.p.Fairness() {
		out = append(out, "fairness "+u.Text)
	}
	return out
}

func (l loaded) coverage() []string {
	c := l.e.Coverage()
	var out []string
	for _, a := range l.p.Actions() {
		n := c.Actions[a.Index]
		out = append(out, fmt.Sprintf("%s tried %d generated %d", a.Name, n.Tried, n.Generated))
		for _, k := range a.Conjuncts {
			if n, ok := c.Conjuncts[k]; ok {
				out = append(out, fmt.Sprintf("  %d %s true %d false %d", k.Index, k.Span.Text(), n.True, n.False))
			}
		}
	}
	for _, q := range c.Quantifiers {
		out = append(out, fmt.Sprintf("quantifier %s: %s evaluated %d empty %d", q.Definition, q.Span.Text(), q.Evaluated, q.Empty))
	}
	for _, q := range c.Implications {
		out = append(out, fmt.Sprintf("implication %s: %s evaluated %d active %d", q.Definition, q.Span.Text(), q.Evaluated, q.Active))
	}
	return out
}

// showError is an error in the words of the test data: code, place, message, and the definitions that were under way.
func showError(err error) []string {
	if err == nil {
		return nil
	}
	var e *eval.Error
	if errors.As(err, &e) {
		out := []string{fmt.Sprintf("error %s %s", e.Code, e.Error())}
		for _, f := range e.Stack {
			out = append(out, fmt.Sprintf("  in %s at %s", f.Definition, f.Span))
		}
		return out
	}
	var out []string
	for _, d := range diag.All(err) {
		out = append(out, fmt.Sprintf("error %s %s", d.Code, d.Error()))
		for _, n := range d.Notes {
			out = append(out, fmt.Sprintf("  %s: %s", n.Span, n.Message))
		}
		if d.Help != "" {
			out = append(out, "  help: "+d.Help)
		}
	}
	if out == nil {
		out = []string{"error " + err.Error()}
	}
	return out
}
