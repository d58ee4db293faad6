package mirror

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"podlife/model"
	"podlife/model/podlifecycle"
	"podlife/model/podruntime"
	"podlife/tla/config"
	"podlife/tla/diag"
	"podlife/tla/eval"
	"podlife/tla/module"
	"podlife/tla/value"
)

// PodRuntime matches tla/PodRuntime.tla, read as m, with a table of model/podruntime lifted to so many tabs of one pod. Errors are those of
// [podruntime.CheckBounds] and of package eval, and a specification with other variables than the table has.
func PodRuntime(m *module.Module, table model.Table[podruntime.Local], c podruntime.Constants, tabs int) (Pair[podruntime.State], error) {
	var none Pair[podruntime.State]
	if err := podruntime.CheckBounds(c, tabs); err != nil {
		return none, err
	}
	compile := func(c podruntime.Constants, opts eval.Options) (*eval.Program, error) {
		cfg, err := config.Parse(diag.NewSource("mirror.cfg", []byte(runtimeConfig(c, tabs))))
		if err != nil {
			return nil, err
		}
		return eval.Compile(m, cfg, opts)
	}
	program, err := compile(c, eval.Options{})
	if err != nil {
		return none, err
	}
	states, err := newRuntimeStates(program.Variables(), c.MaxInc, tabs)
	if err != nil {
		return none, err
	}
	return Pair[podruntime.State]{
		System:  podruntime.LiftTable(table, c.MaxInc, tabs),
		Program: program,
		Without: func(_ string, conjunct *eval.Conjunct) (*eval.Program, error) {
			if conjunct.Name == "mayCrash" {
				// It stands for all of Forgotten, the effects too. Without the guard in it a crash is always possible.
				unbounded := c
				unbounded.MaxCrashes = 1000
				return compile(unbounded, eval.Options{})
			}
			return compile(c, eval.Options{Drop: conjunct})
		},
		Spec:     states.spec,
		Argument: runtimeArgument,
	}, nil
}

// runtimeArgument gives a number for an incarnation, and else a model value.
func runtimeArgument(arg string) value.Value {
	if n, err := strconv.Atoi(arg); err == nil {
		return value.NewInt(int64(n))
	}
	return value.NewModel(arg)
}

// runtimeConfig is a configuration with these constants and all invariants; pod and tabs are called as the table calls them.
func runtimeConfig(c podruntime.Constants, tabs int) string {
	names := make([]string, tabs)
	for i := range names {
		names[i] = podlifecycle.ClientName(i)
	}
	var invariants []string
	for _, inv := range podruntime.Table(c).Invariants {
		invariants = append(invariants, inv.Name)
	}
	var off []string
	for _, name := range c.Off {
		off = append(off, strconv.Quote(name))
	}
	return fmt.Sprintf("SPECIFICATION Spec\nINVARIANTS %s\nCONSTANTS Pods = {%s}\n Clients = {%s}\n"+
		" MaxInc = %d\n MaxCrashes = %d\n ImageMarked = %s\n Off = {%s}\n",
		strings.Join(invariants, " "), podruntime.PodName, strings.Join(names, ", "),
		c.MaxInc, c.MaxCrashes, strings.ToUpper(strconv.FormatBool(c.ImageMarked)), strings.Join(off, ", "))
}

// runtimeVariables are the specification's, in the order in which runtimeStates makes them.
var runtimeVariables = []string{"pod", "run", "tear", "client", "store", "engine", "done", "woken", "settled", "crashes"}

// runtimeStates turns states of the table into those of the specification. It is for one goroutine at a time: it remembers the values of
// parts, of which there are far fewer than states.
type runtimeStates struct {
	places    []int // of runtimeVariables
	incs      int
	pod       value.Value
	clients   []value.Value
	podShape  *value.Shape
	tabShape  *value.Shape
	termShape *value.Shape
	recShape  *value.Shape
	boxShape  *value.Shape

	heads map[head]headValues
	parts map[parts]partValues
	tabs  map[podruntime.Client]value.Value
}

// head is what a pod has that is not by the number of an incarnation.
type head struct {
	ctr     podruntime.Ctr
	inc     int
	why     podruntime.Why
	store   podruntime.Record
	settled int
}

type headValues struct{ pod, store, settled value.Value }

// parts is what a pod has by the number of an incarnation.
type parts [podruntime.MaxMaxInc]podruntime.Inner

type partValues struct{ run, tear, engine, done, woken value.Value }

func newRuntimeStates(variables []string, maxInc, tabs int) (runtimeStates, error) {
	m := runtimeStates{
		incs: maxInc, pod: value.NewModel(podruntime.PodName),
		podShape:  value.ShapeOf("ctr", "inc", "why"),
		tabShape:  value.ShapeOf("phase", "bootInc", "attInc", "term"),
		termShape: value.ShapeOf("at", "pod", "inc"),
		recShape:  value.ShapeOf("inc", "awake"),
		boxShape:  value.ShapeOf("box", "setup", "marker", "script"),
		heads:     map[head]headValues{}, parts: map[parts]partValues{}, tabs: map[podruntime.Client]value.Value{},
	}
	for i := range tabs {
		m.clients = append(m.clients, value.NewModel(podlifecycle.ClientName(i)))
	}
	for _, name := range runtimeVariables {
		m.places = append(m.places, slices.Index(variables, name))
	}
	if len(variables) != len(runtimeVariables) || slices.Contains(m.places, -1) {
		return m, fmt.Errorf("mirror: the specification has the variables %q, the table %q", variables, runtimeVariables)
	}
	return m, nil
}

// spec is a state as the specification has it. An incarnation beyond MaxInc is in no domain there.
func (m runtimeStates) spec(s podruntime.State) eval.State {
	p := s.Pod()
	h, inner := m.head(p), m.part(p)
	var tabs []value.Value
	for i := range m.clients {
		tabs = append(tabs, m.tab(s.Tab(i)))
	}
	clients := m.ofPod(value.NewFunction(slices.Clone(m.clients), tabs))
	out := make(eval.State, len(m.places))
	for i, v := range []value.Value{
		h.pod, inner.run, inner.tear, clients, h.store, inner.engine, inner.done, inner.woken, h.settled, number(p.Crashes),
	} {
		out[m.places[i]] = v
	}
	return out
}

func (m runtimeStates) head(p podruntime.Pod) headValues {
	key := head{p.Ctr, p.Inc, p.Why, p.Store, p.Settled}
	v, ok := m.heads[key]
	if !ok {
		v = headValues{
			pod:     m.ofPod(record(m.podShape, "ctr", word(p.Ctr), "inc", number(p.Inc), "why", word(p.Why))),
			store:   m.ofPod(record(m.recShape, "inc", number(p.Store.Inc), "awake", value.Bool(p.Store.Awake))),
			settled: m.ofPod(number(p.Settled)),
		}
		m.heads[key] = v
	}
	return v
}

func (m runtimeStates) part(p podruntime.Pod) partValues {
	var key parts
	for n := 1; n <= m.incs; n++ {
		key[n-1] = p.At(n).Inner
	}
	if v, ok := m.parts[key]; ok {
		return v
	}
	var run, tear, engine, woken, done []value.Value
	for n := 1; n <= m.incs; n++ {
		i := key[n-1]
		run = append(run, word(i.Run))
		tear = append(tear, word(i.Tear))
		engine = append(engine, m.container(n, i.Box))
		woken = append(woken, number(int(i.Woken)))
		if i.Done {
			done = append(done, number(n))
		}
	}
	v := partValues{
		run: m.ofPod(value.NewTuple(run)), tear: m.ofPod(value.NewTuple(tear)), engine: m.ofPod(value.NewTuple(engine)),
		done: m.ofPod(value.NewSet(done)), woken: m.ofPod(value.NewTuple(woken)),
	}
	m.parts[key] = v
	return v
}

// ofPod is the function of the one pod to v.
func (m runtimeStates) ofPod(v value.Value) value.Value {
	return value.NewFunction([]value.Value{m.pod}, []value.Value{v})
}

func (m runtimeStates) tab(c podruntime.Client) value.Value {
	v, ok := m.tabs[c]
	if !ok {
		term := record(m.termShape, "at", word(c.Term.At), "pod", m.pod, "inc", number(c.Term.Inc))
		v = record(m.tabShape, "phase", word(c.Phase), "bootInc", number(c.BootInc), "attInc", number(c.AttInc), "term", term)
		m.tabs[c] = v
	}
	return v
}

// container is that of incarnation n, with the specification's numbers of markers.
func (m runtimeStates) container(n int, b podruntime.Container) value.Value {
	foreign := m.incs + 1
	marker := map[podruntime.Marker]int{
		podruntime.MarkerNone: 0, podruntime.MarkerOwn: n, podruntime.MarkerForeign: foreign, podruntime.MarkerEarlier: foreign + n,
	}[b.Marker]
	return record(m.boxShape, "box", word(b.Box), "setup", word(b.Setup), "marker", number(marker), "script", word(b.Script))
}

func word(w fmt.Stringer) value.Value { return value.NewString(w.String()) }

func number(n int) value.Value { return value.NewInt(int64(n)) }

// record makes a record of names and values in turn.
func record(shape *value.Shape, fields ...any) value.Value {
	vals := make([]value.Value, len(fields)/2)
	for i := 0; i < len(fields); i += 2 {
		vals[shape.Index(fields[i].(string))] = fields[i+1].(value.Value)
	}
	return value.NewRecord(shape, vals)
}
