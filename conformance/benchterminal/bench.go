package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"

	"podlife/conformance/harness"
	"podlife/runtime/client"
	"podlife/runtime/engine"
)

// measurement is one thing that is measured, in a pod of its own.
type measurement struct {
	name string
	run  func(*bench, context.Context) ([]Row, error)
}

// measurementTime bounds one of them: what takes longer hangs.
const measurementTime = 4 * time.Minute

func (m measurement) bounded(b *bench, ctx context.Context) ([]Row, error) {
	ctx, cancel := context.WithTimeout(ctx, measurementTime)
	defer cancel()
	return m.run(b, ctx)
}

// measurements in their order. Those of the crowd come first, one behind the other, since they share it, and while the server's memory has nothing else in it.
func measurements() []measurement {
	return []measurement{
		{"echo", (*bench).echo},
		{"idle", (*bench).idle},
		{"reattach", (*bench).reattach},
		{"throughput", (*bench).throughput},
		{"interrupt", (*bench).interrupt},
		{"once", (*bench).once},
		{"cycles", (*bench).cycles},
	}
}

func names() []string {
	var all []string
	for _, m := range measurements() {
		all = append(all, m.name)
	}
	return all
}

// bench is one run.
type bench struct {
	o       Options
	errs    io.Writer
	world   *harness.Docker
	clients clients
	crowd   *crowd // nil while nobody needs it
}

// maxTerminals is what the server lets be open; the crowd and what is measured beside it are fewer.
const maxTerminals = 3000

// measure starts a server and runs the measurements. What was measured until an error is in the report.
func measure(ctx context.Context, o Options, errs io.Writer) (r Report, err error) {
	begun := time.Now()
	r = Report{Processors: runtime.NumCPU(), Engine: engineVersion(ctx), LoadBefore: load(), Quick: o.Quick}
	b := &bench{o: o, errs: errs}
	dir, err := os.MkdirTemp("", "podlife-benchterminal-")
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	defer func() { r.LoadAfter, r.Seconds = load(), time.Since(begun).Seconds() }()
	b.say("starting a server")
	limits := fmt.Sprint(maxTerminals)
	b.world, err = harness.StartDocker(ctx, harness.DockerOptions{
		Binary: o.Binary, Dir: dir, Users: crowdPods + len(measurements()),
		// A crowd's pod has 63 shells and what is left of their memory.
		Env: []string{"PODLIFE_MAX_TERMINALS=" + limits, "PODLIFE_MAX_TERMINALS_PER_USER=" + limits, "PODLIFE_MEMORY=1g"},
	})
	if err != nil {
		return r, err
	}
	defer func() {
		b.say("stopping the server")
		err = errors.Join(err, b.world.Close())
	}()
	defer b.disperse()
	for _, m := range measurements() {
		if len(o.Only) > 0 && !slices.Contains(o.Only, m.name) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return r, err
		}
		if m.name != "echo" && m.name != "idle" {
			b.disperse()
		}
		rows, err := m.bounded(b, ctx)
		for i := range rows {
			rows[i].Name = m.name
			b.say("%s: %s; %s; %s", rows[i].What, rows[i].Ours, rows[i].Peer, rows[i].Met)
		}
		r.Rows = append(r.Rows, rows...)
		if err != nil {
			return r, fmt.Errorf("%s: %w\nthe end of the server's log:\n%s", m.name, err, b.world.Log()[max(0, len(b.world.Log())-2000):])
		}
	}
	return r, nil
}

func (b *bench) say(format string, args ...any) {
	fmt.Fprintf(b.errs, time.Now().Format("15:04:05 ")+format+"\n", args...)
}

// repeats is how often something is done.
func (b *bench) repeats(n int) int {
	if b.o.Quick {
		return max(n/10, 2)
	}
	return n
}

// aPod is a pod that is ready.
type aPod struct {
	*client.Client
	token string
	id    engine.ID
}

// pod boots a pod that nobody else uses; over destroys it.
func (b *bench) pod(ctx context.Context) (p aPod, over func(), err error) {
	u, err := b.world.NewUser(ctx)
	if err != nil {
		return p, nil, err
	}
	if _, err := u.Client.Boot(ctx, b.clients.name(), nil); err != nil {
		return p, nil, err
	}
	s, err := u.Client.Status(ctx)
	if err != nil {
		return p, nil, err
	}
	return aPod{u.Client, u.Token, engine.ID(s.Container)}, func() { b.destroy(ctx, u.Client) }, nil
}

// destroy ends a pod. What it cannot end goes with the server.
func (b *bench) destroy(ctx context.Context, c *client.Client) {
	if _, err := c.Destroy(ctx); err != nil && ctx.Err() == nil {
		b.say("a pod was not destroyed: %v", err)
	}
}

// tab opens a terminal with the prompt that is waited for.
func (b *bench) tab(ctx context.Context, p aPod, name string) (terminal, error) {
	return b.tabAs(ctx, p, b.clients.hello(name))
}

func (b *bench) tabAs(ctx context.Context, p aPod, h client.Hello) (terminal, error) {
	t, err := open(ctx, p.Client, h)
	if err != nil {
		return t, err
	}
	if err := prepare(ctx, t); err != nil {
		t.close()
		return t, err
	}
	return t, nil
}

// exec opens a shell of a plain exec with the prompt that is waited for.
func (b *bench) exec(ctx context.Context, p aPod) (*plain, error) {
	s, err := openPlain(ctx, b.world.Engine(), p.id)
	if err != nil {
		return nil, err
	}
	if err := prepare(ctx, s); err != nil {
		s.Process.Close()
		return nil, err
	}
	return s, nil
}

// dockerExec is the command line of a shell that the docker command enters.
func dockerExec(p aPod) []string {
	return append([]string{"docker", "exec", "-it", "-e", "TERM=xterm-256color", string(p.id)}, login()...)
}

// hasDocker says whether the docker command is there.
func hasDocker() bool { _, err := exec.LookPath("docker"); return err == nil }

func engineVersion(ctx context.Context) string {
	out, err := exec.CommandContext(ctx, "docker", "version", "--format", "{{.Server.Version}}").Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

func load() string {
	b, err := os.ReadFile("/proc/loadavg")
	if f := strings.Fields(string(b)); err == nil && len(f) >= 3 {
		return strings.Join(f[:3], " ")
	}
	return "unknown"
}
