package checker

import (
	"os"
	"runtime"
	"runtime/metrics"
	"strconv"
	"strings"
)

// meter watches how much memory the program takes.
type meter struct {
	limit int64
	used  int64 // at the last look
	own   int64 // what the search's own data took then
	calls int   // of allows since then
	floor int64 // what was in use after the last collection that allows asked for
}

// allows tells whether there is memory left, given the bytes of the search's own data. It looks at the heap only when those have grown by some
// megabytes, or every so often, because that takes a few microseconds. What the heap holds may be garbage: before it says no, it has it collected, but not twice for the same.
func (m *meter) allows(own int64) bool {
	const grain = 4 << 20
	m.calls++
	if own < m.own+grain && m.used <= m.limit && m.used != 0 && m.calls < 256 {
		return own <= m.limit
	}
	m.own, m.calls = own, 0
	return m.look() && own <= m.limit
}

// look tells whether what the heap holds is within the limit.
func (m *meter) look() bool {
	m.used = heap()
	if m.used > m.limit && m.used > m.floor+m.limit/8 {
		runtime.GC()
		m.used = heap()
		m.floor = m.used
	}
	return m.used <= m.limit
}

// heap is the bytes of objects on the heap, garbage included.
func heap() int64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}

// defaultMemory is three quarters of the machine's memory, or of what its control group allows; where neither is known, 4 GiB.
func defaultMemory() int64 {
	total := min(meminfo("/proc/meminfo"), cgroup("/sys/fs/cgroup/memory.max"))
	if total == unknown {
		return 4 << 30
	}
	return total / 4 * 3
}

const unknown = 1 << 62

// meminfo reads the line "MemTotal: N kB".
func meminfo(path string) int64 {
	text, err := os.ReadFile(path)
	if err != nil {
		return unknown
	}
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) >= 2 && f[0] == "MemTotal:" {
			if kb, err := strconv.ParseInt(f[1], 10, 64); err == nil && kb > 0 && kb < unknown>>10 {
				return kb << 10
			}
		}
	}
	return unknown
}

// cgroup reads a number of bytes, or "max".
func cgroup(path string) int64 {
	text, err := os.ReadFile(path)
	if err != nil {
		return unknown
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	if err != nil || n <= 0 {
		return unknown
	}
	return n
}
