package checker

import (
	"sync"

	"podlife/tla/eval"
)

// crew is the workers. The goroutine that made it is the first of them; each other has a goroutine of its own, which end stops and waits for.
type crew struct {
	workers []*worker
	jobs    []chan func(*worker) // one for each worker but the first; together sends, the worker's goroutine receives, end closes
	busy    sync.WaitGroup
	alive   sync.WaitGroup
}

func newCrew(r *run) (*crew, error) {
	c := &crew{}
	for i := range r.opt.Workers {
		w, err := newWorker(r, r.ctx, i)
		if err != nil {
			return nil, err
		}
		c.workers = append(c.workers, w)
	}
	for _, w := range c.workers[1:] {
		jobs := make(chan func(*worker))
		c.jobs = append(c.jobs, jobs)
		c.alive.Go(func() {
			for job := range jobs {
				job(w)
				c.busy.Done()
			}
		})
	}
	return c, nil
}

func (c *crew) end() {
	for _, jobs := range c.jobs {
		close(jobs)
	}
	c.alive.Wait()
	for _, w := range c.workers {
		w.eval.Close()
	}
}

// lead is the worker of the calling goroutine.
func (c *crew) lead() *worker { return c.workers[0] }

// together has each worker do the job once and waits for all.
func (c *crew) together(job func(*worker)) {
	c.busy.Add(len(c.jobs))
	for _, jobs := range c.jobs {
		jobs <- job
	}
	job(c.workers[0])
	c.busy.Wait()
}

// coverage is what all evaluators counted together; nil when they did not count.
func (c *crew) coverage() *eval.Coverage {
	sum := c.workers[0].eval.Coverage()
	for _, w := range c.workers[1:] {
		if more := w.eval.Coverage(); sum != nil && more != nil {
			sum.Add(more)
		}
	}
	return sum
}

// brief gives all workers what assumptions and initial states have set with TLCSet on the first.
func (c *crew) brief() {
	for _, w := range c.workers[1:] {
		w.eval.CopyRegisters(c.lead().eval)
	}
}
