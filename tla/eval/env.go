package eval

import (
	"podlife/tla/module"
)

// An env says what the names around an expression stand for. It is a list: whoever binds a name puts a link before it.
type env struct {
	up  *env
	key any // *module.Param, or *module.Definition of a LET
	b   *binding
}

func (e *env) find(key any) *binding {
	for ; e != nil; e = e.up {
		if e.key == key {
			return e.b
		}
	}
	return nil
}

func (e *env) bind(key any, b *binding) *env { return &env{up: e, key: key, b: b} }

// bindKind is how a name gets its meaning.
type bindKind uint8

const (
	bindSlot     bindKind = iota // a value in a slot
	bindParam                    // a value in a slot, or a thunk for it: the parameter of a unit
	bindInline                   // an expression, compiled wherever the name stands
	bindCell                     // an expression, evaluated when it is needed first and remembered in a slot
	bindOperator                 // an operator that is known: a definition, lambda or builtin, with its env
	bindOpSlot                   // an operator that is only known when the unit is called
	bindMacro                    // a definition of a LET with parameters, written into its callers
	bindFunction                 // a recursive function definition of a LET: its *function is in fn
	bindConstant                 // an expression that depends on nothing, in k
)

// A binding is the meaning of a name.
type binding struct {
	kind bindKind
	unit *unit // whose frame has the slot
	slot int

	expr module.Expr // of bindInline, bindCell, bindOperator
	env  *env        // of expr, or of def
	def  *module.Definition

	where where // where expr was written

	code    code // of bindCell, once it was needed
	depends uses
	known   bool // depends is

	calls map[want]*callUnit // of bindMacro or a lambda, when it is called instead
	fn    *function
	k     *constant
}

// where is the definition in whose text an expression stands, and from where that was written into another one, for messages.
type where struct {
	definition string
	caller     *site
	text       *module.Definition // of a module, in which that stands
}

func (c *compiler) where() where { return where{c.definition, c.caller, c.text} }

// at compiles something that was written elsewhere.
func (c *compiler) at(w where, compile func()) {
	saved := c.where()
	c.definition, c.caller, c.text = w.definition, w.caller, w.text
	compile()
	c.definition, c.caller, c.text = saved.definition, saved.caller, saved.text
}
