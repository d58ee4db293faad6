package library

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"podlife/tla/value"
)

// fileEnv is a test's world with files in a folder of its own.
func fileEnv(t *testing.T) (env *Env, dir string) {
	t.Helper()
	dir = t.TempDir()
	env = testEnv()
	env.Files = &Files{Dir: dir, Read: []string{dir}, Write: []string{dir}}
	return env, dir
}

// gives checks what an expression prints as.
func gives(t *testing.T, env *Env, modules, x, want string) {
	t.Helper()
	v, err := evaluateIn(t, env, x, strings.Split(modules, ", "), "")
	if err != nil || v.String() != want {
		t.Errorf("%s gives %v, error %v; want %s", x, v, err, want)
	}
}

// fails checks that an expression raises.
func fails(t *testing.T, env *Env, modules, x string, code value.ErrorCode) {
	t.Helper()
	v, err := evaluateIn(t, env, x, strings.Split(modules, ", "), "")
	if raised, ok := err.(*value.Error); !ok || raised.Code != code {
		t.Errorf("%s gives %v, error %v; want an error %s", x, v, err, code)
	}
}

func content(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func TestJSONFilesAreWrittenAndReadBack(t *testing.T) {
	env, dir := fileEnv(t)
	gives(t, env, "Json", `JsonSerialize("new/a.json", [x |-> <<1, {2}>>, y |-> "é"])`, "TRUE")
	if got := content(t, filepath.Join(dir, "new", "a.json")); got != `{"x":[1,[2]],"y":"é"}` {
		t.Errorf("the file has %s", got)
	}
	gives(t, env, "Json", `JsonDeserialize("new/a.json")`, `[x |-> <<1, <<2>>>>, y |-> "é"]`)
	gives(t, env, "Json", `ndJsonSerialize("b.ndjson", <<[x |-> 1], <<TRUE>>>>)`, "TRUE")
	if got := content(t, filepath.Join(dir, "b.ndjson")); got != "{\"x\":1}\n[true]\n" {
		t.Errorf("the file has %q", got)
	}
	put(t, filepath.Join(dir, "c.ndjson"), "{\"x\":1}\r\n\n  [true]")
	gives(t, env, "Json", `ndJsonDeserialize("c.ndjson")`, "<<[x |-> 1], <<TRUE>>>>")
	// What was longer before is gone.
	gives(t, env, "Json", `JsonSerialize("new/a.json", <<1>>)`, "TRUE")
	gives(t, env, "Json", `JsonDeserialize("new/a.json")`, "<<1>>")
}

func TestJSONThatIsNoValueIsAnError(t *testing.T) {
	env, dir := fileEnv(t)
	for _, text := range []string{
		"", "null", `{"a":null}`, "1.5", "1e-1", "1e99999", "[1", `{"a":1`, "[1] 2", "{1:2}", "tru", "'a'",
		strings.Repeat("[", 100_000), `{"a" 1}`, "[1,]",
	} {
		put(t, filepath.Join(dir, "bad.json"), text)
		fails(t, env, "Json", `JsonDeserialize("bad.json")`, CodeIO)
	}
	put(t, filepath.Join(dir, "bad.ndjson"), "1\nnull\n")
	fails(t, env, "Json", `ndJsonDeserialize("bad.ndjson")`, CodeIO)
	fails(t, env, "Json", `JsonDeserialize("none.json")`, CodeIO)
}

func TestJSONNumbersAreExact(t *testing.T) {
	for text, want := range map[string]string{
		"12345678901234567890123": "12345678901234567890123", "-0": "0", "1.0": "1", "2e3": "2000", "25E-1e": "", "-1.50e1": "-15", "{}": "<<>>",
		`{"b":1,"a":2,"b":3}`: "[a |-> 2, b |-> 3]", `"\u0041"`: `"A"`,
	} {
		v, err := parseJSON([]byte(text))
		switch {
		case want == "" && err == nil:
			t.Errorf("%s gives %v", text, v)
		case want != "" && (err != nil || v.String() != want):
			t.Errorf("%s gives %v, error %v; want %s", text, v, err, want)
		}
	}
}

func TestFilesOutsideOfTheFoldersAreRefused(t *testing.T) {
	env, dir := fileEnv(t)
	outside := t.TempDir()
	put(t, filepath.Join(outside, "secret"), "1")
	if err := os.Symlink(outside, filepath.Join(dir, "link")); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	fails(t, env, "Json", `JsonDeserialize("`+filepath.Join(outside, "secret")+`")`, CodeRefused)
	fails(t, env, "Json", `JsonDeserialize("../`+filepath.Base(outside)+`/secret")`, CodeRefused)
	fails(t, env, "Json", `JsonDeserialize("link/secret")`, CodeIO)
	fails(t, env, "Json", `JsonSerialize("link/new", <<1>>)`, CodeIO)
	fails(t, env, "Json", `JsonSerialize("../x", <<1>>)`, CodeRefused)
	if _, err := os.Stat(filepath.Join(outside, "new")); err == nil {
		t.Error("a file was written through a symbolic link")
	}
	env.Files.Write = nil
	fails(t, env, "Json", `JsonSerialize("x", <<1>>)`, CodeRefused)
}

func TestLargeFilesAreNotRead(t *testing.T) {
	env, dir := fileEnv(t)
	env.Files.Max = 10
	put(t, filepath.Join(dir, "a"), "[1,2,3,4]")
	gives(t, env, "Json", `JsonDeserialize("a")`, "<<1, 2, 3, 4>>")
	put(t, filepath.Join(dir, "a"), "[1,2,3,4,5]")
	fails(t, env, "Json", `JsonDeserialize("a")`, CodeIO)
}

func TestCSVIsAppendedAndReadBack(t *testing.T) {
	env, dir := fileEnv(t)
	gives(t, env, "CSV", `CSVRecords("a.csv")`, "0")
	gives(t, env, "CSV", `CSVRead(<<"x">>, ",", "a.csv")`, "<<>>")
	gives(t, env, "CSV", `CSVWriteRecord([x |-> 1, y |-> "s"], ",", TRUE, "a.csv")`, "TRUE")
	gives(t, env, "CSV", `CSVWriteRecord([x |-> {2}, y |-> "t"], ",", FALSE, "a.csv")`, "TRUE")
	if got := content(t, filepath.Join(dir, "a.csv")); got != "x,y\n1,\"s\"\n{2},\"t\"\n" {
		t.Errorf("the file has %q", got)
	}
	gives(t, env, "CSV", `CSVRecords("a.csv")`, "3")
	gives(t, env, "CSV", `CSVRead(<<"p", "q">>, ",", "a.csv")`, `<<[p |-> "x", q |-> "y"], [p |-> "1", q |-> "\"s\""], [p |-> "{2}", q |-> "\"t\""]>>`)
	gives(t, env, "CSV", `CSVRead(<<"p">>, ",", "a.csv")`, `<<[p |-> "x"], [p |-> "1"], [p |-> "{2}"]>>`)
	fails(t, env, "CSV", `CSVRead(<<"p", "q", "r">>, ",", "a.csv")`, CodeIO)
	gives(t, env, "CSV", `CSVWrite("%2$s#%1$s", <<"abc", 42>>, "b.csv")`, "TRUE")
	gives(t, env, "CSV", `CSVWrite("%s#%s", <<"abc", {1}>>, "b.csv")`, "TRUE")
	if got := content(t, filepath.Join(dir, "b.csv")); got != "42#\"abc\"\n\"abc\"#{1}\n" {
		t.Errorf("the file has %q", got)
	}
	put(t, filepath.Join(dir, "c.csv"), "1,,\n,2,3")
	gives(t, env, "CSV", `CSVRead(<<"p", "q", "r">>, ",", "c.csv")`, `<<[p |-> "1", q |-> "", r |-> ""], [p |-> "", q |-> "2", r |-> "3"]>>`)
}

func TestTextIsSerialized(t *testing.T) {
	env, dir := fileEnv(t)
	options := func(kind, charset, open string) string {
		return `[format |-> "` + kind + `", charset |-> "` + charset + `", openOptions |-> <<` + open + `>>]`
	}
	write := func(text, options string) string {
		return `Serialize(` + text + `, "a.txt", ` + options + `).exitValue`
	}
	gives(t, env, "IOUtils", write(`"é1"`, options("TXT", "UTF-8", `"WRITE", "CREATE", "TRUNCATE_EXISTING"`)), "0")
	gives(t, env, "IOUtils", `Deserialize("a.txt", `+options("TXT", "UTF-8", "")+`)`, `[exitValue |-> 0, stderr |-> "", stdout |-> "é1"]`)
	gives(t, env, "IOUtils", `Deserialize("a.txt", `+options("TXT", "US-ASCII", "")+`).exitValue`, "1")
	gives(t, env, "IOUtils", `Deserialize("none.txt", `+options("TXT", "UTF-8", "")+`).exitValue`, "1")
	gives(t, env, "IOUtils", write(`"2"`, options("TXT", "UTF-8", `"APPEND"`)), "0")
	gives(t, env, "IOUtils", `Deserialize("a.txt", `+options("TXT", "UTF-8", "")+`).stdout`, `"é12"`)
	gives(t, env, "IOUtils", write(`"2"`, options("TXT", "UTF-8", `"CREATE_NEW"`)), "1")
	gives(t, env, "IOUtils", write(`"é"`, options("TXT", "US-ASCII", `"WRITE"`)), "1")
	gives(t, env, "IOUtils", write(`"é"`, options("TXT", "ISO-8859-1", `"WRITE", "TRUNCATE_EXISTING"`)), "0")
	if got := content(t, filepath.Join(dir, "a.txt")); got != "\xe9" {
		t.Errorf("the file has %q", got)
	}
	gives(t, env, "IOUtils", `Deserialize("a.txt", `+options("TXT", "ISO-8859-1", "")+`).stdout`, `"é"`)
	gives(t, env, "IOUtils", write(`"2"`, options("TXT", "EBCDIC", `"WRITE"`)), "1")
	gives(t, env, "IOUtils", write(`"2"`, options("TXT", "UTF-8", `"BURN"`)), "1")
	gives(t, env, "IOUtils", `Serialize(<<1, <<2>>>>, "b.txt", `+options("NDJSON", "UTF-8", `"WRITE", "CREATE"`)+`)`, "TRUE")
	if got := content(t, filepath.Join(dir, "b.txt")); got != "1\n[2]\n" {
		t.Errorf("the file has %q", got)
	}
	gives(t, env, "SVG", `SVGSerialize(Circle(1, 2, 3, << >>), "frame_", 7).exitValue`, "0")
	if got := content(t, filepath.Join(dir, "frame_007.svg")); got != "<circle cx='1' cy='2' r='3'></circle>" {
		t.Errorf("the file has %q", got)
	}
}

func TestTLCFilesAreWrittenAndReadBack(t *testing.T) {
	env, _ := fileEnv(t)
	for _, v := range []string{
		"TRUE", "-5", `"abc"`, "<<>>", `<<1, {2, 3}, [a |-> "x", b |-> <<>>]>>`, `(<<1>> :> 2 @@ <<2>> :> 3)`, "{}", "(0 :> 5 @@ 1 :> 6)", `{"", "a"}`,
	} {
		for _, compress := range []string{"TRUE", "FALSE"} {
			gives(t, env, "IOUtils, TLC, Integers", `IOSerialize(`+v+`, "v", `+compress+`)`, "TRUE")
			gives(t, env, "IOUtils", `IODeserialize("v", `+compress+`)`, v)
		}
	}
	fails(t, env, "IOUtils, Integers", `IOSerialize(2 ^ 40, "v", FALSE)`, CodeUnsupported)
	fails(t, env, "IOUtils, TLCExt", `IOSerialize(TLCModelValue("m"), "v", FALSE)`, CodeUnsupported)
	fails(t, env, "IOUtils", `IOSerialize("é", "v", FALSE)`, CodeUnsupported)
}

// What TLC writes refers to what it has written before: here, <<s, s, [s |-> s], 1..2, [0..1 |-> ...]>> with s = "ab".
func TestReferencesInTLCFilesAreFollowed(t *testing.T) {
	ab := "\x03\x00\x00\x00\x07\xff\xff\xff\xff\x00\x00\x00\x02ab"
	file := "\x07\x00\x05" + ab + "\x1a\x00\x01" +
		"\x04\xff\xff\xff\xff" + "\x1a\x00\x01" + "\x1a\x00\x01" +
		"\x17\x00\x00\x00\x01\x00\x00\x00\x02" +
		"\x09\x00\x02\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x01\x00\x00"
	v, err := decodeTLC([]byte(file), false)
	if err != nil || v.String() != `<<"ab", "ab", [ab |-> "ab"], 1..2, (0 :> TRUE @@ 1 :> FALSE)>>` {
		t.Errorf("the file has %v, error %v", v, err)
	}
	v, err = decodeTLC([]byte("\x07\x00\x02"+"\x07\x00\x01\x00\x01"+"\x1a\x00\x01"), false)
	if err != nil || v.String() != "<<<<TRUE>>, <<TRUE>>>>" {
		t.Errorf("a tuple that is referred to: %v, error %v", v, err)
	}
	for _, bad := range []string{
		"", "\x07", "\x07\x00\x02\x00\x01", "\x63", "\x15\x00\x01", "\x1a\x00\x00", "\x07\x00\x01\x1a\x00\x00", "\x00\x01\x00",
		"\x03\x00\x00\x00\x00\x00\x00\x00\x00\x7f\xff\xff\xff", "\x05\x7f\xff\xff\xff", "\x04\x00\x00\x00\x01\x01\x00\x00\x00\x01",
		"\x09\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00\x05\x00\x01", "\x05\x00\x00\x00\x02\x00\x01\x01\x00\x00\x00\x01",
		strings.Repeat("\x07\x00\x01", 20_000),
	} {
		if v, err := decodeTLC([]byte(bad), false); err == nil {
			t.Errorf("%q is read as %v", bad, v)
		}
	}
	if _, err := decodeTLC([]byte("\x00\x01"), true); err == nil {
		t.Error("a file that is not compressed is read as if it were")
	}
}
