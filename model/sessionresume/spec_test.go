package sessionresume

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func specification(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../tla/SessionResume.tla")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestGuardsPairWithTheConjunctsOfTheSpecification(t *testing.T) {
	definition := regexp.MustCompile(`^(\w+)(?:\((\w+(?:, \w+)*)\))? ==`)
	comment := regexp.MustCompile(`\\\* guard: (\w+)$`)
	var want []string
	operator := ""
	for line := range strings.Lines(specification(t)) {
		line = strings.TrimRight(line, "\n")
		if m := definition.FindStringSubmatch(line); m != nil {
			operator = fmt.Sprintf("%s(%s)", m[1], m[2])
		}
		if m := comment.FindStringSubmatch(line); m != nil {
			want = append(want, operator+"."+m[1])
		}
	}
	var got []string
	for _, a := range Table(Constants{}).Actions {
		for _, g := range a.Guards {
			got = append(got, fmt.Sprintf("%s(%s).%s", a.Name, strings.Join(a.Params, ", "), g.Name))
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("the table's guards are\n%q, the specification's\n%q", got, want)
	}
	if len(got) != 29 {
		t.Errorf("there are %d guards, want 29", len(got))
	}
}

func TestSwitchesAreThoseOfTheSpecification(t *testing.T) {
	var want []string
	for _, m := range regexp.MustCompile(`"([A-Z]\w*\.\w+)"`).FindAllStringSubmatch(specification(t), -1) {
		if name := m[1]; !strings.HasPrefix(name, "Action.") && !slices.Contains(want, name) {
			want = append(want, name)
		}
	}
	got := Switches()
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("the table has the switches\n%q, the specification\n%q", got, want)
	}
}

// The order decides which of several shortest counterexamples is found, and when.
func TestTheSystemTakesStepsInTheOrderOfNext(t *testing.T) {
	_, next, found := strings.Cut(specification(t), "\nNext ==")
	next, _, ended := strings.Cut(next, "\nSpec ==")
	if !found || !ended {
		t.Fatal("the specification has no Next")
	}
	var want []string
	for _, m := range regexp.MustCompile(`\\/ ([A-Z]\w+)(?:\(|\n)`).FindAllStringSubmatch(next, -1) {
		want = append(want, m[1])
	}
	var got []string
	for _, step := range LiftTable(Table(Constants{}), 1).Steps {
		got = append(got, step.Name)
	}
	if !slices.Equal(got, want) {
		t.Errorf("the system takes\n%q, Next\n%q", got, want)
	}
}

func TestStepsBindEveryViewer(t *testing.T) {
	bound := map[string][]string{}
	for _, step := range LiftTable(Table(Constants{}), 2).Steps {
		bound[step.Name] = append(bound[step.Name], strings.Join(step.Args, " "))
	}
	for action, want := range map[string][]string{Produce: {""}, Replace: {""}, Ask: {"v1", "v2"}, Ack: {"v1", "v2"}} {
		if !slices.Equal(bound[action], want) {
			t.Errorf("%s is taken for %q, want %q", action, bound[action], want)
		}
	}
}
