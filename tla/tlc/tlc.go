// Package tlc runs TLC, the reference model checker of TLA+, as a second opinion, and understands what it says: verdicts, counts, counterexamples,
// coverage, and the whole labelled state graph.
//
// It imports value, itf and dot (the forms that it reads) and nothing of this module outside the folder tla. Read tlc.go first: [Run] runs a
// configuration and gives an [Outcome]; then run.go, where [Check] does the same with all that TLC can tell. message.go, codes.go and result.go
// read the output, parse.go the states in it; graph.go compares graphs. expect.go says what was expected and names the differences. The command in
// the folder stage is what scripts/tlc.sh calls.
package tlc

import (
	"context"
	"errors"
)

// Outcome is what TLC found, in the words of an [Expectation].
type Outcome struct {
	Version string
	// Verdict is "holds" or "violates " and the name of the invariant.
	Verdict                    string
	Generated, Distinct, Depth int
}

// Run runs TLC on dir/module.tla with dir/config, breadth first with one worker, so that the depth is exact. command is given to the
// shell, with TLC's arguments after it. The error is a [*FailedError]; other than for [Check], everything but success and a violated invariant is
// one.
func Run(ctx context.Context, command, dir, module, config string) (Outcome, error) {
	r, err := Check(ctx, Request{Command: command, Dir: dir, Module: module, Config: config})
	if err != nil {
		return Outcome{}, err
	}
	return r.outcome(config)
}

func (r *Result) outcome(config string) (Outcome, error) {
	o := Outcome{Version: r.Version, Generated: r.Generated, Distinct: r.Distinct, Depth: r.Depth}
	fail := func(reason string) (Outcome, error) {
		return Outcome{}, &FailedError{Config: config, Reason: reason, Output: r.Other, Cause: errors.New(r.Text)}
	}
	switch r.Verdict {
	case VerdictOK:
		o.Verdict = "holds"
	case VerdictInvariant:
		o.Verdict = "violates " + r.Name
		if r.Name == "" {
			return fail("a violation without a name")
		}
	default:
		return fail("verdict " + string(r.Verdict))
	}
	if !r.Counted || r.Depth == 0 {
		return Outcome{}, &FailedError{Config: config, Reason: "no counts"}
	}
	return o, nil
}
