package docker

import (
	"archive/tar"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"regexp"
	"strings"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/api/types/mount"

	"podlife/runtime/engine"
)

// createLabel holds a random value per Create call, so that a clean-up after an unknown outcome removes what that very call made and never a namesake. Inspect and List leave it out.
const createLabel = "podlife.engine.create"

const (
	createTimeout  = time.Minute            // of the request itself, which the caller's context does not end
	cleanupWait    = 2 * time.Second        // how long a Create whose context ended waits for its own clean-up
	cleanupTimeout = 15 * time.Second       // how long the clean-up itself tries
	nameFreed      = 2 * time.Second        // how long a name may stay taken by a container that no longer exists
	poll           = 20 * time.Millisecond  // between two looks at something that takes milliseconds
	settle         = 500 * time.Millisecond // after which a create that was cut off has shown up
)

// defaultPids bounds processes and threads where the spec does not: enough for a large build, too few for a fork bomb to hurt the host.
const defaultPids = 1024

// capabilities are what is left after dropping all, each for a reason:
//
//   - CHOWN, DAC_OVERRIDE, FOWNER, FSETID: dpkg and tar unpack files of any owner and mode.
//   - SETGID, SETUID: apt drops to its user _apt for downloads, and maintainer scripts use su.
//   - KILL: root ends processes that run as another user, as apt does with its downloaders and the agent with a shell.
//   - NET_BIND_SERVICE: a web server on port 80 for engines that do not lower ip_unprivileged_port_start.
//
// Not needed by apt, tmux or git, so not given: SYS_CHROOT (dpkg uses it only with --root), MKNOD, NET_RAW, SETFCAP, SETPCAP, AUDIT_WRITE.
func capabilities() []string {
	return []string{"CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "NET_BIND_SERVICE", "SETGID", "SETUID"}
}

// Create makes a container without starting it.
//
// The request does not end with the caller's context, because the daemon would go on and leave a container that nobody knows; whatever comes of it after the caller has gone is removed.
func (e *Engine) Create(ctx context.Context, spec engine.Spec) (engine.ID, error) {
	if err := e.check(spec); err != nil {
		return "", fail("create", spec.Name, engine.Invalid, err)
	}
	deadline := time.Now().Add(nameFreed)
	for {
		id, err := e.createOnce(ctx, spec)
		if err == nil {
			return e.filled(ctx, id, spec)
		}
		kind := kindOf(ctx, err)
		switch {
		case kind == engine.NotFound:
			if has, herr := e.HasImage(ctx, spec.Image); herr == nil && !has {
				return "", fail("create", spec.Name, engine.ImageMissing, err)
			}
			return "", fail("create", spec.Name, engine.Failed, err)
		case kind == engine.Conflict && time.Now().Before(deadline) && e.holderGone(ctx, err):
			if serr := sleep(ctx, poll); serr != nil {
				return "", fail("create", spec.Name, engine.Canceled, serr)
			}
		default:
			return "", fail("create", spec.Name, kind, err)
		}
	}
}

// filled puts the copies into a container that was made; on an error nothing is left of it.
func (e *Engine) filled(ctx context.Context, id engine.ID, spec engine.Spec) (engine.ID, error) {
	var err error
	for _, c := range spec.Copies {
		if err = e.copyIn(ctx, id, c); err != nil {
			kind := kindOf(ctx, err)
			if local := new(fs.PathError); errors.As(err, &local) { // this machine's file, and no fault of the engine
				kind = engine.Failed
			}
			err = fail("create", spec.Name, kind, fmt.Errorf("copy %s into it: %w", c.Source, err))
			break
		}
	}
	if err == nil {
		return id, nil
	}
	removing, cancel := context.WithTimeout(context.WithoutCancel(ctx), createTimeout)
	defer cancel()
	if rerr := e.Remove(removing, id); rerr != nil {
		e.log.Warn("a container that could not be filled could not be removed", "container", id, "err", rerr)
	}
	return "", err
}

// copyIn sends a file as the archive that the engine wants.
func (e *Engine) copyIn(ctx context.Context, id engine.ID, c engine.Copy) error {
	f, err := os.Open(c.Source)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	r, w := io.Pipe()
	defer r.Close()
	go func() { // ends when the archive is read or the pipe is closed
		t := tar.NewWriter(w)
		var err error
		if dir := path.Dir(c.Target); dir != "/" {
			err = t.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: dir[1:] + "/", Mode: 0o755})
		}
		if err == nil {
			err = t.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: c.Target[1:], Mode: 0o555, Size: info.Size()})
		}
		if err == nil {
			_, err = io.CopyN(t, f, info.Size())
		}
		w.CloseWithError(errors.Join(err, t.Close()))
	}()
	return e.cli.CopyToContainer(ctx, string(id), "/", r, container.CopyToContainerOptions{})
}

// attempt is one create request on its way. id and err are set before done is closed.
type attempt struct {
	done chan struct{}
	id   engine.ID
	err  error
}

func (e *Engine) createOnce(ctx context.Context, spec engine.Spec) (engine.ID, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	nonce := rand.Text()
	a := &attempt{done: make(chan struct{})}
	e.tasks.Go(func() {
		defer close(a.done)
		c, cancel := context.WithTimeout(e.background, createTimeout)
		defer cancel()
		r, err := e.cli.ContainerCreate(c, configOf(spec, nonce), hostConfigOf(spec), nil, nil, spec.Name)
		a.id, a.err = engine.ID(r.ID), err
	})
	var cause error
	select {
	case <-a.done:
		if a.err == nil || !unknownOutcome(a.err) {
			return a.id, a.err
		}
		cause = a.err
	case <-ctx.Done():
		cause = ctx.Err()
	}
	cleaned := make(chan struct{})
	e.tasks.Go(func() {
		defer close(cleaned)
		e.undo(a, spec.Name, nonce)
	})
	t := time.NewTimer(cleanupWait)
	defer t.Stop()
	select {
	case <-cleaned:
	case <-t.C:
	}
	return "", cause
}

// undo removes whatever came of an attempt that nobody waits for any more.
func (e *Engine) undo(a *attempt, name, nonce string) {
	<-a.done
	ctx, cancel := context.WithTimeout(e.background, cleanupTimeout)
	defer cancel()
	switch {
	case a.err == nil:
		if err := e.removeNow(ctx, a.id); err != nil {
			e.log.Warn("abandoned container not removed", "container", a.id, "name", name, "err", err)
		}
	case unknownOutcome(a.err):
		if err := e.sweep(ctx, name, nonce); err != nil {
			e.log.Warn("container of a cut-off create may be left", "name", name, "err", err)
		}
	}
}

// sweep looks for the container of a create whose answer never came, by name and by the label of that very call, and removes it. The daemon may still be at work on it or be unreachable, so it
// looks until it has seen nothing twice.
func (e *Engine) sweep(ctx context.Context, name, nonce string) error {
	f := filters.NewArgs(filters.Arg("label", createLabel+"="+nonce), filters.Arg("name", "^/"+regexp.QuoteMeta(name)+"$"))
	for clear := 0; clear < 2; {
		sums, err := e.cli.ContainerList(ctx, container.ListOptions{All: true, Filters: f})
		if err == nil {
			clear++
		}
		for _, s := range sums {
			if err := e.removeNow(ctx, engine.ID(s.ID)); err == nil {
				return nil
			}
			clear = 0
		}
		if clear == 2 {
			return nil
		}
		if serr := sleep(ctx, settle); serr != nil {
			return errors.Join(serr, err)
		}
	}
	return nil
}

// unknownOutcome says whether the daemon may have done what it never confirmed.
func unknownOutcome(err error) bool {
	switch kindOf(context.Background(), err) {
	case engine.Unavailable, engine.Canceled:
		return true
	default:
		return false
	}
}

var holder = regexp.MustCompile(`by container "?([0-9a-f]{64})`)

// holderGone says whether the container that a name conflict speaks of does not exist. A daemon frees a name last, after the container can no longer be seen, so such a name is about to be free.
func (e *Engine) holderGone(ctx context.Context, conflict error) bool {
	m := holder.FindStringSubmatch(conflict.Error())
	if m == nil {
		return false
	}
	_, err := e.Inspect(ctx, engine.ID(m[1]))
	return engine.KindOf(err) == engine.NotFound
}

// check refuses what can never work or must never be done on this engine.
func (e *Engine) check(spec engine.Spec) error {
	if err := spec.Validate(); err != nil {
		return err
	}
	for _, m := range spec.Mounts {
		if e.socket != "" && (m.Source == e.socket || strings.HasPrefix(e.socket, strings.TrimSuffix(m.Source, "/")+"/")) {
			return fmt.Errorf("mount of %q would put the engine's own socket %s inside: whoever reaches it owns the host", m.Source, e.socket)
		}
		if path.Base(m.Source) == "docker.sock" || path.Base(m.Source) == "containerd.sock" {
			return fmt.Errorf("mount of an engine socket %q", m.Source)
		}
	}
	return nil
}

func configOf(spec engine.Spec, nonce string) *container.Config {
	labels := maps.Clone(spec.Labels)
	if labels == nil {
		labels = map[string]string{}
	}
	labels[createLabel] = nonce
	return &container.Config{
		Hostname:    spec.Hostname,
		Image:       spec.Image,
		Entrypoint:  spec.Command, // and no Cmd: nothing of the image's own start command is mixed in
		Env:         spec.Env,
		Labels:      labels,
		StopSignal:  cmp.Or(spec.StopSignal, "SIGTERM"),
		Healthcheck: &container.HealthConfig{Test: []string{"NONE"}}, // an image's own would run execs beside ours
	}
}

// hostConfigOf is the whole of what a container may do to its host. Init stays off: PID 1 is the agent, which reaps, and stops on the spec's signal. There is no AutoRemove, which would race with
// whoever reconciles, and no restart: a container that died is a sleep, not an outage.
func hostConfigOf(spec engine.Spec) *container.HostConfig {
	noInit := false
	pids := spec.Limits.Pids
	if pids == 0 {
		pids = defaultPids
	}
	h := &container.HostConfig{
		Init:          &noInit,
		NetworkMode:   container.NetworkMode(spec.Network),
		RestartPolicy: container.RestartPolicy{Name: container.RestartPolicyDisabled},
		LogConfig:     container.LogConfig{Type: "json-file", Config: map[string]string{"max-size": "1m", "max-file": "1"}},
		CapDrop:       []string{"ALL"},
		CapAdd:        capabilities(),
		SecurityOpt:   []string{"no-new-privileges"},
		IpcMode:       container.IPCModePrivate,
		CgroupnsMode:  container.CgroupnsModePrivate,
		Resources: container.Resources{
			Memory:     spec.Limits.MemoryBytes,
			MemorySwap: spec.Limits.MemoryBytes, // equal: no swap on top
			NanoCPUs:   spec.Limits.NanoCPUs,
			PidsLimit:  &pids,
		},
	}
	for _, m := range spec.Mounts {
		h.Mounts = append(h.Mounts, mount.Mount{Type: mount.TypeBind, Source: m.Source, Target: m.Target, ReadOnly: true})
	}
	for _, v := range spec.Volumes {
		h.Mounts = append(h.Mounts, mount.Mount{Type: mount.TypeVolume, Source: v.Name, Target: v.Target, VolumeOptions: &mount.VolumeOptions{Labels: v.Labels}})
	}
	return h
}
