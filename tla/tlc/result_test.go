package tlc

import (
	"reflect"
	"strings"
	"testing"
)

func result(t *testing.T, exit int, out ...string) *Result {
	t.Helper()
	r, problem := understand([]byte(strings.Join(out, "")), exit)
	if problem != "" {
		t.Fatalf("not understood: %s", problem)
	}
	return r
}

func at(line, column, endLine, endColumn int) Location {
	return Location{Module: "M", BeginLine: line, BeginColumn: column, EndLine: endLine, EndColumn: endColumn}
}

func TestEveryVerdictIsToldFromTheOthers(t *testing.T) {
	nested := func(outer, inner string) string {
		_, end, _ := strings.Cut(outer, "\n@!@!@ENDMSG")
		begin := strings.TrimSuffix(outer, "\n@!@!@ENDMSG"+end)
		return begin + "\n" + inner + "@!@!@ENDMSG" + end
	}
	for name, c := range map[string]struct {
		out     string
		exit    int
		verdict Verdict
		named   string
		code    int
	}{
		"success":             {success + counts + depth, 0, VerdictOK, "", 2193},
		"assumption":          {say(2104, 1, "Assumption line 3, col 13 to line 3, col 17 of module A is false."), 10, VerdictAssumption, "", 2104},
		"deadlock":            {say(2114, 1, "Deadlock reached."), 11, VerdictDeadlock, "", 2114},
		"invariant":           {say(2110, 1, "Invariant I!J is violated."), 12, VerdictInvariant, "I!J", 2110},
		"step property":       {say(2112, 1, "Action property Step is violated."), 13, VerdictProperty, "Step", 2112},
		"property initially":  {say(2108, 1, "Property P is violated by the initial state:\nx = 2"), 13, VerdictProperty, "P", 2108},
		"temporal":            {say(2116, 1, "Temporal property Live was violated."), 13, VerdictTemporal, "Live", 2116},
		"temporal, nameless":  {say(2116, 1, "Temporal properties were violated."), 13, VerdictTemporal, "", 2116},
		"postcondition":       {say(2404, 1, "Postcondition Post at line 10, col 9 to line 10, col 30 of module I is false."), 10, VerdictPostcondition, "", 2404},
		"assert":              {say(2132, 1, "The first argument of Assert evaluated to FALSE; the second argument was:\n1"), 14, VerdictAssert, "", 2132},
		"assert in invariant": {nested(say(2111, 1, "Evaluating invariant A failed."), say(2132, 0, "The first argument")), 76, VerdictEvaluation, "", 2111},
		"evaluation":          {say(2102, 1, "Attempted to check equality"), 75, VerdictEvaluation, "", 2102},
		"exception":           {say(1000, 1, "TLC threw an unexpected exception."), 255, VerdictEvaluation, "", 1000},
		"parse":               {say(3002, 1, ""), 150, VerdictParse, "", 3002},
		"config":              {say(2229, 1, "The next state action Nxt is not defined"), 151, VerdictConfig, "", 2229},
		"config's text":       {nested(say(1000, 1, "The exception was"), say(5006, 0, "TLC found an error in the configuration file at line 1")), 255, VerdictConfig, "", 1000},
		"unknown":             {odd, 255, VerdictError, "", 9999},
		"simulation":          {say(2188, 0, "Running Random Simulation") + say(2210, 0, "The number of states generated: 8\nSimulation using seed 5 and aril 0"), 0, VerdictOK, "", 0},
	} {
		r := result(t, c.exit, c.out)
		if r.Verdict != c.verdict || r.Name != c.named || r.Code != c.code {
			t.Errorf("%s: %s of %q by %d, want %s of %q by %d", name, r.Verdict, r.Name, r.Code, c.verdict, c.named, c.code)
		}
	}
}

func TestAMessageInsideAnotherIsPartOfItsText(t *testing.T) {
	out := strings.Replace(say(2111, 1, "Evaluating invariant A failed.\nHERE"), "HERE\n", say(2132, 0, "The first argument was FALSE"), 1)
	r := result(t, 76, out)
	if r.Text != "Evaluating invariant A failed.\nThe first argument was FALSE" || len(r.Messages) != 1 || len(r.Messages[0].Inside) != 1 || r.Messages[0].Inside[0].Code != 2132 {
		t.Errorf("%q, %+v", r.Text, r.Messages)
	}
}

func TestTheCountsOfASimulationAreItsStates(t *testing.T) {
	r := result(t, 0, say(2188, 0, "Running Random Simulation"), say(2210, 0, "The number of states generated: 1,008\nSimulation using seed 5 and aril 0"))
	if r.Generated != 1008 || r.Counted {
		t.Errorf("%+v", r)
	}
}

func TestTheFirstErrorDecidesAndIsExplained(t *testing.T) {
	r := result(t, 75, say(2102, 1, "Attempted to check equality"), say(2103, 1, "0. Line 4, column 9 in I"), say(2110, 1, "Invariant I is violated."))
	if r.Verdict != VerdictEvaluation || r.Text != "Attempted to check equality\n0. Line 4, column 9 in I" {
		t.Errorf("%s: %q", r.Verdict, r.Text)
	}
}

func TestACounterexampleIsReadWithItsActions(t *testing.T) {
	r := result(t, 12, say(2110, 1, "Invariant I is violated."), say(2121, 1, "The behavior up to this point is:"),
		say(2217, 4, "1: <Initial predicate>\n/\\ x = 0\n/\\ y = <<>>\n"),
		say(2217, 4, "2: <Act(C,<<\"a line 3, col 4\">>) line 6, col 14 to line 6, col 124 of module M>\n/\\ x = 1\n/\\ y = <<>>\n"))
	want := []TraceState{
		{Number: 1, Text: "/\\ x = 0\n/\\ y = <<>>"},
		{Number: 2, Action: `Act(C,<<"a line 3, col 4">>)`, Location: at(6, 14, 6, 124), Text: "/\\ x = 1\n/\\ y = <<>>"},
	}
	if !reflect.DeepEqual(r.Trace, want) || r.Back != 0 {
		t.Errorf("read %+v, back %d", r.Trace, r.Back)
	}
}

func TestAViolationOfAnInitialStateHasThatState(t *testing.T) {
	r := result(t, 12, say(2107, 1, "Invariant I is violated by the initial state:\n/\\ x = 1\n/\\ y = 2\n"))
	if want := []TraceState{{Number: 1, Text: "/\\ x = 1\n/\\ y = 2"}}; !reflect.DeepEqual(r.Trace, want) {
		t.Errorf("read %+v", r.Trace)
	}
}

func TestALassoSaysWhereItReturns(t *testing.T) {
	begin := say(2116, 1, "Temporal property Live was violated.") + say(2264, 1, "The following behavior constitutes a counter-example:") +
		say(2217, 4, "1: <Initial predicate>\nx = 2\n") + say(2217, 4, "2: <Next line 5, col 9 to line 5, col 27 of module I>\nx = 3\n")
	if r := result(t, 13, begin, say(2122, 4, "1: Back to state: <Next line 6, col 12 to line 6, col 26 of module I>\n")); r.Back != 1 || len(r.Trace) != 2 {
		t.Errorf("back to %d of %d", r.Back, len(r.Trace))
	}
	if r := result(t, 13, begin, say(2218, 4, "3: Stuttering")); r.Back != 2 {
		t.Errorf("stuttering: back to %d", r.Back)
	}
}

func TestCoverageIsThatOfTheWholeRun(t *testing.T) {
	r := result(t, 0, say(2201, 0, "The coverage statistics at"), say(2772, 0, "<Act line 6, col 1 to line 6, col 9 of module M>: 1:2"), say(2202, 0, "End"),
		say(2201, 0, "The coverage statistics at"), say(2773, 0, "<Init line 5, col 1 to line 5, col 4 of module M>: 3:3"),
		say(2772, 0, "<Next line 8, col 1 to line 8, col 4 of module M (10 30 10 67)>: 1,002:20,030"), say(2202, 0, "End"), success, counts, depth)
	want := []ActionCoverage{{"Init", at(5, 1, 5, 4), 3, 3}, {"Next", at(8, 1, 8, 4), 1002, 20030}}
	if !reflect.DeepEqual(r.Coverage, want) {
		t.Errorf("read %+v", r.Coverage)
	}
}

func TestWarningsAndWhatIsPrintedAreKept(t *testing.T) {
	r := result(t, 0, "Parsing file A\n", say(2255, 3, "The formula Ini is a state-level formula"), "<<1, 2>>\n", success, counts, depth)
	if len(r.Warnings) != 1 || r.Other != "Parsing file A\n<<1, 2>>\n" || r.Queue != 1 || !r.Counted {
		t.Errorf("%+v", r)
	}
}

func TestWhatIsNotUnderstoodIsNoResult(t *testing.T) {
	first := say(2217, 4, "1: <Initial predicate>\nx = 2\n")
	for name, c := range map[string]struct{ out, says string }{
		"a state without a number":      {say(2217, 4, "<Initial predicate>"), "a state that is not understood"},
		"states out of order":           {first + say(2217, 4, "3: <Next line 5, col 9 to line 5, col 27 of module I>\nx = 3"), "state 3 of the counterexample follows state 1"},
		"an action without a place":     {first + say(2217, 4, "2: <Next>\nx = 3"), "an action that is not understood"},
		"back to a state that is not":   {first + say(2122, 4, "2: Back to state: <Next>"), "goes back to a state that it does not have"},
		"stuttering before any":         {say(2218, 4, "1: Stuttering"), "goes back"},
		"coverage of another form":      {say(2772, 0, "<Act>: 1"), "coverage that is not understood"},
		"a depth of another form":       {say(2194, 0, "The depth is great."), "a depth that is not understood"},
		"a simulation of another form":  {say(2210, 0, "Many."), "counts that are not understood"},
		"a simulation that was stopped": {say(2188, 0, "Running Random Simulation"), "neither success nor an error"},
		"messages without end inside":   {strings.Repeat("@!@!@STARTMSG 1:0 @!@!@\n", 30), "messages inside messages"},
	} {
		if _, problem := understand([]byte(c.out), 1); !strings.Contains(problem, c.says) {
			t.Errorf("%s: %q, want %q", name, problem, c.says)
		}
	}
}
