// The poller: looks at orders that are due, and goes on with refunds that a kill or a silent provider left, each by one gateway.
import { messageOf } from '../../src/utilities/thrown.ts'
import type { Cause } from './changes.ts'
import { lookAt } from './looking.ts'
import type { PaymentParts } from './parts.ts'
import { askForRefund, debitRefund } from './refunding.ts'
import { dueOrders, dueRefunds, takeOrder, takeRefund } from './store.ts'
import type { Order, OrderRefund } from './tables.ts'

const MAX_AT_ONCE = 5
/** Longer than a look takes: after it another gateway may look, as after a kill. */
const TAKEN_FOR_MS = 2 * 60_000

const CAUSE: Cause = { source: 'poll' }

export interface Poller {
  /** Looks at all that is due, unless it does so already. */
  lookAtDue(): Promise<void>
  /** Begins no look any more, and waits for those under way. */
  stop(): Promise<void>
}

export function createPoller(parts: PaymentParts): Poller {
  const { db, now } = parts
  let running: Promise<void> | undefined
  let is_stopping = false

  async function lookAtAll(): Promise<void> {
    while (!is_stopping) {
      const orders = await dueOrders(db, now(), MAX_AT_ONCE)
      const refunds = await dueRefunds(db, now(), MAX_AT_ONCE)
      const looked = await Promise.all([
        ...orders.map((order) => lookOnce(parts, order)),
        ...refunds.map((refund) => goOn(parts, refund)),
      ])
      if (!looked.includes(true)) return
    }
  }

  return {
    lookAtDue() {
      running ??= lookAtAll().finally(() => {
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

/** @returns whether this gateway had it */
async function lookOnce(parts: PaymentParts, order: Order): Promise<boolean> {
  const { db, now, log } = parts
  if (!(await takeOrder(db, order, now() + TAKEN_FOR_MS))) return false
  try {
    await lookAt(parts, order.id, CAUSE)
  } catch (thrown) {
    log.warn(
      { order: order.id, method: order.provider, cause: messageOf(thrown) },
      'an order could not be looked at',
    )
  }
  return true
}

async function goOn(parts: PaymentParts, refund: OrderRefund): Promise<boolean> {
  const { db, now, log } = parts
  if (!(await takeRefund(db, refund, now() + TAKEN_FOR_MS))) return false
  try {
    if (refund.state === 'begun') await debitRefund(parts, refund, CAUSE)
    await askForRefund(parts, refund.id, CAUSE)
  } catch (thrown) {
    log.warn(
      { refund: refund.id, order: refund.order_id, cause: messageOf(thrown) },
      'a refund could not be finished',
    )
  }
  return true
}
