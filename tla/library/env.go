package library

import (
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"podlife/tla/value"
)

// Env is what natives may use of the world around an evaluation. One belongs to one evaluator, which uses it from one goroutine; what several
// share has to be safe for that (see Output, Registers). Whatever is nil is refused with an error that says so, except where the field says
// something else.
type Env struct {
	Out  io.Writer        // where Print and PrintT write, a line at a time; nil: nowhere
	Rand *rand.Rand       // chance. TLC seeds it anew for each state, so that the choices made in a state are the same again
	Now  func() time.Time // the clock of JavaTime

	// Work is what operations on values, and long loops, are interrupted by. nil: they are not.
	Work *value.Work

	// Registers are those of this evaluator.
	Registers *Registers
	// Workers gives the registers of all evaluators, for TLCGet("all").
	Workers func() []*Registers

	// Stat is TLCGet of one of the checker's names: "level", "distinct", "diameter", "generated", "queue", "duration", "config", "spec", "stats",
	// "action", "revision". ok is false for a name that it does not know.
	Stat func(name string) (v value.Value, ok bool)
	// Exit is called by TLCSet("exit", TRUE): the checker should stop. nil: it goes on.
	Exit func()

	// Trace is the behavior up to the current state, a sequence of records; nil, in the function or for it: it is not known.
	Trace func() value.Value
	// CounterExample is the one that was found; nil, in the function or for it: there is none.
	CounterExample func() value.Value
	// Definition evaluates the root module's definition of that name, for TLCEvalDefinition. ok is false where there is no such one without parameters.
	Definition func(name string) (v value.Value, ok bool)
	// Defer keeps f until a simulation has taken the step that is being computed. nil: f is dropped, as when checking.
	Defer func(f func())

	Files   *Files          // which files may be read and written
	Exec    Exec            // how another program is run
	Environ func() []string // the environment variables, as os.Environ
}

// The codes of what natives raise beside those of package value.
const (
	CodeAssertion   value.ErrorCode = "assertion"   // Assert of a condition that is not TRUE
	CodeRefused     value.ErrorCode = "refused"     // a file, a program, the environment: the Env does not allow it
	CodeIO          value.ErrorCode = "io"          // a file or program that should have worked did not, or has the wrong content
	CodeUndefined   value.ErrorCode = "undefined"   // TLCGet of what was never set
	CodeUnsupported value.ErrorCode = "unsupported" // what only TLC itself can do
	CodeEmpty       value.ErrorCode = "empty"       // the head of an empty sequence, the maximum of an empty set
)

// Output makes a writer for several goroutines: each Write is carried out as a whole.
func Output(w io.Writer) io.Writer { return &output{w: w} }

type output struct {
	mu sync.Mutex // guards the following
	w  io.Writer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.w.Write(p)
}

// print writes a line, if there is anywhere to write to.
func (env *Env) print(line string) {
	if env.Out == nil {
		return
	}
	if _, err := io.WriteString(env.Out, line+"\n"); err != nil {
		value.Raise(CodeIO, "what is printed cannot be written: %v", err)
	}
}

// Registers are the values that a specification keeps in the checker with TLCSet, by numbers from 0 and by names that start with "s:". The zero
// value is empty. It is safe for several goroutines.
type Registers struct {
	mu     sync.Mutex // guards the following
	number map[int64]value.Value
	name   map[string]value.Value
}

// Number gives register n. ok is false where it was never set.
func (r *Registers) Number(n int64) (v value.Value, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	v, ok = r.number[n]
	return v, ok
}

// SetNumber sets register n.
func (r *Registers) SetNumber(n int64, v value.Value) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.number == nil {
		r.number = map[int64]value.Value{}
	}
	r.number[n] = v
}

// Name gives the register of that name. ok is false where it was never set.
func (r *Registers) Name(name string) (v value.Value, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	v, ok = r.name[name]
	return v, ok
}

// SetName sets the register of that name.
func (r *Registers) SetName(name string, v value.Value) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.name == nil {
		r.name = map[string]value.Value{}
	}
	r.name[name] = v
}

// Copy gives registers with the same content. TLC's workers start with what the initial states and assumptions have set.
func (r *Registers) Copy() *Registers {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := &Registers{number: make(map[int64]value.Value, len(r.number)), name: make(map[string]value.Value, len(r.name))}
	for n, v := range r.number {
		c.number[n] = v
	}
	for n, v := range r.name {
		c.name[n] = v
	}
	return c
}

// numbers and names give what is set, unsorted. Properties are no registers, though they are kept among them.
func (r *Registers) numbers() (set []int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for n := range r.number {
		set = append(set, n)
	}
	return set
}

func (r *Registers) names() (set []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for n := range r.name {
		if strings.HasPrefix(n, namedRegister) {
			set = append(set, n)
		}
	}
	return set
}
