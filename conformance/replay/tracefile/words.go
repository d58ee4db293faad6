package tracefile

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"podlife/model"
	"podlife/model/podlifecycle"
	"podlife/model/podruntime"
)

// word is a step as the specification writes it, without the pod: FinishBoot(c1, 1).
var word = regexp.MustCompile(`([A-Za-z]+)(?:\(([^()]*)\))?|(\S)`)

// inWords tells a file of steps in words from one of JSON.
func inWords(data []byte) bool {
	text := strings.TrimLeft(string(data[:min(len(data), 1000)]), " \t\r\n")
	for _, a := range podruntime.Table(podruntime.Constants{}).Actions {
		if rest, ok := strings.CutPrefix(text, a.Name); ok && (rest == "" || strings.ContainsAny(rest[:1], "( ,;\t\r\n")) {
			return true
		}
	}
	return false
}

// readWords reads the steps of the design that ships, which blanks, commas or semicolons separate, from the initial state on.
func readWords(data []byte) (File, error) {
	steps, tabs, err := wordSteps(data)
	if err != nil {
		return File{}, err
	}
	b := &Behaviour{Constants: podruntime.Constants{MaxInc: podruntime.MaxMaxInc, MaxCrashes: math.MaxInt}, OffTold: true, Pod: podruntime.PodName}
	for i := range tabs {
		b.Clients = append(b.Clients, podlifecycle.ClientName(i))
	}
	m := newMatcher(b, tabs)
	s := b.Initial
	for i, named := range steps {
		at := slices.IndexFunc(m.shipped.Steps, func(step model.Step[podruntime.State]) bool { return StepOf(&step) == named })
		if at < 0 {
			return File{}, &StepError{State: i + 1, Action: named.String(), Reason: "the action is not taken for such arguments"}
		}
		step := &m.shipped.Steps[at]
		if guards := step.FalseGuards(s); len(guards) > 0 {
			return File{}, &StepError{State: i + 1, Action: named.String(), Reason: "it is not enabled: false guards: " + strings.Join(guards, ", ")}
		}
		s = step.Effect(s)
		named.State, named.At = s, i+1
		b.Steps = append(b.Steps, named)
	}
	b.Constants.MaxCrashes = s.Pod().Crashes
	return File{Runtime: b, Form: "steps in words"}, nil
}

// wordSteps gives the steps, and how many tabs they are of.
func wordSteps(data []byte) (steps []Step, tabs int, err error) {
	tabs = 1
	for _, at := range word.FindAllSubmatchIndex(data, -1) {
		wrong := func(format string, args ...any) error {
			e := &FormatError{Problem: fmt.Sprintf(format, args...)}
			e.Line, e.Column = position(data, int64(at[0]))
			return e
		}
		if at[2] < 0 {
			if text := string(data[at[0]:at[1]]); text != "," && text != ";" {
				return nil, 0, wrong("%q is not a step such as StartBoot(c1)", text)
			}
			continue
		}
		step := Step{Action: string(data[at[2]:at[3]])}
		if !isAction(step.Action) {
			return nil, 0, wrong("%s has no action %.40q", podruntime.Name, step.Action)
		}
		if at[4] >= 0 {
			for arg := range strings.FieldsFuncSeq(string(data[at[4]:at[5]]), func(r rune) bool { return r == ',' || r == ' ' }) {
				if n, err := strconv.Atoi(arg); err == nil {
					step.Inc = n
				} else {
					step.Client = arg
				}
			}
		}
		if n, err := strconv.Atoi(strings.TrimPrefix(step.Client, "c")); err == nil {
			tabs = max(tabs, n)
		}
		if steps = append(steps, step); len(steps) > MaxSteps || tabs > podruntime.MaxTabs {
			return nil, 0, wrong("more than %d steps, or %d tabs", MaxSteps, podruntime.MaxTabs)
		}
	}
	return steps, tabs, nil
}
