package lockstep

import (
	"context"
	"fmt"
	"strings"

	"podlife/runtime/pod"
	"podlife/runtime/pod/podtest"
)

// converse types a line into a shell, and reads until an answer of which the line has no copy comes.
func converse(ctx context.Context, a *pod.Attachment, line, answer string) error {
	living, leave := context.WithCancel(context.WithoutCancel(ctx))
	defer leave()
	shell := podtest.NewStream(living, a.Shell)
	if _, err := shell.Write([]byte(line + "\r")); err != nil {
		return fmt.Errorf("type into the shell: %w", err)
	}
	said := make(chan error, 1) // sent once, by the reader
	go func() {                 // ends with the answer, or with the shell
		var text strings.Builder
		b := make([]byte, 4096)
		for {
			n, err := shell.Read(b)
			text.Write(b[:n])
			switch {
			case strings.Contains(text.String(), answer):
				said <- nil
				return
			case err != nil:
				said <- fmt.Errorf("the shell said %.300q: %w", text.String(), err)
				return
			case text.Len() > 1<<20:
				said <- fmt.Errorf("the shell said %.300q and goes on", text.String())
				return
			}
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	select {
	case err := <-said:
		return err
	case <-ctx.Done():
	}
	leave() // so that the reader ends
	return fmt.Errorf("%w: %w", ctx.Err(), <-said)
}

// Type implements World.
func (w *Simulated) Type(ctx context.Context, a *pod.Attachment) error {
	return converse(ctx, a, "probe", "probe multiplexer=true repo=true")
}

// Type implements World. What is typed is shown too, so the answer is put together by the shell.
func (d *Docker) Type(ctx context.Context, a *pod.Attachment) error {
	d.mu.Lock()
	k := d.k
	d.mu.Unlock()
	return converse(ctx, a, fmt.Sprintf(`[ -n "$PODLIFE_HOOK" ] && command -v tmux >/dev/null && [ -e /root/lockstep/all-%d ] && printf 'lockstep %%s %%s\n' is "$(hostname)"`, k), "lockstep is "+string(d.setup.Pod))
}
