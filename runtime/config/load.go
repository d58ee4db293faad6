package config

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"podlife/runtime/boot"
)

// Loaded is a configuration and where each of its values comes from.
type Loaded struct {
	Config
	File     string            // the file that was read, or empty
	Sources  map[string]string // by key: "default", "/path:line", "env NAME", "flag --name"
	Warnings []string          // things that work but are probably not meant
}

// Load reads and checks everything. On error it gives all refusals joined, each an *Error (see All).
func Load(in Input) (*Loaded, error) {
	l := &Loaded{Sources: map[string]string{"users": "default"}}
	var errs []error
	for _, s := range Settings() {
		l.Sources[s.Key] = "default"
		if err := s.set(&l.Config, s.def(in)); err != nil {
			errs = append(errs, &Error{Key: s.Key, Value: s.Default(in), Source: "default", Problem: err.Error(), Allowed: s.Allowed})
		}
	}
	errs = append(errs, l.fromFile(in)...)
	for _, s := range Settings() {
		if v := in.env(s.Env); v != "" {
			errs = append(errs, l.given(in, s, []string{v}, "env "+s.Env)...)
		}
		if v, ok := in.Flags[s.Key]; ok {
			errs = append(errs, l.given(in, s, v, "flag --"+s.Flag)...)
		}
	}
	l.Warnings = append(l.Warnings, strangeVariables(in)...)
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	if err := errors.Join(l.together(in)...); err != nil {
		return nil, err
	}
	return l, nil
}

// fromFile finds and applies the file. Only a file that was asked for has to exist.
func (l *Loaded) fromFile(in Input) []error {
	name := in.File
	if name == "" {
		name = in.env(EnvPrefix + "CONFIG")
	}
	asked := name != ""
	if !asked {
		name = filepath.Join(in.DataDir(), "config.yaml")
	}
	name = in.abs(name, in.WorkDir)
	if _, err := os.Stat(name); !asked && errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	f, err := parseFile(name)
	if f == nil {
		return []error{err}
	}
	if v, ok := f.values["data_dir"]; ok && !asked && in.abs(v.text[0], filepath.Dir(name)) != in.DataDir() {
		return []error{&Error{
			Key: "data_dir", Value: v.text[0], Source: f.at(v.line), Problem: "this file was found in the data folder, so it cannot name another one",
			Allowed: "--data-dir, PODLIFE_DATA_DIR, or a file given with --config",
		}}
	}
	l.File = name
	errs := f.apply(in, &l.Config, l.Sources) // also when some of its keys are wrong: all refusals at once
	if err != nil {
		errs = append([]error{err}, errs...)
	}
	return errs
}

// given applies what a flag or a variable says.
func (l *Loaded) given(in Input, s Setting, v []string, source string) []error {
	l.Sources[s.Key] = source
	shown := strings.Join(v, ",")
	bad := func(problem string) []error {
		return []error{&Error{Key: s.Key, Value: shown, Source: source, Problem: problem, Allowed: s.Allowed}}
	}
	if s.List {
		var all []string
		for _, one := range v {
			fields, err := csv.NewReader(strings.NewReader(one)).Read()
			if err != nil && one != "" {
				return bad("is not a list with commas")
			}
			for _, field := range fields {
				if field = strings.TrimSpace(field); field != "" {
					all = append(all, field)
				}
			}
		}
		v = all
	} else if len(v) != 1 {
		return bad("is given more than once")
	} else if s.path {
		v = []string{in.abs(v[0], in.WorkDir)}
	}
	if err := s.set(&l.Config, v); err != nil {
		return bad(err.Error())
	}
	return nil
}

// together looks at what only several settings can say.
func (l *Loaded) together(in Input) []error {
	var errs []error
	refuse := func(key, problem, allowed string) {
		s, _ := find(key)
		shown := strings.Join(s.get(&l.Config), ",")
		if key == "repo.url" && strings.Contains(shown, "@") {
			shown = "" // there may be a password in it
		}
		errs = append(errs, &Error{Key: key, Value: shown, Source: l.Sources[key], Problem: problem, Allowed: allowed})
	}
	if !IsLoopback(l.Listen) && len(l.Users) == 0 {
		refuse("listen", "others could reach this address, and no users are configured",
			"127.0.0.1:PORT, or users in the configuration file: \"users: [{name: alice, token_sha256: HASH}]\" (openssl rand -hex 32 makes a token, printf %s TOKEN | sha256sum its hash)")
	}
	if !IsLoopback(l.Listen) && len(l.Users) > 0 && len(l.AllowedOrigins) == 0 && !isAddress(l.Listen) {
		refuse("listen", "browsers and clients will call the server by a name that it does not know, and such requests are refused",
			"the same, with the outside origin in allowed_origins, such as https://pods.example.org; or one address, such as 192.0.2.7:PORT")
	}
	if l.MaxTerminalsPerUser > l.MaxTerminals {
		refuse("max_terminals_per_user", fmt.Sprintf("is above max_terminals, which is %d (%s)", l.MaxTerminals, l.Sources["max_terminals"]), "1 to max_terminals")
	}
	if len(l.Images) > 0 && !slices.Contains(l.Images, l.Image) {
		refuse("images", fmt.Sprintf("image is not among them, which is %s (%s)", l.Image, l.Sources["image"]), "a list with image in it, or an empty one")
	}
	switch most := l.MaxPods + 1; {
	case l.MaxRunningPods <= most:
	case l.Sources["max_running_pods"] == "default":
		l.MaxRunningPods = most
	default:
		refuse("max_running_pods", fmt.Sprintf("is above what one user can have, which is max_pods (%d, %s) and the one that each has", l.MaxPods, l.Sources["max_pods"]), fmt.Sprintf("0 for no bound, or 1 to %d", most))
	}
	if in.Cores > 0 && l.CPUs > float64(in.Cores) {
		refuse("cpus", fmt.Sprintf("this machine has %d", in.Cores), fmt.Sprintf("0.1 to %d", in.Cores))
	}
	if l.Repo.URL == "" {
		for _, key := range []string{"repo.branch", "repo.dir", "repo.username", "repo.token_file"} {
			if s, _ := find(key); s.get(&l.Config)[0] != "" {
				refuse(key, "is set, but repo.url is not", "empty, or set repo.url too")
			}
		}
		if len(errs) > 0 {
			return errs
		}
	}
	recipe, err := l.Recipe()
	if err == nil {
		err = boot.ValidateRequest(l.request(recipe))
	}
	var bad *boot.InvalidError
	if errors.As(err, &bad) {
		key := bad.Field
		if renamed, ok := map[string]string{"username": "repo.username", "token": "repo.token_file"}[key]; ok {
			key = renamed
		}
		s, _ := find(key)
		refuse(key, bad.Problem, s.Allowed)
	} else if err != nil {
		refuse("user_script", err.Error(), "")
	}
	return errs
}

// request is what a boot would be asked for with.
func (l *Loaded) request(recipe boot.Recipe) boot.Request {
	r := boot.NewRequest("x", 1, boot.Script(), recipe)
	r.Username, r.Token = l.Repo.Username, l.placeholder()
	return r
}

// placeholder stands for the token where only its presence matters.
func (l *Loaded) placeholder() string {
	if l.Repo.TokenFile == "" {
		return ""
	}
	return "x"
}

// Servable says why a configuration that loads cannot be served with: secrets that were hidden when it was printed.
func (l *Loaded) Servable() error {
	for i, u := range l.Users {
		if u.TokenSHA256 == Hidden {
			return &Error{
				Key: fmt.Sprintf("users[%d].token_sha256", i), Source: l.Sources["users"],
				Problem: fmt.Sprintf("the hash of %s was hidden when this configuration was printed: put it back in", u.Name), Allowed: tokenAllowed,
			}
		}
	}
	return nil
}

// strangeVariables warns of variables that look like a misspelt setting.
func strangeVariables(in Input) []string {
	known := map[string]bool{}
	for _, s := range Settings() {
		known[s.Env] = true
	}
	warn := map[string]bool{}
	for _, kv := range in.Environ {
		name, _, _ := strings.Cut(kv, "=")
		rest, ours := strings.CutPrefix(name, EnvPrefix)
		if !ours || known[name] || slices.Contains(otherVariables(), name) {
			continue
		}
		if s, ok := find(nearest(rest)); ok {
			warn[fmt.Sprintf("the variable %s is no setting; did you mean %s?", name, s.Env)] = true
		}
	}
	return slices.Sorted(maps.Keys(warn))
}

// otherVariables are of ours, but no settings of the server.
func otherVariables() []string {
	return []string{EnvPrefix + "CONFIG", EnvPrefix + "SERVER", EnvPrefix + "TOKEN_FILE", EnvPrefix + "TAB"}
}
