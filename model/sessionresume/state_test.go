package sessionresume

import (
	"errors"
	"reflect"
	"slices"
	"testing"

	"podlife/model"
)

// some is a state in which hardly anything is as at first; the second viewer acts.
func some() Local {
	return Local{
		Host: Host{Session: 2, Epoch: 1, Lo: 1, Hi: 3, Over: true}, V: 1, Final: [MaxMaxSessions + 1]int{0, 2, 3},
		Views: []View{
			{
				Conn: Conn{N: 2, At: On, Sent: 3, Acked: 2, Told: true}, Page: Page{Epoch: 2, Have: 2, Exited: true}, Seen: Seen{Sessions: 4, Disorder: true},
				Wire: []Frame{{Conn: 1, Kind: Data, Epoch: 1, At: 2, Session: 2}, {Conn: 2, Kind: Exited, Epoch: 2, At: 3, Session: 2}},
			},
			{Conn: Conn{N: 1, At: Asked}, Alone: true},
		},
	}
}

func TestAStateGivesBackWhatWasPacked(t *testing.T) {
	l := some()
	if got := Pack(l).Local(2, 1); !reflect.DeepEqual(got, l) {
		t.Errorf("got %+v, want %+v", got, l)
	}
	if got := Pack(First(2)).Local(2, 0); !reflect.DeepEqual(got, First(2)) {
		t.Errorf("got %+v, want %+v", got, First(2))
	}
	if Pack(First(1)) == Pack(First(2)) {
		t.Error("one viewer at first is as two")
	}
}

func TestAWireThatHasNoRoomPanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("frames were lost")
		}
	}()
	Pack(Local{Views: []View{{Wire: make([]Frame, room+1)}}})
}

func TestSystemsThatDoNotFitAreRefused(t *testing.T) {
	for _, c := range []struct {
		c       Constants
		viewers int
		what    string
	}{
		{Constants{MaxSessions: 3, MaxOut: 7, MaxConns: 3, Ring: 7, Window: 7}, 2, ""},
		{Constants{MaxSessions: 1, Ring: 1, Window: 1}, 0, "viewers"},
		{Constants{MaxSessions: 1, Ring: 1, Window: 1}, 3, "viewers"},
		{Constants{Ring: 1, Window: 1}, 1, "max-sessions"},
		{Constants{MaxSessions: 4, Ring: 1, Window: 1}, 1, "max-sessions"},
		{Constants{MaxSessions: 1, MaxOut: 8, Ring: 1, Window: 1}, 1, "max-out"},
		{Constants{MaxSessions: 1, MaxConns: 4, Ring: 1, Window: 1}, 1, "max-conns"},
		{Constants{MaxSessions: 1, Window: 1}, 1, "ring"},
		{Constants{MaxSessions: 1, Ring: 1, Window: 2}, 1, "window"},
		{Constants{MaxSessions: 1, Ring: 1}, 1, "window"},
	} {
		_, err := System(c.c, c.viewers)
		var bounds *BoundsError
		if errors.As(err, &bounds); bounds == nil && (err != nil || c.what != "") || bounds != nil && bounds.What != c.what {
			t.Errorf("%+v with %d viewers: %v, want %q", c.c, c.viewers, err, c.what)
		}
	}
	_, err := System(Constants{MaxSessions: 1, Ring: 1, Window: 1, Off: []string{"Send.more"}}, 1)
	var unknown *SwitchError
	if !errors.As(err, &unknown) || unknown.Name != "Send.more" {
		t.Errorf("a guard that cannot be switched off: %v", err)
	}
}

// take takes actions one after the other for one viewer.
func take(t *testing.T, table model.Table[Local], l Local, actions ...string) Local {
	t.Helper()
	for _, action := range actions {
		next, err := table.Take(action, l)
		if err != nil {
			t.Fatal(err)
		}
		l = next
	}
	return l
}

func TestWhoComesBackGoesOnWhereItWas(t *testing.T) {
	c := Constants{MaxSessions: 2, MaxOut: 7, MaxConns: 3, Ring: 2, Window: 1}
	table := Table(c)
	l := take(t, table, First(1), Ask, Reset, Receive, Produce, Send, Receive, Ack, Drop, Produce, Produce, Ask, Resume, Send)
	want := View{
		Conn: Conn{N: 2, At: On, Sent: 2, Acked: 1}, Page: Page{Epoch: 1, Have: 1}, Seen: Seen{Sessions: 2}, Alone: true,
		Wire: []Frame{{Conn: 2, Kind: Data, Epoch: 1, At: 1, Session: 1}},
	}
	if got := l.Views[0]; !reflect.DeepEqual(got, want) || l.Host != (Host{Session: 1, Epoch: 1, Lo: 1, Hi: 3}) {
		t.Errorf("got %+v at %+v, want %+v", got, l.Host, want)
	}
	for action, falseGuards := range map[string][]string{
		Produce: {"notStalled"}, Send: {"inWindow"}, FallBack: {"fellOut"}, SendExit: {"over", "allSent"}, Resume: {"asked"}, Ignore: {"notMine"}, Ack: {"news"},
	} {
		_, err := table.Take(action, l)
		var refused *model.NotEnabledError
		if !errors.As(err, &refused) || !slices.Equal(refused.FalseGuards, falseGuards) {
			t.Errorf("%s: %v, want %v", action, err, falseGuards)
		}
	}
}

func TestWhatWasProducedMeanwhileMayBeGone(t *testing.T) {
	table := Table(Constants{MaxSessions: 2, MaxOut: 7, MaxConns: 3, Ring: 2, Window: 1})
	away := take(t, table, First(1), Ask, Reset, Receive, Produce, Send, Receive, Ack, Drop, Produce, Produce)
	for name, c := range map[string]struct {
		then   []string
		resume bool
	}{
		"all that it lacks is there": {nil, true},
		"one byte is gone":           {[]string{Produce}, false},
		"another shell":              {[]string{Replace, Produce, Produce}, false},
	} {
		l := take(t, table, away, append(c.then, Ask)...)
		_, resumed := table.Take(Resume, l)
		_, reset := table.Take(Reset, l)
		if (resumed == nil) != c.resume || (reset == nil) == c.resume {
			t.Errorf("%s: resume %v, reset %v", name, resumed, reset)
		}
	}
}

func TestWhatWasOnceOutOfOrderStaysSoUntilAReset(t *testing.T) {
	c := Constants{MaxSessions: 1, MaxOut: 7, MaxConns: 3, Ring: 2, Window: 1}
	l := First(1)
	l.Views[0].Conn = Conn{N: 1, At: On}
	l.Views[0].Wire = []Frame{{1, Data, 1, 3, 1}, {1, Data, 1, 1, 1}, {1, ResetTo, 1, 2, 0}}
	l = take(t, Table(c), l, Receive, Receive)
	if v := l.Views[0]; !v.Seen.Disorder || v.Page.Have != 2 {
		t.Errorf("%+v", v)
	}
	if v := take(t, Table(c), l, Receive).Views[0]; v.Seen != (Seen{}) || v.Page != (Page{Epoch: 1, Have: 2}) {
		t.Errorf("after the reset %+v", v)
	}
}

// Effects that shared a slice with what they were given would change the past of whoever kept it.
func TestNoEffectChangesWhatItWasGiven(t *testing.T) {
	c := Constants{MaxSessions: 2, MaxOut: 2, MaxConns: 2, Ring: 2, Window: 1}
	table, effects := Table(c), 0
	explore(t, c, 1, model.Options[State]{Found: func(_ int, s State, _ int) {
		l := s.Local(1, 0)
		l.Views = append(make([]View, 0, 4), l.Views...) // an append in place would not be seen without room
		l.Views[0].Wire = append(make([]Frame, 0, room), l.Views[0].Wire...)
		wire := slices.Clone(l.Views[0].Wire[:room])
		for _, a := range table.Actions {
			if a.Enabled(l) {
				effects++
				a.Effect(l)
				if Pack(l) != s || !slices.Equal(wire, l.Views[0].Wire[:room]) {
					t.Fatalf("%s changes %+v", a.Name, l)
				}
			}
		}
	}})
	if effects < 1000 {
		t.Errorf("only %d effects were looked at", effects)
	}
}

// Guards and effects are asked in any state, also where nothing was ever sent.
func TestGuardsAreTotal(t *testing.T) {
	for _, a := range Table(Constants{}).Actions {
		for _, l := range []Local{First(1), {Views: []View{{Conn: Conn{N: -1, At: On, Sent: -3}}}}, some()} {
			a.FalseGuards(l)
			a.Effect(l)
		}
	}
}
