// Package spec is a specification with its configuration, read from files and ready to be checked: it puts the other packages together, for
// programs and for tests of many models.
//
// It imports module, config, eval and checker (what it puts together), value and diag (what they speak of), and itf and dot (the forms of what
// is found); nothing else of the project. Read first: spec.go; trace.go and graph.go turn results into files.
package spec

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"podlife/tla/checker"
	"podlife/tla/config"
	"podlife/tla/diag"
	"podlife/tla/eval"
	"podlife/tla/module"
)

// A Spec is a specification that can be evaluated.
type Spec struct {
	Path    string // of the root module's file
	Module  *module.Module
	Config  *config.Config
	Program *eval.Program

	options eval.Options
	stats   *checker.Stats
}

// Options are how a specification is read.
type Options struct {
	// Config is the file of the configuration. "" stands for the one beside the specification, with ".cfg" in place of ".tla". NoConfig is none at
	// all: no behaviour, and no values for constants. A name without a folder that is not there is looked for beside the specification too.
	Config   string
	NoConfig bool
	// Path is further folders with modules.
	Path []string
	// Open gives the texts of modules in place of files; see module.Options.
	Open func(name string) (*diag.Source, error)
	// Alone says that this process reads no other specification. Strings and model values are then in TLC's order, which is that of their first
	// appearance and belongs to the whole process; CHOOSE, and the numbers of states when a violation is found, depend on it. Otherwise they are
	// in alphabetical order.
	Alone bool
	// Eval is how expressions are evaluated. Its fields Stat and Exit are set by Load.
	Eval eval.Options
}

// A Part is where an error is.
type Part string

// The parts of a model.
const (
	PartSpecification Part = "specification" // the modules
	PartConfiguration Part = "configuration" // the file, or what it says about the modules
)

// A LoadError says why there is no Spec.
type LoadError struct {
	Part Part
	Err  error // mostly a diag error, one or several
}

func (e *LoadError) Error() string { return e.Err.Error() }

// Unwrap is the cause.
func (e *LoadError) Unwrap() error { return e.Err }

// Load reads a specification, all modules that it needs, and its configuration. The error is a *LoadError.
func Load(path string, opt Options) (*Spec, error) {
	m, err := module.Load(path, module.Options{Path: opt.Path, Open: opt.Open})
	if err != nil {
		return nil, &LoadError{PartSpecification, err}
	}
	cfg := &config.Config{}
	if !opt.NoConfig {
		if cfg, err = readConfig(path, opt); err != nil {
			return nil, &LoadError{PartConfiguration, err}
		}
	}
	if opt.Alone {
		eval.DeclareModuleNames(m)
	}
	return New(path, m, cfg, opt.Eval)
}

// New makes a Spec of a module and a configuration that have been read. The error is a *LoadError.
func New(path string, m *module.Module, cfg *config.Config, opt eval.Options) (*Spec, error) {
	s := &Spec{Path: path, Module: m, Config: cfg, options: opt, stats: &checker.Stats{}}
	s.options.Stat, s.options.Exit = s.stats.Get, s.stats.Exit
	p, err := eval.Compile(m, cfg, s.options)
	if err != nil {
		return nil, &LoadError{PartConfiguration, err}
	}
	s.Program = p
	return s, nil
}

// maxConfig is the size of the largest configuration that is read.
const maxConfig = 1 << 20

func readConfig(spec string, opt Options) (*config.Config, error) {
	name, beside := opt.Config, filepath.Dir(spec)
	if name == "" {
		name = strings.TrimSuffix(spec, ".tla") + ".cfg"
	}
	names := []string{name}
	if other := filepath.Join(beside, name); filepath.Base(name) == name && other != name {
		names = append(names, other)
	}
	for _, n := range names {
		text, err := readBounded(n)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		src := diag.NewSource(n, text)
		if opt.Alone {
			eval.DeclareConfigNames(src)
		}
		return config.Parse(src)
	}
	return nil, &diag.Error{Code: "config-not-found", Message: fmt.Sprintf("there is no configuration %s", strings.Join(names, " or ")),
		Help: "a configuration names the initial states, the actions and what is to hold: INIT Init, NEXT Next, INVARIANT Inv"}
}

func readBounded(name string) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() && !info.IsDir() { // a named pipe would keep us waiting
		return nil, fmt.Errorf("%s is no file that can be read: %s", name, info.Mode().Type())
	}
	if info.Size() > maxConfig {
		return nil, fmt.Errorf("%s: a configuration of more than %d bytes", name, maxConfig)
	}
	return os.ReadFile(name)
}

// CheckerOptions are the options for checker.Run that the configuration asks for, and what the checks of vacuity need. The rest is the caller's.
func (s *Spec) CheckerOptions() checker.Options {
	opt := checker.Options{Stats: s.stats}
	opt.NoDeadlock = s.Config.CheckDeadlock != nil && !*s.Config.CheckDeadlock
	opt.Vacuity.Variant = func(drop *eval.Conjunct, coverage bool) (*eval.Program, error) {
		// What it prints has been printed by then.
		o := s.options
		o.Drop, o.Coverage, o.Out = drop, coverage, nil
		return eval.Compile(s.Module, s.Config, o)
	}
	opt.Vacuity.Accepted = s.accepted()
	return opt
}

// accepted finds the reasons in comments "vacuous-ok: reason": beside a definition, for all that is in it, and beside a conjunct.
func (s *Spec) accepted() func(definition string, at diag.Span) string {
	type reason struct {
		span diag.Span
		text string
	}
	var reasons []reason
	byName := map[string]string{}
	var collect func(m *module.Module, done map[*module.Module]bool)
	collect = func(m *module.Module, done map[*module.Module]bool) {
		if done[m] {
			return
		}
		done[m] = true
		for d, text := range m.Vacuous {
			reasons = append(reasons, reason{d.Span, text})
			byName[d.Name] = text
		}
		for _, e := range m.Extends {
			collect(e, done)
		}
	}
	collect(s.Module, map[*module.Module]bool{})
	conjuncts := func(list []*eval.Conjunct) {
		for _, c := range list {
			if c.VacuousOK != "" {
				reasons = append(reasons, reason{c.Span, c.VacuousOK})
			}
		}
	}
	for _, a := range s.Program.Actions() {
		conjuncts(a.Conjuncts)
	}
	for _, p := range s.Program.Invariants() {
		conjuncts(p.Conjuncts)
	}
	return func(definition string, at diag.Span) string {
		for _, r := range reasons {
			if r.span.Source == at.Source && at.Known() && r.span.Start <= at.Start && at.End <= r.span.End {
				return r.text
			}
		}
		// A property's finding is about the configuration's line.
		if at.Source == s.Config.Source {
			return byName[definition]
		}
		return ""
	}
}
