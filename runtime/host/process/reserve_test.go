package process

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// threads is how many a process has.
func threads(t *testing.T) int {
	t.Helper()
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if v, ok := strings.CutPrefix(line, "Threads:"); ok {
			n, err := strconv.Atoi(strings.TrimSpace(v))
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
	}
	t.Fatal("no line about threads")
	return 0
}

func TestThreadsThatAreReservedAreThereAndStay(t *testing.T) {
	n := threads(t) + 20
	ReserveThreads(n)
	if have := threads(t); have < n {
		t.Errorf("%d threads, %d were reserved", have, n)
	}
	before := threads(t)
	ReserveThreads(n / 2) // they are used again
	if have := threads(t); have > before+1 {
		t.Errorf("%d threads, %d before", have, before)
	}
}

func TestASacrificeIsInherited(t *testing.T) {
	c := exec.Command("sh", "-c", "read x; cat /proc/self/oom_score_adj")
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	c.Stdout = &out
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if err := Sacrifice(c.Process.Pid); err != nil {
		t.Error(err)
	}
	in.Close()
	_ = c.Wait() // read has found the end
	if out.String() != "500\n" {
		t.Errorf("its child has %q", out.String())
	}
	if err := Sacrifice(c.Process.Pid); err != nil {
		t.Errorf("one that has ended: %v", err)
	}
}
