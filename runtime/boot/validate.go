package boot

import (
	"fmt"
	"net"
	"net/url"
	"path"
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// The patterns of everything that reaches the script. None lets a space, a quote, a wildcard or a leading dash through.
var (
	podName     = pattern(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$`)
	hashPattern = pattern(`^[0-9a-f]{64}$`)
	packageName = pattern(`^[A-Za-z0-9][A-Za-z0-9+._-]{0,99}(=[A-Za-z0-9][A-Za-z0-9+._-]{0,99})?$`)
	repoName    = pattern(`^[A-Za-z0-9._-]{1,100}$`)
	branchName  = pattern(`^[A-Za-z0-9_][A-Za-z0-9._/+-]{0,199}$`)
	scpLike     = pattern(`^[A-Za-z0-9._-]+@[A-Za-z0-9.-]+:[^/]`)
)

// pattern is an expression that is compiled when it is needed first: the program starts for many things that need none.
func pattern(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

// The sizes of what a recipe may have.
const (
	maxPackages   = 64
	maxURL        = 2048
	maxDir        = 512
	maxUserScript = 256 << 10
	maxScript     = 64 << 10
)

// InvalidError says which setting can only fail, and why.
type InvalidError struct {
	Field   string // packages, repo.url, repo.branch, repo.dir, user_script, pod, incarnation, script, recipe_hash, username or token
	Problem string // one line for people; never contains a secret
}

// Error gives both.
func (e *InvalidError) Error() string { return e.Field + ": " + e.Problem }

func invalid(field, format string, args ...any) error {
	return &InvalidError{Field: field, Problem: fmt.Sprintf(format, args...)}
}

// ValidPod says whether a pod's name can be part of a container's name and of a marker: [A-Za-z0-9][A-Za-z0-9_.-]{0,63}.
func ValidPod(name string) bool { return podName().MatchString(name) }

// ValidHash says whether s can be a recipe's hash.
func ValidHash(s string) bool { return hashPattern().MatchString(s) }

// Validate says whether a recipe can be carried out: nil, or an *InvalidError for the first setting that cannot.
func Validate(r Recipe) error {
	if len(r.Packages) > maxPackages {
		return invalid("packages", "%d of them, at most %d are allowed", len(r.Packages), maxPackages)
	}
	for _, p := range r.Packages {
		if !packageName().MatchString(p) {
			return invalid("packages", "%.80q is not a package name (letters, digits and + . _ -; command=package where the two differ)", p)
		}
	}
	if len(r.UserScript) > maxUserScript {
		return invalid("user_script", "%d bytes, at most %d are allowed", len(r.UserScript), maxUserScript)
	}
	if !utf8.ValidString(r.UserScript) || strings.ContainsRune(r.UserScript, 0) {
		return invalid("user_script", "not text in UTF-8")
	}
	if r.Repo.URL == "" {
		if r.Repo.Branch != "" || r.Repo.Dir != "" {
			return invalid("repo.url", "missing, though a branch or a folder is set")
		}
		return nil
	}
	if err := validateURL(r.Repo.URL); err != nil {
		return err
	}
	if err := validateBranch(r.Repo.Branch); err != nil {
		return err
	}
	return validateDir(r.Repo)
}

// ValidateScript says whether a text can be a boot script: nil, or an *InvalidError.
func ValidateScript(script string) error {
	switch {
	case script == "":
		return invalid("script", "missing")
	case len(script) > maxScript || !utf8.ValidString(script) || strings.ContainsRune(script, 0):
		return invalid("script", "not text in UTF-8 of at most %d bytes", maxScript)
	}
	return nil
}

// ValidateRequest says whether a boot can be asked for: Validate of the recipe, and that the rest has the right form.
func ValidateRequest(r Request) error {
	if !podName().MatchString(r.Pod) {
		return invalid("pod", "%.80q is not a pod's name", r.Pod)
	}
	if r.Incarnation < 1 {
		return invalid("incarnation", "%d, the first is 1", r.Incarnation)
	}
	if r.Script == "" { // what servers sent before scripts were sent
		return invalid("script", "missing: the server that asks is older than the agent of this container, so stop the pod once, and its next start has the agent of that server")
	}
	if err := ValidateScript(r.Script); err != nil {
		return err
	}
	if !ValidHash(r.RecipeHash) {
		return invalid("recipe_hash", "%.80q is not a recipe's hash", r.RecipeHash)
	}
	if err := Validate(r.Recipe); err != nil {
		return err
	}
	if len(r.Username) > 256 || hasControl(r.Username) {
		return invalid("username", "too long, or with a control character")
	}
	if len(r.Token) > 4096 || hasControl(r.Token) {
		return invalid("token", "too long, or with a control character")
	}
	if r.Token == "" || r.Recipe.Repo.URL == "" {
		return nil
	}
	u, err := url.Parse(r.Recipe.Repo.URL)
	if err != nil {
		return invalid("repo.url", "not a URL")
	}
	switch u.Scheme {
	case "https":
		return nil
	case "http":
		if ip := net.ParseIP(u.Hostname()); u.Hostname() == "localhost" || ip != nil && ip.IsLoopback() {
			return nil
		}
		return invalid("token", "would cross the network in clear text: use https")
	}
	return invalid("token", "cannot be used with a %s URL, only with https", u.Scheme)
}

func validateURL(s string) error {
	if len(s) > maxURL {
		return invalid("repo.url", "%d bytes, at most %d are allowed", len(s), maxURL)
	}
	if strings.ContainsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }) || !utf8.ValidString(s) {
		return invalid("repo.url", "has a space or a control character")
	}
	if scpLike().MatchString(s) {
		return invalid("repo.url", "write user@host:path as ssh://user@host/path")
	}
	u, err := url.Parse(s)
	if err != nil {
		return invalid("repo.url", "not a URL") // the parser's words would repeat it, credentials and all
	}
	switch u.Scheme {
	case "https", "http", "git":
		if u.User != nil {
			return invalid("repo.url", "has a user name or a password in it: give them as credentials, a URL is shown and logged")
		}
	case "ssh":
		if _, has := u.User.Password(); has {
			return invalid("repo.url", "has a password in it")
		}
		if strings.HasPrefix(u.User.Username(), "-") {
			return invalid("repo.url", "has a user name that starts with a dash")
		}
	case "file":
		if u.Host != "" || u.User != nil || !path.IsAbs(u.Path) {
			return invalid("repo.url", "a file URL is file:///absolute/path inside the container")
		}
	default:
		return invalid("repo.url", "scheme %.20q: https, http, ssh, git and file are known", u.Scheme)
	}
	if u.Scheme != "file" && (u.Hostname() == "" || strings.HasPrefix(u.Hostname(), "-")) {
		return invalid("repo.url", "has no host")
	}
	if u.RawQuery != "" || u.ForceQuery || u.Fragment != "" {
		return invalid("repo.url", "has a query or a fragment: git does not need one, and it is where tokens hide")
	}
	if strings.Trim(u.Path, "/") == "" {
		return invalid("repo.url", "has no path")
	}
	return nil
}

func validateBranch(b string) error {
	if b == "" {
		return nil
	}
	if !branchName().MatchString(b) || strings.Contains(b, "..") || strings.Contains(b, "//") || strings.Contains(b, "/.") ||
		strings.HasSuffix(b, "/") || strings.HasSuffix(b, ".") || strings.HasSuffix(b, ".lock") {
		return invalid("repo.branch", "%.80q is not a branch name", b)
	}
	return nil
}

// validateDir looks at where the clone goes. A folder of the system would be moved out of the way by the script, so those are refused.
func validateDir(r Repo) error {
	dir := r.Dir
	if dir == "" {
		if defaultDir(r.URL) == "" {
			return invalid("repo.dir", "set it: the end of the URL makes no folder name")
		}
		return nil
	}
	if len(dir) > maxDir || !path.IsAbs(dir) || path.Clean(dir) != dir || hasControl(dir) || !utf8.ValidString(dir) {
		return invalid("repo.dir", "%.80q is not a clean absolute path", dir)
	}
	switch dir {
	case "/", "/bin", "/boot", "/etc", "/home", "/lib", "/lib32", "/lib64", "/libx32", "/media", "/mnt", "/opt", "/root", "/run", "/sbin", "/srv", "/tmp", "/usr", "/var", "/var/lib":
		return invalid("repo.dir", "%s is the system's: use a folder inside it", dir)
	}
	for _, tree := range []string{"/proc", "/sys", "/dev", "/.podlife", RunDir, path.Dir(MarkerPath)} {
		if dir == tree || strings.HasPrefix(dir, tree+"/") {
			return invalid("repo.dir", "%s is no place for a repository", tree)
		}
	}
	return nil
}

func hasControl(s string) bool { return strings.ContainsFunc(s, unicode.IsControl) }
