package spectext

import (
	"slices"
	"testing"
)

const text = `
(* Guard("Action.guard", condition) is explained here. *)
One(p, c) ==
    /\ Guard("One.first", p = c)   \* guard: first
    /\ p = 1                       \* guard: second
    /\ IF Rule("One.rule") THEN x' = 1 ELSE x' = 2

Two ==
    /\ Guard("One.first", TRUE)    \* guard: only

Next ==
    \/ \E p \in P :
        \/ One(p, p)
        \/ \E c \in C : One(p, c)
    \/ Two

Spec == Init /\ [][Next]_x
`

func TestWhatATextNames(t *testing.T) {
	if got := Guards(text); !slices.Equal(got, []string{"One(p, c).first", "One(p, c).second", "Two().only"}) {
		t.Errorf("guards: %q", got)
	}
	if got := Switches(text); !slices.Equal(got, []string{"One.first", "One.rule"}) {
		t.Errorf("switches: %q", got)
	}
	if got, ok := Steps(text); !ok || !slices.Equal(got, []string{"One", "One", "Two"}) {
		t.Errorf("steps: %q, %v", got, ok)
	}
	if got, ok := Steps("Next == One"); ok {
		t.Errorf("a text without Spec: %q", got)
	}
}
