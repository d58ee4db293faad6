// Package web is the page at / and, for each named pod, at /pods/NAME: a terminal in the browser, built from src/ into dist/ by `make web` and embedded into the program.
//
// It imports nothing of the project. Read src/session.ts first: it decides when the page connects, boots and waits; docs/protocol.md is its contract with the server.
package web

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"regexp"
	"strings"
)

//go:embed all:dist
var embedded embed.FS

// NotBuilt is what the page says, with status 503, when the program was built before the page was.
const NotBuilt = "The page is not in this build: run `make web`, then build podlife again.\n"

// ContentSecurityPolicy allows the page its own script, style, picture, socket and API, and nothing else: no inline script, no other host, no frame around it.
//
// Style alone is 'unsafe-inline', because xterm.js writes style elements for its cell size and theme, and a style attribute on each cell with a 24-bit colour;
// a nonce could cover the first but not the second. What that leaves to an attacker is little: nothing on the page is ever set as HTML (require-trusted-types-for
// makes the browser refuse it), and a style has no other host to send to.
const ContentSecurityPolicy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; img-src 'self' data:; font-src 'self'; " +
	"frame-ancestors 'none'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'"

// podPage is the path of a named pod's page. src/which.ts reads the name out of the address by the same pattern: what it could not read is not served, or the page would be another pod's.
var podPage = regexp.MustCompile(`^/pods/[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$`)

// contentTypes are said rather than guessed: what the machine's mime tables hold must not change what a browser runs.
var contentTypes = map[string]string{
	".html": "text/html; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".svg":  "image/svg+xml",
	".txt":  "text/plain; charset=utf-8",
}

// FS holds the built page, with index.html at its root; only .gitkeep when the page was not built.
func FS() fs.FS {
	dist, err := fs.Sub(embedded, "dist")
	if err != nil { // the folder is embedded above, or this file does not compile
		panic(err)
	}
	return dist
}

// Handler serves the page, at / and at /pods/{name}, and its files to GET and HEAD, without authentication: there is nothing in them that is anybody's. Mount it at "/". The page of a pod of which noPod says that the caller has none
// comes with status 404, and says so itself; nil is nobody knows, as it must be of a caller who is not known.
// An address at which there is none of them is notFound's. Files carry an ETag and are asked about again on each load, so that a new build is seen at once.
func Handler(noPod func(r *http.Request, name string) bool, notFound http.Handler) http.Handler {
	return handler(FS(), noPod, notFound)
}

type asset struct {
	body        []byte
	contentType string
	etag        string
}

func handler(dist fs.FS, noPod func(*http.Request, string) bool, notFound http.Handler) http.Handler {
	assets := load(dist)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("Content-Security-Policy", ContentSecurityPolicy)
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Referrer-Policy", "no-referrer")
		header.Set("Cross-Origin-Opener-Policy", "same-origin")
		header.Set("Cross-Origin-Resource-Policy", "same-origin")
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			header.Set("Allow", "GET, HEAD")
			http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
			return
		}
		name := strings.TrimPrefix(r.URL.Path, "/")
		// As the address stands in the browser, which does not decode it.
		missing := false
		if podPage.MatchString(r.URL.EscapedPath()) {
			missing = noPod != nil && noPod(r, strings.TrimPrefix(name, "pods/"))
			name = ""
		}
		if name == "" {
			name = "index.html"
		}
		if _, built := assets["index.html"]; !built && name == "index.html" {
			http.Error(w, strings.TrimSuffix(NotBuilt, "\n"), http.StatusServiceUnavailable)
			return
		}
		file, ok := assets[name]
		if !ok {
			notFound.ServeHTTP(w, r)
			return
		}
		if missing {
			header.Set("Cache-Control", "no-store")
			header.Set("Content-Type", file.contentType)
			w.WriteHeader(http.StatusNotFound)
			_, _ = w.Write(file.body)
			return
		}
		header.Set("Cache-Control", "no-cache")
		header.Set("ETag", file.etag)
		if r.Header.Get("If-None-Match") == file.etag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		header.Set("Content-Type", file.contentType)
		_, _ = w.Write(file.body) // a reader that went away is no error of ours
	})
}

// load reads every file of a known kind; what has none (.gitkeep) is not part of the page.
func load(dist fs.FS) map[string]asset {
	assets := make(map[string]asset)
	_ = fs.WalkDir(dist, ".", func(name string, entry fs.DirEntry, err error) error {
		contentType, known := contentTypes[path.Ext(name)]
		if err != nil || entry.IsDir() || !known {
			return err
		}
		body, err := fs.ReadFile(dist, name)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(body)
		assets[name] = asset{body: body, contentType: contentType, etag: `"` + hex.EncodeToString(sum[:12]) + `"`}
		return nil
	})
	return assets
}
