package report

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// Freshness says whether a record is of the source that lies beside it.
type Freshness struct {
	Compared  int      // files
	Different []string // of them, or not there
}

// Mark is pass where every file is what the record says; none were compared where there is no source.
func (f Freshness) Mark() Mark {
	switch {
	case len(f.Different) > 0:
		return Failed
	case f.Compared == 0:
		return NotRun
	}
	return Passed
}

// freshness compares the files whose sums are recorded.
func freshness(root string, sums map[string]string) (Freshness, error) {
	var f Freshness
	if root == "" {
		return f, nil
	}
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return f, err
		}
		f.Compared++
		if sum := sha256.Sum256(data); err != nil || hex.EncodeToString(sum[:]) != sums[name] {
			f.Different = append(f.Different, name)
		}
	}
	return f, nil
}
