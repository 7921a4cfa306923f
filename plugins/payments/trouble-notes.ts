// Trouble of an order as it is stored: on the order while it lasts, and as a line of its history.
import { changeState, stateChangesOf } from '../../src/store/state-changes.ts'
import type { Cause } from './changes.ts'
import type { PaymentParts } from './parts.ts'
import { setTrouble } from './store.ts'
import type { Order } from './tables.ts'

/**
 * Notes a sentence on the order; its history and the log have it once, however often it comes and goes.
 *
 * @param sentence null: it is well again
 */
export async function noteTrouble(
  { db, log, now }: Pick<PaymentParts, 'db' | 'log' | 'now'>,
  { id, account_id, state }: Order,
  sentence: string | null,
  { source }: Cause,
): Promise<void> {
  if (sentence === null) {
    await setTrouble(db, id, null)
    return
  }
  const is_new = await db.begin(async (tx) => {
    await tx.lock(account_id)
    const lines = await stateChangesOf(tx, 'orders', id)
    if (lines.some(({ detail }) => JSON.parse(detail).trouble === sentence)) {
      // It was well meanwhile, and is so again.
      await setTrouble(tx, id, sentence)
      return false
    }
    const line = { table: 'orders', id, from: [state], to: state, source, detail: { trouble: sentence } }
    // In another state it is for the next look.
    if (!(await changeState(tx, line, now()))) return false
    await setTrouble(tx, id, sentence)
    return true
  })
  if (is_new) log.warn({ order: id, account_id }, sentence)
}
