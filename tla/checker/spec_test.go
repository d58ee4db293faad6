package checker

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"podlife/tla/config"
	"podlife/tla/diag"
	"podlife/tla/eval"
	"podlife/tla/module"
)

var update = flag.Bool("update", false, "write the expected results of testdata anew")

// A file is a part of a testdata archive, which is a comment and then files, each after a line "-- name --".
type file struct{ name, text string }

func readArchive(t testing.TB, path string) (comment string, files []file) {
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		if name, ok := strings.CutPrefix(line, "-- "); ok {
			files = append(files, file{name: strings.TrimSuffix(name, " --\n")})
		} else if len(files) == 0 {
			comment += line
		} else {
			files[len(files)-1].text += line
		}
	}
	return comment, files
}

// A spec is a module and its configuration.
type spec struct {
	name, tla, cfg string
}

// A loaded spec can be compiled several times.
type loaded struct {
	module *module.Module
	config *config.Config
}

func (s spec) load(t testing.TB) loaded {
	t.Helper()
	m, err := module.Load(s.name+".tla", module.Options{Open: func(name string) (*diag.Source, error) {
		if name != s.name {
			return nil, fs.ErrNotExist
		}
		return diag.NewSource(name+".tla", []byte(s.tla)), nil
	}})
	if err != nil {
		t.Fatalf("%s: %v", s.name, err)
	}
	c, err := config.Parse(diag.NewSource(s.name+".cfg", []byte(s.cfg)))
	if err != nil {
		t.Fatalf("%s: %v", s.name, err)
	}
	return loaded{m, c}
}

// program compiles a spec; stats may be nil.
func (l loaded) program(t testing.TB, opt eval.Options, stats *Stats) *eval.Program {
	t.Helper()
	if stats != nil {
		opt.Stat, opt.Exit = stats.Get, stats.Exit
	}
	p, err := eval.Compile(l.module, l.config, opt)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// deadlockAllowed tells whether the configuration says so.
func (s spec) deadlockAllowed() bool { return strings.Contains(s.cfg, "CHECK_DEADLOCK FALSE") }

// ticking is a clock that moves on by a millisecond with each look. To the checker it seems that everything takes long, so that it shares all work.
func ticking() func() time.Time {
	var n atomic.Int64
	return func() time.Time { return time.UnixMilli(n.Add(1)) }
}

// standing is a clock that stands still. To the checker it seems that nothing is worth sharing.
func standing() time.Time { return time.UnixMilli(0) }

// describe writes what is the same in every run.
func describe(r *Result, variables []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\n", r.Verdict, r.Name)
	if r.Err != nil {
		fmt.Fprintf(&b, "%v\n", r.Err)
	} else if r.Span.Known() {
		fmt.Fprintf(&b, "%v\n", r.Span)
	}
	fmt.Fprintf(&b, "generated %d, distinct %d, queue %d, depth %d\n", r.Generated, r.Distinct, r.Queue, r.Depth)
	if r.Excluded > 0 {
		fmt.Fprintf(&b, "excluded %d\n", r.Excluded)
	}
	if r.Exited {
		fmt.Fprintln(&b, "exited")
	}
	for _, u := range r.Unsupported {
		fmt.Fprintf(&b, "unsupported %s: %s\n", u.Property, u.Text)
	}
	for i, s := range r.Trace {
		fmt.Fprintf(&b, "%d %s\n", i+1, describeState(s, variables))
	}
	if r.TraceErr != nil {
		fmt.Fprintf(&b, "trace: %v\n", r.TraceErr)
	}
	return b.String()
}

func describeState(s TraceState, variables []string) string {
	var b strings.Builder
	if s.Action != nil {
		b.WriteString(s.Action.Name)
		if len(s.Args) > 0 {
			fmt.Fprintf(&b, "%v", s.Args)
		}
		b.WriteString(": ")
	}
	for i, v := range s.State {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%s = %v", variables[i], v)
	}
	if s.Alias != nil {
		fmt.Fprintf(&b, " as %v", s.Alias)
	}
	return b.String()
}

// specs reads the specs of an archive, and what is expected of each.
func specs(t testing.TB, path string) (comment string, all []spec, want map[string]string) {
	comment, files := readArchive(t, path)
	want = map[string]string{}
	for _, f := range files {
		name, kind, _ := strings.Cut(f.name, ".")
		switch kind {
		case "tla":
			all = append(all, spec{name: name, tla: f.text})
		case "cfg":
			if len(all) == 0 || all[len(all)-1].name != name {
				t.Fatalf("%s does not follow its module", f.name)
			}
			all[len(all)-1].cfg = f.text
		case "want":
			want[name] = f.text
		}
	}
	return comment, all, want
}

// golden compares what f says of each spec of an archive with what is expected, or, with -update, writes it there.
func golden(t *testing.T, path string, f func(t *testing.T, s spec) string) {
	comment, all, want := specs(t, path)
	out := comment
	for _, s := range all {
		t.Run(s.name, func(t *testing.T) {
			got := f(t, s)
			out += fmt.Sprintf("-- %s.tla --\n%s-- %s.cfg --\n%s-- %s.want --\n%s", s.name, s.tla, s.name, s.cfg, s.name, got)
			if !*update && got != want[s.name] {
				t.Errorf("got:\n%s\nwant:\n%s", got, want[s.name])
			}
		})
	}
	if *update && !t.Failed() {
		if err := os.WriteFile(path, []byte(out), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
