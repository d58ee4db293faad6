package web

import (
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
)

func built() fstest.MapFS {
	return fstest.MapFS{
		".gitkeep":    {},
		"index.html":  {Data: []byte("<!doctype html>")},
		"podlife.js":  {Data: []byte("export {}")},
		"style.css":   {Data: []byte("body{}")},
		"favicon.svg": {Data: []byte("<svg/>")},
	}
}

func ask(t *testing.T, dist fs.FS, method, target string, header ...string) *http.Response {
	t.Helper()
	request := httptest.NewRequest(method, target, nil)
	for i := 0; i+1 < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	recorder := httptest.NewRecorder()
	handler(dist, func(_ *http.Request, name string) bool { return name == "nowhere" }, http.NotFoundHandler()).ServeHTTP(recorder, request)
	return recorder.Result()
}

func body(t *testing.T, response *http.Response) string {
	t.Helper()
	var text strings.Builder
	if err := response.Write(&text); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

func TestEveryFileHasItsTypeAndMayNotBeSniffed(t *testing.T) {
	for target, want := range map[string]string{
		"/":            "text/html; charset=utf-8",
		"/index.html":  "text/html; charset=utf-8",
		"/podlife.js":  "text/javascript; charset=utf-8",
		"/style.css":   "text/css; charset=utf-8",
		"/favicon.svg": "image/svg+xml",
	} {
		response := ask(t, built(), http.MethodGet, target)
		if got := response.Header.Get("Content-Type"); response.StatusCode != http.StatusOK || got != want {
			t.Errorf("GET %s: %d %q, want 200 %q", target, response.StatusCode, got, want)
		}
		if got := response.Header.Get("X-Content-Type-Options"); got != "nosniff" {
			t.Errorf("GET %s: X-Content-Type-Options %q", target, got)
		}
	}
}

func TestThePolicyAllowsNoOtherHostNoInlineScriptAndNoFrame(t *testing.T) {
	response := ask(t, built(), http.MethodGet, "/")
	directives := make(map[string]string)
	for directive := range strings.SplitSeq(response.Header.Get("Content-Security-Policy"), ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(directive), " ")
		directives[name] = value
	}
	for name, want := range map[string]string{
		"default-src":     "'none'",
		"script-src":      "'self'",
		"connect-src":     "'self'",
		"img-src":         "'self' data:",
		"font-src":        "'self'",
		"frame-ancestors": "'none'",
		"base-uri":        "'none'",
		"form-action":     "'none'",
	} {
		if directives[name] != want {
			t.Errorf("%s is %q, want %q", name, directives[name], want)
		}
	}
	for name, value := range directives {
		if strings.Contains(value, "unsafe") && (name != "style-src" || value != "'self' 'unsafe-inline'") || strings.ContainsAny(value, "*.") {
			t.Errorf("%s %q is wider than the page needs", name, value)
		}
	}
}

func TestEachNamedPodHasThePage(t *testing.T) {
	page := ask(t, built(), http.MethodGet, "/")
	for _, target := range []string{"/pods/work", "/pods/a", "/pods/0-9", "/pods/default", "/pods/" + strings.Repeat("x", 40), "/pods/work?a=b"} {
		response := ask(t, built(), http.MethodGet, target)
		if response.StatusCode != http.StatusOK || response.Header.Get("ETag") != page.Header.Get("ETag") || response.Header.Get("Content-Type") != "text/html; charset=utf-8" {
			t.Errorf("GET %s: %d %q, want the page", target, response.StatusCode, response.Header.Get("Content-Type"))
		}
	}
	if response := ask(t, fstest.MapFS{".gitkeep": {}}, http.MethodGet, "/pods/work"); response.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("a page that was not built is %d at a pod's path, want 503", response.StatusCode)
	}
	if response := ask(t, built(), http.MethodPost, "/pods/work"); response.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("POST /pods/work: %d, want 405", response.StatusCode)
	}
}

// The page reads the pod's name out of the address as it stands there. A path that it would read otherwise than the server must not lead to another pod's terminal.
func TestNothingElseBelowPodsIsThePage(t *testing.T) {
	for _, target := range []string{
		"/pods", "/pods/", "/pods/Work", "/pods/-a", "/pods/a-", "/pods/a/", "/pods/a/b", "/pods/a.b", "/pods/%61", "/pods/a%2Fb", "/pods/a%0A", "/pods/" + strings.Repeat("x", 41),
		"/pods/podlife.js", "/pods/index.html", "/x/pods/a", "//pods/a",
	} {
		if response := ask(t, built(), http.MethodGet, target); response.StatusCode != http.StatusNotFound {
			t.Errorf("GET %s: %d, want 404", target, response.StatusCode)
		}
	}
}

// At /pods/NAME a relative address would lead below /pods/.
func TestThePageNamesItsFilesByAbsolutePaths(t *testing.T) {
	html, err := os.ReadFile("public/index.html")
	if err != nil {
		t.Fatal(err)
	}
	addresses := regexp.MustCompile(`\s(?:src|href)="([^"]*)"`).FindAllSubmatch(html, -1)
	if len(addresses) < 4 {
		t.Fatalf("index.html names %d files", len(addresses))
	}
	for _, address := range addresses {
		if !strings.HasPrefix(string(address[1]), "/") {
			t.Errorf("index.html names %q", address[1])
		}
	}
}

func TestAPageThatWasNotBuiltSaysWhatToDo(t *testing.T) {
	response := ask(t, fstest.MapFS{".gitkeep": {}}, http.MethodGet, "/")
	if text := body(t, response); response.StatusCode != http.StatusServiceUnavailable || !strings.Contains(text, "make web") {
		t.Errorf("got %d %q, want 503 and the command", response.StatusCode, text)
	}
}

func TestOnlyThePageIsServed(t *testing.T) {
	for _, target := range []string{"/.gitkeep", "/nothing.js", "/../web.go", "/podlife.js/", "//podlife.js"} {
		if response := ask(t, built(), http.MethodGet, target); response.StatusCode != http.StatusNotFound {
			t.Errorf("GET %s: %d, want 404", target, response.StatusCode)
		}
	}
	if response := ask(t, built(), http.MethodPost, "/"); response.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("POST /: %d, want 405", response.StatusCode)
	}
}

func TestAnUnchangedFileIsNotSentAgain(t *testing.T) {
	first := ask(t, built(), http.MethodGet, "/podlife.js")
	etag := first.Header.Get("ETag")
	if again := ask(t, built(), http.MethodGet, "/podlife.js", "If-None-Match", etag); etag == "" || again.StatusCode != http.StatusNotModified {
		t.Errorf("ETag %q, then %d, want 304", etag, again.StatusCode)
	}
	changed := built()
	changed["podlife.js"].Data = []byte("export default 1")
	if again := ask(t, changed, http.MethodGet, "/podlife.js", "If-None-Match", etag); again.StatusCode != http.StatusOK {
		t.Errorf("a new build is answered with %d, want 200", again.StatusCode)
	}
}

// The policy would only break such a page in the browser; here it is said before anybody opens one.
func TestThePageHasNoInlineScriptAndAsksNoOtherHost(t *testing.T) {
	html, err := os.ReadFile("public/index.html")
	if err != nil {
		t.Fatal(err)
	}
	for _, forbidden := range []string{`<script[^>]*>[^<]`, `\son[a-z]+=`, `(src|href)="(https?:)?//`, `\sstyle=`} {
		if found := regexp.MustCompile(forbidden).Find(html); found != nil {
			t.Errorf("index.html has %q", found)
		}
	}
}

// The page says itself that there is no such pod; whoever asks for it by a program sees it by the status.
func TestThePageOfAPodThatIsNotThereIsNotFound(t *testing.T) {
	there := ask(t, built(), http.MethodGet, "/pods/there")
	if there.StatusCode != http.StatusOK {
		t.Errorf("of a pod that is there: %d", there.StatusCode)
	}
	for _, etag := range []string{"", there.Header.Get("ETag")} {
		nowhere := ask(t, built(), http.MethodGet, "/pods/nowhere", "If-None-Match", etag)
		if nowhere.StatusCode != http.StatusNotFound || nowhere.Header.Get("Content-Type") != "text/html; charset=utf-8" || nowhere.Header.Get("Cache-Control") != "no-store" || !strings.Contains(body(t, nowhere), "<!doctype html>") {
			t.Errorf("with ETag %q: %d %v", etag, nowhere.StatusCode, nowhere.Header)
		}
	}
}
