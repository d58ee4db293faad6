package tracefile_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"podlife/conformance/replay/tracefile"
	"podlife/conformance/tracecheck"
	"podlife/model/explain"
	"podlife/model/podlifecycle"
	"podlife/model/podruntime"
	"podlife/model/trace"
	"podlife/tla/itf"
	"podlife/tla/tlcjson"
	"podlife/tla/value"
)

const booted = "StartBoot(c1) CreateContainer(1) StartContainer(1) BeginScript(1) ScriptWorks(1) ScriptWorks(1) ScriptMarks(1) ScriptSucceeded(1) FinishBoot(c1,1) EndRun(1)"

// path takes steps, such as "FinishBoot(c1,1)", by the table with these constants.
func path(t *testing.T, c podruntime.Constants, tabs int, steps string) []explain.Taken {
	t.Helper()
	sys, err := podruntime.System(c, tabs)
	if err != nil {
		t.Fatal(err)
	}
	s := podruntime.State{}
	taken := []explain.Taken{{Recorded: -1, Clients: s.View(tabs).Client}}
	for _, word := range strings.Fields(steps) {
		action, rest, _ := strings.Cut(strings.TrimSuffix(word, ")"), "(")
		one := explain.Taken{Step: explain.Step{Action: action}, Recorded: -1}
		for arg := range strings.SplitSeq(rest, ",") {
			if n, err := strconv.Atoi(arg); err == nil {
				one.N = n
			} else {
				one.Client = arg
			}
		}
		found := false
		for i := range sys.Steps {
			step := &sys.Steps[i]
			args := []string{podruntime.PodName}
			if one.Client != "" {
				args = append(args, one.Client)
			}
			if one.N != 0 {
				args = append(args, fmt.Sprint(one.N))
			}
			if action == podruntime.Probe {
				args = append(args[:2:2], podruntime.PodName)
			}
			if step.Name != action || len(step.Params) > 0 && !slices.Equal(step.Args, args) || !step.Enabled(s) {
				continue
			}
			s, found = step.Effect(s), true
			break
		}
		if !found {
			t.Fatalf("%s is not enabled after %v", word, taken[len(taken)-1].Pod)
		}
		one.Pod, one.Clients = s.Pod(), s.View(tabs).Client
		taken = append(taken, one)
	}
	return taken
}

// written is a path in the Informal Trace Format.
func written(t *testing.T, c podruntime.Constants, tabs int, steps string) string {
	t.Helper()
	var b bytes.Buffer
	if err := tracecheck.WritePath(&b, path(t, c, tabs, steps), c, "Inv"); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func read(t *testing.T, text string) tracefile.File {
	t.Helper()
	f, err := tracefile.Read(t.Context(), strings.NewReader(text))
	if err != nil {
		t.Fatalf("%v in\n%.3000s", err, text)
	}
	return f
}

// decoded is a trace to be changed, or written in another form.
func decoded(t *testing.T, text string) *itf.Trace {
	t.Helper()
	tr, err := itf.Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

func encoded(t *testing.T, write func(io.Writer, *itf.Trace) error, tr *itf.Trace) string {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b, tr); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// expect holds a behaviour against the path that it was made of.
func expect(t *testing.T, b *tracefile.Behaviour, want []explain.Taken) {
	t.Helper()
	if b == nil || len(b.Steps) != len(want)-1 {
		t.Fatalf("read %+v, want %d steps", b, len(want)-1)
	}
	for i, s := range b.Steps {
		w := want[i+1]
		if s.Action != w.Action || s.Client != w.Client || s.Inc != w.N || !s.State.Pod().Equal(w.Pod) || s.State.Tab(0) != w.Clients["c1"] {
			t.Fatalf("step %d is read as %+v, want %+v", i+1, s, w)
		}
	}
}

// withoutNames takes away what other tools do not write: actions, and constants.
func withoutNames(tr *itf.Trace) *itf.Trace {
	tr.Params, tr.Violates = nil, ""
	for i := range tr.States {
		tr.States[i].Step, tr.States[i].Other = itf.Step{}, nil
	}
	return tr
}

func TestEveryFormIsReadAsTheSameBehaviour(t *testing.T) {
	c := podruntime.Constants{MaxInc: 2, MaxCrashes: 1}
	steps := booted + " Probe(c1) Dial(c1) AttachReady(c1) StartBoot(c2) CrashOtherRecipe RecoverReady"
	want := path(t, c, 2, steps)
	text := written(t, c, 2, steps)

	tlc := encoded(t, tlcjson.Write, decoded(t, text))
	var lossy map[string]json.RawMessage
	if err := json.Unmarshal([]byte(tlc), &lossy); err != nil {
		t.Fatal(err)
	}
	delete(lossy, "itf")
	asTLC, err := json.Marshal(lossy)
	if err != nil {
		t.Fatal(err)
	}

	// Apalache: no actions, constants or not, model values as strings.
	apalache := encoded(t, itf.Write, withoutNames(decoded(t, text)))
	apalache = apalache[strings.Index(apalache, `"vars"`):]
	apalache = "{\n  " + strings.ReplaceAll(strings.ReplaceAll(apalache, `"p1"`, `"p1_OF_POD"`), `"c1"`, `"c1_OF_CLIENT"`)

	quint := withoutNames(decoded(t, text))
	quint.Vars = append(quint.Vars, "mbt::actionTaken", "mbt::nondetPicks")
	for i := range quint.States {
		action, pick := "init", value.Value(value.RecordOf(value.ShapeOf("tag", "value"), value.NewString("None"), value.TupleOf()))
		if i > 0 {
			action = want[i].Action
			if name := want[i].Client; name != "" {
				pick = value.RecordOf(value.ShapeOf("tag", "value"), value.NewString("Some"), value.NewString(name))
			}
		}
		quint.States[i].Values = append(quint.States[i].Values, value.NewString(action), value.RecordOf(value.ShapeOf("c"), pick))
	}

	for name, file := range map[string]string{
		"the Informal Trace Format":    text,
		"TLC's JSON":                   tlc,
		"TLC's JSON, of TLC itself":    string(asTLC),
		"states without actions":       apalache,
		"with the choices of a runner": encoded(t, itf.Write, quint),
	} {
		t.Run(name, func(t *testing.T) {
			b := read(t, file).Runtime
			expect(t, b, want)
			if b.Constants.MaxInc != 2 || b.Constants.MaxCrashes != 1 || len(b.Constants.Off) > 0 || len(b.Clients) != 2 {
				t.Errorf("%+v", b)
			}
		})
	}
	if b := read(t, text).Runtime; b.Violates != "Inv" || !b.OffTold {
		t.Errorf("%+v", b)
	}
}

func TestRecordedStepsAreReadWithWhatExplainsThem(t *testing.T) {
	lines := `{"pod":"me","action":"StartBoot","client":"tab-7","incarnation":1}
{"pod":"me","action":"CreateContainer","n":1}
{"pod":"me","action":"StartContainer","n":1}
{"pod":"me","action":"BeginScript","n":1}
{"pod":"me","action":"ScriptSucceeded","n":1}
`
	b := read(t, lines).Runtime
	want := path(t, podruntime.Constants{MaxInc: 1}, 1, strings.TrimSuffix(booted, " FinishBoot(c1,1) EndRun(1)"))
	expect(t, b, want) // with the steps of the script, which were not recorded
	if b.Pod != "me" || b.Clients[0] != "tab-7" {
		t.Errorf("%+v", b)
	}
}

func TestStepsInWordsAreThoseOfTheShippedDesign(t *testing.T) {
	f := read(t, "\n"+strings.ReplaceAll(booted, ",", ", ")+"; Probe(c1), Dial(c1)\nStartBoot(c2) CrashOtherRecipe\n")
	want := path(t, podruntime.Constants{MaxInc: 1, MaxCrashes: 1}, 2, booted+" Probe(c1) Dial(c1) StartBoot(c2) CrashOtherRecipe")
	expect(t, f.Runtime, want)
	if b := f.Runtime; len(b.Clients) != 2 || b.Constants.MaxCrashes != 1 || len(b.Constants.Off) > 0 {
		t.Errorf("%+v", b)
	}
	for text, says := range map[string]string{
		"StartBoot(c1)\n  Sleep":      `line 2, column 3: PodRuntime has no action "Sleep"`,
		"StartBoot(c1) -> Destroy":    `line 1, column 15: "-" is not a step`,
		"StartBoot(c1) Destroy(c1)":   "state 2, by Destroy(c1): the action is not taken for such arguments",
		"StartBoot(c1) StartBoot(c1)": "state 2, by StartBoot(c1): it is not enabled: false guards: idle",
		"StartBoot(c4)":               "more than 10000 steps, or 3 tabs",
	} {
		if _, err := tracefile.Read(t.Context(), strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", text, err, says)
		}
	}
}

func TestWhatTheFileDoesNotTellIsFoundOut(t *testing.T) {
	c := podruntime.Constants{MaxInc: 1, Off: []string{"DestroyAnswered.removed"}}
	text := written(t, c, 1, "StartBoot(c1) CreateContainer(1) Destroy DestroyAnswered")
	b := read(t, encoded(t, itf.Write, withoutNames(decoded(t, text)))).Runtime
	if !slices.Equal(b.Constants.Off, c.Off) || b.OffTold || len(b.Steps) != 4 || b.Steps[3].Action != podruntime.DestroyAnswered {
		t.Errorf("a guard: %+v", b)
	}
	marked := podruntime.Constants{MaxInc: 1, ImageMarked: true}
	text = written(t, marked, 1, "StartBoot(c1) CreateContainer(1)")
	if b := read(t, encoded(t, itf.Write, withoutNames(decoded(t, text)))).Runtime; !b.Constants.ImageMarked || len(b.Constants.Off) > 0 {
		t.Errorf("an image with a marker: %+v", b)
	}
}

func TestAStateThatIsTheSameIsNoStep(t *testing.T) {
	tr := decoded(t, written(t, podruntime.Constants{MaxInc: 1}, 1, "StartBoot(c1) CreateContainer(1)"))
	again := tr.States[1]
	again.Step = itf.Step{Action: "TearDown", Args: []itf.Binding{{Name: "n", Value: value.NewInt(1)}}}
	tr.States = slices.Insert(tr.States, 2, again)
	b := read(t, encoded(t, itf.Write, tr)).Runtime
	if b.Stutters != 1 || len(b.Steps) != 2 || b.Steps[1].At != 3 {
		t.Errorf("%+v", b)
	}
}

func TestPodLifecycleIsRecognisedByItsVariables(t *testing.T) {
	c := podlifecycle.Constants{MaxInc: 2}
	for _, named := range []bool{true, false} {
		tr := lifecycle(t, named)
		f := read(t, encoded(t, itf.Write, tr))
		if f.Lifecycle == nil || len(f.Lifecycle.Steps) != 5 || f.Lifecycle.Steps[4].Action != podlifecycle.AttachWakesFresh || f.Lifecycle.Steps[4].Args[0] != "c1" {
			t.Fatalf("named %v: %+v", named, f.Lifecycle)
		}
		if err := podlifecycle.CheckTrace(podlifecycle.Table(c), *f.Lifecycle); err != nil {
			t.Error(err)
		}
	}
	var ours bytes.Buffer
	f := read(t, encoded(t, itf.Write, lifecycle(t, true)))
	if err := trace.Write(&ours, *f.Lifecycle); err != nil {
		t.Fatal(err)
	}
	if again := read(t, ours.String()); again.Form != trace.Format || len(again.Lifecycle.Steps) != 5 {
		t.Errorf("%+v", again)
	}
}

// lifecycle is the shortest way to the bug that started it.
func lifecycle(t *testing.T, named bool) *itf.Trace {
	t.Helper()
	tr := &itf.Trace{Vars: []string{"ctr", "inc", "client"}, Loop: itf.NoLoop}
	client := value.NewModel("c1")
	for _, s := range []struct {
		action, ctr       string
		inc               int64
		phase             string
		bootInc, attached int64
	}{
		{"", "asleep", 0, "idle", 0, 0},
		{"StartBoot", "provisioning", 1, "booting", 1, 0},
		{"FinishBoot", "ready", 1, "believes", 1, 0},
		{"Sleep", "asleep", 1, "believes", 1, 0},
		{"AttachWakesFresh", "fresh", 2, "attached", 1, 2},
	} {
		tab := value.RecordOf(value.ShapeOf("attInc", "bootInc", "phase"), value.NewInt(s.attached), value.NewInt(s.bootInc), value.NewString(s.phase))
		state := itf.State{Values: []value.Value{value.NewString(s.ctr), value.NewInt(s.inc), value.NewFunction([]value.Value{client}, []value.Value{tab})}}
		if named && s.action != "" {
			state.Action = s.action
			if s.action != "Sleep" {
				state.Args = []itf.Binding{{Name: "c", Value: client}}
			}
		}
		tr.States = append(tr.States, state)
	}
	return tr
}

func TestABadFileIsRefusedWithThePlace(t *testing.T) {
	good := written(t, podruntime.Constants{MaxInc: 1}, 1, "StartBoot(c1) CreateContainer(1)")
	change := func(old, with string) string {
		if !strings.Contains(good, old) {
			t.Fatalf("%q is not in\n%s", old, good)
		}
		return strings.Replace(good, old, with, 1)
	}
	last := func(old, with string) string {
		at := strings.LastIndex(good, old)
		if at < 0 {
			t.Fatalf("%q is not in\n%s", old, good)
		}
		return good[:at] + with + good[at+len(old):]
	}
	for name, c := range map[string]struct{ file, says string }{
		"nothing":                  {"", "line 1, column 1: empty"},
		"no JSON":                  {"{\n  \"vars\": [,]}", "line 2, column 12: not a JSON object"},
		"cut off":                  {good[:len(good)-4], "not a JSON object"},
		"something after it":       {good + "x", "something that is no JSON follows"},
		"another object after it":  {good + "{}", "another JSON value follows"},
		"a list":                   {"[1]", "not a JSON object"},
		"another object":           {`{"a": 1}`, `the fields ["a"]`},
		"no states":                {`{"vars": ["pod"], "states": []}`, "states: empty"},
		"an unknown variable":      {strings.ReplaceAll(good, `"settled"`, `"seteld"`), `vars: not the variables of PodRuntime: "seteld" is unknown, "settled" is missing`},
		"a word that is none":      {change(`"asleep"`, `"a sleep"`), `states[0].pod.ctr: not a value of the specification`},
		"a number that is a word":  {change(`"settled": {"#map":[["p1",{"#bigint":"0"}`, `"settled": {"#map":[["p1","x"`), `states[0].settled: "x" is no number`},
		"a field too many":         {change(`"awake":false`, `"awake":false,"wake":true`), `states[0].store: has "wake"`},
		"a terminal of another":    {change(`"pod":"p1"`, `"pod":"p2"`), `states[0].client.c1.term.pod: "p2" is another pod`},
		"a field missing":          {change(`"awake":false`, `"awoke":false`), "states[0].store: has no awake"},
		"more incarnations later":  {last(`"start"]`, `"start","none"]`), "states[2].run: is for 2 incarnations, and not for 1"},
		"another client later":     {last(`{"#map":[["c1",`, `{"#map":[["c2",`), `states[2].client: there was no client "c2" before`},
		"other constants":          {change(`"MaxInc": {"#bigint":"1"}`, `"MaxInc": {"#bigint":"2"}`), "MaxInc: is 2, and the states are of 1 incarnations"},
		"a guard that is none":     {change(`"Off": {"#set":[]}`, `"Off": {"#set":["Dial.mark"]}`), `Off: other constants than the specification has: "Dial.mark"`},
		"an argument of nobody":    {change(`"name":"c","value":"c1"`, `"name":"c","value":"c7"`), `there is no client "c7"`},
		"a line that is no step":   {"{\"action\":\"StartBoot\",\"client\":\"c1\"}\n{\"action\":\"Sleep\"}\n", "line 2, column 1: not a step"},
		"TLC: an unknown variable": {`{"counterexample":{"state":[[1,{"x":1}]],"action":[]},"vars":["x"]}`, `"x" is unknown`},
		"ours: another type":       {"{\"format\":\"podlife-trace-1\",\n\"table\":3}", "line 2, column 9"},
	} {
		_, err := tracefile.Read(t.Context(), strings.NewReader(c.file))
		var form *tracefile.FormatError
		if !errors.As(err, &form) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want a FormatError that says %q", name, err, c.says)
		}
	}
}

func TestStatesThatDoNotFollowAreRefusedByStepAndVariable(t *testing.T) {
	good := written(t, podruntime.Constants{MaxInc: 1}, 1, "StartBoot(c1) CreateContainer(1) StartContainer(1)")
	tr := decoded(t, good)
	skipped := *tr
	skipped.States = slices.Delete(slices.Clone(tr.States), 2, 3)
	for name, c := range map[string]struct {
		file  string
		state int
		says  string
	}{
		"another effect":     {strings.Replace(good, `"ctr":"provisioning"`, `"ctr":"ready"`, 1), 1, "the file has pod.ctr ready and not provisioning"},
		"an action too soon": {encoded(t, itf.Write, &skipped), 2, "it is not enabled: false guards: starting, created"},
		"no action at all": {
			encoded(t, itf.Write, withoutNames(decoded(t, strings.Replace(good, `"box":"created"`, `"box":"dead"`, 1)))), 2,
			"no action leads here; the nearest is CreateContainer(1), for which the file has engine.1.box dead and not created",
		},
		"not the beginning":  {strings.Replace(good, `"settled": {"#map":[["p1",{"#bigint":"0"}`, `"settled": {"#map":[["p1",{"#bigint":"1"}`, 1), 0, "not the initial state"},
		"recorded otherwise": {"{\"action\":\"StartBoot\",\"client\":\"c1\"}\n{\"action\":\"EndRun\",\"n\":1}\n", 2, "mismatch"},
	} {
		_, err := tracefile.Read(t.Context(), strings.NewReader(c.file))
		var step *tracefile.StepError
		if !errors.As(err, &step) || step.State != c.state || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want a StepError at state %d that says %q", name, err, c.state, c.says)
		}
	}
}

func TestMoreThanIsPlayedIsSaid(t *testing.T) {
	tr := decoded(t, written(t, podruntime.Constants{MaxInc: 1}, 1, "StartBoot(c1)"))
	for i := range tr.States {
		s := &tr.States[i]
		for j, v := range s.Values {
			if f, ok := v.(*value.Function); ok {
				s.Values[j] = value.NewFunction([]value.Value{value.NewModel("p1"), value.NewModel("p2")}, []value.Value{f.Vals()[0], f.Vals()[0]})
			}
		}
	}
	lines := ""
	for n := 1; n <= 4; n++ {
		lines += fmt.Sprintf(`{"action":"StartBoot","client":"c%d"}`+"\n", n)
	}
	for want, file := range map[string]string{
		"2 pods, p1, p2": encoded(t, itf.Write, tr), "4 clients": lines,
	} {
		_, err := tracefile.Read(t.Context(), strings.NewReader(file))
		var scope *tracefile.ScopeError
		if !errors.As(err, &scope) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want a ScopeError that says %q", err, want)
		}
	}
}

func TestAnErrorOfTheReaderIsPassedOn(t *testing.T) {
	broken := errors.New("broken")
	if _, err := tracefile.Read(t.Context(), iotest.ErrReader(broken)); !errors.Is(err, broken) {
		t.Error(err)
	}
	long := io.LimitReader(zeros{}, tracefile.MaxBytes+1)
	var form *tracefile.FormatError
	if _, err := tracefile.Read(t.Context(), long); !errors.As(err, &form) || !strings.Contains(err.Error(), "longer than") {
		t.Error(err)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

func FuzzReadNeverPanics(f *testing.F) {
	f.Add(`{"vars":["pod"],"states":[{"pod":1}]}`)
	f.Add(`{"action":"StartBoot","client":"c1"}`)
	f.Add("StartBoot(c1) CreateContainer(1)")
	f.Add(`{"counterexample":{"state":[[1,{}]],"action":[]},"vars":[]}`)
	f.Fuzz(func(t *testing.T, text string) {
		_, _ = tracefile.Read(t.Context(), strings.NewReader(text))
	})
}
