package server

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"podlife/runtime/execution"
	"podlife/runtime/terminal"
	"podlife/runtime/workspace"
)

// do sends a request of a user's.
func (w *world) do(user, method, path, body string) (status int, answer string) {
	w.t.Helper()
	return call(w.t, http.DefaultClient, method, w.base+path, body, "Authorization", "Bearer "+user)
}

// wants sends one of me, and wants a status, and where it is a problem a code.
func (w *world) wants(method, path, body string, status int, code string) (answer string) {
	w.t.Helper()
	got, answer := w.do("me", method, path, body)
	if got != status || code != "" && !strings.Contains(answer, `"code":"`+code+`"`) {
		w.t.Fatalf("%s %s %s: %d %s; want %d %s", method, path, body, got, answer, status, code)
	}
	return answer
}

func read[T any](t *testing.T, answer string) (v T) {
	t.Helper()
	if err := json.Unmarshal([]byte(answer), &v); err != nil {
		t.Fatalf("%s: %v", answer, err)
	}
	return v
}

// pod gives one of me.
func (w *world) pod(name string) podAnswer {
	w.t.Helper()
	return read[podAnswer](w.t, w.wants("GET", "/api/pods/"+name, "", 200, ""))
}

// listed gives the names of me's pods, in the list's order.
func (w *world) listed(query string) string {
	w.t.Helper()
	var all []string
	for _, p := range read[struct{ Pods []podAnswer }](w.t, w.wants("GET", "/api/pods"+query, "", 200, "")).Pods {
		all = append(all, p.Name)
	}
	return strings.Join(all, " ")
}

// containers is how many the engine has.
func (w *world) containers() int {
	w.t.Helper()
	all, err := w.engine.List(w.ctx(), nil)
	if err != nil {
		w.t.Fatal(err)
	}
	return len(all)
}

// dial opens a socket of a user's, and says the first message.
func (w *world) dial(user, path, protocol, first string) *websocket.Conn {
	w.t.Helper()
	d := websocket.Dialer{Subprotocols: []string{protocol}}
	ws, _, err := d.Dial(strings.Replace(w.base, "http", "ws", 1)+path, http.Header{"Authorization": {"Bearer " + user}})
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { ws.Close() })
	if err := ws.WriteMessage(websocket.TextMessage, []byte(first)); err != nil {
		w.t.Fatal(err)
	}
	return ws
}

// runs has a program run in a pod of me, and gives what it has said, or why it was refused.
func (w *world) runs(name, client string, argv ...string) (said, refused string) {
	w.t.Helper()
	words, _ := json.Marshal(argv)
	ws := w.dial("me", "/ws/pods/"+name+"/exec", execution.Subprotocol, `{"type":"run","client":"`+client+`","argv":`+string(words)+`}`)
	for {
		if err := ws.SetReadDeadline(time.Now().Add(patience)); err != nil {
			w.t.Fatal(err)
		}
		kind, b, err := ws.ReadMessage()
		var closed *websocket.CloseError
		switch {
		case errors.As(err, &closed):
			return said, refused
		case err != nil:
			w.t.Fatal(err)
		case kind == websocket.BinaryMessage:
			said += string(b[1:])
		default:
			if m := read[struct{ Type, Reason string }](w.t, string(b)); m.Type == "refused" {
				refused = m.Reason
			}
		}
	}
}

func TestTheLifeOfAWorkspace(t *testing.T) {
	w := newWorld(t, nil)
	made := read[podAnswer](t, w.wants("POST", "/api/pods", `{"name":"docs","class":"workspace","labels":{"team":"red"}}`, 201, ""))
	if made.Class != "workspace" || made.Life != "there" || made.State != "asleep" || made.Volume == "" || made.Labels["team"] != "red" || made.CreatedAt == nil || !slices.Equal(w.homes.all(), []string{made.Volume}) {
		t.Fatalf("%+v, volumes %q", made, w.homes.all())
	}
	if got := w.listed("?label=team%3Dred&class=workspace&state=asleep"); got != "docs" {
		t.Errorf("listed as %q", got)
	}
	if got := w.listed("?sort=-name"); got != "docs default" {
		t.Errorf("listed as %q", got)
	}
	w.wants("POST", "/api/pods/docs/boot", `{"client":"c"}`, 200, "")
	if p := w.pod("docs"); p.State != "ready" || p.Incarnation != 1 || p.Pod != made.Pod || w.containers() != 1 {
		t.Fatalf("after its boot %+v, %d containers", p, w.containers())
	}
	if p := w.pod("default"); p.State != "asleep" || p.Incarnation != 0 {
		t.Errorf("the other pod is %+v", p)
	}
	w.wants("POST", "/api/pods/docs/stop", "", 200, "")
	if p := w.pod("docs"); p.State != "asleep" || w.containers() != 0 || len(w.homes.all()) != 1 {
		t.Fatalf("after its stop %+v, volumes %q", p, w.homes.all())
	}

	if said, refused := w.runs("docs", "new", "echo", "hello"); said != "hello\n" || refused != "" {
		t.Errorf("a program in a stopped workspace said %q, refused %q", said, refused)
	}
	if p := w.pod("docs"); p.State != "ready" || p.Incarnation != 2 {
		t.Errorf("after an access %+v", p)
	}

	gone := read[struct {
		Name string `json:"name"`
		Kept string `json:"kept_volume"`
	}](t, w.wants("DELETE", "/api/pods/docs?keep_volume=true", "", 200, ""))
	if gone.Name != "docs" || gone.Kept != made.Volume || w.containers() != 0 || len(w.homes.all()) != 1 {
		t.Fatalf("%+v, volumes %q", gone, w.homes.all())
	}
	w.wants("GET", "/api/pods/docs", "", 404, "no_pod")
	kept := read[struct{ Volumes []volumeAnswer }](t, w.wants("GET", "/api/volumes", "", 200, "")).Volumes
	if len(kept) != 1 || kept[0].Volume != made.Volume || kept[0].Pod != "docs" || kept[0].KeptAt.IsZero() {
		t.Fatalf("%+v", kept)
	}

	again := read[podAnswer](t, w.wants("POST", "/api/pods", `{"name":"docs","adopt_volume":"`+made.Volume+`"}`, 201, ""))
	if again.Class != "workspace" || again.Volume != made.Volume || again.Pod == made.Pod || again.Incarnation != 0 {
		t.Errorf("%+v after %+v", again, made)
	}
	if answer := w.wants("GET", "/api/volumes", "", 200, ""); answer != "{\"volumes\":[]}\n" {
		t.Errorf("%s", answer)
	}
	w.wants("POST", "/api/pods", `{"name":"more","adopt_volume":"`+made.Volume+`"}`, 404, "no_volume")
	if answer := w.wants("DELETE", "/api/pods/docs", "", 200, ""); answer != "{\"name\":\"docs\",\"kept_volume\":\"\"}\n" || len(w.homes.all()) != 0 {
		t.Errorf("%s, volumes %q", answer, w.homes.all())
	}
}

func TestSettingsAreChangedAndWhatIsLeftOutStays(t *testing.T) {
	w := newWorld(t, nil)
	made := read[podAnswer](t, w.wants("POST", "/api/pods", `{"name":"docs","class":"workspace","labels":{"team":"red"},"idle_timeout_seconds":3600}`, 201, ""))
	if made.IdleTimeout != 3600 {
		t.Errorf("%+v", made)
	}
	for _, change := range []struct {
		body   string
		idle   int64
		labels string
	}{
		{`{"idle_timeout_seconds":60}`, 60, "team=red"}, {`{"labels":{"a":"b"}}`, 60, "a=b"}, {`{}`, 60, "a=b"}, {`{"labels":{},"idle_timeout_seconds":86400}`, 86400, ""},
	} {
		got := read[podAnswer](t, w.wants("PATCH", "/api/pods/docs", change.body, 200, ""))
		labels := ""
		for k, v := range got.Labels {
			labels += k + "=" + v
		}
		if got.IdleTimeout != change.idle || labels != change.labels || got.Incarnation != 0 || got.State != "asleep" {
			t.Errorf("%s: %+v", change.body, got)
		}
	}
	for _, body := range []string{
		`{"idle_timeout_seconds":59}`, `{"idle_timeout_seconds":86401}`, `{"idle_timeout_seconds":-1}`, `{"idle_timeout_seconds":9223372036854775807}`, `{"labels":{"":"x"}}`, `{"name":"other"}`,
	} {
		w.wants("PATCH", "/api/pods/docs", body, 400, "bad_request")
	}
	w.wants("PATCH", "/api/pods/nope", `{}`, 404, "no_pod")
	w.wants("PATCH", "/api/pods/default", `{}`, 409, "default_pod")
	if p := w.pod("docs"); p.IdleTimeout != 86400 {
		t.Errorf("%+v", p)
	}
}

// What is not understood of a query is not left out: it may be what was to keep the volume.
func TestAQueryThatCannotBeReadAsAWholeIsRefusedAndNothingIsDone(t *testing.T) {
	w := newWorld(t, nil)
	w.wants("POST", "/api/pods", `{"name":"docs","class":"workspace"}`, 201, "")
	for _, call := range []string{
		"DELETE /api/pods/docs?keep_volume=true;", "DELETE /api/pods/docs?keep_volume=true%", "DELETE /api/pods/docs?keep_volume=true;x=1", "DELETE /api/pods/docs?keepvolume=true",
		"GET /api/pods?%zz", "GET /api/pods?limit=2;sort=name", "GET /api/pods/docs?x=1", "GET /api/pods/docs/status?x=1", "GET /api/events?foo=1", "GET /api/events?after=1&after=2", "GET /api/volumes?x=1",
		"DELETE /api/volumes/a?keep=1", "POST /api/pods/docs/boot?x=y", "GET /api/status?after=1",
	} {
		method, path, _ := strings.Cut(call, " ")
		w.wants(method, path, "", 400, "bad_request")
	}
	if p := w.pod("docs"); p.Life != "there" || len(w.homes.all()) != 1 || w.containers() != 0 {
		t.Errorf("%+v, volumes %q", p, w.homes.all())
	}
}

func TestAKeptVolumeIsRemovedByItsOwner(t *testing.T) {
	w := newWorld(t, nil)
	volume := read[podAnswer](t, w.wants("POST", "/api/pods", `{"name":"a","class":"workspace"}`, 201, "")).Volume
	w.wants("DELETE", "/api/volumes/"+volume, "", 404, "no_volume") // it is in use
	w.wants("DELETE", "/api/pods/a?keep_volume=true", "", 200, "")
	w.wants("DELETE", "/api/volumes/"+volume, "", 204, "")
	w.wants("DELETE", "/api/volumes/"+volume, "", 404, "no_volume")
	if all := w.homes.all(); len(all) != 0 {
		t.Errorf("%q", all)
	}
}

// Somebody has given the volume to a container of their own: what removes it says so, and it is still kept.
func TestAKeptVolumeThatIsInUseStaysAndIsSaidToBe(t *testing.T) {
	w := newWorld(t, nil)
	volume := read[podAnswer](t, w.wants("POST", "/api/pods", `{"name":"a","class":"workspace"}`, 201, "")).Volume
	w.wants("DELETE", "/api/pods/a?keep_volume=true", "", 200, "")
	w.homes.breakWith(&workspace.VolumeInUseError{Volume: volume, Err: errors.New("the engine's words")})
	if answer := w.wants("DELETE", "/api/volumes/"+volume, "", 409, "volume_in_use"); !strings.Contains(answer, volume) || strings.Contains(answer, "the engine's words") {
		t.Error(answer)
	}
	if answer := w.wants("GET", "/api/volumes", "", 200, ""); !strings.Contains(answer, volume) {
		t.Errorf("it is not kept any more: %s", answer)
	}
	w.homes.breakWith(nil)
	w.wants("DELETE", "/api/volumes/"+volume, "", 204, "")
}

// A volume of that name which the server has not made is nobody's to adopt or remove through it.
func TestAVolumeOfAHomesNameThatIsNotOursIsRefused(t *testing.T) {
	w := newWorld(t, nil)
	volume := read[podAnswer](t, w.wants("POST", "/api/pods", `{"name":"a","class":"workspace"}`, 201, "")).Volume
	w.wants("DELETE", "/api/pods/a?keep_volume=true", "", 200, "")
	w.homes.breakWith(&workspace.ForeignVolumeError{Volume: volume})
	for _, answer := range []string{
		w.wants("DELETE", "/api/volumes/"+volume, "", 409, "volume_not_ours"), w.wants("POST", "/api/pods", `{"name":"b","adopt_volume":"`+volume+`"}`, 409, "volume_not_ours"),
	} {
		if !strings.Contains(answer, "docker volume rm "+volume) {
			t.Error(answer)
		}
	}
	w.homes.breakWith(nil)
	w.wants("POST", "/api/pods", `{"name":"b","adopt_volume":"`+volume+`"}`, 201, "")
}

func TestAnEphemeralPodKeepsNothingAndIsWokenByNoProgram(t *testing.T) {
	w := newWorld(t, nil)
	if p := read[podAnswer](t, w.wants("POST", "/api/pods", `{"name":"ci"}`, 201, "")); p.Class != "ephemeral" || p.Volume != "" {
		t.Errorf("%+v", p)
	}
	if said, refused := w.runs("ci", "c", "echo", "x"); said != "" || refused != "not_ready" || w.pod("ci").Incarnation != 0 {
		t.Errorf("said %q, refused %q, %+v", said, refused, w.pod("ci"))
	}
	w.wants("POST", "/api/pods/ci/boot", `{"client":"c"}`, 200, "")
	if said, refused := w.runs("ci", "c", "echo", "x"); said != "x\n" {
		t.Errorf("said %q, refused %q", said, refused)
	}
	if answer := w.wants("DELETE", "/api/pods/ci?keep_volume=true", "", 200, ""); !strings.Contains(answer, `"kept_volume":""`) || w.containers() != 0 {
		t.Errorf("%s", answer)
	}
}

// Nobody has to know whether a workspace is stopped: who never booted runs a program in it all the same.
func TestAProgramRunsInAWorkspaceThatSomebodyElseHasStarted(t *testing.T) {
	w := newWorld(t, nil)
	w.wants("POST", "/api/pods", `{"name":"a","class":"workspace"}`, 201, "")
	w.wants("POST", "/api/pods/a/boot", `{"client":"first"}`, 200, "")
	if said, refused := w.runs("a", "second", "echo", "x"); said != "x\n" || refused != "" {
		t.Errorf("said %q, refused %q", said, refused)
	}
	if p := w.pod("a"); p.Incarnation != 1 {
		t.Errorf("%+v", p)
	}
}

func TestWhyAWorkspaceDoesNotStartIsToldToTheProgramThatWantedIn(t *testing.T) {
	w := newWorld(t, nil)
	w.wants("POST", "/api/pods", `{"name":"a","class":"workspace"}`, 201, "")
	w.engine.FailNext("create", errors.New("no such luck"))
	if said, refused := w.runs("a", "c", "echo", "x"); said != "" || refused != "boot_failed" {
		t.Errorf("said %q, refused %q", said, refused)
	}
	if p := w.pod("a"); p.State != "asleep" || p.LastError == "" {
		t.Errorf("%+v", p)
	}
}

func TestWhatCannotBeCreatedIsRefusedWithItsReason(t *testing.T) {
	w := newWorld(t, nil)
	w.wants("POST", "/api/pods", `{"name":"a"}`, 201, "")
	for _, c := range []struct {
		body   string
		status int
		code   string
		says   string
	}{
		{``, 400, "bad_request", "name"},
		{`{"name":"-a"}`, 400, "bad_request", "name"},
		{`{"name":"A"}`, 400, "bad_request", "name"},
		{`{"name":"` + strings.Repeat("a", 41) + `"}`, 400, "bad_request", "name"},
		{`{"name":"b","class":"permanent"}`, 400, "bad_request", "class"},
		{`{"name":"b","class":"ephemeral","adopt_volume":"v"}`, 400, "bad_request", "class"},
		{`{"name":"b","labels":{"":"x"}}`, 400, "bad_request", "labels"},
		{`{"name":"b","labels":{"a":"\n"}}`, 400, "bad_request", "labels"},
		{`{"name":"b","size":"big"}`, 400, "bad_request", "size"},
		{`{"name":"b","adopt_volume":"nothing"}`, 404, "no_volume", ""},
		{`{"name":"a"}`, 409, "name_taken", ""},
		{`{"name":"default"}`, 409, "name_taken", ""},
	} {
		if answer := w.wants("POST", "/api/pods", c.body, c.status, c.code); !strings.Contains(read[problem](t, answer).Detail, c.says) {
			t.Errorf("%s: %s does not name %s", c.body, answer, c.says)
		}
	}
	for _, path := range []string{"/api/pods?colour=red", "/api/pods?limit=0"} {
		w.wants("GET", path, "", 400, "bad_request")
	}
	for _, path := range []string{"/api/pods/a?keep_volume=1", "/api/pods/a?keep_volume=true&keep_volume=false", "/api/pods/a?keep=true"} {
		w.wants("DELETE", path, "", 400, "bad_request")
	}
	if got := w.listed(""); got != "a default" {
		t.Errorf("there are %q", got)
	}
}

func TestAUserHasSoManyPodsAndNoMore(t *testing.T) {
	w := newWorld(t, nil)
	for _, name := range []string{"a", "b", "c"} {
		w.wants("POST", "/api/pods", `{"name":"`+name+`"}`, 201, "")
	}
	if answer := w.wants("POST", "/api/pods", `{"name":"d"}`, 409, "too_many_pods"); !strings.Contains(answer, "3 pods") {
		t.Errorf("%s", answer)
	}
	if code, answer := w.do("you", "POST", "/api/pods", `{"name":"a"}`); code != 201 {
		t.Errorf("another user: %d %s", code, answer)
	}
	w.wants("DELETE", "/api/pods/b", "", 200, "")
	w.wants("POST", "/api/pods", `{"name":"d"}`, 201, "")
}

func TestTheDefaultPodIsTheOneThatCallsWithoutANameAreAbout(t *testing.T) {
	w := newWorld(t, nil)
	if p := w.pod("default"); p.Pod != "me" || p.Class != "ephemeral" || p.Life != "there" || p.CreatedAt != nil {
		t.Errorf("%+v", p)
	}
	w.wants("POST", "/api/pods/default/boot", "", 200, "")
	if answer := w.wants("GET", "/api/status", "", 200, ""); !strings.Contains(answer, `"state":"ready"`) {
		t.Errorf("%s", answer)
	}
	w.wants("DELETE", "/api/pods/default", "", 409, "default_pod")
	w.wants("POST", "/api/destroy", "", 200, "")
	if p := w.pod("default"); p.State != "asleep" || p.Incarnation != 1 {
		t.Errorf("%+v", p)
	}
}

func TestWithoutACatalogueThereIsTheDefaultPodAndNoOther(t *testing.T) {
	_, base := start(t, nil)
	for request, want := range map[string]int{"GET /api/pods": 200, "GET /api/pods/default": 200, "GET /api/pods/a": 404, "GET /api/volumes": 200, "DELETE /api/volumes/v": 404} {
		method, path, _ := strings.Cut(request, " ")
		if code, body := call(t, http.DefaultClient, method, base+path, "", "Authorization", "Bearer me"); code != want {
			t.Errorf("%s: %d %s", request, code, body)
		}
	}
	for body, want := range map[string]int{`{"name":"a"}`: 409, `{"name":"a","class":"workspace"}`: 409, `{"name":"a","adopt_volume":"v"}`: 404} {
		if code, answer := call(t, http.DefaultClient, "POST", base+"/api/pods", body, "Authorization", "Bearer me"); code != want {
			t.Errorf("%s: %d %s", body, code, answer)
		}
	}
}

func TestTheAllowanceOfAUserIsForAllPodsTogether(t *testing.T) {
	w := newWorld(t, func(o *Options) { o.Limits = Limits{ExecsPerUser: 1, TerminalsPerUser: 1} })
	for _, name := range []string{"a", "b"} {
		w.wants("POST", "/api/pods", `{"name":"`+name+`","class":"workspace"}`, 201, "")
	}
	for _, kind := range []struct{ path, protocol, first string }{
		{"/exec", execution.Subprotocol, `{"type":"run","client":"c","argv":["sleep"]}`}, {"/terminal", terminal.Subprotocol, `{"type":"hello","client":"c","cols":80,"rows":24}`},
	} {
		first := w.dial("me", "/ws/pods/a"+kind.path, kind.protocol, kind.first)
		if _, _, err := first.ReadMessage(); err != nil {
			t.Fatal(err)
		}
		if code, reason := closeCode(w.dial("me", "/ws/pods/b"+kind.path, kind.protocol, kind.first)); code != closeTooManyTerminals {
			t.Errorf("%s of another pod: %d %s", kind.path, code, reason)
		}
	}
}

// What takes long is answered before it is done: it goes on, is told in the meantime, and keeps the name.
func TestAVolumeThatCannotBeRemovedIsTriedOn(t *testing.T) {
	w := newWorld(t, func(o *Options) { o.WaitTime = 50 * time.Millisecond })
	w.wants("POST", "/api/pods", `{"name":"a","class":"workspace"}`, 201, "")
	w.homes.breakWith(errors.New("the disk says no"))
	w.eventually("it is told why", func() bool {
		answer := w.wants("DELETE", "/api/pods/a", "", 503, "still_removing")
		return strings.Contains(answer, "the disk says no")
	})
	if p := w.pod("a"); p.Life != "going" || !strings.Contains(p.Trouble, "the disk says no") {
		t.Errorf("%+v", p)
	}
	w.wants("POST", "/api/pods/a/boot", "", 409, "pod_going")
	if _, refused := w.runs("a", "c", "echo"); refused != "pod_going" {
		t.Errorf("a program is refused with %q", refused)
	}
	ws := w.dial("me", "/ws/pods/a/terminal", terminal.Subprotocol, `{"type":"hello","client":"c","cols":80,"rows":24}`)
	for state := ""; state != "failed"; {
		_, b, err := ws.ReadMessage()
		if err != nil {
			t.Fatal(err)
		}
		m := read[struct{ State, Reason string }](t, string(b))
		if state = m.State; state == "failed" && m.Reason != "pod_going" {
			t.Errorf("a terminal is told %s", b)
		}
	}
	w.wants("POST", "/api/pods", `{"name":"a"}`, 409, "name_taken")
	w.homes.breakWith(nil)
	w.eventually("it is gone", func() bool { code, _ := w.do("me", "GET", "/api/pods/a", ""); return code == 404 })
	if all := w.homes.all(); len(all) != 0 {
		t.Errorf("volumes are left: %q", all)
	}
	w.wants("POST", "/api/pods", `{"name":"a"}`, 201, "")
}

func TestADeleteThatTakesLongIsAnsweredAndGoesOn(t *testing.T) {
	w := newWorld(t, func(o *Options) { o.WaitTime = 50 * time.Millisecond })
	w.wants("POST", "/api/pods", `{"name":"a"}`, 201, "")
	w.wants("POST", "/api/pods/a/boot", "", 200, "")
	release, _ := w.engine.Hold("remove", nil)
	w.wants("DELETE", "/api/pods/a", "", 503, "still_removing")
	if p := w.pod("a"); p.Life != "going" {
		t.Errorf("%+v", p)
	}
	release()
	w.eventually("it is gone", func() bool { return w.listed("") == "default" })
	if n := w.containers(); n != 0 {
		t.Errorf("%d containers are left", n)
	}
}

// Who wants into a pod whose volume is being made waits for it, as whoever creates it does.
func TestABootAndAProgramWaitForTheVolumeOfTheirPod(t *testing.T) {
	w := newWorld(t, func(o *Options) { o.WaitTime = 20 * time.Second })
	w.homes.breakWith(errors.New("the disk is full"))
	created, booted, ran := make(chan int, 1), make(chan int, 1), make(chan string, 1)
	go func() {
		status, _ := w.do("me", "POST", "/api/pods", `{"name":"a","class":"workspace"}`)
		created <- status
	}()
	w.eventually("its volume cannot be made", func() bool { return len(w.catalog.List("me")) == 2 && w.pod("a").Trouble != "" })
	go func() { status, _ := w.do("me", "POST", "/api/pods/a/boot", `{"client":"c"}`); booted <- status }()
	go func() { said, refused := w.runs("a", "d", "echo", "hello"); ran <- said + refused }()
	w.homes.breakWith(nil)
	if c, b, r := <-created, <-booted, <-ran; c != 201 || b != 200 || r != "hello\n" {
		t.Errorf("created %d, booted %d, the program said %q", c, b, r)
	}
}

func TestAVolumeThatCannotBeMadeIsTriedOn(t *testing.T) {
	w := newWorld(t, func(o *Options) { o.WaitTime = 50 * time.Millisecond })
	w.homes.breakWith(errors.New("the disk is full"))
	w.wants("POST", "/api/pods", `{"name":"a","class":"workspace"}`, 503, "still_making")
	if p := w.pod("a"); p.Life != "making" || !strings.Contains(p.Trouble, "the disk is full") {
		t.Errorf("%+v", p)
	}
	if answer := w.wants("POST", "/api/pods/a/boot", "", 503, "still_making"); !strings.Contains(answer, "the disk is full") { // no container comes before the volume
		t.Error(answer)
	}
	if _, refused := w.runs("a", "c", "echo"); refused != "still_making" {
		t.Errorf("a program is refused with %q", refused)
	}
	w.homes.breakWith(nil)
	w.eventually("it is made", func() bool { return w.pod("a").Life == "there" })
	w.wants("POST", "/api/pods/a/boot", "", 200, "")
	if all := w.homes.all(); len(all) != 1 {
		t.Errorf("volumes %q", all)
	}
	if p := w.pod("a"); p.Life != "there" || p.Trouble != "" || p.State != "ready" {
		t.Errorf("%+v", p)
	}
}
