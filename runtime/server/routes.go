package server

import (
	"net/http"
	"net/url"
	"strings"

	"podlife/runtime/server/web"
)

// route is one thing that can be called.
type route struct {
	pattern string // as in http.ServeMux
	handler http.Handler
}

// Handler is everything the server answers.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	for _, r := range s.routes() {
		mux.Handle(r.pattern, s.asked(r))
	}
	all := s.common(s.routed(mux))
	if s.around != nil {
		all = s.around(all)
	}
	return all
}

// pagePattern is what takes every address that is no call.
const pagePattern = "GET /"

// routed answers a request for which there is no call as all others that are refused: with a problem, which says by Allow what the address knows.
func (s *Server) routed(mux *http.ServeMux) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, pattern := mux.Handler(r)
		if pattern != "" && (pattern != pagePattern || !ofCalls(r.URL.Path)) {
			mux.ServeHTTP(w, r)
			return
		}
		allowed := allowedMethods(mux, r)
		if len(allowed) == 0 {
			s.notFound(w, r)
			return
		}
		w.Header().Set("Allow", strings.Join(allowed, ", "))
		s.fail(w, &requestError{http.StatusMethodNotAllowed, "method_not_allowed", "this address cannot be asked so; it knows " + strings.Join(allowed, ", ")})
	})
}

// hasNoPod says of a caller who is known whether they have no pod of this name. Of one who is not it says nothing, so that nobody learns which pods there are.
func (s *Server) hasNoPod(r *http.Request, name string) bool {
	user := s.auth.user(r)
	if user == "" {
		return false
	}
	_, _, err := s.o.Catalogue.Get(user, name)
	return err != nil
}

// notFound is for an address at which there is nothing.
func (s *Server) notFound(w http.ResponseWriter, _ *http.Request) {
	s.fail(w, &requestError{http.StatusNotFound, "not_found", "there is nothing at this address; GET /api/openapi.json has all that can be called"})
}

// ofCalls says whether an address is one of calls and sockets, and none of the page's.
func ofCalls(path string) bool {
	top, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	return top == "api" || top == "ws"
}

// allowedMethods are those for which the request's address knows something.
func allowedMethods(mux *http.ServeMux, r *http.Request) (allowed []string) {
	for _, method := range []string{"DELETE", "GET", "HEAD", "PATCH", "POST", "PUT"} {
		other := *r
		other.Method = method
		if _, pattern := mux.Handler(&other); pattern != "" && (pattern != pagePattern || !ofCalls(r.URL.Path)) {
			allowed = append(allowed, method)
		}
	}
	return allowed
}

// asked answers a call whose query can be read as a whole, and has nothing but what the call knows: what is not understood is not left out, as it may be what was to keep something. The page's own files take anything.
func (s *Server) asked(r route) http.Handler {
	_, path, _ := strings.Cut(r.pattern, " ")
	if !strings.HasPrefix(path, "/api/") && !strings.HasPrefix(path, "/ws/") {
		return r.handler
	}
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		q, err := url.ParseQuery(req.URL.RawQuery)
		if err != nil {
			err = badRequest("the query cannot be read: " + err.Error())
		} else {
			err = onlyParameters(q, parameters(r.pattern)...)
		}
		if err != nil {
			s.fail(w, err)
			return
		}
		r.handler.ServeHTTP(w, req)
	})
}

// parameters are those that a call knows, each of them once but for label.
func parameters(pattern string) []string {
	switch {
	case pattern == "GET /api/pods":
		return []string{"class", "state", "label", "sort", "limit", "after"}
	case pattern == "DELETE /api/pods/{name}":
		return []string{"keep_volume"}
	case strings.HasSuffix(pattern, "/events"), strings.HasSuffix(pattern, "/steps"):
		return []string{"after"}
	}
	return nil
}

// routes is everything that can be called.
func (s *Server) routes() []route {
	all := []route{
		{pagePattern, web.Handler(s.hasNoPod, http.HandlerFunc(s.notFound))},
		{"GET /healthz", http.HandlerFunc(s.healthz)},
		{"GET /metrics", s.as(func(w http.ResponseWriter, r *http.Request, _ usersPod) { s.metrics.handler(s.o.Pods).ServeHTTP(w, r) })},
		{"GET /api/openapi.json", http.HandlerFunc(s.openapi)},
		{"POST /api/login", http.HandlerFunc(s.login)},
		{"POST /api/login-link", s.as(s.loginLink)},
		{"GET /api/version", s.as(func(w http.ResponseWriter, _ *http.Request, _ usersPod) { s.reply(w, s.o.Build) })},
		{"GET /api/pods", s.as(s.listPods)},
		{"POST /api/pods", s.as(s.createPod)},
		{"GET /api/pods/{name}", s.as(s.getPod)},
		{"PATCH /api/pods/{name}", s.as(s.changePod)},
		{"DELETE /api/pods/{name}", s.as(s.deletePod)},
		{"GET /api/images", s.as(s.images)},
		{"GET /api/volumes", s.as(s.listVolumes)},
		{"DELETE /api/volumes/{volume}", s.as(s.deleteVolume)},
	}
	for _, c := range s.podCalls() {
		all = append(all, route{c.method + " " + c.ofDefault, s.as(c.call)}, route{c.method + " " + c.ofNamed, s.as(c.call)})
	}
	return all
}

// podCall is something that is done with one pod: the caller's default one, or one that the address names.
type podCall struct {
	method, ofDefault, ofNamed string
	call                       func(http.ResponseWriter, *http.Request, usersPod)
}

func (s *Server) podCalls() []podCall {
	return []podCall{
		{"POST", "/api/boot", "/api/pods/{name}/boot", s.boot},
		{"POST", "/api/destroy", "/api/pods/{name}/stop", s.destroy}, // the default pod's has its name from when there was no other
		{"POST", "/api/extend", "/api/pods/{name}/extend", s.extend},
		{"GET", "/api/status", "/api/pods/{name}/status", s.status},
		{"GET", "/api/events", "/api/pods/{name}/events", s.events},
		{"GET", "/api/steps", "/api/pods/{name}/steps", s.steps},
		{"GET", "/api/tabs", "/api/pods/{name}/tabs", s.tabs},
		{"POST", "/api/tabs/{tab}", "/api/pods/{name}/tabs/{tab}", s.renameTab},
		{"DELETE", "/api/tabs/{tab}", "/api/pods/{name}/tabs/{tab}", s.endTab},
		{"GET", "/ws/terminal", "/ws/pods/{name}/terminal", s.terminal},
		{"GET", "/ws/exec", "/ws/pods/{name}/exec", s.exec},
	}
}
