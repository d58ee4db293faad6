package source

import (
	"errors"
	"os/exec"
	"strings"
	"testing"
)

func TestNoBranchIsAllowedThatGitRefuses(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed")
	}
	allowed := []string{"main", "feature/x-1", "v1.2.3", "release-2026.01", "a@b", "dépôt", "user/müller", "refs/heads/x", "x-", "a.b", "1", "a+b", "a#b", "lock", "a.locked", strings.Repeat("a", maxBranch)}
	refused := []string{
		"", "-", "--upload-pack=x", "-x", "a b", "a\tb", "a\nb", "a\x00b", "a\x7fb", "a..b", "..", ".a", "a/.b", "a.lock", "a.lock/b", "a/", "/a", "a//b", "a.", "@", "@{-1}", "a@{1}", "HEAD", "a~1", "a^", "a:b", "a?b", "a*b", "a[b", `a\b`,
		"a\u202eb", "a\u00a0b", "a\xffb", strings.Repeat("a", maxBranch+1),
	}
	for _, name := range allowed {
		if err := CheckBranch(name); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
	for _, name := range refused {
		if err := CheckBranch(name); err == nil {
			t.Errorf("%q was allowed", name)
		}
	}
	for _, name := range append(allowed, refused...) {
		if strings.Contains(name, "\x00") || CheckBranch(name) != nil {
			continue
		}
		cmd := exec.Command(git, "check-ref-format", "--branch", name)
		var exit *exec.ExitError
		if err := cmd.Run(); errors.As(err, &exit) {
			t.Errorf("%q was allowed, and git refuses it", name)
		}
	}
}
