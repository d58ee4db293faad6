package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"reflect"
	"slices"

	"podlife/model/podlifecycle"
)

// fix is what to do about a file that is stale.
const fix = "to fix: make coverage, and look at what changed in " + FileName

// verify says everything that is wrong at once. The file must be what the source says, state a run that reached the minima, and this run must have reached them too.
func verify(ctx context.Context, root, dir string, out io.Writer) error {
	var problems []error
	now, err := static(ctx, root)
	if err != nil {
		problems = append(problems, err)
	}
	stated, err := load(filepath.Join(root, FileName))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		problems = append(problems, fmt.Errorf("%s: there is none", FileName))
	case err != nil:
		problems = append(problems, err)
	default:
		problems = append(problems, stale(stated, now)...)
		for _, p := range stated.belowMinima() {
			problems = append(problems, fmt.Errorf("%s: %w", FileName, p))
		}
	}
	r, err := readResults(dir)
	if err != nil {
		problems = append(problems, err)
	} else {
		now.take(r)
		for _, p := range now.belowMinima() {
			problems = append(problems, fmt.Errorf("this run: %w", p))
		}
	}
	if len(problems) > 0 {
		return errors.Join(append(problems, errors.New(fix))...)
	}
	fmt.Fprintf(out, "%s is what the source says, and this run reaches its minima\n%s", FileName, now.summary())
	return nil
}

// stale names every field of the file that the source says otherwise.
func stale(stated, now File) []error {
	a, err := generic(stated.onlyStatic())
	if err != nil {
		return []error{err}
	}
	b, err := generic(now.onlyStatic())
	if err != nil {
		return []error{err}
	}
	var problems []error
	differences("", a, b, func(field string, was, is any) {
		problems = append(problems, fmt.Errorf("%s: stale: %s is %s in the file, and now %s", FileName, field, short(was), short(is)))
	})
	return problems
}

func generic(f File) (any, error) {
	data, err := json.Marshal(f)
	if err != nil {
		return nil, err
	}
	var v any
	return v, json.Unmarshal(data, &v)
}

// absent stands for what one side does not have.
type absent struct{}

func short(v any) string {
	if _, none := v.(absent); none {
		return "not there"
	}
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	if len(text) > 120 {
		return string(text[:120]) + "…"
	}
	return string(text)
}

// differences walks two JSON values and tells of the smallest parts that differ, each by its path. Elements of a list are matched by their name, not by their place.
func differences(field string, a, b any, tell func(string, any, any)) {
	am, aIs := a.(map[string]any)
	bm, bIs := b.(map[string]any)
	if al, ok := a.([]any); ok {
		am, aIs = named(al), true
	}
	if bl, ok := b.([]any); ok {
		bm, bIs = named(bl), true
	}
	if !aIs || !bIs {
		if !reflect.DeepEqual(a, b) {
			tell(field, a, b)
		}
		return
	}
	keys := map[string]bool{}
	for k := range am {
		keys[k] = true
	}
	for k := range bm {
		keys[k] = true
	}
	for _, k := range slices.Sorted(maps.Keys(keys)) {
		av, inA := am[k]
		bv, inB := bm[k]
		if !inA {
			av = absent{}
		}
		if !inB {
			bv = absent{}
		}
		at := k
		if field != "" && k[0] == '[' {
			at = field + k
		} else if field != "" {
			at = field + "." + k
		}
		differences(at, av, bv, tell)
	}
}

// named makes a list a map by what each element is called.
func named(list []any) map[string]any {
	m := map[string]any{}
	for i, e := range list {
		name := fmt.Sprint(i)
		if o, ok := e.(map[string]any); ok {
			switch {
			case o["config"] != nil:
				name = fmt.Sprint(o["config"])
			case o["guard"] != nil:
				name = fmt.Sprintf("%v.%v", o["action"], o["guard"])
				if o["spec"] == podlifecycle.Name {
					name = podlifecycle.Name + "." + name // PodRuntime has guards of the same names
				}
			case o["file"] != nil:
				name = fmt.Sprint(o["file"])
			}
		}
		if _, twice := m["["+name+"]"]; twice {
			name = fmt.Sprintf("%s#%d", name, i)
		}
		m["["+name+"]"] = e
	}
	return m
}
