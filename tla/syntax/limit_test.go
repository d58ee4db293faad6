package syntax

import (
	"strings"
	"testing"

	"podlife/tla/diag"
)

// TestNestingIsBounded holds that each construct that can be nested is refused with an error when it goes too deep: the stack of the parser
// must not run out, since that cannot be recovered from.
func TestNestingIsBounded(t *testing.T) {
	const n = 12_000 // more than MaxHeight
	repeat := strings.Repeat
	for name, text := range map[string]string{
		"parentheses":            repeat("(", n),
		"closed parentheses":     repeat("(", n) + "a" + repeat(")", n),
		"sets":                   repeat("{", n),
		"sets with conditions":   repeat(`{x \in `, n),
		"sets of values":         repeat(`{x : y \in `, n),
		"tuples":                 repeat("<<", n),
		"functions":              repeat(`[x \in `, n),
		"records":                repeat("[a |-> ", n),
		"sets of functions":      repeat("[a -> ", n),
		"EXCEPT":                 repeat("[a EXCEPT ![", n),
		"subscripts":             repeat("[a]_", n) + "a",
		"subscripts of angles":   repeat("<<a>>_", n) + "a",
		"brackets of subscripts": repeat("[a]_(", n),
		"fairness of fairness":   repeat("WF_a(", n),
		"applications":           repeat("f[", n),
		"operators":              repeat("F(", n),
		"parts":                  repeat("a!(", n),
		"IF":                     repeat("IF ", n),
		"ELSE IF":                repeat("IF a THEN b ELSE ", n) + "c",
		"CASE":                   repeat("CASE ", n),
		"LET":                    repeat("LET a == ", n),
		"IN LET":                 repeat("LET a == b IN ", n) + "a",
		"quantifiers":            repeat(`\E x : `, n) + "a",
		"CHOOSE":                 repeat(`CHOOSE x \in `, n),
		"LAMBDA":                 repeat("F(LAMBDA x : ", n),
		"labels":                 repeat("a :: ", n) + "a",
		"bullets":                repeat(`/\ `, n) + "a",
		"prefix operators":       repeat("~", n) + "a",
		"unary minuses":          repeat("- ", n) + "a",
		"postfix operators":      "a" + repeat("'", n),
		"fields":                 "a" + repeat(".a", n),
		"chains of applications": "a" + repeat("[a]", n),
		"chains of operators":    "a" + repeat(" + a", n),
		"chains of right chains": repeat("(a + ", 1500) + "a" + repeat(" + a", 1500) + repeat(")"+repeat(" + a", 100), 1500),
	} {
		t.Run(name, func(t *testing.T) {
			checkBounded(t, func(s *diag.Source) error { _, err := ParseExpr(s); return err }, text)
		})
	}
	for name, text := range map[string]string{
		"modules":      repeat("---- MODULE M ----\n", n),
		"ASSUME PROVE": "---- MODULE M ----\nTHEOREM " + repeat("ASSUME ", n),
		"proofs":       "---- MODULE M ----\nTHEOREM a " + repeat("<+>1 a ", n),
		"chains":       "---- MODULE M ----\nx == a" + repeat(" + a", n) + "\n====",
	} {
		t.Run(name, func(t *testing.T) {
			checkBounded(t, func(s *diag.Source) error { _, err := ParseModule(s); return err }, text)
		})
	}
}

func checkBounded(t *testing.T, parse func(*diag.Source) error, text string) {
	err := parse(diag.NewSource("t", []byte(text)))
	all := diag.All(err)
	if len(all) == 0 {
		t.Fatal("the text is accepted")
	}
	for _, e := range all {
		if e.Code == CodeLimit && e.Span.Known() {
			return
		}
	}
	t.Errorf("the error is %v, want one of the code %q with a place", err, CodeLimit)
}

func TestWhatIsBelowTheBoundsIsRead(t *testing.T) {
	for name, text := range map[string]string{
		"parentheses":      strings.Repeat("(", MaxNesting-2) + "a" + strings.Repeat(")", MaxNesting-2),
		"a chain":          "a" + strings.Repeat(" + a", MaxHeight-2),
		"prefix operators": strings.Repeat("~", MaxHeight-2) + "a",
		"a conjunction":    "a" + strings.Repeat(` /\ a`, 100_000),
	} {
		e, err := ParseExpr(diag.NewSource("t", []byte(text)))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if len(Print(e)) == 0 {
			t.Errorf("%s is printed as nothing", name)
		}
	}
}

func TestTextsThatAreTooLongAreRefused(t *testing.T) {
	text := []byte("---- MODULE M ----\n====\n" + strings.Repeat(" ", MaxSource))
	if _, err := ParseModule(diag.NewSource("t", text)); len(diag.All(err)) != 1 || diag.All(err)[0].Code != CodeLimit {
		t.Errorf("the error of the module is %v", err)
	}
	if _, err := ParseExpr(diag.NewSource("t", text)); len(diag.All(err)) != 1 || diag.All(err)[0].Code != CodeLimit {
		t.Errorf("the error of the expression is %v", err)
	}
}

// TestLongTextsTakeTimeInProportion reads texts that take minutes if something in them is looked at again and again. It measures nothing: who
// breaks it will notice.
func TestLongTextsTakeTimeInProportion(t *testing.T) {
	const n = 40_000
	repeat := strings.Repeat
	for name, text := range map[string]string{
		"names without a sign for them":      "x == [" + repeat("a, ", n),
		"names before a missing colon":       `x == \E ` + repeat("a, ", n),
		"sets that look like others":         "x == {" + repeat(`a \in S, `, n) + "a}",
		"memberships inside one another":     "x == " + repeat(`{a \in `, 1900) + "a" + repeat("}", 1900),
		"definitions behind closed brackets": "x == " + repeat("(", n) + repeat(")==", n),
		"a comment in comments":              "x == " + repeat("(*", n),
		"comments":                           repeat("(**)", n),
		"fairness":                           "x == " + repeat("WF_", n),
		"underscores":                        "x == " + repeat("_", n),
		"numerals with underscores":          "x == " + repeat("1_", n),
		"dashes":                             repeat("---- ", n),
		"dashes and spaces":                  repeat("-----"+repeat(" ", 50), n/10),
		"equal signs":                        "x == " + repeat("= ", n),
		"strings":                            "x == <<" + repeat(`"a", `, n) + `"a">>`,
		"definitions":                        repeat("x == 1\n", n),
		"unmatched brackets":                 repeat("x == )]\n", n),
		"errors":                             repeat("x = 1\n", n),
		"one list":                           "x ==\n" + repeat("  /\\ a\n", n),
		"steps of a proof":                   "THEOREM a\n" + repeat("<1>1. a\n", n) + "<1> QED",
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ParseModule(diag.NewSource("t", []byte("---- MODULE M ----\n"+text+"\n====")))
			checkErrors(t, "---- MODULE M ----\n"+text+"\n====", err)
		})
	}
	t.Run("no module", func(t *testing.T) {
		if _, err := ParseModule(diag.NewSource("t", []byte(repeat("----"+repeat(" ", 50)+"\n", n)))); err == nil {
			t.Error("a module was found")
		}
	})
}
