package model_test

import (
	"errors"
	"slices"
	"testing"

	"podlife/model"
)

// lamp is a tiny system: a lamp with a fuse. The fuse blows when the lamp is switched on for the third time.
type lamp struct {
	on    bool
	times int
}

func lampTable() model.Table[lamp] {
	off := model.Guard[lamp]{Name: "off", Holds: func(s lamp) bool { return !s.on }}
	fuse := model.Guard[lamp]{Name: "fuse", Holds: func(s lamp) bool { return s.times < 3 }}
	dark := model.Guard[lamp]{Name: "dark", Holds: func(s lamp) bool { return !s.on }}
	blown := model.Guard[lamp]{Name: "blown", Holds: func(s lamp) bool { return s.times >= 3 }}
	return model.Table[lamp]{
		Name: "Lamp",
		Actions: []model.Action[lamp]{
			{Name: "On", Guards: []model.Guard[lamp]{off, fuse}, Effect: func(s lamp) lamp { return lamp{true, s.times + 1} }},
			{
				Name:   "Off",
				Guards: []model.Guard[lamp]{{Name: "lit", Holds: func(s lamp) bool { return s.on }}},
				Effect: func(s lamp) lamp { return lamp{false, s.times} },
			},
			{Name: "Repair", Guards: []model.Guard[lamp]{model.AnyOf("needed", dark, blown)}, Effect: func(lamp) lamp { return lamp{} }},
		},
		Invariants: []model.Invariant[lamp]{
			{Name: "Counted", Holds: func(s lamp) bool { return s.times <= 3 }},
			{
				Name:       "Bright",
				Antecedent: func(s lamp) bool { return s.on },
				Holds:      func(s lamp) bool { return !s.on || s.times < 3 },
			},
		},
	}
}

func TestTakeStepsWhereEveryGuardHolds(t *testing.T) {
	got, err := lampTable().Take("On", lamp{false, 1})
	if err != nil || got != (lamp{true, 2}) {
		t.Errorf("On = %v, %v", got, err)
	}
}

func TestARefusalNamesEveryFalseGuardInOrder(t *testing.T) {
	before := lamp{true, 3}
	got, err := lampTable().Take("On", before)
	var refused *model.NotEnabledError
	if !errors.As(err, &refused) {
		t.Fatalf("On = %v, want a NotEnabledError", err)
	}
	if refused.Action != "On" || !slices.Equal(refused.FalseGuards, []string{"off", "fuse"}) {
		t.Errorf("refusal is %+v", refused)
	}
	if got != before {
		t.Errorf("a refused action changed the state to %v", got)
	}
	if want := "On is not enabled: false guards: off, fuse"; err.Error() != want {
		t.Errorf("message is %q, want %q", err, want)
	}
}

func TestAnUnknownActionIsAnErrorOfItsOwn(t *testing.T) {
	_, err := lampTable().Take("Smash", lamp{})
	var unknown *model.UnknownActionError
	if !errors.As(err, &unknown) || unknown.Action != "Smash" || unknown.Table != "Lamp" {
		t.Errorf("Smash = %v", err)
	}
}

func TestEnabledAgreesWithFalseGuards(t *testing.T) {
	for _, on := range []bool{false, true} {
		for times := range 5 {
			for _, a := range lampTable().Actions {
				s := lamp{on, times}
				if a.Enabled(s) != (len(a.FalseGuards(s)) == 0) || a.Enabled(s) != (a.Ways(s) > 0) {
					t.Errorf("%s in %v: enabled %v, false guards %v, ways %d", a.Name, s, a.Enabled(s), a.FalseGuards(s), a.Ways(s))
				}
			}
		}
	}
}

func TestADisjunctionIsTakenOnceForEachTrueDisjunct(t *testing.T) {
	repair, err := lampTable().Action("Repair")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		s    lamp
		want int
	}{{lamp{true, 1}, 0}, {lamp{false, 1}, 1}, {lamp{true, 3}, 1}, {lamp{false, 3}, 2}} {
		if got := repair.Ways(c.s); got != c.want {
			t.Errorf("Repair in %v has %d ways, want %d", c.s, got, c.want)
		}
	}
}
