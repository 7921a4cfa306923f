// Refresh of an order by the running gateway, for commands: only the gateway runs payment methods of custom plugins.
import { conflict } from '../../../src/domain/errors.ts'
import { MANUAL } from '../manual/provider.ts'
import type { PaymentParts } from '../parts.ts'
import { orderById, setRefresh } from '../store.ts'
import type { Order } from '../tables.ts'

const BUILT_IN = ['stripe', MANUAL]

export const isCustomMethod = (method: string): boolean => !BUILT_IN.includes(method)

/** The gateway polls each second, and a method has 25 seconds to answer. */
const MAX_WAIT_MS = 30_000
const START_TIMEOUT_MS = 5_000
const STEP_MS = 100

/** Makes the order due and waits for the result. @throws GatewayError conflict if no gateway refreshes it in time, or its method does not answer */
export async function refreshByGateway(
  { db, now }: Pick<PaymentParts, 'db' | 'now'>,
  order: Order,
): Promise<void> {
  const due = { ...order, next_look_at_ms: now() }
  await setRefresh(db, order.id, due)
  const began_at = performance.now()
  for (;;) {
    await Bun.sleep(STEP_MS)
    const { looks, next_look_at_ms, unanswered_since_ms, state } = await orderById(db, order.id)
    const waited_ms = performance.now() - began_at
    const is_claimed = looks > order.looks
    if (!is_claimed && waited_ms > START_TIMEOUT_MS)
      throw conflict(
        `Order ${order.id} is paid by "${order.provider}", a payment method of a custom plugin, which only the gateway runs, and no gateway has checked it. Start the gateway: it checks the order by itself.`,
      )
    if (is_claimed && unanswered_since_ms !== null)
      throw conflict(
        `The payment method "${order.provider}" does not answer. The log of the gateway says why. The gateway retries by itself.`,
      )
    // During a refresh the gateway's claim lasts two minutes.
    const is_over =
      next_look_at_ms === null ||
      state !== order.state ||
      Math.abs(next_look_at_ms - now() - 2 * 60_000) > 10_000
    if ((is_claimed && is_over) || waited_ms > MAX_WAIT_MS) return
  }
}
