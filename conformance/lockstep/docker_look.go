package lockstep

import (
	"context"
	"encoding/base64"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"

	"podlife/model/podruntime"
	"podlife/runtime/boot"
	"podlife/runtime/container"
	"podlife/runtime/engine"
)

// inside asks a container what is in it, without the agent: the marker, and whether there is the shell's hook, a multiplexer, the clone, and what the user script does. Arguments: the clone's
// folder, the recipe's number.
const inside = `yes() { "$@" >/dev/null 2>&1 && echo yes || echo no; }
echo "marker $(base64 -w 0 /var/lib/podlife/marker 2>/dev/null)"
echo "hook $(yes grep -q '^# >>> podlife >>>$' /root/.bashrc)"
echo "tmux $(yes command -v tmux)"
echo "clone $(yes test -e "$1/.git/podlife-complete")"
echo "part $(yes test -e /root/lockstep/part)"
echo "all $(yes test -e "/root/lockstep/all-$2")"
echo end`

// Look implements World.
func (d *Docker) Look(ctx context.Context) (map[int]podruntime.Container, error) {
	list, err := d.o.Engine.List(ctx, map[string]string{container.LabelInstance: d.setup.Instance})
	if err != nil {
		return nil, err
	}
	all := map[int]podruntime.Container{}
	for _, c := range list {
		n, err := strconv.Atoi(c.Labels[container.LabelIncarnation])
		if err != nil {
			return nil, err
		}
		if _, twice := all[n]; twice {
			return nil, fmt.Errorf("two containers of incarnation %d", n)
		}
		switch c.State {
		case engine.Created:
			all[n] = podruntime.Container{Box: podruntime.BoxCreated}
		case engine.Running, engine.Paused:
			if all[n], err = d.look(ctx, c.ID, n); err != nil {
				return nil, err
			}
		case engine.Removing:
		default:
			all[n] = podruntime.Container{Box: podruntime.BoxDead}
		}
	}
	return all, nil
}

// look looks into one that runs.
func (d *Docker) look(ctx context.Context, id engine.ID, n int) (podruntime.Container, error) {
	d.mu.Lock()
	recipe, k, s := d.recipe, d.k, d.scripts[n]
	d.mu.Unlock()
	out, err := d.run(ctx, id, inside, recipe.Repo.Dir, strconv.Itoa(k))
	if err != nil {
		return podruntime.Container{}, err
	}
	said := map[string]string{}
	for line := range strings.Lines(out) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		said[name] = value
	}
	if _, ended := said["end"]; !ended {
		return podruntime.Container{}, fmt.Errorf("look inside %.12s: it did not come to its end: %.200q", id, out)
	}
	c := podruntime.Container{Box: podruntime.BoxRunning}
	if s != nil {
		s.mu.Lock()
		c.Script = s.state
		s.mu.Unlock()
	}
	all := true
	for _, part := range []string{"hook", "clone", "part", "all"} {
		if said[part] == "yes" {
			c.Setup = podruntime.SetupPart
		} else {
			all = false
		}
	}
	if all && said["tmux"] == "yes" {
		c.Setup = podruntime.SetupAll
	}
	text, err := base64.StdEncoding.DecodeString(said["marker"])
	if err != nil {
		return c, fmt.Errorf("look inside %.12s: the marker cannot be read: %w", id, err)
	}
	if len(text) > 0 {
		c.Marker = markerIn(text, boot.Marker{Pod: string(d.setup.Pod), Incarnation: n, Recipe: recipe.Hash()})
	}
	return c, nil
}

// Killer gives what kills PID 1 of a container of Docker: at a unix socket, or where DOCKER_HOST says.
func Killer(host string) (func(ctx context.Context, id engine.ID) error, error) {
	if host == "" {
		host = os.Getenv("DOCKER_HOST")
	}
	if host == "" {
		host = "unix:///var/run/docker.sock"
	}
	u, err := url.Parse(host)
	if err != nil {
		return nil, err
	}
	if u.Scheme != "unix" {
		return nil, fmt.Errorf("DOCKER_HOST %q: only unix:// is known here", host)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", u.Path)
	}}}
	return func(ctx context.Context, id engine.ID) error {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://docker/containers/"+string(id)+"/kill?signal=KILL", nil)
		if err != nil {
			return err
		}
		resp, err := client.Do(req)
		if err != nil {
			return fmt.Errorf("kill container %.12s: %w", id, err)
		}
		defer resp.Body.Close()
		if resp.StatusCode != http.StatusNoContent {
			return fmt.Errorf("kill container %.12s: status %s", id, resp.Status)
		}
		return nil
	}, nil
}
