package checker

import (
	"context"
	"errors"
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
			r, err := Run(t.Context(), p, Options{Workers: 2, NoDeadlock: s.deadlockAllowed(), Now: ticking(), Vacuity: l.gate()})
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

// The search has come to its end when the context does: what was counted stays, and nothing is said about vacuity.
func TestAnInterruptedLookForVacuityIsNoVerdictOnIt(t *testing.T) {
	s := grid(5, `Inv == x > 100 => y = 1`, "INVARIANT Inv")
	for name, end := range map[string]func(drop *eval.Conjunct, coverage bool) bool{
		"at its beginning": func(_ *eval.Conjunct, coverage bool) bool { return coverage },
		"at a conjunct":    func(drop *eval.Conjunct, _ bool) bool { return drop != nil },
	} {
		ctx, cancel := context.WithCancel(t.Context())
		l := s.load(t)
		vacuity := l.gate()
		variant := vacuity.Variant
		vacuity.Variant = func(drop *eval.Conjunct, coverage bool) (*eval.Program, error) {
			if end(drop, coverage) {
				cancel()
			}
			return variant(drop, coverage)
		}
		r, err := Run(ctx, l.program(t, eval.Options{}, nil), Options{Vacuity: vacuity})
		cancel()
		if err != nil {
			t.Fatal(err)
		}
		if r.Verdict != VerdictInterrupted || r.Vacuity != VacuityOff || r.Findings != nil || r.NotChecked != nil || !r.Complete || r.Distinct != 36 || !errors.Is(r.Err, context.Canceled) {
			t.Errorf("%s: %s, %t, %d states, %v: %s", name, r.Verdict, r.Complete, r.Distinct, r.Err, describeFindings(r))
		}
	}
}

// What cannot be tried is not passed over.
func TestWhatCannotBeTriedIsNotChecked(t *testing.T) {
	s := grid(2, `Inv == x > 100 => y = 1`, "INVARIANT Inv")
	refuse := func(*eval.Conjunct, bool) (*eval.Program, error) { return nil, errors.New("no more of them") }
	for why, variant := range map[string]func(*eval.Conjunct, bool) (*eval.Program, error){"no way to compile": nil, "no more of them": refuse} {
		r, err := Run(t.Context(), s.load(t).program(t, eval.Options{}, nil), Options{Vacuity: Vacuity{Variant: variant}})
		if err != nil {
			t.Fatal(err)
		}
		kinds := map[FindingKind]int{}
		for _, f := range r.NotChecked {
			kinds[f.Kind]++
			if !strings.Contains(f.Message, why) {
				t.Errorf("%q does not say %q", f.Message, why)
			}
		}
		if r.Verdict != VerdictOK || len(r.Findings) != 0 || kinds[FindingAntecedent] != 1 || kinds[FindingQuantifier] != 1 || kinds[FindingConjunct] == 0 {
			t.Errorf("%s: %s", why, describeFindings(r))
		}
	}
}

// A run does not end because one before was asked to.
func TestAnExitIsOfOneRun(t *testing.T) {
	stats := &Stats{}
	for range 2 {
		r, err := Run(t.Context(), grid(3, "", "").load(t).program(t, eval.Options{}, stats), Options{Stats: stats, Vacuity: Vacuity{Off: true}})
		if err != nil || r.Exited || r.Distinct != 16 {
			t.Errorf("%v, %+v", err, r)
		}
		stats.Exit()
	}
}
