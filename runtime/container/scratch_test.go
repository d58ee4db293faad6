package container_test

import (
	"fmt"
	"os/exec"
	"testing"
	"time"
)

func TestDockerScratch(t *testing.T) {
	w := newWorld(t, nil)
	id := w.launch(first)
	w.boot(id, first)
	for i := range 500 {
		s := w.attach(id, first, fmt.Sprint("c", i))
		if i%2 == 0 {
			s.expect("alice:")
		}
		begun := time.Now()
		done := make(chan error, 1)
		go func() { done <- s.Close() }()
		select {
		case err := <-done:
			if err != nil {
				t.Error(i, time.Since(begun), err)
			}
			continue
		case <-time.After(4 * time.Second):
		}
		o, _ := exec.Command("sh", "-c", "for e in $(docker inspect -f '{{range .ExecIDs}}{{.}} {{end}}' "+string(id)+"); do echo; curl -m 2 -s --unix-socket /var/run/docker.sock http://x/v1.41/exec/$e/json; done; echo; docker top "+string(id)+" -eo pid,ppid,pgid,sid,tty,stat,args; curl -s --unix-socket /var/run/docker.sock http://x/debug/pprof/goroutine?debug=2 | grep -c .").CombinedOutput()
		t.Logf("%d stuck\n%s\nscreen %q", i, o, s.text())
		t.Logf("then %v", <-done)
	}
}
