package harness

import "sync"

// keepLog is how much of a server's newest log is kept, in bytes.
const keepLog = 256 << 10

// logTail keeps the end of a log. It is an io.Writer that never fails.
type logTail struct {
	mu   sync.Mutex // guards the following
	kept []byte
}

// Write keeps p.
func (l *logTail) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.kept) > 2*keepLog {
		l.kept = append([]byte(nil), l.kept[len(l.kept)-keepLog:]...)
	}
	l.kept = append(l.kept, p...)
	return len(p), nil
}

// String gives the end, at most keepLog bytes.
func (l *logTail) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return lastBytes(string(l.kept), keepLog)
}
