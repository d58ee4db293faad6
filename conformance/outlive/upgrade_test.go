package outlive

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"podlife/conformance/harness"
	"podlife/runtime/boot"
	"podlife/runtime/client"
	"podlife/runtime/container"
	"podlife/runtime/engine"
)

// witness is a file that the script of the next version makes, and no other.
const witness = "/srv/by-the-next-version"

// next is the program with another boot script, as a later version has it.
var next = harness.Binary{Make: func(ctx context.Context, dir string) (string, error) {
	root, err := filepath.Abs("../..")
	if err != nil {
		return "", err
	}
	script := filepath.Join(dir, "script.sh")
	list, err := json.Marshal(map[string]map[string]string{"Replace": {filepath.Join(root, "runtime/boot/script.sh"): script}})
	if err != nil {
		return "", err
	}
	overlay := filepath.Join(dir, "overlay.json")
	text := strings.Replace(boot.Script(), "set -eu\n", "set -eu\n: >"+witness+"\n", 1)
	if err := errors.Join(os.WriteFile(script, []byte(text), 0o600), os.WriteFile(overlay, list, 0o600)); err != nil {
		return "", err
	}
	return harness.Build(ctx, dir, "-overlay", overlay)
}}

// A server of another version, whose boot script is another, enters the pods that it finds awake, with what is on their disks and what runs in them: after an upgrade under a kill -9, and after the way back.
func TestDockerPodsOutliveAnUpgradeWithAnotherBootScript(t *testing.T) {
	harness.NeedDocker(t)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	shipped, updated := binary.Path(t), next.Path(t)
	world := harness.NewDocker(t, harness.DockerOptions{Binary: shipped, Users: 1})
	user, err := world.NewUser(ctx)
	if err != nil {
		t.Fatal(err)
	}
	var pods []*awake
	for name, class := range map[string]string{"work": "workspace", "scratch": "ephemeral"} {
		p, err := wake(ctx, world, user, name, class)
		if err != nil {
			t.Fatal(err)
		}
		pods = append(pods, p)
	}
	markers := map[string]bool{pods[0].recipe: true}

	if err := world.Crash(); err != nil {
		t.Fatal(err)
	}
	world.SetBinary(updated)
	if err := world.Start(ctx); err != nil {
		t.Fatal(err)
	}
	for _, p := range pods {
		if err := p.enters(ctx, world, true); err != nil {
			t.Errorf("%s after the upgrade: %v", p.Name, err)
		}
		if markers[p.recipe] {
			t.Errorf("%s: the marker still names the script of before", p.Name)
		}
	}

	if code, err := world.Stop(ctx); code != 0 || err != nil {
		t.Fatal(code, err)
	}
	world.SetBinary(shipped)
	if err := world.Start(ctx); err != nil {
		t.Fatal(err)
	}
	for _, p := range pods {
		if err := p.enters(ctx, world, false); err != nil {
			t.Errorf("%s after the way back: %v", p.Name, err)
		}
		if !markers[p.recipe] {
			t.Errorf("%s: the marker does not name the script that ships", p.Name)
		}
	}
}

// awake is a pod that was booted, and somebody works in it.
type awake struct {
	client.Pod
	do        *client.Client
	container engine.ID
	recipe    string // what its marker names
}

// wake makes a pod and boots it, and leaves work on both of its disks, and a program that runs.
func wake(ctx context.Context, world *harness.Docker, user harness.User, name, class string) (*awake, error) {
	made, err := user.Client.Create(ctx, client.NewPod{Name: name, Class: class})
	if err != nil {
		return nil, err
	}
	p := &awake{Pod: made}
	if p.do, err = client.New(client.Options{BaseURL: world.URL(), Token: user.Token, Pod: name}); err != nil {
		return nil, err
	}
	if _, err := p.do.Boot(ctx, "before", nil); err != nil {
		return nil, err
	}
	line := `echo mine | tee /srv/work >/root/work; setsid sleep 1000 </dev/null >/dev/null 2>&1 & echo $! >/srv/pid`
	if _, err := program(ctx, p.do, "before", nil, bash(line)...); err != nil {
		return nil, err
	}
	p.container, p.recipe, err = p.look(ctx, world)
	return p, err
}

// look gives the pod's one container, and which recipe the marker in it names.
func (p *awake) look(ctx context.Context, world *harness.Docker) (engine.ID, string, error) {
	all, err := world.Engine().List(ctx, map[string]string{container.LabelPod: p.ID})
	if err == nil && len(all) != 1 {
		err = fmt.Errorf("it has the containers %v", all)
	}
	if err != nil {
		return "", "", err
	}
	inside, err := world.Inside(ctx, all[0].ID)
	if err == nil && !inside.Provisioned() {
		err = errors.New(inside.String())
	}
	return all[0].ID, inside.Marker.Recipe, err
}

// enters boots the pod that a server has found awake, and sees that it is what it was. Of the new script's witness it wants to see that it came, where it is to come.
func (p *awake) enters(ctx context.Context, world *harness.Docker, witnessed bool) error {
	s, err := p.do.Status(ctx)
	if err == nil && (s.State != "ready" || s.Incarnation != 1) {
		err = fmt.Errorf("it was found %s %d", s.State, s.Incarnation)
	}
	if err != nil {
		return err
	}
	if _, err := p.do.Boot(ctx, "after", nil); err != nil {
		return fmt.Errorf("boot: %w", err)
	}
	line := `cat /srv/work /root/work; kill -0 "$(cat /srv/pid)" && echo runs; rm ` + witness + ` 2>/dev/null && echo witness; true`
	want := "mine\nmine\nruns\n"
	if witnessed {
		want += "witness\n"
	}
	got, err := program(ctx, p.do, "after", nil, bash(line)...)
	if err == nil && (got.out != want || got.inc != 1) {
		err = fmt.Errorf("in it, in incarnation %d, is %q, want %q", got.inc, got.out, want)
	}
	if err != nil {
		return err
	}
	id, recipe, err := p.look(ctx, world)
	p.recipe = recipe
	if err == nil && id != p.container {
		err = fmt.Errorf("its container is %.12s, and was %.12s", id, p.container)
	}
	return err
}
