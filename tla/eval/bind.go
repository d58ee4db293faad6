package eval

import (
	"fmt"
	"strings"

	"podlife/tla/config"
	"podlife/tla/diag"
	"podlife/tla/library"
	"podlife/tla/module"
	"podlife/tla/value"
)

// An opTable is an operator that the configuration gives line by line.
type opTable struct {
	arity int
	args  [][]value.Value
	vals  []value.Value
}

// at gives the value for the arguments.
func (t *opTable) at(args []value.Value) (value.Value, bool) {
next:
	for i, line := range t.args {
		for j, a := range line {
			if !value.Equal(a, args[j]) {
				continue next
			}
		}
		return t.vals[i], true
	}
	return nil, false
}

// bindings are what the configuration makes of constants and definitions.
type bindings struct {
	constantValues map[*module.Constant]value.Value
	constantDefs   map[*module.Constant]*module.Definition
	constantTables map[*module.Constant]*opTable
	defValues      map[*module.Definition]value.Value
	defTables      map[*module.Definition]*opTable
	defOverrides   map[*module.Definition]*module.Definition

	// Those of the form "Name <-[Module] By" hold for each copy of the definition, so they go by where it was written.
	sourceValues    map[origin]value.Value
	sourceOverrides map[origin]*module.Definition
}

// An origin is the module and name of a definition as it was written.
type origin struct{ module, name string }

// bind carries out the configuration's constants and overrides.
func (p *Program) bind(m *module.Module, cfg *config.Config) {
	p.bindings = bindings{
		constantValues:  map[*module.Constant]value.Value{},
		constantDefs:    map[*module.Constant]*module.Definition{},
		constantTables:  map[*module.Constant]*opTable{},
		defValues:       map[*module.Definition]value.Value{},
		defTables:       map[*module.Definition]*opTable{},
		defOverrides:    map[*module.Definition]*module.Definition{},
		sourceValues:    map[origin]value.Value{},
		sourceOverrides: map[origin]*module.Definition{},
	}
	overriding := map[string]bool{}
	for _, o := range cfg.Overrides {
		if o.Module == "" {
			overriding[o.Name.Text] = true
		}
	}
	for _, k := range cfg.Constants {
		p.bindValue(m, k)
	}
	for _, o := range cfg.Overrides {
		if o.Module == "" && overriding[o.By.Text] {
			p.report(diag.Errorf(CodeConflict, o.By.Span, "%s cannot take the place of %s, because %s is itself overridden", o.By.Text, o.Name.Text, o.By.Text))
			continue
		}
		p.bindOverride(m, o)
	}
	for _, k := range m.Constants {
		_, v := p.constantValues[k]
		_, d := p.constantDefs[k]
		_, t := p.constantTables[k]
		if !v && !d && !t {
			p.report(diag.Errorf(CodeUnassigned, k.Span, "the configuration gives the constant %s no value", k.Name))
		}
	}
}

func (p *Program) bindValue(m *module.Module, k config.Constant) {
	if k.Module != "" {
		for _, o := range p.origins(m, k.Module, k.Name) {
			p.sourceValues[o] = k.Value
		}
		return
	}
	con, d := lookup(m, k.Name.Text)
	switch {
	case con != nil && len(k.Args) != con.Arity:
		p.report(arityError(k.Name, con.Arity, len(k.Args)))
	case con != nil && con.Arity == 0:
		p.constantValues[con] = k.Value
	case con != nil:
		p.constantTables[con] = p.constantTables[con].add(k)
	case d != nil && len(k.Args) != len(d.Params):
		p.report(arityError(k.Name, len(d.Params), len(k.Args)))
	case d != nil && len(d.Params) == 0:
		p.defValues[d] = k.Value
	case d != nil:
		p.defTables[d] = p.defTables[d].add(k)
	default:
		// TLC passes over it: a model value need not be declared.
		if mv, ok := k.Value.(*value.Model); !ok || mv.Name != k.Name.Text {
			p.warn(k.Name, "the specification has no constant or definition %s", k.Name.Text)
		}
	}
}

func (t *opTable) add(k config.Constant) *opTable {
	if t == nil {
		t = &opTable{arity: len(k.Args)}
	}
	t.args = append(t.args, k.Args)
	t.vals = append(t.vals, k.Value)
	return t
}

func arityError(n config.Name, want, got int) *diag.Error {
	return diag.Errorf(CodeArity, n.Span, "%s has %s, and the configuration gives it %d", n.Text, plural(want, "argument"), got)
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func (p *Program) bindOverride(m *module.Module, o config.Override) {
	byConstant, by := lookup(m, o.By.Text)
	if by == nil && (byConstant == nil || byConstant.Arity > 0) {
		p.report(diag.Errorf(CodeUnknownName, o.By.Span, "the specification has no definition %s that could take the place of %s", o.By.Text, o.Name.Text))
		return
	}
	arity := 0
	if by != nil {
		arity = len(by.Params)
	}
	if o.Module != "" {
		for _, at := range p.origins(m, o.Module, o.Name) {
			if by != nil {
				p.sourceOverrides[at] = by
			} else {
				p.sourceValues[at] = p.constantValues[byConstant]
			}
		}
		return
	}
	con, d := lookup(m, o.Name.Text)
	switch {
	case con == nil && d == nil:
		p.report(diag.Errorf(CodeUnknownName, o.Name.Span, "the specification has no constant or definition %s", o.Name.Text))
	case con != nil && con.Arity != arity, con == nil && len(d.Params) != arity:
		want := 0
		if con != nil {
			want = con.Arity
		} else {
			want = len(d.Params)
		}
		p.report(diag.Errorf(CodeArity, o.By.Span, "%s has %s and cannot take the place of %s, which has %d", o.By.Text, plural(arity, "argument"), o.Name.Text, want))
	case con != nil && by != nil:
		p.constantDefs[con] = by
	case con != nil:
		p.constantValues[con] = p.constantValues[byConstant]
	case by != nil:
		p.defOverrides[d] = by
	default:
		p.defValues[d] = p.constantValues[byConstant]
	}
}

// lookup finds a constant or a definition of the root module by name.
func lookup(m *module.Module, name string) (*module.Constant, *module.Definition) {
	s, _ := m.Lookup(name)
	return s.Constant, s.Definition
}

// origins gives where a definition that a module has, or gets by EXTENDS, was written. The module may be one that is only instantiated.
func (p *Program) origins(m *module.Module, in string, name config.Name) []origin {
	known := false
	for _, src := range m.Sources() {
		base := src.Name[strings.LastIndexAny(src.Name, `/\`)+1:]
		known = known || base == in+".tla" || base == in
	}
	if !known {
		p.report(diag.Errorf(CodeUnknownName, name.Span, "the specification has no module %s", in))
		return nil
	}
	out := []origin{{in, name.Text}}
	if ext := extended(m, in, map[*module.Module]bool{}); ext != nil {
		if _, d := lookup(ext, name.Text); d != nil {
			s := d.Source()
			out = append(out, origin{s.Module, s.Name})
		} else {
			p.report(diag.Errorf(CodeUnknownName, name.Span, "the module %s has no definition %s", in, name.Text))
		}
	}
	return out
}

// extended finds a module by its name among those that m extends, directly or not.
func extended(m *module.Module, name string, seen map[*module.Module]bool) *module.Module {
	if m.Name == name {
		return m
	}
	seen[m] = true
	for _, e := range m.Extends {
		if !seen[e] {
			if found := extended(e, name, seen); found != nil {
				return found
			}
		}
	}
	return nil
}

func (p *Program) warn(n config.Name, format string, args ...any) {
	p.warnings = append(p.warnings, diag.Errorf(CodeUnknownName, n.Span, format, args...))
}

func (p *Program) report(e *diag.Error) { p.errors = append(p.errors, e) }

// definitionValue is the value that the configuration gives a definition.
func (p *Program) definitionValue(d *module.Definition) (value.Value, bool) {
	if v, ok := p.defValues[d]; ok {
		return v, true
	}
	if len(p.sourceValues) == 0 {
		return nil, false
	}
	v, ok := p.sourceValues[originOf(d)]
	return v, ok
}

// overridden is the definition that takes the place of d, or d.
func (p *Program) overridden(d *module.Definition) *module.Definition {
	if by := p.defOverrides[d]; by != nil {
		return by
	}
	if len(p.sourceOverrides) > 0 {
		if by := p.sourceOverrides[originOf(d)]; by != nil && len(by.Params) == len(d.Params) {
			return by
		}
	}
	return d
}

func originOf(d *module.Definition) origin {
	s := d.Source()
	return origin{s.Module, s.Name}
}

// native gives the implementation of a definition in Go.
func (p *Program) native(d *module.Definition) (library.Operator, bool) {
	if d.Let {
		return library.Operator{}, false
	}
	if n, ok := p.natives[d]; ok {
		return n.op, n.ok
	}
	s := d.Source()
	op, ok := library.Lookup(s.Span.Source, s.Module, s.Name, len(s.Params))
	p.natives[d] = native{op, ok && len(s.Params) == len(d.Params)}
	return op, p.natives[d].ok
}

type native struct {
	op library.Operator
	ok bool
}

// nativeDependsOnState tells whether an operator in Go depends on the state that is looked at, so that a definition that uses it is no constant.
func nativeDependsOnState(d *module.Definition) bool {
	switch s := d.Source(); s.Module {
	case "TLC":
		return s.Name == "TLCGet"
	case "TLCExt":
		return s.Name == "Trace" || s.Name == "CounterExample" || s.Name == "PickSuccessor"
	case "IOUtils":
		return len(s.Name) > 5 && (s.Name[:6] == "IOExec" || s.Name[:5] == "IOEnv" && len(s.Params) > 0)
	}
	return false
}
