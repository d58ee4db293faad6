package library

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"podlife/tla/diag"
	"podlife/tla/syntax"
	"podlife/tla/value"
)

// The tables of testdata are lines of
//
//	EXTENDS M, N              the modules for the lines after it
//	expression ==> printed    both the natives and the definitions of M give what is printed so
//	~ expression ==> printed  the natives do; the definitions have no value there, or need too long
//	! code expression         the natives raise an error with that code
//
// and comments: lines that start with "#", and what follows " \* ". A line that starts with a space continues the one before.
func TestTables(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no tables", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) { runTable(t, file) })
	}
}

func runTable(t *testing.T, file string) {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var modules []string
	for i, line := range strings.Split(strings.ReplaceAll(string(data), "\n ", " "), "\n") {
		line, _, _ = strings.Cut(line, ` \* `)
		line = strings.TrimSpace(line)
		switch {
		case line == "" || line[0] == '#':
		case strings.HasPrefix(line, "EXTENDS "):
			modules = strings.Split(strings.TrimPrefix(line, "EXTENDS "), ", ")
		case line[0] == '!':
			code, x, _ := strings.Cut(strings.TrimSpace(line[1:]), " ")
			v, err := evaluate(t, x, modules, "")
			if raised, ok := err.(*value.Error); !ok || string(raised.Code) != code {
				t.Errorf("entry %d: %s gives %v, error %v; want an error %s", i+1, x, v, err, code)
			}
		default:
			nativeOnly := line[0] == '~'
			x, want, found := strings.Cut(strings.TrimPrefix(line, "~"), "==>")
			if !found {
				t.Fatalf("entry %d has no ==>: %s", i+1, line)
			}
			ways := []string{""}
			if !nativeOnly {
				ways = append(ways, modules[0])
			}
			for _, by := range ways {
				v, err := evaluate(t, x, modules, by)
				if err != nil || v.String() != strings.TrimSpace(want) {
					t.Errorf("entry %d, definitions of %q: %s gives %v, error %v; want %s", i+1, by, x, v, err, want)
				}
			}
		}
	}
}

// evaluate evaluates an expression in which the modules' operators are known.
func evaluate(t *testing.T, x string, modules []string, by string) (v value.Value, err error) {
	t.Helper()
	return evaluateIn(t, testEnv(), x, modules, by)
}

func evaluateIn(t *testing.T, env *Env, x string, modules []string, by string) (v value.Value, err error) {
	t.Helper()
	tree, err := syntax.ParseExpr(diag.NewSource("test", []byte(x)))
	if err != nil {
		t.Fatalf("%s: %v", x, err)
	}
	e := &evaluator{env: env, modules: map[string]*loaded{}, by: by}
	top := &loaded{seen: map[string]*definition{}}
	for _, m := range modules {
		for n, d := range e.load(m).exports {
			top.seen[n] = d
		}
	}
	err = value.Catch(func() { v = e.eval(tree, &scope{mod: top}) })
	return v, err
}

// testEnv is a world in which nothing but registers, chance and a clock that stands still is allowed.
func testEnv() *Env {
	return &Env{
		Out:       &bytes.Buffer{},
		Rand:      rand.New(rand.NewPCG(1, 2)),
		Now:       func() time.Time { return time.Unix(1_000_000_000, 0) },
		Registers: &Registers{},
	}
}
