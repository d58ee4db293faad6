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
