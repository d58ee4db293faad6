// Package spectext reads from the text of a specification what its table has to be equal to: the guards by their comments, the switches, and the order of Next. It is for the tests of tables; the specification itself is read by tla/.
//
// It imports nothing of the project. There is one file.
package spectext

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Guards gives what the comments "guard: name" name, in their order, each as Action(parameters).name.
func Guards(text string) []string {
	definition := regexp.MustCompile(`^(\w+)(?:\((\w+(?:, \w+)*)\))? ==`)
	comment := regexp.MustCompile(`\\\* guard: (\w+)$`)
	var names []string
	operator := ""
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if m := definition.FindStringSubmatch(line); m != nil {
			operator = Guard(m[1], strings.Split(m[2], ", "), "")
		}
		if m := comment.FindStringSubmatch(line); m != nil {
			names = append(names, operator+m[1])
		}
	}
	return names
}

// Guard is a guard's name as Guards gives it.
func Guard(action string, params []string, guard string) string {
	return fmt.Sprintf("%s(%s).%s", action, strings.Join(params, ", "), guard)
}

// Switches gives the names of guards and rules that can be switched off, sorted.
func Switches(text string) []string {
	var names []string
	for _, m := range regexp.MustCompile(`"([A-Z]\w*\.\w+)"`).FindAllStringSubmatch(text, -1) {
		if name := m[1]; !strings.HasPrefix(name, "Action.") { // which stands for all of them, where the text explains itself
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Steps gives the actions of Next in their order. False where the text has no Next that Spec comes behind.
func Steps(text string) ([]string, bool) {
	_, next, found := strings.Cut(text, "\nNext ==")
	next, _, ended := strings.Cut(next, "\nSpec ==")
	var names []string
	for _, m := range regexp.MustCompile(`(?:\\/|:) ([A-Z]\w+)(?:\(|\n)`).FindAllStringSubmatch(next, -1) {
		names = append(names, m[1])
	}
	return names, found && ended
}
