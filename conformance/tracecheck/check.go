package tracecheck

import (
	"context"
	"fmt"

	"podlife/model/explain"
	"podlife/model/podruntime"
)

// Check says whether the records are a behaviour of the specification. Numbers that are missing make it Unknown: what happened there is not told.
// The error is an [*explain.StepError], or that of the context.
func Check(ctx context.Context, o explain.Options, records []Record) (explain.Answer, error) {
	c, err := follow(ctx, o, records)
	if err != nil {
		return explain.Answer{}, err
	}
	return c.Answer(), nil
}

// follow gives a checker that has taken the records as far as they are explained.
func follow(ctx context.Context, o explain.Options, records []Record) (*explain.Checker, error) {
	c := explain.New(o)
	before := int64(0)
	for i, r := range records {
		if i%1000 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err := c.Valid(r.Step()); err != nil {
			return nil, err
		}
		if gap := missing(before, r); gap != "" {
			c.GiveUp(gap)
			break
		}
		before = r.Seq
		if c.Add(r.Step()) != explain.Explained {
			break
		}
	}
	return c, nil
}

// missing says which steps are not there between the one that has the number before, 0 being none, and r; "" is none. A server that is started
// again counts anew, and begins with the recovery of its pods.
func missing(before int64, r Record) string {
	recovery := r.Action == podruntime.RecoverReady || r.Action == podruntime.RecoverAsleep
	switch {
	case r.Seq == 0, r.Seq == before+1, r.Seq == 1 && recovery:
		return ""
	case r.Seq <= before:
		return fmt.Sprintf("step %d comes after step %d", r.Seq, before)
	case before == 0:
		return fmt.Sprintf("the trace begins with step %d; what was before is not there (a server keeps its newest 1,000 steps)", r.Seq)
	}
	return fmt.Sprintf("the steps between %d and %d are missing", before, r.Seq)
}
