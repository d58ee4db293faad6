package boot

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// Marker is what the last step of a boot leaves in the container: whose incarnation was provisioned, by which recipe.
type Marker struct {
	Pod         string
	Incarnation int
	Recipe      string // Recipe.Hash
}

// MaxMarker is more than any marker is long, in bytes; what is longer is none.
const MaxMarker = 1024

// Reason says why a container does not count as provisioned. The words are those of pod.NotProvisionedError.
type Reason string

// The reasons, in the order in which they are looked for.
const (
	MarkerMissing    Reason = "marker_missing"
	MarkerUnreadable Reason = "marker_unreadable" // not a marker, not whole, or not readable: unknown is "not provisioned"
	OtherIncarnation Reason = "other_incarnation" // of another pod, or of another life of this one
	OtherRecipe      Reason = "other_recipe"
)

// Format gives the marker's file content. script.sh writes the same bytes.
func (m Marker) Format() []byte {
	return fmt.Appendf(nil, "podlife-marker 1\npod %s\nincarnation %d\nrecipe %s\nend\n", m.Pod, m.Incarnation, m.Recipe)
}

// ParseMarker reads a marker's file content. Only what Format could have written is one: the last line shows that it is whole.
func ParseMarker(content []byte) (Marker, error) {
	if len(content) > MaxMarker {
		return Marker{}, fmt.Errorf("marker of %d bytes or more, at most %d are right", len(content), MaxMarker)
	}
	lines := strings.Split(string(content), "\n")
	if len(lines) != 6 {
		return Marker{}, fmt.Errorf("marker with %d line ends, 5 are right", len(lines)-1)
	}
	var m Marker
	m.Pod = strings.TrimPrefix(lines[1], "pod ")
	m.Incarnation, _ = strconv.Atoi(strings.TrimPrefix(lines[2], "incarnation ")) // a bad number does not survive the comparison below
	m.Recipe = strings.TrimPrefix(lines[3], "recipe ")
	if !bytes.Equal(m.Format(), content) {
		return Marker{}, fmt.Errorf("marker that no boot wrote")
	}
	if !podName().MatchString(m.Pod) || m.Incarnation < 1 || !hashPattern().MatchString(m.Recipe) {
		return Marker{}, fmt.Errorf("marker with impossible values")
	}
	return m, nil
}

// Vouches says whether a container with marker m counts as provisioned for what is wanted: "" if so, else the reason against it.
func (m Marker) Vouches(want Marker) Reason {
	switch {
	case m.Pod != want.Pod || m.Incarnation != want.Incarnation:
		return OtherIncarnation
	case m.Recipe != want.Recipe:
		return OtherRecipe
	}
	return ""
}
