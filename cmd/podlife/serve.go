package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"podlife/runtime/config"
	"podlife/runtime/container"
	"podlife/runtime/engine"
	"podlife/runtime/engine/docker"
	"podlife/runtime/pod"
	"podlife/runtime/recording"
	"podlife/runtime/server"
	"podlife/runtime/store"
	"podlife/runtime/workspace"
)

func (m *Main) serveCommand() *cobra.Command {
	var file string
	var printConfig bool
	c := &cobra.Command{
		Use:   "serve",
		Short: "Start the server and print a login link",
		Long: `Start the server: the page, the API and the pods, on this machine's Docker engine.

When it listens, it prints a link that logs a browser in, once, within 10 minutes
(podlife login-link makes another). Ctrl-C stops it; pods stay and are found
again by the next start. A second Ctrl-C forces.

Every setting can be a flag, a variable or a line of the configuration file; flags
win over variables, variables over the file, the file over the defaults. The file
is --config or PODLIFE_CONFIG, else <data_dir>/config.yaml if there is one. Its keys
are the names that --print-config prints. Only there can users be listed, who may
then log in from elsewhere:

  listen: 0.0.0.0:7500
  allowed_origins: [https://pods.example.org]
  users:
    - name: alice
      token_sha256: ...   # printf %s TOKEN | sha256sum

In <data_dir> it keeps its database, a lock that no second server gets past, the
token of the local user (token, created on the first start, for its owner's eyes
only) and, while it runs, its address (address). Whoever has that token, or a login
link from here, is the user local, also where users are listed.

The first boot of a pod on the stock image installs packages over the network, which
takes a while; an image (--image) that has them boots in about a second.`,
		Example: `  podlife serve
  podlife serve --listen 127.0.0.1:0 --data-dir /tmp/pods --idle-timeout 5m
  PODLIFE_REPO_URL=https://example.org/me/project.git podlife serve
  podlife serve --print-config > podlife.yaml`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			in := config.ProcessInput(m.Environ)
			in.File, in.Flags = file, settingFlags(cmd)
			loaded, err := config.Load(in)
			if err != nil {
				return err
			}
			for _, w := range loaded.Warnings {
				fmt.Fprintln(cmd.ErrOrStderr(), "podlife: warning: "+w)
			}
			if printConfig {
				return loaded.Print(cmd.OutOrStdout())
			}
			if err := loaded.Servable(); err != nil {
				return err
			}
			return serve(cmd, loaded)
		},
	}
	c.Flags().StringVar(&file, "config", "", "the configuration `file`")
	c.Flags().BoolVar(&printConfig, "print-config", false, "print every setting with its source, as YAML that can be read back, and end")
	addSettingFlags(c, config.ProcessInput(m.Environ))
	return c
}

// addSettingFlags makes a flag of every row of the settings' table.
func addSettingFlags(c *cobra.Command, in config.Input) {
	for _, s := range config.Settings() {
		help := fmt.Sprintf("%s: %s (%s", s.Help, s.Allowed, s.Env)
		if d := s.Default(in); d != "" {
			help += ", default " + d
		}
		c.Flags().Var(&givenValues{}, s.Flag, help+")")
	}
	c.Flags().SortFlags = false
}

// givenValues is a flag of a setting: every value that was given, in order. It has no default of its own, so that only what was given counts
// as given; the table of settings has it.
type givenValues struct{ all []string }

// Set adds one.
func (g *givenValues) Set(value string) error {
	g.all = append(g.all, value)
	return nil
}

// String gives them as they would be written in the environment.
func (g *givenValues) String() string { return strings.Join(g.all, ",") }

// Type is what the help calls a value.
func (g *givenValues) Type() string { return "value" }

// settingFlags gives the flags that were given, by setting.
func settingFlags(c *cobra.Command) map[string][]string {
	given := map[string][]string{}
	for _, s := range config.Settings() {
		if c.Flags().Changed(s.Flag) {
			given[s.Key] = c.Flags().Lookup(s.Flag).Value.(*givenValues).all
		}
	}
	return given
}

// serve runs the server until the context ends. Everything it starts, it stops and waits for, in the opposite order.
func serve(cmd *cobra.Command, conf *config.Loaded) (err error) {
	ctx := cmd.Context()
	log := newLogger(cmd, conf)
	dir, err := openDataDir(conf.DataDir)
	if err != nil {
		return err
	}
	defer dir.close()
	token, err := dir.token()
	if err != nil {
		return err
	}
	l, err := listen(ctx, conf.Listen)
	if err != nil {
		return err
	}
	defer l.Close() // of no effect when the server has closed it already

	db, err := store.Open(ctx, filepath.Join(conf.DataDir, "podlife.db"))
	if err != nil {
		return err
	}
	defer closing(&err, db.Close)
	eng, err := openEngine(ctx, docker.Options{Host: conf.DockerHost, Logger: log, MaxStarts: conf.MaxConcurrentStarts}, conf.AllowedImages(), ", or name another with --docker-host")
	if err != nil {
		return err
	}
	defer closing(&err, eng.Close)
	var catalogue *workspace.Catalogue // which is asked for homes and images only when pods are booted
	asks := ofPods{
		home:  func(id pod.ID) (string, bool) { return catalogue.Home(id) },
		image: func(id pod.ID) string { return catalogue.PodImage(id) },
	}
	containers, err := newContainers(ctx, conf, db.Instance(), eng, asks, log)
	if err != nil {
		return err
	}

	defer containers.Close() // the sessions in the containers live on

	ctx, watch := startMonitor(ctx, conf, log)
	defer watch.stop()
	record, stopRecording, err := startRecording(conf, log)
	if err != nil {
		return err
	}
	var srv *server.Server
	pods := pod.NewManager(pod.Options{
		Containers: containers, Store: db, Clock: pod.SystemClock{}, Logger: log, IdleTimeout: conf.IdleTimeout, TerminalIdle: conf.TerminalIdle,
		Leases: db, MaxLease: conf.MaxLease, MaxRunning: conf.MaxRunningPods,
		OnEvent: func(e pod.Event) { srv.Observe(e) }, OnStep: watch.onStep,
	})
	catalogue = workspace.New(workspace.Options{Pods: pods, Store: db, Homes: containers, Clock: pod.SystemClock{}, Logger: log, MostPods: conf.MaxPods, DefaultClass: workspace.Class(conf.DefaultClass),
		Image: conf.Image, AllowedImages: conf.AllowedImages(), Engine: containers})
	srv = server.New(server.Options{
		Pods: pods, Catalogue: catalogue, Users: users(conf, token), Logger: log, Origins: conf.AllowedOrigins,
		Health: func(ctx context.Context) error { return errors.Join(eng.Ping(ctx), db.Ping(ctx)) },
		Limits: server.Limits{Terminals: conf.MaxTerminals, TerminalsPerUser: conf.MaxTerminalsPerUser, BootsPerUser: conf.MaxBoots},
		Build:  server.Build{Version: version, Build: buildID}, Monitor: watch.forServer, Record: record,
	})
	defer pods.Close()
	defer stopRecording() // before the pods: it follows their sessions
	defer catalogue.Close()
	// The catalogue first: no pod is to be adopted whose end is stored. It goes on with what was begun when the pods are known, too.
	if err := catalogue.Recover(ctx); err != nil {
		return fmt.Errorf("find the named pods of the last run again: %w", err)
	}
	if err := pods.Recover(ctx); err != nil {
		return fmt.Errorf("find the pods of the last run again: %w", err)
	}
	watching, stopWatching := context.WithCancel(context.WithoutCancel(ctx))
	var wg sync.WaitGroup
	wg.Go(func() { pods.Run(watching) })
	defer wg.Wait()
	defer stopWatching()

	url := "http://" + l.Addr().String()
	sayListening(cmd, conf, url, srv)
	if err := dir.announce(url); err != nil { // last: who sees the address finds everything else there
		return err
	}
	stopNote := context.AfterFunc(ctx, func() {
		fmt.Fprintln(cmd.ErrOrStderr(), "podlife: stopping; pods stay and are found again by the next start (once more to force)")
	})
	defer stopNote()
	return watch.outcome(ctx, srv.Serve(ctx, l))
}

// startRecording gives what records sessions, and its end; nil where nothing is to be recorded.
func startRecording(conf *config.Loaded, log *slog.Logger) (record func(*pod.Pod, *pod.Attachment), stop func(), err error) {
	if conf.Record != "on" {
		return nil, func() {}, nil
	}
	folder, err := recording.OpenFolder(conf.Recordings())
	if err != nil {
		return nil, nil, fmt.Errorf("the folder for recordings: %w", err)
	}
	r := recording.New(recording.Options{Files: folder, Logger: log, Keep: conf.RecordKeep})
	return r.Attached, r.Close, nil
}

func sayListening(cmd *cobra.Command, conf *config.Loaded, url string, srv *server.Server) {
	base := url
	if len(conf.AllowedOrigins) > 0 {
		base = conf.AllowedOrigins[0]
	}
	fmt.Fprintf(cmd.OutOrStdout(), "podlife listens on %s\nopen this link to log in (it works once, within 10 minutes):\n\n  %s\n\nanother link: podlife login-link; to stop: Ctrl-C\n",
		url, srv.LoginLink(base, config.LocalUser))
}

func newLogger(cmd *cobra.Command, conf *config.Loaded) *slog.Logger {
	o := &slog.HandlerOptions{Level: conf.LogLevel}
	if conf.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(cmd.ErrOrStderr(), o))
	}
	return slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), o))
}

func listen(ctx context.Context, address string) (net.Listener, error) {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", address)
	if err != nil {
		return nil, &codeError{code: exitFailed, text: fmt.Sprintf("cannot listen on %s: %v; choose another address with --listen, such as 127.0.0.1:0 for any free port", address, innermost(err)), err: err}
	}
	return l, nil
}

// openEngine connects to Docker, and looks at once for what could only fail later. elsewhere is how another engine is named, for people; "" where it cannot be.
func openEngine(ctx context.Context, o docker.Options, images []string, elsewhere string) (*docker.Engine, error) {
	eng, err := docker.New(o)
	if err != nil {
		return nil, &codeError{code: exitEngine, text: fmt.Sprintf("the Docker engine cannot be used: %v", err), err: err}
	}
	bound, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	err = eng.Ping(bound)
	missing := ""
	if err == nil {
		missing, err = firstMissing(bound, eng, images)
	}
	switch {
	case err != nil:
		err = &codeError{code: exitEngine, text: fmt.Sprintf("the Docker engine does not answer: %v; start it (in the source folder: scripts/ensure-docker.sh)%s", err, elsewhere), err: err}
	case missing != "":
		err = &codeError{code: exitEngine, text: fmt.Sprintf("the image %s is not on this engine%s: docker pull it (the default one comes from scripts/base-image.sh in the source folder), or name another with --image and --images", missing, otherDigest(bound, eng, missing))}
	default:
		return eng, nil
	}
	return nil, errors.Join(err, eng.Close())
}

// firstMissing gives the first of these images that the engine does not have; "" where it has them all.
func firstMissing(ctx context.Context, eng engine.Engine, images []string) (string, error) {
	for _, image := range images {
		if has, err := eng.HasImage(ctx, image); err != nil || !has {
			return image, err
		}
	}
	return "", nil
}

// otherDigest says for people which image the engine has under the name of a reference whose digest it does not have; "" where it has none, or the reference has no digest.
func otherDigest(ctx context.Context, eng engine.Engine, reference string) string {
	name, _, pinned := strings.Cut(reference, "@")
	if !pinned {
		return ""
	}
	found, err := eng.Image(ctx, name)
	if err != nil {
		return ""
	}
	return fmt.Sprintf(" (what it has as %s is %s)", name, strings.Join(append([]string{found.ID}, found.Digests...), ", "))
}

// ofPods is what is asked about a pod when its container is made.
type ofPods struct {
	home  func(pod.ID) (volume string, ok bool)
	image func(pod.ID) string // the reference of its own; "" for none
}

func newContainers(ctx context.Context, conf *config.Loaded, instance string, eng engine.Engine, asks ofPods, log *slog.Logger) (*container.Containers, error) {
	recipe, err := conf.Recipe()
	if err != nil {
		return nil, err
	}
	agentPath, err := container.InstallAgent(ctx, "", filepath.Join(conf.DataDir, "agent"))
	if err != nil {
		return nil, fmt.Errorf("the program cannot be put into containers: %w", err)
	}
	return container.New(container.Options{
		Engine: eng, Instance: instance, NamePrefix: conf.NamePrefix, Image: conf.Image, Network: conf.Network, Home: asks.home, PodImage: asks.image,
		Limits:    engine.Limits{MemoryBytes: conf.Memory, NanoCPUs: int64(conf.CPUs * 1e9), Pids: conf.Pids},
		AgentPath: agentPath, CopyAgent: conf.Agent == "copy" || conf.Agent == "auto" && strings.HasPrefix(cmp.Or(conf.DockerHost, os.Getenv("DOCKER_HOST")), "tcp://"), Recipe: recipe, BootTimeout: conf.BootTimeout, Logger: log,
		Credentials: func() (string, string, error) { return credentials(conf) },
	})
}

// credentials gives what the clone may need. A token that was configured and cannot be read is an error that names its file: without it a private repository only fails later, in git's words.
func credentials(conf *config.Loaded) (user, token string, err error) {
	token, err = conf.Token()
	if err != nil {
		return "", "", fmt.Errorf("the repository's token file %s %w", conf.Repo.TokenFile, err)
	}
	return conf.Repo.Username, token, nil
}

// users gives everybody who may call: the local user, and those of the file.
func users(conf *config.Loaded, token string) []server.User {
	all := []server.User{{Name: config.LocalUser, TokenSHA256: sha256.Sum256([]byte(token))}}
	for _, u := range conf.Users {
		s := server.User{Name: u.Name}
		if n, err := hex.Decode(s.TokenSHA256[:], []byte(u.TokenSHA256)); err != nil || n != len(s.TokenSHA256) {
			continue // the configuration was checked; without a hash nobody is this user
		}
		all = append(all, s)
	}
	return slices.Clip(all)
}

// closing closes at the end of a function and does not lose the error.
func closing(err *error, f func() error) { *err = errors.Join(*err, f()) }

// innermost gives the last error of a chain: the operating system's words.
func innermost(err error) string {
	for next := errors.Unwrap(err); next != nil; next = errors.Unwrap(err) {
		err = next
	}
	return strings.TrimSpace(err.Error())
}
