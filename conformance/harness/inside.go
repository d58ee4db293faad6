package harness

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/base64"
	"fmt"
	"io"
	"strconv"
	"strings"

	"podlife/runtime/engine"
)

// insideScript is run by /bin/sh in the container, on a terminal of its own.
//
//go:embed inside.sh
var insideScript string

// lookInside runs the script through the engine, never through the agent, and reads its answers.
func lookInside(ctx context.Context, e engine.Engine, id engine.ID) (Inside, error) {
	out, code, err := run(ctx, e, id, engine.ExecSpec{Command: []string{"/bin/sh", "-c", insideScript, "podlife-inside", RepoDir, RepoOrigin}, TTY: true})
	if err != nil {
		return Inside{}, fmt.Errorf("look inside %.12s: %w", id, err)
	}
	if code != 0 {
		return Inside{}, fmt.Errorf("look inside %.12s: exit code %d: %q", id, code, lastBytes(out, 400))
	}
	return parseInside(out)
}

// answerPrefix begins the lines that count; everything else on the terminal is what the multiplexer draws.
const answerPrefix = "podlife-inside:"

// parseInside reads the script's answers. The last one says that it came to its end: without it nothing is known.
func parseInside(out string) (Inside, error) {
	said := map[string]string{}
	lines := bufio.NewScanner(strings.NewReader(out))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := strings.TrimRight(lines.Text(), "\r")
		// What a program left on the line before it does not matter.
		if at := strings.LastIndex(line, answerPrefix); at >= 0 {
			if name, value, ok := strings.Cut(line[at+len(answerPrefix):], "="); ok {
				said[name] = value
			}
		}
	}
	if said["end"] != "yes" {
		return Inside{}, fmt.Errorf("look inside: it did not come to its end: %q", lastBytes(out, 400))
	}
	content, err := base64.StdEncoding.DecodeString(said["marker"])
	if err != nil {
		return Inside{}, fmt.Errorf("look inside: the marker cannot be read: %w", err)
	}
	i := Inside{
		Multiplexer: said["multiplexer"] == "yes",
		Interactive: said["interactive"] == "yes",
		Hook:        said["hook"] == "1",
		Head:        said["head"],
		Marker:      parseMarker(string(content)),
	}
	i.Repo = i.Head != "" && i.Head == said["origin"] && said["missing_files"] == "0"
	return i, nil
}

// parseMarker is a reader of its own: the product's must not vouch for itself.
func parseMarker(content string) Marker {
	lines := strings.Split(content, "\n")
	if len(lines) != 6 || lines[0] != "podlife-marker 1" || lines[4] != "end" || lines[5] != "" {
		return Marker{}
	}
	pod, okPod := strings.CutPrefix(lines[1], "pod ")
	number, okInc := strings.CutPrefix(lines[2], "incarnation ")
	recipe, okRecipe := strings.CutPrefix(lines[3], "recipe ")
	inc, err := strconv.Atoi(number)
	if !okPod || !okInc || !okRecipe || err != nil || pod == "" || recipe == "" {
		return Marker{}
	}
	return Marker{Whole: true, Pod: pod, Incarnation: inc, Recipe: recipe}
}

// startTries is how often a process is asked for that the engine could not start in a container that lives: on a busy machine runc fails now and then, and the engine says so in the process's place.
const startTries = 3

// run runs a process in a container to its end and gives what it wrote.
func run(ctx context.Context, e engine.Engine, id engine.ID, spec engine.ExecSpec) (out string, code int, err error) {
	for try := 1; ; try++ {
		out, code, err = runOnce(ctx, e, id, spec)
		if err != nil || code != 126 || try == startTries || !strings.HasPrefix(out, "OCI runtime exec failed") {
			return out, code, err
		}
	}
}

func runOnce(ctx context.Context, e engine.Engine, id engine.ID, spec engine.ExecSpec) (out string, code int, err error) {
	p, err := e.Exec(ctx, id, spec)
	if err != nil {
		return "", 0, err
	}
	defer p.Close()
	b, err := io.ReadAll(io.LimitReader(p, 4<<20))
	if err != nil {
		return string(b), 0, err
	}
	code, err = p.Wait(ctx)
	return string(b), code, err
}

func lastBytes(s string, n int) string {
	if len(s) > n {
		return s[len(s)-n:]
	}
	return s
}
