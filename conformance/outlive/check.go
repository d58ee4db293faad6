package outlive

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"time"

	"podlife/conformance/harness"
	"podlife/runtime/client"
	"podlife/runtime/container"
	"podlife/runtime/engine"
)

// hashLine hashes a home as a whole: names, kinds, modes, owners, times of change, where links lead, and contents. It says how many entries there are, too.
const hashLine = `cd /root && tar --sort=name --format=posix --pax-option=exthdr.name=%d/x/%f,delete=atime,delete=ctime --numeric-owner -cf - . | sha256sum | cut -d' ' -f1 && find . -printf . | wc -c`

// markerLine says whose the container's own disk says it is.
const markerLine = ` && sed -n 's/^pod //p; s/^incarnation //p' /var/lib/podlife/marker`

func bash(line string) []string { return []string{"bash", "-o", "pipefail", "-c", line} }

// patience bounds the time in which a pod has to come to rest after what was done to it.
const patience = 30 * time.Second

// at is a pod at rest.
type at struct {
	state     string // asleep or ready
	inc       int
	container engine.Container // where it is ready
}

// rest waits until what the server says of the pod is what the engine has, and both say the same before and after.
func (r *run) rest(ctx context.Context) (at, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		a, err := r.look(ctx)
		if err == nil {
			return a, nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return a, fmt.Errorf("within %s the pod does not come to rest: %w", patience, err)
		}
	}
}

func (r *run) look(ctx context.Context) (at, error) {
	before, err := r.pod.Status(ctx)
	if err != nil {
		return at{}, err
	}
	list, err := r.world.Containers(ctx, r.want.ID)
	if err != nil {
		return at{}, err
	}
	after, err := r.pod.Status(ctx)
	if err != nil {
		return at{}, err
	}
	a := at{state: after.State, inc: after.Incarnation}
	switch {
	case before.State != after.State || before.Incarnation != after.Incarnation || after.Recovering:
		return a, fmt.Errorf("it moves: %s %d, then %s %d", before.State, before.Incarnation, after.State, after.Incarnation)
	case a.state == "asleep" && len(list) == 0:
		return a, nil
	case a.state == "ready" && len(list) == 1 && list[0].State == engine.Running && list[0].Labels[container.LabelIncarnation] == strconv.Itoa(a.inc):
		a.container = list[0]
		return a, nil
	}
	return a, fmt.Errorf("the server says %s %d (%s), and the engine has %v", a.state, a.inc, after.LastError, list)
}

// check looks whether the pod is whole: its home, what was set of it, its number, its marker, its containers and its volume.
func (r *run) check(ctx context.Context) error {
	a, err := r.rest(ctx)
	if err != nil {
		return err
	}
	err = errors.Join(r.checkSettings(ctx), r.checkVolume(ctx), r.checkNumber(a))
	if err != nil {
		return err // before somebody mounts a volume that may be missing
	}
	r.now = a.state
	return r.checkHome(ctx, a)
}

func (r *run) checkSettings(ctx context.Context) error {
	got, err := r.user.Client.Pod(ctx, r.want.Name)
	if err != nil {
		return err
	}
	if w := r.want; got.ID != w.ID || got.Class != w.Class || got.Life != "there" || got.Volume != w.Volume || got.IdleTimeout != w.IdleTimeout || !maps.Equal(got.Labels, w.Labels) ||
		!same(got.CreatedAt, w.CreatedAt) || !same(got.LeaseUntil, w.LeaseUntil) || got.Trouble != "" {
		return fmt.Errorf("the pod is %+v, and was %+v", got, w)
	}
	return nil
}

func same(a, b *time.Time) bool { return a == nil && b == nil || a != nil && b != nil && a.Equal(*b) }

// volumes gives the names of all volumes of this run's server, by the engine's own list.
func volumes(ctx context.Context, w *harness.Docker) ([]string, error) {
	list, err := w.Engine().Volumes(ctx, nil)
	if err != nil {
		return nil, err
	}
	var ours []string
	for _, v := range list {
		if strings.HasPrefix(v.Name, w.Run()+"-") {
			ours = append(ours, v.Name)
		}
	}
	return ours, nil
}

func (r *run) checkVolume(ctx context.Context) error {
	list, err := volumes(ctx, r.world)
	if err == nil && (len(list) != 1 || list[0] != r.want.Volume) {
		err = fmt.Errorf("there are the volumes %q, want %s alone", list, r.want.Volume)
	}
	return err
}

// checkNumber sees that no number comes back, and that none is used for two containers.
func (r *run) checkNumber(a at) error {
	if a.inc < r.highest {
		return fmt.Errorf("incarnation %d comes after %d", a.inc, r.highest)
	}
	r.highest = a.inc
	if a.state != "ready" {
		return nil
	}
	if had, used := r.numbers[a.inc]; used && had != a.container.ID {
		return fmt.Errorf("incarnation %d is container %.12s, and was %.12s", a.inc, a.container.ID, had)
	}
	r.numbers[a.inc] = a.container.ID
	return nil
}

// checkHome compares the hash of the home with the first one. A pod that sleeps is not started for that: its volume is mounted elsewhere.
func (r *run) checkHome(ctx context.Context, a at) error {
	hash, err := r.hash(ctx, a)
	if err == nil && hash != r.home {
		err = fmt.Errorf("the home's hash is %s, and was %s", hash, r.home)
	}
	if err == nil {
		r.equal++
	}
	return err
}

// hash gives the hash of the home and its entries, and compares the marker where there has to be one.
func (r *run) hash(ctx context.Context, a at) (string, error) {
	if a.state != "ready" {
		r.looks++
		out, err := docker(ctx, append([]string{"run", "--rm", "--network", "none", "--name", fmt.Sprintf("%s-look-%d", r.world.Run(), r.looks), "-v", r.want.Volume + ":/root:ro", harness.Image}, bash(hashLine)...)...)
		return strings.Join(strings.Fields(out), " "), err
	}
	got, err := program(ctx, r.pod, "look", nil, bash(hashLine+markerLine)...)
	if err != nil {
		return "", err
	}
	said := strings.Fields(got.out)
	if len(said) != 4 {
		return "", fmt.Errorf("the look inside says %q", got.out)
	}
	if said[2] != r.want.ID || said[3] != strconv.Itoa(a.inc) || got.inc != a.inc {
		return "", fmt.Errorf("the marker names pod %s incarnation %s, in incarnation %d of pod %s (%d)", said[2], said[3], got.inc, r.want.ID, a.inc)
	}
	return said[0] + " " + said[1], nil
}

// boots boots the pod under a name.
func (r *run) boots(ctx context.Context, name string) error {
	_, err := r.pod.Boot(ctx, name, nil)
	return err
}

func (r *run) stops(ctx context.Context) error {
	_, err := r.pod.Stop(ctx)
	return err
}

// change changes the pod's idle timeout, in seconds; 0 is the server's.
func (r *run) change(ctx context.Context, idle int64) error {
	_, err := r.user.Client.Change(ctx, r.want.Name, client.PodChange{IdleTimeoutSeconds: &idle})
	return err
}
