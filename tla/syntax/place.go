package syntax

import "podlife/tla/diag"

// Place is where the unit stands.
func (u *Constants) Place() diag.Span { return u.Span }
func (*Constants) unit()              {}

// Place is where the unit stands.
func (u *Variables) Place() diag.Span { return u.Span }
func (*Variables) unit()              {}

// Place is where the unit stands.
func (u *Recursive) Place() diag.Span { return u.Span }
func (*Recursive) unit()              {}

// Place is where the unit stands.
func (u *Definition) Place() diag.Span { return u.Span }
func (*Definition) unit()              {}

// Place is where the unit stands.
func (u *FunctionDefinition) Place() diag.Span { return u.Span }
func (*FunctionDefinition) unit()              {}

// Place is where the unit stands.
func (u *Instance) Place() diag.Span { return u.Span }
func (*Instance) unit()              {}

// Place is where the unit stands.
func (u *Assume) Place() diag.Span { return u.Span }
func (*Assume) unit()              {}

// Place is where the unit stands.
func (u *Theorem) Place() diag.Span { return u.Span }
func (*Theorem) unit()              {}

// Place is where the module stands.
func (u *Nested) Place() diag.Span { return u.Module.Span }
func (*Nested) unit()              {}

// Place is where the expression stands.
func (e *Number) Place() diag.Span { return e.Span }
func (*Number) expr()              {}

// Place is where the expression stands.
func (e *String) Place() diag.Span { return e.Span }
func (*String) expr()              {}

// Place is where the expression stands.
func (e *Apply) Place() diag.Span { return e.Span }
func (*Apply) expr()              {}

// Place is where the expression stands.
func (e *Junction) Place() diag.Span { return e.Span }
func (*Junction) expr()              {}

// Place is where the expression stands.
func (e *FunctionApply) Place() diag.Span { return e.Span }
func (*FunctionApply) expr()              {}

// Place is where the expression stands.
func (e *Field) Place() diag.Span { return e.Span }
func (*Field) expr()              {}

// Place is where the expression stands.
func (e *SetEnum) Place() diag.Span { return e.Span }
func (*SetEnum) expr()              {}

// Place is where the expression stands.
func (e *Tuple) Place() diag.Span { return e.Span }
func (*Tuple) expr()              {}

// Place is where the expression stands.
func (e *Times) Place() diag.Span { return e.Span }
func (*Times) expr()              {}

// Place is where the expression stands.
func (e *SetFilter) Place() diag.Span { return e.Span }
func (*SetFilter) expr()              {}

// Place is where the expression stands.
func (e *SetMap) Place() diag.Span { return e.Span }
func (*SetMap) expr()              {}

// Place is where the expression stands.
func (e *Quantifier) Place() diag.Span { return e.Span }
func (*Quantifier) expr()              {}

// Place is where the expression stands.
func (e *Choose) Place() diag.Span { return e.Span }
func (*Choose) expr()              {}

// Place is where the expression stands.
func (e *FunctionConstructor) Place() diag.Span { return e.Span }
func (*FunctionConstructor) expr()              {}

// Place is where the expression stands.
func (e *FunctionSet) Place() diag.Span { return e.Span }
func (*FunctionSet) expr()              {}

// Place is where the expression stands.
func (e *Record) Place() diag.Span { return e.Span }
func (*Record) expr()              {}

// Place is where the expression stands.
func (e *RecordSet) Place() diag.Span { return e.Span }
func (*RecordSet) expr()              {}

// Place is where the expression stands.
func (e *Except) Place() diag.Span { return e.Span }
func (*Except) expr()              {}

// Place is where the expression stands.
func (e *If) Place() diag.Span { return e.Span }
func (*If) expr()              {}

// Place is where the expression stands.
func (e *Case) Place() diag.Span { return e.Span }
func (*Case) expr()              {}

// Place is where the expression stands.
func (e *Let) Place() diag.Span { return e.Span }
func (*Let) expr()              {}

// Place is where the expression stands.
func (e *Lambda) Place() diag.Span { return e.Span }
func (*Lambda) expr()              {}

// Place is where the expression stands.
func (e *ActionBox) Place() diag.Span { return e.Span }
func (*ActionBox) expr()              {}

// Place is where the expression stands.
func (e *Fairness) Place() diag.Span { return e.Span }
func (*Fairness) expr()              {}

// Place is where the expression stands.
func (e *Label) Place() diag.Span { return e.Span }
func (*Label) expr()              {}

// Place is where the expression stands.
func (e *Paren) Place() diag.Span { return e.Span }
func (*Paren) expr()              {}
