// A look at an order by the gateway that runs: payment methods of custom plugins are its alone.
import { conflict } from '../../../src/domain/errors.ts'
import { MANUAL } from '../manual/provider.ts'
import type { PaymentParts } from '../parts.ts'
import { orderById, setLook } from '../store.ts'
import type { Order } from '../tables.ts'

const BUILT_IN = ['stripe', MANUAL]

export const isOfPlugin = (method: string): boolean => !BUILT_IN.includes(method)

/** Its poller looks each second, and a method has 25 seconds to answer. */
const MAX_WAIT_MS = 30_000
const BEGINS_WITHIN_MS = 5_000
const STEP_MS = 100

/** @throws GatewayError conflict where no gateway looks at it in time, or its payment method does not answer */
export async function lookByGateway(
  { db, now }: Pick<PaymentParts, 'db' | 'now'>,
  order: Order,
): Promise<void> {
  const due = { ...order, next_look_at_ms: now() }
  await setLook(db, order.id, due)
  const began_at = performance.now()
  for (;;) {
    await Bun.sleep(STEP_MS)
    const { looks, next_look_at_ms, unanswered_since_ms, state } = await orderById(db, order.id)
    const waited_ms = performance.now() - began_at
    const is_taken = looks > order.looks
    if (!is_taken && waited_ms > BEGINS_WITHIN_MS)
      throw conflict(
        `Order ${order.id} is paid by "${order.provider}", a payment method of a custom plugin, which the gateway alone runs, and none looked at it. Start the gateway: it looks by itself.`,
      )
    if (is_taken && unanswered_since_ms !== null)
      throw conflict(
        `The payment method "${order.provider}" does not answer. The log of the gateway has why; it asks again by itself.`,
      )
    // One that is being looked at is set aside for two minutes.
    const is_over =
      next_look_at_ms === null ||
      state !== order.state ||
      Math.abs(next_look_at_ms - now() - 2 * 60_000) > 10_000
    if ((is_taken && is_over) || waited_ms > MAX_WAIT_MS) return
  }
}
