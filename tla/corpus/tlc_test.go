package corpus

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"podlife/tla/tlc"
	"podlife/tla/value"
)

// tlcTimeout bounds one run of TLC on a model of a few states, on a slow machine.
const tlcTimeout = 2 * time.Minute

// atOnce is how many TLCs run at the same time: each is a virtual machine.
const atOnce = 2

func tlcCommand(t *testing.T) string {
	t.Helper()
	command := os.Getenv("TLC")
	if command == "" {
		t.Skip("not_run: TLC is not set")
	}
	return command
}

// TLC says of each model what podlife says, unless the archive has its words, with the reason, in NAME.tlc.
func TestModelsAgreeWithTLC(t *testing.T) {
	command := tlcCommand(t)
	places := make(chan bool, atOnce)
	for _, file := range archives(t) {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			head, parts := readParts(t, file)
			var mu sync.Mutex // guards parts
			t.Cleanup(func() {
				if *update {
					writeParts(t, file, head, parts)
				}
			})
			for _, m := range readModels(t, file) {
				t.Run(m.name, func(t *testing.T) {
					t.Parallel()
					places <- true
					defer func() { <-places }()
					ours := m.check(t).shared
					theirs := m.runTLC(t, command, &ours)
					got, want := theirs.text(), ours.words().text()
					reason, stated := splitReason(m.tlc)
					switch {
					case m.tlc == "" && got == want:
					case m.tlc != "" && got == want:
						t.Errorf("TLC does not differ any more: remove %s.tlc", m.name)
					case *update && got != stated:
						if reason == "" {
							reason = "# why?\n"
						}
						mu.Lock()
						parts = setPart(parts, m.name+".tlc", reason+got)
						mu.Unlock()
						t.Errorf("TLC differs now: give the reason in %s.tlc\n%s", m.name, got)
					case m.tlc == "":
						t.Errorf("TLC:\n%sbut podlife:\n%s", got, want)
					case got != stated:
						t.Errorf("TLC:\n%sbut %s.tlc says:\n%s", got, m.name, stated)
					case len(reason) < 20:
						t.Errorf("%s.tlc gives no reason why podlife differs", m.name)
					}
				})
			}
		})
	}
}

// splitReason parts the lines that start with "#" from the rest.
func splitReason(text string) (reason, rest string) {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "#") {
			reason += line
		} else {
			rest += line
		}
	}
	return reason, rest
}

// words puts podlife's verdict into TLC's terms.
func (o outcome) words() outcome {
	switch {
	case o.verdict == "specification":
		o.verdict = string(tlc.VerdictParse)
	case o.verdict == "configuration":
		o.verdict = string(tlc.VerdictConfig)
	case strings.HasPrefix(o.verdict, "evaluation-error"): // TLC does not name what it evaluated
		o.verdict = string(tlc.VerdictEvaluation)
	}
	// TLC gives assumptions and postconditions no names.
	for _, nameless := range []tlc.Verdict{tlc.VerdictAssumption, tlc.VerdictPostcondition} {
		if strings.HasPrefix(o.verdict, string(nameless)+" ") {
			o.verdict = string(nameless)
		}
	}
	return o
}

func (o outcome) text() string {
	var b strings.Builder
	fmt.Fprintln(&b, o.verdict)
	if o.counts != "" {
		fmt.Fprintln(&b, o.counts)
	}
	for _, line := range o.printed {
		fmt.Fprintf(&b, "printed %s\n", line)
	}
	for i, line := range o.trace {
		fmt.Fprintf(&b, "%d %s\n", i+1, line)
	}
	return b.String()
}

// runTLC gives what TLC says. Counts that TLC does not tell are taken out of ours.
func (m *model) runTLC(t *testing.T, command string, ours *outcome) outcome {
	t.Helper()
	dir := t.TempDir()
	for name, text := range m.modules {
		m.write(t, filepath.Join(dir, name+".tla"), text)
	}
	m.write(t, filepath.Join(dir, m.name+".cfg"), m.cfg)
	r, err := tlc.Check(t.Context(), tlc.Request{Command: command, Dir: dir, Module: m.name, Config: m.name + ".cfg", Timeout: tlcTimeout})
	if err != nil {
		t.Fatal(err)
	}
	o := outcome{verdict: string(r.Verdict), printed: printedLines(r.Other)}
	if r.Name != "" {
		o.verdict += " " + r.Name
	}
	if r.Verdict == tlc.VerdictProperty && r.Name == "" { // one that is named by its place
		ours.verdict = o.verdict
	}
	if r.Verdict == tlc.VerdictAssert {
		o.verdict = string(tlc.VerdictEvaluation)
	}
	if r.Counted {
		o.counts = fmt.Sprintf("generated %d, distinct %d", r.Generated, r.Distinct)
		ours.counts = fmt.Sprintf("generated %d, distinct %d", ours.generated, ours.distinct)
		if r.Depth > 0 {
			o.counts += fmt.Sprintf(", depth %d", r.Depth)
			ours.counts += fmt.Sprintf(", depth %d", ours.depth)
		}
	}
	for _, s := range r.Trace {
		o.trace = append(o.trace, theirTraceLine(t, s))
	}
	return o
}

func theirTraceLine(t *testing.T, s tlc.TraceState) string {
	t.Helper()
	line := "Init:"
	if s.Action != "" {
		name, args, err := tlc.ParseAction(s.Action)
		if err != nil {
			t.Fatal(err)
		}
		line = actionText(name, args) + ":"
	}
	state, err := tlc.ParseState(s.Text)
	if err != nil {
		return line + " " + s.Text
	}
	values := map[string]value.Value{}
	for _, a := range state {
		values[a.Name] = a.Value
	}
	return line + assignments(values)
}

func (m *model) write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TLC gives each expression the value, or an error, that podlife gives it, unless the file says why not.
func TestExpressionsAgreeWithTLC(t *testing.T) {
	command := tlcCommand(t)
	scopeText, err := os.ReadFile(scopeFile)
	if err != nil {
		t.Fatal(err)
	}
	// All that have a value are evaluated by one TLC; each of the others, and each that TLC sees differently, by its own.
	var together, alone []expression
	for _, x := range readExpressions(t) {
		if x.err == "" && x.deviates == "" {
			together = append(together, x)
		} else {
			alone = append(alone, x)
		}
	}
	printed, failure := evaluateByTLC(t, command, string(scopeText), together)
	if failure != "" {
		t.Fatalf("%d of %d expressions were evaluated; then: %s", len(printed), len(together), failure)
	}
	for _, x := range together {
		agree(t, x, printed[x.line], "")
	}
	places := make(chan bool, atOnce)
	for _, x := range alone {
		t.Run(x.String(), func(t *testing.T) {
			t.Parallel()
			places <- true
			defer func() { <-places }()
			printed, failure := evaluateByTLC(t, command, string(scopeText), []expression{x})
			agree(t, x, printed[x.line], failure)
		})
	}
}

// agree compares what TLC printed, or why it did not, with what the file expects.
func agree(t *testing.T, x expression, printed, failure string) {
	t.Helper()
	agrees := failure != "" && x.err != ""
	if failure == "" && x.err == "" {
		got, err := tlc.ParseValue(printed)
		want, wantErr := tlc.ParseValue(x.value)
		if err != nil || wantErr != nil {
			t.Errorf("%s: %v, %v", x, err, wantErr)
			return
		}
		agrees = same(got, want)
	}
	switch {
	case agrees && x.deviates != "":
		t.Errorf("%s: TLC does not differ: remove the reason", x)
	case !agrees && x.deviates == "":
		t.Errorf("%s: TLC gives %s%s, want %s%s", x, printed, failure, x.value, x.err)
	}
}

// evaluateByTLC gives what TLC prints for each expression, by its line in the file. failure is why it stopped.
func evaluateByTLC(t *testing.T, command, scopeText string, expressions []expression) (printed map[int]string, failure string) {
	t.Helper()
	var b strings.Builder
	b.WriteString(strings.Replace(strings.TrimSuffix(strings.TrimSpace(scopeText), "===="), "MODULE "+scopeName, "MODULE Asked", 1))
	for _, x := range expressions {
		// An expression of several lines keeps its columns.
		fmt.Fprintf(&b, "Value%d ==\n%s\nASSUME PrintT(<<\"@\", %d>>) /\\ PrintT(Value%d)\n", x.line, x.text, x.line, x.line)
	}
	b.WriteString("ASSUME PrintT(<<\"@\", 0>>)\n====\n")
	m := model{name: "Asked", modules: map[string]string{"Asked": b.String()}, cfg: scopeConfig}
	dir := t.TempDir()
	m.write(t, filepath.Join(dir, "Asked.tla"), m.modules["Asked"])
	m.write(t, filepath.Join(dir, "Asked.cfg"), m.cfg)
	r, err := tlc.Check(t.Context(), tlc.Request{Command: command, Dir: dir, Module: m.name, Config: "Asked.cfg", Timeout: tlcTimeout})
	if err != nil {
		t.Fatal(err)
	}
	printed = map[int]string{}
	line := 0
	for text := range strings.Lines(r.Other) {
		if _, err := fmt.Sscanf(text, `<<"@", %d>>`, &line); err == nil {
			continue
		}
		printed[line] += text
	}
	if r.Verdict != tlc.VerdictOK {
		return printed, fmt.Sprintf("%s: %s", r.Verdict, r.Text)
	}
	return printed, ""
}
