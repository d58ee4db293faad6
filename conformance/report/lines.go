package report

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Mark is how something came out. Only Passed is green.
type Mark string

// The marks, as they are shown.
const (
	Passed  Mark = "pass"
	Failed  Mark = "FAIL"
	NotRun  Mark = "not run"
	Unknown Mark = "unknown"
)

// Class is the mark as a word for style sheets.
func (m Mark) Class() string { return strings.ReplaceAll(strings.ToLower(string(m)), " ", "-") }

// Sign is the mark without its word, for those who do not see colours.
func (m Mark) Sign() string {
	switch m {
	case Passed:
		return "✓"
	case Failed:
		return "✗"
	case Unknown:
		return "?"
	}
	return "–"
}

// markOf reads a verdict of the results: "" is not run, and a word that nobody knows is unknown.
func markOf(verdict string) Mark {
	switch verdict {
	case "":
		return NotRun
	case "pass":
		return Passed
	case "fail":
		return Failed
	}
	return Unknown
}

// worse gives the mark of two that is less green.
func worse(a, b Mark) Mark {
	for _, m := range []Mark{Failed, Unknown, NotRun} {
		if a == m || b == m {
			return m
		}
	}
	return Passed
}

// Line is what is said of one part of what was checked.
type Line struct {
	What string
	Mark Mark
	Text string // how much
}

// Lines say how much was checked, part by part; a part of which nothing is known says that it did not run.
func (r Record) Lines() []Line {
	lines := r.specsLines()
	lines = append(lines, r.mirrorLine())
	lines = append(lines, r.tracesLines()...)
	lines = append(lines, r.pathsLines()...)
	lines = append(lines, r.linearLine())
	lines = append(lines, r.faultsLines()...)
	return append(lines, r.mutantsLine(), r.autoLine(),
		killed("mutants, resume", r.Resume, "no session host without a rule of resuming was tried"),
		killed("mutants, idle", r.Idle, "no server without a rule of sleeping was tried"),
		killed("mutants, homes", r.Homes, "no server without a rule of homes was tried"))
}

// specsLines say what the embedded checker found, and apart from that what it cannot check at all.
func (r Record) specsLines() []Line {
	l := Line{What: "specs", Mark: NotRun, Text: "no configuration was checked"}
	verbs, right, asked, beyond, states := map[string]int{}, 0, 0, 0, 0
	for _, s := range r.Specs {
		if s.Expect == unsupported {
			beyond++
			continue
		}
		if asked++; asked == 1 {
			l.Mark = Passed
		}
		l.Mark = worse(l.Mark, s.mark())
		if s.mark() == Passed {
			right++
			states += s.Distinct
			verb, _, _ := strings.Cut(s.Verdict, " ")
			verbs[strings.TrimSuffix(strings.Replace(verb, "reaches", "reached", 1), "s")]++
		}
	}
	if asked > 0 {
		l.Text = fmt.Sprintf("%d of %d configurations as expected (%s), %s states", right, asked, listed(verbs), Thousands(states))
	}
	if beyond == 0 {
		return []Line{l}
	}
	return []Line{l, {"specs, liveness", NotRun, fmt.Sprintf("%s for TLC alone", count(beyond, "configuration"))}}
}

// unsupported is the verdict of a configuration that the embedded checker cannot check.
const unsupported = "unsupported"

func (s spec) mark() Mark {
	switch {
	case s.Verdict == "":
		return NotRun
	case s.Verdict == unsupported:
		return Unknown
	case s.Verdict == s.Expect:
		return Passed
	}
	return Failed
}

func (r Record) mirrorLine() Line {
	l := Line{What: "mirror", Mark: NotRun, Text: "no table was held against its specification"}
	comparisons, differences := 0, 0
	for i, m := range r.Mirror {
		if i == 0 {
			l.Mark = Passed
		}
		l.Mark = worse(l.Mark, m.mark())
		comparisons, differences = comparisons+m.Comparisons, differences+m.Differences
	}
	if len(r.Mirror) > 0 {
		l.Text = fmt.Sprintf("%s comparisons of table and specification, %s", Thousands(comparisons), count(differences, "difference"))
	}
	return l
}

func (m mirrored) mark() Mark {
	switch {
	case m.Differences > 0:
		return Failed
	case m.Comparisons == 0:
		return NotRun
	}
	return Passed
}

// tracesLines say of each engine what the generated traces did.
func (r Record) tracesLines() []Line {
	var lines []Line
	for _, engine := range []string{"docker", "simulated"} {
		l := Line{What: "traces, " + engine, Mark: NotRun, Text: "no trace was driven"}
		for _, c := range r.Conformance {
			if c.Engine == engine && c.Spec != runtime {
				l.Mark = c.mark()
				l.Text = fmt.Sprintf("%s, %s steps, %d of %d edges, %s disabled steps refused",
					driven(c.Executed, c.Requested), Thousands(c.Steps), c.EdgesCovered, c.EdgesReachable, Thousands(c.DisabledTried))
			}
		}
		lines = append(lines, l)
	}
	return lines
}

// driven writes "60 traces", or "12 of 60 traces" where not all were driven to the end.
func driven(executed, requested int) string {
	if executed == requested {
		return count(executed, "trace")
	}
	return fmt.Sprintf("%s of %s", Thousands(executed), count(requested, "trace"))
}

func (c conformance) mark() Mark {
	m := markOf(c.Verdict)
	if m == Passed && (c.Steps == 0 || c.Executed < c.Requested) {
		return Unknown // a pass in which nothing happened is none
	}
	return m
}

// pathsLines say the same of the paths through PodRuntime, of all configurations together.
func (r Record) pathsLines() []Line {
	var lines []Line
	for _, engine := range []string{"docker", "simulated"} {
		l := Line{What: "paths, " + engine, Mark: NotRun, Text: "no path through " + runtime + " was driven"}
		var paths, steps, covered, reachable, out int
		for _, c := range r.Conformance {
			if c.Spec != runtime || c.Engine != engine {
				continue
			}
			if paths == 0 && l.Mark == NotRun {
				l.Mark = Passed
			}
			l.Mark = worse(l.Mark, c.mark())
			paths, steps, covered, reachable, out = paths+max(c.Paths, c.Executed), steps+c.Steps, covered+c.EdgesCovered, reachable+c.EdgesReachable, out+c.Unreachable
			for _, n := range c.NotDrivable {
				out += n
			}
		}
		if steps > 0 || paths > 0 {
			l.Text = fmt.Sprintf("%s, %s steps, %s of %s edges, %s not drivable", count(paths, "path"), Thousands(steps), Thousands(covered), Thousands(reachable), Thousands(out))
		}
		lines = append(lines, l)
	}
	return lines
}

func (r Record) linearLine() Line {
	l := r.Linearizability
	line := Line{"histories", l.mark(), "no history was judged"}
	if l.Histories > 0 {
		line.Text = fmt.Sprintf("%s concurrent histories, %s operations, %d undecided", Thousands(l.Histories), Thousands(l.Operations), l.Unknown)
	}
	return line
}

func (l linear) mark() Mark {
	m := markOf(l.Verdict)
	if m == Passed && (l.Unknown > 0 || l.Operations == 0) {
		return Unknown
	}
	return m
}

func (r Record) faultsLines() []Line {
	var lines []Line
	for _, f := range r.Faults {
		lines = append(lines, Line{"faults, " + f.Engine, f.mark(), fmt.Sprintf("%s with a fault, %s, %s", count(f.Runs, "run"), count(f.Violations, "violation"), count(f.Leaks, "leak"))})
	}
	if len(lines) == 0 {
		lines = []Line{{"faults", NotRun, "no figures were left"}}
	}
	return lines
}

func (f faults) mark() Mark {
	switch {
	case f.Violations+f.Leaks > 0:
		return Failed
	case f.Runs == 0 && f.Crashes == 0:
		return NotRun
	}
	return markOf(f.Verdict)
}

// mutated is the id and class of a mutant.
type mutated struct {
	ID    string `json:"id"`
	Class string `json:"class"`
}

func (r Record) mutantsLine() Line {
	var builds []mutated
	for _, m := range r.Mutants {
		builds = append(builds, mutated{m.ID, m.Class})
	}
	return killed("mutants, docker", builds, "no wrong build was tried on Docker")
}

func (r Record) autoLine() Line {
	var builds []mutated
	for _, m := range r.Auto {
		builds = append(builds, mutated{m.ID, m.Class})
	}
	return killed("mutants, guards", builds, "no build without one guard was tried")
}

// killed counts mutants by class; those that are not as they must be are named before.
func killed(what string, builds []mutated, none string) Line {
	if len(builds) == 0 {
		return Line{what, NotRun, none}
	}
	l := Line{What: what, Mark: Passed}
	n := map[string]int{}
	var wrong []string
	for _, b := range builds {
		n[classWords(b.Class)]++
		l.Mark = worse(l.Mark, classMark(b.Class))
		if classMark(b.Class) != Passed {
			wrong = append(wrong, b.ID)
		}
	}
	l.Text = fmt.Sprintf("%s: %s", count(len(builds), "build"), listed(n))
	if len(wrong) > 0 {
		l.Text = strings.Join(wrong, ", ") + ": " + l.Text
	}
	return l
}

// classWords are a mutant's class for people.
func classWords(class string) string {
	switch class {
	case "killed_expected":
		return "killed as expected"
	case "killed_other":
		return "killed by something else"
	}
	return strings.ReplaceAll(class, "_", " ")
}

// classMark is the mark of a mutant's class, in the words of package mutants.
func classMark(class string) Mark {
	switch class {
	case "killed_expected", "equivalent":
		return Passed
	case "killed_other", "survived", "does_not_apply":
		return Failed
	case "":
		return NotRun
	}
	return Unknown
}

// listed writes counts as "3 holds, 2 violates".
func listed(counts map[string]int) string {
	var words []string
	for _, k := range slices.Sorted(maps.Keys(counts)) {
		words = append(words, fmt.Sprintf("%d %s", counts[k], k))
	}
	return strings.Join(words, ", ")
}

// count writes "1 path", "2 paths".
func count(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return Thousands(n) + " " + one + "s"
}

// Thousands writes a number with commas: 1,234,567.
func Thousands(n int) string {
	text := strconv.Itoa(n)
	for at := len(text) - 3; at > 0 && text[at-1] != '-'; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}
