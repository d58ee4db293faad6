package docker

import (
	"context"
	"errors"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/client"

	"podlife/runtime/engine"
)

func fail(op, subject string, kind engine.Kind, err error) *engine.Error {
	return &engine.Error{Op: op, Subject: subject, Kind: kind, Err: err}
}

// kindOf classes an error of the client library. What the daemon answered counts as it is; everything else means that there was no whole answer, which is Canceled if the context ended and
// Unavailable if not: never NotFound, because not being able to look is not the same as seeing that something is gone. "" for nil.
//
// The meaning of Conflict (409) depends on the call, so a caller that can get one looks again itself.
func kindOf(ctx context.Context, err error) engine.Kind {
	switch {
	case err == nil:
		return ""
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		if ctx.Err() != nil {
			return engine.Canceled
		}
		return engine.Unavailable // a time limit of ours ended it, not the caller
	case client.IsErrConnectionFailed(err):
		if ctx.Err() != nil {
			return engine.Canceled
		}
		return engine.Unavailable
	case errdefs.IsNotFound(err):
		return engine.NotFound
	case errdefs.IsConflict(err):
		return engine.Conflict
	case errdefs.IsInvalidArgument(err):
		return engine.Invalid
	case errdefs.IsUnavailable(err):
		return engine.Unavailable
	case errdefs.IsInternal(err), errdefs.IsNotImplemented(err), errdefs.IsPermissionDenied(err), errdefs.IsUnauthorized(err), errdefs.IsUnknown(err):
		return engine.Failed
	case ctx.Err() != nil:
		return engine.Canceled
	default:
		return engine.Unavailable
	}
}
