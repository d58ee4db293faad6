package main

import (
	"context"
	"fmt"
	"time"

	"podlife/runtime/client"
)

const (
	replayBytes  = 256 << 10
	reattaches   = 150
	newPages     = 30
	dockerStarts = 20
	replayP50    = 10 * time.Millisecond
	replayP99    = 50 * time.Millisecond
)

// fillLine prints some 400 KB of lines with colours: more than a picture has of the history.
const fillLine = `seq -f $'\e[32mline %06.0f\e[m of many' 1 12000` + "\n"

// reattach measures from the dial of a terminal to the last byte of what it is replayed.
func (b *bench) reattach(ctx context.Context) ([]Row, error) {
	p, over, err := b.pod(ctx)
	if err != nil {
		return nil, err
	}
	defer over()
	epoch, end, err := b.filled(ctx, p)
	if err != nil {
		return nil, err
	}
	n := b.repeats(reattaches)
	b.say("attaching %d times anew and %d times behind", n, n)
	var anew, behind, page, docker samples
	var picture float64
	name := b.clients.name() // a page that lost its connection keeps its name
	for i := range n + 5 {
		a, size, err := b.attachTo(ctx, p, name, "", 0, 0)
		if err != nil {
			return nil, err
		}
		r, missed, err := b.attachTo(ctx, p, name, epoch, end-replayBytes, end)
		if err != nil {
			return nil, err
		}
		if missed != replayBytes {
			return nil, fmt.Errorf("%d bytes were replayed, and not %d", missed, replayBytes)
		}
		if i >= 5 { // those before are for warming up
			anew, behind, picture = append(anew, a), append(behind, r), float64(size)
		}
	}
	for range b.repeats(newPages) {
		d, _, err := b.attachTo(ctx, p, b.clients.name(), "", 0, 0)
		if err != nil {
			return nil, err
		}
		page = append(page, d)
	}
	peer := "docker exec -it: not run"
	if hasDocker() {
		if docker, err = dockerFirst(ctx, p, b.repeats(dockerStarts)); err != nil {
			return nil, err
		}
		peer = "docker exec -it to its first byte: " + docker.String()
	}
	row := func(what, note string, s samples) Row {
		return Row{
			What: what, Ours: s.String(), Peer: peer, Ratio: ratio(ms(s.at(50)), ms(docker.at(50))), Bound: "p50 10 ms, p99 50 ms", Note: note,
			Met: met(s.at(50) <= replayP50 && s.at(99) <= replayP99),
			Raw: map[string]float64{"ours_p50_ms": ms(s.at(50)), "ours_p99_ms": ms(s.at(99)), "docker_p50_ms": ms(docker.at(50)), "docker_p99_ms": ms(docker.at(99))},
		}
	}
	return []Row{
		row("re-attach with nothing: a picture", fmt.Sprintf("the picture has %.0f KiB; from the dial to its last byte, the handshake with it.", picture/1024), anew),
		row("re-attach 256 KiB behind", "", behind),
		{
			What: "a new page: boot, attach and picture", Ours: page.String(), Peer: peer, Ratio: ratio(ms(page.at(50)), ms(docker.at(50))), Bound: "-", Met: metNone,
			Note: "a name that the pod does not know yet goes through a boot, which runs a process in the container; the two above reconnect, under the name that they had.",
			Raw:  map[string]float64{"ours_p50_ms": ms(page.at(50)), "ours_p99_ms": ms(page.at(99))},
		},
	}, nil
}

// filled gives a session with enough output, and where that ends. Nobody looks at it any more.
func (b *bench) filled(ctx context.Context, p aPod) (epoch string, end uint64, err error) {
	t, err := b.tab(ctx, p, "main")
	if err != nil {
		return "", 0, err
	}
	defer t.close()
	if _, err := t.Write([]byte(fillLine)); err != nil {
		return "", 0, err
	}
	if _, err := await(ctx, t, "012000\x1b[m of many"); err != nil {
		return "", 0, err
	}
	// The prompt is behind it, and may be in the same piece: what comes meanwhile is taken until it is quiet.
	for {
		quiet, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
		_, err := t.next(quiet)
		cancel()
		switch {
		case ctx.Err() != nil:
			return "", 0, ctx.Err()
		case quiet.Err() != nil:
			epoch, end = t.Place()
			return epoch, end, nil
		case err != nil:
			return "", 0, err
		}
	}
}

// attachTo opens a terminal that has a session's output up to have, or nothing, and gives how long it took until it had all up to end, or its whole picture, and how many bytes that were.
func (b *bench) attachTo(ctx context.Context, p aPod, name, epoch string, have, end uint64) (time.Duration, int, error) {
	h := b.clients.hello("main")
	h.Client, h.Epoch, h.Have = name, epoch, have
	begun := time.Now()
	t, err := p.Terminal(ctx, h)
	if err != nil {
		return 0, 0, err
	}
	defer t.Close()
	for size := 0; ; {
		m, err := t.Next(ctx)
		if err != nil {
			return 0, 0, err
		}
		switch m := m.(type) {
		case client.Output:
			size += len(m)
			if _, at := t.Place(); epoch != "" && at >= end {
				return time.Since(begun), size, nil
			}
		case client.Live:
			if epoch != "" {
				return 0, 0, fmt.Errorf("it was not resumed")
			}
			return time.Since(begun), size, nil
		case client.Closed:
			return 0, 0, fmt.Errorf("closed with %d %s", m.Code, m.Reason)
		}
	}
}

// dockerFirst measures from the start of the docker command to the first byte of its shell.
func dockerFirst(ctx context.Context, p aPod, n int) (samples, error) {
	var all samples
	for range n {
		begun := time.Now()
		l, err := openLocal(ctx, dockerExec(p)...)
		if err != nil {
			return nil, err
		}
		_, err = l.next(ctx)
		all = append(all, time.Since(begun))
		l.close()
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}
