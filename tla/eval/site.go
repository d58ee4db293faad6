package eval

import (
	"errors"
	"fmt"
	"runtime/debug"

	"podlife/tla/diag"
	"podlife/tla/library"
	"podlife/tla/value"
)

// A site is a place in the text as it was compiled: the definition in which it stands, and, where that was written into its caller, the site of the call.
type site struct {
	span       diag.Span
	definition string
	caller     *site
}

// failure is the panic by which an evaluation ends.
type failure struct {
	code    diag.Code
	message string
	at      *site // nil: where the machine is
	cause   error
}

// fail ends the evaluation because of the expression at s.
func fail(s *site, code diag.Code, format string, args ...any) {
	panic(&failure{code: code, message: fmt.Sprintf(format, args...), at: s})
}

// warn says once for each place what is probably not meant.
func (m *machine) warn(s *site, message string) {
	if m.p.opt.Warn == nil {
		return
	}
	if _, told := m.p.warned.LoadOrStore(s.span, true); !told {
		m.p.opt.Warn(s.span, message)
	}
}

// maxFrames bounds the stack of an Error; what is in the middle is left out.
const maxFrames = 20

// protect runs an evaluation and turns what it raises into an error. The machine is then as it was before.
func (m *machine) protect(run func()) (err error) {
	saved := m.save()
	defer func() {
		if r := recover(); r != nil {
			err = m.explain(r)
			m.restore(saved)
		}
	}()
	run()
	m.restore(saved)
	return nil
}

// explain makes an Error of what was recovered.
func (m *machine) explain(r any) error {
	e := &Error{}
	at := m.at
	switch r := r.(type) {
	case *failure:
		e.Code, e.Message, e.Cause = r.code, r.message, r.cause
		if r.at != nil {
			at = r.at
		}
	case *value.Error:
		e.Code, e.Message, e.Cause = codeOf(r.Code), r.Message, r
	case *Error: // of an evaluation inside this one
		return r
	default:
		e.Code = CodeInternal
		e.Message = fmt.Sprintf("internal error: %v", r)
		e.Cause = fmt.Errorf("%v\n%s", r, debug.Stack())
	}
	if e.Code == CodeDepth || at == nil {
		if n := len(m.calls); n > 0 {
			at = m.calls[n-1]
			m.calls = m.calls[:n-1] // protect restores it
		}
	}
	if at != nil {
		e.Span = at.span
		e.Stack = appendChain(e.Stack, at)
	}
	for i := len(m.calls) - 1; i >= 0; i-- {
		if len(m.calls)-i == maxFrames/2 && i > maxFrames/2 {
			e.Stack = append(e.Stack, Frame{Definition: fmt.Sprintf("(%d more)", i-maxFrames/2)})
			i = maxFrames / 2
		}
		e.Stack = appendChain(e.Stack, m.calls[i])
	}
	return e
}

func appendChain(stack []Frame, s *site) []Frame {
	for ; s != nil; s = s.caller {
		if s.definition != "" {
			stack = append(stack, Frame{Definition: s.definition, Span: s.span})
		}
	}
	return stack
}

// codeOf gives the code of what package value, or a native, raised.
func codeOf(c value.ErrorCode) diag.Code {
	switch c {
	case value.CodeNotEnumerable:
		return CodeNotEnumerable
	case library.CodeAssertion:
		return CodeAssert
	case library.CodeUnsupported:
		return CodeUnsupported
	case library.CodeRefused, library.CodeIO:
		return CodeFile
	}
	return CodeEvaluation
}

// IsInterrupted tells whether an error means that the context was done.
func IsInterrupted(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == CodeInterrupted
}
