package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/url"
	"os"
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	maxSecret     = 4 << 10
	maxUserScript = 256 << 10
)

func checkListen(s string) error {
	host, port, err := net.SplitHostPort(s)
	if err != nil {
		return errors.New("is not host:port")
	}
	if n, err := strconv.Atoi(port); err != nil || n < 0 || n > 65535 {
		return errors.New("has no port between 0 and 65535")
	}
	if strings.ContainsAny(host, " /@") {
		return errors.New("has no valid host")
	}
	return nil
}

// IsLoopback says whether only this machine can reach a listen address. A name other than localhost could be any address, so it does not count.
func IsLoopback(listen string) bool {
	host, _, err := net.SplitHostPort(listen)
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// isAddress says whether a listen address is one IP address, by which clients can then call it: not a name, and not "all of them".
func isAddress(listen string) bool {
	host, _, err := net.SplitHostPort(listen)
	ip := net.ParseIP(host)
	return err == nil && ip != nil && !ip.IsUnspecified()
}

// checkImage takes a name of at most 255 characters, with a registry's host or without, and behind it a tag, a digest, or both.
func checkImage() func(string) error {
	const host, part = `([A-Za-z0-9][A-Za-z0-9.-]*(:[0-9]{1,5})?/)?`, `[a-z0-9]+((\.|_{1,2}|-+)[a-z0-9]+)*`
	form := matches(`^` + host + part + `(/` + part + `)*(:[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(@sha256:[0-9a-f]{64})?$`)
	return func(s string) error {
		if name, _, _ := strings.Cut(s, "@"); len(name) > 255 {
			return errors.New("is too long")
		}
		return form(s)
	}
}

func checkFolder(s string) error {
	if s == "" {
		return errors.New("is empty")
	}
	info, err := os.Stat(s)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // made on first start
	}
	if err != nil {
		return reason(err)
	}
	if !info.IsDir() {
		return errors.New("is not a folder")
	}
	return nil
}

func checkDockerHost(s string) error {
	u, err := url.Parse(s)
	if err != nil || u.User != nil {
		return errors.New("has another form")
	}
	switch {
	case u.Scheme == "unix" && u.Host == "" && strings.HasPrefix(u.Path, "/"):
		return nil
	case u.Scheme == "tcp" && u.Host != "" && u.Port() != "":
		return nil
	}
	return errors.New("has another form")
}

func checkOrigin(s string) error {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || s != u.Scheme+"://"+strings.ToLower(u.Host) || strings.Contains(u.Host, "*") {
		return fmt.Errorf("%.100q has another form", s)
	}
	return nil
}

func checkScriptFile(s string) error {
	_, err := readSmall(s, maxUserScript)
	return err
}

func checkSecretFile(s string) error {
	_, err := ReadSecret(s)
	return err
}

// ReadSecret reads a file that holds one secret: at most 4 KiB, one line, readable by its owner only. Its errors do not show the content.
func ReadSecret(name string) (string, error) {
	b, err := readSmall(name, maxSecret)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(name)
	if err != nil {
		return "", reason(err)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return "", fmt.Errorf("can be read by others (mode %#o): chmod 600 %s", info.Mode().Perm(), name)
	}
	s := strings.TrimSpace(string(b))
	switch {
	case s == "":
		return "", errors.New("is empty")
	case !utf8.ValidString(s), strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == 0x7f }):
		return "", errors.New("holds more than one word")
	}
	return s, nil
}

// readSmall reads a regular file of at most so many bytes.
func readSmall(name string, most int64) ([]byte, error) {
	info, err := os.Stat(name) // before opening: opening a pipe would wait for a writer
	if err != nil {
		return nil, reason(err)
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("is not a regular file")
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, reason(err)
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, most+1))
	if err != nil {
		return nil, reason(err)
	}
	if int64(len(b)) > most {
		return nil, fmt.Errorf("has more than %d bytes", most)
	}
	return b, nil
}

// reason leaves out the path, which the setting's value shows already.
func reason(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return fmt.Errorf("cannot be read: %w", pe.Err)
	}
	return err
}
