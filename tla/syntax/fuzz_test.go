package syntax

import (
	"testing"

	"podlife/tla/diag"
)

func seeds(f *testing.F, files ...string) {
	for _, file := range files {
		for _, s := range readSnippets(f, file) {
			f.Add(s.text)
		}
	}
}

// FuzzParseExpr holds that no text makes the parser panic or hang, and that an expression that was read is printed as what it is.
func FuzzParseExpr(f *testing.F) {
	seeds(f, "expressions.txt", "expression-errors.txt")
	f.Fuzz(func(t *testing.T, text string) {
		e, err := ParseExpr(source(text))
		checkErrors(t, text, err)
		if err == nil {
			checkSpans(t, text, e)
			checkRoundTrip(t, e)
		}
	})
}

// FuzzParseModule holds the same for modules.
func FuzzParseModule(f *testing.F) {
	seeds(f, "modules.txt", "module-errors.txt")
	f.Fuzz(func(t *testing.T, text string) {
		m, err := ParseModule(source(text))
		checkErrors(t, text, err)
		if err == nil {
			checkModule(t, text, m)
		}
	})
}

func checkModule(t *testing.T, text string, m *Module) {
	for _, u := range m.Units {
		if n, ok := u.(*Nested); ok {
			checkModule(t, text, n.Module)
			continue
		}
		for _, e := range unitExprs(u) {
			checkSpans(t, text, e)
			if _, isLambda := e.(*Lambda); !isLambda && !isOperatorArgument(e) {
				checkRoundTrip(t, e)
			}
		}
	}
}

// checkErrors makes sure that each error has a code, a sentence and a place, and can be shown.
func checkErrors(t *testing.T, text string, err error) {
	if err == nil {
		return
	}
	all := diag.All(err)
	if len(all) == 0 || len(all) > maxErrors {
		t.Errorf("%q gives %d errors", text, len(all))
	}
	for _, e := range all {
		if e.Code == "" || e.Message == "" || !inside(e.Span, text) {
			t.Errorf("%q gives an error without code, message or place: %+v", text, e)
		}
		for _, n := range e.Notes {
			if !inside(n.Span, text) {
				t.Errorf("%q gives an error with a note that has no place: %+v", text, n)
			}
		}
	}
	if rendered(err) == "" {
		t.Errorf("%q gives an error that is shown as nothing", text)
	}
}

func inside(s diag.Span, text string) bool {
	return s.Known() && 0 <= s.Start && s.Start <= s.End && s.End <= len(text)
}

// checkSpans makes sure that each expression has a place, inside that of the expression around it.
func checkSpans(t *testing.T, text string, e Expr) {
	s := e.Place()
	if !inside(s, text) || s.Start == s.End {
		t.Errorf("in %q, %s stands at %d..%d", text, dump(e), s.Start, s.End)
		return
	}
	for _, c := range Children(nil, e) {
		if c.Place().Start < s.Start || c.Place().End > s.End {
			t.Errorf("in %q, %s at %d..%d is part of %s at %d..%d", text, dump(c), c.Place().Start, c.Place().End, dump(e), s.Start, s.End)
		}
		checkSpans(t, text, c)
	}
}
