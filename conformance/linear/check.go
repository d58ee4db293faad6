package linear

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/anishathalye/porcupine"
)

// Verdict is what became of one history.
type Verdict struct {
	Result  porcupine.CheckResult
	Took    time.Duration // the search
	Picture string        // the file with the picture of a history that is not linearizable; empty for others
}

// Check looks for a story of the table that explains the history, and draws a picture when there is none, or none was found in time.
func Check(may May, history []porcupine.Operation, patience time.Duration) (Verdict, error) {
	began := time.Now()
	result := porcupine.CheckOperationsTimeout(Model(may), history, patience)
	v := Verdict{Result: result, Took: time.Since(began)}
	if result == porcupine.Ok {
		return v, nil
	}
	// Once more, for the picture: it needs what the search above does not keep.
	m := Model(may)
	_, info := porcupine.CheckOperationsVerbose(m, history, min(patience, pictureTime))
	dir := os.Getenv("PODLIFE_FAILURES")
	if dir == "" {
		dir = filepath.Join(os.TempDir(), "podlife-failures")
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return v, err
	}
	f, err := os.CreateTemp(dir, "history-*.html")
	if err != nil {
		return v, err
	}
	v.Picture = f.Name()
	err = porcupine.Visualize(m, info, f)
	return v, errors.Join(err, f.Close())
}

// pictureTime bounds the search behind a picture.
const pictureTime = 10 * time.Second

// Picture judges a history and gives porcupine's picture of it, a page of HTML that needs nothing else. A history that is not linearizable has one too; it is an error if there is no verdict in time.
func Picture(may May, history []porcupine.Operation) ([]byte, error) {
	m := Model(may)
	result, info := porcupine.CheckOperationsVerbose(m, history, pictureTime)
	if result == porcupine.Unknown {
		return nil, fmt.Errorf("no verdict on the history in %s", pictureTime)
	}
	var page bytes.Buffer
	if err := porcupine.Visualize(m, info, &page); err != nil {
		return nil, err
	}
	return page.Bytes(), nil
}
