package eval

import (
	"math/rand/v2"
	"sync/atomic"

	"podlife/tla/module"
	"podlife/tla/value"
)

// A constant is an expression that has one value for the whole program. It is evaluated when it is needed first; one that fails fails each time.
type constant struct {
	unit   *unit
	run    code
	chance uint64 // not 0: it depends on chance, and this is its share of the seed
	v      atomic.Pointer[value.Value]
}

func (k *constant) get(m *machine, _ *frame) value.Value {
	if p := k.v.Load(); p != nil {
		return *p
	}
	return k.compute(m)
}

func (k *constant) compute(m *machine) value.Value {
	if v, ok := m.constants[k]; ok {
		return v
	}
	escaped := m.escaped
	if k.chance != 0 {
		// The same choice whenever, and by whichever evaluator, it is made.
		old := m.lib.Rand
		m.lib.Rand = rand.New(rand.NewPCG(uint64(m.p.opt.Seed), k.chance))
		defer func() { m.lib.Rand = old }()
	}
	f := m.frame(k.unit)
	m.descend(k.unit.deepest + 2)
	v := k.run(m, f)
	m.depth -= k.unit.deepest + 2
	v = m.writtenOut(v)
	m.release(k.unit, f)
	if m.escaped != escaped && !plain(v) {
		// It refers to this machine, and so cannot be shared.
		m.constants[k] = v
		return v
	}
	// Another evaluator may have been faster. Where chance comes in, all must agree.
	k.v.CompareAndSwap(nil, &v)
	return *k.v.Load()
}

// smallSet bounds the set of which a subset by a condition is written out when it is a constant.
const smallSet = 1 << 12

// writtenOut writes a small {x \in S : P} out, unless its condition cannot be evaluated for all elements: nobody may ask for those.
func (m *machine) writtenOut(v value.Value) (written value.Value) {
	written = v
	f, ok := v.(*value.Filtered)
	if !ok || m.filtered != f || !m.work.IsFinite(m.filteredSet) {
		return v
	}
	if n, ok := m.work.Cardinality(m.filteredSet).(value.Int); !ok || n > smallSet {
		return v
	}
	saved := m.save()
	defer func() {
		if r := recover(); r != nil {
			if f, ok := r.(*failure); ok && f.code == CodeInterrupted {
				panic(r)
			}
			m.restore(saved)
		}
	}()
	return m.work.Normalize(f)
}

func (k *constant) isTrue(s *site) pred {
	return func(m *machine, f *frame) bool {
		v := k.get(m, f)
		b, ok := v.(value.Bool)
		if !ok {
			notBoolean(s, v)
		}
		return bool(b)
	}
}

// plain tells whether a value is known to refer to no machine.
func plain(v value.Value) bool {
	switch v := v.(type) {
	case value.Bool, value.Int, *value.Big, *value.Str, *value.Model, *value.Range, value.Infinite, *value.Set:
		return true
	case *value.Tuple:
		return allPlain(v.Elems())
	case *value.Record:
		return allPlain(v.Vals())
	case *value.Function:
		return allPlain(v.Vals())
	case *value.Subsets:
		return plain(v.Of())
	case *value.Functions:
		d, r := v.Sets()
		return plain(d) && plain(r)
	}
	return false
}

func allPlain(vs []value.Value) bool {
	for _, v := range vs {
		if !plain(v) {
			return false
		}
	}
	return true
}

// fold makes a constant of an expression that depends on nothing, unless it is simple anyhow.
func (c *compiler) fold(x module.Expr, e *env) *constant {
	if c.folding {
		return nil
	}
	switch x := x.(type) {
	case *module.Call:
		if len(x.Args) == 0 {
			return nil // a definition has a constant of its own
		}
	case *module.Apply:
		switch {
		case len(x.Args) == 0, x.Op == module.Enabled, x.Op == module.Prime:
			return nil
		}
	case *module.Junction, *module.Quantifier, *module.Choose, *module.SetFilter, *module.SetMap, *module.Function, *module.Record,
		*module.RecordSet, *module.Except, *module.Case, *module.Field:
	default:
		return nil
	}
	if x.ExprLevel() > module.LevelConstant || c.uses(x, e) != 0 {
		return nil
	}
	return c.constantOf(x, e)
}

// constantOf compiles an expression that depends on nothing.
func (c *compiler) constantOf(x module.Expr, e *env) *constant {
	d := c.inner(nil)
	d.folding = true
	k := &constant{unit: d.unit}
	k.run = d.value(x, e)
	return k
}

// definitionConstant gives the constant of a definition without parameters that depends on nothing, or nil for others.
func (c *compiler) definitionConstant(d *module.Definition) *constant {
	if len(d.Params) > 0 || d.Let {
		return nil
	}
	if k, ok := c.p.constants[d]; ok {
		return k
	}
	if c.p.usesOf(d)&^usesChance != 0 {
		return nil
	}
	k := &constant{}
	if c.p.usesOf(d)&usesChance != 0 {
		c.p.chances++
		k.chance = c.p.chances
	}
	c.p.constants[d] = k
	in := c.p.compiler()
	in.folding = true
	in.definition, in.text = d.Name, d
	in.inlined = []*module.Definition{d}
	k.unit = in.unit
	k.run = in.value(d.Body, nil)
	return k
}
