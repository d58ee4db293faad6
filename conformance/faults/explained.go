package faults

import (
	"fmt"

	"podlife/model/explain"
	"podlife/runtime/pod"
)

// explanation holds the committed steps of one pod, over all lives of its servers, against the specification: is there a behaviour of PodRuntime that explains them? It is asked apart from the
// shadow that Truth keeps: that one is told of crashes, and this one has to find them.
type explanation struct {
	checker *explain.Checker
	told    bool // that it is not explained, once
}

func newExplanation() explanation { return explanation{checker: explain.New(explain.Options{})} }

// add takes the next step, and says what is wrong with it. A trace of which nothing is known any more is no pass.
func (e *explanation) add(s pod.Step) (wrong string) {
	step := explain.Step{Action: s.Action, Client: string(s.Client), N: s.Inc, Incarnation: s.Incarnation}
	if err := e.checker.Valid(step); err != nil {
		return err.Error()
	}
	verdict := e.checker.Add(step)
	if verdict == explain.Explained && e.checker.Broken() == 0 || e.told {
		return ""
	}
	answer := e.checker.Answer()
	if verdict == explain.Explained && !answer.Violated() {
		return "" // some states in which the pod can be break an invariant, and others do not: the truth decides that
	}
	e.told = true
	return answer.String()
}

// Explained is how many committed steps are explained as a behaviour of PodRuntime.
func (t *Truth) Explained() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.explained()
}

// explained is Explained. t.mu is held.
func (t *Truth) explained() int {
	n := 0
	for _, s := range t.pods {
		n += s.explanation.checker.Steps()
	}
	return n
}

// explain takes a step into its pod's trace. t.mu is held.
func (t *Truth) explain(s *shadow, step pod.Step) {
	if wrong := s.explanation.add(step); wrong != "" {
		t.problemf("pod %s, step %d of its server, %s(%s %d): %s", step.Pod, step.Seq, step.Action, step.Client, step.Inc, wrong)
	}
}

// unexplained says of a run that its steps are not all explained.
func (t *Truth) unexplained() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	taken := 0
	for _, n := range t.actions {
		taken += n
	}
	if explained := t.explained(); explained != taken {
		return []string{fmt.Sprintf("of %d committed steps %d are explained as a behaviour of PodRuntime", taken, explained)}
	}
	return nil
}
