package eval_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync"
	"testing"

	"podlife/tla/config"
	"podlife/tla/diag"
	"podlife/tla/eval"
	"podlife/tla/module"
	"podlife/tla/value"
)

// counter is a specification with two actions, one of which has a parameter.
func counter() *testCase {
	return &testCase{body: strings.Split(`EXTENDS Integers
VARIABLES x, y
Init == x = 0 /\ y = 0
Up(n) == /\ x + n < 10 \* guard: below
         /\ n > 0      \* guard: positive
         /\ x' = x + n
         /\ UNCHANGED y
Swap == x' = y /\ y' = x
Next == (\E n \in 1..3 : Up(n)) \/ Swap
Inv == x < 10
Bad == x < y.z
RECURSIVE Deep(_)
Deep(n) == IF n = 0 THEN 0 ELSE 1 + Deep(n - 1)
RECURSIVE Slow(_)
Slow(n) == \A a \in 0..n : \A b \in 0..n : \A c \in 0..n : a + b + c < 10 * n`, "\n"),
		steps: []step{{command: "cfg", want: []string{"INIT Init", "NEXT Next", "INVARIANTS Inv Bad"}}}}
}

func mustLoad(t testing.TB, c *testCase, opt eval.Options) loaded {
	t.Helper()
	l, err := load(c, opt)
	if err != nil {
		t.Fatal(strings.Join(showError(err), "\n"))
	}
	return l
}

func action(t *testing.T, p *eval.Program, name string) *eval.Action {
	t.Helper()
	for _, a := range p.Actions() {
		if a.Name == name {
			return a
		}
	}
	t.Fatal("no action", name)
	return nil
}

func TestTakeOneActionWithGivenArguments(t *testing.T) {
	l := mustLoad(t, counter(), eval.Options{})
	s := l.state("[x |-> 5, y |-> 1]")
	take := func(args ...value.Value) (out []string) {
		err := l.e.Take(action(t, l.p, "Up"), args, s, func(n eval.State) bool {
			out = append(out, l.p.StateValue(n).String())
			return true
		})
		return append(out, showError(err)...)
	}
	if got := strings.Join(take(value.Int(4)), " "); got != "[x |-> 9, y |-> 1]" {
		t.Error("an argument outside of the \\E of Next is taken as it is given, but:", got)
	}
	if got := take(value.Int(5)); got != nil {
		t.Error("the guard must hold, but:", got)
	}
	if got := strings.Join(take(), " "); !strings.Contains(got, "1 parameter") {
		t.Error("a missing argument is an error, but:", got)
	}
	var d *module.Definition
	for _, other := range l.m.Defs {
		if other.Name == "Swap" {
			d = other
		}
	}
	var got string
	if err := l.e.TakeDefinition(d, nil, s, func(n eval.State) bool { got = l.p.StateValue(n).String(); return true }); err != nil || got != "[x |-> 1, y |-> 5]" {
		t.Error(got, err)
	}
}

func TestEnabledTellsWhetherAnActionHasASuccessor(t *testing.T) {
	l := mustLoad(t, counter(), eval.Options{})
	for state, want := range map[string]bool{"[x |-> 5, y |-> 1]": true, "[x |-> 9, y |-> 1]": false} {
		got, err := l.e.Enabled(action(t, l.p, "Up"), l.state(state))
		if err != nil || got != want {
			t.Error(state, got, err)
		}
	}
}

func TestADroppedConjunctIsAsIfItWereNotThere(t *testing.T) {
	l := mustLoad(t, counter(), eval.Options{})
	up := action(t, l.p, "Up")
	if len(up.Conjuncts) != 4 || up.Conjuncts[0].Name != "below" || up.Conjuncts[1].Primed || !up.Conjuncts[2].Primed {
		t.Fatalf("%+v", up.Conjuncts)
	}
	cfg, err := config.Parse(diag.NewSource("cfg", []byte("INIT Init NEXT Next")))
	if err != nil {
		t.Fatal(err)
	}
	p, err := eval.Compile(l.m, cfg, eval.Options{Drop: up.Conjuncts[0]})
	if err != nil {
		t.Fatal(err)
	}
	without := loaded{l.m, p, p.NewEvaluator(context.Background())}
	n := len(l.run(&step{command: "next", arg: "[x |-> 8, y |-> 0]"}))
	if got := without.run(&step{command: "next", arg: "[x |-> 8, y |-> 0]"}); n != 2 || len(got) != 4 {
		t.Error("with the guard one of three is possible, without it all are; beside Swap:", n, got)
	}
	for i, a := range p.Actions() {
		if b := l.p.Actions()[i]; a.Name != b.Name || a.Index != b.Index {
			t.Error("the actions must be the same ones:", a.Name, b.Name)
		}
	}
}

func TestTheCallbackMayUseTheEvaluatorAndItsErrorsDoNoHarm(t *testing.T) {
	l := mustLoad(t, counter(), eval.Options{})
	inv, bad := l.p.Invariants()[0], l.p.Invariants()[1]
	s := l.state("[x |-> 5, y |-> 1]")
	var got []string
	err := l.e.Successors(s, func(st eval.Step) bool {
		if holds, err := l.e.Holds(inv, st.Next); !holds || err != nil {
			t.Error(holds, err)
		}
		if _, err := l.e.Holds(bad, st.Next); err == nil {
			t.Error("Bad cannot be evaluated, but was")
		}
		if err := l.e.Successors(st.Next, func(eval.Step) bool { return true }); err != nil {
			t.Error(err)
		}
		got = append(got, actionText(st)+" "+l.p.StateValue(st.Next).String())
		return true
	})
	want := "Up(1) [x |-> 6, y |-> 1] Up(2) [x |-> 7, y |-> 1] Up(3) [x |-> 8, y |-> 1] Swap [x |-> 1, y |-> 5]"
	if strings.Join(got, " ") != want || err != nil {
		t.Error(got, err)
	}
}

func TestTheCallbackCanStopTheEnumeration(t *testing.T) {
	l := mustLoad(t, counter(), eval.Options{})
	n := 0
	err := l.e.Successors(l.state("[x |-> 0, y |-> 0]"), func(eval.Step) bool {
		n++
		return n < 2
	})
	if n != 2 || err != nil {
		t.Error(n, err)
	}
}

func TestStatesThatWereHandedOutDoNotChange(t *testing.T) {
	l := mustLoad(t, counter(), eval.Options{})
	var states []eval.State
	for range 2 {
		if err := l.e.Successors(l.state("[x |-> 0, y |-> 0]"), func(st eval.Step) bool {
			states = append(states, st.Next)
			return true
		}); err != nil {
			t.Fatal(err)
		}
	}
	for i, want := range []string{"1", "2", "3", "0", "1", "2", "3", "0"} {
		if states[i][0].String() != want {
			t.Error(i, states[i])
		}
	}
}

func TestADoneContextEndsAnEvaluation(t *testing.T) {
	l := mustLoad(t, counter(), eval.Options{})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	l.e = l.p.NewEvaluator(ctx)
	_, err := l.eval("Slow(10000)", nil, nil)
	if !eval.IsInterrupted(err) || !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestDeepRecursionIsAnErrorAndNotTheEndOfTheProcess(t *testing.T) {
	l := mustLoad(t, counter(), eval.Options{})
	v, err := l.eval("Deep(10000)", nil, nil)
	if err != nil || v.String() != "10000" {
		t.Error(v, err)
	}
	var e *eval.Error
	if _, err := l.eval("Deep(100000000)", nil, nil); !errors.As(err, &e) || e.Code != eval.CodeDepth || len(e.Stack) > 30 {
		t.Error(err)
	}
	if v, err := l.eval("Deep(10)", nil, nil); err != nil || v.String() != "10" {
		t.Error("afterwards the evaluator works as before:", v, err)
	}
}

func TestEvaluatorsRunAtTheSameTime(t *testing.T) {
	c := &testCase{body: strings.Split(`EXTENDS Integers, FiniteSets
VARIABLE x
S == {s \in SUBSET (1..6) : Cardinality(s) = 3}
f[n \in Nat] == IF n = 0 THEN 0 ELSE f[n - 1] + n
g == [s \in S |-> f[Cardinality(s)]]
lazy == {n \in Nat : n > 3}
Init == x = 0
Next == \E s \in S : x' = g[s] + f[5] + x /\ x' \in lazy /\ x < 100`, "\n"),
		steps: []step{{command: "cfg", want: []string{"INIT Init", "NEXT Next"}}}}
	l := mustLoad(t, c, eval.Options{})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			e := l.p.NewEvaluator(context.Background())
			for i := range 20 {
				n := 0
				err := e.Successors(eval.State{value.Int(int64(i))}, func(st eval.Step) bool {
					n++
					return st.Next[0] == value.Value(value.Int(int64(i+21)))
				})
				if n != 20 || err != nil {
					t.Error(n, err)
				}
			}
		})
	}
	wg.Wait()
}

// TestLargeDefinitionsAreCalled is about definitions that are too large to be written into their callers: what they do must not depend on that.
func TestLargeDefinitionsAreCalled(t *testing.T) {
	large := "{" + strings.Repeat("0, ", 41_000) + "0}"
	body := `EXTENDS Integers
VARIABLES x, y
Large == ` + large + `
Value(v) == IF v = v THEN <<v, (<<v>>')[1], v>> ELSE Large
Truth(v, w) == IF v THEN w ELSE {0} # Large
Op(F(_), v) == IF TRUE THEN F(v) ELSE Large
Act(v, A) == /\ v \in 0..9 \/ {v} = Large
             /\ A
             /\ v' = v + 1 \/ v' = v + 2
Set(v, F(_)) == ({v} # Large) /\ F(v)
Keep(v) == UNCHANGED v /\ (v \in 0..9 \/ {v} = Large)
Big(n) == LET m == n + 1
              Inner(k) == IF k > 0 THEN <<k, m>> ELSE Large
          IN Inner(n)
Id(v) == v
Init == x = 0 /\ y = 0
Next == \/ \E n \in {1, 2} : Act(x, y' = n)
        \/ Set(5, LAMBDA v : x' = v \/ x' = v + 1) /\ Keep(y)`
	l := mustLoad(t, &testCase{body: strings.Split(body, "\n"), steps: []step{{command: "cfg", want: []string{"INIT Init NEXT Next"}}}}, eval.Options{})
	for _, c := range [][2]string{
		{"Value(x)", "<<1, 5, 1>>"},
		{"Value(x + y)", "<<4, 11, 4>>"},
		{"Value(7)", "<<7, 7, 7>>"},
		{"<<Truth(x = 1, y = 3), Truth(FALSE, 1 \\div 0 = 1), Truth(x = 1, x' = 5)>>", "<<TRUE, FALSE, TRUE>>"},
		{"Op(Id, y)", "3"},
		{"Op(LAMBDA v : v * x, y)", "3"},
		{"\\A n \\in 1..3 : Op(LAMBDA v : v + n, n) = 2 * n", "TRUE"},
		{"Big(3)", "<<3, 4>>"},
		{"[n \\in 1..2 |-> Big(n)]", "<<<<1, 2>>, <<2, 3>>>>"},
		{"ENABLED Act(x, y' = 1)", "TRUE"},
	} {
		v, err := l.eval(c[0], l.state("[x |-> 1, y |-> 3]"), l.state("[x |-> 5, y |-> 6]"))
		if err != nil || v.String() != c[1] {
			t.Error(c[0], v, showError(err))
		}
	}
	want := []string{"Act(1) [x |-> 4, y |-> 1]", "Act(1) [x |-> 5, y |-> 1]", "Act(2) [x |-> 4, y |-> 2]", "Act(2) [x |-> 5, y |-> 2]", "Next [x |-> 5, y |-> 7]", "Next [x |-> 6, y |-> 7]"}
	got := l.run(&step{command: "next", arg: "[x |-> 3, y |-> 7]"})
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Error(strings.Join(got, "\n"))
	}
}

func TestStateOfWantsEachVariableAndNothingElse(t *testing.T) {
	l := mustLoad(t, counter(), eval.Options{})
	one := value.Int(1)
	for _, vars := range []map[string]value.Value{
		{"x": one},
		{"x": one, "y": one, "z": one},
		{"x": one, "y": value.Naturals},
	} {
		if s, err := l.p.StateOf(vars); err == nil {
			t.Error(vars, s)
		}
	}
}

func TestLifecycleHasTheCountsOfTLC(t *testing.T) {
	m, cfg := lifecycle(t)
	p, err := eval.Compile(m, cfg, eval.Options{})
	if err != nil {
		t.Fatal(err)
	}
	l := loaded{m, p, p.NewEvaluator(context.Background())}
	if got := l.count(); got[0] != "2922 generated, 1453 distinct" {
		t.Error(got)
	}
	var names []string
	for _, a := range p.Actions() {
		names = append(names, a.Name+"("+strings.Join(a.Params, ",")+")")
	}
	want := "StartBoot(c) FinishBoot(c) BootLost(c) AttachReady(c) AttachWakesFresh(c) AttachAwakeNotReady(c) AttachGuarded(c) Reconnect(c) Sleep()"
	if got := strings.Join(names, " "); got != want {
		t.Error(got)
	}
}

func lifecycle(t testing.TB) (*module.Module, *config.Config) {
	t.Helper()
	m, err := module.Load("../PodLifecycle.tla", module.Options{})
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("../PodLifecycle.cfg")
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Parse(diag.NewSource("PodLifecycle.cfg", text))
	if err != nil {
		t.Fatal(err)
	}
	return m, cfg
}

// BenchmarkLifecycle measures one generated successor of the lifecycle, from the middle of its states.
func BenchmarkLifecycle(b *testing.B) {
	m, cfg := lifecycle(b)
	p, err := eval.Compile(m, cfg, eval.Options{})
	if err != nil {
		b.Fatal(err)
	}
	e := p.NewEvaluator(context.Background())
	var states []eval.State
	seen := map[string]bool{}
	add := func(s eval.State) {
		if key := p.StateValue(s).String(); !seen[key] {
			seen[key] = true
			states = append(states, s)
		}
	}
	if err := e.Initial(func(s eval.State) bool { add(s); return true }); err != nil {
		b.Fatal(err)
	}
	for i := 0; i < len(states); i++ {
		if err := e.Successors(states[i], func(st eval.Step) bool { add(st.Next); return true }); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
	b.ResetTimer()
	for n := 0; n < b.N; {
		for _, s := range states {
			if err := e.Successors(s, func(eval.Step) bool { n++; return true }); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// BenchmarkLifecycleInvariants measures all three invariants of one state.
func BenchmarkLifecycleInvariants(b *testing.B) {
	m, cfg := lifecycle(b)
	p, err := eval.Compile(m, cfg, eval.Options{})
	if err != nil {
		b.Fatal(err)
	}
	e := p.NewEvaluator(context.Background())
	var s eval.State
	if err := e.Initial(func(i eval.State) bool { s = i; return true }); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		for _, inv := range p.Invariants() {
			if holds, err := e.Holds(inv, s); !holds || err != nil {
				b.Fatal(holds, err)
			}
		}
	}
}
