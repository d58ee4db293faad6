package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"podlife/tla/checker"
	"podlife/tla/diag"
	"podlife/tla/eval"
	"podlife/tla/spec"
)

// Exit codes of "podlife tla ..." beside those that every command has. Those from 10 to 14 and from 75 on are TLC's for the same.
const (
	tlaExitAssumption  = 10
	tlaExitDeadlock    = 11
	tlaExitInvariant   = 12
	tlaExitProperty    = 13
	tlaExitAssert      = 14
	tlaExitUnsupported = 20
	tlaExitVacuous     = 21
	tlaExitMemory      = 22
	tlaExitEvaluation  = 75 // in Init, Next, a constraint or the like
	tlaExitPredicate   = 76 // in an invariant or a property
	tlaExitSpec        = 150
	tlaExitConfig      = 151
)

// A tlaExit is an exit code and what it means, for the help of each command. docs/tla.md has the same codes; a test compares them.
type tlaExit struct {
	code     int
	commands []string // that end with it: check, parse, eval
	text     string
	own      map[string]string // the text of a command that says it in another way; "" is "podlife tla" itself
}

func tlaExits() []tlaExit {
	all, check := []string{"check", "parse", "eval"}, []string{"check"}
	notParse := []string{"check", "eval"}
	return []tlaExit{
		{exitOK, all, "everything holds", map[string]string{"": "done; of check: everything holds", "parse": "all files are in order", "eval": "done"}},
		{exitFailed, all, "something else failed, such as writing a file", nil},
		{exitUsage, all, "wrong use", nil},
		{tlaExitAssumption, check, "an assumption or postcondition is false, or cannot be evaluated", nil},
		{tlaExitDeadlock, check, "deadlock: a reachable state has no successor", nil},
		{tlaExitInvariant, check, "an invariant is violated, or the []P of a property", nil},
		{tlaExitProperty, check, "an initial state or step is not as a property demands", nil},
		{tlaExitAssert, notParse, "an Assert was false", nil},
		{tlaExitUnsupported, check, "nothing is violated, but a part of a property was not checked", nil},
		{tlaExitVacuous, check, "everything holds, but something holds vacuously", nil},
		{tlaExitMemory, check, "the memory limit was reached before the end", nil},
		{tlaExitEvaluation, notParse, "something cannot be evaluated: Init, Next, a constraint", map[string]string{"": "something cannot be evaluated: Init, Next, a constraint, an expression", "eval": "the expression cannot be evaluated"}},
		{tlaExitPredicate, check, "an invariant or property cannot be evaluated", nil},
		{tlaExitSpec, all, "a module has an error, or is not there", map[string]string{"eval": "the expression or a module has an error, or a module is not there"}},
		{tlaExitConfig, notParse, "the configuration has an error, or is not there", map[string]string{"eval": "the configuration has an error, is not there, or does not give a constant its value"}},
		{exitSignal, notParse, "ended by signal N (130 is Ctrl-C)", nil},
	}
}

// name is the code as people read it.
func (x tlaExit) name() string {
	if x.code == exitSignal {
		return strconv.Itoa(exitSignal) + "+N"
	}
	return strconv.Itoa(x.code)
}

// tlaExitHelp is the list of exit codes in the help of a command: check, parse, eval, or "" for all of them together.
func tlaExitHelp(command string) string {
	var b strings.Builder
	b.WriteString("\n\nExit codes:")
	for _, x := range tlaExits() {
		if command != "" && !slices.Contains(x.commands, command) {
			continue
		}
		text, ok := x.own[command]
		if !ok {
			text = x.text
		}
		fmt.Fprintf(&b, "\n%5s  %s", x.name(), text)
	}
	return b.String()
}

// tlaExitOf is the exit code for an error before or without a check.
func tlaExitOf(err error) int {
	var load *spec.LoadError
	var run *eval.Error
	switch {
	case errors.As(err, &load) && load.Part == spec.PartConfiguration:
		return tlaExitConfig
	case errors.As(err, &load):
		return tlaExitSpec
	case errors.As(err, &run) && run.Code == eval.CodeAssert:
		return tlaExitAssert
	case errors.As(err, &run):
		return tlaExitEvaluation
	}
	return tlaExitSpec
}

// tlaErrorWithCode is the error that ends a command because of errors of a specification, a configuration or an evaluation, which are shown elsewhere.
// Errors without a place are of what.
func tlaErrorWithCode(what string, err error) error {
	all := diag.All(asDiag(err))
	var files []string
	for _, e := range all {
		name := what
		if e.Span.Known() {
			name = e.Span.Source.Name
		}
		if !slices.Contains(files, name) {
			files = append(files, name)
		}
	}
	if len(files) == 0 {
		files = []string{what}
	}
	text := "an error"
	if len(all) > 1 {
		text = counted(len(all), "error")
	}
	return &codeError{code: tlaExitOf(err), text: text + " in " + printable(strings.Join(files, ", ")), err: err, told: true}
}

// exit is the exit code of a run and the sentence that goes with it.
func (t *tlaReport) exit() (code int, text string) {
	r := t.result
	name := printable(r.Name)
	switch r.Verdict {
	case checker.VerdictAssumption:
		return tlaExitAssumption, "an assumption is false"
	case checker.VerdictPostCondition:
		return tlaExitAssumption, "the postcondition " + name + " is false"
	case checker.VerdictDeadlock:
		return tlaExitDeadlock, "deadlock reached"
	case checker.VerdictInvariant:
		return tlaExitInvariant, "invariant " + name + " is violated"
	case checker.VerdictProperty:
		return tlaExitProperty, "property " + name + " is violated"
	case checker.VerdictEvaluation:
		return t.evaluationExit(), "the specification cannot be evaluated"
	case checker.VerdictInterrupted:
		return exitSignal + 2, "interrupted"
	case checker.VerdictMemory:
		return tlaExitMemory, "the memory limit was reached"
	case checker.VerdictUnsupported:
		return tlaExitUnsupported, "not everything was checked"
	}
	if t.vacuity == vacuityGate && r.Vacuity == checker.VacuityFound {
		return tlaExitVacuous, "something holds vacuously"
	}
	return exitOK, ""
}

func (t *tlaReport) evaluationExit() int {
	var e *eval.Error
	if errors.As(t.result.Err, &e) && e.Code == eval.CodeAssert {
		return tlaExitAssert
	}
	name := t.result.Name
	if name == checker.NameAssume || name == checker.NamePostCondition {
		return tlaExitAssumption
	}
	for _, p := range t.spec.Program.Invariants() {
		if p.Name == name {
			return tlaExitPredicate
		}
	}
	for _, p := range t.spec.Program.Properties() {
		if p.Name == name {
			return tlaExitPredicate
		}
	}
	return tlaExitEvaluation
}
