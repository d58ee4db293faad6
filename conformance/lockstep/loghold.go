package lockstep

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
)

// logHold is the server's log. It holds a boot run where it says where it is, which it does outside every lock, and keeps what the server must never say.
type logHold struct {
	floor *floor
	never *[]string
} // never is guarded by floor.hub.mu

var _ slog.Handler = logHold{}

// Enabled is true: the lines at which runs are held are for debugging.
func (logHold) Enabled(context.Context, slog.Level) bool { return true }

// WithAttrs keeps none: a world has one pod.
func (l logHold) WithAttrs([]slog.Attr) slog.Handler { return l }

// WithGroup keeps none.
func (l logHold) WithGroup(string) slog.Handler { return l }

// Handle holds, or looks.
func (l logHold) Handle(_ context.Context, r slog.Record) error {
	switch at := point(r.Message); at {
	case atRunBegins, atLaunched, atReply:
		n := 0
		r.Attrs(func(a slog.Attr) bool {
			if a.Key == "incarnation" {
				n = int(a.Value.Int64())
			}
			return true
		})
		_ = l.floor.arrive(context.Background(), at, n, "") // a run cannot fail here; one of a dead server ends by itself
		return nil
	}
	if r.Level < slog.LevelError || l.floor.isDead() {
		return nil
	}
	for _, never := range []string{"the table refused an action", "has no explanation", "cannot take it"} {
		if strings.Contains(r.Message, never) {
			line := r.Message
			r.Attrs(func(a slog.Attr) bool { line += fmt.Sprintf(" %s=%v", a.Key, a.Value); return true })
			l.floor.hub.change(func() { *l.never = append(*l.never, line) })
		}
	}
	return nil
}
