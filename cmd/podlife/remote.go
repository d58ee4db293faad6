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

// remote says which server a client command talks to, and as whom.
type remote struct {
	m                  *Main
	serverURL, tokFile string
	addressFrom        string // where serverURL is from
}

const remoteHelp = `

The server is --server or PODLIFE_SERVER, else the one that runs on this machine
(its address is in <data_dir>/address), else ` + defaultServer + `. The token is the
content of --token-file or PODLIFE_TOKEN_FILE, else of <data_dir>/token. <data_dir> is
PODLIFE_DATA_DIR, else /var/lib/podlife for root and ~/.local/share/podlife for others.`

// addRemote gives a client command its flags.
func (m *Main) addRemote(c *cobra.Command) *remote {
	r := &remote{m: m}
	c.Flags().StringVar(&r.serverURL, "server", "", "the server's `URL` (PODLIFE_SERVER)")
	c.Flags().StringVar(&r.tokFile, "token-file", "", "the `file` with the token (PODLIFE_TOKEN_FILE)")
	c.Long += remoteHelp
	return r
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
	c, err := client.New(client.Options{BaseURL: url, Token: token})
	if err != nil {
		return nil, &usageError{fmt.Errorf("%w (from %s)", err, from)}
	}
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
		return &codeError{code: exitFailed, text: fmt.Sprintf("what answers at %s is not a podlife server: %s", r.serverURL, printable(problem.Error())), err: err}
	}
	return err
}

// noArgs refuses arguments of a command that takes none.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return &usageError{fmt.Errorf("%s takes no arguments, got %.60q; see %s --help", cmd.CommandPath(), args, cmd.CommandPath())}
	}
	return nil
}
