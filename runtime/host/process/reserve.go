package process

import (
	"errors"
	"io/fs"
	"os"
	"runtime"
	"strconv"
	"sync"
)

// ReserveThreads makes so many threads and keeps them. The runtime makes one whenever a goroutine waits in the kernel and another one wants to run, and it ends the process if it cannot: in a container whose processes are limited, and
// use all that there are, its first process would die of that, and everything in the container with it. Threads that are there are used again, so a process with enough of them needs no more.
func ReserveThreads(n int) {
	var there, done sync.WaitGroup
	there.Add(n)
	for range n {
		done.Go(func() {
			runtime.LockOSThread() // so that no two of these share one
			defer runtime.UnlockOSThread()
			there.Done()
			there.Wait()
		})
	}
	done.Wait()
}

// victimScore is added to what the kernel holds against each process of the user's when memory runs out: half of all memory. A first process, which has some 40 MB, then never goes before them, however small they are.
const victimScore = 500

// Sacrifice lets a process, and all that it starts from now on, go before the first process where memory runs out. One that has ended already is success.
func Sacrifice(pid int) error {
	err := os.WriteFile("/proc/"+strconv.Itoa(pid)+"/oom_score_adj", []byte(strconv.Itoa(victimScore)), 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
