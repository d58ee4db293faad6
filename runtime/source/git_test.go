package source

import (
	"context"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// asked is a resolver that remembers the names, and gives an address that is refused.
type asked struct{ names []string }

func (r *asked) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	r.names = append(r.names, host)
	return []netip.Addr{netip.MustParseAddr("10.0.0.1")}, nil
}

func TestGitFindsTheHostThatWasJudged(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	for _, g := range good {
		s, err := Parse(g.raw)
		if err != nil || s.Kind() != Git {
			continue
		}
		if s.Scheme() == "ssh" {
			checkSSH(t, s)
			continue
		}
		if _, err := netip.ParseAddr(s.Host()); err == nil {
			continue // nobody would be asked
		}
		r := &asked{}
		x, err := StartProxy(Policy{}, r)
		if err != nil {
			t.Fatal(err)
		}
		out, err := run(t, x.GitEnv(), "ls-remote", s.URL())
		x.Close()
		if err == nil || !slices.Equal(r.names, []string{s.Host()}) {
			t.Errorf("%s: git went to %q, not to %s: %v\n%s", s, r.names, s.Host(), err, out)
		}
	}
}

// checkSSH has git start a program in place of ssh, which writes down what it was told.
func checkSSH(t *testing.T, s Source) {
	t.Helper()
	dir := t.TempDir()
	ssh := filepath.Join(dir, "ssh")
	if err := os.WriteFile(ssh, []byte("#!/bin/sh\nprintf '%s\\n' \"$@\" > \""+dir+"/told\"\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	_, _ = run(t, []string{"GIT_SSH=" + ssh, "GIT_SSH_VARIANT=ssh", "GIT_PROTOCOL_FROM_USER=0", "HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=protocol.version", "GIT_CONFIG_VALUE_0=0"}, "ls-remote", s.URL())
	told, err := os.ReadFile(filepath.Join(dir, "told"))
	if err != nil {
		t.Errorf("%s: git did not start ssh: %v", s, err)
		return
	}
	to := s.Host()
	if s.user != "" {
		to = s.user + "@" + to
	}
	var want []string
	if s.Port() != 22 {
		want = append(want, "-p", strconv.Itoa(int(s.Port())))
	}
	path := s.path
	if strings.HasPrefix(path, "/~") {
		path = path[1:]
	}
	want = append(want, to, "git-upload-pack '"+path+"'")
	if got := strings.Split(strings.TrimSpace(string(told)), "\n"); !slices.Equal(got, want) {
		t.Errorf("%s: git tells ssh %q, not %q", s, got, want)
	}
}
