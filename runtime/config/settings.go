package config

import (
	"log/slog"
	"strconv"
	"strings"
	"time"
)

// Setting is one row of the table.
type Setting struct {
	Key     string // as in the file; a dot is one level of nesting
	Flag    string // without the dashes; empty for what is set in the file only
	Env     string
	Help    string // what it does
	Allowed string // what it may be
	List    bool   // several values: a YAML sequence, commas in flag and environment

	path bool // a file or folder here: made absolute
	def  func(Input) []string
	value
}

// Default gives the value on this machine when nothing sets it, as it would be written in the environment.
func (s Setting) Default(in Input) string { return strings.Join(s.def(in), ",") }

func is(v ...string) func(Input) []string { return func(Input) []string { return v } }

// Settings gives the table, in the order in which settings are printed. `users` is not in it: it is a list of objects, and in the file only.
func Settings() []Setting {
	rows := []Setting{
		{
			Key: "listen", Help: "where to listen; another address than loopback needs users", Allowed: "host:port, such as 127.0.0.1:7500; port 0 takes a free one",
			def: is("127.0.0.1:7500"), value: text(func(c *Config) *string { return &c.Listen }, checkListen),
		},
		{
			Key: "data_dir", Help: "folder for the database, the token and the lock", Allowed: "a folder of this machine",
			path: true, def: func(in Input) []string { return []string{in.DefaultDataDir()} }, value: text(func(c *Config) *string { return &c.DataDir }, checkFolder),
		},
		{
			Key: "image", Help: "the stock image of every container", Allowed: "an image reference, such as debian:bookworm-slim",
			def: is("podlife/base:bookworm"), value: text(func(c *Config) *string { return &c.Image }, checkImage()),
		},
		{
			Key: "images", Help: "the images that users may choose for a pod of theirs, image among them; empty is image alone", Allowed: "image references, such as debian:bookworm-slim or debian@sha256:DIGEST, each of which the engine has", List: true,
			def: is(), value: list(func(c *Config) *[]string { return &c.Images }, checkImage()),
		},
		{
			Key: "network", Help: "the containers' network", Allowed: "bridge, or none for no network at all",
			def: is("bridge"), value: oneOf(func(c *Config) *string { return &c.Network }, "bridge", "none"),
		},
		{
			Key: "idle_timeout", Help: "how long nobody has to use a pod before it sleeps and its disk is wiped", Allowed: "1s to 720h, such as 30m",
			def: is("30m"), value: duration(func(c *Config) *time.Duration { return &c.IdleTimeout }, time.Second, 720*time.Hour),
		},
		{
			Key: "boot_timeout", Help: "the one time limit of a boot, everything in it", Allowed: "5s to 24h, such as 10m",
			def: is("10m"), value: duration(func(c *Config) *time.Duration { return &c.BootTimeout }, 5*time.Second, 24*time.Hour),
		},
		{
			Key: "docker_host", Help: "the Docker engine; empty is DOCKER_HOST or Docker's default. One on another machine needs agent: copy", Allowed: "unix:///path or tcp://host:port, or empty",
			def: is(""), value: text(func(c *Config) *string { return &c.DockerHost }, orEmpty(checkDockerHost)),
		},
		{
			Key: "terminal_idle", Help: "how long nothing has to be typed or printed in an open terminal before it keeps its pod awake no longer; those who have it open are warned a minute before the pod sleeps", Allowed: "0 for as long as it is open, or 2m to 720h",
			def: is("0"), value: orNever(func(c *Config) *time.Duration { return &c.TerminalIdle }, 2*time.Minute, 720*time.Hour),
		},
		{
			Key: "max_lease", Help: "for how long from now users may keep their pod awake with nobody in it (podlife extend); a lease that was given holds until its end", Allowed: "0 for no leases, or 1m to 720h",
			def: is("24h"), value: orNever(func(c *Config) *time.Duration { return &c.MaxLease }, time.Minute, 720*time.Hour),
		},
		{
			Key: "name_prefix", Help: "how the names of this server's containers begin", Allowed: "1 to 32 of a-z 0-9 -, first a letter or digit",
			def: is("podlife"), value: text(func(c *Config) *string { return &c.NamePrefix }, matches(`^[a-z0-9][a-z0-9-]{0,31}$`)),
		},
		{
			Key: "memory", Help: "memory of one container, swap included", Allowed: "64m to 1t: bytes, or with k, m, g, t",
			def: is("2g"), value: size(func(c *Config) *int64 { return &c.Memory }, 64<<20, 1<<40),
		},
		{
			Key: "cpus", Help: "cores of one container; the default is 2, or all where there are fewer", Allowed: "0.1 to the number of cores of this machine",
			def:   func(in Input) []string { return []string{strconv.Itoa(min(2, max(1, in.Cores)))} },
			value: fraction(func(c *Config) *float64 { return &c.CPUs }, 0.1, 4096),
		},
		{
			Key: "pids", Help: "processes and threads of one container", Allowed: "32 to 1048576",
			def: is("512"), value: number64(func(c *Config) *int64 { return &c.Pids }, 32, 1<<20),
		},
		{
			Key: "packages", Help: "commands that every container must have, installed when missing", Allowed: "package names, or command=package where the two differ", List: true,
			def: is("tmux", "git"), value: list(func(c *Config) *[]string { return &c.Packages }, anything), // boot.Validate looks at them
		},
		{
			Key: "repo.url", Help: "the repository that a boot clones; empty is none", Allowed: "an https, http, ssh, git or file URL without credentials, or empty",
			def: is(""), value: text(func(c *Config) *string { return &c.Repo.URL }, anything), // boot.Validate looks at it
		},
		{
			Key: "repo.branch", Help: "its branch; empty is the remote's default", Allowed: "a branch name, or empty",
			def: is(""), value: text(func(c *Config) *string { return &c.Repo.Branch }, anything),
		},
		{
			Key: "repo.dir", Help: "where the clone goes, inside the container; empty is /root/<last part of the URL>", Allowed: "a clean absolute path that is not the system's, or empty",
			def: is(""), value: text(func(c *Config) *string { return &c.Repo.Dir }, anything),
		},
		{
			Key: "repo.username", Help: "the user name for the clone; empty is x-access-token", Allowed: "up to 256 printable characters, or empty",
			def: is(""), value: text(func(c *Config) *string { return &c.Repo.Username }, printable),
		},
		{
			Key: "repo.token_file", Help: "file with the token for the clone: never the token itself", Allowed: "a file of at most 4 KiB that only its owner can read (chmod 600), or empty",
			path: true, def: is(""), value: text(func(c *Config) *string { return &c.Repo.TokenFile }, orEmpty(checkSecretFile)),
		},
		{
			Key: "user_script", Help: "a script of your own, run as the last step of a boot", Allowed: "a file with POSIX sh, at most 256 KiB, or empty",
			path: true, def: is(""), value: text(func(c *Config) *string { return &c.UserScript }, orEmpty(checkScriptFile)),
		},
		{
			Key: "allowed_origins", Help: "further addresses under which browsers may use this server, such as that of a proxy", Allowed: "scheme://host or scheme://host:port, http or https, nothing behind", List: true,
			def: is(), value: list(func(c *Config) *[]string { return &c.AllowedOrigins }, checkOrigin),
		},
		{
			Key: "max_terminals", Help: "open terminals in all", Allowed: "1 to 10000",
			def: is("32"), value: number(func(c *Config) *int { return &c.MaxTerminals }, 1, 10000),
		},
		{
			Key: "max_terminals_per_user", Help: "open terminals of one user", Allowed: "1 to max_terminals",
			def: is("4"), value: number(func(c *Config) *int { return &c.MaxTerminalsPerUser }, 1, 10000),
		},
		{
			Key: "max_pods", Help: "pods of one user, besides the one that each has", Allowed: "1 to 1000",
			def: is("10"), value: number(func(c *Config) *int { return &c.MaxPods }, 1, 1000),
		},
		{
			Key: "max_running_pods", Help: "pods of one user that run at the same time, the one that each has counted; a boot of one more is refused; the default is 5, or all where max_pods allows fewer", Allowed: "0 for no bound, or 1 to max_pods + 1",
			def: is(strconv.Itoa(defaultRunning)), value: number(func(c *Config) *int { return &c.MaxRunningPods }, 0, 1001),
		},
		{
			Key: "default_class", Help: "what a pod is that is created without a class; the one that each user has stays ephemeral", Allowed: "ephemeral or workspace",
			def: is("ephemeral"), value: oneOf(func(c *Config) *string { return &c.DefaultClass }, "ephemeral", "workspace"),
		},
		{
			Key: "max_boots", Help: "boot requests of one user at the same time", Allowed: "1 to 1000",
			def: is("16"), value: number(func(c *Config) *int { return &c.MaxBoots }, 1, 1000),
		},
		{
			Key: "max_concurrent_starts", Help: "containers that start at the same time; the default is the number of cores", Allowed: "1 to 256",
			def:   func(in Input) []string { return []string{strconv.Itoa(min(256, max(1, in.Cores)))} },
			value: number(func(c *Config) *int { return &c.MaxConcurrentStarts }, 1, 256),
		},
		{
			Key: "agent", Help: "how podlife's own program gets into containers: mounted read-only, or for an engine that does not see this machine's files copied into each; auto copies where the engine is reached by tcp", Allowed: "auto, mount or copy",
			def: is("auto"), value: oneOf(func(c *Config) *string { return &c.Agent }, "auto", "mount", "copy"),
		},
		{
			Key: "monitor", Help: "hold each step of the server against its specification; fatal ends the server where one is none", Allowed: "on, off or fatal",
			def: is("on"), value: oneOf(func(c *Config) *string { return &c.Monitor }, "on", "off", "fatal"),
		},
		{
			Key: "record", Help: "record what terminals show, and say so in them", Allowed: "on or off",
			def: is("off"), value: oneOf(func(c *Config) *string { return &c.Record }, "on", "off"),
		},
		{
			Key: "record_dir", Help: "folder for the recordings; empty is recordings in the data folder", Allowed: "a folder of this machine, or empty",
			path: true, def: is(""), value: text(func(c *Config) *string { return &c.RecordDir }, orEmpty(checkFolder)),
		},
		{
			Key: "record_keep", Help: "how long a recording is kept after it was written last", Allowed: "0 for good, or 1h to 87600h",
			def: is("720h"), value: orNever(func(c *Config) *time.Duration { return &c.RecordKeep }, time.Hour, 87600*time.Hour),
		},
		{
			Key: "log_format", Help: "how the server's log is written, on standard error", Allowed: "text or json",
			def: is("text"), value: oneOf(func(c *Config) *string { return &c.LogFormat }, "text", "json"),
		},
		{
			Key: "log_level", Help: "from which level on it is written", Allowed: "debug, info, warn or error",
			def: is("info"), value: level(func(c *Config) *slog.Level { return &c.LogLevel }),
		},
	}
	for i := range rows {
		rows[i].Flag = strings.NewReplacer("_", "-", ".", "-").Replace(rows[i].Key)
		rows[i].Env = EnvPrefix + strings.ToUpper(strings.ReplaceAll(rows[i].Key, ".", "_"))
	}
	return rows
}

// defaultRunning is how many pods of one user run at the same time where nothing says how many.
const defaultRunning = 5

// EnvPrefix is how every variable of ours begins.
const EnvPrefix = "PODLIFE_"
