package podlifecycle

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// namedConjuncts reads the "guard: name" comments of the specification, in its order, as "Action.name", and the "disjunct: name"
// comments of its operators as "Operator.name".
func namedConjuncts(t *testing.T, kind string) []string {
	t.Helper()
	text, err := os.ReadFile("../../tla/PodLifecycle.tla")
	if err != nil {
		t.Fatal(err)
	}
	definition := regexp.MustCompile(`^(\w+)(\(\w+\))? ==`)
	comment := regexp.MustCompile(`\\\* ` + kind + `: (\w+)$`)
	var names []string
	operator := ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\n")
		if m := definition.FindStringSubmatch(line); m != nil {
			operator = m[1]
		}
		if m := comment.FindStringSubmatch(line); m != nil {
			names = append(names, operator+"."+m[1])
		}
	}
	return names
}

func TestGuardsPairWithTheConjunctsOfTheSpecification(t *testing.T) {
	var got []string
	for _, a := range Table(Constants{}).Actions {
		for _, g := range a.Guards {
			got = append(got, a.Name+"."+g.Name)
		}
	}
	if want := namedConjuncts(t, "guard"); !slices.Equal(got, want) {
		t.Errorf("the table's guards are\n%v, the specification's\n%v", got, want)
	}
}

func TestDisjunctsPairWithThoseOfTheSpecification(t *testing.T) {
	want := namedConjuncts(t, "disjunct")
	found := 0
	for _, a := range Table(Constants{}).Actions {
		for _, g := range a.Guards {
			var got []string
			for _, d := range g.Disjuncts {
				got = append(got, "Gone."+d.Name)
			}
			if got == nil {
				continue
			}
			found++
			if !slices.Equal(got, want) {
				t.Errorf("%s.%s has the disjuncts %v, the specification %v", a.Name, g.Name, got, want)
			}
		}
	}
	if found != 2 {
		t.Errorf("%d guards with disjuncts, want BootLost.bootGone and Reconnect.attachGone", found)
	}
}

// The order decides which of several shortest counterexamples is found, and when.
func TestNextTakesTheActionsInTheTablesOrder(t *testing.T) {
	text, err := os.ReadFile("../../tla/PodLifecycle.tla")
	if err != nil {
		t.Fatal(err)
	}
	_, next, found := strings.Cut(string(text), "\nNext ==")
	next, _, ended := strings.Cut(next, "\nSpec ==")
	if !found || !ended {
		t.Fatal("the specification has no Next")
	}
	var got, want []string
	for _, m := range regexp.MustCompile(`\\/ (\w+(?:\(c\))?)`).FindAllStringSubmatch(next, -1) {
		got = append(got, m[1])
	}
	for _, a := range Table(Constants{}).Actions {
		name := a.Name
		if len(a.Params) > 0 {
			name = fmt.Sprintf("%s(%s)", a.Name, strings.Join(a.Params, ", "))
		}
		want = append(want, name)
	}
	if !slices.Equal(got, want) {
		t.Errorf("Next takes %v, the table %v", got, want)
	}
}
