package library

import (
	"embed"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"podlife/tla/diag"
	"podlife/tla/syntax"
	"podlife/tla/value"
)

//go:embed text/*.tla
var texts embed.FS

// Prefix starts the names of the sources of this package, for messages: "<library>/Naturals.tla".
const Prefix = "<library>/"

// sources are the texts by module. Nobody changes the map.
var sources = sync.OnceValue(func() map[string]*diag.Source {
	names, err := fs.Glob(texts, "text/*.tla")
	if err != nil {
		panic(err) // the pattern is wrong
	}
	all := map[string]*diag.Source{}
	for _, name := range names {
		text, err := texts.ReadFile(name)
		if err != nil {
			panic(err) // an embedded file is there
		}
		base := path.Base(name)
		all[strings.TrimSuffix(base, ".tla")] = diag.NewSource(Prefix+base, text)
	}
	return all
})

// Source gives the text of a module, the same one at each call. ok is false where the library has no such module.
func Source(name string) (src *diag.Source, ok bool) {
	src, ok = sources()[name]
	return src, ok
}

// Names gives the library's modules in alphabetical order.
func Names() []string {
	names := make([]string, 0, len(sources()))
	for name := range sources() {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Func computes an operator. The arguments are evaluated; one for an operator parameter is a *value.Operator with that many parameters. A mistake is
// raised (see value.Raise).
type Func func(env *Env, args []value.Value) value.Value

// LazyFunc computes an operator that decides itself whether its arguments are evaluated: each call of a thunk evaluates its argument, and
// raises what that raises.
type LazyFunc func(env *Env, args []func() value.Value) value.Value

// An Operator is an operator of a module in Go, its native. Exactly one of Func and Lazy is set.
type Operator struct {
	Func Func
	Lazy LazyFunc
	// Volatile: the value depends on more than the arguments (the current state, chance, the time, a file), or evaluating it does something
	// that is seen (printing). Such an operator must be evaluated each time and must not be taken for a constant.
	Volatile bool
	// OwnText: it stands only for the definition in this package's text of the module.
	OwnText bool
}

// Lookup gives the native of a module's operator by its name, in any spelling that syntax.Canonical knows, and its number of parameters. src is the text in
// which the definition stands: natives that are for this package's own texts are given for those alone. With a nil src they are not given.
func Lookup(src *diag.Source, module, name string, arity int) (Operator, bool) {
	n, ok := natives()[key{module, syntax.Canonical(name), arity}]
	if !ok || n.OwnText && (src == nil || sources()[module] != src) {
		return Operator{}, false
	}
	return n, true
}

// Native gives the function of a native that holds whichever text the module has, and that wants its arguments evaluated. See Lookup for the others.
func Native(module, name string, arity int) (Func, bool) {
	n, ok := Lookup(nil, module, name, arity)
	return n.Func, ok && n.Func != nil
}

// key is what a native is found by. The name is canonical.
type key struct {
	module, name string
	arity        int
}

// natives are all of them. Nobody changes the map.
var natives = sync.OnceValue(func() map[key]Operator {
	t := table{}
	for _, add := range []func(table){
		arithmetic, sequences, finiteSets, bags, checker, registers, checkerExt, randomization, toolbox,
		jsonModule, ioUtils, csvModule,
		folds, functions, finiteSetsExt, sequencesExt, subsequences, bitwise, relation, graphs, undirectedGraphs, bagsExt, combinatorics,
		vectorClocks, statistics, dyadicRationals, svg, graphViz, apalache,
	} {
		add(t)
	}
	return t
})

// A table is filled with natives by the functions that describe a module each.
type table map[key]Operator

// add enters a native. Two of one name are a mistake in this package.
func (t table) add(module, name string, arity int, n Operator) {
	k := key{module, syntax.Canonical(name), arity}
	if _, ok := t[k]; ok {
		panic("library: two natives of " + module + "!" + name)
	}
	t[k] = n
}

// fixed enters one that TLC overrides too, so that it holds for any text.
func (t table) fixed(module, name string, arity int, f Func) {
	t.add(module, name, arity, Operator{Func: f})
}

// volatile is fixed for one that depends on more than its arguments.
func (t table) volatile(module, name string, arity int, f Func) {
	t.add(module, name, arity, Operator{Func: f, Volatile: true})
}

// own enters one that stands for this package's definition.
func (t table) own(module, name string, arity int, f Func) {
	t.add(module, name, arity, Operator{Func: f, OwnText: true})
}
