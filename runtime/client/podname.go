package client

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
)

// DefaultPod is the name of the pod that every user has without creating it.
const DefaultPod = "default"

var (
	podName    = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$`)
	volumeName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,254}$`)
)

// BadNameError says that a name can be nobody's, so that no server was asked.
type BadNameError struct {
	What string // pod or volume
	Name string
	Want string // what a name may be
}

// Error names the name and the rule.
func (e *BadNameError) Error() string {
	return fmt.Sprintf("%.60q is no name of a %s: %s", e.Name, e.What, e.Want)
}

// CheckPodName gives a *BadNameError for what cannot be the name of a pod, the empty one too.
func CheckPodName(name string) error {
	if !podName.MatchString(name) {
		return &BadNameError{"pod", name, "1 to 40 of a-z, 0-9 and -, neither end a dash"}
	}
	return nil
}

// CheckVolumeName gives a *BadNameError for what cannot be the name of a volume, the empty one too.
func CheckVolumeName(name string) error {
	if !volumeName.MatchString(name) {
		return &BadNameError{"volume", name, "up to 255 letters, digits and _.-, the first a letter or a digit"}
	}
	return nil
}

// at gives the path of a call that acts on a pod: as it is for the default one, and otherwise below the pod's own.
func (c *Client) at(path string) string {
	if c.pod == "" {
		return path
	}
	root, call, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	return "/" + root + "/pods/" + url.PathEscape(c.pod) + "/" + call
}
