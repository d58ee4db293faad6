package source

// GitEnv is the environment for a git that is to reach https alone and that through the proxy; with it also what git starts, such as clones of submodules, for which it forgets what it was given by -c. It is the whole environment, but for PATH and GIT_SSL_CAINFO: with
// more, git may learn of other ways. It has no password, asks for none, and reads no configuration of the user or the system.
func (x *Proxy) GitEnv() []string {
	env := []string{
		"GIT_ALLOW_PROTOCOL=https",
		"GIT_CONFIG_NOSYSTEM=1",
		"GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_TERMINAL_PROMPT=0",
		"HOME=/nonexistent", // curl looks there for passwords, in .netrc
		"NO_PROXY=",         // whoever adds an environment after all does not exempt hosts by it
		"no_proxy=",
	}
	for _, name := range []string{"https_proxy", "HTTPS_PROXY", "http_proxy", "all_proxy", "ALL_PROXY"} {
		env = append(env, name+"="+x.URL())
	}
	return env
}
