package container

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"podlife/runtime/boot"
	"podlife/runtime/engine"
	"podlife/runtime/pod"
)

// errBootTimeout is the cause of the end of a boot's context when it took too long.
var errBootTimeout = errors.New("boot took too long")

// errLine says that the agent wrote something that is no event.
var errLine = errors.New("the agent wrote something that is no event")

// bootRun follows one boot.
type bootRun struct {
	tell    func(pod.Progress)
	tail    boot.Tail
	running string // the step that began last and has not ended
	heard   bool   // the agent has said something
}

const (
	// startTries is how often a process of the agent is asked for that the engine could not start in a container that lives, startPause how long it waits between: on a busy machine runc fails now and then, in
	// the words "error executing setns process".
	startTries = 3
	startPause = 200 * time.Millisecond
)

// Boot runs the boot script in the container; see pod.Containers. When the context or the time ends, so does the script.
func (c *Containers) Boot(ctx context.Context, id pod.ContainerID, inc pod.Incarnation, progress func(pod.Progress)) error {
	if progress == nil {
		progress = func(pod.Progress) {}
	}
	limited, cancel := context.WithTimeoutCause(ctx, c.o.BootTimeout, errBootTimeout)
	defer cancel()
	run := &bootRun{tell: progress}
	err := c.boot(limited, id, inc, run)
	if err == nil {
		c.fresh.forget(id)
		return nil
	}
	if context.Cause(limited) == errBootTimeout {
		why := fmt.Errorf("still in step %s after %s", run.running, c.o.BootTimeout)
		if run.running == "" {
			why = fmt.Errorf("between two steps after %s", c.o.BootTimeout)
		}
		return &pod.BootError{Step: "timeout", LogTail: run.tail.String(), Err: why}
	}
	if ctx.Err() != nil {
		return fmt.Errorf("boot of %s, %d was given up: %w", inc.Pod, inc.Inc, ctx.Err())
	}
	return err
}

func (c *Containers) boot(ctx context.Context, id pod.ContainerID, inc pod.Incarnation, run *bootRun) error {
	request, err := c.request(id, inc)
	if err != nil {
		return c.unaskable(ctx, id, inc, err)
	}
	for try := 1; ; try++ {
		err := c.bootOnce(ctx, id, request, run)
		var failed *pod.BootError
		// The agent has said nothing, and its code is that of a process that was never started: nothing of the script has run.
		if run.heard || !errors.As(err, &failed) || failed.ExitCode != exitNotRun || try == startTries {
			return err
		}
		c.log.Warn("the engine did not start the agent; trying again", "pod", inc.Pod, "incarnation", inc.Inc, "err", err)
		select {
		case <-time.After(startPause):
		case <-ctx.Done():
			return err
		}
	}
}

// bootOnce asks the agent once.
func (c *Containers) bootOnce(ctx context.Context, id pod.ContainerID, request []byte, run *bootRun) error {
	p, err := c.o.Engine.Exec(ctx, engine.ID(id), engine.ExecSpec{Command: []string{boot.AgentPath, "agent", "boot", "--lifeline"}})
	if err != nil {
		return c.why(ctx, id, err)
	}
	// Its input stays open until here: its end is what ends the script inside, also when it is this server that dies.
	defer p.Close()
	stop := context.AfterFunc(ctx, func() { p.Close() })
	defer stop()
	// What could not be asked is no reason not to listen: an agent that ended before it had read everything may have said why.
	_, asked := p.Write(request)
	result, err := run.follow(p)
	if result != nil {
		return run.verdict(result)
	}
	if asked != nil && errors.Is(err, io.EOF) {
		err = asked
	}
	return c.bootLost(ctx, id, p, run, err)
}

// request gives the one line that the agent reads. Its error is a BootError.
func (c *Containers) request(id pod.ContainerID, inc pod.Incarnation) ([]byte, error) {
	r := boot.NewRequest(string(inc.Pod), inc.Inc, c.o.Script, c.o.Recipe)
	if c.o.Credentials != nil && r.Recipe.Repo.URL != "" && c.fresh.has(id) {
		var err error
		if r.Username, r.Token, err = c.o.Credentials(); err != nil {
			return nil, &pod.BootError{Step: boot.StepRepository, Err: err}
		}
	}
	line, err := json.Marshal(r)
	switch {
	case err != nil:
	case len(line) >= boot.MaxRequest:
		err = fmt.Errorf("request of %d bytes, at most %d are allowed", len(line), boot.MaxRequest)
	default:
		err = boot.ValidateRequest(r)
	}
	if err != nil {
		return nil, &pod.BootError{Step: boot.StepRequest, Err: err}
	}
	return append(line, '\n'), nil
}

// unaskable is the outcome of a boot that nothing can be asked of: failed, unless the marker vouches, because then there was nothing to do.
func (c *Containers) unaskable(ctx context.Context, id pod.ContainerID, inc pod.Incarnation, failed error) error {
	err := c.Provisioned(ctx, id, inc)
	var refused *pod.NotProvisionedError
	if errors.As(err, &refused) {
		return failed
	}
	if err == nil {
		c.log.Warn("a boot could not be asked for, and there was nothing to do", "pod", inc.Pod, "incarnation", inc.Inc, "err", failed)
	}
	return err
}

// follow reads events until the result.
func (r *bootRun) follow(out io.Reader) (*boot.Result, error) {
	br := bufio.NewReaderSize(out, boot.MaxEventLine)
	for {
		line, err := br.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			return nil, fmt.Errorf("%w: a line of more than %d bytes", errLine, boot.MaxEventLine)
		}
		if err != nil {
			return nil, err
		}
		var e boot.Event
		if jerr := json.Unmarshal(line, &e); jerr != nil {
			return nil, fmt.Errorf("%w: %.200q", errLine, line)
		}
		r.heard = true
		if e.Result != nil {
			return e.Result, nil
		}
		r.event(e)
	}
}

func (r *bootRun) event(e boot.Event) {
	switch {
	case slices.Contains(boot.Steps(), e.Step):
		status := pod.StepStatus(e.Status)
		switch status {
		case pod.StepStarted:
			r.running = e.Step
		case pod.StepDone, pod.StepSkipped:
			r.running = ""
		case pod.StepFailed:
		default:
			return
		}
		r.tell(pod.Progress{Step: e.Step, Status: status, Detail: strings.ToValidUTF8(e.Detail, "?")})
	case e.Log != "":
		log := strings.ToValidUTF8(e.Log[:min(len(e.Log), boot.MaxLog)], "?")
		r.tail.WriteString(log)
		r.tell(pod.Progress{Log: log})
	}
}

// otherVersion is added to what an agent says that does not understand what it is asked for.
const otherVersion = "; the container was started by another version of podlife, whose agent it still has: stop the pod once, and its next start has the agent of this version"

func (r *bootRun) verdict(result *boot.Result) error {
	if result.OK { //model:guard Ready.vouched
		return nil
	}
	detail := result.Detail
	if detail == "" {
		detail = "it failed"
	}
	if result.Step == boot.StepRequest {
		detail += otherVersion // this server finds nothing wrong with it
	}
	return &pod.BootError{Step: result.Step, ExitCode: result.ExitCode, LogTail: r.tail.String(), Err: errors.New(detail)}
}

// bootLost says why a boot ended without a result.
func (c *Containers) bootLost(ctx context.Context, id pod.ContainerID, p engine.Process, run *bootRun, err error) error {
	if unseen(err) {
		return typed(err)
	}
	if errors.Is(err, errLine) {
		return c.noEvent(ctx, id, p, run, err)
	}
	code, werr := c.exit(ctx, id, p)
	if werr != nil {
		return werr
	}
	return &pod.BootError{
		Step: boot.StepScript, ExitCode: code, LogTail: run.tail.String(),
		Err: fmt.Errorf("the agent ended with code %d before the boot did: %.500q", code, p.Stderr()),
	}
}

// noEvent is for a line that is no event: the agent's, or the engine's, which says in the agent's place that it could not be started because its container was just going.
func (c *Containers) noEvent(ctx context.Context, id pod.ContainerID, p engine.Process, run *bootRun, err error) error {
	bound, cancel := context.WithTimeout(ctx, goneTime) // an agent that goes on has no exit code
	code, werr := p.Wait(bound)
	cancel()
	switch {
	case werr == nil:
		werr = c.lives(ctx, id, code) // takes goneTime of its own: within the bound above it would never be told
	case bound.Err() != nil && ctx.Err() == nil:
		werr = nil
	default:
		werr = c.why(ctx, id, werr)
	}
	if werr != nil {
		return werr
	}
	return &pod.BootError{Step: boot.StepScript, ExitCode: code, LogTail: run.tail.String(), Err: err}
}
