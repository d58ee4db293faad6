package main

import (
	"context"
	"fmt"
	"time"
)

const (
	idleTerminals = 2000
	idleMemory    = 300.0 // MB
	settleTime    = 3 * time.Second
	dockerClients = 5
)

// idle measures the server's memory with many terminals attached that nobody uses. The peer is the docker command: somebody who enters a container by it has one process each.
func (b *bench) idle(ctx context.Context) ([]Row, error) {
	n := idleTerminals
	if b.o.Quick {
		n = idleSessions
	}
	c, err := b.crowdOf(ctx, n)
	if err != nil {
		return nil, err
	}
	select {
	case <-time.After(settleTime):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	after, err := memory(b.world.PID())
	if err != nil {
		return nil, err
	}
	attached := 0
	for _, p := range c.pods {
		s, err := p.Status(ctx)
		if err != nil {
			return nil, err
		}
		attached += s.Terminals
	}
	if err := c.whole(); err != nil {
		return nil, err
	}
	each := (after - c.before) / float64(n)
	row := Row{
		What: fmt.Sprintf("%d idle terminals, server memory", n), Ours: fmt.Sprintf("%.0f MB (%.0f kB each)", after, each*1000), Peer: "docker exec -it: not run",
		Bound: fmt.Sprintf("under %.0f MB", idleMemory), Met: met(after < idleMemory),
		Raw:  map[string]float64{"before_mb": c.before, "after_mb": after, "attached": float64(attached), "terminals": float64(n)},
		Note: fmt.Sprintf("VmRSS of the server; %.0f MB with the pods and no terminal. %d are attached, to %d sessions in %d pods.", c.before, attached, min(n, idleSessions), crowdPods),
	}
	if attached != n {
		row.Met = metWrong
	}
	if hasDocker() {
		peer, err := dockerMemory(ctx, c.pods[0])
		if err != nil {
			return nil, err
		}
		row.Peer, row.Ratio, row.Raw["docker_each_mb"] = fmt.Sprintf("docker exec -it: %.0f MB each, its own process alone", peer), ratio(each, peer), peer
	}
	return []Row{row}, nil
}

// dockerMemory is the memory of a docker command that is in a container, in MB.
func dockerMemory(ctx context.Context, p aPod) (float64, error) {
	var all []float64
	for range dockerClients {
		l, err := openLocal(ctx, dockerExec(p)...)
		if err != nil {
			return 0, err
		}
		err = prepare(ctx, l)
		var used float64
		if err == nil {
			used, err = memory(l.cmd.Process.Pid)
		}
		l.close()
		if err != nil {
			return 0, err
		}
		all = append(all, used)
	}
	return median(all), nil
}
