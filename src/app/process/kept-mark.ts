// The mark of the last clean audit in a database: begun at for a week, kept after each, and forgotten where the books are wrong.
import { DAY_MS } from '../../domain/ranges.ts'
import { type AuditMark, markFromRow, markRowOf } from '../../money/ledger/audit-mark.ts'
import { auditMark, forgetAuditMark, keepAuditMark } from '../../store/audit-marks.ts'
import type { Db } from '../../store/db.ts'
import type { FullAudit } from './full-audit.ts'

const WHOLE_EVERY_MS = 7 * DAY_MS

/** @returns undefined where all rows are to be looked at: without a mark, where it is damaged or of another version, and once a week */
export async function markToBeginAt(db: Db, now_ms: number): Promise<AuditMark | undefined> {
  const row = await auditMark(db)
  const mark = row && markFromRow(row)
  if (!mark) return undefined
  const age_ms = now_ms - mark.whole_at_ms
  return age_ms >= 0 && age_ms < WHOLE_EVERY_MS ? mark : undefined
}

/**
 * Keeps the mark of an audit. Where the books are wrong, or the database is damaged, all rows are looked at until neither is.
 * @param write opens the database to write, for some work
 * @throws what `write` throws, where the last mark would say that all is well
 */
export async function keepMark(
  { clean, from, next }: Pick<FullAudit, 'clean' | 'from' | 'next'>,
  write: (work: (db: Db) => Promise<void>) => Promise<void>,
): Promise<void> {
  if (!next) return clean ? undefined : write(forgetAuditMark)
  try {
    await write(async (db) => {
      // Another audit, of all rows, may have found something meanwhile.
      if (from && !(await auditMark(db))) return
      await keepAuditMark(db, markRowOf(next))
    })
  } catch {
    // Dropped: a folder that can only be read may be audited, and the next audit begins where this one did.
  }
}
