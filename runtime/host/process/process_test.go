package process

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	"golang.org/x/sys/unix"

	"podlife/runtime/host/session"
)

// asReaper makes the test program play a container's first process: see reaper.
const asReaper = "PODLIFE_TEST_REAPER"

func TestMain(m *testing.M) {
	if os.Getenv(asReaper) != "" {
		reaper()
		return
	}
	goleak.VerifyTestMain(m)
}

func sh(script string) func(session.Spec) (Program, error) {
	return func(session.Spec) (Program, error) {
		return Program{Path: "/bin/sh", Args: []string{"sh", "-c", script}, Env: []string{"PATH=" + os.Getenv("PATH")}}, nil
	}
}

// run runs a script on a terminal and gives what it said and how it ended.
func run(t *testing.T, c *Children, script string) (string, session.Exit) {
	t.Helper()
	p, err := (&Starter{Children: c, Program: sh(script)}).Start(context.Background(), session.Spec{Cols: 80, Rows: 24})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	said := make(chan string, 1)
	go func() {
		b, _ := io.ReadAll(p) // the end of a terminal is an error
		said <- string(b)
	}()
	exit := p.Wait()
	return <-said, exit
}

func TestTheLastOutputIsThereBeforeTheExit(t *testing.T) {
	c := NewChildren(false)
	defer c.Wait()
	for i := range 50 {
		said, exit := run(t, c, fmt.Sprintf("seq 1 3000; exit %d", i))
		if !strings.HasSuffix(said, "\r\n3000\r\n") || exit.Code != i {
			t.Fatalf("%d: %d, ends in %q", i, exit.Code, said[max(0, len(said)-20):])
		}
	}
}

// With job control what is in front has a group of its own, which the leader's does not have in it.
func TestAHangupReachesWhatIsInFront(t *testing.T) {
	c := NewChildren(false)
	defer c.Wait()
	script := "trap 'exit 5' HUP; set -m; sh -c 'trap \"echo front heard; exit\" HUP; echo ready; while :; do sleep 0.05; done'"
	p, err := (&Starter{Children: c, Program: sh(script)}).Start(context.Background(), session.Spec{Cols: 80, Rows: 24})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	lines := bufio.NewScanner(p)
	if !lines.Scan() || lines.Text() != "ready" {
		t.Fatalf("it says %q", lines.Text())
	}
	p.Hangup()
	heard := false
	for !heard && lines.Scan() { // its shell may say that its own child was hung up, first
		heard = lines.Text() == "front heard"
	}
	if !heard {
		t.Error("what is in front was not hung up")
	}
	if exit := p.Wait(); exit.Code != 5 {
		t.Errorf("%+v", exit)
	}
}

func TestWhatCannotBeRun(t *testing.T) {
	c := NewChildren(false)
	for path, code := range map[string]int{"/no/such": 127, "/etc/passwd": 126, "/etc": 126} {
		s := &Starter{Children: c, Program: func(session.Spec) (Program, error) { return Program{Path: path, Args: []string{"x"}}, nil }}
		before := descriptors(t)
		_, err := s.Start(context.Background(), session.Spec{Cols: 80, Rows: 24})
		var no *NoShellError
		if !errors.As(err, &no) || no.Code != code {
			t.Errorf("%s: %v", path, err)
		}
		if after := descriptors(t); after != before {
			t.Errorf("%s: %d descriptors before, %d after", path, before, after)
		}
	}
}

func TestNothingIsLeftOfMany(t *testing.T) {
	c := NewChildren(false)
	run(t, c, "exit 0")
	c.Wait()
	before := descriptors(t)
	for range 100 {
		run(t, c, "exit 0")
	}
	c.Wait()
	if after := descriptors(t); after != before || len(c.waiting) != 0 {
		t.Errorf("%d descriptors before, %d after; %d processes are waited for", before, after, len(c.waiting))
	}
}

func descriptors(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

// A container's first process takes the exit code of every orphan, and none of its own processes' is lost to that.
func TestAFirstProcessReapsOrphansAndKeepsItsOwnExitCodes(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), asReaper+"=1")
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	text, _ := io.ReadAll(bufio.NewReader(out))
	if err := cmd.Wait(); err != nil || string(text) != "300 right, 0 left\n" {
		t.Errorf("%v: %s", err, text)
	}
}

// reaper plays a container's first process: 300 processes on terminals, each of which leaves orphans behind, and all exit codes are right; in the end no child is left.
func reaper() {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		fmt.Println(err)
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	c := NewChildren(true)
	go c.Run(ctx)
	var all sync.WaitGroup
	var mu sync.Mutex
	right := 0
	for worker := range 6 {
		all.Go(func() {
			for i := range 50 {
				code := (worker*50 + i) % 120
				p, err := (&Starter{Children: c, Program: sh("(sleep 0.01 &); (true &); exit " + strconv.Itoa(code))}).Start(ctx, session.Spec{Cols: 80, Rows: 24})
				if err != nil {
					fmt.Println(err)
					return
				}
				exit := p.Wait()
				_ = p.Close()
				if exit.Code == code {
					mu.Lock()
					right++
					mu.Unlock()
				}
			}
		})
	}
	all.Wait()
	left := 1
	for deadline := time.Now().Add(3 * time.Second); left > 0 && time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		left = 0
		if err := unix.Waitid(unix.P_ALL, 0, nil, unix.WEXITED|unix.WNOWAIT|unix.WNOHANG, nil); !errors.Is(err, unix.ECHILD) {
			left = 1
		}
	}
	fmt.Printf("%d right, %d left\n", right, left)
}

// A read takes all that is there, and must not wait for more: a program that has printed a lot and then waits has all of it on the screen.
func TestMuchOutputIsNotHeldBackUntilMoreComes(t *testing.T) {
	c := NewChildren(false)
	defer c.Wait()
	p, err := (&Starter{Children: c, Program: sh("printf %01500d 0; exec sleep 3600")}).Start(context.Background(), session.Spec{Cols: 80, Rows: 24})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	defer p.Wait()
	defer p.Kill()
	all := make(chan error, 1)
	go func() {
		_, err := io.ReadAtLeast(p, make([]byte, 32<<10), 1500)
		all <- err
	}()
	select {
	case err := <-all:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(5 * time.Second):
		t.Error("1500 bytes are held back")
		p.Kill()
		<-all
	}
}

// A terminal that blocks holds a thread for each session, and its Close does not end a read.
func TestATerminalBlocksNeitherAtFirstNorAfterAResize(t *testing.T) {
	c := NewChildren(false)
	defer c.Wait()
	p, err := (&Starter{Children: c, Program: sh("exec sleep 3600")}).Start(context.Background(), session.Spec{Cols: 80, Rows: 24})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	defer p.Wait()
	defer p.Kill()
	blocks := func() (blocks bool) {
		raw, err := p.(*terminal).SyscallConn()
		if err != nil {
			t.Fatal(err)
		}
		err = raw.Control(func(fd uintptr) {
			flags, err := unix.FcntlInt(fd, unix.F_GETFL, 0)
			blocks = err != nil || flags&unix.O_NONBLOCK == 0
		})
		return err != nil || blocks
	}
	if blocks() {
		t.Error("it blocks")
	}
	if err := p.Resize(100, 30); err != nil || blocks() {
		t.Errorf("after a resize it blocks, or: %v", err)
	}
}
