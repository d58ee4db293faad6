package checker

import (
	"testing"

	"podlife/tla/eval"
)

// Each verdict, with TLC's counts; and it is the same with any number of workers, whether they share the work or not.
func TestVerdicts(t *testing.T) {
	golden(t, "testdata/verdicts.txtar", func(t *testing.T, s spec) string {
		var first string
		for i, opt := range []Options{
			{Workers: 1, Now: standing}, {Workers: 1, Now: ticking()}, {Workers: 2, Now: ticking()}, {Workers: 5, Now: ticking()}, {Workers: 5, Now: standing},
		} {
			opt.Stats = &Stats{}
			opt.NoDeadlock = s.deadlockAllowed()
			opt.Vacuity.Off = true
			p := s.load(t).program(t, eval.Options{}, opt.Stats)
			r, err := Run(t.Context(), p, opt)
			if err != nil {
				t.Fatal(err)
			}
			got := describe(r, p.Variables())
			if i == 0 {
				first = got
			} else if got != first {
				t.Errorf("in run %d with %d workers:\n%s\nbut at first:\n%s", i, opt.Workers, got, first)
			}
		}
		return first
	})
}
