package traces

import (
	"context"
	"fmt"
	"strings"
	"time"

	"podlife/conformance/harness"
	"podlife/conformance/tab"
	"podlife/model"
	"podlife/model/podlifecycle"
	"podlife/runtime/client"
)

// Runner drives plans in one world. It may be used by many goroutines: every plan has a user of its own.
type Runner struct {
	World    harness.World
	Table    model.Table[podlifecycle.Local]
	Tabs     int
	Patience time.Duration // how long anything that has to happen may take
	Counts   *Counts       // what was done, over all plans
	// EveryLook looks into the container after every step. Otherwise a step that commits nothing and touches no container is not followed by a look.
	EveryLook bool

	prober *tab.Prober
}

// NewRunner gives a runner for the shipped design's table.
func NewRunner(w harness.World, tabs int, patience time.Duration) *Runner {
	return &Runner{World: w, Table: Table(), Tabs: tabs, Patience: patience, Counts: NewCounts(), prober: w.Prober()}
}

// drive is one plan under way.
type drive struct {
	*Runner
	user   harness.User
	model  Model
	tabs   []*driven
	seq    int64 // of the newest event seen
	record []Record
	head   string // the commit that every clone has to be at
}

// Record is one step that was carried out.
type Record struct {
	Step   Step
	Before Model
	Events []client.ActionEvent
	States []podlifecycle.View // after each event
}

// driven is a tab as it is carried out: its boots that wait for an answer, and its terminal.
type driven struct {
	name  string
	boots []*bootCall
	sock  *tab.Socket
}

// bootCall is one POST /api/boot under way. Its goroutine ends when the call does.
type bootCall struct {
	progress chan struct{} // closed at the first progress
	done     chan struct{} // closed after the following are written
	result   client.Result
	err      error
}

// Failure is a plan on which server and model part.
type Failure struct {
	Plan   Plan
	At     int // index in Plan; len(Plan) for what is looked at after the last operation
	Why    error
	Model  Model // before the operation
	Want   Step
	Record []Record // the steps that went well
	Events []client.ActionEvent
	Tabs   []string // where each tab's terminal is
	User   string
	Log    string // the end of the server's log, what it says of this user's pod
	Engine string
}

// Error says where and why.
func (f *Failure) Error() string {
	op := "the end"
	if f.At < len(f.Plan) {
		op = f.Plan[f.At].String()
	}
	return fmt.Sprintf("on %s: step %d (%s): %v", f.Engine, f.At+1, op, f.Why)
}

// Unwrap gives the reason.
func (f *Failure) Unwrap() error { return f.Why }

// Run drives one plan with a fresh user. Operations that cannot be carried out where they stand are left out, which only a shortened plan has. The result is nil, a *Failure, or an error of the
// harness itself (harness.ErrNoMoreUsers, or a context that ended).
func (r *Runner) Run(ctx context.Context, plan Plan) error {
	d, err := r.begin(ctx)
	if err != nil {
		return err
	}
	defer d.leave()
	for i, op := range plan {
		st, ok := Expect(r.Table, d.model, op)
		if !ok {
			continue
		}
		if err := d.step(ctx, st); err != nil {
			return d.failure(ctx, plan, i, st, err)
		}
	}
	if err := d.end(ctx); err != nil {
		return d.failure(ctx, plan, len(plan), Step{}, err)
	}
	r.Counts.plan()
	return nil
}

// begin gives a fresh user with idle tabs. leave must be called.
func (r *Runner) begin(ctx context.Context) (*drive, error) {
	user, err := r.World.NewUser(ctx)
	if err != nil {
		return nil, err
	}
	d := &drive{Runner: r, user: user, model: Start(r.Tabs)}
	for i := range r.Tabs {
		d.tabs = append(d.tabs, &driven{name: TabName(i)})
	}
	return d, nil
}

func (d *drive) failure(ctx context.Context, plan Plan, at int, st Step, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("given up: %w", ctx.Err())
	}
	f := &Failure{Plan: plan, At: at, Why: err, Model: d.model, Want: st, Record: d.record, Log: logOf(d.World.Log(), d.user.Name), User: d.user.Name, Engine: d.World.Kind()}
	for _, t := range d.tabs {
		where := t.name + " has no terminal"
		if t.sock != nil {
			where = fmt.Sprintf("%s: %s, %s", t.name, t.sock.Seen(), t.sock.Seen().StateWords())
		}
		f.Tabs = append(f.Tabs, where)
	}
	if page, err := d.user.Client.Events(ctx, d.seq); err == nil {
		f.Events = page.Events
	}
	return f
}

// logOf gives the lines of a log that name a pod.
func logOf(log, pod string) string {
	var lines []string
	for line := range strings.Lines(log) {
		if strings.Contains(line, "pod="+pod+" ") {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "")
}

// step carries one operation out and compares everything.
func (d *drive) step(ctx context.Context, st Step) error {
	ctx, cancel := context.WithTimeout(ctx, 4*d.Patience) // every single wait in it is bounded by Patience
	defer cancel()
	began := time.Now()
	extra, err := d.perform(ctx, st)
	if extra != nil {
		defer extra.Close()
	}
	if err != nil {
		return err
	}
	rec := Record{Step: st, Before: d.model}
	if err := d.awaitEvents(ctx, st, &rec); err != nil {
		return err
	}
	if st.Op.Kind == Kill || st.Op.Kind == Remove {
		d.Counts.seen(time.Since(began))
	}
	if err := d.settle(ctx, st); err != nil {
		return err
	}
	before := d.model
	d.model = st.After
	if extra != nil {
		if err := d.probe(ctx, st.Op.Tab, extra); err != nil {
			return fmt.Errorf("the second terminal of %s: %w", TabName(st.Op.Tab), err)
		}
		extra.Close()
	}
	if err := d.compare(ctx, st); err != nil {
		return err
	}
	d.record = append(d.record, rec)
	d.Counts.step(d.Table, before, rec)
	return nil
}

// end destroys the pod, and sees that nothing is left of it.
func (d *drive) end(ctx context.Context) error {
	st, _ := Expect(d.Table, d.model, Op{Destroy, NoTab})
	if err := d.step(ctx, st); err != nil {
		return fmt.Errorf("the destroy at the end: %w", err)
	}
	// Not a step that anybody asked for.
	d.Counts.uncount(d.Table, d.record[len(d.record)-1])
	d.record = d.record[:len(d.record)-1]
	return nil
}

// leave closes what is open, whatever happened, and removes what the user's pod still has.
func (d *drive) leave() {
	for _, t := range d.tabs {
		if t.sock != nil {
			t.sock.Close()
		}
	}
	// The test's context may have ended, and the next trace must not find anything of this one.
	ctx, cancel := context.WithTimeout(context.Background(), d.Patience)
	defer cancel()
	_, _ = d.user.Client.Destroy(ctx) // a server that does not answer any more was the failure
	for _, t := range d.tabs {
		for _, b := range t.boots {
			select {
			case <-b.done:
			case <-ctx.Done():
			}
		}
	}
}

// patience bounds one wait.
func (d *drive) patience(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, d.Patience)
}

// poll asks until the answer is nil, at most for d.Patience; the last answer is the reason.
func (d *drive) poll(ctx context.Context, ask func() error) error {
	ctx, cancel := d.patience(ctx)
	defer cancel()
	pause := time.Millisecond
	for {
		err := ask()
		if err == nil {
			return nil
		}
		t := time.NewTimer(pause)
		select {
		case <-t.C:
		case <-ctx.Done():
			t.Stop()
			return fmt.Errorf("not within %s: %w", d.Patience, err)
		}
		pause = min(2*pause, 50*time.Millisecond)
	}
}
