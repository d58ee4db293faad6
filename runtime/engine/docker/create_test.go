package docker

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/docker/docker/api/types/container"

	"podlife/runtime/engine"
)

func TestACreateThatTheDaemonFinishedAfterItsCallerLeftIsUndone(t *testing.T) {
	d := newFakeDaemon(t)
	entered, finish := make(chan struct{}), make(chan struct{})
	d.on("POST /containers/create", func(w http.ResponseWriter, r *http.Request) {
		close(entered)
		<-finish // whether or not the client is there, as the daemon does
		answer(201, map[string]string{"Id": string(someID)})(w, r)
	})
	d.on("DELETE "+prefix, answer(204, nil))
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		<-entered
		cancel()
		close(finish)
	}()
	_, err := d.engine.Create(ctx, testSpec())
	wantKind(t, err, engine.Canceled)
	if n := d.calls("DELETE " + prefix); n != 1 {
		t.Errorf("%d removals, want 1", n)
	}
}

func TestACreateWithoutAnswerIsUndoneByItsOwnLabelOnly(t *testing.T) {
	d := newFakeDaemon(t)
	var made atomic.Value // the label of the create; two connections' handlers touch it
	made.Store("")
	d.on("POST /containers/create", func(_ http.ResponseWriter, r *http.Request) {
		var body container.Config
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		made.Store(body.Labels[createLabel])
		panic(http.ErrAbortHandler)
	})
	d.on("GET /containers/json", func(w http.ResponseWriter, r *http.Request) {
		filter, nonce := r.URL.Query().Get("filters"), made.Load().(string)
		if nonce == "" || !strings.Contains(filter, createLabel+"="+nonce) || !strings.Contains(filter, "name") {
			t.Errorf("list filter %s does not ask for the label of this call (%q)", filter, nonce)
		}
		answer(200, []map[string]string{{"Id": string(someID)}})(w, r)
	})
	d.on("DELETE "+prefix, answer(204, nil))
	_, err := d.engine.Create(context.Background(), testSpec())
	wantKind(t, err, engine.Unavailable)
	if n := d.calls("DELETE " + prefix); n != 1 {
		t.Errorf("%d removals, want 1", n)
	}
}

func TestANameThatAVanishedContainerStillHoldsIsWaitedFor(t *testing.T) {
	d := newFakeDaemon(t)
	conflict := answer(409, fmt.Sprintf(`Conflict. The container name "/name" is already in use by container "%s".`, otherID))
	d.on("POST /containers/create", sequence(conflict, conflict, answer(201, map[string]string{"Id": string(someID)})))
	d.on("GET /containers/"+string(otherID)+"/json", answer(404, "No such container"))
	id, err := d.engine.Create(context.Background(), testSpec())
	if err != nil || id != someID {
		t.Errorf("create = %s, %v", id, err)
	}
	if n := d.calls("POST /containers/create"); n != 3 {
		t.Errorf("%d tries, want 3", n)
	}
}

func TestANameThatALivingContainerHoldsIsAConflictAtOnce(t *testing.T) {
	d := newFakeDaemon(t)
	d.on("POST /containers/create", answer(409, fmt.Sprintf(`Conflict. The container name "/name" is already in use by container "%s".`, someID)))
	d.on("GET "+prefix+"/json", containerIn("exited"))
	_, err := d.engine.Create(context.Background(), testSpec())
	wantKind(t, err, engine.Conflict)
	if n := d.calls("POST /containers/create"); n != 1 {
		t.Errorf("%d tries, want 1", n)
	}
}

func TestCreateTellsAMissingImageFromOtherThingsNotFound(t *testing.T) {
	for status, want := range map[int]engine.Kind{404: engine.ImageMissing, 200: engine.Failed} {
		d := newFakeDaemon(t)
		d.on("POST /containers/create", answer(404, "something is not there"))
		d.on("GET /images/image/json", answer(status, map[string]string{"message": "x"}))
		_, err := d.engine.Create(context.Background(), testSpec())
		wantKind(t, err, want)
	}
}

func TestTheEnginesOwnSocketIsNeverMounted(t *testing.T) {
	e, err := New(Options{Host: "unix:///run/engine/own.sock"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = e.Close() }()
	for source, refused := range map[string]bool{
		"/run/engine/own.sock": true, "/run/engine": true, "/run": true, "/": true, "/var/run/docker.sock": true, "/elsewhere/containerd.sock": true,
		"/run/engine2": false, "/opt/podlife": false,
	} {
		spec := testSpec()
		spec.Mounts = []engine.Mount{{Source: source, Target: "/x"}}
		if err := e.check(spec); (err != nil) != refused {
			t.Errorf("mount of %s: %v, want refused %v", source, err, refused)
		}
	}
}

func TestTheHostIsProtectedFromContainers(t *testing.T) {
	spec := testSpec()
	spec.Limits = engine.Limits{MemoryBytes: 1 << 30, NanoCPUs: 5e8}
	spec.Mounts = []engine.Mount{{Source: "/opt/podlife", Target: "/.podlife/podlife"}}
	h := hostConfigOf(spec)
	for what, ok := range map[string]bool{
		"all capabilities dropped":    slices.Equal(h.CapDrop, []string{"ALL"}),
		"few given back":              !slices.ContainsFunc(h.CapAdd, func(c string) bool { return strings.HasPrefix(c, "SYS_") || strings.HasPrefix(c, "NET_RAW") }),
		"no new privileges":           slices.Contains(h.SecurityOpt, "no-new-privileges"),
		"not privileged":              !h.Privileged,
		"no host namespaces":          !h.NetworkMode.IsHost() && !h.PidMode.IsHost() && !h.IpcMode.IsHost() && !h.UTSMode.IsHost() && h.CgroupnsMode.IsPrivate(),
		"no devices":                  len(h.Devices) == 0 && len(h.DeviceRequests) == 0,
		"no swap beyond memory":       h.Memory == 1<<30 && h.MemorySwap == h.Memory,
		"cpu":                         h.NanoCPUs == 5e8,
		"processes bounded anyway":    h.PidsLimit != nil && *h.PidsLimit == defaultPids,
		"no restart, no auto removal": h.RestartPolicy.Name == container.RestartPolicyDisabled && !h.AutoRemove,
		"no init of the engine's":     h.Init != nil && !*h.Init,
		"mounts read-only":            len(h.Mounts) == 1 && h.Mounts[0].ReadOnly && len(h.Binds) == 0,
		"log bounded":                 h.LogConfig.Config["max-size"] != "",
	} {
		if !ok {
			t.Errorf("not so: %s", what)
		}
	}
}

func TestDockerAbandonedCreatesLeaveNothing(t *testing.T) {
	s := openDocker("none")(t)
	e := s.Engine.(*Engine)
	for i := range 10 {
		ctx, cancel := context.WithTimeout(context.Background(), time.Duration(i)*3*time.Millisecond)
		id, err := e.Create(ctx, engine.Spec{Name: fmt.Sprintf("%s-%d", s.Prefix, i), Image: s.Image, Command: s.Idle, Network: "none", Labels: s.Labels})
		cancel()
		if err == nil {
			err = e.Remove(context.Background(), id)
		} else if engine.KindOf(err) == engine.Canceled {
			err = nil
		}
		if err != nil {
			t.Error(err)
		}
	}
	e.tasks.Wait() // what Close waits for
	left, err := e.List(context.Background(), s.Labels)
	if err != nil || len(left) > 0 {
		t.Errorf("left: %+v, %v", left, err)
	}
}
