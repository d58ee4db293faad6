package workspace

import (
	"context"
	"errors"
	"fmt"
	"time"

	"podlife/model/podlifecycle"
	"podlife/model/workspace"
	"podlife/runtime/pod"
)

// AccessTime bounds the start that an access waits for.
const AccessTime = 120 * time.Second

// ErrAccessTime says that a stopped workspace was not ready within AccessTime; its start goes on.
var ErrAccessTime = errors.New("the workspace did not start in time")

func awake(s pod.Status) bool { return s.State != podlifecycle.Asleep }

// Access makes a pod ready for somebody who wants to run a program in it (action Access; a terminal boots the pod by itself, which comes to the same): a workspace that is stopped is started through its one boot, within AccessTime, and one that is awake is booted
// for the caller, which does nothing where the marker vouches. An ephemeral pod it leaves as it is: what the caller wants is then done or refused by the pod itself. Reading its status, its lists, its log or its events is no access.
//
// Errors: ErrMaking, ErrGoing, ErrAccessTime, and those of pod.Boot.
func (c *Catalogue) Access(ctx context.Context, id pod.ID, client pod.ClientID) error {
	c.mu.Lock()
	e := c.byID[id]
	if e == nil {
		c.mu.Unlock()
		return nil // a default pod
	}
	p := c.o.Pods.Pod(id)
	_, err := c.takes(workspace.Access, e.local(p.Status()))
	life := e.rec.Life
	c.mu.Unlock()
	switch {
	case refusedBy(err, "there") && life == workspace.Making:
		return ErrMaking
	case refusedBy(err, "there"):
		return ErrGoing
	case refusedBy(err, "workspace"): //model:guard Access.workspace
		return nil
	}
	// Where it is awake, or on its way, this joins: whoever comes has to have booted the incarnation that they get into.
	bounded, cancel := context.WithTimeoutCause(ctx, AccessTime, ErrAccessTime)
	defer cancel()
	_, err = p.Boot(bounded, client, nil)
	if err != nil && context.Cause(bounded) == ErrAccessTime {
		return fmt.Errorf("%w, %s", ErrAccessTime, AccessTime)
	}
	return err
}
