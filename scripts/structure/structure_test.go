package structure

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// This is the check itself; the other tests show that each rule can fail.
func TestTheRepositoryKeepsItsRules(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(root, "go.mod")); err != nil {
		t.Fatalf("%s is not the root of the repository: %v", root, err)
	}
	findings, err := Check(os.DirFS(root), root+"/")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range findings {
		t.Error(f)
	}
}

func TestLayersNameFoldersThatExist(t *testing.T) {
	for _, l := range layers {
		if _, err := os.Stat(filepath.Join("../..", filepath.FromSlash(l.folder))); err != nil {
			t.Errorf("a layer is about a folder that is not there: %v", err)
		}
	}
}

// file makes a Go file of package name with imports.
func file(name string, imports ...string) *fstest.MapFile {
	var text strings.Builder
	text.WriteString("// Package " + name + " is there for a test. It imports little. Read it first.\npackage " + name + "\n\n")
	for _, i := range imports {
		text.WriteString("import _ \"" + i + "\"\n")
	}
	return &fstest.MapFile{Data: []byte(text.String())}
}

// text makes a file with that text.
func text(data string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(data)} }

func TestRules(t *testing.T) {
	// A word is put together so that this file does not contain what it tests for.
	home := "/ho" + "me/somebody/"
	tests := []struct {
		claim string
		file  string
		data  *fstest.MapFile
		want  []string // "where: what" of each finding
	}{
		{"model imports model", "model/a/a.go", file("a", "fmt", "podlife/model"), nil},
		{"model imports nothing else of ours", "model/a/a.go", file("a", "podlife/runtime/pod"),
			[]string{"model/a/a.go:4: model imports podlife/runtime/pod"}},
		{"nor do its tests", "model/a/a_test.go", file("a", "podlife/conformance"),
			[]string{"model/a/a_test.go:4: model imports podlife/conformance"}},
		{"model does no I/O", "model/a/a.go", file("a", "net/http", "os"),
			[]string{"model/a/a.go:4: import of net/http", "model/a/a.go:5: import of os"}},
		{"tests of model may read files", "model/a/a_test.go", file("a", "os"), nil},
		{"a package that only begins like a banned one is another", "model/a/a.go", file("a", "oslo.example/os"), nil},
		{"tla imports nothing else of ours", "tla/a/a.go", file("a", "podlife/model"),
			[]string{"tla/a/a.go:4: tla imports podlife/model"}},
		{"pod imports model", "runtime/pod/a.go", file("pod", "podlife/model/podlifecycle"), nil},
		{"pod imports no store", "runtime/pod/a.go", file("pod", "podlife/runtime/store"),
			[]string{"runtime/pod/a.go:4: runtime/pod imports podlife/runtime/store"}},
		{"pod opens no files", "runtime/pod/a.go", file("pod", "os"),
			[]string{"runtime/pod/a.go:4: import of os"}},
		{"tests of pod may set up a neighbour", "runtime/pod/a_test.go", file("pod", "podlife/runtime/store"), nil},
		{"but stay in the runtime", "runtime/pod/a_test.go", file("pod", "podlife/mutants"),
			[]string{"runtime/pod/a_test.go:4: runtime imports podlife/mutants"}},
		{"the engine interface knows no engine", "runtime/engine/a.go", file("engine", "podlife/runtime/engine/docker"),
			[]string{"runtime/engine/a.go:4: runtime/engine imports podlife/runtime/engine/docker"}},
		{"an engine imports the interface", "runtime/engine/docker/a.go", file("docker", "podlife/runtime/engine", "github.com/docker/docker/client"), nil},
		{"engines do not know each other", "runtime/engine/simulated/a.go", file("simulated", "podlife/runtime/engine/docker"),
			[]string{"runtime/engine/simulated/a.go:4: runtime/engine/simulated imports podlife/runtime/engine/docker"}},
		{"only the Docker engine knows Docker's library", "conformance/a_test.go", file("conformance", "github.com/docker/docker/api/types/container"),
			[]string{"conformance/a_test.go:4: import of github.com/docker/docker/api/types/container"}},
		{"only the store knows SQLite", "runtime/server/a.go", file("server", "modernc.org/sqlite"),
			[]string{"runtime/server/a.go:4: import of modernc.org/sqlite"}},
		{"the suite knows no engine", "runtime/engine/enginetest/a.go", file("enginetest", "podlife/runtime/engine", "podlife/runtime/engine/docker"),
			[]string{"runtime/engine/enginetest/a.go:5: runtime/engine/enginetest imports podlife/runtime/engine/docker"}},
		{"the simulated engine plays the agent", "runtime/engine/simulated/a.go", file("simulated", "podlife/runtime/agent", "podlife/runtime/boot"), nil},
		{"the real engine does not", "runtime/engine/docker/a.go", file("docker", "podlife/runtime/boot"),
			[]string{"runtime/engine/docker/a.go:4: runtime/engine/docker imports podlife/runtime/boot"}},
		{"boot imports nothing of ours", "runtime/boot/a.go", file("boot", "podlife/runtime/agent"),
			[]string{"runtime/boot/a.go:4: runtime/boot imports podlife/runtime/agent"}},
		{"technologies do not know each other", "runtime/store/a.go", file("store", "podlife/runtime/pod", "podlife/runtime/engine"),
			[]string{"runtime/store/a.go:5: runtime/store imports podlife/runtime/engine"}},
		{"terminal knows no engine", "runtime/terminal/a.go", file("terminal", "podlife/runtime/pod", "podlife/runtime/engine"),
			[]string{"runtime/terminal/a.go:5: runtime/terminal imports podlife/runtime/engine"}},
		{"client knows nothing of the server", "runtime/client/a.go", file("client", "podlife/runtime/server"),
			[]string{"runtime/client/a.go:4: runtime/client imports podlife/runtime/server"}},
		{"mutants know the rest", "mutants/a.go", file("mutants", "podlife/model", "podlife/conformance", "podlife/runtime/client"), nil},
		{"but do not import the program", "mutants/a.go", file("mutants", "podlife/cmd/podlife"),
			[]string{"mutants/a.go:4: mutants imports podlife/cmd/podlife"}},
		{"checks of the source import nothing of it", "scripts/a/a.go", file("a", "podlife/model"),
			[]string{"scripts/a/a.go:4: scripts imports podlife/model"}},
		{"cmd does not import the scripts", "cmd/podlife/a.go", file("main", "podlife/scripts/structure"),
			[]string{"cmd/podlife/a.go:4: cmd imports podlife/scripts/structure"}},
		{"the agent knows nothing of the server", "runtime/agent/a.go", file("agent", "podlife/runtime/server"),
			[]string{"runtime/agent/a.go:4: runtime/agent imports podlife/runtime/server"}},
		{"runtime does not know what checks it", "runtime/server/a.go", file("server", "podlife/conformance"),
			[]string{"runtime/server/a.go:4: runtime imports podlife/conformance"}},
		{"nor the specification's tools", "runtime/server/a.go", file("server", "podlife/tla/parse"),
			[]string{"runtime/server/a.go:4: runtime imports podlife/tla/parse"}},
		{"conformance knows the rest", "conformance/a.go", file("conformance", "podlife/model", "podlife/runtime/client", "podlife/tla/a"), nil},
		{"but not the program", "conformance/a.go", file("conformance", "podlife/cmd/podlife"),
			[]string{"conformance/a.go:4: conformance imports podlife/cmd/podlife"}},
		{"cmd knows all", "cmd/podlife/a.go", file("main", "podlife/conformance", "podlife/mutants", "podlife/runtime/engine/docker"), nil},
		{"Go code has its place", "util/a.go", file("util"),
			[]string{"util/a.go: Go code in a folder that no layer names"}},

		{"a package has a doc comment", "model/a/a.go", text("package a\n"),
			[]string{`model/a: no doc comment that starts with "Package a "`}},
		{"it names the package", "model/a/a.go", text("// Something about it.\npackage a\n"),
			[]string{`model/a: no doc comment that starts with "Package a "`}},
		{"a licence is no doc comment", "model/a/a.go", text("// Package a is ours.\n\npackage a\n"),
			[]string{`model/a: no doc comment that starts with "Package a "`}},
		{"a program has a doc comment too", "cmd/a/a.go", text("package main\n"),
			[]string{`cmd/a: no doc comment that starts with "Package main "`}},
		{"it says what may be imported", "model/a/a.go", text("// Package a is there. Read a.go first.\npackage a\n"),
			[]string{"model/a: the doc comment does not say what the package may import"}},
		{"it says where to start", "model/a/a.go", text("// Package a is there. It imports nothing.\npackage a\n"),
			[]string{"model/a: the doc comment does not say which file to read first"}},
		{"so does a program's", "cmd/a/a.go", text("// Command a is there.\npackage main\n"),
			[]string{"cmd/a: the doc comment does not say what the package may import", "cmd/a: the doc comment does not say which file to read first"}},
		{"a file that is the only one is the first too", "cmd/a/a.go", text("// Command a is there. It imports nothing; there is one file.\npackage main\n"), nil},
		{"a package of tests alone has it in a test file", "mutants/a_test.go", file("mutants"), nil},

		{"pod reads no clock", "runtime/pod/a.go",
			text("// Package pod is there. It imports time; read it first.\npackage pod\n\nimport wall \"time\"\n\nvar a = wall.Now()\nvar b = wall.Second\n"),
			[]string{"runtime/pod/a.go:6: use of time.Now"}},
		{"except where it puts it behind an interface", "runtime/pod/clock.go",
			text("// Package pod is there. It imports time; read it first.\npackage pod\n\nimport \"time\"\n\nvar a = time.Now()\n"), nil},

		{"a bug report that is named is explained", "model/a/a.go", text("// Package a is there. It imports nothing; there is one file.\npackage a // see " + "B" + "12\n"), nil},
		{"one that nothing explains is not named", "model/a/a.go", text("// Package a is there. It imports nothing; there is one file.\npackage a // see " + "B" + "1, then B" + "12\n"),
			[]string{"model/a/a.go:2: B" + "1 is not in docs/bug-reports.md"}},
		{"nor by the page", "runtime/server/web/test/a.test.ts", text("// B" + "13\n"),
			[]string{"runtime/server/web/test/a.test.ts:1: B" + "13 is not in docs/bug-reports.md"}},

		{"a test that a document names is there", "docs/a.md", text("see `Test" + "ItWorks`\n"), nil},
		{"one that is gone is not named", "docs/a.md", text("\nsee `Test" + "ItWorks` and `Test" + "ItWorkedOnce`\n"), []string{"docs/a.md:2: there is no test Test" + "ItWorkedOnce"}},

		{"a file of 700 lines is read", "runtime/server/web/src/a.ts", text(strings.Repeat("x\n", 700)), nil},
		{"a longer one is not", "runtime/server/web/src/a.ts", text(strings.Repeat("x\n", 701)),
			[]string{"runtime/server/web/src/a.ts: 701 lines, more than 700"}},
		{"a longer test is", "runtime/server/web/test/a.test.ts", text(strings.Repeat("x\n", 701)), nil},
		{"generated code is not read", "runtime/server/web/src/a.ts", text("// Code generated by x. DO NOT EDIT.\n" + strings.Repeat("x\n", 701)), nil},

		{"no path of somebody's home", "docs/a.md", text("see " + home + "notes\n"), []string{`docs/a.md:1: "` + home + `"`}},
		{"no path of the checkout", "docs/a.md", text("\nsee /somewhere/here/notes\n"), []string{"docs/a.md:2: the path of this checkout"}},
		{"no address of a registry", "docs/a.md", text("from https://" + "registry" + ".example.org/x\n"), []string{`docs/a.md:1: "registry` + `.example.org"`}},
		{"no address of a package proxy", ".ci/run", text("GOPROXY=" + "proxy" + ".example.org\n"), []string{`.ci/run:1: "proxy` + `.example.org"`}},
		{"no addresses in a lock file", "runtime/server/web/package-lock.json", text("{\n\"resolved\": \"https://x/y.tgz\"}\n"),
			[]string{`runtime/server/web/package-lock.json:2: "\"resolved\": \""`}},
		{"what was fetched is not ours", "runtime/server/web/node_modules/a/a.md", text(home), nil},
		{"a picture is not text", "docs/a.png", text("PNG\x00" + home), nil},
	}
	for _, test := range tests {
		t.Run(test.claim, func(t *testing.T) {
			tree := fstest.MapFS{
				"cmd/podlife/main.go":   text("// Podlife is the program. It imports all; read it last.\npackage main\n"),
				"docs/bug-reports.md":   text("\n| B" + "12 | https://bugs.example/12 | wrong | right |\n"),
				"mutants/works_test.go": text("// Package mutants is there. It imports testing; read it first.\npackage mutants\n\nfunc Test" + "ItWorks() {}\n"),
				test.file:               test.data,
			}
			findings, err := Check(tree, "/somewhere/here/")
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range findings {
				got = append(got, f.Where+": "+f.What)
				if len(f.Reason) < 20 {
					t.Errorf("%v gives no reason", f)
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAFailureSaysWhy(t *testing.T) {
	findings, err := Check(fstest.MapFS{"model/a.go": file("model", "podlife/runtime/pod")})
	if err != nil {
		t.Fatal(err)
	}
	if len(findings) != 1 || !strings.Contains(findings[0].String(), "why: model is the lifecycle as data") {
		t.Errorf("got %v", findings)
	}
}

func TestAnEmptyTreeIsNotAPass(t *testing.T) {
	if findings, err := Check(fstest.MapFS{"README.md": text("hello\n")}); err == nil {
		t.Errorf("no error for a tree without Go code, but findings %v", findings)
	}
}

func TestAFileThatDoesNotParseIsAnError(t *testing.T) {
	if findings, err := Check(fstest.MapFS{"model/a.go": text("package\n")}); err == nil {
		t.Errorf("no error for a broken Go file, but findings %v", findings)
	}
}
