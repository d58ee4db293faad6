package boot

import (
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestTheScriptIsShellcheckClean(t *testing.T) {
	path, err := exec.LookPath("shellcheck")
	if err != nil {
		t.Skip("not_run: shellcheck is not installed")
	}
	if out, err := exec.Command(path, "script.sh").CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// The order is what makes the marker mean something.
func TestTheScriptRunsItsStepsInOrder(t *testing.T) {
	var ran []string
	for line := range strings.Lines(Script()) {
		if step, ok := strings.CutPrefix(strings.TrimRight(line, "\n"), "run "); ok {
			ran = append(ran, step)
		}
	}
	if fmt.Sprint(ran) != fmt.Sprint(Steps()) {
		t.Errorf("the script runs %v, Steps says %v", ran, Steps())
	}
}

func TestARecipesHash(t *testing.T) {
	base := Recipe{Repo: Repo{URL: "https://example.org/x/tool.git"}}
	same := []Recipe{
		base,
		{Packages: []string{"git", "tmux", "git"}, Repo: base.Repo},
		{Packages: []string{"git=git"}, Repo: Repo{URL: base.Repo.URL, Dir: "/root/tool"}},
		base.WithDefaults(),
		base.WithDefaults().WithDefaults(),
	}
	for _, r := range same {
		if r.Hash() != base.Hash() {
			t.Errorf("%+v has another hash than its equal", r)
		}
	}
	other := []Recipe{
		{}, {Packages: []string{"vim"}, Repo: base.Repo}, {Repo: Repo{URL: base.Repo.URL, Branch: "dev"}},
		{Repo: Repo{URL: base.Repo.URL, Dir: "/workspace"}}, {Repo: base.Repo, UserScript: "true"}, {Repo: Repo{URL: "https://example.org/y/tool.git"}},
	}
	seen := map[string]bool{base.Hash(): true}
	for _, r := range other {
		if seen[r.Hash()] {
			t.Errorf("%+v has the hash of another", r)
		}
		seen[r.Hash()] = true
	}
	if !ValidHash(base.Hash()) {
		t.Errorf("%s is no hash", base.Hash())
	}
}

var goodMarker = Marker{Pod: "alice", Incarnation: 3, Recipe: strings.Repeat("ab", 32)}

func TestOnlyWhatFormatWroteIsAMarker(t *testing.T) {
	good := string(goodMarker.Format())
	if m, err := ParseMarker([]byte(good)); err != nil || m != goodMarker {
		t.Fatalf("%+v, %v", m, err)
	}
	bad := []string{
		"", "\n", "end\n", good + "\n", good + good, " " + good, strings.ToUpper(good), strings.ReplaceAll(good, "\n", "\r\n"),
		strings.Replace(good, "alice", "al\x00ice", 1), strings.Replace(good, "alice", "a b", 1), strings.Replace(good, "alice", "", 1),
		strings.Replace(good, "incarnation 3", "incarnation 03", 1), strings.Replace(good, "incarnation 3", "incarnation +3", 1),
		strings.Replace(good, "incarnation 3", "incarnation 0", 1), strings.Replace(good, "incarnation 3", "incarnation -1", 1),
		strings.Replace(good, "incarnation 3", "incarnation 99999999999999999999", 1), strings.Replace(good, "abab", "ab", 1),
		strings.Replace(good, "marker 1", "marker 2", 1), strings.Repeat("x", MaxMarker+1),
		string(Marker{Pod: strings.Repeat("p", MaxMarker), Incarnation: 1, Recipe: goodMarker.Recipe}.Format()),
	}
	for i := range len(good) { // a write that was cut anywhere
		bad = append(bad, good[:i])
	}
	for _, content := range bad {
		if m, err := ParseMarker([]byte(content)); err == nil {
			t.Errorf("%q is taken for %+v", content, m)
		}
	}
}

func TestAMarkerVouchesForExactlyItsOwn(t *testing.T) {
	for want, reason := range map[Marker]Reason{
		goodMarker: "",
		{Pod: "bob", Incarnation: 3, Recipe: goodMarker.Recipe}:           OtherIncarnation,
		{Pod: "alice", Incarnation: 2, Recipe: goodMarker.Recipe}:         OtherIncarnation,
		{Pod: "alice", Incarnation: 4, Recipe: goodMarker.Recipe}:         OtherIncarnation,
		{Pod: "alice", Incarnation: 3, Recipe: strings.Repeat("cd", 32)}:  OtherRecipe,
		{Pod: "alice", Incarnation: 33, Recipe: strings.Repeat("cd", 32)}: OtherIncarnation,
	} {
		if got := goodMarker.Vouches(want); got != reason {
			t.Errorf("for %+v: %q, want %q", want, got, reason)
		}
	}
}

func TestRecipesThatCanOnlyFailAreRefused(t *testing.T) {
	repo := func(url string) Recipe { return Recipe{Repo: Repo{URL: url}} }
	dir := func(d string) Recipe { return Recipe{Repo: Repo{URL: "https://example.org/a/b", Dir: d}} }
	branch := func(b string) Recipe { return Recipe{Repo: Repo{URL: "https://example.org/a/b", Branch: b}} }
	for _, r := range []Recipe{
		{}, repo("https://example.org/a/b.git"), repo("http://127.0.0.1:8080/x"), repo("ssh://git@example.org/a/b"), repo("git://example.org/a"), repo("file:///srv/example.git"),
		dir("/workspace"), dir("/srv/a b"), dir("/root/x/y"), branch("main"), branch("feature/x-1.2"),
		{Packages: []string{"tmux", "g++", "rg=ripgrep", "python3.11"}, UserScript: "echo ü\n"},
	} {
		if err := Validate(r); err != nil {
			t.Errorf("%+v: %v", r, err)
		}
	}
	refused := map[string][]Recipe{
		"repo.url": {
			repo("https://user:hunter2@example.org/a"), repo("https://hunter2@example.org/a"), repo("https://:hunter2@example.org/a"), repo("ssh://git:hunter2@example.org/a"),
			repo("https://example.org/a?private_token=hunter2"), repo("https://example.org/a#hunter2"), repo("git@example.org:a/b.git"), repo("ext::sh -c id"), repo("-u x"),
			repo("ftp://example.org/a"), repo("/srv/example.git"), repo("example.git"), repo("https:///a"), repo("https://example.org"), repo("file://host/srv/x"),
			repo("file:srv"), repo("ssh://-oProxyCommand=id/a"), repo("ssh://-x@example.org/a"), repo("https://example.org/a b"), repo("https://example.org/a\nb"),
			repo("https://example.org/%zz"), repo("https://example.org/" + strings.Repeat("a", 3000)), {Repo: Repo{Dir: "/x"}}, {Repo: Repo{Branch: "x"}},
		},
		"repo.dir": {
			dir("workspace"), dir("/"), dir("/root"), dir("/etc"), dir("/workspace/"), dir("/workspace/../etc"), dir("/proc/1"), dir("/.podlife"), dir("/run/podlife/x"), dir("/var/lib/podlife"),
			dir("/a\nb"), dir("/" + strings.Repeat("a", 600)), repo("https://example.org/a/..git"), repo("https://example.org/ä"),
		},
		"repo.branch": {branch("-x"), branch("a..b"), branch("a b"), branch("a/"), branch("a.lock"), branch("a~1"), branch("@{x}"), branch("a//b"), branch(strings.Repeat("b", 300))},
		"packages": {
			{Packages: []string{""}}, {Packages: []string{"-y"}}, {Packages: []string{"a b"}}, {Packages: []string{"a;id"}}, {Packages: []string{"a=b=c"}}, {Packages: []string{"*"}},
			{Packages: []string{"../x"}}, {Packages: []string{"$(id)"}}, {Packages: []string{"a\nb"}}, {Packages: make([]string, 65)},
		},
		"user_script": {{UserScript: "a\x00b"}, {UserScript: "\xff"}, {UserScript: strings.Repeat("x", 300<<10)}},
	}
	for field, recipes := range refused {
		for _, r := range recipes {
			err := Validate(r)
			var inv *InvalidError
			if !errors.As(err, &inv) || inv.Field != field {
				t.Errorf("%.300q: got %v, want a refusal of %s", fmt.Sprintf("%+v", r), err, field)
			} else if strings.Contains(err.Error(), "hunter2") {
				t.Errorf("the refusal repeats a secret: %v", err)
			}
		}
	}
}

func TestRequestsThatCanOnlyFailAreRefused(t *testing.T) {
	good := NewRequest("alice", 1, Script(), Recipe{Repo: Repo{URL: "https://example.org/a/b"}})
	good.Token = "t"
	if err := ValidateRequest(good); err != nil {
		t.Fatal(err)
	}
	for field, spoil := range map[string]func(*Request){
		"pod": func(r *Request) { r.Pod = "a/b" }, "incarnation": func(r *Request) { r.Incarnation = 0 }, "username": func(r *Request) { r.Username = "a\nb" },
		"script": func(r *Request) { r.Script = "" }, "script ": func(r *Request) { r.Script = "a\x00b" }, "recipe_hash": func(r *Request) { r.RecipeHash = "beef" },
		"token": func(r *Request) { r.Token = "a\nb" }, "packages": func(r *Request) { r.Recipe.Packages = []string{"-"} },
		"token ": func(r *Request) { r.Recipe.Repo.URL = "http://example.org/a" }, "token  ": func(r *Request) { r.Recipe.Repo.URL = "ssh://example.org/a" },
	} {
		r := good
		spoil(&r)
		var inv *InvalidError
		if err := ValidateRequest(r); !errors.As(err, &inv) || inv.Field != strings.TrimSpace(field) {
			t.Errorf("%s: %v", field, err)
		}
	}
}

func TestTheLargestRequestThatIsTakenFits(t *testing.T) {
	r := NewRequest(strings.Repeat("p", 64), 1<<31, strings.Repeat("<", maxScript), Recipe{
		Repo:       Repo{URL: "https://example.org/" + strings.Repeat("&", maxURL-20), Branch: strings.Repeat("b", 200), Dir: "/" + strings.Repeat("<", maxDir-1)},
		UserScript: strings.Repeat("\x01", maxUserScript),
	})
	for i := range maxPackages - 2 { // and the two that are always there
		name := strings.Repeat("c", 96)
		r.Recipe.Packages = append(r.Recipe.Packages, fmt.Sprintf("%s%d=%s%d", name, i, strings.Repeat("q", 96), i))
	}
	r.Username, r.Token = strings.Repeat("<", 256), strings.Repeat(">", 4096)
	if err := ValidateRequest(r); err != nil {
		t.Fatal(err)
	}
	line, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	if len(line) >= MaxRequest {
		t.Errorf("%d bytes, at most %d are read", len(line), MaxRequest)
	}
	if err := ValidateScript(Script()); err != nil {
		t.Error(err)
	}
}

func TestATailIsTheEndAndText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var tail Tail
		all := ""
		for _, s := range rapid.SliceOfN(rapid.StringN(0, 3000, -1), 0, 8).Draw(t, "pieces") {
			tail.WriteString(s)
			all += s
		}
		got := tail.String()
		if !utf8.ValidString(got) || !strings.HasSuffix(all, got) || len(got) > TailSize {
			t.Fatalf("%d bytes of %d", len(got), len(all))
		}
		if len(all) <= TailSize && got != all || len(all) > TailSize && len(got) < TailSize-3 {
			t.Fatalf("only %d bytes of %d", len(got), len(all))
		}
	})
}

func TestATailIsNotCutThroughARune(t *testing.T) {
	for shift := range 4 {
		var tail Tail
		tail.WriteString(strings.Repeat("\U0001F40B", TailSize/3) + strings.Repeat("x", shift))
		if got := tail.String(); strings.Trim(got, "x\U0001F40B") != "" || len(got) < TailSize-3 {
			t.Errorf("%d bytes, beginning with %q", len(got), got[:4])
		}
	}
}

func TestTextsLoseNothingAndSplitNoRune(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := []byte(rapid.StringN(0, 9000, -1).Draw(t, "text"))
		junk := rapid.SliceOfN(rapid.Byte(), 0, 8).Draw(t, "junk")
		all = append(all, junk...)
		var texts Texts
		got := ""
		for rest := all; len(rest) > 0; {
			n := min(len(rest), rapid.IntRange(1, 20000).Draw(t, "read"))
			for _, p := range texts.Next(rest[:n]) {
				if !utf8.ValidString(p) || len(p) > MaxLog || p == "" {
					t.Fatalf("a piece of %d bytes, valid %v", len(p), utf8.ValidString(p))
				}
				got += p
			}
			rest = rest[n:]
		}
		got += strings.Join(texts.End(), "")
		if len(junk) == 0 && got != string(all) {
			t.Fatalf("%d bytes became %d", len(all), len(got))
		}
	})
}

func TestASecretIsScrubbedHoweverItIsCut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		secret := rapid.StringMatching(`[ab]{1,6}`).Draw(t, "secret")
		all := rapid.StringMatching(`[abc]{0,60}`).Draw(t, "log")
		s := NewScrubber("", secret)
		got := ""
		for rest := all; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "read")
			got += string(s.Next([]byte(rest[:n])))
			rest = rest[n:]
		}
		got += string(s.End())
		if want := strings.ReplaceAll(all, secret, "***"); got != want {
			t.Fatalf("%q without %q is %q, want %q", all, secret, got, want)
		}
	})
}

// Holding back more than needed would delay the log of a step that waits.
func TestAScrubberHoldsBackOnlyWhatMayBeASecret(t *testing.T) {
	if got := string(NewScrubber("token").Next([]byte("waiting for to"))); got != "waiting for " {
		t.Errorf("told %q", got)
	}
	if got := string(NewScrubber("token").Next([]byte("waiting"))); got != "waiting" {
		t.Errorf("told %q", got)
	}
}
