package specs

import (
	"strings"
	"testing"

	"podlife/tla/diag"
)

func parse(text string) ([]Entry, error) { return Parse(diag.NewSource("registry.txt", []byte(text))) }

func TestALineIsReadAndWrittenBack(t *testing.T) {
	for _, line := range []string{
		"A.cfg A pr holds states=3 distinct=2 depth=1",
		"configs/A/off/Act.guard.cfg A nightly violates Inv states=3 distinct=2 depth=1 length=5",
		"configs/A/reach/Far.cfg A_1 pr reaches Far states=30 distinct=20 depth=10 length=10",
		"L.cfg A pr unsupported states=1 distinct=1 depth=1",
	} {
		entries, err := parse("# a comment\n\n  " + strings.ReplaceAll(line, " ", " \t ") + "\r\n")
		if err != nil || len(entries) != 1 {
			t.Errorf("%s: %v, %v", line, entries, err)
			continue
		}
		if got := entries[0].Line(); got != line {
			t.Errorf("read and written it is %q, want %q", got, line)
		}
		if got := entries[0].Span.String(); got != "registry.txt:3:3" {
			t.Errorf("%s: it is at %s", line, got)
		}
	}
}

func TestWhatIsNoLineIsRefusedWithItsPlace(t *testing.T) {
	const good = "A.cfg A pr holds states=3 distinct=2 depth=1\n"
	for line, want := range map[string]string{
		"A.tla A pr holds states=3 distinct=2 depth=1":    `registry.txt:1:1: "A.tla" is no file`,
		"../A.cfg A pr holds states=3 distinct=2 depth=1": `registry.txt:1:1: "../A.cfg" is no file`,
		"a//A.cfg A pr holds states=3 distinct=2 depth=1": `registry.txt:1:1: "a//A.cfg" is no file`,
		"A.cfg": "registry.txt:1:6: Here a module is missing",
		"A.cfg A-B pr holds states=3 distinct=2 depth=1":                    `registry.txt:1:7: "A-B" is no module's name`,
		"A.cfg A weekly holds states=3 distinct=2 depth=1":                  `registry.txt:1:9: "weekly" is no set`,
		"A.cfg A pr passes states=3 distinct=2 depth=1":                     `registry.txt:1:12: "passes" is no expectation`,
		"A.cfg A pr violates states=3 distinct=2 depth=1":                   `registry.txt:1:21: "states=3" is no name`,
		"A.cfg A pr violates":                                               "registry.txt:1:20: Here the name",
		"A.cfg A pr holds distinct=2 states=3 depth=1":                      "registry.txt:1:18: Here states=N is expected",
		"A.cfg A pr holds states=0 distinct=2 depth=1":                      "registry.txt:1:18: Here states=N is expected",
		"A.cfg A pr holds states=03 distinct=2 depth=1":                     "registry.txt:1:18: Here states=N is expected",
		"A.cfg A pr holds states=3 distinct=2":                              "registry.txt:1:37: Here depth=N is missing",
		"A.cfg A pr violates Inv states=3 distinct=2 depth=1":               "registry.txt:1:52: Here length=N is missing",
		"A.cfg A pr holds states=3 distinct=2 depth=1 length=4":             `registry.txt:1:46: The line ends before "length=4"`,
		"A.cfg A pr violates Inv states=3 distinct=2 depth=1 length=4 more": `registry.txt:1:62: The line ends before "more"`,
		good + "sub/" + good:                                                "registry.txt:2:1: A configuration called A.cfg is in the registry twice",
		"# nothing\n":                                                       "registry.txt:1:1: The registry is empty",
	} {
		if _, err := parse(line); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v; want %s", line, err, want)
		}
	}
}

func TestEveryWrongLineIsNamed(t *testing.T) {
	_, err := parse("A.cfg A\nB.cfg B pr holds states=1 distinct=1 depth=1\nC.cfg C pr\n")
	if all := diag.All(err); len(all) != 2 || all[1].Span.String() != "registry.txt:3:11" {
		t.Errorf("got %v", all)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("A.cfg A pr holds states=3 distinct=2 depth=1\n# x\n")
	f.Add("A.cfg A pr violates Inv states=3 distinct=2 depth=1 length=4")
	f.Fuzz(func(t *testing.T, text string) {
		entries, err := parse(text)
		if err != nil {
			return
		}
		var lines []string
		for _, e := range entries {
			lines = append(lines, e.Line())
		}
		again, err := parse(strings.Join(lines, "\n"))
		if err != nil || len(again) != len(entries) {
			t.Errorf("written back it is not the same: %v", err)
		}
	})
}
