package server

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// Also what the router itself refuses is a problem that a program can read, and says what may be asked instead.
func TestWhatCannotBeCalledIsRefusedAsAProblem(t *testing.T) {
	w := newWorld(t, nil)
	for request, want := range map[string]struct {
		status int
		code   string
		allow  string
	}{
		"GET /api/nonsense":        {404, "not_found", ""},
		"POST /api/nonsense":       {404, "not_found", ""},
		"GET /api":                 {404, "not_found", ""},
		"GET /ws/nonsense":         {404, "not_found", ""},
		"DELETE /api/pods/a/b/c/d": {404, "not_found", ""},
		"GET /nonsense":            {404, "not_found", ""},
		"POST /nonsense":           {405, "method_not_allowed", "GET, HEAD"},
		"POST /":                   {405, "method_not_allowed", "GET, HEAD"},
		"DELETE /api/pods":         {405, "method_not_allowed", "GET, HEAD, POST"},
		"PUT /api/pods/a":          {405, "method_not_allowed", "DELETE, GET, HEAD, PATCH"},
		"GET /api/boot":            {405, "method_not_allowed", "POST"},
		"POST /api/openapi.json":   {405, "method_not_allowed", "GET, HEAD"},
		"POST /ws/terminal":        {405, "method_not_allowed", "GET, HEAD"},
	} {
		method, path, _ := strings.Cut(request, " ")
		req, err := http.NewRequestWithContext(w.ctx(), method, w.base+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer me")
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(res.Body)
		if err := errors.Join(err, res.Body.Close()); err != nil {
			t.Fatal(err)
		}
		answer := string(text)
		if kind := res.Header.Get("Content-Type"); res.StatusCode != want.status || kind != "application/problem+json" || !strings.Contains(answer, `"code":"`+want.code+`"`) || res.Header.Get("Allow") != want.allow {
			t.Errorf("%s: %d %q, Allow %q, %s", request, res.StatusCode, kind, res.Header.Get("Allow"), answer)
		}
	}
}

// Only of a caller who is known it is said whether they have a pod; another's pod is none.
func TestOnlyAKnownCallerLearnsThatThereIsNoSuchPod(t *testing.T) {
	w := newWorld(t, nil)
	w.wants("POST", "/api/pods", `{"name":"mine"}`, 201, "")
	s := w.server
	for name, want := range map[string]map[string]bool{
		"": {"mine": false, "none": false, "default": false}, "me": {"mine": false, "none": true, "default": false}, "you": {"mine": true, "none": true, "default": false},
	} {
		for pod, missing := range want {
			r := httptest.NewRequest(http.MethodGet, "/pods/"+pod, nil)
			if name != "" {
				r.Header.Set("Authorization", "Bearer "+name)
			}
			if got := s.hasNoPod(r, pod); got != missing {
				t.Errorf("%q asks for %s: missing %v", name, pod, got)
			}
		}
	}
}

// Of two values of one key the last would count, and the other be dropped without a word.
func TestAKeyThatIsThereTwiceIsRefusedByEveryCall(t *testing.T) {
	w := newWorld(t, nil)
	for request, body := range map[string]string{
		"POST /api/pods":              `{"name":"a","class":"workspace","name":"b"}`,
		"POST /api/pods ":             `{"name":"a","Name":"b"}`,
		"POST /api/pods  ":            `{"name":"a","labels":{"name":"1","x":"2","name":"3"}}`,
		"PATCH /api/pods/default":     `{"name":[{"name":1}],"name":{}}`,
		"POST /api/boot":              `{"name":"c","name":"d"}`,
		"POST /api/extend":            `{"for":"1h","name":1,"name":2}`,
		"POST /api/tabs/main":         `{"name":"a","rename":"a","name":"b"}`,
		"POST /api/login":             `{"code":"a","name":"a","name":"b"}`,
		"DELETE /api/pods/default":    `{"name":1,"name":1}`,
		"POST /api/pods/default/stop": `{"name":1,"name":1}`,
	} {
		method, path, _ := strings.Cut(strings.TrimSpace(request), " ")
		if answer := w.wants(method, path, body, 400, "bad_request"); !strings.Contains(strings.ToLower(answer), `name\"`) || !strings.Contains(answer, "more than once") {
			t.Errorf("%s %s: %s", request, body, answer)
		}
	}
	w.wants("POST", "/api/pods", `{"name":"a","labels":{"name":"1","Name":"2"}}`, 201, "") // labels are told apart by their case
}
