package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// printed is what seq prints on a terminal.
func printed(last int) []byte {
	var b []byte
	for i := 1; i <= last; i++ {
		b = append(strconv.AppendInt(b, int64(i), 10), '\r', '\n')
	}
	return b
}

func TestPercentilesAreSamples(t *testing.T) {
	var s samples
	for i := range 200 {
		s = append(s, time.Duration(200-i)) // the order does not matter
	}
	for p, want := range map[int]time.Duration{0: 1, 50: 100, 99: 198, 100: 200} {
		if got := s.at(p); got != want {
			t.Errorf("percentile %d is %d, want %d", p, got, want)
		}
	}
	if got := (samples{7}).at(99); got != 7 {
		t.Errorf("of one sample it is %d", got)
	}
	if got := (samples)(nil).at(50); got != 0 {
		t.Errorf("of none it is %d", got)
	}
	if s[0] != 200 {
		t.Error("the samples were put in order, and not a copy")
	}
}

func TestAMedianIsBetweenTheMiddleTwo(t *testing.T) {
	for _, c := range []struct {
		all  []float64
		want float64
	}{{nil, 0}, {[]float64{3}, 3}, {[]float64{9, 1, 2}, 2}, {[]float64{4, 1, 2, 9}, 3}} {
		if got := median(c.all); got != c.want {
			t.Errorf("median of %v is %v, want %v", c.all, got, c.want)
		}
	}
}

func TestNumbersAreWholeHoweverTheyAreCut(t *testing.T) {
	all := printed(1234)
	for _, size := range []int{1, 2, 3, 7, 64, len(all)} {
		n := newNumbers(1234)
		if int64(len(all)) != n.whole() {
			t.Fatalf("whole is %d, want %d", n.whole(), len(all))
		}
		var rest []byte
		for piece := range slices.Chunk(all, size) {
			if n.done() {
				t.Fatalf("in pieces of %d: done before the end", size)
			}
			rest = n.take(piece)
		}
		if !n.done() || len(rest) > 0 || n.got != n.whole() {
			t.Errorf("in pieces of %d: %s, rest %q", size, n.said(), rest)
		}
		if rest := n.take([]byte("ends")); string(rest) != "ends" {
			t.Errorf("behind the last line %q is left", rest)
		}
	}
}

func TestNumbersNoticeWhatIsLostOrDoubled(t *testing.T) {
	all := printed(1000)
	for name, got := range map[string][]byte{
		"a byte lost":    slices.Delete(slices.Clone(all), 500, 501),
		"a line lost":    bytes.Replace(all, []byte("\r\n500\r\n"), []byte("\r\n"), 1),
		"a byte doubled": slices.Insert(slices.Clone(all), 500, all[500]),
		"a line doubled": bytes.Replace(all, []byte("\r\n500\r\n"), []byte("\r\n500\r\n500\r\n"), 1),
		"a byte changed": bytes.Replace(all, []byte("500"), []byte("600"), 1),
	} {
		n := newNumbers(1000)
		n.take(got)
		if n.wrong == "" || n.done() || !strings.HasPrefix(n.said(), "wrong at byte ") {
			t.Errorf("%s: %s", name, n.said())
		}
	}
	n := newNumbers(1000)
	n.take(all[:len(all)-1])
	if n.done() {
		t.Error("without its last byte it is done")
	}
}

// scripted is a shell that says what it was told to, in pieces.
type scripted struct{ pieces []string }

func (s *scripted) Write(b []byte) (int, error) { return len(b), nil }
func (s *scripted) close()                      {}
func (s *scripted) next(context.Context) ([]byte, error) {
	if len(s.pieces) == 0 {
		return nil, errors.New("silent")
	}
	p := s.pieces[0]
	s.pieces = s.pieces[1:]
	return []byte(p), nil
}

func TestATextIsFoundAlsoWhereItIsCut(t *testing.T) {
	for _, pieces := range [][]string{{"a ready> b"}, {"a rea", "dy> b"}, {"r", "e", "a", "d", "y", ">", " b"}, {"ready", "ready> b"}, {"a long line, and rea", "dy> b"}} {
		rest, err := await(t.Context(), &scripted{pieces}, prompt)
		if err != nil || string(rest) != "b" && string(rest) != "" {
			t.Errorf("%q: %q, %v", pieces, rest, err)
		}
	}
	if _, err := await(t.Context(), &scripted{[]string{"read", "y"}}, prompt); err == nil {
		t.Error("half of it was enough")
	}
}

func TestWhatComesBehindTheOutputIsComparedToo(t *testing.T) {
	for _, c := range []struct {
		all  string
		made func() stream
	}{
		{string(printed(10)), func() stream { return newNumbers(10) }},
		{"xxxxxxxxxx", func() stream { return &letters{all: 10} }},
	} {
		n := c.made()
		if _, err := flow(t.Context(), &scripted{[]string{"begins\r\n" + c.all[:5], c.all[5:] + "en", "ds\r\n"}}, n); err != nil || !n.done() {
			t.Errorf("as it is to be: %s, %v", n.said(), err)
		}
		n = c.made()
		if _, err := flow(t.Context(), &scripted{[]string{"begins\r\n" + c.all, c.all[len(c.all)-1:] + "ends\r\n"}}, n); err != nil || n.done() {
			t.Errorf("the last byte twice: %s, %v", n.said(), err)
		}
		n = c.made()
		if _, err := flow(t.Context(), &scripted{[]string{"begins\r\n" + c.all[1:] + "ends\r\n"}}, n); err != nil || n.done() || !n.bad() {
			t.Errorf("without the first byte: %s, %v", n.said(), err)
		}
	}
}

func TestWhatIsLeftIsNamed(t *testing.T) {
	before := held{goroutines: 20, descriptors: 12, programs: []string{"bash", "exe"}}
	if got := before.beyond(before); got != "" {
		t.Errorf("the same is %q", got)
	}
	if got := (held{goroutines: 19, descriptors: 12, programs: []string{"exe"}}).beyond(before); got != "" {
		t.Errorf("less is %q", got)
	}
	after := held{goroutines: 22, descriptors: 13, terminals: 1, programs: []string{"bash", "bash", "exe"}}
	if got, want := after.beyond(before), "2 goroutines, 1 descriptors, 1 terminals, 1 bash"; got != want {
		t.Errorf("more is %q, want %q", got, want)
	}
}

func TestMemoryAndMetricsAreRead(t *testing.T) {
	if got, err := resident("Name:\tx\nVmRSS:\t   1000 kB\n"); err != nil || got != 1.024 {
		t.Errorf("resident: %v MB, %v", got, err)
	}
	if _, err := resident("Name:\tx\n"); err == nil {
		t.Error("no VmRSS is no error")
	}
	if got, err := metric(strings.NewReader("# TYPE go_goroutines gauge\ngo_goroutines_x 3\ngo_goroutines 22\n"), "go_goroutines"); err != nil || got != 22 {
		t.Errorf("metric: %d, %v", got, err)
	}
	if _, err := metric(strings.NewReader("other 1\n"), "go_goroutines"); err == nil {
		t.Error("no metric is no error")
	}
}

func TestARunFailsForCountsAndNeverForTimes(t *testing.T) {
	for verdict, want := range map[string]int{metYes: exitOK, metNo: exitOK, metNone: exitOK, metNotRun: exitOK, metWrong: exitWrong} {
		if got := (Report{Rows: []Row{{Met: metYes}, {Met: verdict}}}).code(); got != want {
			t.Errorf("with %s the exit code is %d, want %d", verdict, got, want)
		}
	}
	if exact(false) != metWrong || met(false) != metNo || exact(true) != metYes || met(true) != metYes {
		t.Error("the verdicts are others")
	}
}

func TestTheTableAndTheFileHaveEveryRow(t *testing.T) {
	r := Report{Processors: 2, LoadBefore: "1 2 3", Quick: true, Rows: []Row{
		{Name: "echo", What: "key echo", Ours: "1 ms", Peer: "2 ms", Ratio: 0.5, Bound: "under 1 ms", Met: metNo, Note: "said why", Raw: map[string]float64{"ours_p50_ms": 1}},
		{Name: "idle", What: "memory", Ours: "3 MB", Peer: "-", Bound: "-", Met: metNone},
	}}
	var out strings.Builder
	r.Table(&out)
	for _, want := range []string{"2 processors, engine unknown, load 1 2 3", "of no use", "key echo  1 ms  2 ms  0.50   under 1 ms  no", "memory    3 MB  -     -      -           -", "key echo: said why"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the table does not say %q:\n%s", want, out.String())
		}
	}
	file := filepath.Join(t.TempDir(), "r.json")
	if err := r.write(file); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(file)
	var back Report
	if err := errors.Join(err, json.Unmarshal(b, &back)); err != nil || len(back.Rows) != 2 || back.Rows[0].Raw["ours_p50_ms"] != 1 {
		t.Errorf("the file has %+v, %v", back, err)
	}
}

func TestFlagsAreReadAndRefused(t *testing.T) {
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"--help"}, exitOK, "Exit codes: "},
		{[]string{"--only", "nothing"}, exitUsage, "there are echo, idle, reattach"},
		{[]string{"--nothing"}, exitUsage, "not defined"},
		{[]string{"echo"}, exitUsage, `unknown argument "echo"`},
	} {
		var out, errs strings.Builder
		if code := run(c.args, &out, &errs); code != c.code || !strings.Contains(errs.String(), c.says) {
			t.Errorf("%q: exit code %d, %q", c.args, code, errs.String())
		}
	}
	o, err := parse([]string{"--only", "echo", "--only", "once", "--json", "f"}, &strings.Builder{})
	if err != nil || !slices.Equal(o.Only, []string{"echo", "once"}) || o.JSON != "f" || o.Binary != "bin/podlife" {
		t.Errorf("%+v, %v", o, err)
	}
}

func TestEachDoesAllOrGivesTheFirstError(t *testing.T) {
	var done atomic.Int64
	if err := each(t.Context(), 100, 7, func(context.Context, int) error { done.Add(1); return nil }); err != nil || done.Load() != 100 {
		t.Errorf("%d were done, %v", done.Load(), err)
	}
	bad := errors.New("bad")
	if err := each(t.Context(), 1000, 2, func(_ context.Context, i int) error {
		if i == 3 {
			return bad
		}
		return nil
	}); !errors.Is(err, bad) {
		t.Errorf("the error is %v", err)
	}
}
