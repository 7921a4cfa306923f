// The automatic top-ups of a running gateway: accounts that have just paid for a call are looked at within a second, all of them each minute.
import { isDueAgain } from '../../../src/utilities/every.ts'
import type { Cause } from '../changes.ts'
import { lookAt } from '../looking.ts'
import type { PaymentParts } from '../parts.ts'
import { concludeTopUp, makeTopUp, type TopUpParts, turnOff } from './deciding.ts'
import { decidedAccounts, dueAccounts, inactiveAccounts } from './store.ts'

export interface TopUpWorker {
  /** An account has paid for a call: between a call and its answer, so no more than this. */
  spent(account_id: number): void
  /** Makes, charges and concludes what is due; what another round or gateway does is not done twice. */
  work(): Promise<void>
  /** Begins nothing any more, and waits for what is under way. */
  stop(): Promise<void>
}

/** Balances change without calls, too, and by other gateways and commands. */
const ALL_EVERY_MS = 60_000
/** Of charges that are made at once. */
const MAX_AT_ONCE = 5

const CAUSE: Cause = { source: 'system' }

export function createTopUpWorker(parts: PaymentParts & TopUpParts): TopUpWorker {
  const { db, now, log, providers } = parts
  let marked = new Set<number>()
  let all_at_ms = 0
  let running: Promise<void> | undefined
  let is_stopping = false

  async function round(): Promise<void> {
    for (const account_id of await decidedAccounts(db)) {
      await concludeTopUp(parts, account_id)
      // One top-up may not be enough.
      marked.add(account_id)
    }
    const due = await take()
    for (let start = 0; start < due.length && !is_stopping; start += MAX_AT_ONCE)
      await Promise.all(due.slice(start, start + MAX_AT_ONCE).map(topUp))
  }

  async function take(): Promise<number[]> {
    const now_ms = now()
    const is_all_due = isDueAgain(now_ms, all_at_ms, ALL_EVERY_MS)
    if (!is_all_due && marked.size === 0) return []
    const some = marked
    marked = new Set()
    if (!is_all_due) return await dueAccounts(db, now_ms, [...some])
    for (const account_id of await inactiveAccounts(db))
      await db.begin(async (tx) => {
        await tx.lock(account_id)
        await turnOff(tx, account_id, { reason: 'account', now_ms })
      })
    const due = await dueAccounts(db, now_ms)
    all_at_ms = now_ms + ALL_EVERY_MS
    return due
  }

  async function topUp(account_id: number): Promise<void> {
    try {
      const order = await makeTopUp(parts, account_id)
      if (!order) return
      log.info({ order: order.id, account_id }, 'an automatic top-up is made')
      // The poller of orders looks at those that are still undecided then.
      await lookAt(parts, order.id, CAUSE)
    } catch (cause) {
      log.warn({ account_id, cause }, 'an automatic top-up could not be finished now')
    }
  }

  return {
    spent: (account_id) => void marked.add(account_id),
    work() {
      if (marked.size > 0 && !providers().some(({ chargeSaved }) => chargeSaved)) marked.clear()
      if (is_stopping) return Promise.resolve()
      running ??= round().finally(() => {
        running = undefined
      })
      return running
    },
    async stop() {
      is_stopping = true
      await running
    },
  }
}
