package eval_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"podlife/tla/eval"
)

// randomBody is the module in which random expressions are evaluated. The operators at its end change nothing about their argument.
const randomBody = `EXTENDS Integers, Sequences, FiniteSets
VARIABLES x, y
Add(a, b) == a + b
RECURSIVE Sum(_)
Sum(n) == IF n <= 0 THEN 0 ELSE n + Sum(n - 1)
f[n \in 0..5] == IF n = 0 THEN x ELSE f[n - 1] + 1
Id(v) == v
Twice(v) == IF v = v THEN v ELSE v
RECURSIVE Rec(_, _)
Rec(n, v) == IF n = 0 THEN v ELSE Rec(n - 1, v)
RECURSIVE Eager(_, _)
Eager(v, n) == IF v = v /\ n = 0 THEN v ELSE Eager(v, n - 1)
App(F(_), v) == F(v)
Through(F(_, _), v) == F(v, v)
Init == x = 0 /\ y = 0
Next == x' = x /\ y' = y`

// exprs draws expressions of some types, over the variables x and y and the bound names.
type exprs struct {
	t     *rapid.T
	n     int // names so far
	names []string
}

func (g *exprs) pick(options ...string) string { return rapid.SampledFrom(options).Draw(g.t, "form") }

func (g *exprs) bind(use func(name string) string) string {
	g.n++
	name := fmt.Sprintf("n%d", g.n)
	g.names = append(g.names, name)
	s := use(name)
	g.names = g.names[:len(g.names)-1]
	return s
}

func (g *exprs) num(depth int) string {
	if depth == 0 {
		return rapid.SampledFrom(append([]string{"0", "1", "2", "3", "x", "y"}, g.names...)).Draw(g.t, "atom")
	}
	d := depth - 1
	switch g.pick("atom", "+", "-", "*", "if", "choose", "card", "add", "sum", "f", "let", "apply", "seq", "div", "case") {
	case "+":
		return fmt.Sprintf("(%s + %s)", g.num(d), g.num(d))
	case "-":
		return fmt.Sprintf("(%s - %s)", g.num(d), g.num(d))
	case "*":
		return fmt.Sprintf("(%s * %s)", g.num(d), g.num(d))
	case "div":
		return fmt.Sprintf("(%s \\div %s)", g.num(d), g.num(d))
	case "if":
		return fmt.Sprintf("(IF %s THEN %s ELSE %s)", g.truth(d), g.num(d), g.num(d))
	case "case":
		return fmt.Sprintf("(CASE %s -> %s [] OTHER -> %s)", g.truth(d), g.num(d), g.num(d))
	case "choose":
		set := g.set(d)
		return g.bind(func(n string) string { return fmt.Sprintf("(CHOOSE %s \\in %s : %s)", n, set, g.truth(d)) })
	case "card":
		return fmt.Sprintf("Cardinality(%s)", g.set(d))
	case "add":
		return fmt.Sprintf("Add(%s, %s)", g.num(d), g.num(d))
	case "sum":
		return fmt.Sprintf("Sum(%s %% 5)", g.num(d))
	case "f":
		return fmt.Sprintf("f[%s]", g.num(d))
	case "let":
		v := g.num(d)
		return g.bind(func(n string) string { return fmt.Sprintf("(LET %s == %s IN %s)", n, v, g.num(d)) })
	case "apply":
		set, arg := g.set(d), g.num(d)
		return g.bind(func(n string) string { return fmt.Sprintf("[%s \\in %s |-> %s][%s]", n, set, g.num(d), arg) })
	case "seq":
		return fmt.Sprintf("<<%s, %s>>[%s]", g.num(d), g.num(d), g.num(d))
	}
	return g.num(0)
}

func (g *exprs) set(depth int) string {
	if depth == 0 {
		return g.pick("{}", "{0, 2}", "0..2", "{x}", "{x, y}", "x..y")
	}
	d := depth - 1
	switch g.pick("atom", "enum", "range", "cup", "cap", "diff", "filter", "map", "union", "powerset") {
	case "enum":
		return fmt.Sprintf("{%s, %s}", g.num(d), g.num(d))
	case "range":
		return fmt.Sprintf("(%s)..(%s)", g.num(0), g.num(0))
	case "cup":
		return fmt.Sprintf("(%s \\cup %s)", g.set(d), g.set(d))
	case "cap":
		return fmt.Sprintf("(%s \\cap %s)", g.set(d), g.set(d))
	case "diff":
		return fmt.Sprintf("(%s \\ %s)", g.set(d), g.set(d))
	case "filter":
		set := g.set(d)
		return g.bind(func(n string) string { return fmt.Sprintf("{%s \\in %s : %s}", n, set, g.truth(d)) })
	case "map":
		set := g.set(d)
		return g.bind(func(n string) string { return fmt.Sprintf("{%s : %s \\in %s}", g.num(d), n, set) })
	case "union":
		return fmt.Sprintf("UNION {%s, %s}", g.set(d), g.set(d))
	case "powerset":
		set := g.set(0)
		return g.bind(func(n string) string {
			names := g.names
			g.names = nil // n is a set
			s := fmt.Sprintf("{Cardinality(%s) : %s \\in {%s \\in SUBSET (%s) : %s}}", n, n, n, set, g.truth(d))
			g.names = names
			return strings.ReplaceAll(s, n+" : "+n, n+"z : "+n+"z") // SANY lets no name be bound twice
		})
	}
	return g.set(0)
}

func (g *exprs) truth(depth int) string {
	if depth == 0 {
		return g.pick("TRUE", "FALSE", "x = y", "x < 2", "y \\in {0, 1}")
	}
	d := depth - 1
	switch g.pick("atom", "and", "or", "not", "=>", "=", "<", "in", "all", "some", "subset", "<=>") {
	case "and":
		return fmt.Sprintf("(%s /\\ %s)", g.truth(d), g.truth(d))
	case "or":
		return fmt.Sprintf("(%s \\/ %s)", g.truth(d), g.truth(d))
	case "not":
		return fmt.Sprintf("~(%s)", g.truth(d))
	case "=>":
		return fmt.Sprintf("(%s => %s)", g.truth(d), g.truth(d))
	case "<=>":
		return fmt.Sprintf("(%s <=> %s)", g.truth(d), g.truth(d))
	case "=":
		return fmt.Sprintf("(%s = %s)", g.num(d), g.num(d))
	case "<":
		return fmt.Sprintf("(%s <= %s)", g.num(d), g.num(d))
	case "in":
		return fmt.Sprintf("(%s \\in %s)", g.num(d), g.set(d))
	case "subset":
		return fmt.Sprintf("(%s \\subseteq %s)", g.set(d), g.set(d))
	case "all":
		set := g.set(d)
		return g.bind(func(n string) string { return fmt.Sprintf("(\\A %s \\in %s : %s)", n, set, g.truth(d)) })
	case "some":
		set := g.set(d)
		return g.bind(func(n string) string { return fmt.Sprintf("(\\E %s \\in %s : %s)", n, set, g.truth(d)) })
	}
	return g.truth(0)
}

func TestAnExpressionHasOneValueHoweverItIsReached(t *testing.T) {
	l := mustLoad(t, &testCase{body: strings.Split(randomBody, "\n"), steps: []step{{command: "cfg", want: []string{"INIT Init NEXT Next"}}}}, eval.Options{})
	s, u := l.state("[x |-> 1, y |-> 2]"), l.state("[x |-> 2, y |-> 0]")
	rapid.Check(t, func(t *rapid.T) {
		g := &exprs{t: t}
		e := map[string]func(int) string{"num": g.num, "set": g.set, "truth": g.truth}[g.pick("num", "set", "truth")](3)
		value := func(format string, from, to eval.State) string {
			text := strings.ReplaceAll(format, "@", "("+e+")")
			v, err := l.eval(text, from, to)
			if internal(err) {
				t.Fatal(text, err)
			}
			if err != nil {
				if len(showError(err)) > 0 && strings.HasPrefix(showError(err)[0], "error syntax") {
					t.Fatal(text, err)
				}
				return "error"
			}
			if v.Kind() == 7 && v.String() == "1..0" {
				return "{}"
			}
			return v.String()
		}
		want := value("@", s, nil)
		for _, form := range []string{
			"LET z == @ IN z", "LET z == @ IN IF z = z THEN z ELSE z", "Id(@)", "Twice(@)", "Rec(3, @)", "Eager(@, 2)", "App(Id, @)", "App(LAMBDA z : z, @)",
			"Through(LAMBDA v1, v2 : v1, @)", "LET F(z) == z IN F(@)", "IF TRUE THEN @ ELSE 0", "[q \\in {7} |-> @][7]", "<<@>>[1]", "[a |-> @].a",
			"LET RECURSIVE R(_, _) R(n, v) == IF n = 0 THEN v ELSE R(n - 1, v) IN R(2, @)", "LET g[n \\in 0..2] == IF n = 0 THEN @ ELSE g[n - 1] IN g[2]",
			"CHOOSE z \\in {@} : TRUE", "[[q \\in {7} |-> 0] EXCEPT ![7] = @][7]", "App(LAMBDA z : Rec(1, z), @)",
		} {
			if got := normal(value(form, s, nil)); got != normal(want) {
				t.Fatalf("%s\nalone: %s\nas %s: %s", e, want, form, got)
			}
		}
		// In the next state.
		want = value("@", u, nil)
		for _, form := range []string{"(@)'", "Id(@)'", "(LET z == @ IN IF z = z THEN z ELSE z)'", "LET z == @ IN IF z = z THEN z' ELSE z'", "Rec(2, @)'", "Twice(@)'", "(App(Id, @))'",
			"LET z == @ IN IF z = z THEN (<<z>>')[1] ELSE 0", "LET z == @ IN (IF z = z THEN <<z, z>>' ELSE <<0, 0>>)[2]"} {
			if got := normal(value(form, s, u)); got != normal(want) && !(got == "error" && strings.HasPrefix(form, "LET z == @ IN")) {
				t.Fatalf("%s\nin the next state: %s\nas %s: %s", e, want, form, got)
			}
		}
	})
}

// normal hides the form of an interval.
func normal(v string) string {
	var lo, hi int
	if n, _ := fmt.Sscanf(v, "%d..%d", &lo, &hi); n == 2 {
		var elems []string
		for i := lo; i <= hi; i++ {
			elems = append(elems, fmt.Sprint(i))
		}
		return "{" + strings.Join(elems, ", ") + "}"
	}
	return v
}

// action draws an action over x and y.
func (g *exprs) action(depth int) string {
	if depth == 0 {
		return g.pick("x' = 1", "y' = 0", "x' = y", "y' = x'", "x' \\in {0, 1}", "y' \\in {x, 2}", "UNCHANGED x", "UNCHANGED y", "UNCHANGED <<x, y>>", "x = 0", "x # y", "x' # y'", "TRUE")
	}
	d := depth - 1
	switch g.pick("and", "and", "and", "or", "some", "if", "=>", "all", "assign", "in", "guard", "let", "call", "case") {
	case "and":
		return fmt.Sprintf("(%s /\\ %s)", g.action(d), g.action(d))
	case "or":
		return fmt.Sprintf("(%s \\/ %s)", g.action(d), g.action(d))
	case "some":
		set := g.set(d)
		return g.bind(func(n string) string { return fmt.Sprintf("(\\E %s \\in %s : %s)", n, set, g.action(d)) })
	case "all":
		set := g.set(0)
		return g.bind(func(n string) string { return fmt.Sprintf("(\\A %s \\in %s : %s)", n, set, g.action(d)) })
	case "if":
		return fmt.Sprintf("(IF %s THEN %s ELSE %s)", g.truth(d), g.action(d), g.action(d))
	case "case":
		return fmt.Sprintf("(CASE %s -> %s [] OTHER -> %s)", g.truth(d), g.action(d), g.action(d))
	case "=>":
		return fmt.Sprintf("(%s => %s)", g.truth(d), g.action(d))
	case "assign":
		return fmt.Sprintf("%s = %s", g.pick("x'", "y'"), g.num(d))
	case "in":
		return fmt.Sprintf("%s \\in %s", g.pick("x'", "y'"), g.set(d))
	case "guard":
		return g.truth(d)
	case "let":
		v := g.num(d)
		return g.bind(func(n string) string { return fmt.Sprintf("(LET %s == %s IN %s)", n, v, g.action(d)) })
	case "call":
		return fmt.Sprintf("Id(%s)", g.action(d))
	}
	return g.action(0)
}

// TestAnActionGeneratesWhatMakesItTrue compares the enumeration of an action with its truth for all pairs of states, and different ways of writing the same
// action with each other.
func TestAnActionGeneratesWhatMakesItTrue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := &exprs{t: t}
		a := "(" + g.action(3) + ")"
		body := strings.Split(strings.Replace(randomBody, "Next == x' = x /\\ y' = y", "A == "+a+"\nNext == A\nAct == A\nInv == [A]_<<x, y>>\nOr(v, w) == v \\/ w", 1), "\n")
		build := func(next string) loaded {
			b := append(slices.Clone(body), "RECURSIVE RecA(_, _)", "RecA(n, v) == IF n = 0 THEN v ELSE RecA(n - 1, v)", "AppA(F(_), v) == F(v)", "Next2 == "+next)
			return mustLoad2(t, &testCase{body: b, steps: []step{{command: "cfg", want: []string{"INIT Init NEXT Next2 ACTION_CONSTRAINT Act"}}}})
		}
		list := func(l loaded, s eval.State) (out []string, failed bool) {
			err := l.e.Successors(s, func(st eval.Step) bool {
				out = append(out, l.p.StateValue(st.Next).String())
				return true
			})
			if internal(err) {
				t.Fatal(a, err)
			}
			return out, err != nil
		}
		l := build("A")
		forms := []loaded{build("(TRUE /\\ A)"), build("\\E q \\in {0} : A"), build("IF TRUE THEN A ELSE A"), build("Id(A)"), build("RecA(2, A)"), build("AppA(LAMBDA v : v, A)"),
			build("LET z == A IN z"), build("[q \\in {0} |-> A][0]"), build("\\A q \\in {0} : A"), build("LET R[n \\in 0..1] == IF n = 0 THEN A ELSE R[n - 1] IN R[1]")}
		var values []string
		for x := range 3 {
			for y := range 3 {
				values = append(values, fmt.Sprintf("[x |-> %d, y |-> %d]", x, y))
			}
		}
		for _, from := range values {
			s := l.state(from)
			got, failed := list(l, s)
			for i, other := range forms {
				got2, failed2 := list(other, s)
				if failed != failed2 || !slices.Equal(got, got2) {
					t.Fatalf("%s\nfrom %s\nalone: %v %v\nform %d: %v %v", a, from, got, failed, i, got2, failed2)
				}
			}
			if failed {
				continue
			}
			for _, to := range values {
				holds, err := l.e.HoldsStep(l.p.ActionConstraints()[0], s, l.state(to))
				if err != nil {
					continue
				}
				if holds != slices.Contains(got, to) {
					t.Fatalf("%s\nfrom %s to %s: %v\nsuccessors: %v", a, from, to, holds, got)
				}
			}
		}
	})
}

func mustLoad2(t *rapid.T, c *testCase) loaded {
	l, err := load(c, eval.Options{})
	if err != nil {
		t.Fatal(strings.Join(showError(err), "\n"))
	}
	return l
}
