package agent

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// defaultUser is what the known git hosts accept beside a token.
const defaultUser = "x-access-token"

const secretPrefix = "podlife-secret-"

// secret is a credential for the clone, in a folder only this user can enter, in memory where the container has such a place.
type secret struct {
	dir string
}

// putSecret writes what git may be told, and for which host alone. Folders that a killed boot left are removed first.
func putSecret(l Layout, username, token, repoURL string) (secret, error) {
	forgetSecrets(l)
	if token == "" || repoURL == "" {
		return secret{}, nil
	}
	u, err := url.Parse(repoURL)
	if err != nil {
		return secret{}, errors.New("the repository's URL cannot be read")
	}
	if username == "" {
		username = defaultUser
	}
	parent := ""
	for _, dir := range l.Secrets {
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			parent = dir
			break
		}
	}
	if parent == "" {
		return secret{}, fmt.Errorf("none of the folders for secrets exists: %s", strings.Join(l.Secrets, ", "))
	}
	dir, err := os.MkdirTemp(parent, secretPrefix) // mode 0700
	if err != nil {
		return secret{}, err
	}
	s := secret{dir: dir}
	for name, value := range map[string]string{"origin": u.Scheme + "://" + u.Host, "username": username, "token": token} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(value), 0o600); err != nil {
			s.forget()
			return secret{}, err
		}
	}
	return s, nil
}

// forget removes it; the script does so too, right after the clone.
func (s secret) forget() {
	if s.dir != "" {
		os.RemoveAll(s.dir)
	}
}

func forgetSecrets(l Layout) {
	for _, dir := range l.Secrets {
		left, _ := filepath.Glob(filepath.Join(dir, secretPrefix+"*"))
		for _, d := range left {
			os.RemoveAll(d)
		}
	}
}

// prompt is what git asks: "Password for 'https://user@host': ".
var prompt = regexp.MustCompile(`^(Username|Password) for '([^']+)': ?$`)

// Askpass answers one question of git's from the secret in dir. It tells nothing to any other host than the repository's own, wherever a redirect may lead.
func Askpass(dir, question string, out io.Writer) error {
	m := prompt.FindStringSubmatch(question)
	if m == nil {
		return fmt.Errorf("askpass: git asks something else than a user name or a password")
	}
	asked, err := url.Parse(m[2])
	if err != nil {
		return fmt.Errorf("askpass: git's question has no URL")
	}
	origin, err := os.ReadFile(filepath.Join(dir, "origin"))
	if err != nil {
		return err
	}
	if asked.Scheme+"://"+asked.Host != string(origin) {
		return fmt.Errorf("askpass: %s asks for the credentials of %s", asked.Scheme+"://"+asked.Host, origin)
	}
	name := "username"
	if m[1] == "Password" {
		name = "token"
	}
	value, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return err
	}
	w := bufio.NewWriter(out)
	w.Write(value)
	w.WriteByte('\n')
	return w.Flush()
}

// askpassProgram is the text of what GIT_ASKPASS names, since git gives it the question and nothing else. It holds paths alone.
func askpassProgram(agent, dir string) string {
	return fmt.Sprintf("#!/bin/sh\nexec %s agent askpass --dir %s -- \"$1\"\n", quote(agent), quote(dir))
}

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
