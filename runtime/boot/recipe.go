package boot

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"path"
	"slices"
	"strings"
)

// WithDefaults gives the recipe that is really carried out: packages complete, sorted and without doubles, the clone's folder filled in. Doing it twice changes nothing.
func (r Recipe) WithDefaults() Recipe {
	packages := []string{"tmux"}
	if len(r.Packages) == 0 || r.Repo.URL != "" {
		packages = append(packages, "git")
	}
	if r.Repo.URL == "" {
		r.Repo = Repo{}
	} else if r.Repo.Dir == "" {
		r.Repo.Dir = defaultDir(r.Repo.URL)
	}
	for _, p := range r.Packages {
		if command, name, ok := strings.Cut(p, "="); ok && command == name {
			p = name
		}
		packages = append(packages, p)
	}
	slices.Sort(packages)
	r.Packages = slices.Compact(packages)
	return r
}

// defaultDir gives <home>/<last part of the URL>, or "" when that part is no good name, which Validate refuses.
func defaultDir(url string) string {
	name := strings.TrimSuffix(path.Base(strings.TrimRight(url, "/")), ".git")
	if !repoName().MatchString(name) || strings.Trim(name, ".") == "" {
		return ""
	}
	return HomePath + "/" + name
}

// Hash is HashWith the boot script of this program.
func (r Recipe) Hash() string { return r.HashWith(script) }

// HashWith names what a boot does, as 64 hexadecimal digits: SHA-256 over the script's text and the recipe with its defaults. A marker with another hash does not vouch.
func (r Recipe) HashWith(script string) string {
	canonical, err := json.Marshal(r.WithDefaults())
	if err != nil {
		panic("boot: a recipe is strings and cannot fail to marshal: " + err.Error())
	}
	h := sha256.New()
	h.Write([]byte("podlife-recipe-1\n"))
	sum := sha256.Sum256([]byte(script))
	h.Write(sum[:])
	h.Write(canonical)
	return hex.EncodeToString(h.Sum(nil))
}
