package browser

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// podCall is a call that is about one pod: at the short path it is the default one's.
type podCall struct {
	method, path, namedPath string
	answer                  func(*fake, http.ResponseWriter, *http.Request)
}

var podCalls = []podCall{
	{"GET", "/api/status", "/api/pods/{pod}/status", (*fake).status},
	{"POST", "/api/extend", "/api/pods/{pod}/extend", (*fake).extend},
	{"GET", "/api/events", "/api/pods/{pod}/events", (*fake).listEvents},
	{"GET", "/api/tabs", "/api/pods/{pod}/tabs", (*fake).listTabs},
	{"DELETE", "/api/tabs/{name}", "/api/pods/{pod}/tabs/{name}", (*fake).closeTab},
	{"POST", "/api/tabs/{name}", "/api/pods/{pod}/tabs/{name}", (*fake).renameTab},
	{"POST", "/api/destroy", "/api/pods/{pod}/stop", (*fake).destroy},
	{"GET", "/ws/terminal", "/ws/pods/{pod}/terminal", (*fake).terminal},
}

func newFakePod() *fake {
	return &fake{boot: func(s *fakeSocket, incarnation int) bool {
		s.steps(incarnation)
		return true
	}}
}

// addPod makes a named pod, which the list has from now on.
func (f *fake) addPod(name, class string) *fake {
	pod := newFakePod()
	pod.URL, pod.class = f.URL, class
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.named == nil {
		f.named = make(map[string]*fake)
	}
	f.named[name] = pod
	if len(f.listed) == 0 {
		f.listed = append(f.listed, message{"name": "default", "class": "ephemeral", "life": "there", "state": "asleep"})
	}
	f.listed = append(f.listed, message{"name": name, "class": class, "life": "there", "state": "asleep"})
	return pod
}

// removePod deletes a named pod: its terminals are closed, and it is not there any more.
func (f *fake) removePod(name string) {
	f.mu.Lock()
	pod := f.named[name]
	delete(f.named, name)
	f.listed = slices.DeleteFunc(f.listed, func(m message) bool { return m["name"] == name })
	f.mu.Unlock()
	pod.dropAll(1001)
}

func (f *fake) others() []*fake {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Collect(maps.Values(f.named))
}

// ofNamed answers for the pod that the path names.
func (f *fake) ofNamed(answer func(*fake, http.ResponseWriter, *http.Request)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		f.mu.Lock()
		pod := f.named[r.PathValue("pod")]
		f.mu.Unlock()
		if pod == nil {
			w.Header().Set("Content-Type", "application/problem+json")
			w.WriteHeader(http.StatusNotFound)
			_ = json.NewEncoder(w).Encode(message{"status": http.StatusNotFound, "code": "no_pod"}) // a page that went away is the page's business
			return
		}
		answer(pod, w, r)
	}
}

func (f *fake) listPods(w http.ResponseWriter, _ *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	pods := f.listed
	if len(pods) == 0 {
		pods = []message{{"name": "default", "class": "ephemeral", "life": "there", "state": "asleep"}}
	}
	answer(w, message{"pods": pods, "next": ""})
}

// listening remembers what is asked for.
func (f *fake) listening(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.mu.Lock()
		f.asked = append(f.asked, r.URL.Path)
		f.mu.Unlock()
		next.ServeHTTP(w, r)
	})
}

// askedFor gives what was asked of the API and the sockets, without login and list, which are of no pod.
func (f *fake) askedFor() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var paths []string
	for _, path := range f.asked {
		if (strings.HasPrefix(path, "/api/") || strings.HasPrefix(path, "/ws/")) && path != "/api/login" && path != "/api/pods" {
			paths = append(paths, path)
		}
	}
	return paths
}
