package tab

import (
	"context"
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// retype is how long a probe waits for its answer before it types again: what is typed into a shell that is still starting can be thrown away by the programs that it starts.
const retype = 1500 * time.Millisecond

// Shell is what a user finds who types into a terminal.
type Shell struct {
	Multiplexer string // where the shell finds the multiplexer; empty when it finds none, or began without the hook
	Hook        bool   // the start file has the boot script's block
	Head        string // the commit that the clone is at; empty when there is no clone
	NoRepo      bool   // no clone is part of this server's setup, so none was asked for
	Tries       int    // how often the question was typed
}

// Provisioned says whether that is a shell as the boot script sets it up. wantHead is the commit that must be checked out; empty is any.
func (s Shell) Provisioned(wantHead string) bool {
	if s.NoRepo {
		return s.Multiplexer != "" && s.Hook
	}
	return s.Multiplexer != "" && s.Hook && s.Head != "" && (wantHead == "" || s.Head == wantHead)
}

// String says what is there and what is missing.
func (s Shell) String() string {
	mux, hook, repo := "no multiplexer", "no hook", "no repository"
	if s.Multiplexer != "" {
		mux = "multiplexer " + s.Multiplexer
	}
	if s.Hook {
		hook = "hook there"
	}
	if s.NoRepo {
		repo = "no repository asked for"
	} else if s.Head != "" {
		repo = "repository at " + s.Head[:min(12, len(s.Head))]
	}
	return mux + ", " + hook + ", " + repo
}

// escape matches what a terminal program writes besides text: CSI, OSC and the short sequences.
var escape = regexp.MustCompile(`\x1b(\[[0-9;?>=!]*[ -/]*[@-~]|\][^\x07\x1b]*(\x07|\x1b\\)|[()#][0-9A-Za-z]|[=>78A-Za-z])`)

// Prober asks a shell what it is. It may be used by many goroutines.
type Prober struct {
	// Ask gives the line to type, and what reads the answer out of the terminal's text: never the echo of the line itself. Nil asks a real shell about RepoDir.
	Ask     func() (line string, answer func(text string) (Shell, bool))
	RepoDir string // default /root/example
	NoRepo  bool   // the server clones nothing
	asked   atomic.Int64
}

// question is for a real shell: bash or any other that knows printf. Questions are numbered, so that an old answer on the screen is not taken for a new one.
func (p *Prober) question() (line string, answer func(text string) (Shell, bool)) {
	if p.Ask != nil {
		return p.Ask()
	}
	dir := p.RepoDir
	if dir == "" {
		dir = "/root/example"
	}
	n := strconv.FormatInt(p.asked.Add(1), 10)
	// Ctrl-U drops what somebody left in the line. The hook is asked of this very shell, which read it or not when it began, and of the file.
	line = "\x15printf 'PROBE-%s[%s|%s|%s]\\n' " + n +
		` "${PODLIFE_HOOK:+$(command -v tmux)}"` +
		` "$(grep -c '^# >>> podlife >>>' ~/.bashrc 2>/dev/null)"` +
		` "$(git -C '` + path.Clean(dir) + `' rev-parse --verify -q HEAD 2>/dev/null)"` + "\r"
	pattern := regexp.MustCompile(`PROBE-` + n + `\[([A-Za-z0-9_/-]*)\|([0-9]*)\|([0-9a-f]*)\]`)
	return line, func(text string) (Shell, bool) {
		found := pattern.FindStringSubmatch(text)
		if found == nil {
			return Shell{}, false
		}
		return Shell{Multiplexer: found[1], Hook: found[2] == "1", Head: found[3], NoRepo: p.NoRepo}, true
	}
}

// Probe types into the terminal and reads what comes back. An error means that no shell answered, which is not the same as a shell that is not provisioned.
func (p *Prober) Probe(ctx context.Context, s *Socket) (Shell, error) {
	line, answer := p.question()
	s.forgetOutput()
	for tries := 1; ; tries++ {
		if err := s.Type(line); err != nil {
			return Shell{Tries: tries}, fmt.Errorf("type into the terminal: %w", err)
		}
		wait, cancel := context.WithTimeout(ctx, retype)
		var shell Shell
		seen, err := s.Await(wait, "the answer of a shell", func(n Seen) (answered bool) {
			shell, answered = answer(Text(n.Output))
			return answered
		})
		cancel()
		if err == nil {
			shell.Tries = tries
			return shell, nil
		}
		if seen.Closed != nil || seen.Attached == 0 || ctx.Err() != nil {
			return Shell{Tries: tries}, fmt.Errorf("%w; the screen ends in %q", err, tail(Text(seen.Output), 200))
		}
	}
}

// Text is terminal output without its escape sequences and line ends, so that a line that was wrapped or redrawn can be searched.
func Text(output []byte) string {
	return strings.NewReplacer("\r", "", "\n", "").Replace(escape.ReplaceAllString(string(output), ""))
}

func tail(s string, n int) string {
	if len(s) > n {
		return s[len(s)-n:]
	}
	return s
}
