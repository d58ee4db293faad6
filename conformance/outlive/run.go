package outlive

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"podlife/conformance/harness"
	"podlife/runtime/client"
	"podlife/runtime/engine"
)

// The settings of the workspace. The server's own idle timeout is short, for when the pod is given that.
const (
	ownIdle    = 7200 // seconds
	serverIdle = "1s"
	lease      = 5 * time.Hour
)

// run is one workspace and what has to stay of it.
type run struct {
	world *harness.Docker
	user  harness.User
	pod   *client.Client // acts on the workspace
	draw  *rand.Rand

	want    client.Pod        // as it was created, and the lease that it was given since
	home    string            // the hash of its home
	work    string            // what git says of the work in it
	highest int               // incarnation so far
	numbers map[int]engine.ID // which container had which

	images  [2]string // the server's, and the other one
	script  string    // the server's user script; "" for none
	failing string    // a user script that fails

	how    string // which of its ways the operation took; "" where it has one
	now    string // the state that the last check found
	equal  int    // hashes that were compared
	looks  int    // of them, with the pod asleep
	idled  int    // idle sleeps
	filled int    // entries that were made
}

// environment is what the server is started in.
func (r *run) environment() []string {
	return []string{"PODLIFE_IDLE_TIMEOUT=" + serverIdle, "PODLIFE_IMAGE=" + r.images[0], "PODLIFE_USER_SCRIPT=" + r.script}
}

// prepare creates the workspace and fills its home with so many bytes.
func (r *run) prepare(ctx context.Context, dir string, size int64) (err error) {
	r.failing, r.numbers = filepath.Join(dir, "failing.sh"), map[int]engine.ID{}
	if err := os.WriteFile(r.failing, []byte("echo broken\nexit 7\n"), 0o600); err != nil {
		return err
	}
	if r.user, err = r.world.NewUser(ctx); err != nil {
		return err
	}
	r.want, err = r.user.Client.Create(ctx, client.NewPod{Name: "work", Class: "workspace", Labels: map[string]string{"team": "a b", "empty": ""}, IdleTimeoutSeconds: ownIdle})
	if err != nil {
		return err
	}
	if r.pod, err = r.of("work"); err != nil {
		return err
	}
	if err := r.fill(ctx, size); err != nil {
		return fmt.Errorf("fill the home: %w", err)
	}
	a, err := r.rest(ctx)
	if err != nil {
		return err
	}
	r.now = a.state
	r.home, err = r.hash(ctx, a)
	return errors.Join(err, r.checkNumber(a))
}

// of gives a client that acts on one of the user's pods.
func (r *run) of(name string) (*client.Client, error) {
	return client.New(client.Options{BaseURL: r.world.URL(), Token: r.user.Token, Pod: name})
}

// fill writes the files, and a repository with work in it that nobody has committed.
func (r *run) fill(ctx context.Context, size int64) error {
	in, out := io.Pipe()
	made := make(chan error, 1)
	go func() {
		n, err := writeTree(out, r.draw, size)
		r.filled = n
		made <- errors.Join(err, out.CloseWithError(err))
	}()
	_, err := program(ctx, r.pod, "fill", in, "tar", "--numeric-owner", "-xpf", "-", "-C", "/root")
	in.Close() // where tar has ended early, its writer ends too
	if err = errors.Join(<-made, err); err != nil {
		return err
	}
	if _, err := program(ctx, r.pod, "fill", nil, bash(gitLine)...); err != nil {
		return err
	}
	r.work, err = r.gitWork(ctx, r.pod)
	return err
}

const gitLine = `set -e
mkdir /root/repository; cd /root/repository; git init -q -b main
git config user.name u; git config user.email u@localhost
seq 1000 >a; seq 500 >b; mkdir c; echo 1 >c/d; git add .; git commit -qm one
git checkout -qb side; echo side >e; git add e; git commit -qm two; git checkout -q main
echo stashed >>a; git stash -q
echo staged >>b; git add b; echo changed >>b; rm c/d; echo new >untracked`

// gitWork is what git says of the work, and that nothing of the repository is broken. It may write into the index.
func (r *run) gitWork(ctx context.Context, c *client.Client) (string, error) {
	got, err := program(ctx, c, "git", nil, bash(`cd /root/repository && git fsck --full --strict && git status --porcelain=v2 --branch && git stash list && git diff HEAD && git log --all --format=%H`)...)
	return got.out, err
}

// lease gives the workspace a lease, which is part of what has to stay from now on.
func (r *run) lease(ctx context.Context) error {
	l, err := r.pod.Extend(ctx, lease)
	r.want.LeaseUntil = &l.Until
	return err
}

// await waits until the server says that something is so of the pod.
func (r *run) await(ctx context.Context, is func(client.Status) bool) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		s, err := r.pod.Status(ctx)
		if err == nil && is(s) {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("it is %s %d, kept awake by %q: %w", s.State, s.Incarnation, s.KeptAwakeBy, errors.Join(ctx.Err(), err))
		}
	}
}

// adopt removes the pod but for its volume, has another pod adopt that, looks into it, and removes all.
func (r *run) adopt(ctx context.Context) error {
	gone, err := r.user.Client.Remove(ctx, r.want.Name, true)
	if err != nil {
		return err
	}
	if gone.KeptVolume != r.want.Volume {
		return fmt.Errorf("the volume %q is kept, want %s", gone.KeptVolume, r.want.Volume)
	}
	if err := errors.Join(r.left(ctx, 0), r.checkVolume(ctx)); err != nil {
		return err
	}
	next, err := r.user.Client.Create(ctx, client.NewPod{Name: "other", Adopt: gone.KeptVolume})
	if err != nil {
		return err
	}
	if next.ID == r.want.ID || next.Volume != gone.KeptVolume || next.Class != "workspace" {
		return fmt.Errorf("the volume %s was adopted by %+v", gone.KeptVolume, next)
	}
	r.want, r.highest, r.numbers = next, 0, map[int]engine.ID{}
	if r.pod, err = r.of("other"); err != nil {
		return err
	}
	if err := errors.Join(r.check(ctx), r.access(ctx), r.check(ctx)); err != nil {
		return fmt.Errorf("adopted: %w", err)
	}
	work, err := r.gitWork(ctx, r.pod)
	if err == nil && work != r.work {
		err = fmt.Errorf("git says %q, and said %q", work, r.work)
	}
	if err != nil {
		return err
	}
	if _, err := r.user.Client.Remove(ctx, "other", false); err != nil {
		return err
	}
	list, err := volumes(ctx, r.world)
	if err == nil && len(list) != 0 {
		err = fmt.Errorf("the volumes %q are left", list)
	}
	return errors.Join(err, r.left(ctx, 0))
}

// left sees that the engine has so many containers of this server.
func (r *run) left(ctx context.Context, n int) error {
	out, err := docker(ctx, "ps", "-aq", "--filter", "name=^/"+r.world.Run()+"-")
	if got := lines(out); err == nil && got != n {
		err = fmt.Errorf("%d containers are left, want %d", got, n)
	}
	return err
}
