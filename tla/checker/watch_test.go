package checker

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"podlife/tla/eval"
)

// single is a specification with one state, whose invariant is an expression.
func single(inv string) spec {
	return spec{name: "Single", tla: `---- MODULE Single ----
EXTENDS Integers, FiniteSets, Sequences, TLC
VARIABLE x
Init == x = 1
Next == x' = x
Inv == ` + inv + `
====`, cfg: "INIT Init NEXT Next INVARIANT Inv"}
}

func TestAnEvaluationThatNeedsTooMuchMemoryEndsTheRun(t *testing.T) {
	p := single(`Cardinality({<<i, x, i, x>> : i \in 1..9000000}) = x`).load(t).program(t, eval.Options{}, nil)
	r, err := Run(t.Context(), p, Options{Workers: 1, Memory: 100 << 20, Vacuity: Vacuity{Off: true}})
	if err != nil {
		t.Fatal(err)
	}
	if r.Verdict != VerdictMemory || r.Err == nil || !strings.Contains(r.Err.Error(), "the limit is 104857600") {
		t.Errorf("%s: %v", r.Verdict, r.Err)
	}
}

// Each of these takes from some seconds to the age of the universe in one operation on values.
func TestOperationsOnValuesAreInterrupted(t *testing.T) {
	for name, inv := range map[string]string{
		"member of a union of subsets": `99 \in UNION SUBSET (x..40)`,
		"difference of powersets":      `((SUBSET (x..40)) \ (SUBSET (0..40))) = {x}`,
		"subset":                       `(SUBSET (x..40)) \subseteq {s \in SUBSET (0..40) : TRUE}`,
		"cardinality":                  `Cardinality({s \in SUBSET (x..40) : 41 \in s}) = x`,
		"functions":                    `\E f \in [x..20 -> x..20] : f[1] = 21`,
		"sequences":                    `\E s \in {s \in [x..20 -> {1, 2, 3}] : FALSE} : TRUE`,
		"choose":                       `(CHOOSE s \in SUBSET (x..40) : 41 \in s) = {}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := single(inv).load(t).program(t, eval.Options{}, nil)
			ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
			defer cancel()
			r, err := Run(ctx, p, Options{Workers: 1, Vacuity: Vacuity{Off: true}})
			if err != nil {
				t.Fatal(err)
			}
			if r.Verdict != VerdictInterrupted || !errors.Is(r.Err, context.DeadlineExceeded) {
				t.Errorf("%s: %v", r.Verdict, r.Err)
			}
		})
	}
}
