package server

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"net/http/httputil"
	"strings"
	"testing"

	"podlife/runtime/execution"
)

// whole gives all of a response but the date.
func (w *world) whole(user, method, path, body string) string {
	w.t.Helper()
	r, err := http.NewRequest(method, w.base+path, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+user)
	if strings.HasPrefix(path, "/ws/") {
		for name, value := range map[string]string{"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==", "Sec-WebSocket-Protocol": execution.Subprotocol} {
			r.Header.Set(name, value)
		}
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		w.t.Fatal(err)
	}
	defer resp.Body.Close()
	resp.Header.Del("Date")
	b, err := httputil.DumpResponse(resp, resp.StatusCode != http.StatusSwitchingProtocols)
	if err != nil {
		w.t.Fatal(err)
	}
	return string(bytes.TrimSpace(b))
}

// attempts are all calls with a name in them, each with several bodies and parameters, and what is answered to them.
func (w *world) attempts(pod, volume string) map[string]string {
	w.t.Helper()
	all := map[string]string{}
	try := func(method, path, shown, body string) {
		all[method+" "+shown+" "+strings.ReplaceAll(body, volume, "{volume}")] = w.whole("me", method, path, body)
	}
	for _, r := range w.server.routes() {
		method, pattern, _ := strings.Cut(r.pattern, " ")
		if !strings.Contains(pattern, "{name}") && !strings.Contains(pattern, "{volume}") {
			continue
		}
		for _, query := range []string{"", "?keep_volume=true", "?nonsense=1"} {
			for _, body := range []string{"", "[]", "{}", `{"for":"1h"}`, `{"rename":"x"}`, `{"client":"c"}`} {
				try(method, strings.NewReplacer("{name}", pod, "{volume}", volume, "{tab}", "main").Replace(pattern)+query, pattern+query, body)
			}
		}
	}
	for _, name := range []string{"mine", "new", "default", "-"} {
		try("POST", "/api/pods", "/api/pods", fmt.Sprintf(`{"name":%q,"adopt_volume":%q}`, name, volume))
	}
	return all
}

// Another user's pod is answered byte for byte as one that does not exist, whatever it does at the moment; and so is a kept volume.
func TestWhatIsAnothersIsAnsweredAsWhatDoesNotExist(t *testing.T) {
	w := newWorld(t, nil)
	yours := func(method, path, body string, want int) string {
		t.Helper()
		code, answer := w.do("you", method, path, body)
		if code != want {
			t.Fatalf("%s %s %s: %d %s", method, path, body, code, answer)
		}
		return answer
	}
	w.wants("POST", "/api/pods", `{"name":"mine"}`, 201, "")
	none := w.attempts("theirs", "t-theirs.aaaaaaaaaa-home")
	if len(none) < 100 {
		t.Fatalf("only %d calls were tried", len(none))
	}
	for call, answer := range none {
		known := !strings.Contains(call, "?") || strings.HasPrefix(call, "DELETE /api/pods/{name}?keep_volume")
		if strings.Contains(call, "{name}") && known && !strings.Contains(answer, "404 Not Found") {
			t.Errorf("%s, of what does not exist: %s", call, answer)
		}
	}
	same := func(when, volume string) {
		t.Helper()
		for call, answer := range w.attempts("theirs", volume) {
			if answer != none[call] {
				t.Errorf("%s: %s tells\n%s\nand of what does not exist\n%s", when, call, answer, none[call])
			}
		}
	}
	volume := read[podAnswer](t, yours("POST", "/api/pods", `{"name":"theirs","class":"workspace"}`, 201)).Volume
	same("asleep", volume)
	yours("POST", "/api/pods/theirs/boot", "", 200)
	same("ready", volume)
	yours("DELETE", "/api/pods/theirs?keep_volume=true", "", 200)
	same("kept", volume)
	yours("POST", "/api/pods", `{"name":"theirs","adopt_volume":"`+volume+`"}`, 201)
	w.homes.breakWith(errors.New("no"))
	gone := make(chan string, 1)
	go func() {
		_, answer := w.do("you", "DELETE", "/api/pods/theirs", "")
		gone <- answer
	}()
	w.eventually("it is being deleted", func() bool { return strings.Contains(yours("GET", "/api/pods/theirs", "", 200), "going") })
	same("going", volume)
	w.homes.breakWith(nil)
	if answer := <-gone; !strings.Contains(answer, `"name":"theirs"`) {
		t.Errorf("%s", answer)
	}
	same("gone", volume)
	if got := w.listed(""); got != "default mine" {
		t.Errorf("me has %q", got)
	}
}

func TestListsAreTheCallersOwn(t *testing.T) {
	w := newWorld(t, nil)
	w.wants("POST", "/api/pods", `{"name":"a","class":"workspace"}`, 201, "")
	w.wants("DELETE", "/api/pods/a?keep_volume=true", "", 200, "")
	w.wants("POST", "/api/pods", `{"name":"b"}`, 201, "")
	if _, answer := w.do("you", "GET", "/api/pods", ""); strings.Contains(answer, `"name":"b"`) || !strings.Contains(answer, `"name":"default"`) {
		t.Errorf("%s", answer)
	}
	if _, answer := w.do("you", "GET", "/api/volumes", ""); answer != "{\"volumes\":[]}\n" {
		t.Errorf("%s", answer)
	}
}
