package linear

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
)

// tally is what many histories came to.
type tally struct {
	mu      sync.Mutex // guards the following
	results Results
	words   map[string]int
	longest time.Duration
	shown   []porcupine.Operation // the first that was judged soon, for a picture
	may     May                   // of it
}

func (y *tally) add(history []porcupine.Operation, v Verdict) {
	y.mu.Lock()
	defer y.mu.Unlock()
	y.results.Add(history, v)
	y.longest = max(y.longest, v.Took)
	if y.words == nil {
		y.words = map[string]int{}
	}
	for _, op := range history {
		y.words[string(op.Input.(Input).Kind)+" "+string(op.Output.(Output).Word)]++
	}
}

func (y *tally) String() string {
	var words []string
	for _, w := range slices.Sorted(maps.Keys(y.words)) {
		words = append(words, fmt.Sprintf("%s %d", w, y.words[w]))
	}
	r := y.results
	return fmt.Sprintf("%d histories, %d operations, %d of them with an unknown outcome; %d without a verdict; judged in %.2f s of %.1f s, the longest search %s\n%s",
		r.Histories, r.Operations, r.UnknownOutcomes, r.Unknown, r.JudgedSeconds, r.Seconds, y.longest.Round(time.Microsecond), strings.Join(words, ", "))
}

// judge drives and judges one history.
func (y *tally) judge(t *testing.T, may May, d Drive) {
	t.Helper()
	history, err := d.Run(t.Context())
	if err != nil {
		t.Error(err)
	}
	y.check(t, may, history)
}

func (y *tally) check(t *testing.T, may May, history []porcupine.Operation) {
	t.Helper()
	v, err := Check(may, history, judgeTime)
	if err != nil {
		t.Error(err)
	}
	y.add(history, v)
	if v.Result != porcupine.Ok {
		t.Errorf("a history of %s is %s; the picture of it is %s", history[0].Input.(Input).Pod, v.Result, v.Picture)
		return
	}
	y.mu.Lock()
	defer y.mu.Unlock()
	if y.shown == nil && v.Took < pictureTime/10 { // the search behind a picture keeps more, and takes longer
		y.shown, y.may = history, may
	}
}

// end tells, and leaves for coverage.json, what all came to; there must be so many histories of at least so many operations.
func (y *tally) end(t *testing.T, began time.Time, histories, operations int) {
	t.Helper()
	y.results.Seconds = time.Since(began).Seconds()
	if err := y.results.Write(); err != nil {
		t.Error(err)
	}
	if y.shown != nil {
		if err := WritePicture(y.may, y.shown); err != nil {
			t.Error(err)
		}
	}
	t.Log(y.String())
	if r := y.results; r.Histories != histories || r.Operations < operations || r.Operations < 10*histories {
		t.Errorf("%d histories with %d operations, want %d with at least %d", r.Histories, r.Operations, histories, max(operations, 10*histories))
	}
}

// need holds the histories to what must have happened in them: without it they show little.
func (y *tally) need(t *testing.T, words ...string) {
	t.Helper()
	for _, need := range words {
		if !y.saw(need) {
			t.Errorf("no operation ended as %q: these histories show little", need)
		}
	}
}

// saw says whether each of these has happened in some history.
func (y *tally) saw(words ...string) bool {
	for _, need := range words {
		if y.words[need] == 0 {
			return false
		}
	}
	return true
}
