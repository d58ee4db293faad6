package harness

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"

	"podlife/runtime/engine"
)

// shell runs a line of sh in a container and fails when it does.
func shell(ctx context.Context, e engine.Engine, id engine.ID, line string) error {
	out, code, err := run(ctx, e, id, engine.ExecSpec{Command: []string{"/bin/sh", "-c", line}})
	if err != nil {
		return fmt.Errorf("in container %.12s: %w", id, err)
	}
	if code != 0 {
		return fmt.Errorf("in container %.12s: %q ended with code %d: %s", id, line, code, out)
	}
	return nil
}

const (
	openGate = "touch " + GateFile
	// The repository's folder goes as a whole, and with it whatever the boot script notes in it.
	wipeSetup = `rm -rf /var/lib/podlife/marker ` + RepoDir + ` && sed -i '/^# >>> podlife >>>$/,/^# <<< podlife <<<$/d' /root/.bashrc`
)

// killer sends SIGKILL to PID 1 of a container, or freezes it, which the product's engine interface has no calls for.
type killer struct {
	http *http.Client
	base string
}

// newKiller reaches the engine at host, or where the environment says, or at the usual socket.
func newKiller(host string) (*killer, error) {
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
	switch u.Scheme {
	case "unix":
		dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", u.Path)
		}
		return &killer{http: &http.Client{Transport: &http.Transport{DialContext: dial}}, base: "http://docker"}, nil
	case "tcp", "http":
		return &killer{http: &http.Client{Transport: &http.Transport{}}, base: "http://" + u.Host}, nil
	}
	return nil, fmt.Errorf("DOCKER_HOST %q: the tests know unix:// and tcp:// only", host)
}

func (k *killer) kill(ctx context.Context, id engine.ID) error {
	return k.post(ctx, id, "kill?signal=KILL")
}

func (k *killer) post(ctx context.Context, id engine.ID, what string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, k.base+"/containers/"+string(id)+"/"+what, nil)
	if err != nil {
		return err
	}
	resp, err := k.http.Do(req)
	if err != nil {
		return fmt.Errorf("%s container %.12s: %w", what, id, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusNoContent {
		return fmt.Errorf("%s container %.12s: status %s", what, id, resp.Status)
	}
	return nil
}

func (k *killer) close() { k.http.CloseIdleConnections() }
