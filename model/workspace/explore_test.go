package workspace

import (
	"errors"
	"slices"
	"testing"

	"podlife/model"
)

func explore(t *testing.T, c Constants, opts model.Options[State]) model.Result[State] {
	t.Helper()
	sys, err := System(c)
	if err != nil {
		t.Fatal(err)
	}
	opts.MaxStates = 400_000
	r, err := model.Explore(t.Context(), sys, opts)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The numbers are those of tla/configs/registry.txt.
func TestTheTableHasTheStatesThatTheSpecificationHas(t *testing.T) {
	for _, row := range []struct {
		name                       string
		c                          Constants
		generated, distinct, depth int
		vacuous                    []string
	}{
		{"one-workspace", Constants{Pods: 1, MaxInc: 2, MaxCrashes: 2}, 11343, 4142, 24, []string{NoVolumeShared}},
		{"two-workspaces", Constants{Pods: 2, MaxInc: 1, MaxCrashes: 1}, 952369, 225399, 34, nil},
		{"delete", Constants{Pods: 1, MaxInc: 1, MaxCrashes: 1}, 1864, 799, 18, []string{NoVolumeShared}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			r := explore(t, row.c, model.Options[State]{})
			if r.Violation != nil {
				t.Fatalf("%+v is violated", r.Violation)
			}
			if r.Generated != row.generated || r.Distinct != row.distinct || r.Depth != row.depth {
				t.Errorf("got %d/%d/%d, want %d/%d/%d", r.Generated, r.Distinct, r.Depth, row.generated, row.distinct, row.depth)
			}
			for _, a := range r.Antecedents {
				if (a.Reached == 0) != slices.Contains(row.vacuous, a.Invariant) {
					t.Errorf("the left side of %s is true in %d states", a.Invariant, a.Reached)
				}
			}
		})
	}
}

// Without one of its guards or rules the table breaks what the specification does without it, after as many states. The numbers are those of tla/configs/registry.txt.
func TestWhatIsSwitchedOffBreaksWhatItShould(t *testing.T) {
	rows := map[string]struct {
		c                          Constants
		breaks                     string
		generated, distinct, depth int
	}{
		"Access.workspace":          {Constants{Pods: 1, MaxInc: 1, MaxCrashes: 0}, NoWakeByRead, 5, 5, 3},
		"Adopt.once":                {Constants{Pods: 3, MaxInc: 0, MaxCrashes: 0}, NoVolumeShared, 3363, 1387, 7},
		"Adopt.owner":               {Constants{Pods: 2, Foreign: []int{1}, MaxInc: 0, MaxCrashes: 0}, NoForeignHome, 314, 172, 6},
		"Boot.there":                {Constants{Pods: 1, MaxInc: 1, MaxCrashes: 0}, DeleteIsFinal, 16, 15, 4},
		"CreateWorkspace.ownVolume": {Constants{Pods: 2, MaxInc: 0, MaxCrashes: 0}, NoVolumeShared, 14, 14, 3},
		"CreateWorkspace.stored":    {Constants{Pods: 1, MaxInc: 0, MaxCrashes: 1}, NoVolumeForgotten, 8, 8, 3},
		"Delete.stored":             {Constants{Pods: 1, MaxInc: 0, MaxCrashes: 1}, HomeIsThere, 65, 52, 6},
		"Gone.container":            {Constants{Pods: 1, MaxInc: 1, MaxCrashes: 0}, DeleteLeavesNothing, 38, 29, 5},
		"Gone.keeps":                {Constants{Pods: 1, MaxInc: 0, MaxCrashes: 0}, NoVolumeForgotten, 23, 19, 5},
		"Gone.volume":               {Constants{Pods: 1, MaxInc: 0, MaxCrashes: 0}, DeleteLeavesNothing, 22, 18, 5},
		"Made.volume":               {Constants{Pods: 1, MaxInc: 0, MaxCrashes: 0}, HomeIsThere, 7, 7, 3},
		"Read.wakesNothing":         {Constants{Pods: 1, MaxInc: 1, MaxCrashes: 0}, NoWakeByRead, 5, 5, 3},
		"Ready.ownDisk":             {Constants{Pods: 1, MaxInc: 2, MaxCrashes: 0}, NoAttachWithoutShellSetup, 2019, 833, 18},
		"Ready.vouched":             {Constants{Pods: 1, MaxInc: 1, MaxCrashes: 0}, NoAttachWithoutShellSetup, 97, 65, 7},
		"Recover.keepsVolumes":      {Constants{Pods: 1, MaxInc: 1, MaxCrashes: 1}, NothingLost, 1454, 633, 15},
		"RemoveVolume.notKept":      {Constants{Pods: 1, MaxInc: 1, MaxCrashes: 0}, NothingLost, 509, 230, 14},
		"Start.ownVolume":           {Constants{Pods: 1, MaxInc: 2, MaxCrashes: 0}, NoEmptyHome, 2292, 975, 17},
		"TearDown.keepsVolume":      {Constants{Pods: 1, MaxInc: 1, MaxCrashes: 0}, NothingLost, 449, 203, 13},
	}
	for _, name := range Switches() {
		row, ok := rows[name]
		if !ok {
			t.Errorf("nothing is said of %s", name)
			continue
		}
		t.Run(name, func(t *testing.T) {
			row.c.Off = []string{name}
			r := explore(t, row.c, model.Options[State]{Invariants: []string{TypeOK, row.breaks}})
			if r.Violation == nil || r.Violation.Invariant != row.breaks {
				t.Fatalf("%+v is violated, want %s", r.Violation, row.breaks)
			}
			if r.Generated != row.generated || r.Distinct != row.distinct || r.Depth != row.depth || len(r.Violation.Path) != row.depth {
				t.Errorf("got %d/%d/%d, want %d/%d/%d", r.Generated, r.Distinct, r.Depth, row.generated, row.distinct, row.depth)
			}
		})
	}
}

func TestSystemsThatDoNotFitAreRefused(t *testing.T) {
	for _, c := range []struct {
		c    Constants
		what string
	}{
		{Constants{Pods: MostPods, MaxInc: 9, MaxCrashes: 9}, ""},
		{Constants{Pods: 2, Foreign: []int{1}}, ""},
		{Constants{}, "pods"},
		{Constants{Pods: MostPods + 1}, "pods"},
		{Constants{Pods: 1, MaxInc: -1}, "max-inc"},
		{Constants{Pods: 1, MaxCrashes: 10}, "max-crashes"},
		{Constants{Pods: 1, Foreign: []int{1}}, "foreign"},
	} {
		_, err := System(c.c)
		var bounds *BoundsError
		if errors.As(err, &bounds); bounds == nil && (err != nil || c.what != "") || bounds != nil && bounds.What != c.what {
			t.Errorf("%+v: %v, want %q", c.c, err, c.what)
		}
	}
	_, err := System(Constants{Pods: 1, Off: []string{"Gone.going"}})
	var unknown *SwitchError
	if !errors.As(err, &unknown) || unknown.Name != "Gone.going" {
		t.Errorf("a guard that cannot be switched off: %v", err)
	}
}
