package tracefile

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"podlife/model/podruntime"
)

// Differences names what one state has otherwise than another, by the specification's names: "store.awake false and not true".
func Differences(expected, got podruntime.View) []string {
	want, have := leaves(expected), leaves(got)
	var names []string
	for name := range want {
		names = append(names, name)
	}
	for name := range have {
		if _, both := want[name]; !both {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	var all []string
	for _, name := range names {
		if want[name] != have[name] {
			all = append(all, fmt.Sprintf("%s %s and not %s", name, said(have[name]), said(want[name])))
		}
	}
	return all
}

// said is a value in words; nothing is said of what is as at first.
func said(v any) string {
	if v == nil {
		return "none"
	}
	return fmt.Sprint(v)
}

// leaves are the parts of a view by their names.
func leaves(v podruntime.View) map[string]any {
	text, err := json.Marshal(v)
	if err != nil {
		return map[string]any{"state": err.Error()}
	}
	var tree map[string]any
	_ = json.Unmarshal(text, &tree) // it was JSON a moment ago
	found := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(tree)) {
		collect(name, tree[name], found)
	}
	return found
}

func collect(name string, v any, found map[string]any) {
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			collect(name+"."+k, x, found)
		}
	case []any:
		for _, x := range v {
			found[fmt.Sprintf("%s.%v", name, x)] = true
		}
	default:
		found[name] = v
	}
}
