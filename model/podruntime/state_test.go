package podruntime

import (
	"encoding"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"podlife/model"
	"podlife/model/podlifecycle"
)

func TestWordsAreTheSpecificationsAndNoOthers(t *testing.T) {
	words(t, "Ctr", []Ctr{Asleep, Unknown, Provisioning, Ready}, "asleep unknown provisioning ready")
	words(t, "Why", []Why{WhyNone, WhyDestroy, WhyIdle, WhyLost, WhyFailed}, "none destroy idle lost failed")
	words(t, "Run", []Run{RunNone, RunCreate, RunStart, RunBegin, RunScript, RunOK, RunFailed, RunGone}, "none create start begin script ok failed gone")
	words(t, "Tear", []Tear{TearNone, TearRemove}, "none remove")
	words(t, "At", []At{AtNone, AtProbed, AtDialed, AtOpen}, "none probed dialed open")
	words(t, "Box", []Box{BoxNone, BoxCreated, BoxRunning, BoxDead}, "none created running dead")
	words(t, "Setup", []Setup{SetupNone, SetupPart, SetupAll}, "none part all")
	words(t, "Marker", []Marker{MarkerNone, MarkerOwn, MarkerEarlier, MarkerForeign}, "none own earlier foreign")
	words(t, "Script", []Script{ScriptOff, ScriptOn, ScriptOK, ScriptBad}, "off on ok failed")
}

func words[T interface {
	~uint8
	String() string
	MarshalText() ([]byte, error)
}](t *testing.T, kind string, values []T, want string) {
	t.Helper()
	var got []string
	for _, v := range values {
		got = append(got, v.String())
		text, err := v.MarshalText()
		if err != nil || string(text) != v.String() {
			t.Errorf("%s %v is written %q, %v", kind, v, text, err)
		}
		var back T
		if err := any(&back).(encoding.TextUnmarshaler).UnmarshalText(text); err != nil || back != v {
			t.Errorf("%s %q is read as %v, %v", kind, text, back, err)
		}
	}
	if strings.Join(got, " ") != want {
		t.Errorf("the words of %s are %q, want %q", kind, got, want)
	}
	beyond := T(len(values))
	if _, err := beyond.MarshalText(); err == nil || !strings.HasPrefix(beyond.String(), kind+"(") {
		t.Errorf("%s has a word for %d: %v", kind, len(values), beyond)
	}
	var v T
	if err := any(&v).(encoding.TextUnmarshaler).UnmarshalText([]byte("Ready")); err == nil {
		t.Errorf("Ready is taken for a word of %s", kind)
	}
}

// somePod is a pod in which hardly anything is as at first.
func somePod() (Pod, []Client) {
	p := Pod{
		Ctr: Ready, Inc: 3, Why: WhyLost, Store: Record{2, true}, Settled: 1, Crashes: 2,
		Incs: []Incarnation{
			{1, Inner{Done: true, Woken: 1}},
			{3, Inner{Run: RunScript, Tear: TearRemove, Box: Container{BoxRunning, SetupPart, MarkerEarlier, ScriptOn}, Woken: 2}},
		},
	}
	return p, []Client{{Phase: podlifecycle.Attached, BootInc: 3, AttInc: 2, Term: Term{AtOpen, 1}}, {Phase: podlifecycle.Booting, BootInc: 1}}
}

func TestAStateGivesBackWhatWasPacked(t *testing.T) {
	p, tabs := somePod()
	s := Pack(p, tabs...)
	if got := s.Pod(); !reflect.DeepEqual(got, p) || !got.Equal(p) {
		t.Errorf("got %+v, want %+v", got, p)
	}
	if got := s.Tabs(2); !reflect.DeepEqual(got, tabs) || s.Tab(2) != (Client{}) {
		t.Errorf("got %+v, want %+v", got, tabs)
	}
	if (State{}) != Pack(Pod{}) || !(State{}).Pod().Equal(Pod{}) {
		t.Error("the zero State is not the initial state")
	}
}

func TestWhatDoesNotFitViolatesTypeOK(t *testing.T) {
	typeOK := LiftTable(Table(Constants{MaxInc: MaxMaxInc, MaxCrashes: MaxMaxCrashes}), MaxMaxInc, 1).Invariants[0]
	if typeOK.Name != TypeOK || !typeOK.Holds(State{}) {
		t.Fatalf("%s is violated at first", typeOK.Name)
	}
	for name, s := range map[string]State{
		"a negative number":    Pack(Pod{Inc: -255}),
		"a great number":       Pack(Pod{Store: Record{Inc: 1 << 40}}),
		"crashes":              Pack(Pod{Crashes: 4}),
		"an incarnation":       Pack(Pod{Incs: []Incarnation{{4, Inner{Run: RunOK}}}}),
		"a great incarnation":  Pack(Pod{Incs: []Incarnation{{5, Inner{Run: RunOK}}}}),
		"a run":                Pack(Pod{Incs: []Incarnation{{1, Inner{Run: RunGone + 1}}}}),
		"a phase":              Pack(Pod{}, Client{Phase: podlifecycle.Attached + 1}),
		"a number of a tab":    Pack(Pod{}, Client{Term: Term{Inc: 300}}),
		"a marker":             Pack(Pod{Incs: []Incarnation{{1, Inner{Box: Container{Marker: MarkerForeign + 1}}}}}),
		"why it fell asleep":   Pack(Pod{Why: WhyFailed + 1}),
		"a great many wakes":   Pack(Pod{Incs: []Incarnation{{1, Inner{Woken: 3}}}}),
		"a number it attached": Pack(Pod{}, Client{AttInc: -1}),
	} {
		if typeOK.Holds(s) {
			t.Errorf("%s that does not fit is accepted: %v", name, s.Label(1))
		}
	}
}

func TestSystemsThatDoNotFitAreRefused(t *testing.T) {
	for _, c := range []struct {
		c    Constants
		tabs int
		what string
	}{
		{Constants{MaxInc: 3, MaxCrashes: 3}, 3, ""},
		{Constants{MaxInc: 3}, 4, "tabs"},
		{Constants{MaxInc: 3}, 0, "tabs"},
		{Constants{MaxInc: 4}, 1, "max-inc"},
		{Constants{MaxInc: -1}, 1, "max-inc"},
		{Constants{MaxCrashes: 4}, 1, "max-crashes"},
	} {
		_, err := System(c.c, c.tabs)
		var bounds *BoundsError
		if errors.As(err, &bounds); bounds == nil && (err != nil || c.what != "") || bounds != nil && bounds.What != c.what {
			t.Errorf("%+v with %d tabs: %v", c.c, c.tabs, err)
		}
	}
	_, err := System(Constants{MaxInc: 1, Off: []string{"Dial.marker", "Dial.running"}}, 1)
	var unknown *SwitchError
	if !errors.As(err, &unknown) || unknown.Name != "Dial.running" {
		t.Errorf("a guard that cannot be switched off: %v", err)
	}
}

func TestAViewIsTheStateInTheSpecificationsNames(t *testing.T) {
	p, tabs := somePod()
	s := Pack(p, tabs...)
	text, err := json.Marshal(s.View(2))
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"pod":{"ctr":"ready","inc":3,"why":"lost"},"run":{"3":"script"},"tear":{"3":"remove"},` +
		`"client":{"c1":{"phase":"attached","bootInc":3,"attInc":2,"term":{"at":"open","inc":1}},` +
		`"c2":{"phase":"booting","bootInc":1,"attInc":0,"term":{"at":"none","inc":0}}},"store":{"inc":2,"awake":true},` +
		`"engine":{"3":{"box":"running","setup":"part","marker":"earlier","script":"on"}},"done":[1],"woken":{"1":1,"3":2},"settled":1,"crashes":2}`
	if string(text) != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
	var back View
	if err := json.Unmarshal(text, &back); err != nil || !back.State().Equal(p) || !reflect.DeepEqual(back.Client, s.View(2).Client) {
		t.Errorf("read as %+v, %v", back, err)
	}
}

func TestALabelSaysWhatIsNotAsAtFirst(t *testing.T) {
	p, tabs := somePod()
	got := strings.Join(Pack(p, tabs...).Label(2), "\n")
	const want = "ready 3 (lost), stored awake 2\n" +
		"3: run script; remove; running, setup part, marker earlier, script on\n" +
		"c1 attached 3/2 open 1\nc2 booting 1/0 none 0"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestIncarnationsAreKeptSortedAndOnlyWhereTheyDiffer(t *testing.T) {
	var p Pod
	for _, n := range []int{5, 1, 3, 3, 0, -2} {
		p = p.With(n, Inner{Woken: 1})
	}
	if want := []Incarnation{{1, Inner{Woken: 1}}, {3, Inner{Woken: 1}}, {5, Inner{Woken: 1}}}; !reflect.DeepEqual(p.Incs, want) {
		t.Errorf("got %v, want %v", p.Incs, want)
	}
	for _, n := range []int{3, 1, 2, 5} {
		p = p.With(n, Inner{})
	}
	if !reflect.DeepEqual(p, Pod{}) {
		t.Errorf("%+v is not as at first", p)
	}
}

// localsAlong gives each so manieth reachable state, as an action of each incarnation sees it.
func localsAlong(t *testing.T, c Constants, tabs, every int) []Local {
	t.Helper()
	var all []Local
	explore(t, Table(c), c, tabs, model.Options[State]{Invariants: []string{}, Found: func(id int, s State, _ int) {
		if id%every == 0 {
			for n := 1; n <= c.MaxInc; n++ {
				all = append(all, Local{Pod: s.Pod(), Client: s.Tab(id % tabs), Tabs: s.Tabs(tabs), N: n})
			}
		}
	}})
	return all
}
