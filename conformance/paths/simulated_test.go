package paths

import (
	"context"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"runtime/debug"
	"testing"
	"testing/synctest"
	"time"

	"podlife/conformance/lockstep"
)

// all says that the environment asks for every configuration, not only for the quick ones: PODLIFE_PATHS=all.
func all(t *testing.T) bool {
	switch v := os.Getenv("PODLIFE_PATHS"); v {
	case "":
		return false
	case "all":
		return true
	default:
		t.Fatalf("PODLIFE_PATHS is %q, and can only be all", v)
		return false
	}
}

// simulated drives paths in worlds in memory, each in a bubble of its own, so that "nothing moves any more" is known and not waited for.
func simulated(t *testing.T) Runner {
	return func(_ context.Context, p Path, o lockstep.Options) (r lockstep.Report, err error) {
		synctest.Test(t, func(t *testing.T) {
			r, err = lockstep.Run(t.Context(), lockstep.NewSimulated(lockstep.SimulatedOptions{Settle: synctest.Wait}), p, o)
		})
		return r, err
	}
}

func TestAServerGoesEveryStepOnTheSimulatedEngine(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // many short-lived servers, little that stays
	committed := readDigest(t)
	configs := Quick()
	if all(t) {
		configs = All()
	}
	for _, config := range configs {
		t.Run(config.String(), func(t *testing.T) {
			g, err := Build(t.Context(), config, Server())
			if err != nil {
				t.Fatal(err)
			}
			set := g.Paths()
			began := time.Now()
			drive := NewDrive(set.Paths, config.Tabs)
			t.Run("workers", func(t *testing.T) {
				for i := range runtime.GOMAXPROCS(0) {
					t.Run(fmt.Sprint(i), func(t *testing.T) {
						t.Parallel()
						drive.Work(t.Context(), simulated(t))
					})
				}
			})
			took := time.Since(began)
			got, did := set.Coverage(drive.Taken), drive.Did()
			failure := drive.Failure()
			tellSimulated(t, failure, set)
			result := NewResult("simulated", config.String(), did, got, failure != nil, took)
			if err := result.Write(); err != nil {
				t.Error(err)
			}
			t.Logf("%d paths, %d steps in %.1f s; %d edges of %d, %d places asked %d times", did.Paths, did.Steps, took.Seconds(), got.Taken, got.Edges, did.Places, result.DisabledTried)
			if failure == nil {
				whole(t, committed, set, got, did)
			}
		})
	}
}

// tellSimulated tells of a failure, by a path that is as short as one was found.
func tellSimulated(t *testing.T, f *Failure, set Set) {
	t.Helper()
	if f == nil {
		return
	}
	short, ok := f.Shorten(t.Context(), simulated(t), set)
	if !ok {
		t.Error("once more, the path did not fail:")
	}
	t.Error(short.Report(t.Context()))
}

// whole holds what was done against what had to be: every step of every path, with all that they show.
func whole(t *testing.T, committed Digest, set Set, got Coverage, did Did) {
	t.Helper()
	want := set.Whole()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("taken was\n%+v\nand not\n%+v", got, want)
	}
	if did.Paths != want.Paths || did.Steps != want.Steps || want.Paths == 0 {
		t.Errorf("%d paths and %d steps were taken to the end, of %d and %d", did.Paths, did.Steps, want.Paths, want.Steps)
	}
	if got.NotDrivable[NotTaken] != 0 || got.Taken == 0 {
		t.Errorf("%d edges were taken, %d could have been and were not", got.Taken, got.NotDrivable[NotTaken])
	}
	stated, ok := committed.of(set.g.Config)
	got.Guards = nil
	if !ok || !reflect.DeepEqual(got, stated) {
		t.Errorf("cover.json says\n%+v\nand taken was\n%+v", stated, got)
	}
	for guard, o := range want.Guards {
		if did.Asked[guard] == 0 && o.False > 0 && asked(guard) {
			t.Errorf("%s refuses in %d states, and the server was never asked there", guard, o.False)
		}
	}
}
