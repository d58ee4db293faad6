package server

import (
	"bufio"
	"bytes"
	"encoding/json"
	"maps"
	"mime"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// apiDocument is openapi.json as a program reads it. Its schemas are closed for these tests: what a handler answers and the document does not have is found. To others they are open, so that a field can be added.
type apiDocument struct {
	Paths      map[string]map[string]apiOperation
	Components struct {
		Parameters map[string]apiParameter
		Responses  map[string]apiResponse
		Schemas    map[string]any
	}
	compiler *jsonschema.Compiler
	mu       sync.Mutex // guards the compiler
}

type apiOperation struct {
	OperationID string
	Security    *[]any
	Parameters  []apiParameter
	RequestBody *struct{ Content map[string]apiContent }
	Responses   map[string]apiResponse
}

type apiParameter struct {
	Ref  string `json:"$ref"`
	Name string
	In   string
}

type apiResponse struct {
	Ref     string `json:"$ref"`
	Content map[string]apiContent
}

type apiContent struct {
	Schema any
}

// readDocument gives the document.
var readDocument = sync.OnceValues(func() (*apiDocument, error) {
	d := &apiDocument{compiler: jsonschema.NewCompiler()}
	if err := json.Unmarshal(openapiDocument, d); err != nil {
		return nil, err
	}
	whole, err := jsonschema.UnmarshalJSON(bytes.NewReader(openapiDocument))
	if err != nil {
		return nil, err
	}
	for _, s := range whole.(map[string]any)["components"].(map[string]any)["schemas"].(map[string]any) {
		if s := s.(map[string]any); s["properties"] != nil && s["additionalProperties"] == nil {
			s["additionalProperties"] = false
		}
	}
	d.compiler.AssertFormat()
	d.compiler.DefaultDraft(jsonschema.Draft2020)
	return d, d.compiler.AddResource("openapi.json", whole)
})

func document(t *testing.T) *apiDocument {
	t.Helper()
	d, err := readDocument()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// schemaAt compiles the schema at a place of the document.
func (d *apiDocument) schemaAt(place ...string) (*jsonschema.Schema, error) {
	escape := strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D")
	for i, p := range place {
		place[i] = escape.Replace(p)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.compiler.Compile("openapi.json#/" + strings.Join(place, "/"))
}

// check holds one answer of a handler against the document.
func (d *apiDocument) check(t *testing.T, pattern string, status int, header http.Header, body []byte) {
	t.Helper()
	method, path, _ := strings.Cut(pattern, " ")
	method = strings.ToLower(method)
	op, ok := d.Paths[path][method]
	if !ok {
		return // TestTheDocumentHasEveryRoute says so
	}
	code := strconv.Itoa(status)
	response, known := op.Responses[code]
	place := []string{"paths", path, method, "responses", code}
	if !known {
		response, place[4] = op.Responses["default"], "default"
		if status < 400 {
			t.Errorf("%s answers %d, which openapi.json does not have", pattern, status)
			return
		}
	}
	if response.Ref != "" {
		place = strings.Split(strings.TrimPrefix(response.Ref, "#/"), "/")
		response = d.Components.Responses[place[2]]
	}
	if len(response.Content) == 0 {
		if len(body) > 0 {
			t.Errorf("%s answers %d with %q, and openapi.json says that there is nothing", pattern, status, body)
		}
		return
	}
	kind, _, err := mime.ParseMediaType(header.Get("Content-Type"))
	if _, any := response.Content["*/*"]; any {
		return
	}
	content, ok := response.Content[kind]
	if err != nil || !ok {
		t.Errorf("%s answers %d as %q, which openapi.json does not have", pattern, status, header.Get("Content-Type"))
		return
	}
	if content.Schema == nil || !strings.HasSuffix(kind, "json") {
		return
	}
	schema, err := d.schemaAt(append(place, "content", kind, "schema")...)
	if err != nil {
		t.Errorf("%s: %v", pattern, err)
		return
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err == nil {
		err = schema.Validate(v)
	}
	if err != nil {
		t.Errorf("%s answers %d %s, which is not what openapi.json says: %v", pattern, status, body, err)
	}
}

// answers are what the handlers answer in a test, each held against the document.
func answers(t *testing.T) func(http.Handler) http.Handler {
	d := document(t)
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			seen := &answer{ResponseWriter: w}
			next.ServeHTTP(seen, r)
			if !seen.hijacked && r.Pattern != "" {
				d.check(t, r.Pattern, max(seen.status, http.StatusOK), w.Header(), seen.body.Bytes())
			}
		})
	}
}

// answer keeps what is written.
type answer struct {
	http.ResponseWriter
	status   int
	body     bytes.Buffer
	hijacked bool
}

func (a *answer) WriteHeader(status int) {
	a.status = status
	a.ResponseWriter.WriteHeader(status)
}

func (a *answer) Write(b []byte) (int, error) {
	n, err := a.ResponseWriter.Write(b)
	a.body.Write(b[:n])
	return n, err
}

func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

func (a *answer) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	a.hijacked = true
	return http.NewResponseController(a.ResponseWriter).Hijack()
}

func TestTheDocumentHasEveryRouteAndNoOther(t *testing.T) {
	s, _ := start(t, nil)
	var routes, documented []string
	for _, r := range s.routes() {
		routes = append(routes, r.pattern)
	}
	for path, operations := range document(t).Paths {
		for method := range operations {
			documented = append(documented, strings.ToUpper(method)+" "+path)
		}
	}
	for _, r := range routes {
		if !slices.Contains(documented, r) {
			t.Errorf("openapi.json does not have %s", r)
		}
	}
	for _, d := range documented {
		if !slices.Contains(routes, d) {
			t.Errorf("openapi.json has %s, which cannot be called", d)
		}
	}
}

func TestTheDocumentIsWhole(t *testing.T) {
	d := document(t)
	used := map[string]bool{}
	for _, m := range regexp.MustCompile(`"\$ref": "#/components/([a-z]+)/([A-Za-z]+)"`).FindAllStringSubmatch(string(openapiDocument), -1) {
		used[m[1]+"/"+m[2]] = true
		switch _, param := d.Components.Parameters[m[2]]; {
		case m[1] == "schemas" && d.Components.Schemas[m[2]] != nil, m[1] == "parameters" && param, m[1] == "responses" && len(d.Components.Responses[m[2]].Content) > 0:
		default:
			t.Errorf("%s leads nowhere", m[0])
		}
	}
	for name := range d.Components.Schemas {
		if !used["schemas/"+name] {
			t.Errorf("nothing uses the schema %s", name)
		}
		if _, err := d.schemaAt("components", "schemas", name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	ids := map[string]string{}
	for path, operations := range d.Paths {
		for method, op := range operations {
			at := method + " " + path
			if before, taken := ids[op.OperationID]; taken || op.OperationID == "" {
				t.Errorf("%s has the operationId %q of %q", at, op.OperationID, before)
			}
			ids[op.OperationID] = at
			var inPath, named []string
			for _, p := range op.Parameters {
				if p.Ref != "" {
					p = d.Components.Parameters[strings.TrimPrefix(p.Ref, "#/components/parameters/")]
				}
				if p.In == "path" {
					inPath = append(inPath, p.Name)
				}
			}
			for _, m := range regexp.MustCompile(`{([a-z]+)}`).FindAllStringSubmatch(path, -1) {
				named = append(named, m[1])
			}
			if !slices.Equal(inPath, named) {
				t.Errorf("%s has the parameters %q in its path, and describes %q", at, named, inPath)
			}
		}
	}
}

func TestTheDocumentIsForAnybodyAndSaysWhatElseIs(t *testing.T) {
	s, base := start(t, nil)
	code, body := call(t, http.DefaultClient, "GET", base+"/api/openapi.json", "")
	if code != 200 || body != string(openapiDocument) {
		t.Errorf("%d %.100s", code, body)
	}
	for _, r := range s.routes() {
		method, path, _ := strings.Cut(r.pattern, " ")
		op := document(t).Paths[path][strings.ToLower(method)]
		code, _ := call(t, http.DefaultClient, method, base+strings.NewReplacer("{", "", "}", "").Replace(path), "")
		// A login without a code is refused with the same status, and is open all the same.
		if open := op.Security != nil && len(*op.Security) == 0; open != (code != 401) && path != "/api/login" {
			t.Errorf("%s without a login: %d, and openapi.json says that it is open: %v", r.pattern, code, open)
		}
	}
}

// What a body may have is in the document, and nothing else is taken.
func TestTheDocumentSaysWhatABodyMayHave(t *testing.T) {
	_, base := start(t, nil)
	d := document(t)
	for path, operations := range d.Paths {
		for method, op := range operations {
			if op.RequestBody == nil {
				continue
			}
			ref := op.RequestBody.Content["application/json"].Schema.(map[string]any)["$ref"].(string)
			schema := d.Components.Schemas[strings.TrimPrefix(ref, "#/components/schemas/")].(map[string]any)
			if schema["additionalProperties"] != false {
				t.Errorf("%s %s: its body may have anything", method, path)
			}
			address := base + strings.NewReplacer("{name}", "default", "{tab}", "main").Replace(path)
			for field := range maps.Keys(schema["properties"].(map[string]any)) {
				// A list is wrong for all of them: the field is known if that is what is complained of.
				if code, body := call(t, http.DefaultClient, strings.ToUpper(method), address, `{"`+field+`":[]}`, "Authorization", "Bearer me"); code != 400 || strings.Contains(body, "unknown field") {
					t.Errorf("%s %s does not know %s: %d %s", method, path, field, code, body)
				}
			}
			if code, body := call(t, http.DefaultClient, strings.ToUpper(method), address, `{"nonsense":1}`, "Authorization", "Bearer me"); code != 400 || !strings.Contains(body, "nonsense") {
				t.Errorf("%s %s with a field that it does not know: %d %s", method, path, code, body)
			}
		}
	}
}
