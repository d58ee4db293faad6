// Package boot has the boot script, the recipe that parameterises it, the marker that it writes last, and the progress that it reports.
//
// It is pure: text in, text out, no I/O; it imports nothing of the project. runtime/agent runs the script inside a container and runtime/container asks for that from outside.
// Read this file first, then script.sh.
package boot

import _ "embed"

// The script's steps, in their order. A later one never runs after one that failed.
const (
	StepPackages   = "packages"
	StepRepository = "repository"
	StepHook       = "hook"
	StepUserScript = "user_script"
	StepMarker     = "marker"
)

// Steps that are not the script's: what a Result or a failed boot names when the script could not even run.
const (
	StepRequest = "request" // the request was refused before anything ran
	StepShell   = "shell"   // the image has no /bin/sh
	StepScript  = "script"  // the script ended between two steps: killed, or broken
)

// Where things are inside a container.
const (
	MarkerPath = "/var/lib/podlife/marker"
	AgentPath  = "/.podlife/podlife" // the agent's binary, mounted read-only
	RunDir     = "/run/podlife"      // what the agent needs to know of its own processes
	// HomePath is the home of the user that the container runs as, root. It may be a volume that outlives the container, so nothing of the above is below it: that would vouch for the next one.
	HomePath = "/root"
)

// Steps gives the script's steps in their order.
func Steps() []string {
	return []string{StepPackages, StepRepository, StepHook, StepUserScript, StepMarker}
}

//go:embed script.sh
var script string

// Script is the boot script's text: POSIX sh. What it needs in its environment, and what it says on descriptor 3, is written at its top. The agent that runs it can be that of an earlier version, which its
// container was started with: what is added to the environment may be missing there.
func Script() string { return script }

// Recipe is everything that decides what a provisioned container has. Two recipes with the same Hash provision the same things; secrets are not part of it.
type Recipe struct {
	// Packages are commands that must exist, each installed when missing from the package of the same name, or of another as "command=package" ("rg=ripgrep").
	// None means tmux and git. tmux is always among them, and git when there is a repository.
	Packages   []string
	Repo       Repo   // cloned when URL is set
	UserScript string // optional POSIX sh, at most 256 KiB, run as the last step before the marker, in the repository's folder if there is one
}

// Repo is the repository a boot clones.
type Repo struct {
	URL    string // without credentials; https, http, ssh, git or file
	Branch string // "" is the remote's default
	Dir    string // absolute path inside the container; default /root/<last part of URL>
}

// Request is what the server sends to the agent's boot command on its standard input, as one JSON document of at most MaxRequest bytes. It is the only way a secret enters a container.
type Request struct {
	Pod         string `json:"pod"`
	Incarnation int    `json:"incarnation"`
	Recipe      Recipe `json:"recipe"`
	// Script is the boot script to run, and RecipeHash what the marker will say: those of the server that asks, and not of the agent, which is as old as its container.
	Script     string `json:"script"`
	RecipeHash string `json:"recipe_hash"`
	Username   string `json:"username,omitempty"` // for the clone, handed to git by askpass only; default x-access-token
	Token      string `json:"token,omitempty"`
}

// NewRequest asks for a boot with this script and what the recipe says, without credentials.
func NewRequest(pod string, incarnation int, script string, recipe Recipe) Request {
	recipe = recipe.WithDefaults()
	return Request{Pod: pod, Incarnation: incarnation, Recipe: recipe, Script: script, RecipeHash: recipe.HashWith(script)}
}

// MaxRequest is how long a Request's JSON may be, in bytes. The largest that ValidateRequest takes fits, also where each byte of its texts needs six in JSON.
const MaxRequest = 2 << 20

// Event is one line of JSON that the agent's boot command writes to its standard output. Exactly one of Step, Log and Result is set.
type Event struct {
	Step   string  `json:"step,omitempty"`
	Status string  `json:"status,omitempty"` // started, done, skipped, failed
	Detail string  `json:"detail,omitempty"`
	Log    string  `json:"log,omitempty"` // at most MaxLog bytes, valid UTF-8
	Result *Result `json:"result,omitempty"`
}

// MaxLog is how long one Event's Log may be, in bytes; MaxEventLine is how long an Event's line may be: its JSON may need six bytes for one.
const (
	MaxLog       = 8 << 10
	MaxEventLine = 64 << 10
)

// Result ends a boot.
type Result struct {
	OK       bool   `json:"ok"`
	Already  bool   `json:"already,omitempty"` // the marker vouched before: nothing was run
	Step     string `json:"step,omitempty"`    // the one that failed
	ExitCode int    `json:"exit_code,omitempty"`
	Detail   string `json:"detail,omitempty"` // one line for people, where there is more to say than the exit code
}
