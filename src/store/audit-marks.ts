// The row with the mark of the last clean audit (money/ledger/audit-mark.ts): read, kept, removed.
import type { Awaitable, Db } from './db.ts'
import { bareColumns, placeholders, rawPlaceholders } from './placeholders.ts'
import { perConnection } from './prepared.ts'
import { audit_marks } from './schema.ts'

const markQueries = perConnection({
  read: (orm) => orm.select({ json: audit_marks.json, sha256: audit_marks.sha256 }).from(audit_marks),
  keep: (orm) =>
    orm
      .insert(audit_marks)
      .values(placeholders('id', 'json', 'sha256'))
      .onConflictDoUpdate({ target: bareColumns('id'), set: rawPlaceholders('json', 'sha256') }),
  remove: (orm) => orm.delete(audit_marks),
})

export interface AuditMarkRow {
  json: string
  sha256: Uint8Array
}

/** Returns the mark; undefined before the first clean audit of more than a few rows. */
export const auditMark = (db: Db): Awaitable<AuditMarkRow | undefined> => markQueries(db).read.get()

/** Replaces the mark. @throws StorageFailure */
export const keepAuditMark = (db: Db, mark: AuditMarkRow): Promise<void> =>
  db.write(async (within) => void (await markQueries(within).keep.run({ id: 1, ...mark })))

/** Removes the mark, so that the next audit checks all rows. @throws StorageFailure */
export const forgetAuditMark = (db: Db): Promise<void> =>
  db.write(async (within) => void (await markQueries(within).remove.run()))
