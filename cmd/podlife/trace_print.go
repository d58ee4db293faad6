package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"podlife/model/explain"
	"podlife/model/podruntime"
)

// printAnswer is the answer for people.
func printAnswer(w io.Writer, a explain.Answer, steps int) error {
	var b strings.Builder
	switch a.Verdict {
	case explain.Explained:
		fmt.Fprintf(&b, "explained: %s a behaviour of %s\n", allSteps(a.Explained), podruntime.Name)
	case explain.Mismatch:
		fmt.Fprintf(&b, "mismatch: %s a behaviour of %s, step %d is not\n", firstSteps(a.Explained, steps), podruntime.Name, a.Explained+1)
	default:
		fmt.Fprintf(&b, "unknown after %d of %s: %s\n", a.Explained, counted(steps, "step"), printable(a.Reason))
	}
	if a.Failed != nil {
		printRefusal(&b, a)
	}
	for _, broken := range a.Invariants {
		word := "is violated"
		if broken.Verdict != explain.Violated {
			word = "may be violated, which cannot be told,"
		}
		fmt.Fprintf(&b, "%s %s after step %d\n", broken.Invariant, word, broken.Step)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// allSteps and firstSteps are "all 8 steps are" and "the first 3 of 8 steps are", with the words for other numbers.
func allSteps(n int) string {
	switch n {
	case 0:
		return "the empty trace is"
	case 1:
		return "the one step is"
	}
	return fmt.Sprintf("all %d steps are", n)
}

func firstSteps(n, of int) string {
	switch n {
	case 0:
		return "nothing is"
	case 1:
		return fmt.Sprintf("the first of %s is", counted(of, "step"))
	}
	return fmt.Sprintf("the first %d of %s are", n, counted(of, "step"))
}

// printRefusal says why a step is none, and where the pod can be.
func printRefusal(b *strings.Builder, a explain.Answer) {
	fmt.Fprintf(b, "  step %d    %s\n", a.Explained+1, printable(a.Failed.String()))
	for i, near := range a.Nearest {
		switch guards := strings.Join(near.FalseGuards, ", "); {
		case i == 0 && guards != "":
			fmt.Fprintf(b, "  refused by %s\n", guards)
		case i > 0 && guards == "":
			fmt.Fprintf(b, "  nearer is  %s, which is enabled\n", printable(near.Step.String()))
		case i > 0:
			fmt.Fprintf(b, "  nearer is  %s, refused by %s\n", printable(near.Step.String()), guards)
		}
	}
	if a.Reason != "" {
		fmt.Fprintf(b, "  because    %s\n", printable(a.Reason))
	}
	if len(a.Enabled) > 0 {
		fmt.Fprintf(b, "  instead    %s\n", printable(strings.Join(a.Enabled, ", ")))
	}
	fmt.Fprintf(b, "the pod can then be in %s", counted(a.States, "state"))
	if len(a.Possible) < a.States {
		fmt.Fprintf(b, ", of which these are %d", len(a.Possible))
	}
	b.WriteString(":\n")
	for _, view := range a.Possible {
		text, err := json.Marshal(view)
		if err != nil {
			text = []byte(err.Error())
		}
		fmt.Fprintf(b, "  %s\n", printable(string(text)))
	}
}
