package docker

import (
	"context"
	"io"
	"net/http"
	"testing"
	"time"

	"podlife/runtime/engine"
)

const execRoute = "/exec/e1"

// withExec makes a fake daemon whose exec gives this output and then ends.
func withExec(t *testing.T, tty bool, output string) (*fakeDaemon, engine.Process) {
	t.Helper()
	d := newFakeDaemon(t)
	d.on("POST "+prefix+"/exec", answer(201, map[string]string{"Id": "e1"}))
	d.on("POST "+execRoute+"/start", func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // or the client may still write when the connection closes
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = io.WriteString(conn, "HTTP/1.1 101 UPGRADED\r\nContent-Type: application/vnd.docker.raw-stream\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n"+output)
		_ = conn.Close()
	})
	p, err := d.engine.Exec(context.Background(), someID, engine.ExecSpec{Command: []string{"x"}, TTY: tty})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	return d, p
}

// record is the answer to an exec's inspection.
func record(running bool, pid, code int) http.HandlerFunc {
	return answer(200, map[string]any{"Running": running, "Pid": pid, "ExitCode": code})
}

func TestAnAttachErrorIsTypedByTheContainersState(t *testing.T) {
	for _, c := range []struct {
		name    string
		status  int
		inspect http.HandlerFunc
		want    engine.Kind
	}{
		{"stopped", 409, containerIn("exited"), engine.NotRunning},
		{"paused", 409, containerIn("paused"), engine.NotRunning},
		{"removed", 404, answer(404, "No such container"), engine.NotFound},
		{"cannot be seen", 404, hangUp, engine.Unavailable},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newFakeDaemon(t)
			d.on("POST "+prefix+"/exec", answer(201, map[string]string{"Id": "e1"}))
			d.on("POST "+execRoute+"/start", answer(c.status, "x"))
			d.on("GET "+prefix+"/json", c.inspect)
			_, err := d.engine.Exec(context.Background(), someID, engine.ExecSpec{Command: []string{"x"}})
			wantKind(t, err, c.want)
		})
	}
}

func TestAnAttachThatHangsEndsWithItsContext(t *testing.T) {
	d := newFakeDaemon(t)
	entered, finish := make(chan struct{}), make(chan struct{})
	defer close(finish)
	d.on("POST "+prefix+"/exec", answer(201, map[string]string{"Id": "e1"}))
	d.on("POST "+execRoute+"/start", func(http.ResponseWriter, *http.Request) {
		close(entered)
		<-finish
	})
	ctx, cancel := context.WithCancel(context.Background())
	go func() { <-entered; cancel() }()
	within(t, 5*time.Second, func() {
		_, err := d.engine.Exec(ctx, someID, engine.ExecSpec{Command: []string{"x"}})
		wantKind(t, err, engine.Canceled)
	})
}

func TestAnExitCodeIsBelievedOnlyOfAProcessThatRan(t *testing.T) {
	for _, c := range []struct {
		name    string
		records []http.HandlerFunc
		inspect http.HandlerFunc
		code    int
		want    engine.Kind
	}{
		{"not started yet, running, ended", []http.HandlerFunc{record(false, 0, 0), record(true, 9, 0), record(false, 9, 3)}, containerIn("running"), 3, ""},
		{"ended with 0", []http.HandlerFunc{record(false, 9, 0)}, nil, 0, ""},
		{"seems to run in a container that does not", []http.HandlerFunc{record(true, 9, 0)}, containerIn("exited"), 0, engine.NotRunning},
		{"killed with its container, the code known late", []http.HandlerFunc{record(true, 9, 0), record(true, 9, 0), record(false, 9, 137)}, containerIn("exited"), 137, ""},
		{"never started, its container ended", []http.HandlerFunc{record(false, 0, 0)}, containerIn("exited"), 0, engine.NotRunning},
		{"container removed", []http.HandlerFunc{answer(404, "No such exec instance")}, answer(404, "No such container"), 0, engine.NotFound},
		{"record forgotten", []http.HandlerFunc{answer(404, "No such exec instance")}, containerIn("running"), 0, engine.Failed},
		{"record forgotten while paused", []http.HandlerFunc{answer(404, "No such exec instance")}, containerIn("paused"), 0, engine.Failed},
		{"daemon gone", []http.HandlerFunc{hangUp}, nil, 0, engine.Unavailable},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, p := withExec(t, true, "")
			d.on("GET "+execRoute+"/json", sequence(c.records...))
			if c.inspect != nil {
				d.on("GET "+prefix+"/json", c.inspect)
			}
			if _, err := io.ReadAll(p); err != nil {
				t.Fatal(err)
			}
			code, err := p.Wait(context.Background())
			wantKind(t, err, c.want)
			if code != c.code {
				t.Errorf("code %d, want %d", code, c.code)
			}
		})
	}
}

func TestWhyACommandCouldNotRunIsReadFromItsStreamAndStaysReadable(t *testing.T) { // B55
	for text, want := range map[string]int{
		"OCI runtime exec failed: exec: \"x\": executable file not found in $PATH: unknown\r\n": 127,
		"OCI runtime exec failed: exec: \"/x\": permission denied: unknown\r\n":                 126,
	} {
		d, p := withExec(t, true, text)
		d.on("GET "+execRoute+"/json", record(false, 0, 126))
		if code, err := p.Wait(context.Background()); code != want || err != nil {
			t.Errorf("wait = %d, %v, want %d", code, err, want)
		}
		if got, err := io.ReadAll(p); string(got) != text || err != nil {
			t.Errorf("read %q, %v, want %q", got, err, text)
		}
	}
}

func TestAStreamCutInsideAFrameIsNotAnEnd(t *testing.T) {
	for _, cut := range []string{"\x01\x00\x00\x00\x00\x00\x00\x05hel", "\x01\x00\x00", "\x02\x00\x00\x00\x00\x00\x00\x05er"} {
		_, p := withExec(t, false, cut)
		_, err := io.ReadAll(p)
		wantKind(t, err, engine.Unavailable)
	}
}

func TestAResizeWaitsForTheStart(t *testing.T) {
	d, p := withExec(t, true, "")
	d.on("GET "+execRoute+"/json", sequence(record(false, 0, 0), record(false, 0, 0), record(true, 9, 0)))
	d.on("POST "+execRoute+"/resize", func(w http.ResponseWriter, r *http.Request) {
		if n := d.calls("GET " + execRoute + "/json"); n != 3 {
			t.Errorf("resize after %d looks, want 3", n)
		}
		if q := r.URL.Query(); q.Get("w") != "132" || q.Get("h") != "43" {
			t.Errorf("resize %v", q)
		}
		w.WriteHeader(http.StatusOK)
	})
	if err := p.Resize(context.Background(), 132, 43); err != nil {
		t.Error(err)
	}
	if n := d.calls("POST " + execRoute + "/resize"); n != 1 {
		t.Errorf("%d resizes, want 1", n)
	}
}

func TestAResizeOfAnEndedProcessIsNotRunning(t *testing.T) {
	d, p := withExec(t, true, "")
	d.on("GET "+execRoute+"/json", record(false, 9, 0))
	wantKind(t, p.Resize(context.Background(), 80, 24), engine.NotRunning)
}
