package value

import "fmt"

// ErrorCode says what kind of mistake an Error is.
type ErrorCode string

// The codes. Each is a mistake in a specification, or a limit of this package.
const (
	CodeIncomparable  ErrorCode = "incomparable"   // two values that TLC does not compare, as 1 = "a"
	CodeType          ErrorCode = "type"           // an operand of the wrong kind, as 1 + "a" or 1 \in 2
	CodeDomain        ErrorCode = "domain"         // a function applied outside its domain, a record's missing field
	CodeDuplicate     ErrorCode = "duplicate"      // a record field, or an argument of a function, given twice
	CodeNotEnumerable ErrorCode = "not-enumerable" // the elements of an infinite set are needed
	CodeArithmetic    ErrorCode = "arithmetic"     // division by zero, 0^0, a negative modulus or exponent
	CodeTooLarge      ErrorCode = "too-large"      // above MaxElements, MaxBits or MaxDepth
	CodeInternal      ErrorCode = "internal"       // this package was called wrongly: no mistake of the specification
	CodeDecode        ErrorCode = "decode"         // bytes that are not a value's
)

// Limits above which an operation raises CodeTooLarge instead of using up the machine.
const (
	MaxElements = 10_000_000 // elements of one enumerated set or function
	MaxBits     = 1_000_000  // size of an integer
	MaxDepth    = 50_000     // values inside values
)

// An Error is a mistake in a specification that only its values show. It names no place: the evaluator knows it.
type Error struct {
	Code    ErrorCode
	Message string
}

// Error is the message.
func (e *Error) Error() string { return e.Message }

// Raise ends the evaluation with an *Error. Somebody further up must have called Catch.
func Raise(code ErrorCode, format string, args ...any) {
	panic(&Error{Code: code, Message: fmt.Sprintf(format, args...)})
}

// Catch runs f and returns what f raised, as an *Error, or nil. Every other panic goes on.
func Catch(f func()) (err error) {
	defer func() {
		if p := recover(); p != nil {
			e, ok := p.(*Error)
			if !ok {
				panic(p)
			}
			err = e
		}
	}()
	f()
	return nil
}

// tooDeep raises when a recursion over nested values has reached MaxDepth; a Go stack overflow could not be recovered from.
func tooDeep(depth int) {
	if depth > MaxDepth {
		Raise(CodeTooLarge, "a value is nested more than %d levels deep", MaxDepth)
	}
}

func tooMany(n int) {
	if n > MaxElements {
		Raise(CodeTooLarge, "a set or function of more than %d elements would have to be written out", MaxElements)
	}
}
