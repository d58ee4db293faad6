package eval

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"strings"

	"podlife/tla/library"
	"podlife/tla/module"
	"podlife/tla/value"
)

// An Evaluator runs a Program, for one goroutine at a time.
type Evaluator struct {
	p *Program
	m *machine

	source  *rand.PCG
	level   int64
	exit    bool
	history func() []State
	example func() value.Value
	yield   func(Step) bool
	sink    func(State) bool
	next    func() bool // the methods, once
	first   func() bool
	lone    func() bool
}

func (p *Program) newEvaluator(ctx context.Context) *Evaluator {
	m := p.newMachine(ctx)
	e := &Evaluator{p: p, m: m, source: rand.NewPCG(uint64(p.opt.Seed), 0)}
	e.next, e.first, e.lone = e.emitNext, e.emitInitial, e.emitLone
	m.lib = &library.Env{
		Work:           &m.work,
		Out:            p.opt.Out,
		Rand:           rand.New(e.source),
		Now:            p.opt.Now,
		Registers:      &library.Registers{},
		Files:          p.opt.Files,
		Exec:           p.opt.Exec,
		Environ:        p.opt.Environ,
		Stat:           e.stat,
		Exit:           e.requestExit,
		Trace:          e.trace,
		CounterExample: e.counterExample,
		Definition:     e.definitionByName,
	}
	// TLC composes actions only when this is asked for, and a specification can make sure of that. Here they always are.
	m.lib.Registers.SetName("-Dtlc2.tool.impl.Tool.cdot", value.NewString("true"))
	m.lib.Workers = p.workerRegisters
	p.mu.Lock()
	p.registers = append(p.registers, m.lib.Registers)
	p.mu.Unlock()
	if p.counts != nil {
		m.cover = &counters{}
	}
	return e
}

func (p *Program) newMachine(ctx context.Context) *machine {
	if ctx == nil {
		ctx = context.Background()
	}
	m := &machine{p: p, ctx: ctx, limit: p.opt.MaxDepth, constants: map[*constant]value.Value{}, lib: &library.Env{}}
	if m.limit <= 0 {
		m.limit = defaultLimit
	}
	m.work.Stop = m.interrupt
	m.lib.Work = &m.work
	return m
}

// run evaluates a unit in the states s and t.
func (e *Evaluator) run(u *callUnit, s, t State, do func(m *machine, f *frame)) error {
	m := e.m
	return m.protect(func() {
		m.tick()
		m.states(s, t)
		m.unassigned, m.depth = 0, m.depth+u.unit.deepest+2
		if m.depth > m.limit {
			m.descend(0)
		}
		f := m.frame(u.unit)
		do(m, f)
		m.release(u.unit, f)
	})
}

// seed begins the choices of a state anew, so that they are the same ones whenever they are made.
func (e *Evaluator) seed(s State) {
	if !e.p.chance {
		return
	}
	h := uint64(len(s))
	for _, v := range s {
		h = h*0x9e3779b97f4a7c15 + value.Hash(v)
	}
	e.source.Seed(uint64(e.p.opt.Seed), h)
}

func (e *Evaluator) truth(p *Predicate, s, t State) (holds bool, err error) {
	u := p.run
	m := e.m
	// The usual case without a closure.
	saved := m.save()
	defer func() {
		if r := recover(); r != nil {
			err = m.explain(r)
		}
		m.restore(saved)
	}()
	m.tick()
	m.states(s, t)
	e.seed(s)
	m.unassigned = 0
	m.descend(u.unit.deepest + 2)
	f := m.frame(u.unit)
	holds = u.pred(m, f)
	m.release(u.unit, f)
	return holds, nil
}

func (e *Evaluator) holds(p *Predicate, s, t State) (bool, error) { return e.truth(p, s, t) }

func (e *Evaluator) assumptions() ([]AssumptionResult, error) { return e.results(e.p.assumptions) }

func (e *Evaluator) postConditions() ([]AssumptionResult, error) {
	return e.results(e.p.postConditions)
}

func (e *Evaluator) results(ps []*Predicate) ([]AssumptionResult, error) {
	var out []AssumptionResult
	for _, p := range ps {
		holds, err := e.truth(p, nil, nil)
		if err != nil {
			return out, err
		}
		out = append(out, AssumptionResult{Name: p.Name, Span: p.Span, True: holds})
	}
	return out, nil
}

func (e *Evaluator) initial(yield func(State) bool) error {
	if e.p.init == nil {
		return nil
	}
	m, u := e.m, e.p.init
	return m.protect(func() {
		sink := e.sink
		e.sink = yield
		defer func() { e.sink = sink }()
		m.states(m.blank(), nil)
		e.seed(nil)
		m.unassigned, m.emit = len(e.p.variables), e.first
		m.descend(u.unit.deepest + 2)
		f := m.frame(u.unit)
		u.act(m, f)
		m.release(u.unit, f)
		m.discard(m.cur)
	})
}

func (e *Evaluator) emitInitial() bool {
	m := e.m
	m.interrupt()
	if m.unassigned != 0 {
		m.at = e.p.initAt
		m.incomplete(m.cur, "the initial predicate gives %s no value")
	}
	return e.sink(m.complete(m.cur, nil))
}

// incomplete fails because of the variables that have no value.
func (m *machine) incomplete(state []value.Value, format string) {
	var missing []string
	for i, v := range state {
		if v == nil {
			missing = append(missing, m.p.variables[i])
		}
	}
	s := m.at
	if m.action != nil {
		s = &site{span: m.action.Span, definition: m.action.Name}
	}
	fail(s, CodeIncomplete, format, strings.Join(missing, ", "))
}

// complete makes a state of values, all of which are there. Those that are the same in old are known to be normal.
func (m *machine) complete(vals, old []value.Value) State {
	s := make(State, len(vals))
	for i, v := range vals {
		if old == nil || v != old[i] {
			v = m.work.Normalize(v)
		}
		s[i] = v
	}
	return s
}

func (e *Evaluator) successors(s State, yield func(Step) bool) error {
	if e.p.next == nil {
		return nil
	}
	m, u := e.m, e.p.next.unit
	return m.protect(func() {
		saved := e.yield
		e.yield = yield
		defer func() { e.yield = saved }()
		m.states(s, m.blank())
		e.seed(s)
		m.unassigned, m.emit = len(e.p.variables), e.next
		m.action = nil
		m.descend(u.deepest + 2)
		f := m.frame(u)
		e.p.next.root(m, f)
		m.release(u, f)
		m.discard(m.next)
	})
}

func (e *Evaluator) emitNext() bool {
	m := e.m
	m.ticks += 64
	m.tick()
	if m.unassigned != 0 {
		m.incomplete(m.next, "the action "+m.action.Name+" gives %s no value in the next state")
	}
	if m.actionArgs == nil && len(m.action.Params) > 0 {
		m.actionArgs = m.arguments()
	}
	if m.cover != nil {
		atCount(m, m.action).Generated++
	}
	return e.yield(Step{Next: m.complete(m.next, m.cur), Action: m.action, Args: m.actionArgs})
}

// arguments are the values of the parameters of the action under way; nil for one that cannot be evaluated, or mentions the next state.
func (m *machine) arguments() []value.Value {
	f := m.actionFrame
	out := make([]value.Value, len(m.action.Params))
	for i := range out {
		t := f.thunks[i]
		if t == nil {
			out[i] = m.work.Normalize(f.slots[i].v)
			continue
		}
		if t.arg.depends&usesNext != 0 && t.arg.variable < 0 {
			continue
		}
		out[i] = m.attempt(t)
	}
	return out
}

// attempt evaluates an argument that nobody may have needed.
func (m *machine) attempt(t *thunk) (v value.Value) {
	saved := m.save()
	defer func() {
		if r := recover(); r != nil {
			if f, ok := r.(*failure); ok && f.code == CodeInterrupted {
				panic(r)
			}
			m.restore(saved)
			v = nil
		}
	}()
	return m.work.Normalize(t.force(m))
}

func (e *Evaluator) take(a *Action, args []value.Value, s State, yield func(State) bool) error {
	return e.takeUnit(a.run.call, a.Name, args, s, yield)
}

func (e *Evaluator) takeUnit(u *callUnit, name string, args []value.Value, s State, yield func(State) bool) error {
	if len(args) != len(u.params) {
		return &Error{Code: CodeArity, Message: name + " has " + plural(len(u.params), "parameter")}
	}
	m := e.m
	return m.protect(func() {
		sink := e.sink
		e.sink = yield
		defer func() { e.sink = sink }()
		m.states(s, m.blank())
		e.seed(s)
		m.unassigned, m.emit = len(e.p.variables), e.lone
		m.action = nil
		m.descend(u.unit.deepest + 2)
		f := m.frame(u.unit)
		for i, v := range args {
			f.thunks[i], f.slots[i].v = nil, v
		}
		u.act(m, f)
		m.release(u.unit, f)
		m.discard(m.next)
	})
}

func (e *Evaluator) emitLone() bool {
	m := e.m
	m.interrupt()
	if m.unassigned != 0 {
		m.incomplete(m.next, "the action gives %s no value in the next state")
	}
	return e.sink(m.complete(m.next, m.cur))
}

func (e *Evaluator) takeDefinition(d *module.Definition, args []value.Value, s State, yield func(State) bool) error {
	for _, p := range d.Params {
		if p.Arity > 0 {
			return &Error{Code: CodeUnsupported, Message: d.Name + " has an operator as parameter", Span: d.NameSpan}
		}
	}
	u, err := e.p.takable(d)
	if err != nil {
		return err
	}
	return e.takeUnit(u, d.Name, args, s, yield)
}

// takable compiles a definition as an action that is taken on its own.
func (p *Program) takable(d *module.Definition) (u *callUnit, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if u := p.taken[d]; u != nil {
		return u, nil
	}
	defer recoverCompile(&err)
	u = &callUnit{name: d.Name, params: d.Params}
	c := p.compiler()
	c.definition, c.inlined = d.Name, []*module.Definition{d}
	u.unit = c.unit
	var e *env
	for _, param := range d.Params {
		e = e.bind(param, &binding{kind: bindParam, unit: c.unit, slot: c.unit.params})
		c.unit.params++
	}
	c.unit.slots = c.unit.params
	c.text = d
	u.act = c.action(d.Body, e, emitCont)
	p.taken[d] = u
	return u, nil
}

func recoverCompile(err *error) {
	if r := recover(); r != nil {
		if e, ok := r.(*compileError); ok {
			*err = e.err
			return
		}
		*err = &Error{Code: CodeInternal, Message: fmt.Sprintf("internal error: %v", r), Cause: fmt.Errorf("%v\n%s", r, debug.Stack())}
	}
}

// enabled looks for a successor by one action, with any arguments that it is taken with.
func (e *Evaluator) enabled(a *Action, s State) (enabled bool, err error) {
	m, u := e.m, e.p.next.unit
	err = m.protect(func() {
		m.states(s, m.blank())
		m.unassigned, m.action = neverComplete, nil
		m.emit = func() bool {
			enabled = true
			return false
		}
		only := m.only
		m.only = a
		defer func() { m.only = only }()
		m.descend(u.deepest + 2)
		f := m.frame(u)
		e.p.next.root(m, f)
		m.release(u, f)
		m.discard(m.next)
	})
	return enabled, err
}

func (e *Evaluator) view(s State) (v value.Value, has bool, err error) {
	if e.p.view == nil {
		return nil, false, nil
	}
	err = e.run(e.p.view, s, nil, func(m *machine, f *frame) { v = m.work.Normalize(e.p.view.value(m, f)) })
	return v, true, err
}

func (e *Evaluator) alias(s, t State) (v value.Value, has bool, err error) {
	if e.p.aliasCode == nil {
		return nil, false, nil
	}
	if t == nil {
		t = s // TLC lets the last state be its own successor
	}
	err = e.run(e.p.aliasCode, s, t, func(m *machine, f *frame) { v = m.work.Normalize(e.p.aliasCode.value(m, f)) })
	return v, true, err
}

func (e *Evaluator) evalExpr(x module.Expr, s, t State) (v value.Value, err error) {
	u, err := e.p.compiledExpr(x)
	if err != nil {
		return nil, err
	}
	err = e.run(u, s, t, func(m *machine, f *frame) { v = u.value(m, f) })
	return v, err
}

func (p *Program) compiledExpr(x module.Expr) (u *callUnit, err error) {
	defer recoverCompile(&err)
	return p.expression(x), nil
}

// expression compiles an expression of the module's scope, or gives what it was compiled to.
func (p *Program) expression(x module.Expr) *callUnit {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.compileExpression(x)
}

// expressionOf is expression for the use of a definition without parameters.
func (p *Program) expressionOf(d *module.Definition) *callUnit {
	p.mu.Lock()
	defer p.mu.Unlock()
	u := p.evaluated[d]
	if u == nil {
		u = p.compileExpression(call(d))
		p.evaluated[d] = u
	}
	return u
}

func (p *Program) compileExpression(x module.Expr) *callUnit {
	if u := p.expressions[x]; u != nil {
		return u
	}
	c := p.compiler()
	u := &callUnit{unit: c.unit}
	u.value = c.value(x, nil)
	p.expressions[x] = u
	return u
}
