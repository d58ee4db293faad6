package eval_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"podlife/tla/eval"
)

// patience is how long an input may take. Evaluations look at the context often; what takes much longer than this hangs.
const patience = 200 * time.Millisecond

// internal tells whether an error is a mistake of the package rather than of what it was given.
func internal(err error) bool {
	var e *eval.Error
	return errors.As(err, &e) && e.Code == eval.CodeInternal
}

// FuzzExpression evaluates expressions: whatever they are, they have a value or an error, soon.
func FuzzExpression(f *testing.F) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		for _, c := range readCases(f, file) {
			body := strings.Join(c.body, "\n")
			for _, s := range c.steps {
				if s.command == "eval" {
					f.Add(body, s.arg)
				}
			}
		}
	}
	f.Fuzz(func(t *testing.T, body, text string) {
		if len(body)+len(text) > 2000 {
			return
		}
		l, err := load(&testCase{body: strings.Split(body, "\n")}, eval.Options{MaxDepth: 100_000})
		if err != nil {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		l.e = l.p.NewEvaluator(ctx)
		start := time.Now()
		if _, err := l.eval(text, nil, nil); internal(err) {
			t.Error(errors.Unwrap(err))
		}
		if took := time.Since(start); took > 40*patience {
			t.Error("took", took)
		}
	})
}

// FuzzSpecification generates states of specifications.
func FuzzSpecification(f *testing.F) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		for _, c := range readCases(f, file) {
			for _, s := range c.steps {
				if s.command == "cfg" {
					f.Add(strings.Join(c.body, "\n"), strings.Join(s.want, "\n"))
				}
			}
		}
	}
	f.Fuzz(func(t *testing.T, body, cfg string) {
		if len(body)+len(cfg) > 2000 {
			return
		}
		c := &testCase{body: strings.Split(body, "\n"), steps: []step{{command: "cfg", want: strings.Split(cfg, "\n")}}}
		l, err := load(c, eval.Options{MaxDepth: 100_000, Coverage: len(body)%2 == 0})
		if err != nil {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		l.e = l.p.NewEvaluator(ctx)
		fail := func(err error) {
			if internal(err) {
				t.Error(errors.Unwrap(err))
			}
		}
		_, err = l.e.Assumptions()
		fail(err)
		_, err = l.e.Symmetry()
		fail(err)
		var states []eval.State
		fail(l.e.Initial(func(s eval.State) bool {
			states = append(states, s)
			return len(states) < 10
		}))
		for i := 0; i < len(states) && i < 20; i++ {
			_, _, err := l.e.View(states[i])
			fail(err)
			for _, inv := range l.p.Invariants() {
				_, err := l.e.Holds(inv, states[i])
				fail(err)
			}
			n := 0
			fail(l.e.Successors(states[i], func(st eval.Step) bool {
				states = append(states, st.Next)
				for _, pr := range l.p.Properties() {
					for _, p := range pr.Step {
						_, err := l.e.HoldsStep(p, states[i], st.Next)
						fail(err)
					}
				}
				n++
				return n < 5
			}))
			for _, a := range l.p.Actions() {
				_, err := l.e.Enabled(a, states[i])
				fail(err)
			}
		}
		l.e.Coverage()
	})
}
