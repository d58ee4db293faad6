package syntax

import (
	"fmt"
	"testing"
)

// TestEveryFormOfAnOperatorIsReadAsItsCanonicalName goes through the whole table.
func TestEveryFormOfAnOperatorIsReadAsItsCanonicalName(t *testing.T) {
	for _, op := range operators {
		for _, symbol := range append([]string{op.Name}, op.synonyms...) {
			if got := Canonical(symbol); got != op.Name {
				t.Errorf("the canonical name of %s is %s, want %s", symbol, got, op.Name)
			}
			if info, ok := Operator(symbol); !ok || info != op.OperatorInfo {
				t.Errorf("of %s, %+v is known, want %+v", symbol, info, op.OperatorInfo)
			}
			text, want := "", ""
			switch {
			case symbol == "-.":
				text, want = "-a", "(prefix -. a)"
			case op.Fix == Prefix:
				text, want = symbol+" a", "(prefix "+op.Name+" a)"
			case op.Fix == Postfix:
				text, want = "a"+symbol, "(postfix "+op.Name+" a)"
			case op.Name == `/\`:
				text, want = "a "+symbol+" b", "(and a b)"
			case op.Name == `\/`:
				text, want = "a "+symbol+" b", "(or a b)"
			case op.Name == `\X`:
				text, want = "a "+symbol+" b", "(times a b)"
			default:
				text, want = "a "+symbol+" b", "(infix "+op.Name+" a b)"
			}
			e, err := ParseExpr(source(text))
			if err != nil {
				t.Errorf("%s: %v", text, err)
			} else if got := dump(e); got != want {
				t.Errorf("%s is read as %s, want %s", text, got, want)
			}
		}
	}
	if Canonical("x") != "x" {
		t.Error("a name is changed by Canonical")
	}
	if _, ok := Operator("x"); ok {
		t.Error("a name is taken for an operator")
	}
}

// TestTwoOperatorsAreReadByTheirPrecedence holds for each pair of infix operators what the table says of it.
func TestTwoOperatorsAreReadByTheirPrecedence(t *testing.T) {
	for _, left := range operators {
		for _, right := range operators {
			if left.Fix != Infix || right.Fix != Infix {
				continue
			}
			text := fmt.Sprintf("a %s b %s c", left.Name, right.Name)
			e, err := ParseExpr(source(text))
			leftFirst := left.Low > right.High
			rightFirst := right.Low > left.High
			chain := left.Name == right.Name && left.Assoc == AssocLeft
			switch {
			case leftFirst || rightFirst || chain:
				if err != nil {
					t.Errorf("%s: %v", text, err)
					continue
				}
			case err == nil:
				t.Errorf("%s is read as %s, want an error", text, dump(e))
				continue
			default:
				continue
			}
			want := fmt.Sprintf("a %s (b %s c)", left.Name, right.Name)
			if leftFirst {
				want = fmt.Sprintf("(a %s b) %s c", left.Name, right.Name)
			}
			if chain {
				continue // left to the tables of testdata: some chains are one node
			}
			grouped, err := ParseExpr(source(want))
			if err != nil {
				t.Errorf("%s: %v", want, err)
			} else if dumpForm(e) != dumpForm(grouped) {
				t.Errorf("%s is not read as %s", text, want)
			}
		}
	}
}
