// Worker of automatic top-ups: checks accounts within a second after a paid call, and all accounts each minute.
import { isDueAgain } from '../../../src/utilities/every.ts'
import type { Cause } from '../changes.ts'
import type { PaymentParts } from '../parts.ts'
import { refreshOrder } from '../refreshing.ts'
import { concludeTopUp, createTopUp, type TopUpParts, turnOff } from './deciding.ts'
import { accountsWithEndedOrder, dueAccounts, inactiveAccounts } from './store.ts'

export interface TopUpWorker {
  /** Marks an account that has paid for a call. On the path of each call, so it only adds to a set. */
  spent(account_id: number): void
  /** Creates, charges and concludes the due orders. Rounds and gateways that overlap do nothing twice. */
  work(): Promise<void>
  /** Starts no further order, and waits for those in progress. */
  stop(): Promise<void>
}

/** Balances also change without calls, and by other gateways and commands. */
const ALL_EVERY_MS = 60_000
const MAX_CONCURRENT_CHARGES = 5

const CAUSE: Cause = { source: 'system' }

export function createTopUpWorker(parts: PaymentParts & TopUpParts): TopUpWorker {
  const { db, now, log, providers } = parts
  let marked = new Set<number>()
  let all_at_ms = 0
  let running: Promise<void> | undefined
  let is_stopping = false

  async function round(): Promise<void> {
    for (const account_id of await accountsWithEndedOrder(db)) {
      await concludeTopUp(parts, account_id)
      // The balance may still be too low.
      marked.add(account_id)
    }
    const due = await takeDueAccounts()
    for (let start = 0; start < due.length && !is_stopping; start += MAX_CONCURRENT_CHARGES)
      await Promise.all(due.slice(start, start + MAX_CONCURRENT_CHARGES).map(topUp))
  }

  async function takeDueAccounts(): Promise<number[]> {
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
      const order = await createTopUp(parts, account_id)
      if (!order) return
      log.info({ order: order.id, account_id }, 'an automatic top-up is made')
      // The poller refreshes the order later if its result is still unknown.
      await refreshOrder(parts, order.id, CAUSE)
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
