// The poller: looks at orders that are due, and goes on with refunds that a kill or a silent provider left, each by one gateway.
import type { Cause } from './changes.ts'
import { lookAt } from './looking.ts'
import type { PaymentParts } from './parts.ts'
import { tidyRefund } from './refund-ends.ts'
import { dueRefunds, refundById, takeRefund } from './refund-store.ts'
import { askForRefund, takeRefundMoney } from './refunding.ts'
import { dueMethods, dueOrders, takeOrder } from './store.ts'
import type { Order, OrderRefund } from './tables.ts'

/** Of one method, and of refunds. */
const MAX_AT_ONCE = 5
/** Longer than a look takes: after it another gateway may look, as after a kill. */
const TAKEN_FOR_MS = 2 * 60_000

const CAUSE: Cause = { source: 'poll' }

interface Poller {
  /** Looks at all that is due; what it does already is not done twice. Each method has its own lane: one that hangs holds up none but itself. */
  lookAtDue(): Promise<void>
  /** Begins no look any more, and waits for those under way. */
  stop(): Promise<void>
}

export function createPoller(parts: PaymentParts): Poller {
  const { db, now } = parts
  const lanes = new Map<string, Promise<void>>()
  let is_stopping = false

  function lane<Due>(
    name: string,
    read: () => Promise<readonly Due[]> | readonly Due[],
    work: (due: Due) => Promise<Worked>,
  ): Promise<void> {
    const run = async () => {
      while (!is_stopping) {
        const worked = await Promise.all((await read()).map(work))
        // A failed look is due again later, and another gateway's order is not this one's.
        if (!worked.includes('done') || worked.includes('failed')) return
      }
    }
    const running = lanes.get(name) ?? run().finally(() => lanes.delete(name))
    lanes.set(name, running)
    return running
  }

  return {
    async lookAtDue() {
      if (is_stopping) return
      const methods = await dueMethods(db, now())
      await Promise.all([
        ...methods.map((provider) =>
          lane(
            `orders of ${provider}`,
            () => dueOrders(db, { provider, now_ms: now(), row_limit: MAX_AT_ONCE }),
            (order) => lookOnce(parts, order),
          ),
        ),
        lane(
          'refunds',
          () => dueRefunds(db, now(), MAX_AT_ONCE),
          (refund) => goOn(parts, refund),
        ),
      ])
    },
    async stop() {
      is_stopping = true
      await Promise.all(lanes.values())
    },
  }
}

type Worked = 'done' | 'failed' | 'taken'

async function lookOnce(parts: PaymentParts, order: Order): Promise<Worked> {
  const { db, now, log } = parts
  if (!(await takeOrder(db, order, now() + TAKEN_FOR_MS))) return 'taken'
  try {
    await lookAt(parts, order.id, CAUSE)
    return 'done'
  } catch (thrown) {
    log.warn({ order: order.id, method: order.provider, cause: thrown }, 'an order could not be looked at')
    return 'failed'
  }
}

async function goOn(parts: PaymentParts, due: OrderRefund): Promise<Worked> {
  const { db, now, log } = parts
  if (!(await takeRefund(db, due, now() + TAKEN_FOR_MS))) return 'taken'
  try {
    if (due.state === 'begun') await takeRefundMoney(parts, due, CAUSE)
    // The provider may have it already, though its answer was lost: providers forget keys after a day.
    else if (due.state === 'debited') await lookAt(parts, due.order_id, CAUSE)
    const { state } = await refundById(db, due.id)
    if (state !== 'debited') await tidyRefund(parts, due.id)
    else if ((await askForRefund(parts, due.id, CAUSE)).state !== 'debited')
      // The note of its silence is over.
      await lookAt(parts, due.order_id, CAUSE)
    return 'done'
  } catch (thrown) {
    log.warn({ refund: due.id, order: due.order_id, cause: thrown }, 'a refund could not be finished')
    return 'failed'
  }
}
