// The stored mark of the last clean audit: later audits start from it for a week. It is deleted if the books are wrong.
import { DAY_MS } from '../../domain/ranges.ts'
import { type AuditMark, markFromRow, markRowOf } from '../../money/ledger/audit-mark.ts'
import { auditMark, forgetAuditMark, keepAuditMark } from '../../store/audit-marks.ts'
import type { Db } from '../../store/db.ts'
import type { FullAudit } from './full-audit.ts'

const WHOLE_EVERY_MS = 7 * DAY_MS

/** @returns undefined if all rows must be checked: the mark is missing, damaged or of another version, or a week old */
export async function markToBeginAt(db: Db, now_ms: number): Promise<AuditMark | undefined> {
  const row = await auditMark(db)
  const mark = row && markFromRow(row)
  if (!mark) return undefined
  const age_ms = now_ms - mark.whole_at_ms
  return age_ms >= 0 && age_ms < WHOLE_EVERY_MS ? mark : undefined
}

/**
 * Stores the mark of an audit. If the books are wrong or the database is damaged, it deletes the mark, so that the next audits check all rows.
 * @param write runs some work with write access to the database
 * @throws what `write` throws, if the outdated mark could not be deleted
 */
export async function keepMark(
  { clean, from, next }: Pick<FullAudit, 'clean' | 'from' | 'next'>,
  write: (work: (db: Db) => Promise<void>) => Promise<void>,
): Promise<void> {
  if (!next) return clean ? undefined : write(forgetAuditMark)
  try {
    await write(async (db) => {
      // A concurrent audit of all rows may have deleted the mark.
      if (from && !(await auditMark(db))) return
      await keepAuditMark(db, markRowOf(next))
    })
  } catch {
    // Dropped: a read-only folder may be audited, and the next audit starts from the same mark.
  }
}
