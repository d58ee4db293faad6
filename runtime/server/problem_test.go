package server

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"podlife/runtime/pod"
	"podlife/runtime/workspace"
)

// What a caller can act on has a code of its own, also deep in a chain; nothing of the server's inside is told.
func TestEveryErrorOfAPodHasItsCode(t *testing.T) {
	document, err := os.ReadFile("../../docs/protocol.md")
	if err != nil {
		t.Fatal(err)
	}
	for code, c := range map[string]struct {
		err    error
		status int
	}{
		"boot_failed":        {&pod.BootError{Step: "packages", ExitCode: 3}, http.StatusBadGateway},
		"engine_unavailable": {&pod.UnseenError{Err: errors.New("no socket")}, http.StatusServiceUnavailable},
		"store_unavailable":  {&pod.StoreError{Err: errors.New("disk full at /secret/place")}, http.StatusServiceUnavailable},
		"bad_lease":          {&pod.LeaseError{For: 25 * time.Hour, Max: 24 * time.Hour}, http.StatusBadRequest},
		"no_leases":          {pod.ErrNoLeases, http.StatusForbidden},
		"recovering":         {pod.ErrRecovering, http.StatusServiceUnavailable},
		"boot_lost":          {pod.ErrBootLost, http.StatusConflict},
		"too_many_clients":   {pod.ErrTooManyClients, http.StatusTooManyRequests},
		"no_pod":             {workspace.ErrNoPod, http.StatusNotFound},
		"no_volume":          {workspace.ErrNoVolume, http.StatusNotFound},
		"name_taken":         {workspace.ErrNameTaken, http.StatusConflict},
		"pod_going":          {workspace.ErrGoing, http.StatusConflict},
		"default_pod":        {workspace.ErrDefault, http.StatusConflict},
		"too_many_pods":      {&workspace.TooManyError{Most: 10}, http.StatusConflict},
		"still_making":       {&workspace.TroubleError{Op: "make", Err: errors.New("no")}, http.StatusServiceUnavailable},
		"still_removing":     {&workspace.TroubleError{Op: "remove", Err: errors.New("no")}, http.StatusServiceUnavailable},
		"volume_in_use":      {&workspace.VolumeInUseError{Volume: "v", Err: errors.New("container abc has it")}, http.StatusConflict},
		"volume_not_ours":    {&workspace.ForeignVolumeError{Volume: "v"}, http.StatusConflict},
		"volume_gone":        {&workspace.VolumeGoneError{Volume: "v"}, http.StatusGone},
		"access_timeout":     {workspace.ErrAccessTime, http.StatusGatewayTimeout},
		"stopping":           {pod.ErrClosed, http.StatusServiceUnavailable},
		"internal":           {errors.New("what nobody thought of"), http.StatusInternalServerError},
	} {
		got := problemOf(fmt.Errorf("in a chain: %w", c.err), slog.New(slog.DiscardHandler))
		if got.Code != code || got.Status != c.status || got.Title == "" {
			t.Errorf("%v became %+v, want %s, %d", c.err, got, code, c.status)
		}
		if row := fmt.Sprintf("\n| `%s` | %d |", code, c.status); !strings.Contains(string(document), row) {
			t.Errorf("docs/protocol.md has no row %q", row)
		}
		if (code == "internal" || code == "store_unavailable") && got.Detail != "The server's log says more." && got.Detail != "Nothing has changed. The server's log says more." {
			t.Errorf("%s tells %q", code, got.Detail)
		}
	}
}
