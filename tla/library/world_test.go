package library

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"podlife/tla/value"
)

func TestPrintWritesLines(t *testing.T) {
	env := testEnv()
	gives(t, env, "TLC", `Print(<<1, "a">>, 3)`, "3")
	gives(t, env, "TLC", `PrintT("b")`, "TRUE")
	if got := env.Out.(*bytes.Buffer).String(); got != "<<1, \"a\">>  3\n\"b\"\n" {
		t.Errorf("printed: %q", got)
	}
	env.Out = nil
	gives(t, env, "TLC", `PrintT("b")`, "TRUE")
	env.Out = full{}
	fails(t, env, "TLC", `PrintT("b")`, CodeIO)
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("full") }

func TestSeveralWritersDoNotMixTheirLines(t *testing.T) {
	var buffer bytes.Buffer
	out := Output(&buffer)
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			env := &Env{Out: out}
			for range 100 {
				env.print("abc")
			}
		})
	}
	wait.Wait()
	if got := buffer.String(); got != strings.Repeat("abc\n", 400) {
		t.Error("lines were mixed")
	}
}

func TestAssertSaysItsMessage(t *testing.T) {
	for x, want := range map[string]string{
		`Assert(FALSE, "it is wrong")`:     "it is wrong",
		`Assert(1 = 2, <<1, "a">>)`:        `<<1, "a">>`,
		`Assert("no boolean", "the text")`: `the condition of Assert is not a boolean but a string: "no boolean"; its message: the text`,
	} {
		if _, err := evaluate(t, x, []string{"TLC"}, ""); err == nil || err.Error() != want {
			t.Errorf("%s: error %v; want %s", x, err, want)
		}
	}
}

func TestRegistersOfAllWorkers(t *testing.T) {
	env := testEnv()
	first, second := env.Registers, &Registers{}
	env.Workers = func() []*Registers { return []*Registers{first, second} }
	first.SetNumber(3, value.NewInt(1))
	first.SetName("s:x", value.NewInt(5))
	second.SetNumber(3, value.NewInt(2))
	second.SetName("s:x", value.NewInt(6))
	second.SetNumber(9, value.NewInt(7))
	gives(t, env, "TLC", `TLCGet("all")`, "(3 :> <<1, 2>>)")
	first.SetName("-Dproperty", value.NewString("true")) // is no register
	gives(t, env, "TLC", `TLCGet("all:named")`, `("s:x" :> <<5, 6>>)`)
	first.SetNumber(4, value.NewInt(1))
	fails(t, env, "TLC", `TLCGet("all")`, CodeUndefined)

	c := first.Copy()
	c.SetNumber(3, value.NewInt(8))
	gives(t, env, "TLC", `TLCGet(3)`, "1")
	if v, ok := c.Name("s:x"); !ok || v.String() != "5" {
		t.Error("a copy does not have a named register")
	}
}

func TestTheCheckerAnswersForItsNames(t *testing.T) {
	env := testEnv()
	env.Stat = func(name string) (value.Value, bool) { return value.NewInt(7), name == "level" }
	gives(t, env, "TLC", `TLCGet("level")`, "7")
	fails(t, env, "TLC", `TLCGet("levels")`, CodeUndefined)
	exits := 0
	env.Exit = func() { exits++ }
	gives(t, env, "TLC", `TLCSet("exit", TRUE)`, "TRUE")
	gives(t, env, "TLC", `TLCSet("exit", FALSE)`, "TRUE")
	if exits != 1 {
		t.Errorf("the checker was told to stop %d times", exits)
	}
	env.Trace = func() value.Value { return value.TupleOf(value.NewInt(1)) }
	gives(t, env, "TLCExt", `Trace`, "<<1>>")
	env.CounterExample = func() value.Value { return value.NewInt(2) }
	gives(t, env, "TLCExt", `CounterExample`, "2")
	env.Definition = func(name string) (value.Value, bool) { return value.NewInt(3), name == "X" }
	gives(t, env, "TLCExt", `TLCEvalDefinition("X")`, "3")
	fails(t, env, "TLCExt", `TLCEvalDefinition("Y")`, CodeUndefined)
	var later func()
	env.Defer = func(f func()) { later = f }
	gives(t, env, "TLC, TLCExt", `TLCDefer(TLCSet(1, 5)) /\ TLCGetOrDefault(1, 0) = 0`, "TRUE")
	later()
	gives(t, env, "TLC", `TLCGet(1)`, "5")
}

func TestWhatIsMissingIsRefused(t *testing.T) {
	env := &Env{}
	for _, x := range []string{`JavaTime`, `RandomElement({1})`, `TLCGet(1)`, `TLCSet(1, 2)`} {
		fails(t, env, "TLC", x, CodeRefused)
	}
	fails(t, env, "Randomization", `RandomSubset(1, {1})`, CodeRefused)
	fails(t, env, "Json", `JsonDeserialize("x")`, CodeRefused)
}

func TestChanceFollowsFromTheSeed(t *testing.T) {
	draw := func() string {
		v, err := evaluate(t, `<<RandomElement(1 .. 1000), RandomElement(SUBSET (1 .. 20)), RandomElement([1 .. 9 -> 1 .. 9]),
		    RandomSubset(3, 1 .. 99), RandomSetOfSubsets(5, 2, 1 .. 9)>>`, []string{"Randomization", "TLC", "Integers"}, "")
		if err != nil {
			t.Fatal(err)
		}
		return v.String()
	}
	if a, b := draw(), draw(); a != b {
		t.Errorf("one seed gives %s and %s", a, b)
	}
	env := testEnv()
	seen := map[string]bool{}
	for range 200 {
		v, err := evaluateIn(t, env, `RandomElement({1, 2, 3})`, []string{"TLC"}, "")
		if err != nil {
			t.Fatal(err)
		}
		seen[v.String()] = true
	}
	if len(seen) != 3 {
		t.Errorf("200 draws from three elements give only %v", seen)
	}
}

func TestEnvironmentIsARecord(t *testing.T) {
	env := testEnv()
	env.Environ = func() []string { return []string{"A=1", "B=x=y", "A=2", "bad", "=C:=D"} }
	gives(t, env, "IOUtils", `IOEnv`, `[A |-> "2", B |-> "x=y"]`)
}

func TestProgramsAreRunOnlyByTheirExec(t *testing.T) {
	env := testEnv()
	env.Exec = func(variables, command []string) (int, string, string, error) {
		if command[0] == "missing" {
			return 0, "", "", errors.New("no such program")
		}
		return 3, strings.Join(command, " "), strings.Join(variables, " "), nil
	}
	gives(t, env, "IOUtils", `IOExec(<<"ls", "-l">>)`, `[exitValue |-> 3, stderr |-> "", stdout |-> "ls -l"]`)
	gives(t, env, "IOUtils", `IOEnvExec([X |-> 1, Y |-> "z"], <<"ls">>)`, `[exitValue |-> 3, stderr |-> "X=1 Y=z", stdout |-> "ls"]`)
	gives(t, env, "IOUtils", `IOExecTemplate(<<"ls", "%2$s %1$s", "%s%s">>, <<"a", "b">>).stdout`, `"ls b a ab"`)
	gives(t, env, "IOUtils", `IOEnvExecTemplate([X |-> 1], <<"ls", "%s">>, <<"a">>).stdout`, `"ls a"`)
	fails(t, env, "IOUtils", `IOExec(<<"missing">>)`, CodeIO)
}

func TestRunProcess(t *testing.T) {
	run := RunProcess(t.Context())
	exit, stdout, stderr, err := run([]string{"GREETING=hello"}, []string{"sh", "-c", "echo $GREETING; echo no >&2; exit 4"})
	if exit != 4 || stdout != "hello\n" || stderr != "no\n" || err != nil {
		t.Errorf("got %d, %q, %q, %v", exit, stdout, stderr, err)
	}
	if _, _, _, err := run(nil, nil); err == nil {
		t.Error("an empty command runs")
	}
	if _, _, _, err := run(nil, []string{"no-such-program-anywhere"}); err == nil {
		t.Error("a program that is not there runs")
	}
	if _, _, _, err := run(nil, []string{"sh", "-c", "yes | head -c 20000000"}); err == nil {
		t.Error("a program may print without end")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, _, err := RunProcess(ctx)(nil, []string{"sh", "-c", "exit 0"}); err == nil {
		t.Error("a program runs after the end of its context")
	}
}

func TestDotNamesNodesByOneNumber(t *testing.T) {
	v, err := evaluate(t, `DotDiGraph([node |-> {"a", "b"}, edge |-> {<<"a", "b">>}], LAMBDA n : n, LAMBDA e : "to")`, []string{"GraphViz"}, "")
	if err != nil {
		t.Fatal(err)
	}
	text := v.(*value.Str).Text()
	first, rest, _ := strings.Cut(strings.TrimPrefix(text, "digraph MyGraph {"), `[label="a"];`)
	second, edge, _ := strings.Cut(rest, `[label="b"];`)
	if want := first + "->" + second + `[label="to"];}`; edge != want {
		t.Errorf("%s\nends with %s; want %s", text, edge, want)
	}
}
