package tracefile

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"podlife/model/podlifecycle"
	"podlife/model/podruntime"
	"podlife/tla/itf"
	"podlife/tla/value"
)

// Behaviour is a behaviour of PodRuntime with one pod, whose tabs are called as podlifecycle.ClientName has them.
type Behaviour struct {
	// Constants are those of its configuration. What the file does not tell is as the behaviour needs it: then Off has the guards and rules that a step
	// does not heed.
	Constants podruntime.Constants
	OffTold   bool
	Pod       string   // as the file calls it
	Clients   []string // as the file calls the tabs, in order
	Violates  string   // "" is none, or not told
	Initial   podruntime.State
	Steps     []Step
	Stutters  int // states that were the same as the one before them, and are left out
}

// Step is an action, and the state after it.
type Step struct {
	Action string
	Client string // its parameter c, as podlifecycle.ClientName has it; "" is none
	Inc    int    // its parameter n; 0 is none
	State  podruntime.State
	At     int // index of the state in the file
}

// String is the step as the specification writes it, without the pod.
func (s Step) String() string {
	var args []string
	if s.Client != "" {
		args = append(args, s.Client)
	}
	if s.Inc != 0 {
		args = append(args, strconv.Itoa(s.Inc))
	}
	if len(args) == 0 {
		return s.Action
	}
	return s.Action + "(" + strings.Join(args, ", ") + ")"
}

// source is a file's states, with the variables by the specification's names.
type source struct {
	trace *itf.Trace
	names []string
}

// value gives a variable of a state.
func (s source) value(state int, name string) value.Value {
	return s.trace.States[state].Values[slices.Index(s.names, name)]
}

// constant gives a constant, if the file tells it.
func (s source) constant(name string) (value.Value, bool) {
	for _, p := range s.trace.Params {
		if p.Name == name {
			return p.Value, true
		}
	}
	return nil, false
}

// scene is what the states of a file are about.
type scene struct {
	source
	reader
	pod     string
	clients []string
	incs    int // as the file numbers them: markers are numbers too
}

// runtime makes a behaviour of the states.
func (s source) runtime() (*Behaviour, error) {
	c := scene{source: s}
	if err := c.look(); err != nil {
		return nil, err
	}
	b := &Behaviour{Pod: c.pod, Clients: c.clients, Violates: s.trace.Violates}
	states := make([]podruntime.State, len(s.trace.States))
	used, crashes := 0, 0
	for i := range s.trace.States {
		pod, tabs := c.state(i)
		if c.err != nil {
			return nil, c.err
		}
		used, crashes = max(used, highest(pod, tabs)), max(crashes, pod.Crashes)
		if used <= podruntime.MaxMaxInc {
			states[i] = podruntime.Pack(pod, tabs...)
		}
	}
	if used > podruntime.MaxMaxInc {
		return nil, &ScopeError{fmt.Sprintf("it has %d incarnations, and at most %d are played", used, podruntime.MaxMaxInc)}
	}
	if err := c.constants(b, crashes); err != nil {
		return nil, err
	}
	return b, c.follow(b, states)
}

// highest is the number of the last incarnation that a state says anything of.
func highest(p podruntime.Pod, tabs []podruntime.Client) int {
	n := max(p.Inc, p.Store.Inc, p.Settled)
	for _, i := range p.Incs {
		n = max(n, i.N)
	}
	for _, t := range tabs {
		n = max(n, t.BootInc, t.AttInc, t.Term.Inc)
	}
	return n
}

// look finds out what pods, tabs and incarnations there are.
func (c *scene) look() error {
	var pods []string
	for _, e := range c.entries("states[0].pod", c.value(0, "pod")) {
		pods = append(pods, e.key)
	}
	slices.Sort(pods)
	if c.err == nil && len(pods) != 1 {
		return &ScopeError{fmt.Sprintf("it has %d pods, %s, and one is played", len(pods), strings.Join(pods, ", "))}
	}
	if c.err != nil {
		return c.err
	}
	c.pod = pods[0]
	for _, e := range c.entries("states[0].client", c.ofPod(0, "client")) {
		c.clients = append(c.clients, e.key)
	}
	slices.Sort(c.clients)
	c.incs = len(c.entries("states[0].run", c.ofPod(0, "run")))
	switch n := len(c.clients); {
	case c.err != nil:
		return c.err
	case n == 0:
		return &FormatError{Where: "states[0].client", Problem: "there is no client"}
	case n > podruntime.MaxTabs:
		return &ScopeError{fmt.Sprintf("it has %d clients, and at most %d are played", n, podruntime.MaxTabs)}
	}
	return nil
}

// ofPod gives a variable that is a function of the pod, for the pod.
func (c *scene) ofPod(state int, name string) value.Value {
	where := fmt.Sprintf("states[%d].%s", state, name)
	all := c.entries(where, c.value(state, name))
	if c.err == nil && (len(all) != 1 || all[0].key != c.pod) {
		c.fail(where, "is not a function of the pod %s alone", c.pod)
	}
	if c.err != nil {
		return nil
	}
	return all[0].val
}

// state reads a state; c.err says what is wrong.
func (c *scene) state(i int) (podruntime.Pod, []podruntime.Client) {
	where := func(name string) string { return fmt.Sprintf("states[%d].%s", i, name) }
	var p podruntime.Pod
	of := c.fields(where("pod"), c.ofPod(i, "pod"), "ctr", "inc", "why")
	c.text(where("pod.ctr"), of[0], &p.Ctr)
	p.Inc = c.number(where("pod.inc"), of[1])
	c.text(where("pod.why"), of[2], &p.Why)
	of = c.fields(where("store"), c.ofPod(i, "store"), "inc", "awake")
	p.Store.Inc, p.Store.Awake = c.number(where("store.inc"), of[0]), c.truth(where("store.awake"), of[1])
	p.Settled = c.number(where("settled"), c.ofPod(i, "settled"))
	p.Crashes = c.number(where("crashes"), c.value(i, "crashes"))

	inner := make([]podruntime.Inner, c.incs)
	c.eachInc(i, "run", func(at string, n int, v value.Value) { c.text(at, v, &inner[n-1].Run) })
	c.eachInc(i, "tear", func(at string, n int, v value.Value) { c.text(at, v, &inner[n-1].Tear) })
	c.eachInc(i, "engine", func(at string, n int, v value.Value) { inner[n-1].Box = c.container(at, n, v) })
	c.eachInc(i, "woken", func(at string, n int, v value.Value) { inner[n-1].Woken = uint8(min(c.number(at, v), 2)) })
	for _, x := range c.elements(where("done"), c.ofPod(i, "done")) {
		if n := c.number(where("done"), x); n >= 1 && n <= c.incs {
			inner[n-1].Done = true
		} else {
			c.fail(where("done"), "%d is no incarnation", n)
		}
	}
	for n, in := range inner {
		p = p.With(n+1, in)
	}
	return p, c.tabs(i)
}

// eachInc gives a variable's value for each incarnation.
func (c *scene) eachInc(state int, name string, take func(where string, n int, v value.Value)) {
	where := fmt.Sprintf("states[%d].%s", state, name)
	all := c.entries(where, c.ofPod(state, name))
	if c.err == nil && len(all) != c.incs {
		c.fail(where, "is for %d incarnations, and not for %d", len(all), c.incs)
	}
	for _, e := range all {
		n, err := strconv.Atoi(e.key)
		if err != nil || n < 1 || n > c.incs {
			c.fail(where, "%.40q is no incarnation", e.key)
		}
		if c.err != nil {
			return
		}
		take(fmt.Sprintf("%s[%d]", where, n), n, e.val)
	}
}

// container reads that of incarnation n, in which markers are numbers: n, that of an earlier recipe, or any other.
func (c *scene) container(where string, n int, v value.Value) podruntime.Container {
	var b podruntime.Container
	of := c.fields(where, v, "box", "setup", "marker", "script")
	c.text(where+".box", of[0], &b.Box)
	c.text(where+".setup", of[1], &b.Setup)
	c.text(where+".script", of[3], &b.Script)
	switch marker := c.number(where+".marker", of[2]); marker {
	case 0:
	case n:
		b.Marker = podruntime.MarkerOwn
	case c.incs + 1 + n:
		b.Marker = podruntime.MarkerEarlier
	default:
		b.Marker = podruntime.MarkerForeign
	}
	return b
}

func (c *scene) tabs(state int) []podruntime.Client {
	where := fmt.Sprintf("states[%d].client", state)
	tabs := make([]podruntime.Client, len(c.clients))
	all := c.entries(where, c.ofPod(state, "client"))
	if c.err == nil && len(all) != len(tabs) {
		c.fail(where, "has %d clients, and not %d", len(all), len(tabs))
	}
	for _, e := range all {
		i := slices.Index(c.clients, e.key)
		if i < 0 {
			c.fail(where, "there was no client %.40q before", e.key)
		}
		if c.err != nil {
			return tabs
		}
		at := where + "." + e.key
		of := c.fields(at, e.val, "phase", "bootInc", "attInc", "term")
		c.text(at+".phase", of[0], &tabs[i].Phase)
		tabs[i].BootInc, tabs[i].AttInc = c.number(at+".bootInc", of[1]), c.number(at+".attInc", of[2])
		of = c.fields(at+".term", of[3], "at", "pod", "inc")
		c.text(at+".term.at", of[0], &tabs[i].Term.At)
		tabs[i].Term.Inc = c.number(at+".term.inc", of[2])
		if pod := c.word(at+".term.pod", of[1]); pod != c.pod {
			c.fail(at+".term.pod", "%.40q is another pod", pod)
		}
	}
	return tabs
}

// constants takes those that the file tells, and holds them against its states.
func (c *scene) constants(b *Behaviour, crashes int) error {
	b.Constants.MaxInc, b.Constants.MaxCrashes = min(c.incs, podruntime.MaxMaxInc), crashes
	if v, told := c.constant("MaxInc"); told {
		if n := c.number("MaxInc", v); n != c.incs {
			c.fail("MaxInc", "is %d, and the states are of %d incarnations", n, c.incs)
		}
	}
	if v, told := c.constant("MaxCrashes"); told {
		b.Constants.MaxCrashes = c.number("MaxCrashes", v)
		if b.Constants.MaxCrashes < crashes {
			c.fail("MaxCrashes", "is %d, and the states have %d crashes", b.Constants.MaxCrashes, crashes)
		}
	}
	if v, told := c.constant("ImageMarked"); told {
		b.Constants.ImageMarked = c.truth("ImageMarked", v)
	}
	if v, told := c.constant("Clients"); told {
		if n := len(c.elements("Clients", v)); n != len(c.clients) {
			c.fail("Clients", "are %d, and the states have %d", n, len(c.clients))
		}
	}
	if v, told := c.constant("Off"); told {
		b.OffTold = true
		for _, x := range c.elements("Off", v) {
			b.Constants.Off = append(b.Constants.Off, c.word("Off", x))
		}
		for _, name := range b.Constants.Off {
			if c.err == nil && !slices.Contains(podruntime.Switches(), name) {
				c.err = &FormatError{Where: "Off", Problem: "other constants than the specification has", Cause: &podruntime.SwitchError{Name: name}}
			}
		}
	}
	return c.err
}

// clientName is what a tab of the file is called here.
func (c *scene) clientName(in string) (string, bool) {
	i := slices.Index(c.clients, in)
	if i < 0 {
		return "", false
	}
	return podlifecycle.ClientName(i), true
}
