package eval

import (
	"podlife/tla/diag"
)

// Codes of compile errors, which are diag errors.
const (
	CodeUnassigned  diag.Code = "unassigned-constant" // a constant has no value
	CodeUnknownName diag.Code = "unknown-name"        // the configuration names what the module does not define
	CodeWrongLevel  diag.Code = "wrong-level"         // e.g. an invariant that mentions the next state
	CodeArity       diag.Code = "arity"               // a definition with parameters where one without is needed
	CodeFormula     diag.Code = "formula"             // a temporal formula that is not understood
	CodeConflict    diag.Code = "conflict"            // the configuration says two things at once
	CodeMissing     diag.Code = "missing"             // no INIT or no NEXT
)

// Codes of runtime errors, which are *Error.
const (
	CodeAssert        diag.Code = "assertion"      // Assert was FALSE
	CodeEvaluation    diag.Code = "evaluation"     // an operator cannot be applied to these values
	CodeNotEnumerable diag.Code = "not-enumerable" // an infinite or undefined set where its elements are needed
	CodeUnbound       diag.Code = "unbound"        // a variable without a value
	CodeIncomplete    diag.Code = "incomplete"     // a successor or initial state in which a variable has no value
	CodeDepth         diag.Code = "depth"          // nested too deeply; usually a recursion without end
	CodeUnsupported   diag.Code = "unsupported"    // understood, but cannot be evaluated
	CodeInterrupted   diag.Code = "interrupted"    // the context is done
	CodeFile          diag.Code = "file"           // a file or program that may not be used, or does not work
	CodeInternal      diag.Code = "internal"       // a mistake of this package
)

// An Error is what went wrong in an evaluation.
type Error struct {
	Code    diag.Code
	Message string
	Span    diag.Span // the innermost expression with a place
	Stack   []Frame   // innermost first; long ones are cut in the middle
	Cause   error     // the context's error, or nil
}

// A Frame is a definition whose evaluation was under way.
type Frame struct {
	Definition string
	Span       diag.Span // where in it the evaluation was
}

func (e *Error) Error() string {
	if !e.Span.Known() {
		return e.Message
	}
	return e.Span.String() + ": " + e.Message
}

// Unwrap is the cause.
func (e *Error) Unwrap() error { return e.Cause }
