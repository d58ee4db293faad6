package eval

import (
	"sync"
	"sync/atomic"

	"podlife/tla/config"
	"podlife/tla/diag"
	"podlife/tla/library"
	"podlife/tla/module"
	"podlife/tla/value"
)

// A Program is a compiled specification.
type Program struct {
	variables []string
	behavior  bool
	chance    bool // evaluating a state may depend on chance
	actions   []*Action
	init      *callUnit
	initAt    *site
	next      *split
	warnings  diag.List

	invariants        []*Predicate
	constraints       []*Predicate
	actionConstraints []*Predicate
	properties        []*Property
	fairness          []Unsupported
	postConditions    []*Predicate
	assumptions       []*Predicate
	view, aliasCode   *callUnit
	symmetrySets      []*callUnit

	module *module.Module
	config *config.Config
	opt    Options
	bindings
	varIndex map[*module.Variable]int
	width    atomic.Int64 // of a next state in ENABLED: how many indices there are

	warned sync.Map // places, see machine.warn

	// mu guards what follows, and compilation as a whole: a few things are compiled when they are asked for.
	mu             sync.Mutex
	errors         diag.List
	natives        map[*module.Definition]native
	definitionUses map[*module.Definition]uses
	sizes          map[*module.Definition]int
	strictness     map[*module.Definition][]bool
	calls          map[callKey]*callUnit
	functions      map[*module.Definition]*function
	constants      map[*module.Definition]*constant
	expressions    map[module.Expr]*callUnit
	taken          map[*module.Definition]*callUnit
	evaluated      map[*module.Definition]*callUnit // by TLCEvalDefinition
	units          int
	registers      []*library.Registers // of all evaluators that are not closed
	chances        uint64               // constants so far
	counts         *counterPlan
}

// defaultLimit is how deep the Go stack may become, in nested closures. A closure needs between 100 and 400 bytes, and Go ends a process whose stack
// reaches a gigabyte.
const defaultLimit = 500_000

func compileProgram(m *module.Module, cfg *config.Config, opt Options) (p *Program, err error) {
	p = &Program{
		module: m, config: cfg, opt: opt,
		varIndex:       map[*module.Variable]int{},
		natives:        map[*module.Definition]native{},
		definitionUses: map[*module.Definition]uses{},
		sizes:          map[*module.Definition]int{},
		strictness:     map[*module.Definition][]bool{},
		calls:          map[callKey]*callUnit{},
		functions:      map[*module.Definition]*function{},
		constants:      map[*module.Definition]*constant{},
		expressions:    map[module.Expr]*callUnit{},
		taken:          map[*module.Definition]*callUnit{},
		evaluated:      map[*module.Definition]*callUnit{},
	}
	if cfg == nil {
		p.config = &config.Config{}
	}
	if opt.Coverage {
		p.counts = newCounterPlan()
	}
	for i, v := range m.Variables {
		p.variables = append(p.variables, v.Name)
		p.varIndex[v] = i
	}
	p.width.Store(int64(len(p.variables)))
	defer func() {
		if err != nil {
			p = nil
		}
	}()
	defer recoverCompile(&err)
	p.bind(m, p.config)
	if len(p.errors) > 0 {
		return nil, p.errors
	}
	p.compileAll()
	if len(p.errors) > 0 {
		return nil, p.errors
	}
	return p, nil
}

// compileError is the panic that ends a compilation.
type compileError struct{ err *diag.Error }

func (p *Program) stateOf(vars map[string]value.Value) (State, error) {
	s := make(State, len(p.variables))
	for i, name := range p.variables {
		v, ok := vars[name]
		if !ok {
			return nil, &Error{Code: CodeUnbound, Message: "the variable " + name + " has no value"}
		}
		if err := value.Catch(func() { s[i] = value.Normalize(v) }); err != nil {
			return nil, &Error{Code: CodeEvaluation, Message: "the value of " + name + " is infinite: " + err.Error(), Cause: err}
		}
	}
	if len(vars) != len(s) {
		for name := range vars {
			if !p.isVariable(name) {
				return nil, &Error{Code: CodeUnknownName, Message: "the specification has no variable " + name}
			}
		}
	}
	return s, nil
}

// indexOf is the place of a variable in a state. One that ENABLED hides gets its place, behind the others, when it is met first.
func (p *Program) indexOf(v *module.Variable) int {
	i, ok := p.varIndex[v]
	if !ok {
		i = len(p.varIndex)
		p.varIndex[v] = i
		p.width.Store(int64(i + 1))
	}
	return i
}

// variableName is the name for messages.
func (p *Program) variableName(i int) string {
	if i < len(p.variables) {
		return p.variables[i]
	}
	return "a variable that ENABLED hides"
}

func (p *Program) isVariable(name string) bool {
	for _, v := range p.variables {
		if v == name {
			return true
		}
	}
	return false
}
