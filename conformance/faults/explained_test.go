package faults

import (
	"strings"
	"testing"

	"podlife/model/podruntime"
	"podlife/runtime/pod"
)

// A server that commits what no behaviour of the specification explains is found out, once, and what it does after that counts as not explained.
func TestAStepThatNothingExplainsIsAProblem(t *testing.T) {
	m := NewMachine(nil, nil)
	defer m.Close()
	start := pod.Step{Pod: "u", Action: podruntime.StartBoot, Client: "c1", Incarnation: 1}
	finish := pod.Step{Pod: "u", Action: podruntime.FinishBoot, Client: "c1", Inc: 1, Incarnation: 1} // without a run
	for i, s := range []pod.Step{start, finish, finish} {
		s.Seq = int64(i + 1)
		m.Truth.step(s)
	}
	told := strings.Join(m.Truth.Problems(), "\n")
	if n := strings.Count(told, "mismatch: 1 steps are explained"); n != 1 {
		t.Errorf("it is told %d times that a step is not explained:\n%s", n, told)
	}
	if n := m.Truth.Explained(); n != 1 {
		t.Errorf("%d steps are explained", n)
	}
	if wrong := m.Truth.unexplained(); len(wrong) != 1 || !strings.Contains(wrong[0], "of 3 committed steps 1 are explained") {
		t.Errorf("the run says %q", wrong)
	}
}

// What is no step of the specification at all is a problem too.
func TestAStepOfNoSpecificationIsAProblem(t *testing.T) {
	m := NewMachine(nil, nil)
	defer m.Close()
	m.Truth.step(pod.Step{Seq: 1, Pod: "u", Action: "Teleport"})
	if told := strings.Join(m.Truth.Problems(), "\n"); !strings.Contains(told, "no such action") {
		t.Errorf("told: %s", told)
	}
}
