package container

import (
	"bytes"
	"testing"

	"podlife/runtime/boot"
	"podlife/runtime/pod"
)

// A user is root in the container and could read what a later boot is sent.
func TestCredentialsGoOnlyToAContainerThatNobodyHasBeenIn(t *testing.T) {
	c := &Containers{o: Options{Script: boot.Script(),
		Recipe:      boot.Recipe{Repo: boot.Repo{URL: "https://example.org/x.git", Dir: "/root/x"}}.WithDefaults(),
		Credentials: func() (string, string, error) { return "u", "s3cret", nil },
	}}
	inc := pod.Incarnation{Pod: "p", Inc: 1}
	has := func(id pod.ContainerID) bool {
		t.Helper()
		line, err := c.request(id, inc)
		if err != nil {
			t.Fatal(err)
		}
		return bytes.Contains(line, []byte("s3cret"))
	}
	c.fresh.add("a")
	if !has("a") {
		t.Error("the first boot got no credentials")
	}
	c.fresh.forget("a")
	if has("a") || has("adopted after a restart") {
		t.Error("a later boot got credentials")
	}
}
