package specs

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"podlife/tla/checker"
	"podlife/tla/eval"
	"podlife/tla/spec"
)

// vacuityStates is on how many states the conditions of a specification that holds are tried. The search is seconds, and a trial of every
// condition in every state minutes; that each guard matters is shown by the configuration without it.
const vacuityStates = 1000

// A Result is what came out of a configuration.
type Result struct {
	Module  string `json:"module"`
	Config  string `json:"config"` // as Entry.File
	Expect  string `json:"expect"`
	Verdict string `json:"verdict"` // in the words of an expectation
	// Distinct, Generated and Depth are counted as TLC counts them; Length is the states of the counterexample.
	Distinct  int `json:"distinct"`
	Generated int `json:"generated"`
	Depth     int `json:"depth"`
	Length    int `json:"length,omitempty"`
	// Fired is how many successors each action made, and Antecedents how often the left sides of each invariant's or property's implications
	// were true, the rarest one of them. Only of a configuration that holds, in which they are of all states.
	Fired       map[string]int `json:"fired,omitempty"`
	Antecedents map[string]int `json:"antecedents,omitempty"`

	Problems []string      `json:"-"` // what is not as the registry says, or holds for no reason
	Duration time.Duration `json:"-"`
}

// Check runs the embedded checker on a configuration in a folder of specifications. An error is one that left no result.
func (e Entry) Check(ctx context.Context, dir string) (Result, error) {
	s, err := spec.Load(filepath.Join(dir, e.Module+".tla"), spec.Options{
		Config: filepath.Join(dir, filepath.FromSlash(e.File)), Eval: eval.Options{Coverage: e.Expect.Verb == Holds},
	})
	if err != nil {
		return Result{}, fmt.Errorf("%s: %w", e.File, err)
	}
	opt := s.CheckerOptions()
	opt.Vacuity.Off, opt.Vacuity.States = e.Expect.Verb != Holds, vacuityStates
	r, err := checker.Run(ctx, s.Program, opt)
	if err != nil {
		return Result{}, fmt.Errorf("%s: %w", e.File, err)
	}
	result := Result{
		Module: e.Module, Config: e.File, Expect: e.Expect.String(), Verdict: e.words(r),
		Distinct: int(r.Distinct), Generated: int(r.Generated), Depth: r.Depth, Length: len(r.Trace), Duration: r.Duration,
	}
	if r.Verdict == checker.VerdictOK {
		result.Fired, result.Antecedents = fired(r), antecedents(r)
	}
	result.Problems = append(e.Differences(result), holdsForNoReason(e, r)...)
	return result, nil
}

// words is a verdict in the words of an expectation, and, where there are none, in the checker's.
func (e Entry) words(r *checker.Result) string {
	switch r.Verdict {
	case checker.VerdictOK:
		return string(Holds)
	case checker.VerdictUnsupported:
		return string(Unsupported)
	case checker.VerdictInvariant, checker.VerdictProperty:
		return e.violated(r.Name)
	}
	if r.Err != nil {
		return fmt.Sprintf("%s: %v", r.Verdict, r.Err)
	}
	return string(r.Verdict)
}

// violated is that this invariant or property is violated; of a hazard, that it is reached.
func (e Entry) violated(name string) string {
	if name == e.Expect.Violated() {
		return e.Expect.String()
	}
	return Expectation{Violates, name}.String()
}

// Numbers are what was counted, as the registry has it.
func (r Result) Numbers() Numbers {
	return Numbers{States: r.Generated, Distinct: r.Distinct, Depth: r.Depth, Length: r.Length}
}

// Differences says where a result is not what the registry says. With numbers that differ goes the line that has the new ones.
func (e Entry) Differences(r Result) []string {
	if r.Verdict != e.Expect.String() {
		return []string{fmt.Sprintf("the verdict is %q, and the registry says %q", r.Verdict, e.Expect)}
	}
	if got := r.Numbers(); got != e.Numbers {
		now := e
		now.Numbers = got
		return []string{
			fmt.Sprintf("it is %s, and the registry says %s", got, e.Numbers),
			"if that was meant: " + now.Line(),
		}
	}
	return nil
}

func fired(r *checker.Result) map[string]int {
	counts := map[string]int{}
	for _, a := range r.Actions {
		counts[a.Action.Name] += int(a.Generated)
	}
	return counts
}

// antecedents counts for the invariants and properties themselves; what they are made of is also used elsewhere.
func antecedents(r *checker.Result) map[string]int {
	counts := map[string]int{}
	if r.Coverage == nil {
		return counts
	}
	for _, i := range r.Coverage.Implications {
		if i.Evaluated == 0 {
			continue // it is of an action or another definition, or counted elsewhere
		}
		if before, ok := counts[i.Definition]; !ok || int(i.Active) < before {
			counts[i.Definition] = int(i.Active)
		}
	}
	return counts
}

// holdsForNoReason names what would hold whatever the specification said, and is not accepted by a comment in it.
func holdsForNoReason(e Entry, r *checker.Result) []string {
	var problems []string
	for _, f := range r.Findings {
		if f.Accepted == "" {
			problems = append(problems, fmt.Sprintf("vacuous: %s: %s", f.Span, f.Message))
		}
	}
	if e.Expect.Verb == Holds && r.Verdict == checker.VerdictOK && r.Vacuity == checker.VacuityOff {
		problems = append(problems, "nobody looked for what holds vacuously")
	}
	return problems
}
