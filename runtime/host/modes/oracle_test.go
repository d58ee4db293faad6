package modes

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"podlife/runtime/host/vt"
)

// An oracle is the page's terminal in a process of its own; oracle/oracle.mjs says what it answers.
type oracle struct {
	mu  sync.Mutex
	in  *json.Encoder
	out *bufio.Reader
}

type seen struct {
	State  map[string]any `json:"state"`
	Screen map[string]any `json:"screen"`
	Typed  string         `json:"typed"`
}

func newOracle(t *testing.T) *oracle {
	if _, err := os.Stat(filepath.Join("oracle", "node_modules", "@xterm", "headless")); err != nil {
		t.Skip("not_run: the page's terminal is not installed here (npm ci in runtime/host/modes/oracle)")
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("not_run: there is no node")
	}
	cmd := exec.Command(node, "oracle.mjs")
	cmd.Dir, cmd.Stderr = "oracle", os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("the oracle ended with %v", err)
		}
	})
	return &oracle{in: json.NewEncoder(in), out: bufio.NewReader(out)}
}

// ask feeds each stream to a terminal of its own.
func (o *oracle) ask(t rapid.TB, rows, cols int, streams ...[]byte) []seen {
	o.mu.Lock()
	defer o.mu.Unlock()
	coded := make([]string, len(streams))
	for i, s := range streams {
		coded[i] = base64.StdEncoding.EncodeToString(s)
	}
	if err := o.in.Encode(map[string]any{"rows": rows, "cols": cols, "streams": coded}); err != nil {
		t.Fatalf("oracle: %v", err)
	}
	line, err := o.out.ReadBytes('\n')
	if err != nil {
		t.Fatalf("oracle: %v", err)
	}
	var answers []seen
	if err := json.Unmarshal(line, &answers); err != nil || len(answers) != len(streams) {
		t.Fatalf("oracle: %v, %d answers", err, len(answers))
	}
	return answers
}

// pieces are what programs write, and what they should not; %N is a small number.
var pieces = strings.Split(strings.NewReplacer("\\\\", "\\", "\\e", "\x1b", "\\a", "\a", "\\x05", "\x05", "\\x18", "\x18", "\\r", "\r", "\\t", "\t", "\\o", "\x0e", "\\i", "\x0f").Replace(
	`hello|wörld ✓ 漢字|\r|\t|\o|\i|\e(0|\e)0|\e(B|\e)A|\e*0|\e+K|\en|\eo|\e}|\e~|\e%G|\e7|\e8|\e[s|\e[u|\ec|\e[!p|\e=|\e>|\e[?1h|\e[?1l|\e[?6h|\e[?6l|\e[?7l|\e[?7h|\e[?9h|\e[?25l|\e[?25h|\e[?45h|`+
		`\e[?47h|\e[?47l|\e[?1047h|\e[?1047l|\e[?1048h|\e[?1048l|\e[?1049h|\e[?1049l|\e[?66h|\e[?1000h|\e[?1002h|\e[?1003h|\e[?1003l|\e[?1006h|\e[?1006l|\e[?1016h|\e[?1000;1006;2004h|\e[?2004h|\e[?2004l|`+
		`\e[?2026h|\e[?2026l|\e[?12h|\e[?12l|\e[4h|\e[4l|\e[20h|\e[20l|\e[%Nr|\e[%N;%Nr|\e[r|\e[%N q|\e[ q|\e[%Nm|\e[%N;%Nm|\e[m|\e[1;3%Nm|\e[4:%Nm|\e[9%N;10%Nm|\e[38;5;%Nm|\e[48;2;%N;2;%Nm|\e[38:2::%N:4:5m|\e[58:5:%Nm|`+
		`\e[38:5:%N;1m|\e[48:2:%N:2:3;4m|\e[21;53m|\e[0m|\e]2;title %N✓\a|\e]0;other\e\\|\e]2;cut\x18|\ePz%N\e\\|\e_any\e\\|\e[%N;%NH|\e[2J|\e[%NA|\e[K|\e[3?4h|\e[1 2m|\e[?2h`), "|")

// questions are what a terminal answers to.
var questions = strings.Split(strings.NewReplacer("\\\\", "\\", "\\e", "\x1b", "\\a", "\a", "\\x05", "\x05", "\\u", "\u009b", "\\n", "\n", "\\o", "\x0e").Replace(
	`\e[c|\e[0c|\e[>c|\e[=c|\e[5n|\e[6n|\e[?6n|\e[4$p|\e[?2004$p|\eP$qm\e\\|\eP$q q\e\\|\eP+q544e\e\\|\e[>q|\e]4;1;?\a|\e]4;1;red;2;?\a|\e]10;?\a|\e]11;?\e\\|\e]12;?\a|\e]52;c;?\a|\x05|\e[\x05%Nm|\e[6\nn|\e[6\on|\uc|\u6n|`+
		`\eZ|\e[18t|\e[14t|\e[?u|\e[x|\e[?1004h|\e[?1000;1004;2004h|\e[?1004l|\e]2;x\e[6n|\e[3\e[6n|\e[6|\e]11;?|\e[?m|\e[|\e`), "|")

// stream draws what a program may write. Cutting, joining and noise between the pieces are part of it.
func stream(t *rapid.T, label string, from ...string) []byte {
	var b bytes.Buffer
	for range rapid.IntRange(0, 25).Draw(t, label) {
		switch rapid.IntRange(0, 19).Draw(t, "kind") {
		case 0:
			b.Write(rapid.SliceOfN(rapid.Byte(), 1, 4).Draw(t, "noise"))
		case 1:
			b.WriteString(rapid.SampledFrom([]string{"\xc2", "\x9b", "\xe2\x9c", "\x1b", "\x18", "n", "6n", "c", ";?\a", "\x1b\\"}).Draw(t, "shard"))
		default:
			b.WriteString(filled(t, rapid.SampledFrom(from).Draw(t, "piece")))
		}
	}
	return b.Bytes()
}

// filled puts numbers in the places of %N.
func filled(t *rapid.T, piece string) string {
	for strings.Contains(piece, "%N") {
		piece = strings.Replace(piece, "%N", rapid.SampledFrom([]string{"", "0", "1", "2", "3", "4", "5", "6"}).Draw(t, "n"), 1)
	}
	return piece
}

const rows, cols = 6, 20

// follow feeds a stream in pieces, and keeps the places where it could be cut.
func follow(t *rapid.T, b []byte) (tr *Tracker, cuts []cut) {
	tr = New(rows)
	for len(b) > 0 {
		n := rapid.IntRange(1, len(b)).Draw(t, "chunk")
		if rapid.Bool().Draw(t, "small") {
			n = min(n, 3)
		}
		tr.Feed(b[:n])
		b = b[n:]
		if at, s, ok := tr.Safe(); ok {
			cuts = append(cuts, cut{at, s})
		}
	}
	return tr, cuts
}

type cut struct {
	at    uint64
	state State
}

// differences compares everything but what no state tells: see the package comment. The page's terminal saves that text is underlined but not how, so after a restored cursor that is not compared.
func differences(stream []byte, a, b seen) string {
	if bytes.Contains(stream, []byte("\x1b8")) || bytes.ContainsAny(stream, "u") || bytes.Contains(stream, []byte("104")) {
		for _, s := range []seen{a, b} {
			delete(s.State["look"].(map[string]any), "style")
		}
	}
	return cmp.Diff(a.State, b.State)
}

func TestAResetTerminalIsToldAllModes(t *testing.T) {
	o := newOracle(t)
	told := 0
	rapid.Check(t, func(t *rapid.T) {
		all := append(stream(t, "before", pieces...), stream(t, "after", pieces...)...)
		_, cuts := follow(t, all)
		if len(cuts) == 0 {
			t.Skip("no cut")
		}
		c := rapid.SampledFrom(cuts).Draw(t, "cut")
		if d := unsaid(c.state); d != "" {
			t.Skip(d)
		}
		told++
		junk := []byte("\x1b[?1049h\x1b[1m\x1b[?1000;1006h\x1b[?25l\x1b[2;3r\x1b(0\x1b7\x1b]junk")
		got := o.ask(t, rows, cols, all, bytes.Join([][]byte{junk, c.state.Prologue(), all[c.at:]}, nil))
		if d := differences(all, got[0], got[1]); d != "" {
			t.Fatalf("%q cut at %d\nthe prologue was %q\nall (-), reset (+): %s", all, c.at, c.state.Prologue(), d)
		}
	})
	if told < 50 {
		t.Errorf("only %d streams were looked at", told)
	}
}

// What a stream drawn at random seldom has.
func TestAResetTerminalIsToldWhatIsRare(t *testing.T) {
	o := newOracle(t)
	for _, all := range []string{
		"\x1b(0\x1b[1;31m\x1b7\x1b[?1047h", "\x1b(0\x1b[1m\x1b[?1049h\x1b[m\x1b(B", "\x1b[?1047h\x1b)A\x0e\x1b7\x0f\x1b[?1047l", "\x1b[?25l\x1bc", "\x1b(0\x1b7\x1b(B\x1b8", "\x1b[?6h\x1b[2;4r\x1b[?1049h\x1b[3;5r",
		"\x1b[20h\x1b[?12h\x1bc", "\x1b[5 q\x1b[!p", "\x1b]2;one\x07\x1b]0;two✓\x1b\\",
	} {
		tr := New(rows)
		tr.Feed([]byte(all))
		got := o.ask(t, rows, cols, []byte(all), tr.State().Prologue())
		if d := differences([]byte(all), got[0], got[1]); d != "" {
			t.Errorf("%q, prologue %q\nall (-), reset (+): %s", all, tr.State().Prologue(), d)
		}
	}
}

// What is longer than a ring has no place to cut. A terminal that is told of its middle shows nothing of the rest, and goes on behind it.
func TestTheRestOfASequenceThatWasCutShowsNothing(t *testing.T) {
	o := newOracle(t)
	long := strings.Repeat("7;", 300)
	for _, c := range []struct{ head, tail string }{
		{"\x1b]2;" + long, long + "\a"}, {"\x1b]11;" + long, "?\x1b\\"}, {"\x1bP1;2q" + long, long + "\x1b\\"}, {"\x1bP" + long, "q" + long + "\x1b\\"}, {"\x1b_G" + long, long + "\x1b\\"},
		{"\x1b[" + long, long + "m"}, {"\x1b[?", "6n"}, {"\x1b[ ", "q"}, {"\x1b", "c"}, {"\xe2\x9c", "\x93"}, {"\xf0\x9f\x98", "\x80"}, {"\x1b]2;t\xe2\x9c", "\x93\a"},
	} {
		tr := New(rows)
		tr.Feed([]byte(c.head))
		if at, _, ok := tr.Safe(); !ok || at != 0 {
			t.Errorf("%.20q: the place to cut is %d, %t", c.head, at, ok)
		}
		got := o.ask(t, rows, cols, append(tr.State().Prologue(), c.tail+"end"...))
		line := strings.TrimSpace(got[0].Screen["lines"].([]any)[0].(string))
		if line != "end" && line != "✓end" && line != "😀end" || got[0].Typed != "" {
			t.Errorf("%.20q then %.20q: the screen shows %q, typed %q", c.head, c.tail, line, got[0].Typed)
		}
	}
}

// unsaid names what cannot be told a terminal: a character set in use that neither a level nor a saved cursor has.
func unsaid(s State) string {
	if s.charset != s.charsets[s.level] && s.buffer().saved.charset != s.charset {
		return "a restored character set that nothing has any more"
	}
	return ""
}

func TestAReplayEndsInTheModesOfATerminalThatSawEverything(t *testing.T) {
	o := newOracle(t)
	both := append(append([]string{}, pieces...), questions...)
	replayed := 0
	rapid.Check(t, func(t *rapid.T) {
		all := stream(t, "stream", both...)
		tr, cuts := follow(t, all)
		if len(cuts) == 0 {
			t.Skip("no cut")
		}
		c := rapid.SampledFrom(cuts).Draw(t, "cut")
		if d := unsaid(c.state); d != "" {
			t.Skip(d)
		}
		replayed++
		replay := Replay(c.state, all[c.at:], tr.State())
		got := o.ask(t, rows, cols, all, replay, append(c.state.Prologue(), Clean(all[c.at:])...))
		if d := differences(all, got[0], got[1]); d != "" {
			t.Fatalf("%q cut at %d\nreplay %q\nall (-), replay (+): %s", all, c.at, replay, d)
		}
		if got[2].Typed != "" {
			t.Fatalf("%q cut at %d\nthe replay %q typed %q", all, c.at, replay, got[2].Typed)
		}
	})
	if replayed < 50 {
		t.Errorf("only %d streams were looked at", replayed)
	}
}

// From where a program draws the whole screen, a replay shows what the terminal that saw everything shows.
func TestAReplayShowsTheScreenThatWasDrawnInIt(t *testing.T) {
	o := newOracle(t)
	var drawing []string
	for _, p := range pieces {
		switch p {
		case "\x1b8", "\x1b[u", "\x1b[?1048l", "\x1b[?47l", "\x1b[?47h", "\x1b[?1047l", "\x1b[?1047h", "\x1b[?1049h", "\x1b[?1049l", "\x1bc":
		default:
			drawing = append(drawing, p)
		}
	}
	shown := 0
	rapid.Check(t, func(t *rapid.T) {
		before, drawn := stream(t, "before", pieces...), stream(t, "drawn", append(drawing, questions...)...)
		tr := New(rows)
		tr.Feed(before)
		at, s, ok := tr.Safe()
		if !ok || at != uint64(len(before)) || unsaid(s) != "" {
			t.Skip("not a place to cut")
		}
		if strings.ContainsFunc(string(drawn), func(r rune) bool { return unicode.In(r, unicode.M, unicode.Cf) }) {
			t.Skip("a mark that stands behind a query joins the letter before it")
		}
		drawn = append([]byte("\x1b[2J\x1b[1;1H"), drawn...)
		var p vt.Parser
		restores := false
		p.Feed(drawn, func(q *vt.Sequence) { restores = restores || q.Is(vt.Escape, "8") || q.Is(vt.CSI, "u") })
		if restores {
			t.Skip("a cursor that was saved before")
		}
		shown++
		got := o.ask(t, rows, cols, bytes.Join([][]byte{before, drawn}, nil), append(s.Prologue(), Clean(drawn)...))
		if d := cmp.Diff(got[0].Screen, got[1].Screen); d != "" {
			t.Fatalf("%q then %q\nprologue %q\nclean %q\nall (-), replay (+): %s", before, drawn, s.Prologue(), Clean(drawn), d)
		}
	})
	if shown < 30 {
		t.Errorf("only %d streams were looked at", shown)
	}
}

func TestEveryQuestionIsAnsweredByTheOracleAndGone(t *testing.T) {
	o := newOracle(t)
	asked := 0
	for _, q := range questions {
		q = strings.ReplaceAll(q, "%N", "")
		got := o.ask(t, rows, cols, []byte("a"+q+"b"), append([]byte("a"), append(Clean([]byte(q)), 'b')...))
		if got[0].Typed != "" {
			asked++
		}
		if got[1].Typed != "" {
			t.Errorf("%q becomes %q, which types %q", q, Clean([]byte(q)), got[1].Typed)
		}
	}
	if asked < 30 {
		t.Errorf("the oracle answers to %d of %d: it is deaf", asked, len(questions))
	}
}
