package docker

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"podlife/runtime/engine"
)

// shell runs a script in a container and gives its output and exit code.
func shell(t *testing.T, ctx context.Context, e *Engine, id engine.ID, script string) (string, int) {
	t.Helper()
	p, err := e.Exec(ctx, id, engine.ExecSpec{Command: []string{"sh", "-c", "exec 2>&1\n" + script}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = p.Close() }()
	out, err := io.ReadAll(p)
	if err != nil {
		t.Fatal(err)
	}
	code, err := p.Wait(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return string(out), code
}

// running gives a container of the real daemon, removed when the test ends.
func running(t *testing.T, ctx context.Context, network string) (*Engine, engine.ID) {
	t.Helper()
	s := openDocker(network)(t)
	e := s.Engine.(*Engine)
	id, err := e.Create(ctx, engine.Spec{
		Name: s.Prefix + "-1", Image: s.Image, Command: s.Idle, Network: network, Labels: s.Labels, Hostname: "pod",
		Mounts: []engine.Mount{{Source: "/etc/hostname", Target: "/.podlife/mounted"}},
		Limits: engine.Limits{MemoryBytes: 256 << 20, NanoCPUs: 1e9, Pids: 99},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Remove(context.Background(), id); err != nil {
			t.Error(err)
		}
	})
	if err := e.Start(ctx, id); err != nil {
		t.Fatal(err)
	}
	return e, id
}

func testContext(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// TestDockerContainerIsConfined looks from inside, where it counts.
func TestDockerContainerIsConfined(t *testing.T) {
	ctx := testContext(t)
	e, id := running(t, ctx, "none")
	out, _ := shell(t, ctx, e, id, `
grep -E '^(CapBnd|CapEff|NoNewPrivs)' /proc/self/status
echo mounted: $(cat /.podlife/mounted)
echo x >/.podlife/mounted
cat /sys/fs/cgroup/pids/pids.max /sys/fs/cgroup/pids.max 2>/dev/null
ls /sys/class/net
ls /dev/kmsg /dev/sda /var/run/docker.sock
echo cgroup: $(sed -n '/memory\|^0/s/.*:\//\//p' /proc/self/cgroup | sort -u)
hostname`)
	for what, want := range map[string]string{
		"capabilities":         "CapBnd:\t00000000000004fb",
		"effective":            "CapEff:\t00000000000004fb",
		"no new privileges":    "NoNewPrivs:\t1",
		"the mount":            "mounted: ",
		"read-only":            "Read-only file system",
		"the process limit":    "\n99\n",
		"loopback only":        "\nlo\n",
		"no kernel log":        "cannot access '/dev/kmsg'",
		"no engine socket":     "cannot access '/var/run/docker.sock'",
		"own cgroup namespace": "cgroup: /\n",
		"host name":            "\npod\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%s: no %q in the output", what, want)
		}
	}
	if t.Failed() {
		t.Log(out)
	}
	if out, code := shell(t, ctx, e, id, `perl -e '$x = "x" x (400 << 20)'`); code != 137 {
		t.Errorf("400 MB in a container of 256: %q, %d, want the kernel to kill it", out, code)
	}
}

// TestDockerAptInstalls builds a package that asks for all that packages ask for (owners, modes, a user of its own, a maintainer script that changes user) and installs it. It needs no network.
func TestDockerAptInstalls(t *testing.T) {
	ctx := testContext(t)
	e, id := running(t, ctx, "none")
	out, code := shell(t, ctx, e, id, `set -e
export DEBIAN_FRONTEND=noninteractive
mkdir -p /tmp/p/DEBIAN /tmp/p/usr/share/probe && cd /tmp
printf 'Package: probe\nVersion: 1\nArchitecture: all\nMaintainer: nobody <nobody@example.org>\nDescription: probe\n' >p/DEBIAN/control
printf '#!/bin/sh\nset -e\nadduser --system --group --no-create-home probe\nchown probe:probe /usr/share/probe/file\nchmod 2750 /usr/share/probe/file\nsu probe -s /bin/sh -c "sleep 1000 & echo \\$! >/tmp/pid; echo I am \\$(id -un)"\nkill -9 $(cat /tmp/pid)\n' >p/DEBIAN/postinst
chmod 755 p/DEBIAN/postinst
echo x >p/usr/share/probe/file
chown games:games p/usr/share/probe/file
dpkg-deb --build p /tmp/probe.deb
apt-get install -y /tmp/probe.deb
stat -c 'result %U:%G %a' /usr/share/probe/file
dpkg -s probe | grep ^Status`)
	if code != 0 || !strings.Contains(out, "result probe:probe 2750") || !strings.Contains(out, "Status: install ok installed") || !strings.Contains(out, "I am probe") {
		t.Errorf("exit code %d\n%s", code, out)
	}
}

// TestDockerBridgeGivesANetwork starts on the bridge, which takes other paths in the daemon than "none".
func TestDockerBridgeGivesANetwork(t *testing.T) {
	ctx := testContext(t)
	e, id := running(t, ctx, "bridge")
	if out, code := shell(t, ctx, e, id, `ls /sys/class/net`); code != 0 || !strings.Contains(out, "eth0") {
		t.Errorf("%q, %d", out, code)
	}
}

// TestDockerOOMIsSeen kills PID 1 for lack of memory.
func TestDockerOOMIsSeen(t *testing.T) { // B74
	ctx := testContext(t)
	s := openDocker("none")(t)
	e := s.Engine.(*Engine)
	id, err := e.Create(ctx, engine.Spec{
		Name: s.Prefix + "-1", Image: s.Image, Network: "none", Labels: s.Labels, Limits: engine.Limits{MemoryBytes: 32 << 20},
		Command: []string{"perl", "-e", `$x = "x" x (400 << 20); sleep 1000`},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Remove(context.Background(), id); err != nil {
			t.Error(err)
		}
	})
	if err := e.Start(ctx, id); err != nil {
		t.Fatal(err)
	}
	var c engine.Container
	waitFor(t, func() bool {
		c, err = e.Inspect(ctx, id)
		return err != nil || c.State == engine.Exited
	})
	if err != nil || c.ExitCode != 137 || !c.OOMKilled {
		t.Errorf("%+v, %v, want 137 and OOMKilled", c, err)
	}
}

// TestDockerAClosedProcessGoesOn is why the agent ends shells itself.
func TestDockerAClosedProcessGoesOn(t *testing.T) {
	ctx := testContext(t)
	e, id := running(t, ctx, "none")
	p, err := e.Exec(ctx, id, engine.ExecSpec{Command: []string{"sh", "-c", "echo here; exec sleep 4321"}, TTY: true})
	if err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 64)
	if n, err := p.Read(b); err != nil || !strings.Contains(string(b[:n]), "here") {
		t.Fatalf("%q, %v", b[:n], err)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if out, code := shell(t, ctx, e, id, `pgrep -fx 'sleep 4321'`); code != 0 {
		t.Errorf("the process is gone: %q", out)
	}
}
