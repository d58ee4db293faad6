// Package store keeps in SQLite what must survive a crash of the server: each pod's highest incarnation number and whether it was meant to be awake, and the server's own identity.
//
// It imports runtime/pod for the record's type, and nothing else of the project. Read this file first; schema.go has the tables.
package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"time"

	_ "modernc.org/sqlite" // the driver "sqlite"

	"podlife/runtime/pod"
)

// Store is an open database. Its methods may be called from any goroutine.
type Store struct {
	db       *sql.DB
	instance string
}

// Error is a failed call: which operation on which file, and the cause.
type Error struct {
	Op   string
	Path string
	Err  error
}

// Error gives operation, file and cause.
func (e *Error) Error() string { return fmt.Sprintf("store %s %s: %v", e.Op, e.Path, e.Err) }

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// Open opens the database in this file, makes it if it is not there, and brings its tables up to date. Errors: *Error; one of a newer schema says so.
func Open(ctx context.Context, path string) (*Store, error) {
	q := url.Values{"_pragma": {
		"journal_mode(WAL)",
		"synchronous(FULL)", // a commit is on the disk when it returns: an incarnation's number must not be forgotten
		"busy_timeout(1000)",
		"foreign_keys(ON)",
	}}
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", OmitHost: true, Path: path, RawQuery: q.Encode()}).String())
	if err != nil {
		return nil, &Error{"open", path, err}
	}
	db.SetMaxOpenConns(1) // one writer, and our reads are small
	s := &Store{db: db}
	if err := migrate(ctx, db); err != nil {
		return nil, &Error{"migrate", path, errors.Join(err, db.Close())}
	}
	if s.instance, err = instance(ctx, db); err != nil {
		return nil, &Error{"identify", path, errors.Join(err, db.Close())}
	}
	return s, nil
}

// Instance is this server's identity, made at first open and kept: containers that carry it are this server's, all others are foreign.
func (s *Store) Instance() string { return s.instance }

func instance(ctx context.Context, db *sql.DB) (string, error) {
	b := make([]byte, 8)
	rand.Read(b)
	if _, err := db.ExecContext(ctx, `INSERT INTO server (one, instance) VALUES (1, ?) ON CONFLICT DO NOTHING`, hex.EncodeToString(b)); err != nil {
		return "", err
	}
	var id string
	err := db.QueryRowContext(ctx, `SELECT instance FROM server`).Scan(&id)
	return id, err
}

// Load gives all records, by pod.
func (s *Store) Load(ctx context.Context) ([]pod.Record, error) {
	rows, err := s.db.QueryContext(ctx, `SELECT pod, inc, awake, updated_at FROM pods ORDER BY pod`)
	if err != nil {
		return nil, fmt.Errorf("store load: %w", err)
	}
	defer rows.Close()
	var all []pod.Record
	for rows.Next() {
		var r pod.Record
		var at int64
		if err := rows.Scan(&r.Pod, &r.Inc, &r.Awake, &at); err != nil {
			return nil, fmt.Errorf("store load: %w", err)
		}
		r.UpdatedAt = time.UnixMilli(at)
		all = append(all, r)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("store load: %w", err)
	}
	return all, nil
}

// Save writes one pod's record, durably when it returns nil. A record with a lower incarnation number than the stored one is refused with pod.ErrOlderRecord: numbers only grow.
func (s *Store) Save(ctx context.Context, r pod.Record) error {
	res, err := s.db.ExecContext(ctx, `INSERT INTO pods (pod, inc, awake, updated_at) VALUES (?, ?, ?, ?)
		ON CONFLICT (pod) DO UPDATE SET inc = excluded.inc, awake = excluded.awake, updated_at = excluded.updated_at WHERE excluded.inc >= pods.inc`,
		string(r.Pod), r.Inc, r.Awake, r.UpdatedAt.UnixMilli())
	if err != nil {
		return fmt.Errorf("store save %s: %w", r.Pod, err)
	}
	n, err := res.RowsAffected()
	if err != nil {
		return fmt.Errorf("store save %s: %w", r.Pod, err)
	}
	if n == 0 {
		return fmt.Errorf("store save %s incarnation %d: %w", r.Pod, r.Inc, pod.ErrOlderRecord)
	}
	return nil
}

// Leases gives until when each pod is kept awake, also what has run out.
func (s *Store) Leases(ctx context.Context) (map[pod.ID]time.Time, error) {
	rows, err := s.db.QueryContext(ctx, `SELECT pod, until FROM leases`)
	if err != nil {
		return nil, fmt.Errorf("store leases: %w", err)
	}
	defer rows.Close()
	all := map[pod.ID]time.Time{}
	for rows.Next() {
		var id pod.ID
		var until int64
		if err := rows.Scan(&id, &until); err != nil {
			return nil, fmt.Errorf("store leases: %w", err)
		}
		all[id] = time.UnixMilli(until)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("store leases: %w", err)
	}
	return all, nil
}

// SaveLease writes until when a pod is kept awake, durably when it returns nil. One that ends earlier than what is there changes nothing.
func (s *Store) SaveLease(ctx context.Context, id pod.ID, until time.Time) error {
	_, err := s.db.ExecContext(ctx, `INSERT INTO leases (pod, until) VALUES (?, ?) ON CONFLICT (pod) DO UPDATE SET until = MAX(leases.until, excluded.until)`, string(id), until.UnixMilli())
	if err != nil {
		return fmt.Errorf("store lease %s: %w", id, err)
	}
	return nil
}

// Ping says whether the database can be used.
func (s *Store) Ping(ctx context.Context) error {
	var one int
	return s.db.QueryRowContext(ctx, `SELECT 1`).Scan(&one)
}

// Close closes the database.
func (s *Store) Close() error { return s.db.Close() }
