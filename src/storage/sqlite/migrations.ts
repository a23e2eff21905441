/**
 * The schema, step by step: step n leads from `user_version` n to n + 1. A step that was published is never edited; a
 * change is a new one at the end.
 */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE audit_writers (
    id TEXT PRIMARY KEY,
    pid INTEGER NOT NULL,
    process_start TEXT NOT NULL,
    boot_id TEXT NOT NULL,
    opened_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE audit_rows (
    writer TEXT NOT NULL REFERENCES audit_writers (id),
    seq INTEGER NOT NULL CHECK (seq > 0),
    kind TEXT NOT NULL CHECK (kind IN ('started', 'finished')),
    call_id TEXT NOT NULL,
    parent_id TEXT,
    time INTEGER NOT NULL,
    principal TEXT NOT NULL,
    tool TEXT NOT NULL,
    tool_hash TEXT,
    outcome TEXT,
    duration_ms INTEGER,
    payload_digest TEXT NOT NULL,
    salt TEXT,
    payload TEXT,
    prev_hash TEXT NOT NULL,
    hash TEXT NOT NULL,
    PRIMARY KEY (writer, seq)
  ) STRICT;

  CREATE INDEX audit_rows_by_call ON audit_rows (call_id, writer, seq);
  `,
]
