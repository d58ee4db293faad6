package main

import (
	"context"
	"fmt"
	"time"
)

const (
	flowLetters = 100_000_000
	flowLast    = 2_000_000 // some 17 MB
	flowTimes   = 3
	flowBound   = 20.0 // MB/s
	flowOfExec  = 0.8
)

// throughput has a shell print a lot, each byte of which is compared, in turn with a plain exec of the same shell that is read as fast as it goes.
func (b *bench) throughput(ctx context.Context) ([]Row, error) {
	p, over, err := b.pod(ctx)
	if err != nil {
		return nil, err
	}
	defer over()
	ours, err := b.tab(ctx, p, "main")
	if err != nil {
		return nil, err
	}
	defer ours.close()
	exec, err := b.exec(ctx, p)
	if err != nil {
		return nil, err
	}
	defer exec.close()
	unbroken, last := b.repeats(flowLetters), b.repeats(flowLast)
	text, err := b.flows(ctx, ours, exec, func(part int) stream { return &letters{all: int64(unbroken / part)} })
	if err != nil {
		return nil, err
	}
	text.What = fmt.Sprintf("throughput, %.0f MB without lines", float64(unbroken)/1e6)
	lined, err := b.flows(ctx, ours, exec, func(part int) stream { return newNumbers(last / part) })
	lined.What = fmt.Sprintf("throughput, %.0f MB of seq", float64(newNumbers(last).whole())/1e6)
	lined.Bound = "80 % of the exec, 0 bytes lost or doubled"
	if lined.Met != metWrong {
		lined.Met = met(lined.Ratio >= flowOfExec)
	}
	lined.Note += " At each line's end the terminal in the kernel puts in a byte, and that is what takes the time."
	return []Row{text, lined}, err
}

// flows measures one kind of output: medians, after one that is a tenth as long for warming up.
func (b *bench) flows(ctx context.Context, ours, exec shell, made func(part int) stream) (Row, error) {
	var rates [2][]float64
	row := Row{
		Ours: "-", Peer: "-", Bound: "20 MB/s, 80 % of the exec, 0 bytes lost or doubled",
		Note: fmt.Sprintf("medians of %d; each byte is compared, by the same code on both sides.", flowTimes),
	}
	for i := range flowTimes + 1 {
		part := 1
		if i == 0 {
			part = 10
		}
		for which, s := range []shell{ours, exec} {
			sum := made(part)
			rate, err := flow(ctx, s, sum)
			if err != nil {
				return row, err
			}
			if !sum.done() {
				row.Met, row.Note = metWrong, sum.said()
				return row, nil
			}
			if i > 0 {
				rates[which] = append(rates[which], rate)
			}
		}
		b.say("throughput %d of %d", i, flowTimes)
	}
	rate, peer := median(rates[0]), median(rates[1])
	row.Ours, row.Peer, row.Ratio = fmt.Sprintf("%.1f MB/s, 0 lost or doubled", rate), fmt.Sprintf("exec with a terminal: %.1f MB/s", peer), ratio(rate, peer)
	row.Met = met(rate >= flowBound && rate >= flowOfExec*peer)
	row.Raw = map[string]float64{"ours_mb_s": rate, "exec_mb_s": peer}
	return row, nil
}

// flow has a shell print what is expected and gives MB/s from the line before it to its last byte.
func flow(ctx context.Context, s shell, n stream) (float64, error) {
	if _, err := fmt.Fprintf(s, "echo be''gins; %s; echo e''nds\n", n.line()); err != nil {
		return 0, err
	}
	rest, err := await(ctx, s, "begins\r\n")
	if err != nil {
		return 0, err
	}
	begun := time.Now()
	rest = n.take(rest)
	for !n.done() {
		if n.bad() {
			return 0, nil
		}
		p, err := s.next(ctx)
		if err != nil {
			return 0, fmt.Errorf("after %s: %w", n.said(), err)
		}
		rest = n.take(p)
	}
	took := time.Since(begun)
	// What comes behind must be the end: more of the same would be doubled.
	const end = "ends\r\n"
	tail := append([]byte(nil), rest...)
	for len(tail) < len(end) {
		p, err := s.next(ctx)
		if err != nil {
			return 0, err
		}
		tail = append(tail, p...)
	}
	if string(tail[:len(end)]) != end {
		n.broken(fmt.Sprintf("behind the last byte: %q", tail[:min(len(tail), 24)]))
	}
	return float64(n.size()) / 1e6 / took.Seconds(), nil
}
