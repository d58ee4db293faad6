package main

import (
	"bytes"
	"context"
	"fmt"
	"time"
)

const (
	idleSessions = crowdPods * crowdTabs // at least the 500 of the bound
	echoKeys     = 1500
	lineKeys     = 40                   // after so many the line is deleted
	keyPause     = 2 * time.Millisecond // between two keys
	echoBound    = time.Millisecond     // over the shell's own, at p99
)

// echoed is a shell whose echo is measured.
type echoed struct {
	shell
	samples samples
}

// echo measures from a key to its echo, in turn with the same shell on a terminal of this machine and with docker exec.
func (b *bench) echo(ctx context.Context) ([]Row, error) {
	if _, err := b.crowdOf(ctx, idleSessions); err != nil {
		return nil, err
	}
	p, over, err := b.pod(ctx)
	if err != nil {
		return nil, err
	}
	defer over()
	shells, shut, err := b.echoShells(ctx, p)
	defer shut()
	if err != nil {
		return nil, err
	}
	b.say("typing %d keys", b.repeats(echoKeys))
	pause := time.NewTicker(keyPause)
	defer pause.Stop()
	for i := range b.repeats(echoKeys) + lineKeys {
		for _, s := range shells {
			took, err := s.key(ctx, i)
			if err != nil {
				return nil, err
			}
			if i >= lineKeys { // the first line is for warming up
				s.samples = append(s.samples, took)
			}
			<-pause.C
		}
	}
	if err := b.crowd.whole(); err != nil {
		return nil, err
	}
	return echoRows(shells), nil
}

// echoShells opens ours, the shell's own and, where the docker command is there, docker exec.
func (b *bench) echoShells(ctx context.Context, p aPod) (all []*echoed, shut func(), err error) {
	shut = func() {
		for _, s := range all {
			s.close()
		}
	}
	ours, err := b.tab(ctx, p, "main")
	if err != nil {
		return nil, shut, err
	}
	all = append(all, &echoed{shell: ours})
	peers := [][]string{{"bash", "--noprofile", "--norc", "-i"}}
	if hasDocker() {
		peers = append(peers, dockerExec(p))
	}
	for _, argv := range peers {
		l, err := openLocal(ctx, argv...)
		if err != nil {
			return all, shut, err
		}
		all = append(all, &echoed{shell: l})
		if err := prepare(ctx, l); err != nil {
			return all, shut, err
		}
	}
	return all, shut, nil
}

// key types the next key and waits for its echo. Now and then it deletes the line first, which is not in the time.
func (s *echoed) key(ctx context.Context, i int) (time.Duration, error) {
	if i%lineKeys == 0 && i > 0 {
		if _, err := s.Write([]byte("\x15")); err != nil {
			return 0, err
		}
		if _, err := s.next(ctx); err != nil {
			return 0, err
		}
	}
	begun := time.Now()
	if _, err := s.Write([]byte("x")); err != nil {
		return 0, err
	}
	for {
		got, err := s.next(ctx)
		if err != nil {
			return 0, err
		}
		if bytes.IndexByte(got, 'x') >= 0 {
			return time.Since(begun), nil
		}
	}
}

// echoRows compares ours with the others.
func echoRows(shells []*echoed) []Row {
	ours, own := shells[0].samples, shells[1].samples
	more := ours.at(99) - own.at(99)
	what := fmt.Sprintf("key echo, %d idle sessions", idleSessions)
	raw := map[string]float64{"ours_p50_ms": ms(ours.at(50)), "ours_p99_ms": ms(ours.at(99)), "own_p50_ms": ms(own.at(50)), "own_p99_ms": ms(own.at(99)), "over_p99_ms": ms(more)}
	rows := []Row{{
		What: what, Ours: ours.String(), Peer: "a shell on this machine: " + own.String(), Ratio: ratio(ms(ours.at(99)), ms(own.at(99))),
		Bound: "p99 under 1 ms over the shell's own", Met: met(more < echoBound), Raw: raw,
		Note: fmt.Sprintf("p99 is %s over the shell's own, p50 %s. A container has at most 64 sessions, so the idle ones are in %d pods, %d in each; the shell is in a pod of its own.",
			shown(more), shown(ours.at(50)-own.at(50)), crowdPods, crowdTabs),
	}}
	if len(shells) < 3 {
		return append(rows, Row{What: what, Ours: ours.String(), Peer: "docker exec -it", Met: metNotRun, Note: "there is no docker command"})
	}
	docker := shells[2].samples
	return append(rows, Row{
		What: what, Ours: ours.String(), Peer: "docker exec -it: " + docker.String(), Ratio: ratio(ms(ours.at(99)), ms(docker.at(99))), Bound: "-", Met: metNone,
		Raw: map[string]float64{"docker_p50_ms": ms(docker.at(50)), "docker_p99_ms": ms(docker.at(99))},
	})
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
