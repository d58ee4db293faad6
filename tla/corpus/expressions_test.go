package corpus

import (
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"

	"podlife/tla/config"
	"podlife/tla/diag"
	"podlife/tla/eval"
	"podlife/tla/module"
	"podlife/tla/spec"
	"podlife/tla/tlc"
	"podlife/tla/value"
)

const (
	expressionsFile = "testdata/expressions.txt"
	scopeFile       = "testdata/Expressions.tla"
	scopeName       = "Expressions"
	scopeConfig     = "CONSTANTS\n  m = m\n  n = n\n  T_a = T_a\n  T_b = T_b\n  U_a = U_a\n"
)

// An expression and what is expected of it: a value, or an error's code and place.
type expression struct {
	line     int // of the file, of the first line
	text     string
	value    string
	err      string
	deviates string // why TLC says something else
}

func (x expression) String() string {
	first, _, _ := strings.Cut(x.text, "\n")
	return fmt.Sprintf("%d_%s", x.line, first)
}

func readExpressions(t testing.TB) []expression {
	t.Helper()
	data, err := os.ReadFile(expressionsFile)
	if err != nil {
		t.Fatal(err)
	}
	var all []expression
	var now *expression
	number := 0
	for line := range strings.Lines(string(data)) {
		number++
		line = strings.TrimSuffix(line, "\n")
		wanted, isValue := strings.CutPrefix(line, "= ")
		failure, isError := strings.CutPrefix(line, "! ")
		reason, isReason := strings.CutPrefix(line, "~ ")
		switch {
		case now == nil && (line == "" || strings.HasPrefix(line, "# ")):
		case now == nil && isReason && len(all) > 0:
			all[len(all)-1].deviates = reason
		case now == nil:
			now = &expression{line: number, text: line + "\n"}
		case isValue || isError:
			now.value, now.err = wanted, failure
			if isValue {
				now.err = ""
			} else {
				now.value = ""
			}
			now.text = strings.TrimSuffix(now.text, "\n")
			all = append(all, *now)
			now = nil
		default:
			now.text += line + "\n"
		}
	}
	if now != nil || len(all) == 0 {
		t.Fatalf("%s ends within an expression, or is empty", expressionsFile)
	}
	return all
}

// A scope evaluates expressions.
type scope struct {
	module    *module.Module
	evaluator *eval.Evaluator
}

func newScope(t testing.TB) scope {
	t.Helper()
	text, err := os.ReadFile(scopeFile)
	if err != nil {
		t.Fatal(err)
	}
	m, err := module.Load(scopeName+".tla", module.Options{Open: func(name string) (*diag.Source, error) {
		if name != scopeName {
			return nil, fs.ErrNotExist
		}
		return diag.NewSource(name, text), nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Parse(diag.NewSource(scopeName+".cfg", []byte(scopeConfig)))
	if err != nil {
		t.Fatal(err)
	}
	s, err := spec.New(scopeName+".tla", m, cfg, eval.Options{ExpressionsOnly: true, MaxDepth: maxDepth})
	if err != nil {
		t.Fatal(err)
	}
	return scope{m, s.Program.NewEvaluator(t.Context())}
}

// value evaluates. The value has no lazy parts, if it is finite; one that cannot be compared or enumerated in full is an error then, as it is
// when it is printed.
func (s scope) value(text string) (v value.Value, err error) {
	defer noPanic(&err)
	x, err := module.ParseExpr(s.module, diag.NewSource("", []byte(text)))
	if err != nil {
		return nil, err
	}
	if v, err = s.evaluator.EvalExpr(x, nil, nil); err != nil {
		return nil, err
	}
	err = value.Catch(func() { v = value.Normalize(v) })
	return v, err
}

// Each expression has the value, or the error, that the file says.
func TestExpressions(t *testing.T) {
	s := newScope(t)
	for _, x := range readExpressions(t) {
		t.Run(x.String(), func(t *testing.T) {
			v, err := s.value(x.text)
			if x.err != "" {
				if err == nil {
					t.Errorf("is %s, want the error %s", v, x.err)
				} else if got := strings.ReplaceAll(errorText(err), " :", " "); got != x.err {
					t.Errorf("error %s (%v), want %s", got, err, x.err)
				}
				return
			}
			want, wantErr := tlc.ParseValue(x.value)
			if wantErr != nil {
				t.Fatal(wantErr)
			}
			if err != nil {
				t.Errorf("%v, want %s", err, x.value)
			} else if !same(v, want) {
				t.Errorf("is %s, want %s", v, x.value)
			}
		})
	}
}

// same compares values that may be of different kinds.
func same(v, w value.Value) bool {
	equal := false
	return value.Catch(func() { equal = value.Equal(v, w) }) == nil && equal
}
