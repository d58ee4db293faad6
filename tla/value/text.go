package value

import (
	"math"
	"strings"
	"sync"
	"sync/atomic"
)

// Strings, and with them model values and field names, have the order in which TLC first meets them, which is not the alphabet: TLC numbers every name and every
// string when it first reads one, and compares the numbers. DeclareStrings gives this package such numbers. Strings that were never declared, those
// that are only made while a specification runs among them, come after all declared ones, in the order of their bytes, so that nothing depends on
// which worker happens to make one first; without any declaration, the order of strings is that of their bytes.
//
// TLC's order is, as far as a specification can tell: the names and strings of the configuration, as they stand there; then the names in the modules (of
// operators, parameters, fields, bound variables), as they stand there, first those of the root module and then those of each module that it leads to, in
// the order in which the files are read; then the contents of strings, module by module, a module after those that it extends, and in each as they
// stand there. What occurs in several of these has the place of the first.

// undeclared is the rank of strings in alphabetical order.
const undeclared = math.MaxInt32

// maxPooled bounds the pool: beyond it, strings are made without being remembered, which costs time but changes nothing else.
const maxPooled = 1 << 20

// pool remembers strings and model values, so that equal ones are mostly one pointer. It is a cache: nothing but speed, the numbers of
// Append, and DeclareStrings depend on it.
type pool struct {
	mu       sync.RWMutex
	texts    map[string]*Str
	models   map[string]*Model
	ranks    int32
	strs     table[Str]
	numbered table[Model]
}

var shared = &pool{texts: map[string]*Str{}, models: map[string]*Model{}}

// A table is a list that grows while others read it.
type table[T any] struct{ items atomic.Pointer[[]*T] }

func (t *table[T]) len() int {
	if p := t.items.Load(); p != nil {
		return len(*p)
	}
	return 0
}

// add appends; only one goroutine at a time may call it.
func (t *table[T]) add(x *T) {
	var old []*T
	if p := t.items.Load(); p != nil {
		old = *p
	}
	// Writing beyond the length that readers see is no race, since they never look there before the new length is stored.
	next := append(old, x)
	t.items.Store(&next)
}

func (t *table[T]) at(i uint64) *T {
	p := t.items.Load()
	if p == nil || i >= uint64(len(*p)) {
		return nil
	}
	return (*p)[i]
}

// NewString gives the string with this text.
func NewString(text string) *Str {
	shared.mu.RLock()
	s := shared.texts[text]
	shared.mu.RUnlock()
	if s != nil {
		return s
	}
	shared.mu.Lock()
	defer shared.mu.Unlock()
	return shared.text(text, undeclared)
}

// text makes a string; mu is held.
func (p *pool) text(text string, rank int32) *Str {
	if s := p.texts[text]; s != nil {
		return s
	}
	text = strings.Clone(text) // the pool must not keep a whole file alive
	s := &Str{text: text, hash: hashText(text), rank: rank, id: -1}
	if p.strs.len() < maxPooled {
		s.id = int32(p.strs.len())
		p.texts[text] = s
		p.strs.add(s)
	}
	return s
}

// DeclareStrings gives strings a place in the order, after all that were declared before. A program that wants TLC's order calls this once with what it
// loaded, before it makes any value of it: a string that is already known keeps its place, since sorted sets may hold it. The order is of the whole
// process: a program that looks at several specifications does better without, so that its answers do not depend on what it did before.
func DeclareStrings(texts ...string) {
	shared.mu.Lock()
	defer shared.mu.Unlock()
	for _, t := range texts {
		if shared.texts[t] == nil && shared.ranks < undeclared-1 {
			if s := shared.text(t, shared.ranks); s.id >= 0 {
				shared.ranks++
			}
		}
	}
}

func compareText(a, b *Str) int {
	switch {
	case a == b:
		return 0
	case a.rank != b.rank:
		return int(a.rank) - int(b.rank)
	default:
		return strings.Compare(a.text, b.text)
	}
}

func equalText(a, b *Str) bool {
	return a == b || a.hash == b.hash && a.text == b.text
}

// NewModel gives the model value of this name. Model values have the order of their names as strings.
func NewModel(name string) *Model {
	shared.mu.RLock()
	m := shared.models[name]
	shared.mu.RUnlock()
	if m != nil {
		return m
	}
	shared.mu.Lock()
	defer shared.mu.Unlock()
	if m := shared.models[name]; m != nil {
		return m
	}
	s := shared.text(name, undeclared)
	m = &Model{Name: s.text, text: s, hash: mix(s.hash ^ seedModel), id: int32(shared.numbered.len())}
	// TLC: a name of at least three characters whose second is "_" has its first as type.
	if r := []rune(name); len(r) > 2 && r[1] == '_' {
		m.Type = r[0]
	}
	shared.models[m.Name] = m
	shared.numbered.add(m)
	return m
}
