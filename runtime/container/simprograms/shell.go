package simprograms

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"

	"podlife/runtime/agent"
	"podlife/runtime/boot"
	"podlife/runtime/engine/simulated"
)

// shell stands for `agent shell`: the guard line by the real check, then a small shell that echoes what is typed, as a terminal does, and knows these lines:
//
//	exit [CODE]     ends with the code
//	stty size       rows and columns
//	probe           "probe multiplexer=BOOL repo=BOOL": is this shell in the multiplexer, did it start in the repository
//
// Every other line is printed once more after "you said: ".
func shell(ctx context.Context, p *simulated.Proc) int {
	o, err := options(p.Argv)
	if err != nil || !p.TTY {
		return refuse(p, agent.Guard{Reason: agent.AgentFailed, Detail: fmt.Sprintf("terminal %v, flags %v", p.TTY, err)}, 2)
	}
	if v := agent.Check(files{p.Files}, boot.MarkerPath, o.Want); !v.OK {
		return refuse(p, agent.Guard{Reason: v.Reason}, agent.ExitRefused)
	}
	if has(p.Files, sessions+o.Session) {
		return refuse(p, agent.Guard{Reason: agent.SessionEnded}, 1)
	}
	if err := p.Files.Write(sessions+o.Session, fmt.Appendf(nil, "%d %s\n", p.PID, o.Server)); err != nil {
		return 1
	}
	endOthers(p, o.Server)
	if _, err := p.Stdout.Write(agent.Guard{OK: true}.Line()); err != nil {
		return 1
	}
	seen := make([]byte, len(agent.GuardSeen))
	if _, err := io.ReadFull(p.Stdin, seen); err != nil || string(seen) != agent.GuardSeen {
		return 1
	}
	return typing(ctx, p, o)
}

func refuse(p *simulated.Proc, g agent.Guard, code int) int {
	_, _ = p.Stdout.Write(g.Line()) // without a reader there is nobody to tell
	return code
}

// typing is the shell's loop. It ends with exit, or with its input, which ends when the process is killed.
func typing(ctx context.Context, p *simulated.Proc, o agent.ShellOptions) int {
	inMultiplexer := has(p.Files, Multiplexer) && has(p.Files, Hook)
	inRepo := o.Dir != "" && has(p.Files, o.Dir+"/.git/HEAD")
	say := func(format string, args ...any) { _, _ = fmt.Fprintf(p.Stdout, format, args...) }
	say("$ ")
	in := bufio.NewReader(p.Stdin)
	var line strings.Builder
	for ctx.Err() == nil {
		b, err := in.ReadByte()
		if err != nil {
			return 129
		}
		if b != '\n' && b != '\r' {
			line.WriteByte(b)
			say("%c", b)
			continue
		}
		words := strings.Fields(line.String())
		typed := line.String()
		line.Reset()
		say("\r\n")
		switch {
		case len(words) > 0 && words[0] == "exit":
			code := 0
			if len(words) > 1 {
				code, _ = strconv.Atoi(words[1]) // as much of a number as it is
			}
			return code
		case typed == "stty size":
			cols, rows := p.Size()
			if cols == 0 {
				cols, rows = o.Cols, o.Rows
			}
			say("%d %d\r\n", rows, cols)
		case typed == "probe":
			say("probe multiplexer=%v repo=%v\r\n", inMultiplexer, inRepo)
		case typed != "":
			say("you said: %s\r\n", typed)
		}
		say("$ ")
	}
	return 129
}

// end stands for `agent end`.
func end(_ context.Context, p *simulated.Proc) int {
	o, err := options(p.Argv)
	if err != nil {
		return 1
	}
	if err := endSession(p, o.Session); err != nil {
		return 1
	}
	return 0
}

func endSession(p *simulated.Proc, session string) error {
	note, err := p.Files.Read(sessions + session)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	// A session that is not known cannot begin any more after this.
	if err := p.Files.Write(sessions+session, []byte("ended\n")); err != nil {
		return err
	}
	if pid, _, ok := parseNote(note); ok {
		p.Kill(pid)
	}
	return nil
}

// endOthers ends the shells of other server processes, which nobody reads any more.
func endOthers(p *simulated.Proc, server string) {
	for _, name := range p.Files.Names() {
		session, is := strings.CutPrefix(name, sessions)
		if !is {
			continue
		}
		note, err := p.Files.Read(name)
		if err != nil {
			continue
		}
		if _, other, ok := parseNote(note); ok && other != server {
			_ = endSession(p, session)
		}
	}
}

func parseNote(note []byte) (pid int, server string, ok bool) {
	f := strings.Fields(string(note))
	if len(f) != 2 {
		return 0, "", false
	}
	pid, err := strconv.Atoi(f[0])
	return pid, f[1], err == nil
}
