package execution

import (
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// section is a part of docs/exec-protocol.md.
func section(t *testing.T, heading string) string {
	t.Helper()
	b, err := os.ReadFile("../../docs/exec-protocol.md")
	if err != nil {
		t.Fatal(err)
	}
	_, s, ok := strings.Cut(string(b), "\n## "+heading+"\n")
	if !ok {
		t.Fatalf("docs/exec-protocol.md has no section %q", heading)
	}
	s, _, _ = strings.Cut(s, "\n## ")
	return s
}

// firsts are the words in the first column of a section's tables.
func firsts(t *testing.T, heading string) (words []string) {
	for _, m := range regexp.MustCompile("(?m)^\\| `?([a-z0-9_]+)`? \\|").FindAllStringSubmatch(section(t, heading), -1) {
		words = append(words, m[1])
	}
	return slices.DeleteFunc(words, func(w string) bool { return slices.Contains([]string{"message", "reason", "code", "binary"}, w) })
}

func source(t *testing.T) (all string) {
	t.Helper()
	for _, name := range []string{"execution.go", "message.go", "stream.go"} {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all += string(b)
	}
	return all
}

func TestTheDocumentSaysWhatIsSaid(t *testing.T) {
	for _, name := range firsts(t, "From the client") {
		if _, err := decodeMessage([]byte(`{"type":"` + name + `","client":"c","argv":["x"],"signal":"SIGINT"}`)); err != nil {
			t.Errorf("%s is refused: %v", name, err)
		}
	}
	code := source(t)
	var said []string
	for _, m := range regexp.MustCompile(`serverMessage\{Type: "([a-z]+)"|Reason:? ?=? ?"([a-z_]+)"|s\.lost\("([a-z_]+)"`).FindAllStringSubmatch(code, -1) {
		said = append(said, m[1]+m[2]+m[3])
	}
	for _, m := range regexp.MustCompile(`m\.Reason(?:, m\.[A-Z][a-z]+)? = "([a-z_]+)"`).FindAllStringSubmatch(code, -1) {
		said = append(said, m[1])
	}
	document := firsts(t, "From the server")
	slices.Sort(said)
	slices.Sort(document)
	if said = slices.Compact(said); !slices.Equal(said, document) {
		t.Errorf("the code says %v, docs/exec-protocol.md %v", said, document)
	}
	for what, v := range map[string]any{"From the client": clientMessage{}, "From the server": serverMessage{}} {
		for f := range reflect.TypeOf(v).Fields() {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name != "type" && !strings.Contains(section(t, what), "`"+name+"`") {
				t.Errorf("%s: the code has the field %q, docs/exec-protocol.md has not", what, name)
			}
		}
	}
	for _, s := range signals {
		if !strings.Contains(section(t, "From the client"), s) {
			t.Errorf("docs/exec-protocol.md has no %s", s)
		}
	}
	codes := firsts(t, "Close codes")
	for _, c := range []int{CloseEnded, CloseBadMessage, CloseSilent, CloseRefused} {
		if !slices.Contains(codes, strconv.Itoa(c)) {
			t.Errorf("docs/exec-protocol.md has no close code %d", c)
		}
	}
}
