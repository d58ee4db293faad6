package corpus

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"podlife/tla/checker"
	"podlife/tla/config"
	"podlife/tla/diag"
	"podlife/tla/eval"
	"podlife/tla/module"
	"podlife/tla/spec"
	"podlife/tla/tlc"
	"podlife/tla/value"
)

// An outcome is what podlife or TLC says of a model, in words that both have.
type outcome struct {
	verdict string // and the name of what is violated
	// counts is empty where the run ended before states were counted.
	counts                     string
	printed                    []string // by PrintT(<<"p", ...>>); other output is not looked at
	trace                      []string
	generated, distinct, depth int64
}

// Each model's verdict, counts, errors, output, counterexample and findings are those that its archive says.
func TestModels(t *testing.T) {
	for _, file := range archives(t) {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			head, parts := readParts(t, file)
			for _, m := range readModels(t, file) {
				t.Run(m.name, func(t *testing.T) {
					got := m.check(t).text
					if *update {
						parts = setPart(parts, m.name+".want", got)
					} else if got != m.want {
						t.Errorf("got:\n%swant:\n%s", got, m.want)
					}
				})
			}
			if *update {
				writeParts(t, file, head, parts)
			}
		})
	}
}

// A checked model is what podlife says: as the archive has it, and in the words shared with TLC.
type checked struct {
	text   string
	shared outcome
}

// These end the check of a model that is, or that a mutant makes, endless.
const (
	checkTimeout = 20 * time.Second
	maxStates    = 2000
	maxDepth     = 10_000
)

// fewStates is a sink that only bounds the number of states.
type fewStates struct{}

func (*fewStates) State(index int64, _ eval.State, _ bool) error {
	if index >= maxStates {
		return fmt.Errorf("more than %d states", maxStates)
	}
	return nil
}

func (*fewStates) Edge(int64, int64, *eval.Action, []value.Value) error { return nil }

// source gives the text of a module.
func (m *model) source(name string) (*diag.Source, error) {
	text, ok := m.modules[name]
	if !ok {
		return nil, fs.ErrNotExist
	}
	return diag.NewSource(name, []byte(text)), nil
}

// load reads and compiles the model. exit is called by TLCSet("exit", TRUE).
func (m *model) load(out *bytes.Buffer, exit func()) (s *spec.Spec, err error) {
	defer noPanic(&err)
	loaded, err := module.Load(m.name+".tla", module.Options{Open: m.source})
	if err != nil {
		return nil, &spec.LoadError{Part: spec.PartSpecification, Err: err}
	}
	cfg, err := config.Parse(diag.NewSource(m.name+".cfg", []byte(m.cfg)))
	if err != nil {
		return nil, &spec.LoadError{Part: spec.PartConfiguration, Err: err}
	}
	return spec.New(m.name+".tla", loaded, cfg, eval.Options{Out: out, Seed: 1, Exit: exit, MaxDepth: maxDepth})
}

// check runs podlife on a model.
func (m *model) check(t testing.TB) checked {
	t.Helper()
	var out bytes.Buffer
	var stats *checker.Stats
	s, err := m.load(&out, func() { stats.Exit() })
	if err != nil {
		text := loadErrorText(err)
		verdict, _, _ := strings.Cut(text, " ")
		return checked{text + "\n", outcome{verdict: verdict}}
	}
	opt := s.CheckerOptions()
	opt.Workers = 1
	stats = opt.Stats
	opt.Vacuity.Off = !strings.HasSuffix(m.archive, "vacuity.txtar")
	opt.Graph = &fewStates{}
	ctx, cancel := context.WithTimeout(t.Context(), checkTimeout)
	defer cancel()
	r, err := run(ctx, s, opt)
	if err != nil {
		return checked{err.Error() + "\n", outcome{verdict: err.Error()}}
	}
	shared := sharedOutcome(r, s, out.String())
	return checked{describe(r, shared), shared}
}

func run(ctx context.Context, s *spec.Spec, opt checker.Options) (r *checker.Result, err error) {
	defer noPanic(&err)
	return checker.Run(ctx, s.Program, opt)
}

func sharedOutcome(r *checker.Result, s *spec.Spec, printed string) outcome {
	o := outcome{verdict: string(r.Verdict), printed: printedLines(printed), generated: r.Generated, distinct: r.Distinct, depth: int64(r.Depth)}
	if r.Name != "" {
		o.verdict += " " + r.Name
	}
	for _, state := range r.Trace {
		o.trace = append(o.trace, traceLine(s, state))
	}
	return o
}

// traceLine is a state of a counterexample: the action with its arguments, and the variables or the alias.
func traceLine(s *spec.Spec, state checker.TraceState) string {
	var b strings.Builder
	b.WriteString("Init")
	if state.Action != nil {
		b.Reset()
		b.WriteString(actionText(state.Action.Name, state.Args))
	}
	b.WriteString(":")
	values := map[string]value.Value{}
	for i, name := range s.Program.Variables() {
		values[name] = nil
		if i < len(state.State) {
			values[name] = state.State[i]
		}
	}
	if state.Alias != nil {
		values = map[string]value.Value{"alias": state.Alias}
		if r, ok := state.Alias.(*value.Record); ok {
			values = map[string]value.Value{}
			for i, name := range r.Shape().Names() {
				values[name] = r.At(i)
			}
		}
	}
	return b.String() + assignments(values)
}

// assignments are names with their values, by name. nil is no value.
func assignments(values map[string]value.Value) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if v := values[name]; v != nil {
			fmt.Fprintf(&b, " %s = %s", name, valueText(v))
		} else {
			fmt.Fprintf(&b, " %s = ?", name)
		}
	}
	return b.String()
}

func actionText(name string, args []value.Value) string {
	if len(args) == 0 {
		return name
	}
	var texts []string
	for _, a := range args {
		if a == nil {
			texts = append(texts, "?")
		} else {
			texts = append(texts, valueText(a))
		}
	}
	return name + "(" + strings.Join(texts, ", ") + ")"
}

// valueText is a value in full: an interval, say, as its elements, so that two equal values have the same text.
func valueText(v value.Value) string {
	if err := value.Catch(func() { v = value.Normalize(v) }); err != nil {
		return v.String()
	}
	return v.String()
}

// printedLines are the values of PrintT(<<"p", ...>>).
func printedLines(out string) []string {
	var lines []string
	for line := range strings.Lines(out) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, `<<"p",`) {
			continue
		}
		if v, err := tlc.ParseValue(line); err == nil {
			line = valueText(v)
		}
		lines = append(lines, line)
	}
	return lines
}

func describe(r *checker.Result, shared outcome) string {
	var b strings.Builder
	fmt.Fprintln(&b, shared.verdict)
	if r.Err != nil {
		fmt.Fprintf(&b, "error %s\n", errorText(r.Err))
	}
	fmt.Fprintf(&b, "generated %d, distinct %d, depth %d\n", r.Generated, r.Distinct, r.Depth)
	if r.Exited {
		fmt.Fprintln(&b, "exited")
	}
	for _, u := range r.Unsupported {
		fmt.Fprintf(&b, "unsupported %s: %s\n", u.Property, u.Text)
	}
	for _, line := range shared.printed {
		fmt.Fprintf(&b, "printed %s\n", line)
	}
	for i, line := range shared.trace {
		fmt.Fprintf(&b, "%d %s\n", i+1, line)
	}
	if r.TraceErr != nil {
		fmt.Fprintf(&b, "trace: %s\n", errorText(r.TraceErr))
	}
	describeFindings(&b, r)
	return b.String()
}

func describeFindings(b *strings.Builder, r *checker.Result) {
	if r.Vacuity == checker.VacuityOff {
		return
	}
	fmt.Fprintf(b, "vacuity %s\n", r.Vacuity)
	for _, f := range r.Findings {
		fmt.Fprintf(b, "%s %s %s", f.Kind, f.Definition, place(f.Span))
		if f.Accepted != "" {
			fmt.Fprintf(b, " accepted: %s", f.Accepted)
		}
		fmt.Fprintln(b)
	}
	for _, f := range r.NotChecked {
		fmt.Fprintf(b, "not checked: %s %s %s\n", f.Kind, f.Definition, place(f.Span))
	}
}
