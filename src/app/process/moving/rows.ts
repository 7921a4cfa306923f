// The move of all rows to another engine: a consistent snapshot is copied, and the books are audited on both sides.
import { isDeepStrictEqual } from 'node:util'
import { internal, unprocessable } from '../../../domain/errors.ts'
import { type Audit, audit, type Totals } from '../../../money/ledger/audit.ts'
import { type CopyResult, copyAll } from '../../../store/copying/copy-all.ts'
import type { CopyTarget } from '../../../store/copying/target.ts'
import { type Db, LONG } from '../../../store/db.ts'
import { describeFindings } from '../full-audit.ts'

export interface MoveOptions {
  from: Db
  to: CopyTarget
  auditCopy: () => Promise<Audit>
  /** Reports the step and the number of copied rows. */
  onStep?: (step: 'auditing' | 'copying', rows: number) => void
}

export interface Moved extends CopyResult {
  /** The totals of the books, equal on both sides. */
  readonly totals: Totals
}

/**
 * @throws GatewayError unprocessable if the source's books fail the audit, before anything is copied; internal if the copy's books fail it,
 * or have other totals; what `copyAll` throws
 */
export async function moveRows({ from, to, auditCopy, onStep = () => {} }: MoveOptions): Promise<Moved> {
  const { before, copied } = await from.snapshot(async (then) => {
    onStep('auditing', 0)
    const before = await audit(then)
    if (!before.clean)
      throw unprocessable(
        `The books do not pass the audit, so nothing was copied. Restore a backup, or ask for help with this:\n${describeFindings(before)}`,
      )
    const copied = await copyAll(then, to, (rows) => onStep('copying', rows))
    return { before, copied }
  }, LONG)
  onStep('auditing', 0)
  const after = await auditCopy()
  if (!after.clean)
    throw internal(`The copy does not pass the audit: do not use it.\n${describeFindings(after)}`)
  if (!isDeepStrictEqual(after.totals, before.totals))
    throw internal('The copy has other totals than the database that was copied: do not use it.')
  return { ...copied, totals: after.totals }
}
