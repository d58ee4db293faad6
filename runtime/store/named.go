package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"podlife/runtime/pod"
	"podlife/runtime/workspace"
)

var _ workspace.Store = (*Store)(nil)

// NamedPods gives the records of all named pods, by pod.
func (s *Store) NamedPods(ctx context.Context) ([]workspace.Record, error) {
	return all(ctx, s.db, "named pods", `SELECT pod, owner, name, class, life, COALESCE(home, ''), keep, labels, idle, created_at, image FROM named_pods ORDER BY pod`,
		func(rows *sql.Rows) (r workspace.Record, err error) {
			var labels string
			var idle, at int64
			if err = rows.Scan(&r.ID, &r.Owner, &r.Name, &r.Class, &r.Life, &r.Home, &r.Keep, &labels, &idle, &at, &r.Image); err != nil {
				return r, err
			}
			r.IdleTimeout, r.CreatedAt = time.Duration(idle)*time.Millisecond, time.UnixMilli(at)
			return r, json.Unmarshal([]byte(labels), &r.Labels)
		})
}

// KeptVolumes gives the volumes that are kept for their owners, by volume.
func (s *Store) KeptVolumes(ctx context.Context) ([]workspace.Kept, error) {
	return all(ctx, s.db, "kept volumes", `SELECT volume, owner, name, kept_at FROM kept_volumes ORDER BY volume`, func(rows *sql.Rows) (k workspace.Kept, err error) {
		var at int64
		err = rows.Scan(&k.Volume, &k.Owner, &k.Pod, &at)
		k.KeptAt = time.UnixMilli(at)
		return k, err
	})
}

// all reads all rows of a query.
func all[T any](ctx context.Context, db *sql.DB, what, query string, scan func(*sql.Rows) (T, error)) (list []T, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("store %s: %w", what, err)
		}
	}()
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		v, err := scan(rows)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, rows.Err()
}

// SaveNamed writes the record of a named pod; see workspace.Store.
func (s *Store) SaveNamed(ctx context.Context, r workspace.Record, adopt string) error {
	labels, err := json.Marshal(r.Labels)
	if err != nil {
		return fmt.Errorf("store named pod %s: %w", r.ID, err)
	}
	return s.within(ctx, "named pod "+string(r.ID), func(tx *sql.Tx) error {
		if adopt != "" {
			//model:guard Adopt.once
			//model:guard Adopt.owner
			res, err := tx.ExecContext(ctx, `DELETE FROM kept_volumes WHERE volume = ? AND owner = ?`, adopt, r.Owner)
			if err != nil {
				return err
			}
			if n, err := res.RowsAffected(); err != nil || n == 0 {
				return errors.Join(err, workspace.ErrNoVolume)
			}
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO named_pods (pod, owner, name, class, life, home, keep, labels, idle, created_at, image) VALUES (?, ?, ?, ?, ?, NULLIF(?, ''), ?, ?, ?, ?, ?)
			ON CONFLICT (pod) DO UPDATE SET life = excluded.life, keep = excluded.keep, labels = excluded.labels, idle = excluded.idle, image = excluded.image`,
			string(r.ID), r.Owner, r.Name, string(r.Class), string(r.Life), r.Home, r.Keep, string(labels), r.IdleTimeout.Milliseconds(), r.CreatedAt.UnixMilli(), r.Image)
		return err
	})
}

// DropNamed forgets a named pod, its incarnations and its lease; see workspace.Store.
func (s *Store) DropNamed(ctx context.Context, id pod.ID, kept *workspace.Kept) error {
	return s.within(ctx, "end of pod "+string(id), func(tx *sql.Tx) error {
		for _, q := range []string{`DELETE FROM named_pods WHERE pod = ?`, `DELETE FROM pods WHERE pod = ?`, `DELETE FROM leases WHERE pod = ?`} {
			if _, err := tx.ExecContext(ctx, q, string(id)); err != nil {
				return err
			}
		}
		if kept == nil {
			return nil
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO kept_volumes (volume, owner, name, kept_at) VALUES (?, ?, ?, ?)`, kept.Volume, kept.Owner, kept.Pod, kept.KeptAt.UnixMilli())
		return err
	})
}

// DropKept forgets a kept volume.
func (s *Store) DropKept(ctx context.Context, volume string) error {
	if _, err := s.db.ExecContext(ctx, `DELETE FROM kept_volumes WHERE volume = ?`, volume); err != nil {
		return fmt.Errorf("store kept volume %s: %w", volume, err)
	}
	return nil
}

// within does all of it, or nothing.
func (s *Store) within(ctx context.Context, what string, do func(*sql.Tx) error) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("store %s: %w", what, err)
		}
	}()
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := do(tx); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}
