package agent

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"podlife/runtime/boot"
)

const (
	// drainGrace is how long a log is still read after the script ended, for a program that it left running and that keeps the pipe.
	drainGrace = 300 * time.Millisecond
	// killGrace is how long the script has after SIGTERM before SIGKILL.
	killGrace = 2 * time.Second
)

// RunBoot reads a request from in, runs the boot script and writes its events to out; the last one is the result. With lifeline, the end of in means that nobody waits any
// more, and ends the script. The exit code for this process: 0 when the marker vouches, else 1.
func RunBoot(ctx context.Context, l Layout, in io.Reader, out io.Writer, lifeline bool) int {
	e := newEvents(out)
	request, rest, err := readRequest(in)
	if err != nil {
		return finish(e, boot.Result{Step: boot.StepRequest, Detail: err.Error()})
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if lifeline {
		go func() { // ends with its input, or with this process: a read of a standard input cannot be taken back
			_, _ = io.Copy(io.Discard, rest)
			cancel()
		}()
	}
	return finish(e, runBoot(ctx, l, request, e))
}

func finish(e *events, r boot.Result) int {
	e.send(boot.Event{Result: &r})
	if r.OK {
		return 0
	}
	return 1
}

// readRequest reads one JSON document and gives what follows it.
func readRequest(in io.Reader) (boot.Request, io.Reader, error) {
	limited := &io.LimitedReader{R: in, N: boot.MaxRequest}
	dec := json.NewDecoder(limited)
	dec.DisallowUnknownFields()
	var r boot.Request
	if err := dec.Decode(&r); err != nil {
		if limited.N <= 0 {
			err = fmt.Errorf("longer than %d bytes", boot.MaxRequest)
		}
		return boot.Request{}, nil, fmt.Errorf("request: %w", err)
	}
	if err := boot.ValidateRequest(r); err != nil {
		return boot.Request{}, nil, fmt.Errorf("request: %w", err)
	}
	r.Recipe = r.Recipe.WithDefaults()
	return r, io.MultiReader(dec.Buffered(), in), nil
}

func runBoot(ctx context.Context, l Layout, r boot.Request, e *events) boot.Result {
	want := boot.Marker{Pod: r.Pod, Incarnation: r.Incarnation, Recipe: r.RecipeHash}
	vouched := func() bool { return Check(OSFiles{}, l.Marker, want).OK }
	already := boot.Result{OK: true, Already: true}
	// The marker is the last thing a boot writes. Where it vouches nothing is to be done, and nothing is needed for that: a full disk must not fail the boot of a provisioned container.
	if vouched() {
		return already
	}
	unlock, err := lockBoot(ctx, l)
	if err != nil {
		return boot.Result{Step: boot.StepScript, Detail: "another boot of this container is still running: " + err.Error()}
	}
	defer unlock()
	if vouched() { // by the boot that this one waited for
		return already
	}
	for again := false; ; again = true {
		result := runScript(ctx, l, r, want, e)
		if !result.OK {
			return result
		}
		// The guard of every terminal has the last word: a boot that it would not accept has not succeeded. A marker that only the script took for right goes, and with it
		// the reason for doing nothing.
		v := Check(OSFiles{}, l.Marker, want)
		switch {
		case v.OK:
			return result
		case again:
			return boot.Result{Step: boot.StepMarker, Detail: "the marker does not vouch after the boot: " + string(v.Reason)}
		}
		if err := os.RemoveAll(l.Marker); err != nil {
			return boot.Result{Step: boot.StepMarker, Detail: err.Error()}
		}
	}
}

// lockBoot waits until no other boot runs in this container: one that lost its server may still be ending.
func lockBoot(ctx context.Context, l Layout) (unlock func(), err error) {
	if err := os.MkdirAll(l.RunDir, 0o755); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(l.RunDir, "boot.lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			return func() { f.Close() }, nil
		}
		if !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR) {
			f.Close()
			return nil, err
		}
		select {
		case <-ctx.Done():
			f.Close()
			return nil, ctx.Err()
		case <-tick.C:
		}
	}
}

// runScript runs the script once. Its result is OK when it exited with 0.
func runScript(ctx context.Context, l Layout, r boot.Request, want boot.Marker, e *events) boot.Result {
	work, err := os.MkdirTemp(l.RunDir, "boot-")
	if err != nil {
		return boot.Result{Step: boot.StepScript, Detail: err.Error()}
	}
	defer os.RemoveAll(work)
	s, err := putSecret(l, r.Username, r.Token, r.Recipe.Repo.URL)
	if err != nil {
		return boot.Result{Step: boot.StepRepository, Detail: err.Error()}
	}
	defer s.forget()
	env, err := writeWork(l, r, want, work, s)
	if err != nil {
		return boot.Result{Step: boot.StepScript, Detail: err.Error()}
	}
	logR, logW, err := os.Pipe()
	if err != nil {
		return boot.Result{Step: boot.StepScript, Detail: err.Error()}
	}
	defer logR.Close()
	stepR, stepW, err := os.Pipe()
	if err != nil {
		logW.Close()
		return boot.Result{Step: boot.StepScript, Detail: err.Error()}
	}
	defer stepR.Close()

	cmd := exec.Command(l.Shell, filepath.Join(work, "script.sh"))
	cmd.Env, cmd.Dir = env, "/"
	cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = logW, logW, []*os.File{stepW} // no standard input: /dev/null
	cmd.SysProcAttr = &unix.SysProcAttr{Setpgid: true}
	err = cmd.Start()
	logW.Close()
	stepW.Close()
	if err != nil {
		code := 126
		if errors.Is(err, fs.ErrNotExist) {
			code = 127
		}
		return boot.Result{Step: boot.StepShell, ExitCode: code, Detail: "the image has no shell that runs: " + err.Error()}
	}

	var st steps
	var readers sync.WaitGroup
	readers.Go(func() { st.read(stepR, e.send) })
	readers.Go(func() { readLog(logR, boot.NewScrubber(scrubbed(r)...), e.send) })
	err = waitScript(ctx, cmd)
	// What the script left running may hold both pipes for ever.
	deadline := time.Now().Add(drainGrace)
	_ = logR.SetReadDeadline(deadline)
	_ = stepR.SetReadDeadline(deadline)
	readers.Wait()
	return scriptResult(ctx, err, st)
}

// waitScript waits for the script, and ends its process group when the context ends first.
func waitScript(ctx context.Context, cmd *exec.Cmd) error {
	done := make(chan error, 1) // sent once by the goroutine below
	go func() { done <- cmd.Wait() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	// The wait above may take the leader at this very moment. Then its group is gone, which is an error that nobody needs, or has members left, which keep its number.
	_ = unix.Kill(-cmd.Process.Pid, unix.SIGTERM)
	kill := time.NewTimer(killGrace)
	defer kill.Stop()
	select {
	case err := <-done:
		_ = unix.Kill(-cmd.Process.Pid, unix.SIGKILL) // members that outlived their leader; a group with members keeps its number
		return err
	case <-kill.C:
		_ = unix.Kill(-cmd.Process.Pid, unix.SIGKILL)
		return <-done
	}
}

func scriptResult(ctx context.Context, err error, st steps) boot.Result {
	if err == nil {
		return boot.Result{OK: true, Already: st.already}
	}
	result := boot.Result{Step: st.failed, ExitCode: 1}
	if result.Step == "" {
		result.Step = st.running
	}
	if result.Step == "" {
		result.Step = boot.StepScript
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		result.ExitCode = exit.ExitCode()
		if status, ok := exit.Sys().(interface{ Signal() unix.Signal }); ok && exit.ExitCode() < 0 {
			result.ExitCode = 128 + int(status.Signal())
		}
	} else {
		result.Detail = err.Error()
	}
	if ctx.Err() != nil {
		result.Detail = "ended from outside"
	}
	return result
}

// writeWork writes the files that the script runs with, and gives its environment: parameters and paths, nothing secret.
func writeWork(l Layout, r boot.Request, want boot.Marker, work string, s secret) ([]string, error) {
	files := map[string]string{"script.sh": r.Script}
	userScript, askpass := "", ""
	if r.Recipe.UserScript != "" {
		userScript = filepath.Join(work, "user_script")
		files["user_script"] = r.Recipe.UserScript
	}
	if s.dir != "" {
		askpass = filepath.Join(work, "askpass")
		files["askpass"] = askpassProgram(l.Agent, s.dir)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(work, name), []byte(text), 0o700); err != nil {
			return nil, err
		}
	}
	pairs := make([]string, len(r.Recipe.Packages))
	for i, p := range r.Recipe.Packages {
		if !strings.Contains(p, "=") {
			p += "=" + p
		}
		pairs[i] = p
	}
	return environment(os.Environ(),
		"HOME="+l.Home, "USER="+l.User, "LOGNAME="+l.User, "LANG=C.UTF-8", "TERM=dumb",
		"PODLIFE_POD="+want.Pod, "PODLIFE_INCARNATION="+strconv.Itoa(want.Incarnation), "PODLIFE_RECIPE="+want.Recipe,
		"PODLIFE_MARKER="+l.Marker, "PODLIFE_HOME="+l.Home, "PODLIFE_PACKAGES="+strings.Join(pairs, " "),
		"PODLIFE_REPO_URL="+r.Recipe.Repo.URL, "PODLIFE_REPO_BRANCH="+r.Recipe.Repo.Branch, "PODLIFE_REPO_DIR="+r.Recipe.Repo.Dir,
		"PODLIFE_USER_SCRIPT="+userScript, "PODLIFE_ASKPASS="+askpass, "PODLIFE_SECRET="+s.dir), nil
}

// scrubbed gives the forms in which the token could turn up in a log.
func scrubbed(r boot.Request) []string {
	if r.Token == "" {
		return nil
	}
	user := r.Username
	if user == "" {
		user = defaultUser
	}
	return []string{r.Token, url.QueryEscape(r.Token), url.PathEscape(r.Token), base64.StdEncoding.EncodeToString([]byte(user + ":" + r.Token))}
}
