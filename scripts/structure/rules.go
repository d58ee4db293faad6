package structure

import "regexp"

// module is the import path of the repository's root.
const module = "podlife"

// notOurs and notOursAnywhere are folders that are not looked at, by path and by name: they hold what was fetched or built.
var (
	notOurs         = []string{"bin", "runtime/server/web/dist", "runtime/server/web/.test", "tla/tools"}
	notOursAnywhere = []string{".git", "node_modules"}
)

// A layer says which folders of the project the Go files of one folder, and of those inside it, may import.
type layer struct {
	folder string
	may    []string // folders, each with those inside it; its own folder is always allowed
	tests  bool     // the rule holds for test files too
	reason string
}

// layers is looked through from the top, and the first whose folder fits decides. Those with tests false leave test files to the wider
// layer further down: a test may set up a neighbour, but it stays in its own part of the project.
var layers = []layer{
	{"model", nil, true,
		"model is the lifecycle as data, for the server, the explorer and the tests alike; were it to know one of them, it could not be checked apart from it"},
	{"tla", nil, true,
		"tla reads and checks TLA+ of any kind; it knows nothing of this project's Go, so that it cannot lean on what it is to check"},
	{"runtime/pod", []string{"model"}, false,
		"pod is where lifecycle state changes, and is tested without engines, disks and clocks: it knows them only as interfaces that it declares"},
	{"runtime/engine/docker", []string{"runtime/engine"}, false,
		"an engine knows what an engine must do and nothing of podlife; it can then be replaced, and the suite tells whether it may be"},
	{"runtime/engine/enginetest", []string{"runtime/engine"}, false,
		"the suite is what engines promise; one that knew an engine would promise what that engine does"},
	{"runtime/engine/simulated", []string{"runtime/engine", "runtime/agent", "runtime/boot"}, false,
		"the in-memory engine plays containers with the agent inside; it knows nothing of pods, servers and the real engine"},
	{"runtime/engine", nil, false,
		"what an engine must do is said without knowing any engine or user of one"},
	{"runtime/boot", nil, false,
		"boot is text in, text out: it is used inside and outside the container, and brings neither to the other"},
	{"runtime/agent", []string{"runtime/boot", "runtime/host", "runtime/transfer"}, false,
		"agent runs inside the container; what the server is made of has no place there"},
	{"runtime/workspace", []string{"runtime/pod", "model"}, false,
		"workspace is which pods there are, and is tested without engines and disks: it knows them only as interfaces that it declares"},
	{"runtime/store", []string{"runtime/pod", "runtime/workspace", "model"}, false,
		"a technology is known by its own package only, and technologies do not know each other; cmd puts them together"},
	{"runtime/transfer", nil, false,
		"transfer is files and a stream; both sides of a copy use it"},
	{"runtime/source", nil, false,
		"source judges URLs and addresses; what they are fetched for is not its business"},
	{"runtime/socket", nil, false,
		"socket is a WebSocket; what is said on it is its users' business"},
	{"runtime/execution", []string{"runtime/pod", "runtime/socket"}, false,
		"execution carries a program's streams between a socket and what a pod gives it; whose engine runs it is not its business"},
	{"runtime/terminal", []string{"runtime/pod", "runtime/socket", "model"}, false,
		"terminal carries bytes between a socket and what a pod gives it; whose engine runs the shell is not its business"},
	{"runtime/client", []string{"model"}, false,
		"client speaks the public API as anybody's program would; what it knew of the server would not be tested through it"},
	{"runtime", []string{"model"}, true,
		"the product must not know what checks it, nor the program that puts it together: nothing but cmd imports conformance or mutants"},
	{"conformance", []string{"model", "tla", "runtime", "mutants"}, true,
		"conformance may know all that it holds against each other, but not the program's wiring: it drives the program as it was built"},
	{"mutants", []string{"model", "tla", "runtime", "conformance"}, true,
		"mutants may know all that they break and what must notice, but not the program's wiring: they build the program"},
	{"scripts", nil, true,
		"a check of the source must build even where the source does not"},
	{"cmd", []string{"model", "tla", "runtime", "conformance", "mutants"}, true,
		"cmd is the wiring, and the one place that knows all"},
}

// A ban keeps some imports out of a folder.
type ban struct {
	folder string // "" is the whole repository
	except string // a folder that the ban leaves alone; "" is none
	tests  bool   // the ban holds for test files too
	banned []string
	reason string
}

var bans = []ban{
	{"", "runtime/engine/docker", true, []string{"github.com/docker/docker"},
		"that library had its last release under this path; the move to its successor is to stay inside one package"},
	{"", "runtime/store", true, []string{"modernc.org/sqlite", "database/sql"},
		"what is kept in SQLite, and how, is known to one package"},
	{"model", "", false, []string{"os", "net", "syscall", "log", "database/sql", "math/rand", "time", "golang.org/x/sys"},
		"model does no I/O and knows neither clock nor chance: the same state and action always give the same next state"},
	{"runtime/pod", "", false, []string{"os", "net", "syscall", "database/sql"},
		"pod reaches the world only through the interfaces that it declares"},
}

// clockFolder reads no clock and starts no timer, except in clockFile, which puts the real clock behind the interface that tests replace.
const (
	clockFolder = "runtime/pod"
	clockFile   = "runtime/pod/clock.go"
	clockReason = "a clock is passed in, never read: timeouts are tested without waiting for them"
)

// clockFunctions are those of package time that read the clock or wait.
var clockFunctions = []string{"After", "AfterFunc", "NewTicker", "NewTimer", "Now", "Since", "Sleep", "Tick", "Until"}

// maxLines bounds the files of these kinds, other than tests and generated ones.
const (
	maxLines     = 700
	lengthReason = "a file holds one concept; one this long holds several"
)

var measured = []string{".go", ".ts", ".sh", ".css", ".mjs"}

const docReason = "a reader who opens a folder is told what it is for, what it may import and where to start"

// docParts are what a package's doc comment has to say besides what the package is for. The words show that the sentence is there; whether
// it is true of imports is the layers' business.
var docParts = []struct {
	what string
	said *regexp.Regexp
}{
	{"what the package may import", regexp.MustCompile(`\bimports?\b`)},
	{"which file to read first", regexp.MustCompile(`(?i)\bread\b|\bone file\b`)},
}

// bugFile explains the names of bug reports; a line of its table begins with the name and the address of the report.
const (
	bugFile   = "docs/bug-reports.md"
	bugReason = "a name that nothing explains tells a reader nothing: add a line about the report, or say it in words"
)

var (
	bugName   = regexp.MustCompile(`\bB[0-9]{1,3}\b`)
	namesBugs = []string{".go", ".ts"}
)

// testName matches a test of Go where a document names one.
var testName = regexp.MustCompile("`(Test[A-Z][A-Za-z0-9]*)`")

const testReason = "a document that says what proves a claim is worth as much as the test: name one that is there"

// machineWords match what a repository must not know of the machine it was written on. The expressions are general on purpose: naming a
// machine here would be what they forbid.
var machineWords = []struct {
	expression *regexp.Regexp
	files      *regexp.Regexp // nil is all files
	reason     string
}{
	{regexp.MustCompile(`/(?:home|Users)/[A-Za-z0-9_.-]{3,}/`), nil,
		"a path in somebody's home directory is there on one machine only (an example may call the somebody u)"},
	{regexp.MustCompile(`\bregistry[-.0-9a-z]*\.(?:com|io|org)\b|\b(?:deb|proxy|sum)\.[a-z]+\.org\b`), nil,
		"where packages come from is set up on the machine that builds; an address here would pass by its mirror or proxy"},
	{regexp.MustCompile(`"resolved": *"`), regexp.MustCompile(`(?:^|/)package-lock\.json$`),
		"a lock file with addresses passes by the registry that the machine is set up with (npm: omit-lockfile-registry-resolved)"},
}

const checkoutReason = "the repository works wherever it is checked out"
