package outlive

import (
	"archive/tar"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"time"
)

// oddNames are what programs trip over: some are options, patterns, lines or no text at all, and some are what the product itself has elsewhere.
func oddNames() []string {
	return []string{
		" ", "a b", "-rf", "--", "*", "?", "$HOME", "`id`", "'", `"`, `\`, `a\nb`, "two\nlines", "tab\there", "bell\a", "\x1b[31m", "ü", "日本語", "e\u0301", "\xff\xfe", ".", "..hidden", "trailing ", "CON",
		"marker", ".podlife", "lost+found", strings.Repeat("n", 255), strings.Repeat("ü", 127),
	}
}

// tree writes the files of a home, drawn from r, as a tar archive.
type tree struct {
	w     *tar.Writer
	r     *rand.Rand
	noise *rand.ChaCha8 // the contents
	files []string      // regular ones, which links can name
	n     int           // entries in all
	bytes int64
}

// writeTree writes a home with so many bytes in its files, in an archive that tar -xp takes. n is how many entries it has.
func writeTree(w io.Writer, r *rand.Rand, size int64) (n int, err error) {
	var seed [32]byte
	for i := range seed {
		seed[i] = byte(r.Uint32())
	}
	t := &tree{w: tar.NewWriter(w), r: r, noise: rand.NewChaCha8(seed)}
	for _, part := range []func(int64) error{t.sizes, t.small, t.odd, t.deep, t.links, t.modes, t.large} {
		if err := part(size); err != nil {
			return t.n, err
		}
	}
	return t.n, t.w.Close()
}

// put writes one entry. The GNU format takes names that are no text.
func (t *tree) put(h tar.Header) error {
	h.Format, h.ModTime = tar.FormatGNU, time.Unix(t.r.Int64N(2e9), 0)
	if h.Mode == 0 {
		h.Mode = 0o644
	}
	t.n++
	if err := t.w.WriteHeader(&h); err != nil {
		return fmt.Errorf("entry %q: %w", h.Name, err)
	}
	if h.Typeflag != tar.TypeReg {
		return nil
	}
	t.files = append(t.files, h.Name)
	t.bytes += h.Size
	_, err := io.CopyN(t.w, t.noise, h.Size)
	return err
}

func (t *tree) file(name string, size int64) error {
	return t.put(tar.Header{Typeflag: tar.TypeReg, Name: name, Size: size})
}

// folder gives a random place, a few levels deep.
func (t *tree) folder() string {
	var b strings.Builder
	b.WriteString("files/")
	for range t.r.IntN(5) {
		fmt.Fprintf(&b, "d%d/", t.r.IntN(4))
	}
	return b.String()
}

// sizes are those around which blocks, pages and buffers begin.
func (t *tree) sizes(int64) error {
	for _, around := range []int64{1, 512, 4096, 64 << 10, 128 << 10, 1 << 20} {
		for size := around - 1; size <= around+1; size++ {
			if err := t.file(fmt.Sprintf("sizes/%d", size), size); err != nil {
				return err
			}
		}
	}
	return nil
}

// small are as many as a project has.
func (t *tree) small(size int64) error {
	for i := range min(3000, 100+size/(400<<10)) {
		if err := t.file(fmt.Sprintf("%ss%d", t.folder(), i), t.r.Int64N(3000)); err != nil {
			return err
		}
	}
	return nil
}

func (t *tree) odd(int64) error {
	for i, name := range oddNames() {
		if name == "." {
			continue // it is the folder itself
		}
		if err := t.file(fmt.Sprintf("odd/%d/%s", i, name), t.r.Int64N(100)); err != nil {
			return err
		}
		if err := t.put(tar.Header{Typeflag: tar.TypeDir, Name: fmt.Sprintf("odd/%d/in/%s/", i, name), Mode: 0o750}); err != nil {
			return err
		}
	}
	return nil
}

func (t *tree) deep(int64) error {
	return t.file("deep/"+strings.Repeat("a-folder-in-a-folder/", 120)+"end", 77)
}

// links are to what is there, to what is not, to outside of the home, and in a circle; and further names of the same file.
func (t *tree) links(int64) error {
	for i, to := range []string{"1", "../sizes/4096", "nothing", "/etc/passwd", "/root", "..", "6", "5", "two\nlines", strings.Repeat("x", 1000), "/var/lib/podlife/marker"} {
		if err := t.put(tar.Header{Typeflag: tar.TypeSymlink, Name: fmt.Sprintf("links/%d", i), Linkname: to, Mode: 0o777}); err != nil {
			return err
		}
	}
	for i := range 20 {
		to := t.files[t.r.IntN(len(t.files))]
		if err := t.put(tar.Header{Typeflag: tar.TypeLink, Name: fmt.Sprintf("links/hard%d", i), Linkname: to}); err != nil {
			return err
		}
	}
	return t.put(tar.Header{Typeflag: tar.TypeFifo, Name: "links/fifo", Mode: 0o622})
}

// modes are of files and folders, with owners that the container has no name for.
func (t *tree) modes(int64) error {
	for i, mode := range []int64{0o400, 0o444, 0o600, 0o640, 0o755, 0o777, 0o111, 0o4755, 0o2755, 0o6711} {
		if err := t.put(tar.Header{Typeflag: tar.TypeReg, Name: fmt.Sprintf("modes/f%d", i), Mode: mode, Size: 9, Uid: i * 1000, Gid: i * 7}); err != nil {
			return err
		}
	}
	for i, mode := range []int64{0o500, 0o700, 0o1777, 0o2775, 0o111} {
		if err := t.put(tar.Header{Typeflag: tar.TypeDir, Name: fmt.Sprintf("modes/d%d/", i), Mode: mode, Uid: i * 1000, Gid: i * 7}); err != nil {
			return err
		}
	}
	return nil
}

// large fills up to the size: each file is of any order of magnitude, so that there are many small and few large ones.
func (t *tree) large(size int64) error {
	most := math.Log(float64(max(size/10, 2)))
	for i := 0; t.bytes < size; i++ {
		n := min(int64(math.Exp(t.r.Float64()*most)), size-t.bytes)
		if err := t.file(fmt.Sprintf("%sl%d", t.folder(), i), n); err != nil {
			return err
		}
	}
	return nil
}
