package tlc

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"podlife/tla/dot"
	"podlife/tla/itf"
)

// A Result is what TLC found out about a model.
type Result struct {
	Version string
	Verdict Verdict
	Name    string // of the invariant or property that is violated; "" where TLC names none
	Code    int    // the number of the message that decided the verdict; 0 is none (VerdictOK of a simulation)
	Text    string // that message and the expressions that were being evaluated, in TLC's words; "" for VerdictOK

	// Generated, Distinct, Queue and Depth are TLC's last counts. Counted is false where there are none: TLC stopped before the search, or
	// an initial state decided, or it simulated. Of a simulation only Generated is known.
	Counted                           bool
	Generated, Distinct, Queue, Depth int

	Trace []TraceState // the counterexample
	// Back is the number of the state, from 1, to which the last one of a lasso returns; 0 is no lasso. Where it is the last state itself,
	// the behaviour stutters there for ever.
	Back int

	Coverage []ActionCoverage // of the end of the run; empty without Request.Coverage
	Warnings []string
	Messages []Message // all of them
	Other    string    // what TLC and the specification printed between the messages
	ExitCode int
	Duration time.Duration // of the process, start and end of the virtual machine included
	// PeakMemory is how many bytes of memory the process had at most; 0 where the system does not tell.
	PeakMemory int64

	// Graph and DumpedTrace are what Request.Graph and Request.DumpTrace asked for. DumpedTrace is nil where there is no counterexample; package
	// tlcjson reads it.
	Graph       *dot.Graph
	DumpedTrace []byte
}

// A Location is a place in a module as TLC tells it: lines and columns count from 1, and the end is included.
type Location = itf.Location

// A TraceState is a state of a counterexample. ParseState reads Text.
type TraceState struct {
	Number   int
	Action   string // that led to it, as printed, with its arguments: "Act(c1,2)"; "" for an initial state
	Location Location
	Text     string
}

// An ActionCoverage is how many successors an action gave (or Init: how many states), and how many of them were new.
type ActionCoverage struct {
	Name                string
	Location            Location
	Distinct, Generated int
}

// understand makes a result of what TLC printed. problem says why there is none; it is empty where there is one.
func understand(out []byte, exitCode int) (r *Result, problem string) {
	messages, other, problem := split(out)
	if problem != "" {
		return nil, problem
	}
	r = &Result{Messages: messages, Other: other, ExitCode: exitCode}
	var success, simulated bool
	for i, m := range messages {
		switch m.Code {
		case msgVersion:
			r.Version = m.Text
		case msgModeSimulation:
			simulated = true
		case msgSuccess:
			success = true
		case msgCounts:
			r.Counted = numbers(m.Text, `([\d,]+) states generated, ([\d,]+) distinct states found, ([\d,]+) states? left`, &r.Generated, &r.Distinct, &r.Queue)
			if !r.Counted {
				problem = "counts that are not understood: " + m.Text
			}
		case msgDepth:
			if !numbers(m.Text, `search is ([\d,]+)`, &r.Depth) {
				problem = "a depth that is not understood: " + m.Text
			}
		case msgCountsSimulation:
			if !numbers(m.Text, `states generated: ([\d,]+)`, &r.Generated) {
				problem = "counts that are not understood: " + m.Text
			}
		case msgState, msgStateWithoutNumber, msgStuttering, msgBackToState:
			problem = r.addState(m)
		case msgCoverageStart:
			r.Coverage = nil // only the last of several is of the whole run
		case msgCoverageAction, msgCoverageInit:
			problem = r.addCoverage(m)
		default:
			if m.Severity == SeverityWarning {
				r.Warnings = append(r.Warnings, m.Text)
			}
			if m.Severity == SeverityError || m.Severity == SeverityBug {
				r.addError(m, messages[i+1:])
			}
		}
		if problem != "" {
			return nil, problem
		}
	}
	return r, r.conclude(success, simulated)
}

// conclude checks that what was read fits together.
func (r *Result) conclude(success, simulated bool) (problem string) {
	switch {
	case r.Verdict != "" && success:
		return "both success and an error: " + r.Text
	case success:
		r.Verdict, r.Code = VerdictOK, msgSuccess
		if !r.Counted {
			return "success, but no counts"
		}
	case r.Verdict == "" && simulated && r.ExitCode == 0:
		r.Verdict = VerdictOK
	case r.Verdict == "":
		return "neither success nor an error"
	}
	if codes, ok := exitCodes[r.Verdict]; ok && !slices.Contains(codes, r.ExitCode) {
		return fmt.Sprintf("exit code %d does not fit the verdict %s: %s", r.ExitCode, r.Verdict, r.Text)
	}
	return ""
}

// belongsToError tells whether a message only goes on with the error before it.
func belongsToError(code int) bool {
	return code == msgNested || code == msgErrorState || code == msgBehavior || code == msgCounterexample
}

var violated = regexp.MustCompile(`(?s)(?:Invariant|Action property|Property|Temporal property) (\S+) (?:is|was) violated`)

// addError takes the first error for the verdict; TLC stops at it, and what follows explains it.
func (r *Result) addError(m Message, rest []Message) {
	if belongsToError(m.Code) || r.Verdict != "" {
		return
	}
	r.Code, r.Text = m.Code, m.Text
	for _, n := range rest {
		if n.Code == msgNested {
			r.Text += "\n" + n.Text
			break
		}
	}
	if name := violated.FindStringSubmatch(m.Text); name != nil {
		r.Name = name[1]
	}
	r.Verdict = verdictOf(m)
	if r.Verdict == VerdictInvariant || r.Verdict == VerdictProperty {
		r.addStateOfError(m)
	}
}

func verdictOf(m Message) Verdict {
	switch m.Code {
	case msgAssumptionFalse, msgAssumptionError:
		return VerdictAssumption
	case msgPostconditionFalse, msgPostconditionError:
		return VerdictPostcondition
	case msgInvariantViolated, msgInvariantViolatedInitially:
		return VerdictInvariant
	case msgPropertyViolatedInitially, msgStepViolated:
		return VerdictProperty
	case msgTemporalViolated:
		return VerdictTemporal
	case msgDeadlock:
		return VerdictDeadlock
	case msgAssertFailed:
		return VerdictAssert
	case msgInitialError, msgInitialIncomplete, msgNextIncomplete, msgInvariantError, msgStepError, msgNoNext, msgInvariantLevel:
		return VerdictEvaluation
	case msgParseError, msgParsingFailed:
		return VerdictParse
	}
	if configCode(m.Code) {
		return VerdictConfig
	}
	if m.Code == msgGeneral {
		for _, n := range m.Inside {
			if configCode(n.Code) {
				return VerdictConfig
			}
		}
	}
	if m.Code == msgGeneral || m.Code >= 2130 && m.Code < 2185 || m.Code >= 2246 && m.Code <= 2248 || m.Code == 2215 {
		return VerdictEvaluation
	}
	return VerdictError
}

// addStateOfError makes a counterexample of an initial state: TLC tells it within the error.
func (r *Result) addStateOfError(m Message) {
	if m.Code != msgInvariantViolatedInitially && m.Code != msgPropertyViolatedInitially {
		return
	}
	if _, state, ok := strings.Cut(m.Text, "\n"); ok {
		r.Trace = []TraceState{{Number: 1, Text: strings.TrimSpace(state)}}
	}
}

const location = `line (\d+), col (\d+) to line (\d+), col (\d+) of module ([^\s>]+)`

var (
	stateHeader  = regexp.MustCompile(`^(\d+): (.*)$`)
	actionHeader = regexp.MustCompile(`^<(.*?) ?` + location + `>$`)
	covered      = regexp.MustCompile(`^<(\S*) ` + location + `(?: \([\d ]+\))?>: ([\d,]+):([\d,]+)$`)
)

// addState reads a state of the counterexample, or how it ends.
func (r *Result) addState(m Message) (problem string) {
	first, text, _ := strings.Cut(m.Text, "\n")
	found := stateHeader.FindStringSubmatch(first)
	if found == nil {
		return "a state that is not understood: " + first
	}
	number, err := strconv.Atoi(found[1])
	if err != nil {
		return "a state that is not understood: " + first
	}
	what := found[2]
	if m.Code == msgStuttering || m.Code == msgBackToState {
		r.Back = number
		if m.Code == msgStuttering {
			r.Back-- // the number is that of the state that would follow
		}
		if r.Back < 1 || r.Back > len(r.Trace) {
			return "the counterexample goes back to a state that it does not have: " + first
		}
		return ""
	}
	if number != len(r.Trace)+1 {
		return fmt.Sprintf("state %d of the counterexample follows state %d", number, len(r.Trace))
	}
	s := TraceState{Number: number, Text: text}
	switch action := actionHeader.FindStringSubmatch(what); {
	case what == "<Initial predicate>":
	case action != nil:
		s.Action, s.Location = action[1], place(action[2:])
	default:
		return "an action that is not understood: " + first
	}
	r.Trace = append(r.Trace, s)
	return ""
}

func (r *Result) addCoverage(m Message) (problem string) {
	found := covered.FindStringSubmatch(m.Text)
	if found == nil {
		return "coverage that is not understood: " + m.Text
	}
	c := ActionCoverage{Name: found[1], Location: place(found[2:])}
	if !numbers(m.Text, `>: ([\d,]+):([\d,]+)$`, &c.Distinct, &c.Generated) {
		return "coverage that is not understood: " + m.Text
	}
	r.Coverage = append(r.Coverage, c)
	return ""
}

// place makes a location of the five groups of the expression location.
func place(groups []string) Location {
	var n [4]int
	for i := range n {
		n[i], _ = strconv.Atoi(groups[i]) // the expression allows only digits
	}
	return Location{Module: groups[4], BeginLine: n[0], BeginColumn: n[1], EndLine: n[2], EndColumn: n[3]}
}

// numbers reads the numbers that the expression's groups find; TLC groups digits with commas.
func numbers(text, expression string, into ...*int) bool {
	found := regexp.MustCompile(expression).FindStringSubmatch(text)
	if found == nil {
		return false
	}
	for i, to := range into {
		n, err := strconv.Atoi(strings.ReplaceAll(found[i+1], ",", ""))
		if err != nil {
			return false
		}
		*to = n
	}
	return true
}
