package config

import (
	"log/slog"
	"path/filepath"
	"slices"
	"time"

	"podlife/runtime/boot"
)

// Config is every setting, checked.
type Config struct {
	Listen              string // host:port; port 0 takes any free one
	DataDir             string // absolute
	Image               string
	Images              []string      // that pods may have of their own, Image among them; none is Image alone: see AllowedImages
	Network             string        // bridge or none
	IdleTimeout         time.Duration // 1s to 720h
	TerminalIdle        time.Duration // 0 for as long as it is open, or 2m to 720h
	MaxLease            time.Duration // 0 for no leases, or 1m to 720h
	BootTimeout         time.Duration // 5s to 24h
	DockerHost          string        // empty: the engine's own default
	NamePrefix          string
	Memory              int64 // bytes
	CPUs                float64
	Pids                int64
	Packages            []string
	Repo                Repo
	UserScript          string // absolute path of a file here, or empty
	AllowedOrigins      []string
	Users               []User
	Agent               string // auto, mount, copy
	MaxTerminals        int
	MaxTerminalsPerUser int
	MaxPods             int    // of one user, the default one not counted
	MaxRunningPods      int    // of one user at the same time, the default one counted: 0 for no bound, or 1 to MaxPods + 1
	DefaultClass        string // ephemeral or workspace: of a pod that is created without one
	MaxBoots            int    // boot requests of one user at the same time
	MaxConcurrentStarts int    // containers that start at the same time
	Monitor             string
	Record              string        // on or off
	RecordDir           string        // absolute, or empty: see Recordings
	RecordKeep          time.Duration // 0 for good, or 1h to 87600h
	LogFormat           string
	LogLevel            slog.Level
}

// AllowedImages gives the references of all images that a pod can have, Image among them.
func (c *Config) AllowedImages() []string {
	if len(c.Images) == 0 {
		return []string{c.Image}
	}
	return slices.Clone(c.Images)
}

// Repo is the repository that a boot clones.
type Repo struct {
	URL       string // empty: none
	Branch    string
	Dir       string
	Username  string
	TokenFile string // absolute path of a file here, or empty
}

// User is somebody who may use the server.
type User struct {
	Name        string
	TokenSHA256 string // 64 lower-case hexadecimal digits, or Hidden
}

// Hidden stands for a secret in a printed configuration. It loads, so that a printed configuration can be printed again, but Servable refuses it.
const Hidden = "hidden"

// LocalUser is the name of the user whose token is in the data folder. Nobody else can have it.
const LocalUser = "local"

// TokenFile is where the local user's bearer token is.
func TokenFile(dataDir string) string { return filepath.Join(dataDir, "token") }

// Recordings is the folder for recordings of terminals.
func (c *Config) Recordings() string {
	if c.RecordDir != "" {
		return c.RecordDir
	}
	return filepath.Join(c.DataDir, "recordings")
}

// Recipe gives what a boot does. It reads the user script.
func (c *Config) Recipe() (boot.Recipe, error) {
	r := boot.Recipe{Packages: c.Packages, Repo: boot.Repo{URL: c.Repo.URL, Branch: c.Repo.Branch, Dir: c.Repo.Dir}}
	if c.UserScript != "" {
		b, err := readSmall(c.UserScript, maxUserScript)
		if err != nil {
			return r, err
		}
		r.UserScript = string(b)
	}
	return r, nil
}

// Token reads the repository's token; without a token_file it is empty. Reading it for each boot lets it be replaced while the server runs.
func (c *Config) Token() (string, error) {
	if c.Repo.TokenFile == "" {
		return "", nil
	}
	return ReadSecret(c.Repo.TokenFile)
}
