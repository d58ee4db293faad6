package module

import (
	"podlife/tla/diag"
)

// A symbol is what a name can mean: *Constant, *Variable, *Param, *Definition, *instancePath, *unusable or *broken. Builtins and
// nested modules are looked up apart.
type symbol any

// unusable is a name that stands for no expression: that of a theorem of the form ASSUME ... PROVE.
type unusable struct{ why string }

// broken is an instance of a module that could not be read. Its use is not reported again.
type broken struct{}

// An entry is one name of a context.
type entry struct {
	name  string
	means symbol
	local bool // not visible where the module is extended or instantiated
	// imported: it came by INSTANCE without a name. SANY lets a further definition of an instance's name stand beside it.
	imported bool
	span     diag.Span
}

// class is what must agree for two meanings of one name to stand beside each other, in which case the first counts.
func (e *entry) class() string {
	switch m := e.means.(type) {
	case *Constant:
		return "constant"
	case *Variable:
		return "variable"
	case *Definition:
		if m.Theorem {
			return "theorem"
		}
		return "definition"
	case *unusable:
		return "theorem"
	case *instancePath, *broken:
		return "instance"
	}
	return "bound name"
}

// family is what must agree for two names to come together by EXTENDS: SANY has one kind of node for definitions and instances, and one for
// constants and variables.
func (e *entry) family() string {
	switch c := e.class(); c {
	case "constant", "variable":
		return "declaration"
	case "instance":
		return "definition"
	default:
		return c
	}
}

// arity is the number of arguments of what the entry means, or 0.
func (e *entry) arity() int {
	switch m := e.means.(type) {
	case *Constant:
		return m.Arity
	case *Param:
		return m.Arity
	case *Definition:
		return len(m.Params)
	case *instancePath:
		return m.arity()
	}
	return 0
}

// what names the kind of the entry for people.
func (e *entry) what() string {
	switch m := e.means.(type) {
	case *Constant:
		return "a constant"
	case *Variable:
		return "a variable"
	case *Param:
		if m.Arity > 0 {
			return "an operator parameter"
		}
		return "a bound name or parameter"
	case *Definition:
		if m.Theorem {
			return "a theorem or assumption"
		}
		return "a definition"
	case *instancePath, *broken:
		return "an instance"
	case *unusable:
		return "a theorem"
	}
	return "something else"
}

// A context is the names that came into being in one place: a module's top, a LET, a definition's parameters.
type context struct {
	entries map[string]*entry
	order   []*entry
	modules map[string]*Module // nested modules
	nested  []string           // their names, in order
}

func newContext() *context { return &context{} }

func (c *context) find(name string) *entry { return c.entries[name] }

func (c *context) put(e *entry) {
	if c.entries == nil {
		c.entries = map[string]*entry{}
	}
	if _, there := c.entries[e.name]; !there {
		c.entries[e.name] = e
		c.order = append(c.order, e)
	}
}

func (c *context) putModule(name string, m *Module) {
	if c.modules == nil {
		c.modules = map[string]*Module{}
	}
	if _, there := c.modules[name]; !there {
		c.modules[name] = m
		c.nested = append(c.nested, name)
	}
}

// A scope is what is visible somewhere: contexts, innermost last.
type scope []*context

func (s scope) find(name string) *entry {
	for i := len(s) - 1; i >= 0; i-- {
		if e := s[i].find(name); e != nil {
			return e
		}
	}
	return nil
}

func (s scope) findModule(name string) *Module {
	for i := len(s) - 1; i >= 0; i-- {
		if m := s[i].modules[name]; m != nil {
			return m
		}
	}
	return nil
}
