package eval

import (
	"context"
	"io"
	"time"

	"podlife/tla/config"
	"podlife/tla/diag"
	"podlife/tla/library"
	"podlife/tla/module"
	"podlife/tla/value"
)

// Options are how a program is compiled and run. The zero value is good.
type Options struct {
	Out      io.Writer // where Print and PrintT write; nil: nowhere
	Seed     int64     // of RandomElement and the like: in the same state, the same seed gives the same choices
	Drop     *Conjunct // compile as if this conjunct, of a Program of the same module and configuration, were not there
	Coverage bool      // count what Evaluator.Coverage reports; costs time
	MaxDepth int       // nesting of evaluations beyond which an error is given; 0: a default that fits the Go stack

	// Stat gives the checker's numbers to TLCGet ("distinct", "queue", ...); nil, or a nil result: not known. Evaluator.SetLevel gives "level".
	Stat func(name string) value.Value
	// Warn is told, once for each place, what is legal and probably not meant, as an EXCEPT that changes nothing. It may be called by several
	// goroutines. nil: nobody is told.
	Warn func(at diag.Span, message string)
	// Exit is called by TLCSet("exit", TRUE); nil: nothing happens.
	Exit func()

	// ExpressionsOnly says that nobody will ask for states: a configuration without INIT and NEXT is in order then.
	ExpressionsOnly bool

	// What the operators of the modules Json, CSV, IOUtils and TLC may do outside; nil: they are refused with an error.
	Files   *library.Files
	Exec    library.Exec
	Environ func() []string
	Now     func() time.Time
}

// A State gives each variable its value, by its index in Program.Variables. Once it has been handed out it does not change.
type State []value.Value

// An Action is a part of the next-state relation that has a name of its own, as TLC splits it: at disjunctions, at \E over a set that is known
// before the run, and at definitions.
type Action struct {
	Index      int
	Name       string   // of the innermost definition; "Next" or the like for what has no name of its own
	Params     []string // names of the definition's parameters, and of the \E inside of it that were split
	Span       diag.Span
	Definition *module.Definition // nil where the configuration's formula is split without a definition
	Conjuncts  []*Conjunct

	run *actionCode
}

// A Conjunct is one item of the top conjunction of an action's or an invariant's body.
type Conjunct struct {
	Definition string // of which action or invariant
	Index      int
	Name       string // the name of the guard in the text, or ""
	Span       diag.Span
	Primed     bool   // it mentions the next state: an assignment rather than a guard
	VacuousOK  string // the reason after "vacuous-ok:" in the text, or ""

	expr module.Expr
}

// A Predicate is a formula to check: an invariant, a constraint, a part of a property.
type Predicate struct {
	Name      string
	Span      diag.Span
	Conjuncts []*Conjunct

	run *callUnit
}

// A Property is a PROPERTY of the configuration, split into what can be checked on states and steps, and the rest.
type Property struct {
	Name        string
	Span        diag.Span
	Initial     []*Predicate // true of each initial state
	Always      []*Predicate // true of each reachable state
	Step        []*Predicate // true of each step, [][A]_v: A or v unchanged
	Unsupported []Unsupported
}

// Unsupported is a formula that this package understands but cannot check, and why.
type Unsupported struct {
	Span diag.Span
	Text string
	Why  string
}

// A Step is one generated successor.
type Step struct {
	Next   State
	Action *Action
	Args   []value.Value // values of Action.Params, nil where there are none
}

// An AssumptionResult is what became of one ASSUME.
type AssumptionResult struct {
	Name string
	Span diag.Span
	True bool
}

// A Permutation maps the model values of a symmetry set to each other.
type Permutation = map[*value.Model]*value.Model

// Compile prepares a specification for evaluation. Errors are diag errors with the codes of error.go: an unassigned constant, a name of the
// configuration that the module does not define or that is of the wrong level, a formula that is not understood.
func Compile(m *module.Module, cfg *config.Config, opt Options) (*Program, error) {
	return compileProgram(m, cfg, opt)
}

// Variables are the names of the variables, in the order of their declaration.
func (p *Program) Variables() []string { return p.variables }

// HasBehavior tells whether the configuration names a specification or INIT and NEXT. Without one only assumptions can be evaluated.
func (p *Program) HasBehavior() bool { return p.behavior }

// Actions are the parts of the next-state relation.
func (p *Program) Actions() []*Action { return p.actions }

// Invariants, Constraints and ActionConstraints are those of the configuration, in its order. An invariant that is a conjunction is one Predicate.
func (p *Program) Invariants() []*Predicate { return p.invariants }

// Constraints are the state constraints: a state for which one is FALSE is not explored.
func (p *Program) Constraints() []*Predicate { return p.constraints }

// ActionConstraints are predicates of a step, for HoldsStep.
func (p *Program) ActionConstraints() []*Predicate { return p.actionConstraints }

// Properties are those of the configuration, in its order.
func (p *Program) Properties() []*Property { return p.properties }

// Fairness are the fairness conditions and other liveness conjuncts of the SPECIFICATION. Safety does not depend on them.
func (p *Program) Fairness() []Unsupported { return p.fairness }

// Warnings are about lines of the configuration that have no effect.
func (p *Program) Warnings() diag.List { return p.warnings }

// StateOf makes a state. It is an error when a variable has no value, or a name is not a variable.
func (p *Program) StateOf(vars map[string]value.Value) (State, error) { return p.stateOf(vars) }

// NewEvaluator makes an evaluator, for one goroutine at a time. When ctx is done, what is being
// evaluated ends with its error, also inside of one operation on values (see value.Work).
func (p *Program) NewEvaluator(ctx context.Context) *Evaluator { return p.newEvaluator(ctx) }

// Close ends the evaluator's part in TLCGet("all"), and lets the program forget it. It is not used any more then; a program that makes few
// evaluators, or ends with them, need not close them.
func (e *Evaluator) Close() { e.close() }

// Assumptions evaluates each ASSUME of the module and of those it extends, in order.
func (e *Evaluator) Assumptions() ([]AssumptionResult, error) { return e.assumptions() }

// Initial yields each initial state that is generated, doubles included, until yield returns false.
func (e *Evaluator) Initial(yield func(State) bool) error { return e.initial(yield) }

// Successors yields each generated successor of s, doubles included, until yield returns false.
func (e *Evaluator) Successors(s State, yield func(Step) bool) error { return e.successors(s, yield) }

// Take yields the successors of s by one action with these arguments: those of Action.Params, as in Step.Args.
func (e *Evaluator) Take(a *Action, args []value.Value, s State, yield func(State) bool) error {
	return e.take(a, args, s, yield)
}

// TakeDefinition is Take for any definition of the module.
func (e *Evaluator) TakeDefinition(d *module.Definition, args []value.Value, s State, yield func(State) bool) error {
	return e.takeDefinition(d, args, s, yield)
}

// Enabled tells whether the action has a successor.
func (e *Evaluator) Enabled(a *Action, s State) (bool, error) { return e.enabled(a, s) }

// Holds evaluates a predicate of a state.
func (e *Evaluator) Holds(p *Predicate, s State) (bool, error) { return e.holds(p, s, nil) }

// HoldsStep evaluates a predicate of a step.
func (e *Evaluator) HoldsStep(p *Predicate, s, t State) (bool, error) { return e.holds(p, s, t) }

// View is the value that stands for the state where the configuration has a VIEW; has is false where it has none.
func (e *Evaluator) View(s State) (v value.Value, has bool, err error) { return e.view(s) }

// Alias is what to show instead of a state in a counterexample, where the configuration has an ALIAS. t is the state after s, or nil for the last.
func (e *Evaluator) Alias(s, t State) (v value.Value, has bool, err error) { return e.alias(s, t) }

// Symmetry is the group of permutations of the configuration's SYMMETRY, without the identity; nil where it has none.
func (e *Evaluator) Symmetry() ([]Permutation, error) { return e.symmetry() }

// PostConditions evaluates each POSTCONDITION after the run.
func (e *Evaluator) PostConditions() ([]AssumptionResult, error) { return e.postConditions() }

// EvalExpr evaluates an expression of the module's scope. s and t may be nil where it does not mention variables, or primed ones.
func (e *Evaluator) EvalExpr(x module.Expr, s, t State) (value.Value, error) {
	return e.evalExpr(x, s, t)
}

// Coverage is what has been counted since the evaluator was made. It is nil without Options.Coverage.
func (e *Evaluator) Coverage() *Coverage { return e.coverage() }
