// Import of another gateway's vouchers: unused ones keep working, and vouchers that ended there are revoked here.
import { hashKey } from '../../src/access/secret.ts'
import type { Nanos } from '../../src/domain/money.ts'
import { recordAction } from '../../src/store/actions.ts'
import type { Tx } from '../../src/store/db.ts'
import { changeState } from '../../src/store/state-changes.ts'
import { hintOf } from './code.ts'
import { insertBatch, insertVouchers, type NewVoucher, unusedOfNote } from './store.ts'

interface IncomingVouchers {
  unused: readonly NewVoucher[]
  /** Hashes of vouchers that were used or disabled there, or have expired. */
  ended: readonly Buffer[]
}

export interface ImportedVouchers {
  /** Number of new vouchers. */
  created: number
  /** Number of vouchers that were imported before and have ended at the other gateway since. */
  revoked: number
}

/** Hashes an imported code as typed. */
export const hashOfImported = (code: string): Buffer => hashKey(code)

export const importedVoucher = ({
  code,
  ...terms
}: {
  code: string
  amount_nanos: Nanos
  expires_at_ms: number | null
}): NewVoucher => ({ sha256: hashOfImported(code), hint: hintOf(code), ...terms })

/** Imports vouchers, in the caller's transaction. Vouchers of an earlier import stay, unless they have ended. */
export async function importVouchers(
  tx: Tx,
  { unused, ended }: IncomingVouchers,
  { source, now_ms }: { source: string; now_ms: number },
): Promise<ImportedVouchers> {
  const note = `Imported from ${source}`
  const revoked = await revokeEnded(tx, { note, ended, now_ms })
  const known = new Set((await unusedOfNote(tx, note)).map(({ sha256 }) => sha256.toString('hex')))
  const added = unused.filter(({ sha256 }) => !known.has(sha256.toString('hex')))
  if (added.length === 0) return { created: 0, revoked }
  const batch = await insertBatch(tx, { note, once_each: 0, created_at_ms: now_ms })
  const created = await insertVouchers(tx, batch, added)
  if (created > 0)
    await recordAction(tx, {
      action: 'voucher.created',
      subject: String(batch.id),
      after: { vouchers: created, note },
    })
  return { created, revoked }
}

async function revokeEnded(
  tx: Tx,
  { note, ended, now_ms }: { note: string; ended: readonly Buffer[]; now_ms: number },
): Promise<number> {
  const hashes = new Set(ended.map((sha256) => sha256.toString('hex')))
  let count = 0
  for (const { id, sha256 } of await unusedOfNote(tx, note)) {
    if (!hashes.has(sha256.toString('hex'))) continue
    const change = { table: 'vouchers', id, from: ['new'], to: 'revoked', source: 'command' } as const
    if (await changeState(tx, change, now_ms)) count += 1
  }
  if (count > 0) await recordAction(tx, { action: 'voucher.revoked', before: { vouchers: count, note } })
  return count
}
