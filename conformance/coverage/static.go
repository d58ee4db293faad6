package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"podlife/model/podlifecycle"
	"podlife/mutants/guards"
)

// defining is what the lifecycle is defined by: a change of it makes everything that was checked before stale. The boot script is among it because the order of its steps, the marker last, is a
// guard that no Go statement carries.
var defining = []string{"tla/*.tla", "tla/*.cfg", "tla/configs/*.txt", "tla/configs/*/*/*.cfg", "model/table.go", "model/podlifecycle/table.go", "model/podlifecycle/types.go", "model/podruntime/table.go", "model/podruntime/boot.go", "model/podruntime/script.go", "model/podruntime/sleep.go", "model/podruntime/attach.go", "model/podruntime/world.go", "model/podruntime/invariants.go", "model/podruntime/state.go", "model/podruntime/known.go", "model/podruntime/truth.go", "runtime/boot/script.sh"}

// checkers are the modules that check, by their path in go.mod.
var checkers = []string{"pgregory.net/rapid", "github.com/anishathalye/porcupine"}

// static computes everything that the source alone decides.
func static(ctx context.Context, root string) (File, error) {
	f := File{Schema: Schema, Generated: "by go run ./conformance/coverage write (make coverage); do not edit", Minima: minima()}
	var problems []error
	var err error
	if f.Hashes, err = hashes(root); err != nil {
		problems = append(problems, err)
	}
	if f.Tools, err = tools(root); err != nil {
		problems = append(problems, err)
	}
	explored := map[string]Seen{}
	if f.Specs, err = specs(ctx, filepath.Join(root, "tla"), explored); err != nil {
		problems = append(problems, err)
	}
	if f.Mirror, err = mirrors(ctx, filepath.Join(root, "tla")); err != nil {
		problems = append(problems, err)
	}
	if f.Guards, err = guardsOf(root, explored); err != nil {
		problems = append(problems, err)
	}
	return f, errors.Join(problems...)
}

func hashes(root string) (map[string]string, error) {
	sums := map[string]string{}
	for _, pattern := range defining {
		names, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		if err != nil {
			return nil, err
		}
		if len(names) == 0 {
			return nil, fmt.Errorf("hashes: there is no %s", pattern)
		}
		for _, name := range names {
			data, err := os.ReadFile(name)
			if err != nil {
				return nil, err
			}
			rel, err := filepath.Rel(root, name)
			if err != nil {
				return nil, err
			}
			sum := sha256.Sum256(data)
			sums[filepath.ToSlash(rel)] = hex.EncodeToString(sum[:])
		}
	}
	return sums, nil
}

var (
	goVersion  = regexp.MustCompile(`(?m)^go (\S+)$`)
	tlcVersion = regexp.MustCompile(`(?m)^version=(v[0-9.]+)`)
)

// tools reads the versions that are pinned in the repository, not those that happen to be installed.
func tools(root string) (map[string]string, error) {
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return nil, err
	}
	script, err := os.ReadFile(filepath.Join(root, "scripts", "tlc.sh"))
	if err != nil {
		return nil, err
	}
	found := map[string]string{}
	for name, in := range map[string]struct {
		pattern *regexp.Regexp
		text    []byte
	}{"go": {goVersion, mod}, "tlc": {tlcVersion, script}} {
		m := in.pattern.FindSubmatch(in.text)
		if m == nil {
			return nil, fmt.Errorf("tools: no version of %s is pinned", name)
		}
		found[name] = string(m[1])
	}
	for _, module := range checkers {
		m := regexp.MustCompile(`(?m)^\s*(?:require )?` + regexp.QuoteMeta(module) + ` (v\S+)`).FindSubmatch(mod)
		if m == nil {
			return nil, fmt.Errorf("tools: go.mod does not have %s", module)
		}
		found[module] = string(m[1])
	}
	return found, nil
}

// guardsOf gives every guard with what enforces it and how the explorer saw it. One that the explorer never saw both true and false does not matter in the specification, and is an error.
func guardsOf(root string, explored map[string]Seen) ([]Guard, error) {
	all, err := guards.All(root)
	problems := []error{err}
	var list []Guard
	for _, g := range all {
		name := g.Action + "." + g.Guard
		entry := Guard{Spec: g.Spec, Action: g.Action, Guard: g.Guard, By: g.By}
		for _, s := range g.Statements {
			entry.Statements = append(entry.Statements, Statement{File: s.File, Line: s.Line, Hash: s.Hash})
		}
		if g.Spec != podlifecycle.Name {
			list = append(list, entry)
			continue
		}
		entry.Explored = explored[name]
		if entry.Explored.True == 0 || entry.Explored.False == 0 {
			problems = append(problems, fmt.Errorf("guards[%s]: the explorer saw it true %d times and false %d times; a guard that is never both says nothing", name, entry.Explored.True, entry.Explored.False))
		}
		list = append(list, entry)
	}
	return list, errors.Join(problems...)
}

// onlyStatic drops what a run leaves, so that the rest can be compared exactly.
func (f File) onlyStatic() File {
	f.Conformance, f.Linearizability, f.Mutants = nil, Linearizability{}, nil
	list := make([]Guard, len(f.Guards))
	for i, g := range f.Guards {
		g.Docker, g.Simulated = Seen{}, Seen{}
		list[i] = g
	}
	f.Guards = list
	specs := slices.Clone(f.Specs)
	for i, s := range specs {
		if s.Module != podlifecycle.Name {
			specs[i].Verdict, specs[i].Fired, specs[i].Antecedents = "", nil, nil
		}
	}
	f.Specs = specs
	mirrors := slices.Clone(f.Mirror)
	for i, m := range mirrors {
		mirrors[i] = m.withoutRun()
	}
	f.Mirror = mirrors
	return f
}
