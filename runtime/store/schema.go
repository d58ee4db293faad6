package store

import (
	"context"
	"database/sql"
	"fmt"
)

// migrations bring an older database forward, in order; each runs once, in a transaction with the count. They are never changed after a release, only added to.
func migrations() []string {
	return []string{
		`CREATE TABLE server (
			one      INTEGER PRIMARY KEY CHECK (one = 1),
			instance TEXT NOT NULL
		) STRICT;
		CREATE TABLE pods (
			pod        TEXT PRIMARY KEY,
			inc        INTEGER NOT NULL CHECK (inc >= 0), -- highest incarnation number ever used
			awake      INTEGER NOT NULL CHECK (awake IN (0, 1)),
			updated_at INTEGER NOT NULL                   -- milliseconds since 1970
		) STRICT;`,
		`CREATE TABLE leases (
			pod   TEXT PRIMARY KEY,
			until INTEGER NOT NULL -- milliseconds since 1970
		) STRICT;`,
		`CREATE TABLE named_pods (
			pod        TEXT PRIMARY KEY,
			owner      TEXT NOT NULL,
			name       TEXT NOT NULL,
			class      TEXT NOT NULL CHECK (class IN ('ephemeral', 'workspace')),
			life       TEXT NOT NULL CHECK (life IN ('making', 'there', 'going')),
			home       TEXT UNIQUE, -- the volume of its home; NULL for none
			keep       INTEGER NOT NULL CHECK (keep IN (0, 1)),
			labels     TEXT NOT NULL, -- a JSON object
			idle       INTEGER NOT NULL CHECK (idle >= 0), -- its own idle timeout in milliseconds; 0 for the server's
			created_at INTEGER NOT NULL, -- milliseconds since 1970
			UNIQUE (owner, name)
		) STRICT;
		CREATE TABLE kept_volumes (
			volume  TEXT PRIMARY KEY,
			owner   TEXT NOT NULL,
			name    TEXT NOT NULL, -- of the pod whose home it was
			kept_at INTEGER NOT NULL -- milliseconds since 1970
		) STRICT;`,
		// The reference of its own image; '' is the server's. A comment in the statement itself would become a part of the table's text.
		`ALTER TABLE named_pods ADD COLUMN image TEXT NOT NULL DEFAULT '';`,
	}
}

func migrate(ctx context.Context, db *sql.DB) error {
	var version int
	if err := db.QueryRowContext(ctx, `PRAGMA user_version`).Scan(&version); err != nil {
		return err
	}
	all := migrations()
	if version > len(all) {
		return fmt.Errorf("it was written by a newer podlife (schema %d, this one knows %d): use that one", version, len(all))
	}
	for i := version; i < len(all); i++ {
		tx, err := db.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, all[i]+fmt.Sprintf("PRAGMA user_version = %d;", i+1)); err != nil {
			tx.Rollback()
			return fmt.Errorf("schema %d: %w", i+1, err)
		}
		if err := tx.Commit(); err != nil {
			return err
		}
	}
	return nil
}
