// The poller: refreshes due orders, and resumes refunds that a kill or a silent provider left unfinished, each by one gateway.
import type { Cause } from './changes.ts'
import type { PaymentParts } from './parts.ts'
import { refreshOrder } from './refreshing.ts'
import { finalizeRefund } from './refund-ends.ts'
import { claimRefund, dueRefunds, refundById } from './refund-store.ts'
import { requestRefund, tryDebitRefund } from './refunding.ts'
import { claimOrder, dueMethods, dueOrders } from './store.ts'
import type { Order, OrderRefund } from './tables.ts'

/** Orders per method, and refunds. */
const MAX_AT_ONCE = 5
/** Longer than a refresh takes. After it another gateway may claim the order, as after a kill. */
const CLAIM_MS = 2 * 60_000

const CAUSE: Cause = { source: 'poll' }

interface Poller {
  /** Processes everything that is due and not in progress. Each method has its own lane, so that a method that hangs delays no other one. */
  pollDue(): Promise<void>
  /** Starts no further refresh, and waits for those in progress. */
  stop(): Promise<void>
}

export function createPoller(parts: PaymentParts): Poller {
  const { db, now } = parts
  const lanes = new Map<string, Promise<void>>()
  let is_stopping = false

  function lane<Due>(
    name: string,
    read: () => Promise<readonly Due[]> | readonly Due[],
    work: (due: Due) => Promise<WorkResult>,
  ): Promise<void> {
    const run = async () => {
      while (!is_stopping) {
        const worked = await Promise.all((await read()).map(work))
        // Failed items are due again later, and another gateway processes the items that it claimed.
        if (!worked.includes('done') || worked.includes('failed')) return
      }
    }
    const running = lanes.get(name) ?? run().finally(() => lanes.delete(name))
    lanes.set(name, running)
    return running
  }

  return {
    async pollDue() {
      if (is_stopping) return
      const methods = await dueMethods(db, now())
      await Promise.all([
        ...methods.map((provider) =>
          lane(
            `orders of ${provider}`,
            () => dueOrders(db, { provider, now_ms: now(), row_limit: MAX_AT_ONCE }),
            (order) => refreshClaimed(parts, order),
          ),
        ),
        lane(
          'refunds',
          () => dueRefunds(db, now(), MAX_AT_ONCE),
          (refund) => resumeRefund(parts, refund),
        ),
      ])
    },
    async stop() {
      is_stopping = true
      await Promise.all(lanes.values())
    },
  }
}

/** `claimed`: by another gateway. */
type WorkResult = 'done' | 'failed' | 'claimed'

async function refreshClaimed(parts: PaymentParts, order: Order): Promise<WorkResult> {
  const { db, now, log } = parts
  if (!(await claimOrder(db, order, now() + CLAIM_MS))) return 'claimed'
  try {
    await refreshOrder(parts, order.id, CAUSE)
    return 'done'
  } catch (thrown) {
    log.warn({ order: order.id, method: order.provider, cause: thrown }, 'an order could not be checked')
    return 'failed'
  }
}

async function resumeRefund(parts: PaymentParts, due: OrderRefund): Promise<WorkResult> {
  const { db, now, log } = parts
  if (!(await claimRefund(db, due, now() + CLAIM_MS))) return 'claimed'
  try {
    if (due.state === 'begun') await tryDebitRefund(parts, due, CAUSE)
    // The provider may have the refund, though its answer was lost, and it forgets idempotency keys after a day: refresh before the request.
    else if (due.state === 'debited') await refreshOrder(parts, due.order_id, CAUSE)
    const { state } = await refundById(db, due.id)
    if (state !== 'debited') await finalizeRefund(parts, due.id)
    else if ((await requestRefund(parts, due.id, CAUSE)).state !== 'debited')
      // Clears the trouble note on the unanswered refund.
      await refreshOrder(parts, due.order_id, CAUSE)
    return 'done'
  } catch (thrown) {
    log.warn({ refund: due.id, order: due.order_id, cause: thrown }, 'a refund could not be finished')
    return 'failed'
  }
}
