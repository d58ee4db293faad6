package mutants

// This file is the verdict: it builds a mutant, runs its scenario on it, and makes a class of what was seen. A mutant is green only if the invariant broke that was expected to, or if it was proved equivalent; one that does not
// build, runs out of time or fails otherwise was not judged.

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"
)

// buildTime bounds one build, with a cold cache on a slow machine.
const buildTime = 10 * time.Minute

// outcome is what became of one build in one scenario.
type outcome struct {
	seen    Seen
	err     error
	seconds float64
}

// attempt runs a scenario, in its time.
func attempt(ctx context.Context, s Scenario, b Build) outcome {
	ctx, cancel := context.WithTimeout(ctx, s.Needs)
	defer cancel()
	start := time.Now()
	seen, err := s.Run(ctx, b)
	if err == nil && ctx.Err() != nil {
		err = ctx.Err() // what was seen after the end of its time may be the end's doing
	}
	return outcome{seen: seen, err: err, seconds: math.Round(time.Since(start).Seconds()*10) / 10}
}

// Judge applies, builds, runs and judges one mutant. dir is for its files; shipped is what the build that ships did in the same scenario, see [JudgeShipped].
func Judge(ctx context.Context, root, dir string, m Mutant, shipped string) Result {
	r := Result{ID: m.ID, Guard: m.Guard, Expected: m.Expected, Broke: []string{}, Shipped: shipped}
	b, err := compile(ctx, root, dir, m)
	if err != nil {
		r.Class, r.Detail = classOf(err), err.Error()
		return r
	}
	o := attempt(ctx, m.Scenario, b)
	r.Seconds = o.seconds
	if o.err != nil {
		r.Class, r.Detail = classOf(o.err), o.err.Error()
		return r
	}
	r.Broke = append(r.Broke, o.seen.Broke...)
	r.Detector, r.Detail = o.seen.Detector, o.seen.Detail
	switch {
	case shipped != ShippedPass:
		r.Class, r.Detail = Failed, "the build that ships does not pass the same scenario, so nothing is known: "+shipped
	case slices.Contains(r.Broke, m.Expected):
		r.Class = KilledExpected
	case len(r.Broke) > 0:
		r.Class = KilledOther
	default:
		r.Class = Survived
	}
	return r
}

func compile(ctx context.Context, root, dir string, m Mutant) (Build, error) {
	ctx, cancel := context.WithTimeout(ctx, buildTime)
	defer cancel()
	s := NewSource(root)
	if err := s.Apply(m.Edits); err != nil {
		return Build{}, err
	}
	if len(s.changed) == 0 {
		return Build{}, &NotAppliedError{"nothing", "the mutant changes no file"}
	}
	return s.Compile(ctx, dir, m.ID)
}

// JudgeShipped runs the build that ships through a scenario: [ShippedPass], or what is wrong.
func JudgeShipped(ctx context.Context, s Scenario, b Build) (string, float64) {
	o := attempt(ctx, s, b)
	switch {
	case o.err != nil:
		return fmt.Sprintf("%s: %v", classOf(o.err), o.err), o.seconds
	case len(o.seen.Broke) > 0:
		return fmt.Sprintf("breaks %v: %s", o.seen.Broke, o.seen.Detail), o.seconds
	}
	return ShippedPass, o.seconds
}

func classOf(err error) Class {
	var notApplied *NotAppliedError
	var notBuilt *DoesNotBuildError
	switch {
	case errors.As(err, &notApplied):
		return DoesNotApply
	case errors.As(err, &notBuilt):
		return DoesNotBuild
	case errors.Is(err, context.DeadlineExceeded):
		return Timeout
	}
	return Failed
}
