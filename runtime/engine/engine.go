// Package engine says what a container engine must do for podlife: create, start, run a process in, look at, list, remove and watch containers, each pinned by its id, and keep volumes, which outlive them.
//
// It imports nothing of the project. Its implementations are engine/docker (the real one) and engine/simulated (in memory, with failpoints); both pass the one suite in
// engine/enginetest, which is the contract in executable form. Read this file first.
package engine

import (
	"context"
	"io"
	"time"
)

// ID is the engine's own identifier of a container. Everything after Create is addressed by it and never by a name, because a name can be given to another container later.
type ID string

// State is where a container is in the engine's view.
type State string

// The states that podlife tells apart. An engine maps whatever else it knows to the nearest of them.
const (
	Created  State = "created"
	Running  State = "running"
	Paused   State = "paused"
	Exited   State = "exited"
	Removing State = "removing"
)

// Mount makes one host file or folder visible inside a container, read-only.
type Mount struct {
	Source string // absolute path on the engine's host
	Target string // absolute path inside the container
}

// Copy is a file of this program's own machine that is put into a container before it starts, for an engine that does not see this machine's files. It belongs to root, and everybody may read and run it; whoever is root inside may
// also replace it.
type Copy struct {
	Source string // absolute path on this machine
	Target string // absolute path inside the container
}

// VolumeMount makes a volume visible inside a container, writable. What the image has at the target is copied into a volume that is empty; of one that is not, the image's is hidden.
//
// An engine makes a volume that is not there when the container is created: empty, and with no labels but those that are given here. So whoever needs a certain volume looks at its labels before the container starts.
type VolumeMount struct {
	Name   string
	Target string            // absolute path inside the container, outside of the folders that belong to the system
	Labels map[string]string // of the volume if the engine makes it now; one that is there keeps its own
}

// Volume is what the engine knows about one volume.
type Volume struct {
	Name   string
	Labels map[string]string
	// Created is informative only: some engines count it from the last change of the volume's folder, and to the second. Zero when it is not known.
	Created time.Time
}

// Limits bound what one container may use. Zero means the engine's default.
type Limits struct {
	MemoryBytes int64 // memory, swap included
	NanoCPUs    int64 // 1e9 is one core
	Pids        int64 // processes and threads
}

// Spec describes a container to create.
type Spec struct {
	Name     string // unique in the engine while the container exists
	Image    string
	Hostname string
	Command  []string // PID 1, which must reap orphans, and stop when it is sent StopSignal
	Env      []string // KEY=VALUE; never a secret, since inspection shows it
	// StopSignal is what asks PID 1 to stop, by name or number, such as SIGRTMIN+3; "" is SIGTERM.
	StopSignal string
	Labels     map[string]string // the container carries them, and those of its image
	Mounts     []Mount
	Copies     []Copy
	Volumes    []VolumeMount
	Network    string // "bridge" or "none"
	Limits     Limits
}

// Image is an image that the engine has.
type Image struct {
	ID      string   // the engine's own, sha256: and 64 hexadecimal digits: the same files, the same ID
	Digests []string // under which it is known elsewhere, each name@sha256:…; none for one that was built here and never pushed
}

// Container is what the engine knows about one container at one moment.
type Container struct {
	ID        ID
	Name      string
	Image     string // the reference that it was created from, or what the engine calls it by now
	ImageID   string // of the image that it was created from, as in Image.ID, wherever the reference leads by now
	Labels    map[string]string
	State     State
	ExitCode  int  // meaningful when State is Exited
	OOMKilled bool // the kernel ended it for lack of memory
	Created   time.Time
}

// ExecSpec describes a process to run inside a running container.
type ExecSpec struct {
	Command []string
	Env     []string
	Dir     string
	TTY     bool // one merged stream with a terminal; otherwise stdout alone is the stream
}

// Process is a process inside a container, seen through its streams. One goroutine may read while another writes; Resize, Wait and Close may be called from any.
type Process interface {
	// Read gives the process's output: terminal bytes with a TTY, stdout without. io.EOF once it has ended and everything was read.
	io.Reader
	// Write feeds its input. Failed once the process takes no more (it ended, or the connection to it was lost: Wait says which). Like Read it may block until the other side moves; Close and the end
	// of the context that Exec was given end both with Canceled.
	io.Writer
	// CloseWrite ends its input (without a TTY; with one, send byte 0x04).
	CloseWrite() error
	// Resize sets the terminal's size, each side 1 to 1000. Not to be called from the goroutine that reads.
	Resize(ctx context.Context, cols, rows uint16) error
	// Stderr gives the last 8 KiB of what a process without a TTY wrote there; complete after Read returned io.EOF.
	Stderr() string
	// Wait returns the exit code once the process has ended: 126 and 127 for a command that could not be run, 137 when it was killed.
	// NotFound or NotRunning when the container went away and the code can no longer be known.
	Wait(ctx context.Context) (int, error)
	// Close drops the connection and unblocks Read and Write. It does NOT end the process: an engine has no call for that, so whoever starts a process that may outlive
	// its reader needs a way of its own to end it.
	Close() error
}

// EventType says what happened to a container.
type EventType string

// The events that can change a pod's lifecycle, or leave something that belongs to nobody.
const (
	Made    EventType = "made"    // it was created; its starter may be dead by now
	Died    EventType = "died"    // PID 1 ended, for whatever reason
	Removed EventType = "removed" // the container and its disk are gone
)

// Event is a hint that a container changed; the truth is what Inspect says afterwards.
type Event struct {
	ID     ID
	Type   EventType
	Time   time.Time
	Labels map[string]string
}

// Engine runs containers. Every error it returns is an *Error. Calls on different containers may run at once; each is bounded by its context.
type Engine interface {
	// Ping answers whether the engine can be used now. Unavailable if not.
	Ping(ctx context.Context) error
	// HasImage says whether the image is present; it never pulls.
	HasImage(ctx context.Context, image string) (bool, error)
	// Image looks at the image to which a reference leads now: name, name:tag, or either with @sha256:…, a digest under which the image is known elsewhere, or its ID. ImageMissing if there is none, also where the
	// reference has a digest and the engine has another image under that name. It never pulls.
	Image(ctx context.Context, reference string) (Image, error)
	// Create makes a container without starting it. Conflict if the name is taken, ImageMissing if the image is not there, Invalid for a spec that can never work.
	// On error nothing is left behind, but perhaps an empty volume that was missing.
	Create(ctx context.Context, spec Spec) (ID, error)
	// Start runs a created container. Starting a running one is success. NotFound, or Failed when PID 1 cannot run: the container then still exists and is the caller's to remove.
	Start(ctx context.Context, id ID) error
	// Exec starts a process in a running container. NotFound, or NotRunning: also for one that is paused, whose processes and disk are all there, so a caller looks with Inspect before it takes the
	// container for gone. It never starts or resumes a container. The context governs the process's streams for as long as they are open, as in
	// exec.CommandContext: when it ends, they are closed as by Close, and the process goes on. So it has to live as long as the reader.
	Exec(ctx context.Context, id ID, spec ExecSpec) (Process, error)
	// Inspect looks at one container. NotFound if it is gone.
	Inspect(ctx context.Context, id ID) (Container, error)
	// List gives all containers, running or not, that carry every one of these labels.
	List(ctx context.Context, labels map[string]string) ([]Container, error)
	// Remove kills and removes a container and its disk and returns when it is gone and its name is free. Removing what is not there is success; concurrent calls all succeed.
	Remove(ctx context.Context, id ID) error
	// MakeVolume makes a volume on the engine's own disk. One that is there with all of these labels is success; one of that name without them is Conflict, and stays as it is.
	MakeVolume(ctx context.Context, name string, labels map[string]string) error
	// Volume looks at one volume. NotFound if there is none of that name.
	Volume(ctx context.Context, name string) (Volume, error)
	// Volumes gives all volumes that carry every one of these labels.
	Volumes(ctx context.Context, labels map[string]string) ([]Volume, error)
	// RemoveVolume removes a volume and all that is in it. Removing what is not there is success; Conflict while a container has it, whether that runs or not.
	RemoveVolume(ctx context.Context, name string) error
	// Watch calls onReady once when it is certain to see every later event, then onEvent for each event of containers with these labels, from one goroutine, until the context ends (nil) or the
	// stream breaks (Unavailable). Events between two Watch calls are lost: list again after onReady. A callback that blocks delays all later events and can lose some: hand over and return.
	Watch(ctx context.Context, labels map[string]string, onReady func(), onEvent func(Event)) error
}
