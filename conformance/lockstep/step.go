// Package lockstep drives the real server, one action of tla/PodRuntime.tla after the other: after each step the server, its store and the engine *are* in the specification's state, which is looked up
// and not believed, and in each state the server is also asked for what the specification forbids there.
//
// It imports anything of the project but cmd and mutants; conformance/paths and `podlife replay` are built on it. Read this file first, then place.go (which steps a server can be brought to take),
// run.go (the loop) and perform.go (how each action is made real).
package lockstep

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Step is an action of PodRuntime with its parameters. The pod is the only one, and Probe asks the tab's own.
type Step struct {
	Action string
	Client string // "c1", "c2"...: podlifecycle.ClientName; "" for an action without the parameter c
	Inc    int    // 0 for an action without the parameter n
}

// String is the step as the specification writes it, without the pod.
func (s Step) String() string {
	switch {
	case s.Client != "" && s.Inc != 0:
		return fmt.Sprintf("%s(%s, %d)", s.Action, s.Client, s.Inc)
	case s.Client != "":
		return fmt.Sprintf("%s(%s)", s.Action, s.Client)
	case s.Inc != 0:
		return fmt.Sprintf("%s(%d)", s.Action, s.Inc)
	}
	return s.Action
}

// Reason says why a server cannot be brought to take a step that the specification allows: it is stricter. The text is a stable key.
type Reason string

// The reasons.
const (
	InSection       Reason = "in-section"
	NothingLaunched Reason = "nothing-launched"
	Over            Reason = "over"
	OtherScript     Reason = "other-script"
	NothingToSee    Reason = "nothing-to-see"
	NotVouched      Reason = "not-vouched"
	NobodyAttaches  Reason = "nobody-attaches"
	NotHere         Reason = "not-here"
)

// Reasons gives all of them, in the order in which they are documented.
func Reasons() []Reason {
	return []Reason{InSection, NothingLaunched, Over, OtherScript, NothingToSee, NotVouched, NobodyAttaches, NotHere}
}

// Sentence says it in words.
func (r Reason) Sentence() string {
	switch r {
	case InSection:
		return "inside a critical section of the server: what follows from a reply, or from falling asleep, is taken under one lock"
	case NothingLaunched:
		return "a launch can fail only when the engine has been asked for a container"
	case Over:
		return "the server makes no container and begins no script for an incarnation that is over"
	case OtherScript:
		return "a script that was begun under an earlier recipe does not do what the recipe of now wants"
	case NothingToSee:
		return "the launch failed, so the server knows of no container that could be lost: the reply of the run ends the incarnation"
	case NotVouched:
		return "the server knows that the marker was not its own, and has not yet taken the reply of the run that writes it: it hands no shell over"
	case NobodyAttaches:
		return "the server looks at the marker of a ready container only when a tab that has booted attaches"
	case NotHere:
		return "this world cannot be brought to it"
	}
	return string(r)
}

// NotDrivableError says that a path has a step that the server cannot be brought to take there.
type NotDrivableError struct {
	At     int // index in the path
	Step   Step
	Reason Reason
}

func (e *NotDrivableError) Error() string {
	return fmt.Sprintf("step %d, %s, cannot be driven: %s", e.At+1, e.Step, e.Reason.Sentence())
}

// BadPathError says that a path is none of the specification, or ends inside a critical section.
type BadPathError struct {
	At          int // index in the path
	Step        Step
	Problem     string
	FalseGuards []string // those of the action that refuse, if it is that
}

func (e *BadPathError) Error() string {
	return fmt.Sprintf("step %d, %s: %s", e.At+1, e.Step, e.Problem)
}

var stepPattern = regexp.MustCompile(`^([A-Z][A-Za-z]+)(?:\((c[1-9])?(?:,? ?([1-9][0-9]*))?\))?$`)

// Parse reads steps as [Step.String] writes them, separated by spaces, such as "StartBoot(c1) CreateContainer(1) FinishBoot(c1, 1)".
func Parse(text string) ([]Step, error) {
	var path []Step
	for word := range strings.FieldsSeq(strings.ReplaceAll(text, ", ", ",")) {
		m := stepPattern.FindStringSubmatch(word)
		if m == nil {
			return nil, fmt.Errorf("step %d, %.60q: no step, which is an action with a tab, a number, both or neither in brackets", len(path)+1, word)
		}
		n, _ := strconv.Atoi(m[3]) // digits, or nothing
		path = append(path, Step{m[1], m[2], n})
	}
	return path, nil
}
