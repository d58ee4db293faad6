package tlcjson_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/iotest"

	"podlife/tla/itf"
	"podlife/tla/tlcjson"
	"podlife/tla/value"
)

func str(s string) value.Value             { return value.NewString(s) }
func num(n int64) value.Value              { return value.NewInt(n) }
func set(elems ...value.Value) value.Value { return value.SetOf(elems...) }
func tup(elems ...value.Value) value.Value { return value.TupleOf(elems...) }
func model(name string) value.Value        { return value.NewModel(name) }

func fun(pairs ...value.Value) value.Value {
	var args, vals []value.Value
	for i := 0; i < len(pairs); i += 2 {
		args, vals = append(args, pairs[i]), append(vals, pairs[i+1])
	}
	return value.NewFunction(args, vals)
}

// same compares; values that TLC would not compare are different.
func same(a, b value.Value) (equal bool) {
	return value.Catch(func() { equal = value.Equal(a, b) }) == nil && equal
}

// lasso is a behaviour with everything that TLC's form can tell.
func lasso() *itf.Trace {
	return &itf.Trace{
		Vars: []string{"x", "s"},
		States: []itf.State{
			{Values: []value.Value{num(0), tup()}},
			{
				Values: []value.Value{num(1), tup(model("c1"))},
				Step: itf.Step{
					Action:   "Act",
					Args:     []itf.Binding{{Name: "c", Value: model("c1")}, {Name: "n", Value: num(2)}},
					Location: itf.Location{Module: "M", BeginLine: 6, BeginColumn: 14, EndLine: 6, EndColumn: 124},
				},
			},
		},
		Loop: 0, Closing: itf.Step{Action: "Back"}, Violates: "Live", Source: "M.tla",
	}
}

// asTLC is lasso in the words of TLC.
const asTLC = `{"counterexample":{"action":[[[1,{"x":0,"s":[]}],{"name":"Act","location":{"beginLine":6,"beginColumn":14,"endLine":6,"endColumn":124,"module":"M"},"context":{"c":"c1","n":2},"parameters":["c","n"]},[2,{"x":1,"s":["c1"]}]],` +
	`[[2,{"x":1,"s":["c1"]}],{"name":"Back"},[1,{"x":0,"s":[]}]]],"state":[[1,{"x":0,"s":[]}],[2,{"x":1,"s":["c1"]}]]},"vars":["x","s"]}`

func written(t *testing.T, tr *itf.Trace) string {
	t.Helper()
	var b bytes.Buffer
	if err := tlcjson.Write(&b, tr); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// fields are the fields of a file, but for "itf", without white space and in a fixed order.
func fields(t *testing.T, text string) string {
	t.Helper()
	var f map[string]any
	if err := json.Unmarshal([]byte(text), &f); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	delete(f, "itf")
	out, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestABehaviourIsWrittenAsTLCWritesIt(t *testing.T) {
	if got, want := fields(t, written(t, lasso())), fields(t, asTLC); got != want {
		t.Errorf("written\n%s\nwant\n%s", got, want)
	}
}

func TestWhatWasWrittenIsReadWithoutLoss(t *testing.T) {
	got, err := tlcjson.Decode([]byte(written(t, lasso())))
	if err != nil {
		t.Fatal(err)
	}
	var exact, want bytes.Buffer
	if err := errors.Join(itf.Write(&exact, &got.Trace), itf.Write(&want, lasso())); err != nil {
		t.Fatal(err)
	}
	if got.Lossy || exact.String() != want.String() {
		t.Errorf("lossy: %v, read\n%s\nwant\n%s", got.Lossy, exact.String(), want.String())
	}
}

func TestWhatTLCWroteIsReadAsFarAsItsTextGoes(t *testing.T) {
	got, err := tlcjson.Decode([]byte(asTLC))
	if err != nil {
		t.Fatal(err)
	}
	s := got.States[1]
	if !got.Lossy || got.Loop != 0 || got.Closing.Action != "Back" || s.Action != "Act" || s.Location.EndColumn != 124 || len(s.Args) != 2 || !same(s.Args[1].Value, num(2)) || !same(s.Values[1], tup(str("c1"))) {
		t.Errorf("read %+v", got)
	}
	if same, err := got.Is(1, lasso().States[1].Values); err != nil || !same {
		t.Errorf("the state that is meant is not recognised: %v", err)
	}
	if same, err := got.Is(0, lasso().States[1].Values); err != nil || same {
		t.Errorf("another state is taken for it: %v", err)
	}
}

func TestEveryValueHasItsFormAndIsRecognised(t *testing.T) {
	for _, c := range []struct {
		v     value.Value
		form  string
		lossy value.Value // nil: v itself
	}{
		{value.Bool(true), `true`, nil},
		{num(-7), `-7`, nil},
		{value.Mul(num(1<<62), num(8)), `36893488147419103232`, nil},
		{str(`a "<b>"`), `"a \"<b>\""`, nil},
		{model("m"), `"m"`, str("m")},
		{tup(), `[]`, nil},
		{tup(num(1), str("x")), `[1,"x"]`, nil},
		{set(num(2), num(1)), `[1,2]`, tup(num(1), num(2))},
		{value.Interval(num(1), num(3)), `[1,2,3]`, tup(num(1), num(2), num(3))},
		{fun(str("a"), set(), str("b c"), num(2)), `{"a":[],"b c":2}`, fun(str("a"), tup(), str("b c"), num(2))},
		{fun(num(3), num(1), num(5), str("x")), `{"3":1,"5":"x"}`, fun(str("3"), num(1), str("5"), str("x"))},
		{fun(tup(num(1), model("m")), num(1)), `{"<<1, m>>":1}`, fun(str("<<1, m>>"), num(1))},
		{set(set(num(1)), set()), `[[],[1]]`, tup(tup(), tup(num(1)))},
	} {
		if c.lossy == nil {
			c.lossy = c.v
		}
		tr := &itf.Trace{Vars: []string{"v"}, States: []itf.State{{Values: []value.Value{c.v}}}, Loop: itf.NoLoop}
		text := written(t, tr)
		if !strings.Contains(text, `[1,{"v":`+c.form+`}]`) {
			t.Errorf("%s is written\n%s\nwant %s", c.v, text, c.form)
		}
		if exact, err := tlcjson.Decode([]byte(text)); err != nil || exact.Lossy || !same(exact.States[0].Values[0], c.v) {
			t.Errorf("%s is read back as %+v, %v", c.v, exact, err)
		}
		cut, _, _ := strings.Cut(text, ",\n\"itf\"")
		lossy, err := tlcjson.Decode([]byte(cut + "}"))
		if err != nil || !lossy.Lossy || !same(lossy.States[0].Values[0], c.lossy) {
			t.Errorf("%s is read as %+v, %v; want %s", c.form, lossy, err, c.lossy)
			continue
		}
		if same, err := lossy.Is(0, []value.Value{c.v}); err != nil || !same {
			t.Errorf("%s is not recognised in %s: %v", c.v, c.form, err)
		}
	}
}

func TestTwoArgumentsOfOneTextAreOneField(t *testing.T) {
	tr := &itf.Trace{Vars: []string{"v"}, States: []itf.State{{Values: []value.Value{fun(model("a"), num(7), str("a"), num(7))}}}, Loop: itf.NoLoop}
	if text := written(t, tr); !strings.Contains(text, `{"v":{"a":7}}`) {
		t.Errorf("written\n%s", text)
	}
}

func TestAValueIsOnlyTakenForWhatItIsWrittenAs(t *testing.T) {
	for _, c := range []struct {
		form string
		v    value.Value
		is   bool
	}{
		{`["b","a"]`, set(str("a"), str("b")), true}, // TLC has another order of strings
		{`["b","a"]`, tup(str("a"), str("b")), false},
		{`["a","a"]`, set(str("a"), str("b")), false},
		{`["a"]`, set(str("a"), str("b")), false},
		{`["a","b","c"]`, set(str("a"), str("b")), false},
		{`["a","b"]`, set(str("a"), model("a")), false},
		{`["a","a"]`, set(str("a"), model("a")), true},
		{`{"a":2}`, fun(model("a"), num(1), str("a"), num(2)), true},
		{`{"a":1,"b":1}`, fun(str("a"), num(1)), false},
		{`[["b","a"],["c"]]`, set(set(str("c")), set(str("a"), str("b"))), true},
		{`{"a":1}`, fun(str("a"), num(1), str("b"), num(1)), false},
		{`{"a":1}`, fun(str("a"), num(2)), false},
		{`{"a":1}`, fun(str("b"), num(1)), false},
		{`{"a":1}`, tup(num(1)), false},
		{`[1]`, fun(str("a"), num(1)), false},
		{`1`, str("1"), false},
		{`"1"`, num(1), false},
		{`1`, set(num(1)), false},
		{`true`, str("true"), false},
		{`false`, value.Bool(true), false},
		{`[1]`, tup(num(1), num(2)), false},
		{`[1,2,3]`, tup(num(1), num(2)), false},
		{`"m"`, model("n"), false},
	} {
		tr, err := tlcjson.Decode([]byte(`{"counterexample":{"state":[[1,{"v":` + c.form + `}]]},"vars":["v"]}`))
		if err != nil {
			t.Fatal(err)
		}
		if is, err := tr.Is(0, []value.Value{c.v}); err != nil || is != c.is {
			t.Errorf("%s for %s: %v, %v", c.v, c.form, is, err)
		}
	}
}

func TestIsSaysWhatItCannotTell(t *testing.T) {
	tr, err := tlcjson.Decode([]byte(asTLC))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tr.Is(0, nil); err == nil {
		t.Error("no values for two variables")
	}
	if _, err := tr.Is(0, []value.Value{value.Naturals, tup()}); err == nil {
		t.Error("an infinite set")
	}
}

func TestWhatIsNotTLCsFormIsRefused(t *testing.T) {
	exact := written(t, lasso())
	change := func(old, new string) string {
		text := strings.Replace(asTLC, old, new, 1)
		if text == asTLC {
			t.Fatalf("no %s", old)
		}
		return text
	}
	for name, c := range map[string]struct{ file, says string }{
		"nothing":                    {"", "not the JSON"},
		"cut off":                    {asTLC[:100], "not the JSON"},
		"no states":                  {`{"counterexample":{"state":[]},"vars":[]}`, "has 0 states"},
		"something else":             {`{}`, "has 0 states"},
		"no pair":                    {change(`"state":[[1,`, `"state":[[`), "state[0]: not a number and a state"},
		"no number":                  {change(`"state":[[1,`, `"state":[["1",`), "has no number"},
		"another number":             {change(`"state":[[1,`, `"state":[[2,`), "state[0]: has the number 2, want 1"},
		"a state that is none":       {change(`"state":[[1,{"x":0,"s":[]}]`, `"state":[[1,[]]`), "not a state"},
		"no value":                   {change(`"vars":["x"`, `"vars":["x","y"`), `state[0]: "y" has no value`},
		"another variable":           {change(`"vars":["x",`, `"vars":[`), `"x" is not among the variables`},
		"null":                       {change(`"state":[[1,{"x":0`, `"state":[[1,{"x":null`), "null is no value"},
		"a fraction":                 {change(`"state":[[1,{"x":0`, `"state":[[1,{"x":0.5`), "no integer"},
		"too deep":                   {change(`"state":[[1,{"x":0`, `"state":[[1,{"x":`+strings.Repeat("[", 1100)+strings.Repeat("]", 1100)), "nested more than"},
		"too many digits":            {change(`"state":[[1,{"x":0`, `"state":[[1,{"x":`+strings.Repeat("1", 400_000)), "digits"},
		"a step too few":             {`{"counterexample":{"action":[],"state":[[1,{}],[2,{}]]},"vars":[]}`, "0 steps between 2 states"},
		"a step that is none":        {change(`"action":[[[1,{"x":0,"s":[]}],`, `"action":[[`), "not a state, an action"},
		"a step of another state":    {change(`"action":[[[1,{"x":0`, `"action":[[[1,{"x":5`), "has another state 1"},
		"a step of a smaller state":  {change(`"action":[[[1,{"x":0,`, `"action":[[[1,{`), "has another state 1"},
		"a step of a larger state":   {change(`"action":[[[1,{"x":0`, `"action":[[[1,{"y":0,"x":0`), "has another state 1"},
		"a step of no state":         {change(`"action":[[[1,`, `"action":[[[3,`), "state 3 is not there"},
		"a step elsewhere":           {change(`"action":[[[1,{"x":0,"s":[]}]`, `"action":[[[2,{"x":1,"s":["c1"]}]`), "leads from state 2 to state 2"},
		"an action that is none":     {change(`{"name":"Back"}`, `1`), "not an action"},
		"a parameter without value":  {change(`"c":"c1",`, ``), `the parameter "c" has no value`},
		"a parameter that is null":   {change(`"c":"c1",`, `"c":null,`), `null is no value`},
		"another behaviour":          {strings.Replace(exact, `"x": {"#bigint":"1"}`, `"x": {"#bigint":"2"}`, 1), "itf: another behaviour than the counterexample: states[1]"},
		"another action":             {strings.Replace(exact, `"action":"Act"`, `"action":"Go"`, 1), "the action of states[1]"},
		"another loop":               {strings.Replace(exact, `"loop": 0`, `"loop": 1`, 1), "variables, number of states or loop"},
		"an exact form that is none": {strings.Replace(exact, `"loop": 0`, `"loop": 5`, 1), "itf: not a behaviour"},
	} {
		_, err := tlcjson.Read(strings.NewReader(c.file))
		var format *tlcjson.FormatError
		if !errors.As(err, &format) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want a FormatError that says %q", name, err, c.says)
		}
	}
}

func TestWhatCannotBeWrittenIsRefusedAndNothingIsWritten(t *testing.T) {
	infinite := lasso()
	infinite.States[0].Values[0] = value.Naturals
	for name, tr := range map[string]*itf.Trace{"infinite": infinite, "empty": {Loop: itf.NoLoop}} {
		var b bytes.Buffer
		err := tlcjson.Write(&b, tr)
		var format *tlcjson.FormatError
		if !errors.As(err, &format) || b.Len() > 0 {
			t.Errorf("%s: %v, %d bytes written", name, err, b.Len())
		}
	}
}

func TestAnErrorOfTheReaderIsPassedOn(t *testing.T) {
	broken := errors.New("broken")
	if _, err := tlcjson.Read(iotest.ErrReader(broken)); !errors.Is(err, broken) {
		t.Errorf("read: %v", err)
	}
}

func FuzzDecodeNeverPanicsAndKeepsWhatItAccepts(f *testing.F) {
	var b bytes.Buffer
	if err := tlcjson.Write(&b, lasso()); err != nil {
		f.Fatal(err)
	}
	f.Add(b.String())
	f.Add(asTLC)
	f.Fuzz(func(t *testing.T, file string) {
		got, err := tlcjson.Decode([]byte(file))
		if err != nil {
			return
		}
		var once bytes.Buffer
		if err := tlcjson.Write(&once, &got.Trace); err != nil {
			return // such as a variable that is there twice
		}
		back, err := tlcjson.Decode(once.Bytes())
		if err != nil || back.Lossy {
			t.Fatalf("written, but not to be read: %v\n%s", err, once.String())
		}
		var twice bytes.Buffer
		if err := tlcjson.Write(&twice, &back.Trace); err != nil || twice.String() != once.String() {
			t.Fatalf("written\n%s\nread and written again\n%s\n%v", once.String(), twice.String(), err)
		}
	})
}
