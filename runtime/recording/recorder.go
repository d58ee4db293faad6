// Package recording records what terminals show, each session once and whoever looks at it, into asciicast files.
//
// A recording follows its session beside the terminals: it holds no pod awake, has no size, is in no count of viewers, and nobody waits for it, neither the session's program nor a terminal. Where the disk is slower than
// the output, the recording has a gap and a picture behind it.
//
// It imports runtime/pod, runtime/recording/cast, and nothing else of the project. Read this file first; follow.go is one recording, folder.go where the files are.
package recording

import (
	"context"
	"io"
	"log/slog"
	"sync"
	"time"

	"podlife/runtime/pod"
)

const (
	// DefaultLimit bounds a recording, in bytes.
	DefaultLimit = 64 << 20
	// sweepEvery is how often what is too old is removed.
	sweepEvery = time.Hour
	// overFor is how long the end of a session is remembered: longer than a session that has exited can still be looked at.
	overFor = time.Hour
	// closeGrace is how long a disk may take when the recorder is closed.
	closeGrace = 5 * time.Second
)

// Files is where recordings go. *Folder is one. Its calls may take long.
type Files interface {
	// Create makes a file, which must not exist. A single Close follows.
	Create(name string) (io.WriteCloser, error)
	// Sweep removes the recordings that were written last before then, and says how many. Those that are being written stay.
	Sweep(before time.Time) (int, error)
}

// Options is what a Recorder needs. Files and Logger are required.
type Options struct {
	Files  Files
	Logger *slog.Logger
	Keep   time.Duration // how long a recording is kept after it was written last; 0 is for good
	Limit  int64         // bytes of one recording; 0 is DefaultLimit
}

// Recorder records sessions. It is safe for use by several goroutines at once.
type Recorder struct {
	o       Options
	ctx     context.Context // the life of all recordings
	cancel  context.CancelFunc
	running sync.WaitGroup

	mu       sync.Mutex // guards the following
	closed   bool
	sessions map[key]*state
}

// key names a session for good.
type key struct {
	pod   pod.ID
	epoch uint64
}

// state is where the recording of a session is.
type state struct {
	over time.Time // when it ended, with its session; zero while it goes on, or while its session may
}

// New gives a recorder, and removes what is too old, now and every hour. Close ends it.
func New(o Options) *Recorder {
	if o.Limit <= 0 {
		o.Limit = DefaultLimit
	}
	r := &Recorder{o: o, sessions: map[key]*state{}}
	r.ctx, r.cancel = context.WithCancel(context.Background())
	r.running.Go(r.sweep)
	return r
}

// Attached says that a terminal was let into a session: it is recorded from now on, if it is not yet. It does not wait for anything.
func (r *Recorder) Attached(p *pod.Pod, a *pod.Attachment) {
	opened, inc := a.Shell.Opened(), a.Incarnation
	r.record(session{
		pod: p.ID(), tab: opened.Tab, epoch: opened.Epoch,
		follow: func(ctx context.Context, have uint64) (pod.Shell, error) {
			return p.Follow(ctx, inc, opened.Epoch, have)
		},
	})
}

// record begins the recording of a session, once.
func (r *Recorder) record(s session) {
	r.mu.Lock()
	defer r.mu.Unlock()
	k := key{s.pod, s.epoch}
	if r.closed || r.sessions[k] != nil {
		return
	}
	r.sessions[k] = &state{}
	r.running.Go(func() { r.run(k, s) })
}

// run is one recording, from its begin to its end. One that failed is forgotten, so that the next terminal begins another.
func (r *Recorder) run(k key, s session) {
	log := r.o.Logger.With("pod", string(s.pod), "tab", s.tab, "epoch", s.epochText())
	rec := &recording{session: s, files: r.o.Files, limit: r.o.Limit, log: log}
	end, err := rec.run(r.ctx)
	if err != nil {
		log.Warn("a session is not recorded any more", "err", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case err != nil:
		delete(r.sessions, k)
	case end == endSession:
		r.sessions[k].over = time.Now()
	}
}

// sweep removes what is too old until the recorder is closed: files, and what is remembered of sessions that are over.
func (r *Recorder) sweep() {
	ticker := time.NewTicker(sweepEvery)
	defer ticker.Stop()
	for {
		if r.o.Keep > 0 {
			n, err := r.o.Files.Sweep(time.Now().Add(-r.o.Keep))
			if err != nil {
				r.o.Logger.Warn("old recordings could not be removed", "err", err)
			}
			if n > 0 {
				r.o.Logger.Info("old recordings were removed", "files", n)
			}
		}
		r.forget(time.Now().Add(-overFor))
		select {
		case <-ticker.C:
		case <-r.ctx.Done():
			return
		}
	}
}

// forget forgets the sessions that were over before then.
func (r *Recorder) forget(before time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for k, s := range r.sessions {
		if !s.over.IsZero() && s.over.Before(before) {
			delete(r.sessions, k)
		}
	}
}

// Close ends all recordings, and returns when their files are closed. Of a disk that does not answer it waits no longer than 5 seconds; what is left then ends with the program.
func (r *Recorder) Close() {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	r.cancel()
	done := make(chan struct{})
	go func() { // ends when the recordings have
		r.running.Wait()
		close(done)
	}()
	timer := time.NewTimer(closeGrace)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
		r.o.Logger.Warn("recordings could not be closed: the disk does not answer")
	}
}
