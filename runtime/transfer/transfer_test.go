package transfer_test

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"podlife/runtime/transfer"
)

func write(t *testing.T, name, content string, mode fs.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(name, mode); err != nil {
		t.Fatal(err)
	}
}

func carried(t *testing.T, from, to string) (packed, unpacked transfer.Report) {
	t.Helper()
	var b bytes.Buffer
	packed, err := transfer.Pack(t.Context(), &b, from, nil)
	if err != nil {
		t.Fatal(err)
	}
	folder, name, err := transfer.Place(to, filepath.Base(from))
	if err != nil {
		t.Fatal(err)
	}
	if unpacked, err = transfer.Unpack(t.Context(), &b, folder, name, nil); err != nil {
		t.Fatal(err)
	}
	return packed, unpacked
}

func TestAFolderArrivesAsItWas(t *testing.T) {
	from, to := filepath.Join(t.TempDir(), "project"), t.TempDir()
	when := time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)
	write(t, from+"/a file", "one\n", 0o640)
	write(t, from+"/bin/run", "#!/bin/sh\n", 0o755)
	write(t, from+"/deep/er/empty", "", 0o600)
	long := strings.Repeat("long-", 40)
	write(t, from+"/"+long, strings.Repeat("x", 100_000), 0o444)
	for _, err := range []error{
		os.Symlink("a file", from+"/link"), os.Symlink("/etc/passwd", from+"/out"), unix.Mkfifo(from+"/pipe", 0o600),
		os.Chmod(from+"/deep", 0o500), os.Chtimes(from+"/bin/run", when, when), os.Chtimes(from+"/bin", when, when),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	packed, unpacked := carried(t, from, to)
	if len(packed.Skipped) != 1 || packed.Files != 6 || packed.Folders != 4 || unpacked.Files != packed.Files || unpacked.Folders != packed.Folders || unpacked.Bytes != packed.Bytes {
		t.Errorf("packed %+v, unpacked %+v", packed, unpacked)
	}
	to += "/project"
	for name, want := range map[string]struct {
		mode    fs.FileMode
		content string
	}{
		"a file": {0o640, "one\n"}, "bin/run": {0o755, "#!/bin/sh\n"}, "deep/er/empty": {0o600, ""}, long: {0o444, strings.Repeat("x", 100_000)},
	} {
		got, err := os.ReadFile(filepath.Join(to, name))
		info, serr := os.Stat(filepath.Join(to, name))
		if err != nil || serr != nil || string(got) != want.content || info.Mode() != want.mode {
			t.Errorf("%.20s: %d bytes, %v, %v", name, len(got), info, errors.Join(err, serr))
		}
	}
	for name, want := range map[string]string{"link": "a file", "out": "/etc/passwd"} {
		if got, err := os.Readlink(filepath.Join(to, name)); err != nil || got != want {
			t.Errorf("%s leads to %q, %v", name, got, err)
		}
	}
	for _, name := range []string{"bin", "bin/run"} {
		if info, err := os.Stat(filepath.Join(to, name)); err != nil || !info.ModTime().Equal(when) {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
	if info, err := os.Stat(to + "/deep"); err != nil || info.Mode().Perm() != 0o500 {
		t.Errorf("deep: %v, %v", info, err)
	}
}

func TestWhereThingsLand(t *testing.T) {
	dir := t.TempDir()
	write(t, dir+"/there/file", "old", 0o600)
	for _, c := range []struct{ to, own, folder, name, refused string }{
		{"there", "x", "there", "x", ""},
		{"there/", "x", "there", "x", ""},
		{"new", "x", ".", "new", ""},
		{"there/file", "x", "there", "file", ""},
		{"there/file/", "x", "", "", "no"},
		{"new/", "x", "", "", "no folder"},
		{"nowhere/new", "x", "", "", "the folder nowhere, in which new is to be, is not there"},
		{"there/file/new", "x", "", "", "not a directory"},
		{"there", "/", "", "", "no name"},
		{"there", "..", "", "", "no name"},
	} {
		t.Chdir(dir)
		folder, name, err := transfer.Place(c.to, c.own)
		if c.refused != "" {
			if err == nil || !strings.Contains(err.Error(), c.refused) {
				t.Errorf("%s, %s: %q %q %v", c.to, c.own, folder, name, err)
			}
			continue
		}
		if filepath.Clean(folder) != c.folder || name != c.name || err != nil {
			t.Errorf("%s, %s: %q %q %v", c.to, c.own, folder, name, err)
		}
	}
}

// entries makes a stream of what somebody else might send.
func entries(t *testing.T, hs ...tar.Header) io.Reader {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, h := range append(hs, tar.Header{Typeflag: tar.TypeReg, Name: "over"}) {
		content := ""
		if h.Typeflag == tar.TypeReg {
			content = "hostile"
			h.Size = int64(len(content))
		}
		h.Mode = 0o4777
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, content); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return &b
}

func TestNothingLandsOutside(t *testing.T) {
	dir := tar.Header{Typeflag: tar.TypeDir, Name: "it"}
	for what, hs := range map[string][]tar.Header{
		"a name with ..":            {dir, {Typeflag: tar.TypeReg, Name: "it/../../evil"}},
		"a name beside the root":    {dir, {Typeflag: tar.TypeReg, Name: "evil"}},
		"an absolute name":          {dir, {Typeflag: tar.TypeReg, Name: "/tmp/evil"}},
		"a name that begins alike":  {dir, {Typeflag: tar.TypeReg, Name: "itevil"}},
		"the root twice":            {dir, {Typeflag: tar.TypeReg, Name: "it"}},
		"no root":                   {{Typeflag: tar.TypeReg, Name: "it/evil"}},
		"through a link":            {dir, {Typeflag: tar.TypeSymlink, Name: "it/l", Linkname: "../.."}, {Typeflag: tar.TypeReg, Name: "it/l/evil"}},
		"through an absolute link":  {dir, {Typeflag: tar.TypeSymlink, Name: "it/l", Linkname: "/tmp"}, {Typeflag: tar.TypeReg, Name: "it/l/evil"}},
		"a folder behind a link":    {dir, {Typeflag: tar.TypeSymlink, Name: "it/l", Linkname: "../.."}, {Typeflag: tar.TypeDir, Name: "it/l/evil"}},
		"a link in place of a root": {{Typeflag: tar.TypeSymlink, Name: "it", Linkname: ".."}, {Typeflag: tar.TypeReg, Name: "it/evil"}},
		"a device":                  {{Typeflag: tar.TypeChar, Name: "it"}},
		"a hard link":               {dir, {Typeflag: tar.TypeLink, Name: "it/evil", Linkname: "/etc/passwd"}},
	} {
		t.Run(what, func(t *testing.T) {
			outer := t.TempDir()
			if err := os.Mkdir(outer+"/in", 0o755); err != nil {
				t.Fatal(err)
			}
			_, err := transfer.Unpack(t.Context(), entries(t, hs...), outer+"/in", "x", nil)
			if err == nil {
				t.Error("it was taken")
			}
			for _, evil := range []string{outer + "/evil", filepath.Dir(outer) + "/evil", "/tmp/evil", outer + "/in/evil"} {
				if _, err := os.Lstat(evil); err == nil {
					t.Errorf("%s is there", evil)
				}
			}
		})
	}
	t.Run("set-user-id", func(t *testing.T) {
		to := t.TempDir()
		if _, err := transfer.Unpack(t.Context(), entries(t, tar.Header{Typeflag: tar.TypeReg, Name: "it"}), to, "x", nil); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(to + "/x"); err != nil || info.Mode() != 0o777 {
			t.Errorf("%v, %v", info, err)
		}
	})
}

func TestWhatIsNotWholeReplacesNothing(t *testing.T) {
	from, to := t.TempDir()+"/f", t.TempDir()
	write(t, from, strings.Repeat("new", 10_000), 0o600)
	write(t, to+"/f", "old", 0o600)
	var b bytes.Buffer
	if _, err := transfer.Pack(t.Context(), &b, from, nil); err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{0, 100, 512, 2000, 20_000} {
		_, err := transfer.Unpack(t.Context(), bytes.NewReader(b.Bytes()[:n]), to, "f", nil)
		if !errors.Is(err, transfer.ErrStream) {
			t.Errorf("%d bytes: %v", n, err)
		}
		left, err := os.ReadDir(to)
		got, rerr := os.ReadFile(to + "/f")
		if err != nil || rerr != nil || len(left) != 1 || string(got) != "old" {
			t.Errorf("after %d bytes: %d files, %.10q, %v", n, len(left), got, errors.Join(err, rerr))
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := transfer.Unpack(ctx, &b, to, "f", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// What says that it is empty and has something in it, as files below /proc do, is not copied as nothing.
func TestAFileWithoutASizeOfItsOwnIsNotCopiedAsNothing(t *testing.T) {
	var stream bytes.Buffer
	report, err := transfer.Pack(t.Context(), &stream, "/proc/self/status", nil)
	if err == nil || !strings.Contains(err.Error(), "/proc/self/status") || !strings.Contains(err.Error(), "cat") || report.Files != 0 {
		t.Errorf("%+v, %v", report, err)
	}
	empty := filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if report, err := transfer.Pack(t.Context(), &stream, empty, nil); err != nil || report.Files != 1 {
		t.Errorf("one that is empty: %+v, %v", report, err)
	}
	if report, err := transfer.Pack(t.Context(), &stream, "/proc/self/net/stat", nil); err != nil || len(report.Skipped) == 0 || report.Bytes != 0 {
		t.Errorf("a folder of such files: %+v, %v", report, err)
	}
}

func TestAFolderIsNoFile(t *testing.T) {
	from, to := t.TempDir(), t.TempDir()
	write(t, from+"/f", "x", 0o600)
	write(t, to+"/d/keep", "x", 0o600)
	var file, dir bytes.Buffer
	_, err := transfer.Pack(t.Context(), &file, from+"/f", nil)
	_, derr := transfer.Pack(t.Context(), &dir, from, nil)
	if err := errors.Join(err, derr); err != nil {
		t.Fatal(err)
	}
	if _, err := transfer.Unpack(t.Context(), &file, to, "d", nil); err == nil || !strings.Contains(err.Error(), "is a folder") {
		t.Errorf("a file over a folder: %v", err)
	}
	if _, err := transfer.Unpack(t.Context(), &dir, to+"/d", "keep", nil); err == nil || !strings.Contains(err.Error(), "no folder") {
		t.Errorf("a folder over a file: %v", err)
	}
}

// A device, as /dev/null is one, must not become a file.
func TestWhatIsNoFileIsNotReplaced(t *testing.T) {
	from, to := t.TempDir()+"/f", t.TempDir()
	write(t, from, "content", 0o600)
	if err := unix.Mkfifo(to+"/pipe", 0o600); err != nil {
		t.Fatal(err)
	}
	var stream bytes.Buffer
	if _, err := transfer.Pack(t.Context(), &stream, from, nil); err != nil {
		t.Fatal(err)
	}
	_, err := transfer.Unpack(t.Context(), &stream, to, "pipe", nil)
	if err == nil || !strings.Contains(err.Error(), "pipe is there, and is a device, a socket or a pipe") {
		t.Errorf("%v", err)
	}
	if info, err := os.Lstat(to + "/pipe"); err != nil || info.Mode().Type() != fs.ModeNamedPipe {
		t.Errorf("it is %v now, %v", info, err)
	}
	if left, err := os.ReadDir(to); err != nil || len(left) != 1 {
		t.Errorf("left: %v, %v", left, err)
	}
}
