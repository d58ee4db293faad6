package main

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"podlife/runtime/client"
)

// clean says that a text can do nothing to a terminal.
func clean(s string) bool { return !strings.ContainsAny(s, "\x1b\r\u202e") }

func TestEveryCommandThatActsOnAPodTakesItsName(t *testing.T) {
	f := newFakePods(t)
	var asked []string
	f.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.Path)
		refuse(w, 403, "no_leases")
	})
	for _, base := range []string{"/api/pods/{name}/", "/ws/pods/{name}/"} {
		f.mux.HandleFunc(base, func(w http.ResponseWriter, r *http.Request) {
			asked = append(asked, r.URL.Path)
			refuse(w, 403, "no_leases")
		})
	}
	m := f.main(t)
	for _, args := range [][]string{{"boot", "--for", "1h"}, {"shell", "--read-only"}, {"tabs"}, {"tabs", "rename", "a", "b"}, {"tabs", "close", "a"}, {"extend", "--for", "1h"}, {"events"},
		{"trace", "export", "--format", "steps"}} {
		asked = nil
		if _, errOut, code := m.run(t, "", append(slices.Clone(args), "--pod=web")...); code != 4 && args[0] != "trace" || len(asked) == 0 {
			t.Errorf("%q: exit %d, %q, asked %q", args, code, errOut, asked)
		}
		for _, path := range asked {
			if !strings.HasPrefix(path, "/api/pods/web/") {
				t.Errorf("%q asked for %s", args, path)
			}
		}
	}
	f.add("web", classEphemeral, nil)
	f.requests()
	bug := filepath.Join(t.TempDir(), "bug.json")
	m.run(t, "", "check", "--guarded=false", "--trace", bug)
	for want, args := range map[string][]string{
		"POST /api/pods/web/stop":                                {"replay", "--reset", bug},
		"GET /api/pods/web/status":                               {"status"},
		"GET /api/pods/web, POST /api/pods/web/stop":             {"destroy", "--yes"},
		"POST /api/pods/web/boot":                                {"boot"},
		"GET /api/pods/web/status, POST /api/pods/web/boot":      {"exec", "true"},
		"GET /api/pods/web/status, POST /api/pods/web/boot ":     {"cp", "pods_test.go", ":"},
		"GET /api/pods/web/status, POST /api/pods/web/boot by x": {"exec", "--", "true"},
	} {
		want, _, _ = strings.Cut(strings.TrimSpace(want), " by ")
		m := f.main(t)
		m.Environ = append(m.Environ, "PODLIFE_POD=web")
		_, errOut, _ := m.run(t, "", args...)
		if got := f.requests(); !strings.HasPrefix(got, want) {
			t.Errorf("%q asked %q, want %q; %s", args, got, want, errOut)
		}
	}
}

func TestThePodIsTheFlagThenTheVariableThenDefault(t *testing.T) {
	f := newFakePods(t)
	f.mux.HandleFunc("GET /api/status", func(w http.ResponseWriter, r *http.Request) {
		f.note(r)
		answer(w, 200, "application/json", map[string]any{"pod": "me", "state": "asleep"})
	})
	f.add("web", classEphemeral, nil)
	f.add("other", classEphemeral, nil)
	m := f.main(t)
	m.Environ = append(m.Environ, "PODLIFE_POD=other")
	for want, args := range map[string][]string{"/api/pods/other/status": {}, "/api/pods/web/status": {"--pod", "web"}, "/api/pods/web/status?": {"web"}, "/api/status": {"--pod", "default"}} {
		out, errOut, code := m.run(t, "", append([]string{"status"}, args...)...)
		if got := f.requests(); got != "GET "+strings.TrimSuffix(want, "?") || code != 0 {
			t.Errorf("%q: exit %d, asked %s, %s%s", args, code, got, out, errOut)
		}
	}
	if out, _, _ := m.run(t, "", "status", "web"); !strings.HasPrefix(out, "pod           web\n") {
		t.Errorf("a pod is called by its name: %s", out)
	}
	f.requests()
	for _, args := range [][]string{{"status", "--pod", "../x"}, {"status", "--pod", ""}, {"status", "a/b"}, {"status", "web", "--pod", "other"}, {"start", "UP"}, {"create", ""}, {"rm", ".."}, {"trace", "check", "--pod=A"}, {"create", "a", "b"}, {"rm"}} {
		if _, errOut, code := m.run(t, "", args...); code != exitUsage || f.requests() != "" {
			t.Errorf("%q: exit %d, %s", args, code, errOut)
		}
	}
	m.Environ = append(m.Environ, "PODLIFE_POD=No")
	if _, errOut, code := m.run(t, "", "status"); code != exitUsage || !strings.Contains(errOut, "PODLIFE_POD") {
		t.Errorf("a variable with a bad name: exit %d, %s", code, errOut)
	}
}

func TestCreateSaysWhatBecomesOfTheFiles(t *testing.T) {
	f := newFakePods(t)
	f.volumes["kept-1"] = "old"
	m := f.main(t)
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"scratch"}, "scratch is created (ephemeral): its disk is wiped whenever it sleeps; podlife start scratch boots it\n"},
		{[]string{"web", "--class", "workspace", "--label", "team=a=b", "--label", "x="}, "web is created (workspace): its home stays on the volume vol-web; podlife start web boots it\n"},
		{[]string{"again", "--adopt-volume", "kept-1"}, "again is created (workspace): its home stays on the volume kept-1; podlife start again boots it\n"},
	} {
		if out, errOut, code := m.run(t, "", append([]string{"create"}, c.args...)...); out != c.want || code != 0 || errOut != "" {
			t.Errorf("%q: exit %d, %q, %q", c.args, code, out, errOut)
		}
	}
	if got, _ := json.Marshal(f.pods["web"]["labels"]); string(got) != `{"team":"a=b","x":""}` {
		t.Errorf("labels %s", got)
	}
	var p client.Pod
	if out, _, code := m.run(t, "", "create", "api", "--start", "--json"); json.Unmarshal([]byte(out), &p) != nil || p.Name != "api" || p.State != "ready" || code != 0 {
		t.Errorf("json: exit %d, %s", code, out)
	}
	out, errOut, code := m.run(t, "", "create", "api2", "--start")
	if out != "api2 is ready (incarnation 1)\n" || !strings.HasPrefix(errOut, "  api2 is created (ephemeral): ") || code != 0 {
		t.Errorf("with --start: exit %d, %q, %q", code, out, errOut)
	}
}

func TestCreatingWhatIsThereIsAConflict(t *testing.T) {
	f := newFakePods(t)
	m := f.main(t)
	f.add("web", classEphemeral, nil)
	for name, next := range map[string]string{"web": "podlife status web shows it, podlife rm web removes it", "default": "every user has it"} {
		out, errOut, code := m.run(t, "", "create", name, "--start")
		if want := "podlife: there is a pod " + name + " already: " + next + "\n"; code != exitConflict || errOut != want || out != "" {
			t.Errorf("exit %d, %q, %q", code, out, errOut)
		}
	}
	if got := f.requests(); strings.Contains(got, "boot") {
		t.Errorf("what was there is left as it is, but %s", got)
	}
	var p client.Problem
	if out, _, code := m.run(t, "", "create", "web", "--json"); json.Unmarshal([]byte(out), &p) != nil || p.Code != client.CodeNameTaken || code != exitConflict {
		t.Errorf("json: exit %d, %s", code, out)
	}
	if _, errOut, code := m.run(t, "", "create", "new", "--adopt-volume", "nonesuch"); code != exitConflict || !clean(errOut) {
		t.Errorf("a volume that is not kept: exit %d, %q", code, errOut)
	}
}

func TestCreateRefusesWhatMakesNoSense(t *testing.T) {
	f := newFakePods(t)
	m := f.main(t)
	for want, args := range map[string][]string{
		"did you mean workspace?": {"--class", "workspce"}, "--adopt-volume is for --class workspace": {"--class", "ephemeral", "--adopt-volume", "v"}, "KEY=VALUE is wanted": {"--label", "x"},
		"x has a value already": {"--label", "x=1", "--label", "x=2"},
	} {
		if _, errOut, code := m.run(t, "", append([]string{"create", "web"}, args...)...); code != exitUsage || !strings.Contains(errOut, want) || f.requests() != "" {
			t.Errorf("%q: exit %d, %s", args, code, errOut)
		}
	}
}

func TestAPodThatIsNotThereIsNamedWithTheOneThatIsMeant(t *testing.T) {
	f := newFakePods(t)
	f.add("website", classWorkspace, nil)
	m := f.main(t)
	for _, args := range [][]string{{"status", "webite"}, {"rm", "webite", "--yes"}, {"stop", "webite"}, {"start", "webite"}, {"exec", "--pod", "webite", "true"}} {
		if _, errOut, code := m.run(t, "", args...); code != exitConflict || errOut != "podlife: there is no pod webite; did you mean website?\n" {
			t.Errorf("%q: exit %d, %q", args, code, errOut)
		}
	}
	if _, errOut, code := m.run(t, "", "rm", "zebra", "--yes"); code != exitConflict || !strings.Contains(errOut, "there is no pod zebra: podlife ls lists") {
		t.Errorf("exit %d, %q", code, errOut)
	}
	if f.pods["website"] == nil {
		t.Error("what was meant was removed")
	}
}

func TestStopSaysWhatBecomesOfTheFiles(t *testing.T) {
	f := newFakePods(t)
	f.add("web", classWorkspace, nil)
	f.add("scratch", classEphemeral, nil)
	m := f.main(t)
	if out, _, code := m.run(t, "", "stop", "web"); out != "web is asleep: the container is gone, its home stays on the volume vol-web\n" || code != 0 {
		t.Errorf("a workspace: exit %d, %q", code, out)
	}
	if out, _, code := m.run(t, "", "stop", "scratch", "--yes"); out != "scratch is asleep: the container and its disk are gone\n" || code != 0 {
		t.Errorf("an ephemeral pod: exit %d, %q", code, out)
	}
	if out, _, code := m.run(t, "", "destroy", "--pod", "web", "--yes"); !strings.Contains(out, "its home stays on the volume vol-web") || code != 0 {
		t.Errorf("destroy of a workspace: exit %d, %q", code, out)
	}
	if got := f.requests(); got != "GET /api/pods/web, POST /api/pods/web/stop, GET /api/pods/scratch, POST /api/pods/scratch/stop, GET /api/pods/web, POST /api/pods/web/stop" {
		t.Errorf("asked %s", got)
	}
	if out, _, code := m.run(t, "", "start", "web"); out != "web is ready (incarnation 1)\n" || code != 0 || f.requests() != "POST /api/pods/web/boot" {
		t.Errorf("and started again: exit %d, %q", code, out)
	}
	if out, _, code := m.run(t, "", "stop", "default", "--yes", "--json"); out != `{"pod":"me","state":"asleep","incarnation":1}`+"\n" || code != 0 || f.requests() != "POST /api/destroy" {
		t.Errorf("the default pod: exit %d, %q", code, out)
	}
}

// Where nobody can be asked, nothing is lost without --yes.
func TestNothingIsLostWithoutAYes(t *testing.T) {
	f := newFakePods(t)
	f.add("web", classWorkspace, nil)
	f.add("scratch", classEphemeral, nil)
	f.volumes["kept"] = "old"
	m := f.main(t)
	for _, args := range [][]string{{"stop", "scratch"}, {"stop", "default"}, {"rm", "scratch"}, {"rm", "web"}, {"rm", "web", "--keep-volume"}, {"destroy", "--pod", "web"}, {"volumes", "rm", "kept"}} {
		if _, errOut, code := m.run(t, "y\n", args...); code != exitUsage || !strings.Contains(errOut, "--yes") {
			t.Errorf("%q: exit %d, %s", args, code, errOut)
		}
	}
	if got := f.requests(); strings.Contains(got, "DELETE") || strings.Contains(got, "POST") {
		t.Errorf("it was done all the same: %s", got)
	}
	f.pods["web"]["life"] = lifeGoing
	if _, errOut, code := m.run(t, "", "rm", "web"); code != 0 {
		t.Errorf("one that is going already has nothing to lose: exit %d, %s", code, errOut)
	}
}

func TestOnATerminalItAsksAndSaysWhatWillBeLost(t *testing.T) {
	f := newFakePods(t)
	for _, c := range []struct {
		args   []string
		asks   string
		answer string
		code   int
		says   string
	}{
		{[]string{"stop", "scratch"}, "Stop scratch, and wipe everything on its disk? [y/N] ", "n", 1, "nothing was stopped"},
		{[]string{"stop", "scratch"}, "[y/N] ", "y", 0, "scratch is asleep"},
		{[]string{"rm", "scratch"}, "Remove scratch, with everything on its disk? [y/N] ", "", 1, "nothing was removed"},
		{[]string{"rm", "web"}, "Remove web, with all files in its home (volume vol-web; --keep-volume would keep it)? [y/N] ", "n", 1, "nothing was removed"},
		{[]string{"rm", "web", "--keep-volume"}, "Remove web, and keep the files in its home as the volume vol-web? [y/N] ", "yes", 0, "adopt it: podlife create web --adopt-volume vol-web"},
		{[]string{"volumes", "rm", "kept"}, "Remove the volume kept, with all files of what was the home of old? [y/N] ", "y", 0, "kept is removed, and all files in it are gone"},
	} {
		f.add("web", classWorkspace, nil)
		f.add("scratch", classEphemeral, nil)
		f.volumes["kept"] = "old"
		p := sitAt(t, f.main(t), c.args...)
		p.sees(c.asks)
		p.types(c.answer + "\n")
		p.sees(c.says)
		p.ends(c.code)
	}
}

func TestRemoveSaysWhatWasKeptAndHowToAdoptIt(t *testing.T) {
	f := newFakePods(t)
	f.add("web", classWorkspace, nil)
	f.add("scratch", classEphemeral, nil)
	m := f.main(t)
	if _, errOut, code := m.run(t, "", "rm", "scratch", "--keep-volume", "--yes"); code != exitUsage || f.pods["scratch"] == nil {
		t.Errorf("there is no volume to keep: exit %d, %s", code, errOut)
	}
	if _, errOut, code := m.run(t, "", "rm", "default", "--yes"); code != exitUsage || !strings.Contains(errOut, "podlife stop default") {
		t.Errorf("the default pod: exit %d, %s", code, errOut)
	}
	out, errOut, code := m.run(t, "", "rm", "web", "--keep-volume", "--yes")
	if want := "web is removed; the files of its home are kept on the volume vol-web\nadopt it: podlife create web --adopt-volume vol-web\n"; out != want || code != 0 {
		t.Errorf("exit %d, %q, %q", code, out, errOut)
	}
	if out, errOut, code := m.run(t, "", "create", "web", "--adopt-volume", "vol-web"); code != 0 {
		t.Errorf("and it can be: exit %d, %q, %q", code, out, errOut)
	}
	if out, _, code := m.run(t, "", "rm", "web", "--yes"); out != "web is removed: its container, its disk and its home are gone\n" || code != 0 {
		t.Errorf("exit %d, %q", code, out)
	}
	if out, _, code := m.run(t, "", "rm", "scratch", "--yes", "--json"); out != `{"name":"scratch","kept_volume":""}`+"\n" || code != 0 {
		t.Errorf("exit %d, %q", code, out)
	}
	if got := f.requests(); !strings.Contains(got, "DELETE /api/pods/web?keep_volume=true") || !strings.Contains(got, "DELETE /api/pods/web?keep_volume=false") {
		t.Errorf("asked %s", got)
	}
}

func TestARemovalThatTakesTooLongSaysThatItGoesOn(t *testing.T) {
	f := newFakeServer(t)
	f.mux.HandleFunc("GET /api/pods/{name}", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, 200, "application/json", map[string]any{"name": "web", "class": classWorkspace, "life": "there"})
	})
	f.mux.HandleFunc("DELETE /api/pods/{name}", func(w http.ResponseWriter, _ *http.Request) { refuse(w, 503, "still_removing") })
	if _, errOut, code := f.main(t).run(t, "", "rm", "web", "--yes"); code != exitFailed || !strings.Contains(errOut, "its removal goes on") || !strings.Contains(errOut, "the server's words") || !clean(errOut) {
		t.Errorf("exit %d, %q", code, errOut)
	}
}

func TestKeptVolumesAreListedAndRemoved(t *testing.T) {
	f := newFakePods(t)
	m := f.main(t)
	if out, errOut, code := m.run(t, "", "volumes"); out != "" || errOut != "" || code != 0 {
		t.Errorf("none: exit %d, %q, %q", code, out, errOut)
	}
	if out, _, _ := m.run(t, "", "volumes", "ls", "--json"); out != "[]\n" {
		t.Errorf("none, as JSON: %q", out)
	}
	f.volumes["home-1"] = "old\x1b\n"
	for _, args := range [][]string{{"volumes"}, {"volumes", "ls"}} {
		if out, _, code := m.run(t, "", args...); !strings.HasPrefix(out, "home-1\told\\x1b\\n\t20") || strings.Count(out, "\n") != 1 || code != 0 {
			t.Errorf("%q: exit %d, %q", args, code, out)
		}
	}
	if _, errOut, code := m.run(t, "", "volumes", "rm", "home-2", "--yes"); code != exitConflict || errOut != "podlife: no volume home-2 is kept; did you mean home-1?\n" {
		t.Errorf("exit %d, %q", code, errOut)
	}
	f.used = true
	if _, errOut, code := m.run(t, "", "volumes", "rm", "home-1", "--yes"); code != exitConflict || !strings.Contains(errOut, "the server's words") || !clean(errOut) {
		t.Errorf("one that is in use: exit %d, %q", code, errOut)
	}
	f.used = false
	if out, _, code := m.run(t, "", "volumes", "rm", "home-1", "--yes", "--json"); out != "{}\n" || code != 0 || len(f.volumes) > 0 {
		t.Errorf("exit %d, %q", code, out)
	}
	if _, errOut, code := m.run(t, "", "volumes", "frob"); code != exitUsage || !strings.Contains(errOut, "it can ls and rm") {
		t.Errorf("exit %d, %q", code, errOut)
	}
}

func TestEventsAreReadByPeopleAndProgramsAndFollowed(t *testing.T) {
	f := newFakeServer(t)
	var after []string
	more := make(chan struct{})
	f.mux.HandleFunc("GET /api/pods/web/events", func(w http.ResponseWriter, r *http.Request) {
		after = append(after, r.URL.Query().Get("after"))
		one := func(seq int) map[string]any {
			return map[string]any{"seq": seq, "time": fakeSince, "pod": "p", "action": "StartBoot", "args": []string{"c1\x1b"}, "incarnation": 1, "cause": "asked\nfor"}
		}
		switch len(after) {
		case 1, 2, 3:
			answer(w, 200, "application/json", map[string]any{"events": []any{one(3), one(4)}, "next": 4})
		case 4:
			answer(w, 200, "application/json", map[string]any{"events": []any{}, "next": 1}) // it was started again
		case 5:
			answer(w, 200, "application/json", map[string]any{"events": []any{one(1)}, "next": 1})
		default:
			close(more)
			<-r.Context().Done()
		}
	})
	m := f.main(t)
	out, errOut, code := m.run(t, "", "events", "web")
	if strings.Count(out, "\n") != 2 || !strings.Contains(out, `StartBoot(c1\x1b): asked\nfor`+"\n") || errOut != "the server does not keep the events from 1 to 2 any more\n" || code != 0 {
		t.Errorf("exit %d, %q, %q", code, out, errOut)
	}
	var e client.ActionEvent
	if out, _, _ := m.run(t, "", "events", "--pod", "web", "--json"); json.Unmarshal([]byte(strings.SplitAfter(out, "\n")[1]), &e) != nil || e.Seq != 4 {
		t.Errorf("json: %s", out)
	}
	m.every = time.Millisecond
	p := sitAt(t, m, "events", "web", "--follow", "--json")
	p.sees(`"seq":4`)
	p.sees(`"seq":1`)
	<-more
	p.cancel(nil)
	p.ends(0)
	if want := []string{"0", "0", "0", "4", "0", "1"}; !slices.Equal(after, want) {
		t.Errorf("asked for those after %q, want %q", after, want)
	}
}

func TestATraceOfANamedPodIsAskedForByItsName(t *testing.T) {
	f := newFakeServer(t)
	asked := 0
	f.mux.HandleFunc("GET /api/pods/web/steps", func(w http.ResponseWriter, _ *http.Request) {
		asked++
		answer(w, 200, "application/json", map[string]any{"steps": []any{}, "next": 0})
	})
	m := f.main(t)
	for _, args := range [][]string{{"--pod", "web"}, {"--pod=web"}, {"web", "--pod"}} {
		asked = 0
		if _, errOut, code := m.run(t, "", append([]string{"trace", "check"}, args...)...); code != 0 || asked != 1 {
			t.Errorf("%q: exit %d, asked %d times, %s", args, code, asked, errOut)
		}
	}
	m.Environ = append(m.Environ, "PODLIFE_POD=web")
	if _, errOut, code := m.run(t, "", "trace", "check", "--pod"); code != 0 || asked != 2 {
		t.Errorf("by the variable: exit %d, %s", code, errOut)
	}
	if _, errOut, code := m.run(t, "", "trace", "check", "--pod", "steps.jsonl"); code != exitUsage || !strings.Contains(errOut, "either a file or --pod") {
		t.Errorf("a file: exit %d, %s", code, errOut)
	}
}
