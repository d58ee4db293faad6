package main

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"podlife/runtime/client"
	"podlife/runtime/config"
)

const defaultServer = "http://127.0.0.1:7500"

// remote says which server a client command talks to, as whom, and of which pod.
type remote struct {
	m                  *Main
	cmd                *cobra.Command
	serverURL, tokFile string
	addressFrom        string // where serverURL is from
	pod                string // as the command line names it; "" is not
	ofPod              bool   // the command acts on a pod, also where none is named
	cl                 *client.Client
}

const remoteHelp = `

The server is --server or PODLIFE_SERVER, else the one that runs on this machine
(its address is in <data_dir>/address), else ` + defaultServer + `. The token is the
content of --token-file or PODLIFE_TOKEN_FILE, else of <data_dir>/token. <data_dir> is
PODLIFE_DATA_DIR, else /var/lib/podlife for root and ~/.local/share/podlife for others.`

// addRemote gives a client command its flags.
func (m *Main) addRemote(c *cobra.Command) *remote {
	r := &remote{m: m, cmd: c}
	c.Flags().StringVar(&r.serverURL, "server", "", "the server's `URL` (PODLIFE_SERVER)")
	c.Flags().StringVar(&r.tokFile, "token-file", "", "the `file` with the token (PODLIFE_TOKEN_FILE)")
	c.Long += remoteHelp
	return r
}

const podHelp = `

The pod is --pod or PODLIFE_POD, else the one named ` + client.DefaultPod + `, which every user has.`

// addPodRemote gives its flags to a client command that acts on a pod.
func (m *Main) addPodRemote(c *cobra.Command) *remote {
	c.Long += podHelp
	r := m.addRemote(c)
	r.ofPod = true
	c.Flags().StringVar(&r.pod, "pod", "", "the pod's `name` (PODLIFE_POD; the pod default if not said)")
	r.completes("pod", r.podNames)
	return r
}

// named takes the pod's name from the arguments, if it is there; --pod, if said too, has to say the same.
func (r *remote) named(args []string) error {
	if len(args) == 0 {
		return nil
	}
	if r.pod != "" && r.pod != args[0] {
		return &usageError{fmt.Errorf("two pods are named, %.60q and %.60q", args[0], r.pod)}
	}
	if err := client.CheckPodName(args[0]); err != nil {
		return &usageError{err}
	}
	r.pod = args[0]
	return nil
}

// podName is the name of the pod that the command acts on.
func (r *remote) podName() (name, from string) {
	if r.pod != "" {
		return r.pod, ""
	}
	if v := r.env("PODLIFE_POD"); r.ofPod && v != "" {
		return v, "PODLIFE_POD: "
	}
	return client.DefaultPod, ""
}

// checkPod is a usage error where the pod's name cannot be one.
func (r *remote) checkPod() error {
	if f := r.cmd.Flags().Lookup("pod"); f != nil && f.Changed && r.pod == "" && f.NoOptDefVal == "" {
		return &usageError{errors.New("--pod names no pod")} // a variable that is not set must not mean another pod
	}
	name, from := r.podName()
	if err := client.CheckPodName(name); err != nil {
		return &usageError{fmt.Errorf("%s%w", from, err)}
	}
	return nil
}

// called is what a person calls the pod: the name that was given to it, or, for the default one, its id.
func (r *remote) called(id string) string {
	if name, _ := r.podName(); name != client.DefaultPod {
		return name
	}
	return id
}

// again is a command of podlife that acts on the same pod.
func (r *remote) again(command string) string {
	if r.pod != "" && r.pod != client.DefaultPod {
		return "podlife " + command + " --pod " + r.pod
	}
	return "podlife " + command
}

func (r *remote) env(name string) string {
	v := ""
	for _, kv := range r.m.Environ {
		if k, val, ok := strings.Cut(kv, "="); ok && k == name {
			v = val
		}
	}
	return v
}

// address gives the server's URL, and where it is from.
func (r *remote) address(dataDir string) (url, from string) {
	if r.serverURL != "" {
		return r.serverURL, "--server"
	}
	if v := r.env("PODLIFE_SERVER"); v != "" {
		return v, "PODLIFE_SERVER"
	}
	file := filepath.Join(dataDir, "address")
	if b, err := os.ReadFile(file); err == nil && len(b) < 300 && len(b) > 0 {
		return strings.TrimSpace(string(b)), file
	}
	return defaultServer, "the default, as no server has written " + file
}

// client gives a client for the server.
func (r *remote) client() (*client.Client, error) {
	if err := r.checkPod(); err != nil {
		return nil, err
	}
	pod, _ := r.podName()
	dataDir := config.ProcessInput(r.m.Environ).DataDir()
	url, from := r.address(dataDir)
	r.serverURL, r.addressFrom = url, from
	if r.tokFile == "" {
		r.tokFile = r.env("PODLIFE_TOKEN_FILE")
	}
	if r.tokFile == "" {
		r.tokFile = config.TokenFile(dataDir)
	}
	token, err := config.ReadSecret(r.tokFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &codeError{code: exitRefused, text: fmt.Sprintf("there is no token in %s: podlife serve makes it on its first start; for a server with another folder, set PODLIFE_DATA_DIR, or name the file with --token-file", r.tokFile), err: err}
	case err != nil:
		return nil, &codeError{code: exitRefused, text: fmt.Sprintf("the token file %s %v; name another with --token-file", r.tokFile, err), err: err}
	}
	c, err := client.New(client.Options{BaseURL: url, Token: token, Pod: pod})
	if err != nil {
		return nil, &usageError{fmt.Errorf("%w (from %s)", err, from)}
	}
	r.cl = c
	return c, nil
}

// explain turns an error of a call into a sentence with the next step, and keeps its exit code.
func (r *remote) explain(err error) error {
	var problem *client.Problem
	var unreachable *client.Unreachable
	var strange *client.ProtocolError
	switch {
	case errors.As(err, &unreachable):
		return &codeError{code: exitUnreachable, text: fmt.Sprintf("no server answers at %s, which is from %s (%s): start one with podlife serve, or say where it is with --server, or its folder with PODLIFE_DATA_DIR", r.serverURL, r.addressFrom, innermost(unreachable)), err: err}
	case errors.As(err, &strange):
		return &codeError{code: exitFailed, text: fmt.Sprintf("what answers at %s is not a podlife server, or one of another version: %v", r.serverURL, err), err: err}
	case errors.As(err, &problem) && problem.Status == http.StatusUnauthorized:
		return &codeError{code: exitRefused, text: fmt.Sprintf("the server at %s does not know the token in %s: name the file of the right one with --token-file", r.serverURL, r.tokFile), err: err}
	case errors.As(err, &problem) && problem.Code == "":
		return &codeError{code: exitFailed, text: fmt.Sprintf("what answers at %s is not a podlife server, or one of another version: %s", r.serverURL, printable(problem.Error())), err: err}
	case errors.As(err, &problem):
		if text := r.aboutPod(problem); text != "" {
			return &codeError{code: problemExit(problem), text: text, err: err}
		}
	}
	return err
}

// aboutPod is a sentence with the next step for what a server says of a pod by a code; "" where its own words say all there is.
func (r *remote) aboutPod(p *client.Problem) string {
	name, _ := r.podName()
	switch p.Code {
	case client.CodeNoPod:
		text := fmt.Sprintf("there is no pod %s", name)
		if near := nearestName(name, r.podNames()); near != "" {
			return text + "; did you mean " + near + "?"
		}
		return text + ": podlife ls lists those that there are, podlife create " + name + " makes it"
	case client.CodeNameTaken:
		if name == client.DefaultPod {
			return "there is a pod default already: every user has it"
		}
		return fmt.Sprintf("there is a pod %s already: podlife status %s shows it, podlife rm %s removes it", name, name, name)
	case client.CodePodGoing:
		return fmt.Sprintf("the pod %s is being removed: podlife ls shows when it is gone", name)
	case client.CodeDefaultPod:
		return defaultStays
	case client.CodeStillRemoving:
		return printable(fmt.Sprintf("the pod %s is not gone yet, and its removal goes on (podlife ls shows it): %s", name, p.Detail))
	}
	return ""
}

// defaultStays is why one pod cannot be removed.
const defaultStays = "the pod default is there for good: podlife stop default puts it to sleep and wipes its disk"

// atMostOneName refuses more than one argument.
func atMostOneName(cmd *cobra.Command, args []string) error {
	if len(args) > 1 {
		return &usageError{fmt.Errorf("%s takes one name at most, got %.60q; see %s --help", cmd.CommandPath(), args, cmd.CommandPath())}
	}
	return nil
}

// oneName wants the name of one thing as the argument.
func oneName(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != 1 {
			return &usageError{fmt.Errorf("%s wants the name of one %s, got %d; see %s --help", cmd.CommandPath(), what, len(args), cmd.CommandPath())}
		}
		return nil
	}
}

// noArgs refuses arguments of a command that takes none.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return &usageError{fmt.Errorf("%s takes no arguments, got %.60q; see %s --help", cmd.CommandPath(), args, cmd.CommandPath())}
	}
	return nil
}
