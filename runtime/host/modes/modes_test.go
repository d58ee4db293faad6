package modes

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestTheTableOfModesIsInTheOrderThatItsPlacesSay(t *testing.T) {
	for at, number := range map[int]int{atOrigin: 6, atWrap: 7, atCursor: 25, atKeypad: 66, atAnswering: 1004} {
		if plain[at].number != number {
			t.Errorf("place %d has mode %d, not %d", at, plain[at].number, number)
		}
	}
}

func TestQueriesGoAndEverythingElseStays(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"text", "plain ✓\r\n\x1b[1mbold\x1b[m", "plain ✓\r\n\x1b[1mbold\x1b[m"},
		{"DA1, DA2, DA3", "a\x1b[cb\x1b[0cc\x1b[>cd\x1b[=ce", "abcde"},
		{"DA in 8 bits", "a\u009bcb", "ab"},
		{"DSR", "a\x1b[5nb\x1b[6nc\x1b[?6nd", "abcd"},
		{"what only looks like DSR", "\x1b[>4n", "\x1b[>4n"},
		{"DECRQM", "a\x1b[?2026$pb", "ab"},
		{"DECRQSS", "a\x1bP$qm\x1b\\b", "ab"},
		{"XTGETTCAP", "a\x1bP+q544e\x1b\\b", "ab"},
		{"sixel", "a\x1bPq#0\x1b\\b", "a\x1bPq#0\x1b\\b"},
		{"XTVERSION", "a\x1b[>qb\x1b[>0qc", "abc"},
		{"the cursor's style", "\x1b[3 q", "\x1b[3 q"},
		{"colors that are asked for", "a\x1b]10;?\x07b\x1b]11;?\x1b\\c\x1b]4;7;?\x07d\x1b]12;?\x07e", "abcde"},
		{"a color that is set", "\x1b]11;#102030\x07", "\x1b]11;#102030\x07"},
		{"the clipboard, read", "a\x1b]52;c;?\x07b", "ab"},
		{"the clipboard, written", "\x1b]52;c;aGk=\x07", "\x1b]52;c;aGk=\x07"},
		{"a title with a question", "\x1b]2;what?\x07", "\x1b]2;what?\x07"},
		{"ENQ", "a\x05b", "ab"},
		{"ENQ within a sequence", "\x1b[\x051mx", "\x1b[1mx"},
		{"a control within a query", "a\x1b[6\nnb", "a\nb"},
		{"a query that another was given up for", "\x1b[6\x1b[5nn", "n"},
		{"a rune that a query broke", "\xc2\x1b[5n\x9b", "\x9b"},
		{"a string that a query ended", "\x1b]2;t\x1b[6nx", "\x1b]2;t\x1b\\x"},
		{"a query that CAN took back", "\x1b]11;?\x18x", "\x1b]11;?\x18x"},
		{"focus reports", "\x1b[?1004h\x1b[?25;1004;7hx\x1b[?1004l", "\x1b[?25;7hx"},
		{"a query that is not whole yet", "a\x1b[6n\x1b[6", "a\x1b[6"},
		{"the window's size, asked for and set", "\x1b[18t\x1b[8;24;80t", "\x1b[8;24;80t"},
		{"kitty's graphics", "\x1b_Ga=q,i=1;AAAA\x1b\\\x1b_Ga=T,q=2;AAAA\x1b\\", "\x1b_Ga=T,q=2;AAAA\x1b\\"},
	} {
		if got := Clean([]byte(c.in)); string(got) != c.want {
			t.Errorf("%s: %q becomes %q, not %q", c.name, c.in, got, c.want)
		}
	}
}

func TestASequenceThatIsNotWholeStaysApart(t *testing.T) {
	for in, tail := range map[string]string{"a\x1b[m": "", "a\x1b[6n": "", "a": "", "a\x1b[m\x1b[3": "\x1b[3", "a\xe2\x9c": "\xe2\x9c", "a\x1b]2;t\x1b": "\x1b", "a\x1b[6n\x1b]11;?": "\x1b]11;?", "\x1b[\x053": "\x1b[3"} {
		if _, got := split([]byte(in)); string(got) != tail {
			t.Errorf("of %q, %q is left, not %q", in, got, tail)
		}
	}
}

func TestATitleIsBoundedBetweenRunes(t *testing.T) {
	for n := range 4 {
		tr := New(24)
		tr.Feed([]byte("\x1b]2;" + strings.Repeat("x", n) + strings.Repeat("漢", MaxTitle) + "\x07"))
		if got := tr.State().title; len(got) > MaxTitle || len(got) < MaxTitle-3 || !utf8.ValidString(got) {
			t.Errorf("%d bytes are kept, valid: %t", len(got), utf8.ValidString(got))
		}
	}
}

// In what pieces a stream comes says nothing.
func TestPiecesMakeNoDifference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := stream(t, "stream", append(append([]string{}, pieces...), questions...)...)
		whole, pieced := New(24), New(24)
		whole.Feed(b)
		for i := range b {
			pieced.Feed(b[i : i+1])
		}
		at, state, ok := whole.Safe()
		at2, state2, ok2 := pieced.Safe()
		if whole.State() != pieced.State() || at != at2 || ok != ok2 || state != state2 {
			t.Fatalf("%q: %+v at once, %+v in pieces", b, whole.State(), pieced.State())
		}
	})
}

func FuzzClean(f *testing.F) {
	for _, q := range questions {
		f.Add([]byte("a" + q + "b"))
	}
	f.Add([]byte("\x1b]2;t\x1b[6n\x1b\\\xe2\x9c\x05\x9f"))
	f.Fuzz(func(t *testing.T, b []byte) {
		once := Clean(b)
		if len(once) > 2*len(b)+8 {
			t.Fatalf("%d bytes become %d", len(b), len(once))
		}
		if twice := Clean(once); !bytes.Equal(once, twice) {
			t.Fatalf("%q becomes %q, and that %q", b, once, twice)
		}
		all, cleaned := New(24), New(24)
		all.Feed(b)
		cleaned.Feed(once)
		s := all.State()
		s.modes[atAnswering], s.modes[atAnswering+1] = false, false
		c := cleaned.State()
		c.modes[atAnswering], c.modes[atAnswering+1] = false, false
		if s != c {
			t.Fatalf("%q leaves %+v, and cleaned to %q %+v", b, s, once, c)
		}
	})
}
