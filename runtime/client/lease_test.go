package client_test

import (
	"errors"
	"io"
	"net/http"
	"testing"
	"time"

	"podlife/runtime/client"
)

func TestExtendSaysForHowLongAndGivesTheLease(t *testing.T) {
	f := newFake(t)
	var body string
	f.mux.HandleFunc("POST /api/extend", func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		body = string(b)
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"lease_until":"2024-05-06T18:00:00Z","sleeps_at":"2024-05-06T18:00:00Z","longer":true,"of_a_later_version":1}`)
	})
	l, err := f.client(t).Extend(t.Context(), 90*time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	until := time.Date(2024, 5, 6, 18, 0, 0, 0, time.UTC)
	if body != `{"for":"1h30m0s"}` || !l.Until.Equal(until) || l.SleepsAt == nil || !l.SleepsAt.Equal(until) || !l.Longer {
		t.Errorf("the server saw %q, and %+v was understood", body, l)
	}
}

func TestAnExtendThatIsAnsweredWithNoLeaseIsNone(t *testing.T) {
	f := newFake(t)
	f.mux.HandleFunc("POST /api/extend", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{}`)
	})
	var strange *client.ProtocolError
	if l, err := f.client(t).Extend(t.Context(), time.Hour); !errors.As(err, &strange) {
		t.Errorf("%+v, %v", l, err)
	}
}
