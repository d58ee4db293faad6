package store

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"podlife/runtime/pod"
	"podlife/runtime/workspace"
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

func TestLeasesSurviveReopeningAndNeverGetShorter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.db")
	ctx := context.Background()
	s := open(t, path)
	for id, until := range map[pod.ID][]int64{"alice": {5000, 3000}, "bob": {1000, 2000}} {
		for _, ms := range until {
			if err := s.SaveLease(ctx, id, time.UnixMilli(ms)); err != nil {
				t.Fatal(err)
			}
		}
	}
	s.Close()
	got, err := open(t, path).Leases(ctx)
	if diff := cmp.Diff(map[pod.ID]time.Time{"alice": time.UnixMilli(5000), "bob": time.UnixMilli(2000)}, got); diff != "" || err != nil {
		t.Error(err, diff)
	}
}

// A database of a podlife without leases is brought forward, and loses nothing by it.
func TestADatabaseOfSchemaOneIsBroughtForward(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.db")
	ctx := context.Background()
	old, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range []string{migrations()[0], `INSERT INTO server VALUES (1, 'the instance')`, `INSERT INTO pods VALUES ('alice', 3, 1, 1000)`, `PRAGMA user_version = 1`} {
		if _, err := old.Exec(q); err != nil {
			t.Fatal(err)
		}
	}
	if err := old.Close(); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time it is of the newest schema already
		s := open(t, path)
		records, err := s.Load(ctx)
		if diff := cmp.Diff([]pod.Record{{Pod: "alice", Inc: 3, Awake: true, UpdatedAt: time.UnixMilli(1000)}}, records); diff != "" || err != nil || s.Instance() != "the instance" {
			t.Error(err, diff, s.Instance())
		}
		var version int
		if err := s.db.QueryRow(`PRAGMA user_version`).Scan(&version); err != nil || version != len(migrations()) {
			t.Errorf("schema %d, %v", version, err)
		}
		if err := s.SaveLease(ctx, "alice", time.UnixMilli(7000)); err != nil {
			t.Error(err)
		}
		if got, err := s.Leases(ctx); err != nil || !got["alice"].Equal(time.UnixMilli(7000)) {
			t.Errorf("%v, %v", got, err)
		}
		s.Close()
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

// A database of a podlife whose pods had no image of their own: each has the server's, and can be given one.
func TestADatabaseOfSchemaThreeIsBroughtForward(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.db")
	ctx := context.Background()
	old, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range append(migrations()[:3], `INSERT INTO server VALUES (1, 'the instance')`,
		`INSERT INTO named_pods VALUES ('docs.x', 'alice', 'docs', 'workspace', 'there', 'home-docs', 0, '{"team":"red"}', 3600000, 1000)`, `PRAGMA user_version = 3`) {
		if _, err := old.Exec(q); err != nil {
			t.Fatal(err)
		}
	}
	if err := old.Close(); err != nil {
		t.Fatal(err)
	}
	want := workspace.Record{
		ID: "docs.x", Owner: "alice", Name: "docs", Class: workspace.Workspace, Life: "there", Home: "home-docs", Labels: map[string]string{"team": "red"}, IdleTimeout: time.Hour, CreatedAt: time.UnixMilli(1000),
	}
	for _, image := range []string{"golang:1", "debian@sha256:1", ""} { // the first time it is brought forward
		s := open(t, path)
		got, err := s.NamedPods(ctx)
		if diff := cmp.Diff([]workspace.Record{want}, got); diff != "" || err != nil {
			t.Error(err, diff)
		}
		want.Image = image
		if err := s.SaveNamed(ctx, want, ""); err != nil {
			t.Error(err)
		}
		s.Close()
	}
}
