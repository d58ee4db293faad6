package pod

import (
	"context"
	"fmt"
	"time"
)

// ID names a pod. A pod belongs to one user, and until a user can have several the two names are the same.
type ID string

// ClientID names a browser tab, or whatever else boots and attaches: the spec's element of Clients. Pattern [A-Za-z0-9_-]{1,64}.
type ClientID string

// ContainerID is the engine's identifier of the container of one incarnation.
type ContainerID string

// Incarnation says which life of which pod something belongs to. Everything that happens outside the actor carries one, so that a late answer can be told from a current one.
type Incarnation struct {
	Pod ID
	Inc int // 1 is the first; stored durably before its container is created, never used again
}

// StepStatus is where one step of a boot is.
type StepStatus string

// What can be said of a step.
const (
	StepStarted StepStatus = "started"
	StepDone    StepStatus = "done"
	StepSkipped StepStatus = "skipped" // nothing to do: not configured, or already there
	StepFailed  StepStatus = "failed"
)

// Progress is one thing a boot has to say: that a step began or ended, or a piece of its log. Exactly one of Step and Log is set.
type Progress struct {
	Step   string
	Status StepStatus
	Detail string // one line for people, may be empty
	Log    string // at most 8 KiB of output, valid UTF-8; hostile text: never put it into a page or a terminal unescaped
}

// BootError says that an incarnation could not be provisioned: the step that failed, how, and the end of its log.
type BootError struct {
	Step     string // "start" when the container itself could not be made or started, "timeout" when the boot's one time limit ended it
	ExitCode int    // of the failing step; 0 when there was no process
	LogTail  string // at most 4 KiB, valid UTF-8
	Err      error
}

// Error names the step and the code; the log tail is for whoever shows it.
func (e *BootError) Error() string {
	if e.ExitCode != 0 {
		return fmt.Sprintf("boot step %q failed with exit code %d", e.Step, e.ExitCode)
	}
	return fmt.Sprintf("boot step %q failed: %v", e.Step, e.Err)
}

// Unwrap gives the cause.
func (e *BootError) Unwrap() error { return e.Err }

// NotProvisionedError is the guard's refusal, spoken inside the container: its marker does not vouch for this incarnation.
type NotProvisionedError struct {
	Reason string // marker_missing, marker_unreadable, other_incarnation, other_recipe
}

// Error gives the reason.
func (e *NotProvisionedError) Error() string { return "container is not provisioned: " + e.Reason }

// GoneError says that the incarnation's container does not exist, or does not run, any more.
type GoneError struct{ Err error }

// Error gives the engine's words.
func (e *GoneError) Error() string { return "container is gone: " + e.Err.Error() }

// Unwrap gives the engine's error.
func (e *GoneError) Unwrap() error { return e.Err }

// UnseenError says that the engine could not be reached, or not be asked this (a paused container, say), so that nothing is known: what was asked for may have happened or not, and what was there is
// not taken for gone.
type UnseenError struct{ Err error }

// Error gives the engine's words.
func (e *UnseenError) Error() string {
	return "the container engine cannot be reached: " + e.Err.Error()
}

// Unwrap gives the engine's error.
func (e *UnseenError) Unwrap() error { return e.Err }

// Image is what a container was made from.
type Image struct {
	Reference string // such as debian:bookworm, which may lead to another image by now
	ID        string // the engine's own, sha256:…: the same files, the same ID
}

// Found is a container of ours that the engine has.
type Found struct {
	Incarnation Incarnation
	Container   ContainerID
	Running     bool
}

// Containers is what a pod needs of the world below it: the container of one incarnation, made real. Implemented by runtime/container over an engine.
// All calls may take long and run outside the actor; none of them knows or changes lifecycle state. Each may also fail with *UnseenError.
type Containers interface {
	// Launch creates and starts the incarnation's container. On error what was made is removed, as far as the engine does that; what it leaves is found by List, or removed by the next Launch of the same incarnation. *BootError with step "start".
	Launch(ctx context.Context, inc Incarnation) (ContainerID, error)
	// Boot runs the boot script in it until the marker is written, telling progress in order from one goroutine. A script whose marker already vouches does nothing and succeeds at once.
	// *BootError when a step failed, *GoneError when the container went away meanwhile.
	Boot(ctx context.Context, c ContainerID, inc Incarnation, progress func(Progress)) error
	// Provisioned looks at the marker inside the container: nil if it vouches for this incarnation, *NotProvisionedError, or *GoneError.
	Provisioned(ctx context.Context, c ContainerID, inc Incarnation) error
	// Shell opens a terminal on a tab of exactly this container, and starts the tab's shell if there is none; the marker is checked by the process that does. *NotProvisionedError or *GoneError. It never
	// starts or creates a container.
	Shell(ctx context.Context, c ContainerID, inc Incarnation, req ShellRequest) (Shell, error)
	// Run starts a program without a terminal in exactly this container; likewise.
	Run(ctx context.Context, c ContainerID, inc Incarnation, req CommandRequest) (Command, error)
	// Tabs gives the sessions of a container, those that run and those that have exited and are kept; EndTab ends one and returns when it is gone, also when there is none; RenameTab gives one another name:
	// ErrNoTab, ErrTabTaken. *GoneError. None looks at the marker: nothing is opened.
	Tabs(ctx context.Context, c ContainerID) ([]Tab, error)
	EndTab(ctx context.Context, c ContainerID, tab string) error
	RenameTab(ctx context.Context, c ContainerID, tab, to string) error
	// Alive says whether the container still has its processes: running or paused, so that a disk may not be taken for lost. An error means that it could not be seen, never that it is gone.
	Alive(ctx context.Context, c ContainerID) (bool, error)
	// Remove ends the container and its disk, and returns when both are gone; a container that is not there is success.
	Remove(ctx context.Context, c ContainerID) error
	// List gives every container of this server, running or not.
	List(ctx context.Context) ([]Found, error)
	// Watch tells of containers of this server that may have died, until the context ends. onList is called after each (re)connection with everything that exists at that moment.
	Watch(ctx context.Context, onList func([]Found), onDied func(ContainerID))
}

// Record is what must survive a crash of the server about one pod.
type Record struct {
	Pod       ID
	Inc       int  // highest incarnation number ever used
	Awake     bool // an incarnation Inc was begun and its sleep has not been decided
	UpdatedAt time.Time
}

// Store keeps records. Implemented by runtime/store.
type Store interface {
	// Load gives all records.
	Load(ctx context.Context) ([]Record, error)
	// Save is durable when it returns nil: a kill -9 right after it loses nothing. ErrOlderRecord if a higher number is stored.
	Save(ctx context.Context, r Record) error
}

// Clock is time as the pod sees it; tests pass a fake one.
type Clock interface {
	Now() time.Time
	// AfterFunc calls f once in its own goroutine when d has passed, unless the returned function stopped it before.
	AfterFunc(d time.Duration, f func()) (stop func() bool)
}
