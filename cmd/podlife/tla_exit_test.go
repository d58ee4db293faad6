package main

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// exitRow is a line of the table in docs/tla.md: the code, what it means for check, and who else has it.
var exitRow = regexp.MustCompile(`(?m)^\| ([0-9]+(?:\+N)?) \| (.*) \| ?(.*)\|$`)

// The program and its documentation have the same codes, for the same commands.
func TestExitCodesAreThoseOfTheDocumentation(t *testing.T) {
	text, err := os.ReadFile("../../docs/tla.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := exitRow.FindAllStringSubmatch(string(text), -1)
	var documented, have []string
	for _, row := range rows {
		line := row[1] + " check"
		for _, command := range []string{"parse", "eval"} {
			if strings.Contains(row[3], "`"+command+"`") {
				line += " " + command
			}
		}
		documented = append(documented, line)
	}
	for _, x := range tlaExits() {
		have = append(have, x.name()+" "+strings.Join(x.commands, " "))
	}
	if len(rows) == 0 || !slices.Equal(documented, have) {
		t.Errorf("docs/tla.md has\n%s\nthe program\n%s", strings.Join(documented, "\n"), strings.Join(have, "\n"))
	}
}

// Each command's help has its codes and no others; that of "tla" has all.
func TestTheHelpOfATLACommandHasItsExitCodes(t *testing.T) {
	code := regexp.MustCompile(`(?m)^ *([0-9]+(?:\+N)?)  \S`)
	for _, command := range []string{"", "check", "parse", "eval"} {
		args := []string{"tla", command, "--help"}
		if command == "" {
			args = []string{"tla", "--help"}
		}
		out, _, _ := (&Main{}).run(t, "", args...)
		var told, want []string
		for _, m := range code.FindAllStringSubmatch(out, -1) {
			told = append(told, m[1])
		}
		for _, x := range tlaExits() {
			if command == "" || slices.Contains(x.commands, command) {
				want = append(want, x.name())
			}
		}
		if !slices.Equal(told, want) {
			t.Errorf("%v tells %v, want %v in\n%s", args, told, want, out)
		}
	}
}
