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

	"golang.org/x/sys/unix"
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

// Relay gives in and out, which the engine has connected with a server, to the host behind the socket, and returns when the host has let go of them: it is what the engine starts in a container for a server.
// No byte of the server's passes through this process: it is there so that the engine has one to end. It is admitted first, and closes itself off.
// The end of in, which is what a server that has gone leaves, ends it. The error says why it came to nothing.
func Relay(ctx context.Context, path string, in, out *os.File) error {
	var d net.Dialer
	dialed, err := d.DialContext(ctx, "unix", path)
	if err != nil {
		return err
	}
	c := dialed.(*net.UnixConn)
	defer c.Close()
	defer context.AfterFunc(ctx, func() { c.Close() })()
	if err := beAdmitted(c, in, out); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, c) // nothing comes but the end
	if errors.Is(err, net.ErrClosed) {
		return ctx.Err()
	}
	return err
}

// beAdmitted waits for the host's yes, closes this process off, and hands the files over.
func beAdmitted(c *net.UnixConn, in, out *os.File) error {
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
	if _, _, err := c.WriteMsgUnix([]byte{closed}, unix.UnixRights(int(in.Fd()), int(out.Fd())), nil); err != nil {
		return err
	}
	return c.SetDeadline(time.Time{})
}

// receive takes a relay's last word, and the two files that come with it.
func receive(relay *net.UnixConn) ([]*os.File, error) {
	var b [1]byte
	oob := make([]byte, unix.CmsgSpace(2*4)) // two numbers of files; the kernel drops what is more, and says so
	n, control, flags, _, err := relay.ReadMsgUnix(b[:], oob)
	files, filesErr := parseFiles(oob[:control])
	switch {
	case err != nil, n != 1, b[0] != closed:
		err = fmt.Errorf("it does not close itself off: %v", err)
	case filesErr != nil:
		err = filesErr
	case len(files) != 2, flags&unix.MSG_CTRUNC != 0:
		err = errors.New("it does not hand over two files")
	}
	if err != nil {
		closeAll(files)
		return nil, fmt.Errorf("%w: %w", ErrNotAdmitted, err)
	}
	return files, nil
}

// parseFiles takes the files out of a message's control data. Also with an error, those that it gives are to be closed.
func parseFiles(oob []byte) (files []*os.File, err error) {
	messages, err := unix.ParseSocketControlMessage(oob)
	for _, m := range messages {
		fds, rightsErr := unix.ParseUnixRights(&m)
		err = errors.Join(err, rightsErr)
		for _, fd := range fds {
			// Without this a read or a write would not end with Close. It holds for the relay too, which does neither.
			err = errors.Join(err, unix.SetNonblock(fd, true))
			files = append(files, os.NewFile(uintptr(fd), "relayed"))
		}
	}
	return files, err
}

func closeAll(files []*os.File) {
	for _, f := range files {
		_ = f.Close() // nothing was written
	}
}

// handed is a connection of the two files that a relay has handed over. It ends with them, or with the relay.
type handed struct {
	in, out *os.File
	relay   net.Conn
}

func newHanded(relay net.Conn, files []*os.File) *handed {
	h := &handed{in: files[0], out: files[1], relay: relay}
	go func() { // ends with Close, or when the relay does
		_, _ = io.Copy(io.Discard, relay)
		_ = h.Close() // it is over either way
	}()
	return h
}

// Read gives what the server says.
func (h *handed) Read(b []byte) (int, error) { return h.in.Read(b) }

// Write says something to the server.
func (h *handed) Write(b []byte) (int, error) { return h.out.Write(b) }

// Close lets go of the files, and of the relay, which ends.
func (h *handed) Close() error {
	return errors.Join(h.in.Close(), h.out.Close(), h.relay.Close())
}
