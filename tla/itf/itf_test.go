package itf_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/big"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"podlife/tla/itf"
	"podlife/tla/value"
)

func str(s string) value.Value             { return value.NewString(s) }
func num(n int64) value.Value              { return value.NewInt(n) }
func set(elems ...value.Value) value.Value { return value.SetOf(elems...) }
func tup(elems ...value.Value) value.Value { return value.TupleOf(elems...) }

func fun(pairs ...value.Value) value.Value {
	var args, vals []value.Value
	for i := 0; i < len(pairs); i += 2 {
		args, vals = append(args, pairs[i]), append(vals, pairs[i+1])
	}
	return value.NewFunction(args, vals)
}

// one is a trace of a single state with a variable v.
func one(v value.Value) *itf.Trace {
	return &itf.Trace{Vars: []string{"v"}, States: []itf.State{{Values: []value.Value{v}}}, Loop: itf.NoLoop}
}

func written(t interface{ Fatal(...any) }, tr *itf.Trace) string {
	var b bytes.Buffer
	if err := itf.Write(&b, tr); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// state is what stands for the variable v of the only state.
func state(t *testing.T, text string) string {
	t.Helper()
	_, v, ok := strings.Cut(text, `"v": `)
	v, _, ok2 := strings.Cut(v, "}\n")
	if !ok || !ok2 {
		t.Fatalf("no state in\n%s", text)
	}
	return v
}

func huge() value.Value {
	n, _ := new(big.Int).SetString("-123456789012345678901234567890", 10)
	return value.NewBig(n)
}

func TestEveryValueHasItsFormAndIsReadBack(t *testing.T) {
	for _, c := range []struct {
		v    value.Value
		form string
	}{
		{value.Bool(true), `true`},
		{num(7), `{"#bigint":"7"}`},
		{huge(), `{"#bigint":"-123456789012345678901234567890"}`},
		{str(`a "<b>" c`), `"a \"<b>\" c"`},
		{value.NewModel("m1"), `"m1"`},
		{tup(), `[]`},
		{tup(num(1), num(2)), `[{"#bigint":"1"},{"#bigint":"2"}]`},
		{tup(num(1), str("x")), `{"#tup":[{"#bigint":"1"},"x"]}`},
		{set(), `{"#set":[]}`},
		{set(num(2), num(1)), `{"#set":[{"#bigint":"1"},{"#bigint":"2"}]}`},
		{fun(str("a"), num(1), str("b"), set()), `{"a":{"#bigint":"1"},"b":{"#set":[]}}`},
		{fun(str("a b"), num(1)), `{"#map":[["a b",{"#bigint":"1"}]]}`},
		{fun(str("#set"), tup()), `{"#map":[["#set",[]]]}`},
		{fun(num(3), num(1), num(5), str("x")), `{"#map":[[{"#bigint":"3"},{"#bigint":"1"}],[{"#bigint":"5"},"x"]]}`},
		{fun(value.NewModel("m1"), num(1)), `{"#map":[["m1",{"#bigint":"1"}]]}`},
	} {
		text := written(t, one(c.v))
		if got := state(t, text); got != c.form {
			t.Errorf("%s is written %s, want %s", c.v, got, c.form)
		}
		back, err := itf.Decode([]byte(text))
		if err != nil || !same(back.States[0].Values[0], c.v) {
			t.Errorf("%s is read back as %v, %v", c.v, back, err)
		}
	}
}

// same compares without the errors that comparing an integer with a string would raise.
func same(a, b value.Value) bool {
	return bytes.Equal(value.Append(nil, value.Normalize(a)), value.Append(nil, value.Normalize(b)))
}

func TestLazyValuesAreWrittenOut(t *testing.T) {
	text := written(t, one(value.Powerset(value.Interval(num(1), num(2)))))
	if text := written(t, one(value.Interval(num(1), num(2)))); state(t, text) != `{"#set":[{"#bigint":"1"},{"#bigint":"2"}]}` {
		t.Errorf("written %s", state(t, text))
	}
	if want := `{"#set":[{"#set":[]},{"#set":[{"#bigint":"1"}]},{"#set":[{"#bigint":"2"}]},{"#set":[{"#bigint":"1"},{"#bigint":"2"}]}]}`; state(t, text) != want {
		t.Errorf("written %s", state(t, text))
	}
}

func TestAModelValueIsNoString(t *testing.T) {
	m := value.NewModel("a")
	for name, v := range map[string]value.Value{
		"alone":                           m,
		"beside its string":               tup(m, str("a")),
		"beside the string that it takes": tup(m, str("a"), str("a_OF_MODEL")),
		"beside another such model value": tup(m, str("a"), value.NewModel("a_OF_MODEL")),
		"beside a name of a field":        tup(m, fun(str("a"), num(1), str("b c"), num(2))),
		"as an argument":                  fun(m, str("a")),
	} {
		back, err := itf.Decode([]byte(written(t, one(v))))
		if err != nil || !same(back.States[0].Values[0], v) {
			t.Errorf("%s: read back as %v, %v", name, back, err)
		}
	}
}

func whole() *itf.Trace {
	return &itf.Trace{
		Params: []itf.Binding{{"Clients", set(value.NewModel("c1"), value.NewModel("c2"))}, {"Max", num(3)}},
		Vars:   []string{"x", "y"},
		States: []itf.State{
			{Values: []value.Value{num(0), tup()}},
			{
				Values: []value.Value{num(1), tup(value.NewModel("c1"))},
				Step: itf.Step{
					Action:   "Go",
					Args:     []itf.Binding{{"c", value.NewModel("c1")}},
					Location: itf.Location{Module: "M", BeginLine: 1, BeginColumn: 2, EndLine: 3, EndColumn: 4},
				},
				Other: map[string]json.RawMessage{"note": json.RawMessage(`[1]`)},
			},
		},
		Loop: 0, Closing: itf.Step{Action: "Back", Args: []itf.Binding{{"d", value.NewModel("c3")}}}, Source: "M.tla", Description: "d", Violates: "Inv",
		Other: map[string]json.RawMessage{"varTypes": json.RawMessage(`{"x":"Int"}`)},
	}
}

func TestAWholeTraceIsReadAsItWasWritten(t *testing.T) {
	text := written(t, whole())
	back, err := itf.Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if again := written(t, back); again != text {
		t.Errorf("written\n%s\nread and written again\n%s", text, again)
	}
	if strings.Count(text, `"Max": `) != 1 {
		t.Errorf("the value of a parameter belongs into the first state only:\n%s", text)
	}
	if back.Violates != "Inv" || back.Loop != 0 || back.Source != "M.tla" || len(back.Params) != 2 || !same(back.Params[1].Value, num(3)) {
		t.Errorf("read %+v", back)
	}
	if c := back.Closing; c.Action != "Back" || len(c.Args) != 1 || !same(c.Args[0].Value, value.NewModel("c3")) {
		t.Errorf("read %+v", c)
	}
	s := back.States[1]
	if s.Action != "Go" || s.Location.EndColumn != 4 || len(s.Args) != 1 || s.Args[0].Name != "c" || !same(s.Args[0].Value, value.NewModel("c1")) || string(s.Other["note"]) != "[1]" {
		t.Errorf("read %+v", s)
	}
}

// foreign is as other tools write: "#meta" last, small numbers as such, a parameter in every state.
const foreign = `{
  "vars": ["x"], "params": ["N"], "loop": 1,
  "states": [
    {"x": {"tag": "Some", "value": {"#map": [[1, "one"], [2, "two"]]}}, "N": 3, "#meta": {"index": 0, "action": 7}},
    {"N": {"#bigint": "3"}, "x": {"#tup": []}}
  ],
  "#meta": {"format": "ITF", "source": ["a", "b"], "timestamp": 1}
}`

func TestWhatOtherToolsWriteIsRead(t *testing.T) {
	got, err := itf.Decode([]byte(foreign))
	if err != nil {
		t.Fatal(err)
	}
	want := fun(str("tag"), str("Some"), str("value"), tup(str("one"), str("two")))
	if !same(got.States[0].Values[0], want) || !same(got.States[1].Values[0], tup()) || !same(got.Params[0].Value, num(3)) || got.Loop != 1 {
		t.Errorf("read %+v", got)
	}
	if string(got.Other["source"]) != `["a", "b"]` || string(got.States[0].Other["action"]) != "7" || got.States[0].Action != "" {
		t.Errorf("kept %s and %s", got.Other, got.States[0].Other)
	}
}

func TestWhatIsNoTraceIsRefused(t *testing.T) {
	in := func(expr string) string { return `{"vars": ["x"], "states": [{"x": ` + expr + `}]}` }
	for name, c := range map[string]struct{ file, says string }{
		"nothing":                   {``, "not JSON"},
		"cut off":                   {foreign[:50], "not JSON"},
		"no object":                 {`[]`, "not an object"},
		"no states":                 {`{"vars": []}`, "is missing"},
		"unknown field":             {strings.Replace(foreign, `"loop"`, `"lop"`, 1), `unknown field "lop"`},
		"a field twice":             {strings.Replace(foreign, `"loop"`, `"params": [], "params"`, 1), `"params" is there twice`},
		"vars of another form":      {strings.Replace(foreign, `["x"]`, `"x"`, 1), "vars: is of another form"},
		"a variable twice":          {strings.Replace(foreign, `["x"]`, `["x", "x"]`, 1), `vars[1]: "x" again`},
		"a variable and parameter":  {strings.Replace(foreign, `["N"]`, `["x"]`, 1), `params[0]: "x" again`},
		"a state of another form":   {strings.Replace(foreign, `{"N": {"#bigint": "3"}, "x": {"#tup": []}}`, `[]`, 1), "states[1]: not an object"},
		"a variable without value":  {strings.Replace(foreign, `"x": {"#tup": []}`, `"#meta": {}`, 1), `states[1]: "x" has no value`},
		"an unknown variable":       {strings.Replace(foreign, `{"N"`, `{"M": 1, "N"`, 1), `states[1]: "M" is neither`},
		"a variable's value twice":  {strings.Replace(foreign, `{"N"`, `{"x": 1, "N"`, 1), `"x" is there twice`},
		"a parameter that changes":  {strings.Replace(foreign, `"3"`, `"4"`, 1), "states[1].N: a parameter changes: 3, then 4"},
		"a parameter without value": {strings.Replace(foreign, `"N": 3, `, ``, 1), `states[0]: "N" has no value`},
		"parameters, no state":      {`{"vars": [], "params": ["N"], "states": []}`, "there is none"},
		"a loop to nowhere":         {strings.Replace(foreign, `"loop": 1`, `"loop": 2`, 1), "loop: 2 is no state"},
		"meta of another form":      {strings.Replace(foreign, `{"index": 0, "action": 7}`, `1`, 1), "states[0].#meta"},
		"ours of another form":      {strings.Replace(foreign, `"timestamp"`, `"podlife": {"x": 1}, "t"`, 1), "#meta.podlife: is of another form"},
		"ours is no object":         {strings.Replace(foreign, `"timestamp"`, `"podlife"`, 1), "#meta.podlife: is of another form"},
		"a model value twice":       {strings.Replace(foreign, `"timestamp": 1`, `"podlife": {"modelValues": {"a": "m", "b": "m"}}`, 1), `the model value "m" is there twice`},
		"unserializable":            {in(`{"#unserializable": "Nat"}`), `states[0].x: a value that its writer could not write out: "Nat"`},
		"an unknown tag":            {in(`{"#bag": []}`), `"#bag" is no sort of value`},
		"a tag among fields":        {in(`{"a": 1, "#set": []}`), `"#set" among the fields`},
		"a field after a tag":       {in(`{"#set": [], "a": 1}`), `something follows "#set"`},
		"a record's field twice":    {in(`{"a": 1, "a": 1}`), `the field "a" is there twice`},
		"a fraction":                {in(`1.5`), `"1.5" is no integer`},
		"an exponent":               {in(`1e3`), `no integer`},
		"a bigint that is none":     {in(`{"#bigint": "0x1"}`), "no integer"},
		"a bigint that is a number": {in(`{"#bigint": 1}`), "#bigint is no string"},
		"too many digits":           {in(strings.Repeat("1", 400_000)), "an integer with more than"},
		"null":                      {in(`null`), "null is no value"},
		"a set that is no list":     {in(`{"#set": 1}`), "want a list"},
		"a map that is no list":     {in(`{"#map": {}}`), "want a list"},
		"a map without pairs":       {in(`{"#map": [[1]]}`), "a list of 1"},
		"a map with two values":     {in(`{"#map": [[1, 1], [1, 2]]}`), "not a value"},
		"a set of all sorts":        {in(`{"#set": [1, "a"]}`), "not a value"},
		"too deep":                  {in(strings.Repeat("[", itf.MaxDepth+2) + strings.Repeat("]", itf.MaxDepth+2)), "nested more than"},
	} {
		_, err := itf.Read(strings.NewReader(c.file))
		var format *itf.FormatError
		if !errors.As(err, &format) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want a FormatError that says %q", name, err, c.says)
		}
	}
}

func TestWhatCannotBeWrittenIsRefusedAndNothingIsWritten(t *testing.T) {
	deep := tup()
	for range itf.MaxDepth + 1 {
		deep = tup(deep)
	}
	for name, c := range map[string]struct {
		tr   *itf.Trace
		says string
	}{
		"an infinite set":         {one(tup(value.Naturals)), "states[0].v: cannot be written out"},
		"a huge interval":         {one(value.Interval(num(1), num(1<<50))), "states[0].v: cannot be written out"},
		"no value":                {one(nil), "states[0].v: has no value"},
		"too deep":                {one(deep), "nested more than"},
		"bytes":                   {one(str("\xff")), "not UTF-8"},
		"bytes in a field":        {one(fun(str("\xff"), num(1))), "not UTF-8"},
		"a value too few":         {&itf.Trace{Vars: []string{"x"}, States: []itf.State{{}}, Loop: itf.NoLoop}, "0 values for 1 variables"},
		"a loop to nowhere":       {&itf.Trace{Loop: 0}, "no state"},
		"a step to close nothing": {&itf.Trace{Loop: itf.NoLoop, Closing: itf.Step{Action: "Go"}}, "there is none, but a step"},
		"a broken field":          {&itf.Trace{Loop: itf.NoLoop, Other: map[string]json.RawMessage{"x": json.RawMessage("{")}}, "not JSON"},
	} {
		var b bytes.Buffer
		err := itf.Write(&b, c.tr)
		var format *itf.FormatError
		if !errors.As(err, &format) || !strings.Contains(err.Error(), c.says) || b.Len() > 0 {
			t.Errorf("%s: %v, %d bytes written; want a FormatError that says %q", name, err, b.Len(), c.says)
		}
	}
}

func TestAsDeepAsAllowedIsWrittenAndRead(t *testing.T) {
	deep := num(1)
	for range itf.MaxDepth {
		deep = fun(num(7), deep) // the form with most brackets
	}
	back, err := itf.Decode([]byte(written(t, one(deep))))
	if err != nil || !same(back.States[0].Values[0], deep) {
		t.Errorf("%v", err)
	}
}

func TestAnErrorOfTheReaderIsPassedOn(t *testing.T) {
	broken := errors.New("broken")
	if _, err := itf.Read(iotest.ErrReader(broken)); !errors.Is(err, broken) {
		t.Errorf("read: %v", err)
	}
}

// values generates values whose sets TLC could compare: of one sort each.
func values(depth int) *rapid.Generator[value.Value] {
	names := rapid.SampledFrom([]string{"a", "b", "a_OF_MODEL", "m", "#set", "a b", "ü", ""})
	return rapid.Custom(func(t *rapid.T) value.Value {
		most := 4
		if depth > 0 {
			most = 8
		}
		some := func(g *rapid.Generator[value.Value]) []value.Value { return rapid.SliceOfN(g, 0, 3).Draw(t, "some") }
		strs := rapid.Map(names, str)
		switch rapid.IntRange(0, most).Draw(t, "sort") {
		case 0:
			return value.Bool(rapid.Bool().Draw(t, "bool"))
		case 1:
			return num(rapid.Int64().Draw(t, "int"))
		case 2:
			return str(names.Draw(t, "string"))
		case 3:
			return value.NewModel(rapid.SampledFrom([]string{"a", "b", "m", "a_OF_MODEL"}).Draw(t, "model"))
		case 4:
			return value.NewSet(some(strs))
		case 5:
			return value.NewTuple(some(values(depth - 1)))
		case 6:
			args := rapid.SliceOfNDistinct(names, 0, 3, func(s string) string { return s }).Draw(t, "names")
			keys := make([]value.Value, len(args))
			vals := make([]value.Value, len(args))
			for i, a := range args {
				keys[i], vals[i] = str(a), values(depth-1).Draw(t, "value")
			}
			return value.NewFunction(keys, vals)
		case 7:
			args := rapid.SliceOfNDistinct(rapid.Int64Range(-2, 5), 0, 3, func(n int64) int64 { return n }).Draw(t, "args")
			keys := make([]value.Value, len(args))
			vals := make([]value.Value, len(args))
			for i, a := range args {
				keys[i], vals[i] = num(a), values(depth-1).Draw(t, "value")
			}
			return value.NewFunction(keys, vals)
		default:
			return value.NewSet(some(rapid.Map(rapid.SliceOfN(rapid.Int64Range(0, 3), 0, 3), func(ns []int64) value.Value {
				var elems []value.Value
				for _, n := range ns {
					elems = append(elems, num(n))
				}
				return value.NewSet(elems)
			})))
		}
	})
}

func TestNoValueIsLost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := values(3).Draw(t, "v")
		back, err := itf.Decode([]byte(written(t, one(v))))
		if err != nil || !same(back.States[0].Values[0], v) {
			t.Fatalf("%s is read back as %+v, %v", v, back, err)
		}
	})
}

func FuzzDecodeNeverPanicsAndKeepsWhatItAccepts(f *testing.F) {
	f.Add(foreign)
	var b bytes.Buffer
	if err := itf.Write(&b, whole()); err != nil {
		f.Fatal(err)
	}
	f.Add(b.String())
	f.Fuzz(func(t *testing.T, file string) {
		got, err := itf.Decode([]byte(file))
		if err != nil {
			return
		}
		text := written(t, got)
		back, err := itf.Decode([]byte(text))
		if err != nil {
			t.Fatalf("written, but not to be read: %v\n%s", err, text)
		}
		if again := written(t, back); again != text {
			t.Fatalf("written\n%s\nread and written again\n%s", text, again)
		}
	})
}
