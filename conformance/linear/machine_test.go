package linear

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/anishathalye/porcupine"

	"podlife/runtime/pod"
)

// situation is what goes on around the server in some histories, and what may then happen unseen.
type situation struct {
	name    string
	machine MachineOptions
	may     May
	drive   Drive
	idle    bool // the idle timeout passes now and then
	other   bool // some starts of the server are with another recipe
}

func situations() []situation {
	calm := MachineOptions{Latency: 2 * time.Millisecond, Step: 8 * time.Millisecond}
	drive := Drive{Tabs: 4, Operations: 6, Patience: time.Hour, Pause: 15 * time.Millisecond}
	leaving := drive
	leaving.Leaves, leaving.Stay = 12, 12*time.Millisecond
	rough := leaving
	rough.Disturb, rough.Between = 8, 20*time.Millisecond
	stored := leaving
	stored.Disturb, stored.Between = 6, 20*time.Millisecond
	scripts, store := calm, calm
	scripts.ScriptsFail, store.StoreFails = 8, 12
	return []situation{
		{name: "calm", machine: calm, drive: drive},
		{name: "callers leave", machine: calm, drive: leaving},
		{name: "kills, idle timeouts and crashes", machine: calm, drive: rough, idle: true},
		{name: "another recipe", machine: calm, drive: rough, idle: true, other: true},
		{name: "scripts fail", machine: scripts, drive: rough, idle: true},
		{name: "the store fails", machine: store, may: May{StoreFails: true}, drive: stored},
	}
}

const podsOfAMachine = 3

// history drives one machine in a bubble, where its latencies cost nothing.
func (s situation) history(t *testing.T, seed uint64) []porcupine.Operation {
	t.Helper()
	var history []porcupine.Operation
	var problems []string // told outside of the bubble: one that fails ends the test, and the history is still to be judged
	synctest.Test(t, func(t *testing.T) {
		o := s.machine
		o.Seed = seed
		m, err := NewMachine(o)
		if err != nil {
			t.Fatal(err)
		}
		d := s.drive
		d.Seed, d.Server = seed, m.Server(s.other)
		d.Failures = m.Failures
		if s.idle {
			d.Idle = m.PassIdleTimeout
		}
		for p := range podsOfAMachine {
			target := m.Target(pod.ID(fmt.Sprintf("p%d", p+1)))
			if s.other {
				target.Unmark = nil // of a marker that is an earlier recipe's, the table has no removal
			}
			d.Targets = append(d.Targets, target)
		}
		history, err = d.Run(t.Context())
		if err = errors.Join(err, m.Close()); err != nil {
			problems = append(problems, err.Error())
		}
		problems = append(problems, m.Problems()...)
	})
	for _, problem := range problems {
		t.Error(problem)
	}
	return history
}

// Calls of the pods themselves, so that thousands of histories cost seconds; the server's death cuts its calls to engine and store off.
func TestHistoriesOfAServerThatIsKilledAreLinearizable(t *testing.T) {
	each := 40
	if testing.Short() {
		each = 5
	}
	began := time.Now()
	var all tally
	for _, s := range situations() {
		t.Run(s.name, func(t *testing.T) {
			for i := range each {
				all.check(t, s.may, s.history(t, uint64(i)))
			}
		})
	}
	all.end(t, began, len(situations())*each*podsOfAMachine, 0)
	all.need(t, "EndBoot ready", "EndBoot boot_lost", "EndBoot boot_failed", "Attach attached", "Attach refused", "Attach unknown", "StartBoot unknown", "StartDestroy unknown", "EndDestroy done",
		"StartBoot store_unavailable", "StartDestroy store_unavailable", "Kill done", "Unmark done", "ScriptFails done", "Idle done", "Crash done", "Look done", "Close done")
}
