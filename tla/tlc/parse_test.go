package tlc

import (
	"errors"
	"strings"
	"testing"
)

func TestEveryFormOfAValueIsRead(t *testing.T) {
	for text, want := range map[string]string{
		`TRUE`:                              `TRUE`,
		`-12`:                               `-12`,
		`-123456789012345678901234567890`:   `-123456789012345678901234567890`,
		`"a\"b\\c\td\ne"`:                   `"a\"b\\c\td\ne"`,
		`c1`:                                `c1`,
		`1_OF_A`:                            `1_OF_A`,
		`<<>>`:                              `<<>>`,
		`<< <<1, c1>>,` + "\n   " + `{} >>`: `<<<<1, c1>>, {}>>`,
		`{3, 1, 2}`:                         `{1, 2, 3}`,
		`1..3`:                              `1..3`,
		`[a |-> 1, b |-> [c |-> {}]]`:       `[a |-> 1, b |-> [c |-> {}]]`,
		`(3 :> c1 @@ 5 :> {c1})`:            `(3 :> c1 @@ 5 :> {c1})`,
		`("a" :> TRUE @@ "a b" :> FALSE)`:   `("a" :> TRUE @@ "a b" :> FALSE)`,
	} {
		got, err := ParseValue(text)
		if err != nil || got.String() != want {
			t.Errorf("%s is read as %v, %v; want %s", text, got, err, want)
		}
	}
}

func TestWhatIsNoValueIsRefusedWithItsPlace(t *testing.T) {
	for text, says := range map[string]string{
		``:                            "want a value",
		`1 2`:                         `at "2": want the end`,
		`<<1 2>>`:                     `at "2>>": want ,`,
		`{1`:                          "want ,",
		`[a |-> 1, a |-> 2]`:          "another field",
		`[a -> 1]`:                    "want |->",
		`(1 :> 2, 3)`:                 "want @@",
		`(1 :> 2 @@ 1 :> 3)`:          "two values",
		`"abc`:                        "a string without an end",
		`"a\qc"`:                      "an escape",
		`SUBSET {1}`:                  "SUBSET is an expression",
		`1..c`:                        "want a number after ..",
		`{1, "a"}`:                    "",
		`null`:                        "null is an expression",
		`-`:                           "want a value",
		strings.Repeat("<<", 2000):    "nested more than",
		strings.Repeat("1", 1000_000): "too many digits",
	} {
		_, err := ParseValue(text)
		var parse *ValueError
		if !errors.As(err, &parse) || !strings.Contains(err.Error(), says) {
			t.Errorf("%.40s: %v, want a ValueError that says %q", text, err, says)
		}
	}
}

func TestAStateIsReadVariableByVariable(t *testing.T) {
	state, err := ParseState("/\\ f = (3 :> C @@\n      5 :> {C, D})\n/\\ s = <<\"/\\\\ x = 1\">>\n/\\ x = null\n")
	if err != nil || len(state) != 3 || state[0].Name != "f" || state[1].Value.String() != `<<"/\\ x = 1">>` || state[2].Value != nil {
		t.Errorf("read %v, %v", state, err)
	}
	if state, err := ParseState("x = 1"); err != nil || len(state) != 1 || state[0].Name != "x" {
		t.Errorf("read %v, %v", state, err)
	}
	for text, says := range map[string]string{
		"x = 1 y = 2":         `want /\`,
		"/\\ x = 1 /\\ x = 2": "want a variable",
		"/\\ x : 1":           "want =",
		"":                    "want a variable",
	} {
		if state, err := ParseState(text); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q is read as %v, %v; want %q", text, state, err, says)
		}
	}
}

func TestAnActionIsReadWithItsArguments(t *testing.T) {
	for text, want := range map[string]string{
		"Next":                 "Next",
		"I!Next":               "I!Next",
		`Act(C,<<1, ")">>,{})`: `Act(C, <<1, ")">>, {})`,
	} {
		name, args, err := ParseAction(text)
		got, err2 := ActionText(name, args)
		if err != nil || err2 != nil || got != want {
			t.Errorf("%s is read as %s, %v, %v", text, got, err, err2)
		}
	}
	for _, text := range []string{"Act(", "Act()", "Act(1) x", "Act(1"} {
		if _, _, err := ParseAction(text); err == nil {
			t.Errorf("%s is taken for an action", text)
		}
	}
}

func FuzzParseState(f *testing.F) {
	f.Add("/\\ f = (3 :> C @@ 5 :> {C, D})\n/\\ s = <<\"a\\\"b\", -1, 1..3>>\n/\\ x = [a |-> TRUE]")
	f.Add("x = null")
	f.Fuzz(func(t *testing.T, text string) {
		state, err := ParseState(text)
		if err != nil {
			return
		}
		first, err := StateText(state)
		if err != nil {
			return // a large interval
		}
		again, err := ParseState(first)
		if err != nil {
			t.Fatalf("written, but not to be read: %v\n%s", err, first)
		}
		if second, err := StateText(again); err != nil || second != first {
			t.Fatalf("read as\n%s\nthen as\n%s, %v", first, second, err)
		}
	})
}
