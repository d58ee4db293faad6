package checker

import (
	"fmt"
	"strings"
	"testing"

	"podlife/tla/diag"
	"podlife/tla/eval"
)

// gate is Vacuity options for a spec, with the reasons that its text gives.
func (l loaded) gate() Vacuity {
	return Vacuity{
		Variant: func(drop *eval.Conjunct, coverage bool) (*eval.Program, error) {
			return eval.Compile(l.module, l.config, eval.Options{Drop: drop, Coverage: coverage})
		},
		Accepted: func(definition string, _ diag.Span) string {
			for d, reason := range l.module.Vacuous {
				if d.Name == definition {
					return reason
				}
			}
			return ""
		},
	}
}

func describeFindings(r *Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s\n", r.Verdict, r.Vacuity)
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "%s in %s at %v: %s\n", f.Kind, f.Definition, f.Span, f.Message)
		if f.Accepted != "" {
			fmt.Fprintf(&b, "  accepted: %s\n", f.Accepted)
		}
	}
	for _, f := range r.NotChecked {
		fmt.Fprintf(&b, "not checked: %s in %s at %v: %s\n", f.Kind, f.Definition, f.Span, f.Message)
	}
	return b.String()
}

// What holds for no reason is found, both with a program that counts during the search and with one that does not.
func TestVacuity(t *testing.T) {
	golden(t, "testdata/vacuity.txtar", func(t *testing.T, s spec) string {
		var first string
		for _, coverage := range []bool{false, true} {
			l := s.load(t)
			p := l.program(t, eval.Options{Coverage: coverage}, nil)
			r, err := Run(t.Context(), p, Options{Workers: 2, Now: ticking(), Vacuity: l.gate()})
			if err != nil {
				t.Fatal(err)
			}
			got := describeFindings(r)
			if !coverage {
				first = got
			} else if got != first {
				t.Errorf("with coverage:\n%s\nwithout:\n%s", got, first)
			}
		}
		return first
	})
}

// What was only tried on a part of the states is not called vacuous, and not passed over either.
func TestConjunctsTriedOnAPartOfTheStates(t *testing.T) {
	_, all, _ := specs(t, "testdata/vacuity.txtar")
	for _, s := range all {
		if s.name != "NoEffect" {
			continue
		}
		l := s.load(t)
		opt := Options{Vacuity: l.gate()}
		opt.Vacuity.States = 2
		r, err := Run(t.Context(), l.program(t, eval.Options{}, nil), opt)
		if err != nil {
			t.Fatal(err)
		}
		// The parts of Up that have no effect, and those that have theirs in the fourth state only: x < 3 of Up, and all of Back but its guard.
		got := describeFindings(r)
		if r.Vacuity != VacuityNone || len(r.Findings) != 0 || len(r.NotChecked) != 5 || !strings.Contains(got, "in each of the first 2 states") {
			t.Errorf("got:\n%s", got)
		}
	}
}
