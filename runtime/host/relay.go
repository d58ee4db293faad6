package host

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Listen makes the socket. A path that begins with @ is no file but a name in the network's namespace, which nobody can take away, and which everybody there may connect to. Any other is in a folder of
// ours, for this user alone; what is there of an earlier life is replaced.
func Listen(path string) (net.Listener, error) {
	if strings.HasPrefix(path, "@") {
		return net.Listen("unix", path)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(path, 0o600); err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}

// Relay carries bytes between in and out and the host's socket, until either side ends; it is what the engine starts in a container for a server. It is admitted first, and closes itself off.
// The end of in, which is what a server that has gone leaves, ends it. The error says why it came to nothing; the end of a side is none.
func Relay(ctx context.Context, path string, in io.Reader, out io.Writer) error {
	var d net.Dialer
	c, err := d.DialContext(ctx, "unix", path)
	if err != nil {
		return err
	}
	defer c.Close()
	defer context.AfterFunc(ctx, func() { c.Close() })()
	if err := beAdmitted(c); err != nil {
		return err
	}
	// One of the two may be left in a read of standard input, which cannot be taken back: it ends with this process.
	ended := make(chan error, 2)
	go func() {
		_, err := io.Copy(c, in)
		ended <- err
	}()
	go func() {
		_, err := io.Copy(out, c)
		ended <- err
	}()
	err = <-ended
	if errors.Is(err, net.ErrClosed) {
		return ctx.Err()
	}
	return err
}

func beAdmitted(c net.Conn) error {
	if err := c.SetDeadline(time.Now().Add(admitTime)); err != nil {
		return err
	}
	var b [1]byte
	if _, err := io.ReadFull(c, b[:]); err != nil || b[0] != admitted {
		return fmt.Errorf("%w: %v", ErrNotAdmitted, err)
	}
	if err := CloseOff(); err != nil {
		return err
	}
	if _, err := c.Write([]byte{closed}); err != nil {
		return err
	}
	return c.SetDeadline(time.Time{})
}
