package tracecheck

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"podlife/model/explain"
	"podlife/model/podruntime"
	"podlife/tla/itf"
	"podlife/tla/value"
)

// Fields of ours in the "#meta" of a state: the record as it stands in the other form, or that there is none.
const (
	recordedField = "recorded"
	hiddenField   = "hidden"
)

// MaxCells bounds what is written: states times incarnations.
const MaxCells = 2_000_000

// An ExportError says why a trace cannot be written with its states.
type ExportError struct{ Answer explain.Answer }

func (e *ExportError) Error() string {
	return "only a trace that is explained has states: " + e.Answer.String()
}

// WriteITF writes the records with the states of the specification between them, in the Informal Trace Format: one behaviour that explains
// them, hidden steps included. Each two states that follow each other are a step of the specification, or equal. Errors are
// *ExportError, *explain.StepError, and those of package itf and of the context.
func WriteITF(ctx context.Context, w io.Writer, o explain.Options, records []Record) error {
	o.Path = true
	c, err := follow(ctx, o, records)
	if err != nil {
		return err
	}
	answer := c.Answer()
	if answer.Verdict != explain.Explained || c.Steps() == 0 {
		return &ExportError{answer}
	}
	path := c.Path()
	constants := podruntime.Constants{}
	for _, taken := range path {
		constants.MaxCrashes = max(constants.MaxCrashes, taken.Pod.Crashes)
	}
	t, err := behaviour(path, records, constants)
	if err != nil {
		return err
	}
	t.Description = "the steps that a server took of one pod"
	return itf.Write(w, t)
}

// WritePath writes a path of the specification with these constants: a state and the action that led to it, the first without one. Violates is the
// invariant that the last state breaks; "" is none.
func WritePath(w io.Writer, path []explain.Taken, c podruntime.Constants, violates string) error {
	if len(path) == 0 {
		return errors.New("a path has at least one state")
	}
	t, err := behaviour(path, nil, c)
	if err != nil {
		return err
	}
	t.Violates = violates
	return itf.Write(w, t)
}

// Variables of the specification, in its order.
func variables() []string {
	return []string{"pod", "run", "tear", "client", "store", "engine", "done", "woken", "settled", "crashes"}
}

// behaviour is a path in the specification's values. The records are those that it explains, if it does.
func behaviour(path []explain.Taken, records []Record, c podruntime.Constants) (*itf.Trace, error) {
	s := newSpeaker(path, records)
	s.maxInc = max(s.maxInc, c.MaxInc)
	if len(path)*s.maxInc > MaxCells {
		return nil, fmt.Errorf("%d states with %d incarnations are too many to be written", len(path), s.maxInc)
	}
	t := &itf.Trace{
		Params: s.constants(c), Vars: variables(), Loop: itf.NoLoop,
		Source: podruntime.Name + ".tla",
	}
	for _, taken := range path {
		state := itf.State{Values: s.state(taken)}
		if taken.Action != "" {
			state.Step = itf.Step{Action: taken.Action, Args: s.arguments(taken)}
		}
		if taken.Recorded >= 0 && records != nil {
			field, content := recordedField, any(records[taken.Recorded])
			if taken.Hidden {
				field, content = hiddenField, true
			}
			raw, err := json.Marshal(content)
			if err != nil {
				return nil, err
			}
			state.Other = map[string]json.RawMessage{field: raw}
		}
		t.States = append(t.States, state)
	}
	return t, nil
}

// speaker says states of the table in the specification's values.
type speaker struct {
	pod     value.Value
	name    string
	clients []string // sorted
	maxInc  int
}

func newSpeaker(path []explain.Taken, records []Record) *speaker {
	s := &speaker{name: podruntime.PodName, maxInc: 1}
	if len(records) > 0 && records[0].Pod != "" {
		s.name = records[0].Pod
	}
	s.pod = value.NewModel(s.name)
	names := map[string]bool{}
	for _, taken := range path {
		s.maxInc = max(s.maxInc, taken.Pod.Inc, taken.Pod.Store.Inc, taken.N)
		for _, i := range taken.Pod.Incs {
			s.maxInc = max(s.maxInc, i.N)
		}
		for name := range taken.Clients {
			names[name] = true
		}
	}
	if len(names) == 0 {
		names["c1"] = true // the specification has at least one
	}
	s.clients = slices.Sorted(maps.Keys(names))
	return s
}

// constants are those of a configuration in which this is a behaviour.
func (s *speaker) constants(c podruntime.Constants) []itf.Binding {
	var clients, off []value.Value
	for _, name := range s.clients {
		clients = append(clients, value.NewModel(name))
	}
	for _, name := range c.Off {
		off = append(off, value.NewString(name))
	}
	return []itf.Binding{
		{Name: "Pods", Value: value.SetOf(s.pod)}, {Name: "Clients", Value: value.NewSet(clients)},
		{Name: "MaxInc", Value: number(s.maxInc)}, {Name: "MaxCrashes", Value: number(c.MaxCrashes)},
		{Name: "ImageMarked", Value: value.Bool(c.ImageMarked)}, {Name: "Off", Value: value.NewSet(off)},
	}
}

func (s *speaker) arguments(taken explain.Taken) []itf.Binding {
	switch taken.Action {
	case podruntime.Crash, podruntime.CrashOtherRecipe:
		return nil
	}
	args := []itf.Binding{{Name: podruntime.ParamPod, Value: s.pod}}
	if taken.Client != "" {
		args = append(args, itf.Binding{Name: podruntime.ParamClient, Value: value.NewModel(taken.Client)})
	}
	if taken.N != 0 {
		args = append(args, itf.Binding{Name: podruntime.ParamInc, Value: number(taken.N)})
	}
	if taken.Action == podruntime.Probe {
		args = append(args, itf.Binding{Name: podruntime.ParamOther, Value: s.pod})
	}
	return args
}

// state gives the values of variables().
func (s *speaker) state(taken explain.Taken) []value.Value {
	p := taken.Pod
	var run, tear, engine, woken, done, tabs, names []value.Value
	for n := 1; n <= s.maxInc; n++ {
		i := p.At(n)
		run, tear = append(run, word(i.Run)), append(tear, word(i.Tear))
		engine, woken = append(engine, s.container(n, i.Box)), append(woken, number(int(i.Woken)))
		if i.Done {
			done = append(done, number(n))
		}
	}
	for _, name := range s.clients {
		names, tabs = append(names, value.NewModel(name)), append(tabs, s.tab(taken.Clients[name]))
	}
	return []value.Value{
		s.of(record("ctr", word(p.Ctr), "inc", number(p.Inc), "why", word(p.Why))),
		s.of(value.NewTuple(run)), s.of(value.NewTuple(tear)), s.of(value.NewFunction(names, tabs)),
		s.of(record("inc", number(p.Store.Inc), "awake", value.Bool(p.Store.Awake))),
		s.of(value.NewTuple(engine)), s.of(value.NewSet(done)), s.of(value.NewTuple(woken)), s.of(number(p.Settled)), number(p.Crashes),
	}
}

func (s *speaker) tab(c podruntime.Client) value.Value {
	term := record("at", word(c.Term.At), "pod", s.pod, "inc", number(c.Term.Inc))
	return record("phase", word(c.Phase), "bootInc", number(c.BootInc), "attInc", number(c.AttInc), "term", term)
}

// container is that of incarnation n; markers are numbers in the specification.
func (s *speaker) container(n int, b podruntime.Container) value.Value {
	foreign := s.maxInc + 1
	marker := map[podruntime.Marker]int{
		podruntime.MarkerOwn: n, podruntime.MarkerForeign: foreign, podruntime.MarkerEarlier: foreign + n,
	}[b.Marker]
	return record("box", word(b.Box), "setup", word(b.Setup), "marker", number(marker), "script", word(b.Script))
}

// of is the function of the one pod to v.
func (s *speaker) of(v value.Value) value.Value {
	return value.NewFunction([]value.Value{s.pod}, []value.Value{v})
}

func word(w fmt.Stringer) value.Value { return value.NewString(w.String()) }

func number(n int) value.Value { return value.NewInt(int64(n)) }

// record makes a record of names and values in turn.
func record(fields ...any) value.Value {
	var names []string
	for i := 0; i < len(fields); i += 2 {
		names = append(names, fields[i].(string))
	}
	shape := value.ShapeOf(names...)
	vals := make([]value.Value, len(names))
	for i, name := range names {
		vals[shape.Index(name)] = fields[2*i+1].(value.Value)
	}
	return value.NewRecord(shape, vals)
}

// isITF tells a file in the Informal Trace Format, which is one JSON object with states, from lines of steps: by the first name in it.
func isITF(start []byte) bool {
	text, object := bytes.CutPrefix(bytes.TrimSpace(start), []byte("{"))
	if !object {
		return false
	}
	text = bytes.TrimSpace(text)
	for _, name := range []string{"#meta", "params", "vars", "states", "loop"} {
		if bytes.HasPrefix(text, []byte(`"`+name+`"`)) {
			return true
		}
	}
	return false
}

// readITF reads the records of a trace that WriteITF wrote, or the actions of one that another tool did.
func readITF(r io.Reader) ([]Record, error) {
	t, err := itf.Read(r)
	if err != nil {
		return nil, err
	}
	valid := explain.New(explain.Options{})
	var records []Record
	for i, state := range t.States {
		if i == 0 || string(state.Other[hiddenField]) == "true" {
			continue
		}
		rec, err := recordOf(state)
		if err == nil {
			err = valid.Valid(rec.Step())
		}
		if err != nil {
			return nil, &itf.FormatError{Where: fmt.Sprintf("states[%d]", i), Problem: "not a step of " + podruntime.Name, Cause: err}
		}
		records = append(records, rec)
	}
	return records, nil
}

func recordOf(state itf.State) (Record, error) {
	var r Record
	if raw, ok := state.Other[recordedField]; ok {
		return r, json.Unmarshal(raw, &r)
	}
	r.Action = state.Action
	for _, arg := range state.Args {
		var n int
		text := arg.Value.String()
		switch arg.Name {
		case podruntime.ParamClient:
			r.Client = text
		case podruntime.ParamInc:
			if _, err := fmt.Sscan(text, &n); err != nil {
				return r, err
			}
			r.Inc = n
		}
	}
	return r, nil
}
