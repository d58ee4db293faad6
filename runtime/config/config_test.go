package config_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"podlife/runtime/config"
)

const hash = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"

// machine is a user's machine with nothing set: everything below a folder of the test.
func machine(t *testing.T) config.Input {
	t.Helper()
	return config.Input{Home: t.TempDir(), WorkDir: t.TempDir(), Cores: 4}
}

func write(t *testing.T, name, text string, mode os.FileMode) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	return name
}

// withFile is a machine with a file given by --config.
func withFile(t *testing.T, text string) config.Input {
	t.Helper()
	in := machine(t)
	in.File = write(t, filepath.Join(in.WorkDir, "c.yaml"), text, 0o600)
	return in
}

func load(t *testing.T, in config.Input) *config.Loaded {
	t.Helper()
	l, err := config.Load(in)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// refused loads what must be refused and gives the one refusal.
func refused(t *testing.T, in config.Input) *config.Error {
	t.Helper()
	l, err := config.Load(in)
	if err == nil {
		t.Fatalf("it was accepted: %+v", l.Config)
	}
	all := config.All(err)
	if len(all) != 1 {
		t.Fatalf("want one refusal, got %d: %v", len(all), err)
	}
	return all[0]
}

func TestDefaultsAreThoseOfTheManual(t *testing.T) {
	in := machine(t)
	want := config.Config{
		Listen: "127.0.0.1:7500", DataDir: filepath.Join(in.Home, ".local/share/podlife"), Image: "podlife/base:bookworm", Network: "bridge",
		IdleTimeout: 30 * time.Minute, MaxLease: 24 * time.Hour, BootTimeout: 10 * time.Minute, NamePrefix: "podlife", Memory: 2 << 30, CPUs: 2, Pids: 512, Packages: []string{"tmux", "git"},
		Agent: "auto", MaxTerminals: 32, MaxTerminalsPerUser: 4, MaxPods: 10, MaxRunningPods: 5, DefaultClass: "ephemeral", MaxBoots: 16, MaxConcurrentStarts: 4, Monitor: "on", Record: "off", RecordKeep: 720 * time.Hour, LogFormat: "text", LogLevel: slog.LevelInfo,
	}
	l := load(t, in)
	if d := cmp.Diff(want, l.Config); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if l.File != "" || len(l.Warnings) > 0 {
		t.Errorf("file %q, warnings %q", l.File, l.Warnings)
	}
}

func TestRecordingsAreInTheDataFolderUnlessAFolderIsNamed(t *testing.T) {
	in := machine(t)
	in.Flags = map[string][]string{"record": {"on"}, "record_keep": {"0"}}
	if l := load(t, in); l.Record != "on" || l.RecordKeep != 0 || l.Recordings() != filepath.Join(l.DataDir, "recordings") {
		t.Errorf("%+v", l.Config)
	}
	in.Flags = map[string][]string{"record_dir": {"casts"}}
	if l := load(t, in); l.Recordings() != filepath.Join(in.WorkDir, "casts") {
		t.Errorf("%+v", l.Config)
	}
	in.Flags = map[string][]string{"record_keep": {"59m"}}
	if bad := refused(t, in); bad.Key != "record_keep" {
		t.Errorf("%+v", bad)
	}
}

func TestLeasesAreBoundedAndCanBeSwitchedOff(t *testing.T) {
	for given, want := range map[string]time.Duration{"0": 0, "0s": 0, "1m": time.Minute, "720h": 720 * time.Hour} {
		in := machine(t)
		in.Environ = []string{"PODLIFE_MAX_LEASE=" + given}
		if l := load(t, in); l.MaxLease != want {
			t.Errorf("%s became %s", given, l.MaxLease)
		}
	}
	for _, given := range []string{"59s", "721h", "-1h", "8", "NaN", "9999999h"} {
		in := machine(t)
		in.Flags = map[string][]string{"max_lease": {given}}
		if bad := refused(t, in); bad.Key != "max_lease" || !strings.Contains(bad.Allowed, "1m to 720h") {
			t.Errorf("%s: %+v", given, bad)
		}
	}
}

func TestFlagsWinOverEnvironmentOverFileOverDefault(t *testing.T) {
	in := withFile(t, "listen: 127.0.0.1:1\nidle_timeout: 1m\nmemory: 1g\n")
	in.Environ = []string{"PODLIFE_LISTEN=127.0.0.1:2", "PODLIFE_IDLE_TIMEOUT=2m", "PODLIFE_MEMORY="}
	in.Flags = map[string][]string{"listen": {"127.0.0.1:3"}}
	l := load(t, in)
	if l.Listen != "127.0.0.1:3" || l.IdleTimeout != 2*time.Minute || l.Memory != 1<<30 || l.BootTimeout != 10*time.Minute {
		t.Errorf("got %+v", l.Config)
	}
	got := []string{l.Sources["listen"], l.Sources["idle_timeout"], l.Sources["memory"], l.Sources["boot_timeout"]}
	want := []string{"flag --listen", "env PODLIFE_IDLE_TIMEOUT", in.File + ":3", "default"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("sources (-want +got):\n%s", d)
	}
}

func TestDataFolderFollowsTheUser(t *testing.T) {
	in := config.Input{Home: "/home/u"}
	for _, c := range []struct {
		root bool
		env  string
		want string
	}{{true, "XDG_DATA_HOME=/x", "/var/lib/podlife"}, {false, "", "/home/u/.local/share/podlife"}, {false, "XDG_DATA_HOME=/x", "/x/podlife"}, {false, "XDG_DATA_HOME=rel", "/home/u/.local/share/podlife"}, {true, "PODLIFE_DATA_DIR=/d", "/d"}, {false, "PODLIFE_DATA_DIR=~/d", "/home/u/d"}} {
		in.Root, in.Environ = c.root, []string{c.env}
		if got := in.DataDir(); got != c.want {
			t.Errorf("root %v, %q: %q, want %q", c.root, c.env, got, c.want)
		}
	}
}

func TestTheFileInTheDataFolderIsFound(t *testing.T) {
	in := machine(t)
	name := write(t, filepath.Join(in.DefaultDataDir(), "config.yaml"), "max_boots: 3\n", 0o600)
	if l := load(t, in); l.MaxBoots != 3 || l.File != name {
		t.Errorf("max_boots %d from %q", l.MaxBoots, l.File)
	}
	write(t, name, "data_dir: /elsewhere\n", 0o600)
	if e := refused(t, in); e.Key != "data_dir" || e.Source != name+":1" {
		t.Errorf("got %v", e)
	}
	in.File = filepath.Join(in.Home, "missing.yaml")
	if e := refused(t, in); e.Source != in.File || !strings.Contains(e.Problem, "no such file") {
		t.Errorf("a file that was asked for is missing: %v", e)
	}
}

func TestPathsStartWhereTheyAreWritten(t *testing.T) {
	in := withFile(t, "user_script: mine.sh\ndata_dir: ~/pods\n")
	script := write(t, filepath.Join(in.WorkDir, "mine.sh"), "true\n", 0o644)
	l := load(t, in)
	if l.UserScript != script || l.DataDir != filepath.Join(in.Home, "pods") {
		t.Errorf("user_script %q, data_dir %q", l.UserScript, l.DataDir)
	}
	in.Environ, in.Flags = []string{"PODLIFE_USER_SCRIPT=mine.sh"}, map[string][]string{"data_dir": {"d"}}
	if l := load(t, in); l.UserScript != script || l.DataDir != filepath.Join(in.WorkDir, "d") {
		t.Errorf("user_script %q, data_dir %q", l.UserScript, l.DataDir)
	}
	if r, err := l.Recipe(); err != nil || r.UserScript != "true\n" {
		t.Errorf("recipe %+v, %v", r, err)
	}
}

func TestListsComeAsSequenceOrWithCommas(t *testing.T) {
	in := withFile(t, "packages: [rg=ripgrep, make]\nallowed_origins:\n  - https://pods.example.org\n")
	if l := load(t, in); !cmp.Equal(l.Packages, []string{"rg=ripgrep", "make"}) || !cmp.Equal(l.AllowedOrigins, []string{"https://pods.example.org"}) {
		t.Errorf("got %q, %q", l.Packages, l.AllowedOrigins)
	}
	in.Environ = []string{"PODLIFE_PACKAGES=curl, make"}
	in.Flags = map[string][]string{"allowed_origins": {"http://a", "http://b:81,http://c"}}
	if l := load(t, in); !cmp.Equal(l.Packages, []string{"curl", "make"}) || !cmp.Equal(l.AllowedOrigins, []string{"http://a", "http://b:81", "http://c"}) {
		t.Errorf("got %q, %q", l.Packages, l.AllowedOrigins)
	}
}

// Everything that can only fail, with the words a person gets.
func TestWhatCanOnlyFailIsRefusedWithItsPlaceAndWhatIsAllowed(t *testing.T) {
	u := "users:\n  - {name: alice, token_sha256: " + hash + "}\n"
	for _, c := range []struct{ yaml, key, says string }{
		{"lisen: 127.0.0.1:1", "lisen", "c.yaml:1): there is no such setting; did you mean listen?"},
		{"image: a\nidle-timeout: 5m", "idle-timeout", "c.yaml:2): there is no such setting; did you mean idle_timeout?"},
		{"repo:\n  urll: x", "repo.urll", "c.yaml:2): there is no such setting; did you mean repo.url?"},
		{"zzz: 1", "zzz", "podlife serve --help lists them"},
		{"image: a\nimage: b", "image", "c.yaml:2): is set twice, first in line 1"},
		{"listen: [a]", "listen", "has to be a single value"},
		{"packages: tmux", "packages", "has to be a list"},
		{"packages: [[a]]", "packages", "has to be a list of single values"},
		{"repo: x", "repo", "has to be a mapping"},
		{"listen: &a x", "listen", "anchors"},
		{"image: &x a\nnetwork: *x", "", "anchors"},
		{"listen: 7500", "listen", `listen "7500"`},
		{"listen:", "listen", "is not host:port"},
		{"listen: 127.0.0.1:99999", "listen", "no port between"},
		{"listen: 0.0.0.0:7500", "listen", "no users are configured"},
		{"listen: :7500", "listen", "no users are configured"},
		{"listen: '[::]:7500'", "listen", "no users are configured"},
		{"listen: myhost:7500", "listen", "no users are configured"},
		{u + "listen: 0.0.0.0:7500", "listen", "allowed_origins"},
		{u + "listen: myhost:7500", "listen", "allowed_origins"},
		{"idle_timeout: 30", "idle_timeout", "is not a duration with a unit; allowed: 1s to 720h"},
		{"idle_timeout: 999ms", "idle_timeout", "out of bounds"},
		{"boot_timeout: 25h", "boot_timeout", "out of bounds"},
		{"network: host", "network", "none of these words; allowed: bridge, or none"},
		{"memory: 2gb", "memory", "is not a size"},
		{"memory: 1m", "memory", "out of bounds"},
		{"memory: 16777217t", "memory", "out of bounds"}, // 2^64 and one t
		{"cpus: 5", "cpus", "this machine has 4"},
		{"cpus: NaN", "cpus", "is not a number"},
		{"pids: 3", "pids", "out of bounds"},
		{"max_terminals: 2", "max_terminals_per_user", "is above max_terminals, which is 2"},
		{"image: 'a b'", "image", "has another form"},
		{"docker_host: ssh://x", "docker_host", "has another form"},
		{"name_prefix: Pod_", "name_prefix", "has another form"},
		{"packages: ['a;b']", "packages", "is not a package name"},
		{"repo: {url: 'ftp://x/y'}", "repo.url", "scheme"},
		{"repo: {branch: main}", "repo.branch", "repo.url is not"},
		{"repo: {url: 'https://h/r', dir: /etc}", "repo.dir", "the system's"},
		{"repo: {url: 'https://h/r', token_file: missing}", "repo.token_file", "no such file"},
		{"user_script: missing.sh", "user_script", "no such file"},
		{"user_script: /dev/null", "user_script", "not a regular file"},
		{"allowed_origins: ['https://a/path']", "allowed_origins", "has another form"},
		{"allowed_origins: ['https://*.example.org']", "allowed_origins", "has another form"},
		{"allowed_origins: ['*']", "allowed_origins", "has another form"},
		{"log_level: loud", "log_level", "none of these words"},
		{"users: alice", "users", "has another form"},
		{"users: [{name: alice}]", "users[0]", "is not complete"},
		{"users: [{name: alice, token: x, token_sha256: " + hash + "}]", "users[0]", `no such setting as "token"`},
		{"users: [{name: local, token_sha256: " + hash + "}]", "users[0].name", "is the user of the token in the data folder"},
		{"users: [{name: ../x, token_sha256: " + hash + "}]", "users[0].name", "has another form"},
		{"users: [{name: a, token_sha256: secret}]", "users[0].token_sha256", "is not a SHA-256"},
		{u + "  - {name: alice, token_sha256: " + strings.Repeat("0", 64) + "}", "users[1].name", "is there twice, first in line 2"},
		{u + "  - {name: bob, token_sha256: " + hash + "}", "users[1].token_sha256", "same as in line 2"},
		{"- a", "", "c.yaml:1: is not a mapping"},
		{"a: 1\n---\nb: 1", "", "more than one YAML document"},
		{"image: [", "", "line 1"},
		{"image: a # " + strings.Repeat("x", 1<<20), "", "has more than 1048576 bytes"},
	} {
		t.Run(fmt.Sprintf("%.40s", c.yaml), func(t *testing.T) {
			in := withFile(t, c.yaml)
			_, err := config.Load(in)
			if err == nil {
				t.Fatal("it was accepted")
			}
			if c.key != "" && config.All(err)[0].Key != c.key {
				t.Errorf("the refusal is about %q, want %q", config.All(err)[0].Key, c.key)
			}
			if !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), "c.yaml") && c.key != "max_terminals_per_user" {
				t.Errorf("it says %q, want %q and the file's name in it", err, c.says)
			}
		})
	}
}

func TestARefusalNamesValueSourceAndWhatIsAllowed(t *testing.T) {
	in := machine(t)
	in.Environ = []string{"PODLIFE_IDLE_TIMEOUT=soon"}
	want := `idle_timeout "soon" (env PODLIFE_IDLE_TIMEOUT): is not a duration with a unit; allowed: 1s to 720h, such as 30m`
	if e := refused(t, in); e.Error() != want {
		t.Errorf("got  %s\nwant %s", e, want)
	}
}

func TestAllRefusalsAreToldAtOnce(t *testing.T) {
	in := withFile(t, "lisen: x\nmemory: lots\n")
	in.Flags = map[string][]string{"log_format": {"xml"}}
	_, err := config.Load(in)
	if n := len(config.All(err)); n != 3 {
		t.Errorf("%d refusals, want 3: %v", n, err)
	}
}

func TestSecretsAreNeverShown(t *testing.T) {
	for _, yaml := range []string{"repo: {url: 'https://me:hunter2@h/r'}", "users: [{name: a, token_sha256: hunter2}]"} {
		if e := refused(t, withFile(t, yaml)); strings.Contains(e.Error(), "hunter2") {
			t.Errorf("%s", e)
		}
	}
	in := machine(t)
	in.Environ = []string{"PODLIFE_REPO_URL=https://h/r", "PODLIFE_REPO_TOKEN_FILE=tok"}
	write(t, filepath.Join(in.WorkDir, "tok"), "hunter2 hunter3\n", 0o600)
	if e := refused(t, in); strings.Contains(e.Error(), "hunter2") {
		t.Errorf("%s", e)
	}
}

func TestATokenFileThatOthersCanReadIsRefused(t *testing.T) {
	in := withFile(t, "repo: {url: 'https://h/r', token_file: tok}")
	tok := write(t, filepath.Join(in.WorkDir, "tok"), "s3cret\n", 0o644)
	if e := refused(t, in); !strings.Contains(e.Problem, "chmod 600 "+tok) {
		t.Errorf("got %v", e)
	}
	if err := os.Chmod(tok, 0o600); err != nil {
		t.Fatal(err)
	}
	if s, err := load(t, in).Token(); s != "s3cret" || err != nil {
		t.Errorf("token %q, %v", s, err)
	}
}

func TestATokenInClearTextIsRefused(t *testing.T) {
	in := withFile(t, "repo: {url: 'http://far.example/r', token_file: tok}")
	write(t, filepath.Join(in.WorkDir, "tok"), "s3cret\n", 0o600)
	if e := refused(t, in); e.Key != "repo.token_file" || !strings.Contains(e.Problem, "https") {
		t.Errorf("got %v", e)
	}
}

func TestUsersOpenOtherAddresses(t *testing.T) {
	l := load(t, withFile(t, "allowed_origins: [https://pods.example]\nlisten: 0.0.0.0:7500\nusers:\n- name: alice\n  token_sha256: "+strings.ToUpper(hash)+"\n"))
	if d := cmp.Diff([]config.User{{Name: "alice", TokenSHA256: hash}}, l.Users); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if err := l.Servable(); err != nil {
		t.Error(err)
	}
}

func TestLoopbackNeedsNoUsers(t *testing.T) {
	for _, listen := range []string{"127.0.0.1:0", "127.1.2.3:7500", "[::1]:7500", "localhost:7500"} {
		in := machine(t)
		in.Flags = map[string][]string{"listen": {listen}}
		load(t, in)
	}
}

func TestPrintedConfigurationReadsBackTheSame(t *testing.T) {
	in := withFile(t, "listen: 10.0.0.1:80\nrepo:\n  url: https://h/r # mine\n  branch: \"007\"\n  username: 'a: b # c'\nuser_script: it's here.sh\nusers:\n  - {name: alice, token_sha256: "+hash+"}\nallowed_origins: [https://x]\n")
	write(t, filepath.Join(in.WorkDir, "it's here.sh"), "true", 0o600)
	in.Environ = []string{"PODLIFE_CPUS=1.5", "PODLIFE_NAME_PREFIX=0123"}
	first := load(t, in)
	var out bytes.Buffer
	if err := first.Print(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"listen: 10.0.0.1:80 # " + in.File + ":1\n", "cpus: 1.5 # env PODLIFE_CPUS\n", "idle_timeout: 30m # default\n", "token_sha256: hidden"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	if strings.Contains(out.String(), hash) {
		t.Error("the hash of a token is shown")
	}
	in.Environ = nil
	in.File = write(t, filepath.Join(in.Home, "printed.yaml"), out.String(), 0o600)
	second := load(t, in)
	first.Users[0].TokenSHA256 = config.Hidden
	if d := cmp.Diff(first.Config, second.Config); d != "" {
		t.Errorf("(-first +second):\n%s", d)
	}
	if err := second.Servable(); err == nil || !strings.Contains(err.Error(), "alice") {
		t.Errorf("a hidden hash can be served with: %v", err)
	}
}

func TestAMisspeltVariableIsWarnedOf(t *testing.T) {
	in := machine(t)
	in.Environ = []string{"PODLIFE_IDLE_TIMOUT=1m", "PODLIFE_TOKEN_FILE=/x", "PODLIFE_TEST_DOCKER=1", "PODLIFE_LISTEN=127.0.0.1:1"}
	want := []string{"the variable PODLIFE_IDLE_TIMOUT is no setting; did you mean PODLIFE_IDLE_TIMEOUT?"}
	if d := cmp.Diff(want, load(t, in).Warnings); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestEverySettingIsCompleteAndItsDefaultPasses(t *testing.T) {
	in := machine(t)
	seen := map[string]bool{}
	for _, s := range config.Settings() {
		if s.Key == "" || s.Flag == "" || s.Env == "" || s.Help == "" || s.Allowed == "" || seen[s.Key] {
			t.Errorf("%+v", s)
		}
		seen[s.Key] = true
	}
	in.Cores = 1 // a machine with one core: the defaults have to work there too
	if l := load(t, in); l.CPUs != 1 || l.MaxConcurrentStarts != 1 {
		t.Errorf("cpus %v, max_concurrent_starts %d", l.CPUs, l.MaxConcurrentStarts)
	}
}

func TestNoMorePodsMayRunThanThereCanBe(t *testing.T) {
	for _, c := range []struct {
		given string
		want  int
		ok    bool
	}{{"max_pods: 2", 3, true}, {"max_pods: 100", 5, true}, {"max_running_pods: 0", 0, true}, {"max_running_pods: 11", 11, true}, {"max_pods: 2\nmax_running_pods: 3", 3, true}, {"max_pods: 2\nmax_running_pods: 4", 0, false}, {"max_running_pods: -1", 0, false}} {
		in := withFile(t, c.given)
		if !c.ok {
			if bad := refused(t, in); bad.Key != "max_running_pods" || !strings.Contains(bad.Allowed, "0 for no bound") {
				t.Errorf("%s: %v", c.given, bad)
			}
			continue
		}
		if l := load(t, in); l.MaxRunningPods != c.want {
			t.Errorf("%s: %d", c.given, l.MaxRunningPods)
		}
	}
}

func TestTheDefaultClassIsOneOfTheClasses(t *testing.T) {
	if l := load(t, withFile(t, "default_class: workspace")); l.DefaultClass != "workspace" {
		t.Errorf("%+v", l.Config)
	}
	if bad := refused(t, withFile(t, "default_class: permanent")); bad.Key != "default_class" || bad.Allowed != "ephemeral or workspace" {
		t.Errorf("%v", bad)
	}
}

func TestImagesAreReferencesAndTheDefaultIsAmongThem(t *testing.T) {
	pinned := "images.example.org:5000/team/go_tools@sha256:" + hash
	l := load(t, withFile(t, "image: debian:12\nimages: [debian:12, golang, "+pinned+"]"))
	if !cmp.Equal(l.Images, []string{"debian:12", "golang", pinned}) {
		t.Errorf("%q", l.Images)
	}
	if bad := refused(t, withFile(t, "image: debian:12\nimages: [debian:13]")); bad.Key != "images" || !strings.Contains(bad.Problem, "debian:12") {
		t.Errorf("%v", bad)
	}
	for _, wrong := range []string{"Debian", "debian:", "debian:-x", "debian@sha256:abc", "debian@sha512:" + hash, "/debian", "a//b", "a b", "-x", "https://a/b", "a/" + strings.Repeat("x", 260)} {
		if bad := refused(t, withFile(t, "image: debian\nimages: [debian, \""+wrong+"\"]")); bad.Key != "images" {
			t.Errorf("%s: %v", wrong, bad)
		}
		if bad := refused(t, withFile(t, "image: \""+wrong+"\"")); bad.Key != "image" {
			t.Errorf("%s: %v", wrong, bad)
		}
	}
}

func TestTheImagesThatAPodCanHaveAreTheListOrTheOneImage(t *testing.T) {
	c := config.Config{Image: "debian:bookworm"}
	if got := c.AllowedImages(); !slices.Equal(got, []string{"debian:bookworm"}) {
		t.Errorf("without a list: %v", got)
	}
	c.Images = []string{"golang:1.24", "debian:bookworm"}
	if got := c.AllowedImages(); !slices.Equal(got, c.Images) {
		t.Errorf("with a list: %v", got)
	}
}
