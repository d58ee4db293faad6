package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// Pod is what the server tells of one pod.
type Pod struct {
	ID          string            `json:"pod"` // used once: whoever creates a pod of the same name again gets another
	Name        string            `json:"name"`
	Class       string            `json:"class"`                // ephemeral: its files are wiped when it stops; workspace: those of its home stay
	Life        string            `json:"life"`                 // making, there, going
	State       string            `json:"state"`                // asleep, provisioning, ready
	Recovering  bool              `json:"recovering,omitempty"` // the server has started and cannot see yet what became of it
	Incarnation int               `json:"incarnation"`
	Since       time.Time         `json:"since"`      // when State began
	CreatedAt   *time.Time        `json:"created_at"` // nil for the default pod
	Labels      map[string]string `json:"labels"`     // the values are foreign text
	PodImages
	Volume      string     `json:"volume,omitempty"`     // of its home; "" for none
	IdleTimeout int64      `json:"idle_timeout_seconds"` // after which it sleeps with nobody in it; 0: never
	KeptAwakeBy []string   `json:"kept_awake_by"`        // as in Status, as the next three
	SleepsAt    *time.Time `json:"sleeps_at"`
	LeaseUntil  *time.Time `json:"lease_until"`
	Terminals   int        `json:"terminals"`
	Trouble     string     `json:"trouble,omitempty"`    // why its volume could not be made or removed so far, which is tried on
	LastError   string     `json:"last_error,omitempty"` // of the last boot, if it failed
}

// PodImages is what there is to know of a pod's images. All references are foreign text.
type PodImages struct {
	Image    string        `json:"image"`                   // the reference that the next start uses
	Running  *RunningImage `json:"running_image,omitempty"` // nil while there is no container, or where the engine does not say
	Outdated bool          `json:"outdated,omitempty"`      // the next start would use another image than the one that runs
}

// RunningImage is what a container was made from.
type RunningImage struct {
	Reference string `json:"reference"` // it may lead to another image by now
	ID        string `json:"id"`        // the engine's own, sha256:…
}

// Images are those that a pod may have.
type Images struct {
	Default string   `json:"default"` // of every pod that has none of its own
	Images  []string `json:"images"`
}

// NewPod is what a pod is to be.
type NewPod struct {
	Name   string            `json:"name"`
	Class  string            `json:"class,omitempty"`        // "" is the server's default, and workspace where a volume is adopted
	Adopt  string            `json:"adopt_volume,omitempty"` // a kept volume, which becomes its home
	Labels map[string]string `json:"labels,omitempty"`
	// IdleTimeoutSeconds is after how long with nobody in it the pod sleeps, 60 to 86400; 0 is the server's setting.
	IdleTimeoutSeconds int64  `json:"idle_timeout_seconds,omitempty"`
	Image              string `json:"image,omitempty"` // one of Images; "" is the server's, whatever that is at each start
}

// PodChange is what becomes of a pod's settings; what is nil stays as it is.
type PodChange struct {
	Labels             map[string]string `json:"labels,omitzero"` // all of them: those that are not named are gone
	IdleTimeoutSeconds *int64            `json:"idle_timeout_seconds,omitempty"`
	Image              *string           `json:"image,omitempty"` // of the next start; "" is the server's
}

// PodQuery says which pods are wanted, and in which order. The zero value is all of them, by name.
type PodQuery struct {
	Class  string   // "" is any
	State  string   // "" is any
	Labels []string // each k=v, or k for any value of it; all of them must match
	Sort   string   // name, created, state, -name or -created; "" is name
	Limit  int      // of one page, 1 to 200; 0 is the server's
	After  string   // the Next of the page before; "" is the first page
}

// PodPage is a piece of the list of pods.
type PodPage struct {
	Pods []Pod  `json:"pods"`
	Next string `json:"next"` // the After of the next page; "" for the last one
}

// Removed is what came of a removal.
type Removed struct {
	Name       string `json:"name"`
	KeptVolume string `json:"kept_volume"` // which NewPod.Adopt takes; "" for none
}

// Volume is the home of a pod that is no more, kept for the caller.
type Volume struct {
	Name   string    `json:"volume"`
	Pod    string    `json:"pod"` // the name of that pod
	KeptAt time.Time `json:"kept_at"`
}

// Create makes a pod, and returns when it can be booted. A *Problem with code name_taken, no_volume, too_many_pods, image_not_allowed or bad_request.
func (c *Client) Create(ctx context.Context, n NewPod) (Pod, error) {
	var p Pod
	return p, c.call(ctx, "create", http.MethodPost, "/api/pods", n, &p)
}

// Change changes the settings of a pod. It starts nothing and is no activity. A *Problem with code no_pod, default_pod, image_not_allowed or bad_request, or a *BadNameError.
func (c *Client) Change(ctx context.Context, name string, change PodChange) (Pod, error) {
	if err := CheckPodName(name); err != nil {
		return Pod{}, err
	}
	var p Pod
	return p, c.call(ctx, "change", http.MethodPatch, "/api/pods/"+url.PathEscape(name), change, &p)
}

// Pods gives one page of the caller's pods, the default one too. Asking wakes nothing. A *Problem with code bad_request names what of the query cannot be.
func (c *Client) Pods(ctx context.Context, q PodQuery) (PodPage, error) {
	v := url.Values{}
	for name, value := range map[string]string{"class": q.Class, "state": q.State, "sort": q.Sort, "after": q.After} {
		if value != "" {
			v.Set(name, value)
		}
	}
	for _, l := range q.Labels {
		v.Add("label", l)
	}
	if q.Limit != 0 {
		v.Set("limit", strconv.Itoa(q.Limit))
	}
	path := "/api/pods"
	if len(v) > 0 {
		path += "?" + v.Encode()
	}
	var p PodPage
	return p, c.call(ctx, "pods", http.MethodGet, path, nil, &p)
}

// AllPods gives the pods from q.After on, page by page. What is created or removed meanwhile may be in it or not; the others are in it once.
func (c *Client) AllPods(ctx context.Context, q PodQuery) ([]Pod, error) {
	all := []Pod{}
	for {
		page, err := c.Pods(ctx, q)
		if err != nil {
			return nil, err
		}
		all = append(all, page.Pods...)
		switch page.Next {
		case "":
			return all, nil
		case q.After:
			return nil, &ProtocolError{Op: "pods", Detail: "a page that follows itself"}
		}
		q.After = page.Next
	}
}

// Pod asks for one pod by its name. A *Problem with code no_pod, or a *BadNameError.
func (c *Client) Pod(ctx context.Context, name string) (Pod, error) {
	var p Pod
	if err := CheckPodName(name); err != nil {
		return p, err
	}
	return p, c.call(ctx, "pod", http.MethodGet, "/api/pods/"+url.PathEscape(name), nil, &p)
}

// Stop puts the pod to sleep, and returns when its container is gone: with all files of an ephemeral pod, without those in the home of a workspace. Concurrent calls join.
func (c *Client) Stop(ctx context.Context) (Result, error) { return c.stop(ctx, "stop") }

func (c *Client) stop(ctx context.Context, op string) (Result, error) {
	path := "/api/destroy"
	if c.pod != "" {
		path = c.at("/api/stop")
	}
	var r Result
	return r, c.call(ctx, op, http.MethodPost, path, nil, &r)
}

// Remove ends a pod for good, and returns when its container, its disk and its volume are gone; with keepVolume the volume stays, for another pod to adopt. Concurrent calls join, and the first decides what is kept.
// A *Problem with code no_pod, default_pod, pod_going (a delete that does not keep the volume is under way), or still_removing after two minutes, which is tried on; or a *BadNameError.
func (c *Client) Remove(ctx context.Context, name string, keepVolume bool) (Removed, error) {
	var r Removed
	if err := CheckPodName(name); err != nil {
		return r, err
	}
	path := "/api/pods/" + url.PathEscape(name) + "?keep_volume=" + strconv.FormatBool(keepVolume)
	return r, c.call(ctx, "rm", http.MethodDelete, path, nil, &r)
}

// Images gives the images that a pod may have.
func (c *Client) Images(ctx context.Context) (Images, error) {
	var a Images
	return a, c.call(ctx, "images", http.MethodGet, "/api/images", nil, &a)
}

// Volumes gives the volumes that are kept for the caller.
func (c *Client) Volumes(ctx context.Context) ([]Volume, error) {
	var a struct {
		Volumes []Volume `json:"volumes"`
	}
	err := c.call(ctx, "volumes", http.MethodGet, "/api/volumes", nil, &a)
	return a.Volumes, err
}

// RemoveVolume removes a kept volume with everything in it. A *Problem with code no_volume, or a *BadNameError.
func (c *Client) RemoveVolume(ctx context.Context, name string) error {
	if err := CheckVolumeName(name); err != nil {
		return err
	}
	return c.call(ctx, "volumes rm", http.MethodDelete, "/api/volumes/"+url.PathEscape(name), nil, nil)
}
