package store

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"podlife/runtime/pod"
)

func open(t *testing.T, path string) *Store {
	t.Helper()
	s, err := Open(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func TestRecordsAndIdentitySurviveReopening(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a b%20c", "podlife.db")
	if _, err := Open(context.Background(), path); err == nil {
		t.Fatal("opened a database in a folder that does not exist")
	}
	path = filepath.Join(t.TempDir(), "a b%20c?.db")
	s := open(t, path)
	want := []pod.Record{
		{Pod: "alice", Inc: 3, Awake: true, UpdatedAt: time.UnixMilli(1000)},
		{Pod: "bob", Inc: 1, Awake: false, UpdatedAt: time.UnixMilli(2000)},
	}
	for _, r := range want {
		if err := s.Save(context.Background(), r); err != nil {
			t.Fatal(err)
		}
	}
	id := s.Instance()
	s.Close()
	s = open(t, path)
	got, err := s.Load(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if s.Instance() != id || id == "" {
		t.Errorf("instance %q became %q", id, s.Instance())
	}
}

func TestIncarnationNumbersNeverGoBack(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "p.db"))
	ctx := context.Background()
	if err := s.Save(ctx, pod.Record{Pod: "a", Inc: 5, Awake: true}); err != nil {
		t.Fatal(err)
	}
	if err := s.Save(ctx, pod.Record{Pod: "a", Inc: 4}); !errors.Is(err, pod.ErrOlderRecord) {
		t.Errorf("got %v, want pod.ErrOlderRecord", err)
	}
	if err := s.Save(ctx, pod.Record{Pod: "a", Inc: 5, Awake: false}); err != nil {
		t.Error(err)
	}
}

func TestNewerSchemaIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.db")
	s := open(t, path)
	if _, err := s.db.Exec(`PRAGMA user_version = 99`); err != nil {
		t.Fatal(err)
	}
	s.Close()
	_, err := Open(context.Background(), path)
	if err == nil || !strings.Contains(err.Error(), "newer podlife") {
		t.Errorf("got %v", err)
	}
}
