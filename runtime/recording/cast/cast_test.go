package cast

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// all gives a file's header and events.
func all(t interface{ Fatal(...any) }, r io.Reader) (Header, []Event) {
	d, err := NewDecoder(r)
	if err != nil {
		t.Fatal(err)
	}
	var events []Event
	for {
		e, err := d.Next()
		if errors.Is(err, io.EOF) {
			return d.Header(), events
		}
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, e)
	}
}

func must(t interface{ Fatal(...any) }, err error) {
	if err != nil {
		t.Fatal(err)
	}
}

func TestAFileIsWhatTheFormatsDocumentSays(t *testing.T) {
	var b bytes.Buffer
	e, err := NewEncoder(&b, Header{Cols: 80, Rows: 24, Term: "xterm-256color", Title: "a <b>", Time: time.Unix(1504467315, 5)}, 0)
	must(t, err)
	must(t, e.Output(248*time.Millisecond, []byte("\x1b[1mHello\r\n\xe2\x82")))
	must(t, e.Resize(2*time.Second, 90, 30))
	must(t, e.Output(2*time.Second+400*time.Microsecond, []byte("\xac")))
	must(t, e.Output(2*time.Second+800*time.Microsecond, nil))
	must(t, e.Output(2*time.Second+1100*time.Microsecond, []byte("\xffx\xe2")))
	must(t, e.Marker(time.Second, "back")) // a clock that goes back
	must(t, e.Exit(3*time.Second, 130))
	want := `{"version":3,"term":{"cols":80,"rows":24,"type":"xterm-256color"},"timestamp":1504467315,"title":"a <b>"}
[0.248,"o","\u001b[1mHello\r\n"]
[1.752,"r","90x30"]
[0.000,"o","€"]
[0.001,"o","` + "\ufffd" + `x"]
[0.000,"m","back"]
[0.999,"o","` + "\ufffd" + `"]
[0.000,"x","130"]
`
	if got := b.String(); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// However output is cut into pieces, the recording has the same text, and the time of each piece to the millisecond.
func TestARecordingDoesNotDependOnHowItsOutputWasSplit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		alphabet := rapid.SampledFrom([]string{"a", "é", "€", "😀", "\xff", "\xc3", "\xe2\x82", "\xf0\x9f", "\x80", "\x1b[0m", "\"\\<&>", "\x00", "\u2028", "\r\n"})
		output := []byte(strings.Join(rapid.SliceOf(alphabet).Draw(t, "output"), ""))
		var b bytes.Buffer
		e, err := NewEncoder(&b, Header{Cols: 80, Rows: 24}, 0)
		must(t, err)
		var at time.Duration
		for rest := output; len(rest) > 0; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "piece")
			at += time.Duration(rapid.Int64Range(0, int64(3*time.Second)).Draw(t, "pause"))
			must(t, e.Output(at, rest[:n]))
			if rapid.Bool().Draw(t, "resized") {
				must(t, e.Resize(at, 81, 25))
			}
			rest = rest[n:]
		}
		must(t, e.Exit(at, 0))
		var text strings.Builder
		_, events := all(t, &b)
		for _, ev := range events {
			if ev.Code == Output {
				text.WriteString(ev.Data)
			}
		}
		if want := string([]rune(string(output))); text.String() != want {
			t.Fatalf("%q instead of %q", text.String(), want)
		}
		if last := events[len(events)-1]; last.Code != Exit || last.At != at.Truncate(time.Millisecond) {
			t.Fatalf("%+v, want the exit at %v", last, at)
		}
	})
}

func TestARecordingEndsAtItsBoundAndSaysSo(t *testing.T) {
	var b bytes.Buffer
	const limit = 4 << 10
	e, err := NewEncoder(&b, Header{Cols: 80, Rows: 24}, limit)
	must(t, err)
	for err = nil; err == nil; {
		err = e.Output(time.Second, []byte("\x00\x01 some output"))
	}
	if !errors.Is(err, ErrFull) || b.Len() > limit || b.Len() < limit-reserve-100 {
		t.Errorf("%v at %d bytes", err, b.Len())
	}
	size := b.Len()
	if err := e.Exit(time.Second, 0); !errors.Is(err, ErrFull) || b.Len() != size {
		t.Errorf("%v, and %d bytes more", err, b.Len()-size)
	}
	_, events := all(t, &b)
	if last := events[len(events)-1]; last.Code != Marker || !strings.Contains(last.Data, "bound") {
		t.Errorf("%+v", last)
	}
}

func TestVersionsTwoAndThreeAreRead(t *testing.T) {
	for file, want := range map[string]Header{
		`{"version": 2, "width": 90, "height": 30, "timestamp": 1504467315, "title": "Demo", "env": {"TERM": "xterm", "SHELL": "/bin/zsh"}, "theme": {}}
[0.248848, "o", "a"]
[1.5, "i", "typed"]
[1.5, "o", "b"]
[1.25, "r", "80x24"]
`: {2, 90, 30, "xterm", "Demo", time.Unix(1504467315, 0)},
		"{\"version\":3,\"term\":{\"cols\":90,\"rows\":30,\"theme\":{}},\"tags\":[]}\r\n# a comment\r\n\r\n[0.248848, \"o\", \"a\"]\n[1.251152,\"i\",\"typed\"]\n[0,\"o\",\"b\"]\n[0,\"r\",\"80x24\"]": {3, 90, 30, "", "", time.Time{}},
	} {
		h, events := all(t, strings.NewReader(file))
		if h != want {
			t.Errorf("%+v, want %+v", h, want)
		}
		late := 1500 * time.Millisecond
		for i, e := range []Event{{248848 * time.Microsecond, "o", "a"}, {late, "i", "typed"}, {late, "o", "b"}, {late, "r", "80x24"}} {
			if len(events) != 4 || events[i] != e {
				t.Fatalf("%+v, want %+v", events, e)
			}
		}
	}
}

func TestABadFileIsRefusedWithItsLineAndWhatIsWrong(t *testing.T) {
	const head = "{\"version\":3,\"term\":{\"cols\":80,\"rows\":24}}\n"
	for file, want := range map[string]string{
		"": "line 1: the file is empty", "\n": "line 1: no header", "[]\n": "line 1: no header", "{}\n": "line 1: no header of an asciicast file: it says no version", "{\"version\":": "line 1: the file ends in the middle",
		"{\"version\":1}\n": "line 1: no header of an asciicast file: version 1 is not known", "{\"version\":3}\n": "there is no term",
		"{\"version\":3,\"term\":{\"cols\":0,\"rows\":24}}\n": "a terminal of 0 columns", "{\"version\":\"3\"}\n": "its version is a string", "{\"version\":2,\"width\":80,\"height\":1e9}\n": "line 1: ",
		head + "[1,\"o\",\"a\"]\n[1,\"o\"]\n":                "line 3: no event, which is [time, code, data]: it has 2 parts",
		head + "# one\n\n{}\n":                               "line 4: no event",
		head + "[-1,\"o\",\"\"]\n":                           "line 2: the time -1 is out of bounds",
		head + "[1e300,\"o\",\"\"]\n":                        "line 2: the time 1e+300 is out of bounds",
		head + strings.Repeat("[300000000,\"o\",\"\"]\n", 2): "line 3: the recording is longer than ten years",
		head + "[null,\"o\",\"\"]\n":                         "line 2: no event: its time cannot be read",
		head + "[1,2,\"\"]\n":                                "line 2: no event: its code cannot be read",
		head + "[1,\"o\",7]\n":                               "line 2: no event: its data cannot be read",
		head + "[1,\"r\",\"80\"]\n":                          "line 2: \"80\" is no size",
		head + "[1,\"r\",\"80x70000\"]\n":                    "line 2: \"80x70000\" is no size",
		head + "[1,\"o\",\"a\"] x\n":                         "line 2: no event: it is not JSON",
		head + "[1,\"o\",\"a":                                "line 2: the file ends in the middle",
		head + "[1,\"o\",\"" + strings.Repeat("a", MaxLine):  "line 2: longer than 4194304 bytes",
	} {
		d, err := NewDecoder(strings.NewReader(file))
		for err == nil {
			_, err = d.Next()
		}
		var bad *Error
		if !errors.As(err, &bad) || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %v, want %s", file, err, want)
		}
		if cut := strings.Contains(want, "middle"); cut != errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%.60q: %v", file, err)
		}
	}
}

// Whatever a file has in it, reading ends with io.EOF or an *Error, lines are told in order, and what was read can be written and is read again as it was.
func FuzzDecoder(f *testing.F) {
	f.Add([]byte("{\"version\":3,\"term\":{\"cols\":80,\"rows\":24}}\n# c\n[0.5,\"o\",\"a\\u001b\"]\n[1,\"r\",\"90x30\"]\n[0,\"x\",\"0\"]\n"))
	f.Add([]byte("{\"version\":2,\"width\":80,\"height\":24}\n[1.5,\"o\",\"a\"]\n[1,\"m\",\"\"]"))
	f.Add([]byte("{\"version\":3,\"term\":{\"cols\":80,\"rows\":24}}\n[1e99,\"o\",\"\"]\n[[[[[["))
	f.Fuzz(func(t *testing.T, file []byte) {
		d, err := NewDecoder(bytes.NewReader(file))
		var text strings.Builder
		var again bytes.Buffer
		var e *Encoder
		var at time.Duration
		for err == nil {
			if e == nil {
				if e, err = NewEncoder(&again, d.Header(), 0); err != nil {
					t.Fatal(err)
				}
			}
			var ev Event
			if ev, err = d.Next(); err == nil && ev.Code == Output {
				text.WriteString(ev.Data)
				must(t, e.Output(ev.At, []byte(ev.Data)))
			}
			if err == nil && ev.At < at {
				t.Fatalf("from %v back to %v", at, ev.At)
			}
			at = max(at, ev.At)
		}
		var bad *Error
		if !errors.Is(err, io.EOF) && !errors.As(err, &bad) || bad != nil && (bad.Line < 1 || bad.Line > bytes.Count(file, []byte("\n"))+1) {
			t.Fatalf("%v", err)
		}
		if e == nil {
			return
		}
		must(t, e.Cut(at))
		h, events := all(t, &again)
		if h.Cols != d.Header().Cols || h.Rows != d.Header().Rows || h.Title != d.Header().Title {
			t.Fatalf("%+v became %+v", d.Header(), h)
		}
		var back strings.Builder
		for _, ev := range events {
			back.WriteString(ev.Data)
		}
		if back.String() != text.String() {
			t.Fatalf("%q became %q", text.String(), back.String())
		}
	})
}
